"""All faces of the canonical polyhedral complex: counts by dimension, neighbours across facets, exact volumes.

The relatively open faces are the nonempty sets on which every preactivation has a fixed sign −, 0 or +; each is a
relatively open polyhedron, because the earlier signs make the next preactivation an affine form.  So the splitting of
:mod:`symfiber.cells` with three branches instead of two lists them, again without linear programming.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import TYPE_CHECKING, Any

from symfiber.cells import CORNER_LIMIT, Cell, HalfSpaces, PreactivationForms, cells, start_region
from symfiber.errors import LimitExceededError, UnsupportedError
from symfiber.exact import Matrix, Polyhedron
from symfiber.network import ActivationPattern, Network

if TYPE_CHECKING:
    from networkx import Graph

SignPattern = tuple[tuple[int, ...], ...]
"""For every hidden layer, the signs −1, 0, 1 of its preactivations."""

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Face:
    """A relatively open face: where all preactivations have the signs of ``signs``.

    Attributes
    ----------
    signs : tuple of tuples of −1, 0, 1
    polyhedron : Polyhedron
        Its closure.
    """

    signs: SignPattern
    polyhedron: Polyhedron

    @property
    def dimension(self) -> int:
        """The dimension of the face."""
        return self.polyhedron.dimension

    @property
    def relative_interior_point(self) -> tuple[Fraction, ...]:
        """An exact point of the face."""
        return self.polyhedron.interior_point()

    @property
    def neurons(self) -> tuple[tuple[int, int], ...]:
        """The neurons (layer, index) whose preactivation vanishes on the face; layers one-based."""
        return tuple((layer, i) for layer, row in enumerate(self.signs, start=1) for i, s in enumerate(row) if not s)


def faces(net: Network, region: Rows = (), limit: int | None = None) -> Iterator[Face]:
    """Yield every relatively open face of every dimension, exactly once; lazily, depth first.

    A neuron whose preactivation vanishes identically on a face has sign 0 there.

    Parameters
    ----------
    net : Network of numbers
    region : sequence of affine forms, optional
        Only the faces that meet the interior of this polytope, cut to it.
    limit : int, optional

    Raises
    ------
    LimitExceededError
        When there are more than ``limit`` faces, or the region has more than 1024 corners and rays.

    Notes
    -----
    Proved: always.  Cost: as :func:`symfiber.cells.cells`, for as many faces as there are.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, 1, 1]], [0])])
    >>> face_counts(net)                                  # vertices, edges, cells of three lines in the plane
    (3, 9, 7)
    """
    for found, face in enumerate(_faces(net, region)):
        if found == limit:
            raise LimitExceededError(f"the complex has more than {limit} faces, the limit", {"faces": limit})
        yield face


def face_counts(net: Network, region: Rows = (), limit: int | None = None) -> tuple[int, ...]:
    """Return the number of faces of every dimension 0, …, d.

    Σ (−1)^k (number of k-faces) = (−1)^d, the Euler characteristic of ℝᵈ with compact support.
    """
    counts = [0] * (net.architecture[0] + 1)
    for face in faces(net, region, limit):
        counts[face.dimension] += 1
    return tuple(counts)


def _faces(net: Network, region: Rows) -> Iterator[Face]:
    start, source = start_region(region, net.architecture[0]), PreactivationForms(net)
    if isinstance(start, HalfSpaces):
        raise LimitExceededError(
            f"faces need a region with at most {CORNER_LIMIT} corners and rays", {"corners and rays": CORNER_LIMIT}
        )
    if not source.depth:
        yield Face((), start)
        return
    forms = source.first()
    stack = [(start.with_forms(forms.rows), SignPattern(), tuple[int, ...](), forms)]
    while stack:
        here, pattern, signs, forms = stack.pop()
        if len(signs) == len(forms.rows):
            done = (*pattern, signs)
            if len(done) == source.depth:
                yield Face(done, here)
                continue
            following = source.after(forms, [s > 0 for s in signs])
            stack.append((here.with_forms(following.rows), done, (), following))
            continue
        neuron = len(signs)
        parts = here.split(source.space + 1 + neuron, forms.rows[neuron])
        for part, s in zip(parts, (1, 0, -1)):
            if part is not None:
                stack.append((part, pattern, (*signs, s), forms))


def neighbour_graph(net: Network, region: Rows = (), limit: int | None = None) -> Graph:
    """Return the ``networkx.Graph`` of cells (nodes: activation patterns) that share a facet.

    A node carries its ``cell``.  An edge carries ``neurons``, the (layer, index) pairs, layers one-based, whose
    activity changes across it, and ``facet``, the affine form that vanishes on it and is positive on the first cell.

    Raises
    ------
    LimitExceededError
        When there are more than ``limit`` cells.
    UnsupportedError
        When a cell has more than 1024 corners and rays.

    Notes
    -----
    In a complex two cells share a facet iff it has the same corners and rays in both.  Cost: the cells, all in memory.
    """
    from networkx import Graph

    graph = Graph()
    waiting: dict[frozenset[tuple[int, ...]], Cell] = {}
    for cell in cells(net, region, limit):
        if not isinstance(cell.region, Polyhedron):
            raise UnsupportedError(f"neighbours need cells with at most {CORNER_LIMIT} corners and rays")
        graph.add_node(cell.activation_pattern, cell=cell)
        for row, members in cell.region.facets():
            key = cell.region.face_key(members)
            other = waiting.pop(key, None)
            if other is None:
                waiting[key] = cell
                continue
            neurons = changed_neurons(cell.activation_pattern, other.activation_pattern)
            facet = tuple(map(Fraction, row))
            graph.add_edge(cell.activation_pattern, other.activation_pattern, neurons=neurons, facet=facet)
    return graph


def changed_neurons(first: ActivationPattern, second: ActivationPattern) -> tuple[tuple[int, int], ...]:
    """Return the neurons (layer, index) on which two activation patterns differ; layers one-based."""
    return tuple(
        (layer, i)
        for layer, pair in enumerate(zip(first, second), start=1)
        for i, (a, b) in enumerate(zip(*pair))
        if a != b
    )


def volume(cell: Cell) -> Fraction:
    """Return the exact volume of a bounded cell: length, area, …

    The cell is cut into simplices: a corner is joined to the simplices of all facets that do not contain it.

    Raises
    ------
    UnsupportedError
        When the cell is unbounded or has more than 1024 corners.

    Examples
    --------
    >>> from symfiber import box, cells
    >>> net = Network([([[1, 1]], [-1]), ([[1]], [0])])
    >>> sorted(volume(cell) for cell in cells(net, box([0, 0], [1, 2])))
    [Fraction(1, 2), Fraction(3, 2)]
    """
    if not cell.bounded:
        raise UnsupportedError("the volume needs a bounded cell")
    polyhedron = cell.with_corners("the volume")
    d, corners = polyhedron.space, polyhedron.corners()
    facets = [members for _, members in polyhedron.facets()]
    total = Fraction(0)
    for first, *others in _simplices((1 << len(corners)) - 1, facets):
        edges = [[x - y for x, y in zip(corners[k], corners[first])] for k in others]
        determinant = Matrix(edges, d).determinant()
        total += abs(Fraction(int(determinant.p), int(determinant.q)))
    return total / factorial(d)


def area(cell: Cell) -> Fraction:
    """Return the exact area of a bounded cell in the plane, see :func:`volume`."""
    if cell.network.architecture[0] != 2:
        raise UnsupportedError(f"the area needs two dimensions, got {cell.network.architecture[0]}")
    return volume(cell)


def _simplices(face: int, facets: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Triangulate a face, given as the set of its corners; the facets of a face are its maximal proper meets."""
    first = (face & -face).bit_length() - 1
    if face == 1 << first:
        yield (first,)
        return
    meets = {face & facet for facet in facets if face & facet != face}
    for meet in sorted(meets):
        if not meet >> first & 1 and not any(meet != other and meet & other == meet for other in meets):
            for simplex in _simplices(meet, facets):
                yield (first, *simplex)


def vertices(cell: Cell) -> list[tuple[Fraction, Fraction]]:
    """Return the corners of a cell in the plane, in cyclic order.

    Examples
    --------
    >>> from symfiber import box, cells
    >>> (square,) = cells(Network([([[1, 0]], [5]), ([[1]], [0])]), box([0, 0], [1, 1]))
    >>> [(int(x), int(y)) for x, y in vertices(square)]
    [(1, 1), (0, 1), (0, 0), (1, 0)]
    """
    if cell.network.architecture[0] != 2:
        raise UnsupportedError(f"corners in cyclic order need two dimensions, got {cell.network.architecture[0]}")
    if not isinstance(cell.region, Polyhedron) or cell.region.lines:
        return []
    cx, cy = cell.interior_point
    corners = [(x, y) for x, y in cell.region.corners()]
    return sorted(corners, key=lambda p: _angle_key(p[0] - cx, p[1] - cy))


def _angle_key(x: Fraction, y: Fraction) -> tuple[int, Fraction]:
    """An exact key that sorts directions by their angle: the half-plane, then minus the cotangent."""
    if not y:
        return (0 if x > 0 else 2), Fraction(0)
    return (1 if y > 0 else 3), -x / y
