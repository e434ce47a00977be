"""Draw all pictures of the documentation: ``python docs/gallery/pictures.py FOLDER`` writes one SVG file each.

Every picture is computed exactly by the library; a function here only says which network is drawn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import symfiber as sf
from symfiber import fiber, library
from symfiber.report.plot import plot_arrangement, plot_fiber_graph, save_figure
from symfiber.report.plot_function import plot_function
from symfiber.report.plot_orthant import plot_columns, plot_weighted_arrangement


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


PICTURES: tuple[Callable[[], Any], ...] = (
    arrangement,
    weighted_arrangement,
    columns,
    hidden,
    sign_flips,
    univariate,
    composition,
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
