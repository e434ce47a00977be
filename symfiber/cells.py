"""The canonical polyhedral complex of a ReLU network, exactly and lazily (THEORY §4).

Neurons are taken layer by layer.  Inside a region where all earlier neurons have a fixed activity, the next one is an
affine form; it splits the region exactly when it takes both signs in its interior.  So a neuron cuts only the regions
that it meets, and nothing loops over 2ⁿ patterns.

Whether it does is read off the signs at the region's corners and rays, which split along with it
(:mod:`symfiber.exact.polyhedron`).  A region with too many corners goes on by linear programs: one sign is known at an
interior point, the other needs a linear program, which either gives an interior point of the other part or Motzkin
multipliers that prove it empty.  :func:`emptiness_proofs` gives such multipliers for every part left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

from symfiber.errors import InputError, LimitExceededError, UnsupportedError, VerificationError
from symfiber.exact import (
    Infeasible,
    IntegerTable,
    Matrix,
    Polyhedron,
    Rational,
    dot,
    primitive_integers,
    rational,
    solve_inequalities,
    to_fraction,
)
from symfiber.network import ActivationPattern, Network, require_network
from symfiber.parameters import Layer

Form = tuple[Rational, ...]
"""An affine form a·x + b on ℝᵈ as (a₁, …, a_d, b)."""

IntegerForm = tuple[int, ...]
"""The same with coprime integer entries."""

CORNER_LIMIT = 1024
"""The number of corners and rays from which a region goes on by linear programs."""


@dataclass(frozen=True, slots=True)
class HalfSpaces:
    """A polyhedron with interior {x : a·x + b ≥ 0 for all rows}, known by its rows and one interior point."""

    rows: tuple[IntegerForm, ...]
    point: tuple[Rational, ...]

    def with_forms(self, forms: Sequence[IntegerForm]) -> HalfSpaces:
        """Return the same polyhedron: it keeps no values of forms."""
        return self

    def split(self, place: int, form: IntegerForm) -> tuple[HalfSpaces | None, None, HalfSpaces | None]:
        """Return the parts where a form is positive, zero, negative; ``None`` for an empty one."""
        if not any(form[:-1]):
            return (self, None, None) if form[-1] > 0 else (None, None, self)
        inside = self if value_at(form, self.point) else HalfSpaces(self.rows, self._beside(form))
        positive = value_at(form, inside.point) > 0
        other = tuple(-x for x in form) if positive else form
        found = solve_inequalities([], strict=[*self.rows, other], dimension=len(self.point))
        if isinstance(found, Infeasible):
            return (inside, None, None) if positive else (None, None, inside)
        own = HalfSpaces((*self.rows, tuple(-x for x in other)), inside.point)
        rest = HalfSpaces((*self.rows, other), found.coordinates)
        return (own, None, rest) if positive else (rest, None, own)

    def _beside(self, form: IntegerForm) -> tuple[Rational, ...]:
        """A point of the interior a short step along the form's gradient."""
        step = Rational(1)
        while True:
            candidate = tuple(x + step * a for x, a in zip(self.point, form))
            if all(value_at(row, candidate) > 0 for row in self.rows):
                return candidate
            step = step / 2

    @property
    def bounded(self) -> bool:
        """Whether it is bounded: {A·v ≥ 0} = 0 iff rank A = d and some λ > 0 has Aᵀλ = 0."""
        d, count = len(self.point), len(self.rows)
        normals = [row[:-1] for row in self.rows]
        if Matrix(normals, d).rank() < d:
            return False
        positive = [[int(i == j) for j in range(count)] + [0] for i in range(count)]
        balance = [[*(normal[q] for normal in normals), 0] for q in range(d)]
        return bool(solve_inequalities([], strict=positive, equations=balance, dimension=count))


