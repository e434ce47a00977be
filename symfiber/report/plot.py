"""Pictures: the bent-hyperplane arrangement of a network on the plane, and the component graph of a fiber.

Everything is computed exactly; only the drawing converts to floats.  Needs matplotlib (the ``plot`` extra), which is
imported when a picture is drawn.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from colorsys import hsv_to_rgb
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symfiber.cells import Cell, box, cells
from symfiber.complex import changed_neurons, vertices
from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import rational, to_fraction
from symfiber.network import Network
from symfiber.parameters import Layer

if TYPE_CHECKING:
    from symfiber.decomposition import Fiber

Corner = tuple[Fraction, Fraction]
Box = tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]
"""((x least, x largest), (y least, y largest))."""

FORMATS = ("svg", "png", "pdf")
CELL_LIMIT = 20_000

# Lines of different layers differ in width, too, and those of different generators in style: not in colour alone.
_LAYER_COLORS = ("#1f3b73", "#b2182b", "#1b7837", "#762a83", "#b35806")
_LAYER_WIDTHS = (2.2, 1.3, 0.8)
_NOTEBOOK_NODES = 64
_GENERATOR_STYLES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1, 2)))
_NUMBERED_PIECES = 40
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a bent hyperplane between two cells.

    Attributes
    ----------
    ends : two corners
    layer : int
        One-based layer of the first neuron that changes its activity across the segment.
    neurons : tuple of (layer, neuron)
        All that do; layers one-based, neurons zero-based.
    hidden : bool
        Whether the network has no kink there: both cells have the same affine map.
    """

    ends: tuple[Corner, Corner]
    layer: int
    neurons: tuple[tuple[int, int], ...]
    hidden: bool


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The cells of a network in a box of the plane, and the segments between them, exactly.

    Attributes
    ----------
    box : Box
    polygons : tuple of (cell, corners in cyclic order, number of its affine piece)
    segments : tuple of Segment
    pieces : tuple of Layer
        The different affine maps.
    """

    box: Box
    polygons: tuple[tuple[Cell, tuple[Corner, ...], int], ...]
    segments: tuple[Segment, ...]
    pieces: tuple[Layer, ...]


def arrangement(net: Network, region: Sequence[Sequence[Any]] | None = None) -> Arrangement:
    """Return the bent-hyperplane arrangement of a network with two inputs, ready to draw and exact.

    Parameters
    ----------
    net : Network of numbers with input dimension 2
    region : ((x least, x largest), (y least, y largest)), optional
        By default a box around the corners of the complex; see :func:`default_box`.

    Raises
    ------
    UnsupportedError
        When the network has not two inputs.
    LimitExceededError
        For more than 20,000 cells.

    Notes
    -----
    Cost: the cells, and one comparison of affine maps a segment.  Proved: whether a segment is hidden.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1]], [0, 0]), ([[1, -1]], [-1]), ([[1]], [0])])
    >>> picture = arrangement(net, ((-2, 3), (-2, 3)))
    >>> len(picture.polygons), len(picture.pieces), {(s.layer, s.hidden) for s in picture.segments} == {
    ...     (1, True), (1, False), (2, False)}
    (6, 3, True)
    """
    if net.architecture[0] != 2:
        raise UnsupportedError(f"the arrangement is drawn for two inputs, got {net.architecture[0]}")
    shown = default_box(net) if region is None else _exact_box(region)
    lower, upper = [side[0] for side in shown], [side[1] for side in shown]
    polygons: list[tuple[Cell, tuple[Corner, ...], int]] = []
    pieces: dict[Layer, int] = {}
    for cell in cells(net, box(lower, upper), limit=CELL_LIMIT):
        piece = pieces.setdefault(cell.affine_map, len(pieces))
        polygons.append((cell, tuple(vertices(cell)), piece))
    return Arrangement(shown, tuple(polygons), tuple(_segments(polygons)), tuple(pieces))


def default_box(net: Network) -> Box:
    """Return a box around the corners of the complex, with a margin of a fifth; far outliers stay outside.

    In either direction it reaches at most one and a half times the distance of the quartiles beyond them.  Without any
    corner it surrounds the cells' interior points.
    """
    found = list(cells(net, limit=CELL_LIMIT))
    corners = sorted({corner for cell in found for corner in vertices(cell)})
    points = corners or [(cell.interior_point[0], cell.interior_point[1]) for cell in found]
    sides = []
    for values in (sorted(point[q] for point in points) for q in range(2)):
        low, high = values[len(values) // 4], values[-1 - len(values) // 4]
        fence = (high - low) * 3 / 2
        least = next(x for x in values if x >= low - fence)
        largest = next(x for x in reversed(values) if x <= high + fence)
        margin = (largest - least) / 5 or Fraction(1)
        sides.append((least - margin, largest + margin))
    # Neither direction is shown much longer than the other.
    width = max(high - low for low, high in sides)
    for q, (low, high) in enumerate(sides):
        short = width / 2 - (high - low)
        if short > 0:
            sides[q] = (low - short / 2, high + short / 2)
    return sides[0], sides[1]


def _exact_box(region: Sequence[Sequence[Any]]) -> Box:
    sides = [tuple(to_fraction(rational(x, "region corner")) for x in side) for side in region]
    if len(sides) != 2 or any(len(side) != 2 or side[0] >= side[1] for side in sides):
        raise InputError("region must be ((x least, x largest), (y least, y largest)) with least < largest")
    return (sides[0][0], sides[0][1]), (sides[1][0], sides[1][1])


def _segments(polygons: Sequence[tuple[Cell, tuple[Corner, ...], int]]) -> Iterator[Segment]:
    """Yield the common edges of two cells: in a complex, edges of neighbours agree as a whole."""
    waiting: dict[frozenset[Corner], int] = {}
    for number, (cell, corners, piece) in enumerate(polygons):
        for start, end in zip(corners, (*corners[1:], corners[0])):
            other = waiting.pop(frozenset((start, end)), None)
            if other is None:
                waiting[frozenset((start, end))] = number
                continue
            neighbour, _, its_piece = polygons[other]
            changed = changed_neurons(cell.activation_pattern, neighbour.activation_pattern)
            yield Segment((start, end), changed[0][0], changed, piece == its_piece)


def plot_arrangement(net: Network, region: Sequence[Sequence[Any]] | None = None, axes: Any = None) -> Any:
    """Draw the bent hyperplanes of a network with two inputs and return the matplotlib figure.

    Cells are coloured and numbered by affine piece: where two have the same number the network is the same affine map.
    Lines become thinner from layer to layer; where the network has no kink across a line (its hidden pieces) it is
    dashed.

    Parameters
    ----------
    net, region
        As in :func:`arrangement`.
    axes : matplotlib axes, optional
        Where to draw; a new figure by default.
    """
    picture = arrangement(net, region)
    axes = new_axes((6.4, 6.0)) if axes is None else axes
    from matplotlib.collections import LineCollection, PolyCollection

    shapes = [_floats(corners) for _, corners, _ in picture.polygons]
    colors = [piece_color(piece) for _, _, piece in picture.polygons]
    axes.add_collection(PolyCollection(shapes, facecolors=colors, edgecolors="none", zorder=1))
    for layer in sorted({segment.layer for segment in picture.segments}):
        color = _LAYER_COLORS[(layer - 1) % len(_LAYER_COLORS)]
        width = _LAYER_WIDTHS[min(layer, len(_LAYER_WIDTHS)) - 1]
        for hidden, style, name in ((False, "-", f"layer {layer}"), (True, (0, (4, 3)), f"layer {layer}, hidden")):
            lines = [_floats(s.ends) for s in picture.segments if s.layer == layer and s.hidden == hidden]
            if lines:
                drawn = LineCollection(lines, colors=color, linestyles=[style], linewidths=width, zorder=2, label=name)
                axes.add_collection(drawn)
    (left, right), (bottom, top) = [tuple(map(float, side)) for side in picture.box]
    axes.set(xlim=(left, right), ylim=(bottom, top), xlabel="$x_1$", ylabel="$x_2$")
    if len(picture.pieces) <= _NUMBERED_PIECES:
        for shape, (_, _, piece) in zip(shapes, picture.polygons):
            place = _roomy_place(shape, 0.028 * max(right - left, top - bottom))
            if place is not None:
                axes.text(*place, str(piece + 1), ha="center", va="center", fontsize=9, color="#444444", zorder=3)
    widths = "-".join(map(str, net.architecture))
    axes.set_title(f"{widths} network: {len(picture.polygons)} cells, {len(picture.pieces)} affine pieces", fontsize=11)
    if picture.segments:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.11), ncols=4, frameon=False, fontsize=9, handlelength=3)
    return axes.figure


def _roomy_place(corners: Sequence[tuple[float, float]], room: float) -> tuple[float, float] | None:
    """Return the mean of a convex polygon's corners, if no side is nearer than ``room``."""
    x, y = (sum(values) / len(corners) for values in zip(*corners))
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0])):
        length = hypot(x1 - x0, y1 - y0)
        if length and abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) < room * length:
            return None
    return x, y


