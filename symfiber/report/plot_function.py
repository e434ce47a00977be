"""Pictures of networks with one input: their graphs, with every place where a neuron changes its activity."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from symfiber.cells import cells
from symfiber.complex import changed_neurons
from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import rational, to_fraction
from symfiber.network import Network
from symfiber.report.plot import new_axes

_COLORS = ("#1f3b73", "#b2182b", "#1b7837", "#762a83")
_MARKERS = ("o", "s", "^", "D")
_STYLES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1, 2)))


def breakpoints(net: Network) -> tuple[tuple[Fraction, int, bool], ...]:
    """Return (place, layer, hidden) for every place where a neuron of a network with one input changes its activity.

    ``layer`` is the first layer that has such a neuron, from 1; ``hidden`` says that the network has no kink there.

    Raises
    ------
    UnsupportedError
        When the network has not one input.

    Notes
    -----
    Cost: the cells.  Proved: both cells have the same affine map iff the place is hidden.

    Examples
    --------
    >>> net = Network([([[1]], [0]), ([[2]], [-3]), ([[1]], [5])])      # σ(2σ(x) − 3) + 5
    >>> breakpoints(net)
    ((Fraction(0, 1), 1, True), (Fraction(3, 2), 2, False))
    """
    if net.architecture[0] != 1:
        raise UnsupportedError(f"the graph is drawn for one input, got {net.architecture[0]}")
    found = sorted(cells(net), key=lambda cell: cell.interior_point[0])
    places = []
    for cell, following in pairwise(found):
        (corner,) = set(cell.corners()) & set(following.corners())
        changed = changed_neurons(cell.activation_pattern, following.activation_pattern)
        places.append((corner[0], changed[0][0], cell.affine_map == following.affine_map))
    return tuple(places)


def plot_function(net: Network, interval: Sequence[Any] | None = None, axes: Any = None) -> Any:
    """Draw the graph of a network with one input and return the matplotlib figure.

    Marks are places where a neuron changes its activity, of one shape for each layer: filled where the network has a
    kink, open where it has none.

    Parameters
    ----------
    net : Network of numbers with input dimension 1
    interval : (least, largest), optional
        By default all breakpoints with a margin.
    axes : matplotlib axes, optional
        Where to draw; a new figure by default.
    """
    found = breakpoints(net)
    low, high = _interval([place for place, _, _ in found], interval)
    axes = new_axes((6.4, 4.0)) if axes is None else axes
    inner = [place for place, _, _ in found if low < place < high]
    places = [low, *inner, high]
    for o in range(net.architecture[-1]):
        values = [float(net([place])[o]) for place in places]
        style = {"color": _COLORS[o % len(_COLORS)], "linestyle": _STYLES[o % len(_STYLES)], "linewidth": 1.8}
        name = f"output {o}" if net.architecture[-1] > 1 else None
        axes.plot([float(place) for place in places], values, label=name, zorder=1, **style)
    marks = sorted({(layer, hidden) for place, layer, hidden in found if low < place < high})
    for layer, hidden in marks:
        at = [place for place in inner if (place, layer, hidden) in found]
        points = [(float(place), float(value)) for place in at for value in net([place])]
        mark = {"marker": _MARKERS[(layer - 1) % len(_MARKERS)], "markersize": 8, "color": "#222222"}
        name = f"layer {layer}, hidden" if hidden else f"layer {layer}"
        face = "white" if hidden else "#222222"
        axes.plot(*zip(*points), linestyle="none", markerfacecolor=face, label=name, zorder=2, **mark)
    axes.set(xlim=(float(low), float(high)), xlabel="$x$", ylabel="$f(x)$")
    axes.margins(y=0.2)
    if marks or net.architecture[-1] > 1:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=4, frameon=False, fontsize=9, handlelength=3)
    axes.set_title(f"{'-'.join(map(str, net.architecture))} network: {len(inner)} breakpoints", fontsize=11)
    return axes.figure


def _interval(places: Sequence[Fraction], given: Sequence[Any] | None) -> tuple[Fraction, Fraction]:
    if given is not None:
        ends = tuple(to_fraction(rational(end, "interval end")) for end in given)
        if len(ends) != 2 or ends[0] >= ends[1]:
            raise InputError("interval must be (least, largest) with least < largest")
        return ends[0], ends[1]
    least, largest = (min(places), max(places)) if places else (Fraction(0), Fraction(0))
    margin = (largest - least) / 3 or Fraction(1)
    return least - margin, largest + margin