Region = Polyhedron | HalfSpaces


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: a polyhedron with interior on which the network is affine.

    Attributes
    ----------
    network : Network
    activation_pattern : tuple of tuples of bool
    region : Polyhedron or HalfSpaces
        The cell as a set; a ``Polyhedron`` knows its corners and rays.
    """

    network: Network
    activation_pattern: ActivationPattern
    region: Region

    @property
    def interior_point(self) -> tuple[Fraction, ...]:
        """An exact point of the interior."""
        if isinstance(self.region, Polyhedron):
            return self.region.interior_point()
        return tuple(map(to_fraction, self.region.point))

    @property
    def inequalities(self) -> tuple[tuple[Fraction, ...], ...]:
        """The irredundant affine forms (a₁, …, a_d, b), a·x + b ≥ 0: one a facet, with coprime integer entries."""
        if isinstance(self.region, Polyhedron):
            rows: Sequence[Sequence[int]] = [row for row, _ in self.region.facets()]
        else:
            rows = irredundant(self.region.rows)
        return tuple(tuple(map(Fraction, row)) for row in rows)

    @property
    def affine_map(self) -> Layer:
        """(α, β) with f(x) = αx + β on the cell, entries as fractions."""
        weight, bias = self.network.affine_map(self.activation_pattern)
        return Layer(tuple(tuple(map(to_fraction, row)) for row in weight), tuple(map(to_fraction, bias)))

    @property
    def bounded(self) -> bool:
        """Whether the cell is bounded, proved."""
        return self.region.bounded

    def corners(self) -> tuple[tuple[Fraction, ...], ...]:
        """Return the exact corners, each once.

        Raises
        ------
        UnsupportedError
            When the cell has too many corners to be known by them, or contains a line and has none.
        """
        return self.with_corners("corners").corners()

    def with_corners(self, what: str) -> Polyhedron:
        """Return the region when it knows corners, else raise naming what needs them."""
        if not isinstance(self.region, Polyhedron):
            raise UnsupportedError(f"{what} needs a cell with at most {CORNER_LIMIT} corners and rays")
        if self.region.lines:
            raise UnsupportedError(f"{what} needs a cell without lines, got one with {len(self.region.lines)}")
        return self.region

    def contains(self, point: Sequence[Any]) -> bool:
        """Return whether a rational point lies in the closed cell."""
        x = tuple(rational(v, "point coordinate") for v in point)
        d = self.network.architecture[0]
        if len(x) != d:
            raise InputError(f"point must have {d} coordinates, got {len(x)}")
        return all(value_at(row, x) >= 0 for row in self.region.rows)

    def __repr__(self) -> str:
        return f"<Cell {pattern_text(self.activation_pattern)}>"


def pattern_text(pattern: ActivationPattern) -> str:
    """Return an activation pattern such as ``+-|++``."""
    return "|".join("".join("+" if on else "-" for on in layer) for layer in pattern)


@dataclass(frozen=True, slots=True)
class EmptyPart:
    """The proof that a neuron does not cut a region: no point of the region's interior has the other sign.

    Attributes
    ----------
    pattern : tuple of tuples of bool
        The activities that make the region: all layers before the neuron's, and the neurons before it in its layer.
    layer, neuron : int
        The neuron; the layer is one-based.
    active : bool
        The activity that does not occur there.
    proof : Infeasible
        Multipliers for the region's rows and the neuron's form.
    """

    pattern: ActivationPattern
    layer: int
    neuron: int
    active: bool
    proof: Infeasible

    def verify(self) -> bool:
        """Check the multipliers; raise :class:`VerificationError` when they prove nothing."""
        return self.proof.verify()

    def __str__(self) -> str:
        state = "active" if self.active else "inactive"
        return f"neuron {self.neuron} of layer {self.layer} is nowhere {state} on {pattern_text(self.pattern)}"


def cells(net: Network, region: Sequence[Sequence[Any]] = (), limit: int | None = None) -> Iterator[Cell]:
    r"""Yield every cell of the network, that is every activation pattern with nonempty interior, exactly once.

    Parameters
    ----------
    net : Network of numbers, any depth and width
    region : sequence of affine forms (a₁, …, a_d, b), optional
        Restrict to the polytope {a·x + b ≥ 0}, for example :func:`box`.
    limit : int, optional
        Stop with an error after this many cells.

    Yields
    ------
    Cell
        Depth first, the active side before the other: a deterministic order, and only one path of the tree is kept in
        memory.  A neuron whose preactivation is identically 0 on a region counts as inactive.

    Raises
    ------
    InputError
        When the region is not a list of forms of length d + 1 or has no interior.
    LimitExceededError
        When there are more than ``limit`` cells; ``known["cells"]`` is the number found.

    Notes
    -----
    Proved: always.  Cost: for every region and neuron the signs of one form at the region's corners, and for every cut
    the new corners; a linear program in d unknowns instead when a region has more than 1024 corners and rays.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, 1, 1]], [0])])
    >>> sum(1 for _ in cells(net))
    7
    """
    found = 0
    for part in _walk(net, region, False):
        if isinstance(part, Cell):
            if found == limit:
                raise LimitExceededError(f"the network has more than {limit} cells, the limit", {"cells": limit})
            found += 1
            yield part


def emptiness_proofs(net: Network, region: Sequence[Sequence[Any]] = ()) -> Iterator[EmptyPart]:
    """Yield a proof for every part that :func:`cells` leaves out, verified.

    Together they prove the list of cells complete: every region is the union of the parts of the next neuron.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, 1, 1]], [0])])
    >>> print(*emptiness_proofs(net))
    neuron 2 of layer 1 is nowhere active on --
    """
    for part in _walk(net, region, True):
        if isinstance(part, EmptyPart):
            part.verify()
            yield part


def box(lower: Sequence[Any], upper: Sequence[Any]) -> list[list[Rational]]:
    """Return the affine forms of the box lower ≤ x ≤ upper.

    Examples
    --------
    >>> box([0], [1])
    [[1, 0], [-1, 1]]
    """
    low = [rational(v, "lower corner") for v in lower]
    high = [rational(v, "upper corner") for v in upper]
    if len(low) != len(high) or any(a >= b for a, b in zip(low, high)):
        raise InputError("box must have lower < upper in every one of equally many coordinates")
    forms = []
    for q, (a, b) in enumerate(zip(low, high)):
        unit = [Rational(int(q == k)) for k in range(len(low))]
        forms += [[*unit, -a], [*(-x for x in unit), b]]
    return forms


def start_region(region: Sequence[Sequence[Any]], d: int) -> Region:
    """Return the polyhedron with the given rows, all of ℚᵈ without rows; it must have an interior."""
    rows: list[IntegerForm] = []
    for number, row in enumerate(region):
        form = tuple(rational(v, f"region form {number}") for v in row)
        if len(form) != d + 1:
            raise InputError(f"region form {number} must have length {d + 1}, got {len(form)}")
        rows.append(_scaled(form))
    found = solve_inequalities([], strict=rows, dimension=d)
    if isinstance(found, Infeasible):
        raise InputError("region must have an interior, it has none")
    polyhedron = Polyhedron.whole(d).with_forms(rows)
    for place, row in enumerate(rows, start=d + 1):
        if any(row[:-1]):
            part = polyhedron.split(place, row)[0]
            assert part is not None
            polyhedron = part
            if len(polyhedron.generators) > CORNER_LIMIT:
                return HalfSpaces(tuple(row for row in rows if any(row[:-1])), found.coordinates)
    return polyhedron


class PreactivationForms:
    """The preactivations of every layer as integer affine forms on a region, up to one positive factor a layer."""

    def __init__(self, net: Network) -> None:
        self.space = net.architecture[0]
        tables = [IntegerTable.of([(*w, b) for w, b in zip(*layer)]) for layer in net.scalar_layers[:-1]]
        self._layers = tuple(table for table, _ in tables)
        self._factors = tuple(factor for _, factor in tables)
        self.depth = len(self._layers)

    def first(self) -> _Forms:
        """Return the forms of layer 1."""
        d = self.space
        inputs = IntegerTable([[int(q == k) for k in range(d + 1)] for q in range(d + 1)])
        return self._forms(0, inputs, 1)

    def after(self, forms: _Forms, active: Sequence[bool]) -> _Forms:
        """Return the forms of the next layer where exactly these neurons of the last one are active."""
        unit = [0] * self.space + [forms.factor]
        return self._forms(forms.layer + 1, forms.table.masked(active, unit), forms.factor)

    def _forms(self, layer: int, inputs: IntegerTable, factor: int) -> _Forms:
        table = self._layers[layer] @ inputs
        rows = tuple(_primitive(row) for row in table.rows())
        return _Forms(layer, table, factor * self._factors[layer], rows)


@dataclass(frozen=True, slots=True)
class _Forms:
    """The forms of one layer: ``table``/``factor`` exactly, ``rows`` primitive."""

    layer: int
    table: IntegerTable
    factor: int
    rows: tuple[IntegerForm, ...]


def _walk(net: Network, region: Sequence[Sequence[Any]], prove: bool) -> Iterator[Cell | EmptyPart]:
    """Depth-first splitting; a stack entry is (region, finished layers, activity in this layer, this layer's forms)."""
    require_network(net, "cells")
    start, source = start_region(region, net.architecture[0]), PreactivationForms(net)
    if not source.depth:
        yield Cell(net, (), start)
        return
    forms = source.first()
    stack: list[tuple[Region, ActivationPattern, tuple[bool, ...], _Forms]] = [
        (start.with_forms(forms.rows), (), (), forms)
    ]
    while stack:
        region_here, pattern, active, forms = stack.pop()
        neuron = len(active)
        if neuron == len(forms.rows):
            done = (*pattern, active)
            if len(done) == source.depth:
                yield Cell(net, done, region_here)
                continue
            following = source.after(forms, active)
            stack.append((region_here.with_forms(following.rows), done, (), following))
            continue
        form = forms.rows[neuron]
        positive, _, negative = region_here.split(source.space + 1 + neuron, form)
        if positive is None and negative is None:  # it vanishes identically
            negative = region_here
        if prove and any(form) and (positive is None or negative is None):
            yield _empty_part(region_here, (*pattern, active), form, positive is None)
        # The last pushed is the first visited: the active side.
        for part, on in ((negative, False), (positive, True)):
            if part is not None:
                stack.append((_within_limit(part), pattern, (*active, on), forms))


def _within_limit(region: Region) -> Region:
    """Return the region, by rows alone when it has too many corners."""
    if isinstance(region, HalfSpaces) or len(region.generators) <= CORNER_LIMIT:
        return region
    point = tuple(map(rational, region.interior_point()))
    return HalfSpaces(tuple(row for row, _ in region.facets()), point)


def _empty_part(region: Region, pattern: ActivationPattern, form: IntegerForm, active: bool) -> EmptyPart:
    other = form if active else tuple(-x for x in form)
    proof = solve_inequalities([], strict=[*region.rows, other], dimension=len(form) - 1)
    if not isinstance(proof, Infeasible):
        raise VerificationError(f"neuron {len(pattern[-1])} must not cut the region {pattern_text(pattern)}")
    return EmptyPart(pattern, len(pattern), len(pattern[-1]), active, proof)


def _primitive(row: Sequence[int]) -> IntegerForm:
    factor = gcd(*row)
    return tuple(x // factor for x in row) if factor > 1 else tuple(row)


def _scaled(form: Sequence[Rational]) -> IntegerForm:
    return tuple(map(int, primitive_integers(form)))


def value_at(form: Sequence[Any], point: Sequence[Rational]) -> Rational:
    """Return a·x + b."""
    value: Rational = dot(form, point) + form[-1]
    return value


def irredundant(forms: Sequence[Sequence[Any]]) -> tuple[tuple[Any, ...], ...]:
    """Return the forms that are needed to describe {form ≥ 0 for all}, a polyhedron with interior; one a facet.

    A form is redundant iff no point violates it strictly while the others hold; one linear program each.

    Examples
    --------
    >>> irredundant([(1, 0), (1, 5), (-1, 2)])
    ((1, 0), (-1, 2))
    """
    kept = [tuple(form) for form in dict.fromkeys(map(tuple, forms))]
    position = 0
    while position < len(kept):
        others = kept[:position] + kept[position + 1 :]
        violated = tuple(-v for v in kept[position])
        if solve_inequalities(others, strict=[violated], dimension=len(violated) - 1):
            position += 1
        else:
            kept = others
    return tuple(kept)
