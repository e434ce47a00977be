"""Pictures of one hidden layer on the nonnegative quadrant: its weighted arrangement, and the columns of a slope.

They show THEORY §1 for two inputs: which hyperplanes bend the function and by how much, and whether the columns of a
matrix lie in an open half-space.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from symfiber.column_rank import nonnegative_column_rank
from symfiber.errors import UnsupportedError
from symfiber.exact import Matrix, Rational, rational
from symfiber.orthant import OrthantFunction
from symfiber.report.plot import new_axes

_COLORS = ("#b2182b", "#1f3b73", "#1b7837", "#762a83", "#b35806", "#00797c")
_STYLES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1, 2)))


def plot_weighted_arrangement(function: OrthantFunction, size: Any = None, axes: Any = None) -> Any:
    """Draw the weighted arrangement of g on the quadrant z ≥ 0 and return the matplotlib figure.

    Every nonlinear neuron is the line {w·z + b = 0}; its arrow points to the side where it is active, and the legend
    has the jump c wᵀ of the Jacobian across it.  Linear and dead neurons have no line in the quadrant; the title names
    them.

    Parameters
    ----------
    function : OrthantFunction with two inputs
    size : exact number, optional
        The picture shows [0, size]²; by default all lines with a margin.
    axes : matplotlib axes, optional
        Where to draw; a new figure by default.

    Raises
    ------
    UnsupportedError
        For another number of inputs.
    """
    if function.input_dimension != 2:
        raise UnsupportedError(f"the weighted arrangement is drawn for two inputs, got {function.input_dimension}")
    ends = {j: _ends(function.rows[j]) for j in function.neurons_of_type("nonlinear")}
    shown = rational(size, "size") if size is not None else _default_size(function, ends.values())
    axes = new_axes((6.0, 6.0)) if axes is None else axes
    limit = float(shown)
    for number, (j, (start, direction)) in enumerate(ends.items()):
        color, style = _COLORS[number % len(_COLORS)], _STYLES[number % len(_STYLES)]
        inside = _inside(start, direction, limit)
        if inside is None:
            continue
        (x0, y0), (x1, y1) = inside
        axes.plot([x0, x1], [y0, y1], color=color, linestyle=style, linewidth=1.8, label=_jump(function, j), zorder=2)
        # Arrows stand at different places of their lines, so that those of crossing lines keep apart.
        share = (0.5, 0.35, 0.65, 0.25, 0.75)[number % 5]
        foot = (x0 + share * (x1 - x0), y0 + share * (y1 - y0))
        w = [float(value) for value in function.weight[j]]
        length = 0.07 * limit / max(abs(w[0]), abs(w[1]))
        head = (foot[0] + length * w[0], foot[1] + length * w[1])
        arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", xy=head, xytext=foot, arrowprops=arrow, zorder=3)
    axes.set(xlim=(0, limit), ylim=(0, limit), xlabel="$z_1$", ylabel="$z_2$")
    axes.set_aspect("equal")
    axes.set_title(_types(function), fontsize=11)
    if ends:
        axes.legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=2, frameon=False, fontsize=9, handlelength=3.5
        )
    return axes.figure


def plot_columns(matrix: Matrix | Iterable[Iterable[Any]], axes: Any = None) -> Any:
    """Draw the columns of a matrix with two rows as arrows, with the certificate of its nonnegative column rank.

    When the matrix is pointed, the half-space {u·x > 0} that contains all columns is shaded.
    Otherwise the arrows that take part in the nonnegative relation Σ λ_i M_i = 0 are drawn thick.

    Raises
    ------
    UnsupportedError
        For another number of rows.
    """
    found = nonnegative_column_rank(matrix)
    if found.matrix.row_count != 2:
        raise UnsupportedError(f"columns are drawn for two rows, got {found.matrix.row_count}")
    axes = new_axes((5.0, 5.0)) if axes is None else axes
    columns = [(float(x), float(y)) for x, y in found.matrix.columns()]
    reach = 1.25 * max([max(abs(x), abs(y)) for x, y in columns], default=1.0) or 1.0
    if found.half_space is not None and any(found.half_space):
        u = [float(value) for value in found.half_space]
        scale = max(abs(u[0]), abs(u[1]))
        u = [value / scale for value in u]
        far = 4 * reach
        corners = [(-u[1] * far, u[0] * far), (u[1] * far, -u[0] * far)]
        corners += [(x + u[0] * far, y + u[1] * far) for x, y in reversed(corners)]
        axes.fill(*zip(*corners), color="#dfe8f5", hatch="..", edgecolor="#b9c8e0", linewidth=0, zorder=0)
    for i, (x, y) in enumerate(columns):
        used = found.relation is not None and bool(found.relation[i])
        arrow = {
            "arrowstyle": "-|>",
            "color": _COLORS[1],
            "linewidth": 2.6 if used else 1.3,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        axes.annotate("", xy=(x, y), xytext=(0, 0), arrowprops=arrow, zorder=2)
        stretch = 1 + 0.09 * reach / (max(abs(x), abs(y)) or 1.0)
        axes.text(stretch * x, stretch * y, f"$M_{i + 1}$", ha="center", va="center", fontsize=11, zorder=3)
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach))
    axes.set_aspect("equal")
    axes.axhline(0, color="#999999", linewidth=0.7, zorder=0)
    axes.axvline(0, color="#999999", linewidth=0.7, zorder=0)
    pointed = "pointed" if found.pointed else "not pointed"
    axes.set_title(f"rank {found.rank}, {pointed}: rank$^+$ = {found.value}", fontsize=11)
    return axes.figure


def _ends(row: Sequence[Rational]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return a point of the line {w·z + b = 0} and its direction."""
    a, c, b = (float(value) for value in row)
    norm = a * a + c * c
    return (-a * b / norm, -c * b / norm), (-c, a)


def _inside(
    start: tuple[float, float], direction: tuple[float, float], limit: float
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return the part of a line in [0, limit]², or None when it misses the square."""
    low, high = -float("inf"), float("inf")
    for value, step in zip(start, direction):
        if step:
            first, second = sorted((-value / step, (limit - value) / step))
            low, high = max(low, first), min(high, second)
        elif not 0 <= value <= limit:
            return None
    if low >= high:
        return None
    return tuple((start[0] + t * direction[0], start[1] + t * direction[1]) for t in (low, high))  # type: ignore[return-value]


def _default_size(function: OrthantFunction, lines: Iterable[Any]) -> Rational:
    """Return a size that shows where the lines meet the axes."""
    meets = [-b / value for *w, b in function.rows for value in w if value and -b / value > 0]
    return max(meets) * rational("5/4") if meets and lines else rational(1)


def _jump(function: OrthantFunction, j: int) -> str:
    rows = [[c * w for w in function.weight[j]] for c in function.outgoing[j]]
    inside = "; ".join(", ".join(map(str, row)) for row in rows)
    return f"neuron {j}: jump [{inside}]"


def _types(function: OrthantFunction) -> str:
    kinds: tuple[Any, ...] = ("nonlinear", "linear", "dead")
    found = {kind: function.neurons_of_type(kind) for kind in kinds}
    return "; ".join(f"{kind}: {', '.join(map(str, found[kind]))}" for kind in kinds if found[kind]) or "no neuron"