def plot_fiber_graph(fiber: Fiber, axes: Any = None) -> Any:
    """Draw the components of a fiber and the discrete generators between them, and return the matplotlib figure.

    A node shows its number and dimension.  Edges differ by generator in colour and style; loops are left out and
    counted in the title.
    """
    return _plot_graph(fiber.graph(), axes)


def graph_svg(graph: Any) -> str | None:
    """Return the picture of a component graph as SVG for a notebook, ``None`` without matplotlib or above 64 nodes."""
    if find_spec("matplotlib") is None or len(graph) > _NOTEBOOK_NODES:
        return None
    file = io.StringIO()
    _plot_graph(graph).savefig(file, format="svg", bbox_inches="tight")
    return file.getvalue()


def _plot_graph(graph: Any, axes: Any = None) -> Any:
    from networkx import Graph

    names = sorted({data["generator"] for u, v, data in graph.edges(data=True) if u != v})
    plain = Graph()
    plain.add_nodes_from(graph)
    plain.add_edges_from((u, v) for u, v in graph.edges() if u != v)
    place = _layout(plain)
    axes = new_axes((6.4, 6.0)) if axes is None else axes
    for number, name in enumerate(names):
        pairs = {tuple(sorted((u, v))) for u, v, data in graph.edges(data=True) if data["generator"] == name}
        for u, v in sorted(pairs):
            (x0, y0), (x1, y1) = place[u], place[v]
            style = _GENERATOR_STYLES[number % len(_GENERATOR_STYLES)]
            axes.plot([x0, x1], [y0, y1], color=_strong(number), linestyle=style, linewidth=1.8, zorder=1, label=name)
            name = f"_{name}"  # one entry in the legend
    for node, data in graph.nodes(data=True):
        text = f"{node}\ndim {data['dimension']}"
        frame = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "#333333"}
        axes.text(*place[node], text, ha="center", va="center", fontsize=9, bbox=frame, zorder=2)
    loops = len({data["generator"] for u, v, data in graph.edges(data=True) if u == v})
    axes.set_title(f"{len(graph)} components; {loops} generators keep each of them", fontsize=11)
    axes.set_axis_off()
    axes.margins(0.15)
    if names:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, frameon=False, fontsize=9, handlelength=3.5)
    return axes.figure


