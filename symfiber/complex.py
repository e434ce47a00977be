"""All faces of the canonical polyhedral complex: counts by dimension, neighbours across facets, areas in the plane.

The relatively open faces are the nonempty sets on which every preactivation has a fixed sign −, 0 or +; each is a
relatively open polyhedron, because the earlier signs make the next preactivation an affine form.  So the splitting of
:mod:`symfiber.cells` with three branches instead of two lists them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symfiber.cells import Cell, Form, cells, preactivations, value_at
from symfiber.errors import LimitExceededError, UnsupportedError
from symfiber.exact import ZERO, Infeasible, Matrix, Rational, solve_inequalities, to_fraction
from symfiber.network import ActivationPattern, Network

if TYPE_CHECKING:
    from networkx import Graph

SignPattern = tuple[tuple[int, ...], ...]
"""For every hidden layer, the signs −1, 0, 1 of its preactivations."""


@dataclass(frozen=True, slots=True)
class Face:
    """A relatively open face: where all preactivations have the signs of ``signs``.

    Attributes
    ----------
    signs : tuple of tuples of −1, 0, 1
    dimension : int
    point : tuple of rationals
        A point of the face.
    normals : tuple of forms
        The affine forms that vanish on the face.
    """

    signs: SignPattern
    dimension: int
    point: tuple[Rational, ...]
    normals: tuple[Form, ...]

    @property
    def relative_interior_point(self) -> tuple[Fraction, ...]:
        """An exact point of the face."""
        return tuple(map(to_fraction, self.point))


def faces(net: Network, limit: int | None = None) -> Iterator[Face]:
    """Yield every relatively open face of every dimension, exactly once.

    A neuron whose preactivation vanishes identically on a face has sign 0 there.

    Raises
    ------
    LimitExceededError
        When there are more than ``limit`` faces.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, 1, 1]], [0])])
    >>> face_counts(net)                                  # vertices, edges, cells of three lines in the plane
    (3, 9, 7)
    """
    for found, face in enumerate(_faces(net), start=1):
        if limit is not None and found > limit:
            raise LimitExceededError(f"the complex has more than {limit} faces, the limit", {"faces": limit})
        yield face


def face_counts(net: Network, limit: int | None = None) -> tuple[int, ...]:
    """Return the number of faces of every dimension 0, …, d.

    Σ (−1)^k (number of k-faces) = (−1)^d, the Euler characteristic of ℝᵈ with compact support.
    """
    counts = [0] * (net.architecture[0] + 1)
    for face in faces(net, limit):
        counts[face.dimension] += 1
    return tuple(counts)


def neighbour_graph(net: Network, limit: int | None = None) -> Graph:
    """Return the ``networkx.Graph`` of cells (nodes: activation patterns) that share a facet.

    An edge carries ``neurons``, the (layer, index) pairs, layers one-based, whose preactivation changes sign across it.
    """
    from networkx import Graph

    graph = Graph()
    d = net.architecture[0]
    for cell in cells(net, limit=limit):
        graph.add_node(cell.activation_pattern, point=cell.interior_point)
    for face in faces(net):
        if face.dimension == d - 1:
            first, second = (_beside(net, face, side) for side in (1, -1))
            if first != second:
                neurons = [
                    (layer + 1, i)
                    for layer, (a, b) in enumerate(zip(first, second))
                    for i, (on, off) in enumerate(zip(a, b))
                    if on != off
                ]
                graph.add_edge(first, second, neurons=tuple(neurons))
    return graph


def area(cell: Cell) -> Fraction:
    """Return the exact area of a bounded cell in the plane.

    Raises
    ------
    UnsupportedError
        When the input dimension is not 2 or the cell is unbounded.
    """
    if len(cell.point) != 2 or not cell.bounded:
        raise UnsupportedError("the area needs a bounded cell in two dimensions")
    corners = vertices(cell)
    twice = sum((a[0] * b[1] - a[1] * b[0] for a, b in zip(corners, [*corners[1:], corners[0]])), ZERO)
    return abs(to_fraction(twice)) / 2


def vertices(cell: Cell) -> list[tuple[Rational, Rational]]:
    """Return the corners of a cell in the plane, in cyclic order."""
    if len(cell.point) != 2:
        raise UnsupportedError(f"corners in cyclic order need two dimensions, got {len(cell.point)}")
    corners = set()
    for i, first in enumerate(cell.forms):
        for second in cell.forms[:i]:
            crossing = Matrix([first[:2], second[:2]])
            if crossing.determinant():
                x = crossing.solve([-first[2], -second[2]])
                if x is not None and all(value_at(form, x) >= 0 for form in cell.forms):
                    corners.add((x[0], x[1]))
    if not corners:
        return []
    cx, cy = cell.point
    return sorted(corners, key=lambda p: _angle_key(p[0] - cx, p[1] - cy))


def _angle_key(x: Rational, y: Rational) -> tuple[int, Rational]:
    """An exact key that sorts directions by their angle: the half-plane, then minus the cotangent."""
    upper = y > 0 or (y == 0 and x > 0)
    if y == 0:
        return (0 if upper else 2), ZERO
    return (1 if upper else 3), -x / y


def _faces(net: Network) -> Iterator[Face]:
    d, last = net.architecture[0], len(net.scalar_layers) - 1
    inputs = [tuple(Rational(int(q == k)) for k in range(d + 1)) for q in range(d)]
    origin = (ZERO,) * d
    # (equations, strict forms, point, finished layers, signs in this layer, this layer's forms)
    stack: list[tuple[Any, Any, Any, SignPattern, tuple[int, ...], list[Form]]] = []
    if last == 0:
        yield Face((), d, origin, ())
        return
    stack.append(((), (), origin, (), (), preactivations(net.scalar_layers[0], inputs)))
    while stack:
        equations, strict, point, pattern, signs, forms = stack.pop()
        if len(signs) == len(forms):
            done = (*pattern, signs)
            if len(done) == last:
                yield Face(done, d - _rank(equations, d), point, equations)
                continue
            outputs = [form if s > 0 else (ZERO,) * (d + 1) for form, s in zip(forms, signs)]
            stack.append((equations, strict, point, done, (), preactivations(net.scalar_layers[len(done)], outputs)))
            continue
        form = forms[len(signs)]
        for more, inside, where, s in _branches(equations, strict, point, form):
            stack.append((more, inside, where, pattern, (*signs, s), forms))


def _branches(equations: Any, strict: Any, point: Any, form: Form) -> Iterator[tuple[Any, Any, Any, int]]:
    """The nonempty parts of a relatively open polyhedron where a form is −, 0, +."""
    if not any(form[:-1]):
        yield equations, strict, point, int(form[-1] > 0) - int(form[-1] < 0)
        return
    opposite = tuple(-v for v in form)
    for s, more, inside in ((-1, (), (opposite,)), (0, (form,), ()), (1, (), (form,))):
        found = solve_inequalities([], strict=[*strict, *inside], equations=[*equations, *more], dimension=len(point))
        if not isinstance(found, Infeasible):
            yield (*equations, *more), (*strict, *inside), found.coordinates, s


def _rank(equations: Sequence[Form], d: int) -> int:
    return Matrix([form[:-1] for form in equations], d).rank()


def _beside(net: Network, face: Face, side: int) -> ActivationPattern:
    """The activation pattern of the cell beside a facet, on one side of it.

    A short step is taken along the normal and shortened until the cell found there has the facet's point in its
    closure.
    """
    normal = next(form for form in face.normals if any(form[:-1]))
    step = Rational(side)
    while True:
        x = tuple(p + step * a for p, a in zip(face.point, normal))
        pattern = net.activation_pattern(x)
        if _closure_contains(net, pattern, face.point):
            return pattern
        step = step / 2


def _closure_contains(net: Network, pattern: ActivationPattern, point: Sequence[Rational]) -> bool:
    values = tuple(point)
    for layer, active in zip(net.scalar_layers, pattern):
        before = [value_at((*row, b), values) for row, b in zip(layer.weight, layer.bias)]
        if any(value < 0 if on else value > 0 for value, on in zip(before, active)):
            return False
        values = tuple(value if on else ZERO for value, on in zip(before, active))
    return True
