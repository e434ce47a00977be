"""Draw all pictures of the documentation: ``python docs/gallery/pictures.py FOLDER`` writes one SVG file each.

Every picture is computed exactly by the library; a function here only says which network is drawn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from math import log2
from pathlib import Path
from typing import Any

import symfiber as sf
from symfiber import fiber, library
from symfiber.constraints import scale_into
from symfiber.report.plot import plot_arrangement, plot_fiber_graph, save_figure
from symfiber.report.plot_function import plot_function
from symfiber.report.plot_orthant import plot_columns, plot_weighted_arrangement
from symfiber.symbolic import feasible


def pyplot() -> Any:
    """Return matplotlib's pyplot, drawing into files only."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot

    return matplotlib.pyplot


def arrangement() -> Any:
    """The bent hyperplanes of a generic network."""
    return plot_arrangement(library.get("identifiable-2-2-2-1"))


def sign_flips() -> Any:
    """The component graph of a fiber with sign flips."""
    return plot_fiber_graph(fiber(library.get("hidden-single-3-3-1-1")))


def weighted_arrangement() -> Any:
    """One hidden layer on the quadrant: hyperplanes, active sides, jumps."""
    rows = ([[2, -1], [-1, 2], [1, 1], [1, 3]], [1, 1, -4, 2])
    layers = sf.Network([rows, ([[3, -2, 1, 5]], [0])]).scalar_layers
    return plot_weighted_arrangement(sf.OrthantFunction.from_layers(*layers))


def columns() -> Any:
    """Columns of a slope that lie in an open half-plane, and columns that go all around."""
    figure, (left, right) = pyplot().subplots(1, 2, figsize=(9, 4.4))
    plot_columns([[1, 2, 0], [0, 1, 3]], left)
    plot_columns([[1, 0, -1], [0, 1, -1]], right)
    figure.tight_layout()
    return figure


def hidden() -> Any:
    """The hiding translation: the hidden line moves, the kinks of the function stay."""
    net = library.get("hidden-2-2-2-1")
    move = next(g for g in fiber(net).generators if g.name.startswith("hiding"))
    figure, axes = pyplot().subplots(1, 2, figsize=(10, 5))
    region = ((-4, 4), (-4, 4))
    for place, (value, title) in zip(axes, ((0, "before"), (6, "after"))):
        plot_arrangement(move(net, value), region, place)
        place.set_title(title)
    figure.tight_layout()
    return figure


def univariate() -> Any:
    """A network with one input: a kink of layer 1 that the function does not show is open."""
    net = sf.Network([([[1]], [0]), ([[2], [1]], [-3, -5]), ([[1, -3]], [1])])
    return plot_function(net, (-2, 8))


def composition() -> Any:
    """A hypersurface that only the composition of three layers hides."""
    return plot_arrangement(library.get("hiding-in-composition-2-2-2-2-1"))


def genericity() -> Any:
    """Hyperplanes of layer 2 that meet as expected, and three through one point: a minor vanishes."""
    figure, axes = pyplot().subplots(1, 2, figsize=(9, 5))
    for place, bias, title in zip(axes, (-7, -6), ("all minors nonzero", "one minor is 0")):
        rows = ([[2, -1], [-1, 2], [1, 1]], [-2, -2, -4] if bias == -6 else [-1, -2, -5])
        layers = sf.Network([rows, ([[1, 1, 1]], [0])]).scalar_layers
        plot_weighted_arrangement(sf.OrthantFunction.from_layers(*layers), 5, place)
        place.set_title(title)
        place.get_legend().remove()
    figure.tight_layout()
    return figure


def equivalence() -> Any:
    """Two networks that differ in one small place, and the point that separates them."""
    a = sf.Network([([[1]], [0]), ([[2], [1]], [-3, -5]), ([[1, -3]], [1])])
    b = sf.Network([([[1]], [0]), ([[2], [1], [8], [8]], [-3, -5, -24, -26]), ([[1, -3, 1, -1]], [1])])
    verdict = sf.decide_equivalence(a, b)
    figure, axes = pyplot().subplots(figsize=(7, 4))
    plot_function(a, (-1, 7), axes)
    xs = [k / 50 for k in range(-50, 351)]
    axes.plot(xs, [float(b([Fraction(x)])[0]) for x in xs], "--", color="#b2182b", label="second network")
    x = float(verdict.witness[0])
    axes.axvline(x, color="#555555", linestyle=":", linewidth=1.4, label=f"different at x = {verdict.witness[0]}")
    axes.set_title("equal up to 3, different after")
    axes.legend(frameon=False, fontsize=9)
    return figure