def _layout(graph: Any) -> Any:
    """Return places of the nodes, with few crossings: springs from a plane drawing, or a circle without SciPy."""
    from networkx import (
        check_planarity,
        circular_layout,
        connected_components,
        dfs_preorder_nodes,
        kamada_kawai_layout,
        planar_layout,
    )

    # On the circle neighbours stand next to each other as far as a depth-first walk allows.
    parts = sorted(connected_components(graph), key=min)
    circle = circular_layout([node for part in parts for node in dfs_preorder_nodes(graph, min(part))])
    if find_spec("scipy") is None or not 4 < len(graph) <= 200:
        return circle
    return kamada_kawai_layout(graph, pos=planar_layout(graph) if check_planarity(graph)[0] else circle)


def save_figure(figure: Any, path: Any) -> None:
    """Write a figure as SVG, PNG or PDF, by the ending of the file's name; complete or not at all.

    The same picture gives the same bytes: dates are left out.

    Raises
    ------
    InputError
        For another ending, or a folder that cannot be written.
    """
    import matplotlib

    from symfiber.sources.writing import write_atomically

    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise InputError(f"a picture's file must end in {', '.join('.' + name for name in FORMATS)}, got {str(path)!r}")
    dates: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    stream = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "symfiber"}):
        figure.savefig(stream, format=ending, bbox_inches="tight", dpi=160, metadata=dates[ending])
    write_atomically(path, stream.getvalue())


def piece_color(number: int) -> tuple[float, float, float]:
    """Return a pale colour for an affine piece; consecutive numbers get hues far apart."""
    return hsv_to_rgb((0.13 + number * _GOLDEN) % 1.0, 0.12 + 0.08 * (number % 3), 0.98 - 0.04 * (number % 2))


def _strong(number: int) -> tuple[float, float, float]:
    return hsv_to_rgb((0.6 + number * _GOLDEN) % 1.0, 0.75, 0.75)


def new_axes(size: tuple[float, float]) -> Any:
    """Return the axes of a new figure, independent of any window system.

    Raises
    ------
    UnsupportedError
        When matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise UnsupportedError("pictures need matplotlib: install symfiber[plot]") from None
    figure = Figure(figsize=size)
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def _floats(corners: Sequence[Corner]) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in corners]
