"""The canonical polyhedral complex of a ReLU network, exactly and lazily (THEORY §4).

Neurons are taken layer by layer.  Inside a region where all earlier neurons have a fixed activity, the next one is an
affine form; it splits the region exactly when it takes both signs in its interior.  One sign is known at the region's
interior point, the other needs one linear program, which either gives an interior point of the other part or Motzkin
multipliers that prove it empty.  So a neuron cuts only the regions that it meets, and nothing loops over 2ⁿ patterns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symfiber.errors import InputError, LimitExceededError
from symfiber.exact import (
    ZERO,
    Infeasible,
    Matrix,
    Rational,
    dot,
    primitive_integers,
    rational,
    solve_inequalities,
    to_fraction,
)
from symfiber.network import ActivationPattern, Network
from symfiber.parameters import Layer

Form = tuple[Rational, ...]
"""An affine form a·x + b on ℝᵈ as (a₁, …, a_d, b)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: the closure of a nonempty open set {x : a·x + b > 0 for all forms} on which the network is affine.

    Attributes
    ----------
    network : Network
    activation_pattern : tuple of tuples of bool
    forms : tuple of affine forms
        Their positivity describes the interior; some may be redundant, see :attr:`inequalities`.
    point : tuple of rationals
        A point of the interior.
    """

    network: Network
    activation_pattern: ActivationPattern
    forms: tuple[Form, ...]
    point: tuple[Rational, ...]

    @property
    def interior_point(self) -> tuple[Fraction, ...]:
        """An exact point of the interior."""
        return tuple(map(to_fraction, self.point))

    @property
    def inequalities(self) -> tuple[tuple[Fraction, ...], ...]:
        """The irredundant affine forms (a₁, …, a_d, b), a·x + b ≥ 0: one a facet, with coprime integer entries."""
        return tuple(tuple(map(to_fraction, form)) for form in irredundant(self.forms))

    @property
    def affine_map(self) -> Layer:
        """(α, β) with f(x) = αx + β on the cell, entries as fractions."""
        weight, bias = self.network.affine_map(self.activation_pattern)
        return Layer(tuple(tuple(map(to_fraction, row)) for row in weight), tuple(map(to_fraction, bias)))

    @property
    def bounded(self) -> bool:
        """Whether the cell is bounded, proved: {A·v ≥ 0} = 0 iff rank A = d and some λ > 0 has Aᵀλ = 0."""
        d = len(self.point)
        normals = [form[:-1] for form in self.forms]
        if Matrix(normals, d).rank() < d:
            return False
        count = len(normals)
        positive = [[int(i == j) for j in range(count)] + [0] for i in range(count)]
        balance = [[*(normal[q] for normal in normals), 0] for q in range(d)]
        return bool(solve_inequalities([], strict=positive, equations=balance, dimension=count))

    def contains(self, point: Sequence[Any]) -> bool:
        """Return whether a rational point lies in the closed cell."""
        x = tuple(rational(v, "point coordinate") for v in point)
        if len(x) != len(self.point):
            raise InputError(f"point must have {len(self.point)} coordinates, got {len(x)}")
        return all(value_at(form, x) >= 0 for form in self.forms)

    def __repr__(self) -> str:
        active = "|".join("".join("+" if on else "-" for on in layer) for layer in self.activation_pattern)
        return f"<Cell {active}>"


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
        Depth first, the side of the region's interior point before the other: a deterministic order, and only one path
        of the tree is kept in memory.  A neuron whose preactivation is identically 0 on a region counts as inactive.

    Raises
    ------
    InputError
        When the region is not a list of forms of length d + 1 or has no interior.
    LimitExceededError
        When there are more than ``limit`` cells; ``known["cells"]`` is the number found.

    Notes
    -----
    Cost: one linear program in d unknowns for every neuron and every region that it does not provably leave.  Every
    emptiness is proved by multipliers.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, 1, 1]], [0])])
    >>> sum(1 for _ in cells(net))
    7
    """
    d = net.architecture[0]
    start = _start(region, d)
    for found, cell in enumerate(_split(net, start), start=1):
        if limit is not None and found > limit:
            raise LimitExceededError(f"the network has more than {limit} cells, the limit", {"cells": limit})
        yield cell


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


@dataclass(frozen=True, slots=True)
class _Region:
    """An open polyhedron with a known interior point."""

    forms: tuple[Form, ...]
    point: tuple[Rational, ...]