def conservation() -> Any:
    """Levels of a conservation law: gradient flow of c·σ(wx) stays on one of the hyperbolas w² − c² = k."""
    figure, axes = pyplot().subplots(figsize=(5.4, 5))
    values = [k / 40 for k in range(-120, 121)]
    for level, style in ((-4, "--"), (-1, "--"), (1, "-"), (4, "-")):
        for sign in (1, -1):
            points = [(t, sign * (level + t * t) ** 0.5) for t in values if level + t * t >= 0]
            branches = [[p for p in points if p[0] < 0], [p for p in points if p[0] >= 0]] if level < 0 else [points]
            for branch in branches:
                w, c = [y for _, y in branch], [x for x, _ in branch]
                axes.plot(w, c, style, color="#1f3b73", linewidth=1.4)
    axes.plot([-3, 3], [-3, 3], ":", color="#b2182b", linewidth=1.4)
    axes.plot([-3, 3], [3, -3], ":", color="#b2182b", linewidth=1.4)
    for x, y, text in ((1.25, 0.1, "k = 1"), (2.25, 0.1, "4"), (0.1, 1.2, "−1"), (0.1, 2.2, "−4"), (1.55, 1.95, "0")):
        axes.text(x, y, text, fontsize=10)
    axes.set(xlabel="$w$", ylabel="$c$", xlim=(-3, 3), ylim=(-3, 3))
    axes.set_aspect("equal")
    axes.set_title("$w^2 - c^2 = k$ along gradient flow", fontsize=11)
    return figure


def scalings() -> Any:
    """Scalings of two hidden neurons that bring all parameters into [−2, 2]: a polygon in the logarithms."""
    net = sf.Network([([[4]], [1]), ([["1/4"]], [1]), ([[2]], [1])])
    bounds = {name: (-sf.exact.Rational(2), sf.exact.Rational(2)) for name in net.parameter_names}
    found = scale_into(net, bounds)
    figure, axes = pyplot().subplots(figsize=(5.4, 5))
    # log2 |value| + x_up − x_down ≤ 1 for the weights; the biases b1 and b2 give x ≤ 1.
    conditions = ((1, 0, -1), (-1, 1, 3), (0, -1, 0), (1, 0, 1), (0, 1, 1))
    grid = [k / 20 for k in range(-100, 81)]
    inside = [[all(a * u + b * v <= c for a, b, c in conditions) for u in grid] for v in grid]
    axes.contourf(grid, grid, inside, levels=[0.5, 1.5], colors=["#dfe8f5"], hatches=[".."])
    names = ("W1", "W2", "W3", "b1", "b2")
    styles = ("-", "--", ":", "-.", (0, (1, 3)))
    for (a, b, c), name, style in zip(conditions, names, styles):
        ends = [(u, (c - a * u) / b) for u in (-5, 4)] if b else [(c / a, v) for v in (-5, 4)]
        axes.plot(*zip(*ends), linestyle=style, color="#1f3b73", label=f"{name} ≤ 2")
    x, y = (log2(float(Fraction(int(s.p), int(s.q)))) for s in found.scalings[1:])
    axes.plot([x], [y], "o", color="#b2182b", label="the solution found")
    axes.set(
        xlim=(-5, 4), ylim=(-5, 4), xlabel="log₂ of the scaling of neuron 1", ylabel="log₂ of the scaling of neuron 2"
    )
    axes.legend(frameon=True, fontsize=9, loc="lower left")
    return figure


def feasible_slopes() -> Any:
    """One free neuron and one output: the slope (M₁, M₂) must not have entries of opposite signs."""
    figure, axes = pyplot().subplots(figsize=(5, 5))
    ring = sf.exact.PolynomialRing(("a", "b"))
    condition = feasible([list(ring.generators)], 1, ring)
    grid = [k / 10 for k in range(-30, 31)]
    points = [(u, v) for u in grid for v in grid]
    good = [p for p in points if condition.contains([Fraction(p[0]), Fraction(p[1])])]
    axes.plot(*zip(*good), ".", color="#1f3b73", markersize=3, label="feasible")
    axes.axhline(0, color="#999999", linewidth=0.8)
    axes.axvline(0, color="#999999", linewidth=0.8)
    axes.set(xlabel="$M_1$", ylabel="$M_2$", xlim=(-3, 3), ylim=(-3, 3))
    axes.set_aspect("equal")
    axes.set_title("rank$^+$(M) ≤ 1: the dotted points", fontsize=11)
    return figure


PICTURES: tuple[Callable[[], Any], ...] = (
    arrangement,
    weighted_arrangement,
    columns,
    hidden,
    sign_flips,
    univariate,
    composition,
    genericity,
    equivalence,
    conservation,
    scalings,
    feasible_slopes,
)
"""Each function draws the picture of its name and returns a matplotlib figure."""


def draw_all(folder: Path) -> list[Path]:
    """Draw every picture into a folder, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for draw in PICTURES:
        files.append(folder / f"{draw.__name__}.svg")
        save_figure(draw(), files[-1])
    return files


if __name__ == "__main__":
    for written in draw_all(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "pictures")):
        print(written)