def _start(region: Sequence[Sequence[Any]], d: int) -> _Region:
    forms = []
    for number, row in enumerate(region):
        form = tuple(rational(v, f"region form {number}") for v in row)
        if len(form) != d + 1:
            raise InputError(f"region form {number} must have length {d + 1}, got {len(form)}")
        forms.append(scaled(form))
    found = solve_inequalities([], strict=forms, dimension=d)
    if isinstance(found, Infeasible):
        raise InputError("region must have an interior, it has none")
    return _Region(tuple(forms), found.coordinates)


def _split(net: Network, start: _Region) -> Iterator[Cell]:
    """Depth-first splitting; a stack entry is (region, finished layers, activity in this layer, this layer's forms)."""
    d = net.architecture[0]
    layers, last = net.scalar_layers, len(net.scalar_layers) - 1
    inputs = [tuple(Rational(int(q == k)) for k in range(d + 1)) for q in range(d)]
    stack: list[tuple[_Region, ActivationPattern, tuple[bool, ...], list[Form]]] = []
    if last == 0:
        yield Cell(net, (), start.forms, start.point)
        return
    stack.append((start, (), (), preactivations(layers[0], inputs)))
    while stack:
        region, pattern, active, forms = stack.pop()
        if len(active) == len(forms):
            done = (*pattern, active)
            if len(done) == last:
                yield Cell(net, done, region.forms, region.point)
                continue
            outputs = [form if on else (ZERO,) * (d + 1) for form, on in zip(forms, active)]
            stack.append((region, done, (), preactivations(layers[len(done)], outputs)))
            continue
        # The last pushed is the first visited: the side of the interior point.
        for part, on in reversed(list(_parts(region, forms[len(active)]))):
            stack.append((part, pattern, (*active, on), forms))


def _parts(region: _Region, form: Form) -> Iterator[tuple[_Region, bool]]:
    """Yield the parts of the region where the form is positive (active) and negative, the known one first."""
    if not any(form[:-1]):
        yield region, bool(form[-1] > 0)
        return
    positive = scaled(form)
    negative = tuple(-v for v in positive)
    value = value_at(positive, region.point)
    if value == 0:
        region = _Region(region.forms, _moved(region, positive))
        value = value_at(positive, region.point)
    own, other = (positive, negative) if value > 0 else (negative, positive)
    found = solve_inequalities([], strict=[*region.forms, other], dimension=len(region.point))
    if isinstance(found, Infeasible):
        yield region, bool(value > 0)
        return
    yield _Region((*region.forms, own), region.point), bool(value > 0)
    yield _Region((*region.forms, other), found.coordinates), bool(value < 0)


def _moved(region: _Region, form: Form) -> tuple[Rational, ...]:
    """Return a point of the region a short step along the form's gradient."""
    step = Rational(1)
    while True:
        candidate = tuple(x + step * a for x, a in zip(region.point, form))
        if all(value_at(other, candidate) > 0 for other in region.forms):
            return candidate
        step = step / 2


def preactivations(layer: Layer, inputs: Sequence[Form]) -> list[Form]:
    """Return the affine forms of a layer's neurons, given the forms of its inputs."""
    columns = list(zip(*inputs))
    return [
        (*(dot(row, column) for column in columns[:-1]), dot(row, columns[-1]) + bias)
        for row, bias in zip(layer.weight, layer.bias)
    ]


def scaled(form: Sequence[Rational]) -> Form:
    """The same half-space with coprime integer entries: numbers stay short through the layers."""
    return tuple(Rational(x) for x in primitive_integers(form))


def value_at(form: Form, point: Sequence[Rational]) -> Rational:
    """Return a·x + b."""
    value: Rational = dot(form, point) + form[-1]
    return value


def irredundant(forms: Sequence[Form]) -> tuple[Form, ...]:
    """Return the forms that are needed to describe {form ≥ 0 for all}, a polyhedron with interior; one a facet.

    A form is redundant iff no point violates it strictly while the others hold; one linear program each.

    Examples
    --------
    >>> kept = irredundant([(Rational(1), Rational(0)), (Rational(1), Rational(5)), (Rational(-1), Rational(2))])
    >>> [tuple(map(int, form)) for form in kept]
    [(1, 0), (-1, 2)]
    """
    kept = list(dict.fromkeys(forms))
    position = 0
    while position < len(kept):
        others = kept[:position] + kept[position + 1 :]
        violated = tuple(-v for v in kept[position])
        if solve_inequalities(others, strict=[violated], dimension=len(violated) - 1):
            position += 1
        else:
            kept = others
    return tuple(kept)
