r"""The gradient fields of the polynomials through which a network's function depends on its parameters.

Gradient flow is θ̇ = −∇L(f_θ) = −Σ_p (∂L/∂p) ∇p, the sum over the polynomials p(θ) that make up f: so θ̇ always lies in
the span W_θ of the fields ∇p, whatever the loss and the data.  Three choices of the p:

* *realised cells*: α_oq and β_o with f_o(x) = Σ_q α_oq x_q + β_o on every cell that occurs;
* *all paths*: every product of the parameters along one path from an input or a bias to an output;
* *linear*: the entries of W_L ⋯ W₁ and of the constant term of a network without activation.

The cells are not taken one by one.  On a cell with active sets S₁, S₂, … the coefficient α_oq is the sum of the path
products over the hidden paths (i₁, i₂, …) ∈ S₁ × S₂ × …, and which hidden paths occur does not depend on o and q.  So
span{α_oq : cells} is the image of the span of the 0/1 vectors 1[i₁ ∈ S₁, i₂ ∈ S₂, …] over the cells, one copy for
every (o, q), and likewise for β.  The reduced echelon form of those vectors gives a basis that is mostly single paths.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from symfiber.conservation.layout import Layout
from symfiber.conservation.sparse import (
    Monomial,
    SparseField,
    SparsePolynomial,
    add_term,
    gradient_rows,
    multiply_monomials,
    partial_derivatives,
)
from symfiber.errors import LimitExceededError
from symfiber.exact import Matrix, Rational, primitive_integers
from symfiber.network import ActivationPattern

PATH_LIMIT = 200_000
"""How many paths are written out one by one at most."""

_SELECTOR_LIMIT = 20_000
_CHUNK = 256

Key = int | Monomial
"""How a generator is named: its number, or the path itself."""


@dataclass(frozen=True, eq=False)
class PolynomialFields:
    """The gradient fields of explicitly given polynomials.

    Attributes
    ----------
    names : tuple of str
        The N coordinates.
    generators : tuple of dict
        Sparse integer polynomials; W is spanned by their gradients.
    """

    names: tuple[str, ...]
    generators: tuple[SparsePolynomial, ...]

    @cached_property
    def _partials(self) -> dict[int, list[tuple[int, Monomial, int]]]:
        """For every variable i the terms of all ∂p/∂x_i as (number of p, monomial, coefficient)."""
        index: dict[int, list[tuple[int, Monomial, int]]] = {}
        for number, polynomial in enumerate(self.generators):
            for variable, part in partial_derivatives(polynomial).items():
                index.setdefault(variable, []).extend((number, m, c) for m, c in part.items())
        return index

    @property
    def seen(self) -> frozenset[int]:
        """The variables that occur in a generator."""
        return frozenset(self._partials)

    def generator_keys(self) -> range:
        """The names of all generators."""
        return range(len(self.generators))

    def polynomial(self, key: Key) -> SparsePolynomial:
        """Return a generator."""
        assert isinstance(key, int)
        return self.generators[key]

    def spanning_keys(self, seed: int) -> range:
        """Generators whose gradients span W at every point: all of them."""
        return self.generator_keys()

    def derivatives_along(self, field: SparseField) -> dict[tuple[int, Monomial], int]:
        """Return the terms of V·∇p for all generators p; empty iff V annihilates them all, as polynomials."""
        total: dict[tuple[int, Monomial], int] = {}
        for variable, component in field.items():
            for number, rest, coefficient in self._partials.get(variable, ()):
                for monomial, factor in component.items():
                    key = (number, multiply_monomials(rest, monomial))
                    value = total.get(key, 0) + coefficient * factor
                    if value:
                        total[key] = value
                    else:
                        total.pop(key, None)
        return total

    def annihilated_by(self, field: SparseField) -> bool:
        """Whether V·∇p = 0 identically for every generator p.  Proved: all coefficients are compared."""
        return not self.derivatives_along(field)


@dataclass(frozen=True, eq=False)
class PathFields:
    """The gradient fields of all path products of an architecture, without listing the paths.

    Attributes
    ----------
    layout : Layout
    """

    layout: Layout

    @property
    def names(self) -> tuple[str, ...]:
        """The N coordinates."""
        return self.layout.names

    @property
    def seen(self) -> frozenset[int]:
        """Every parameter lies on a path."""
        return frozenset(range(self.layout.size))

    @property
    def path_count(self) -> int:
        """The exact number of paths."""
        shape, depth = self.layout.architecture, self.layout.depth
        return prod(shape) + sum(
            prod(shape[number:]) for number in range(1, depth + 1) if self.layout.biases[number - 1]
        )

    def generator_keys(self) -> Iterator[Monomial]:
        """Yield all paths.

        Raises
        ------
        LimitExceededError
            When there are more than ``PATH_LIMIT``.
        """
        if self.path_count > PATH_LIMIT:
            raise LimitExceededError(
                f"{self.path_count} paths are too many to list, the limit is {PATH_LIMIT}", {"paths": self.path_count}
            )
        return self._all_paths()

    def explicit(self) -> PolynomialFields:
        """Return the same fields with all paths written out."""
        return PolynomialFields(self.names, tuple({path: 1} for path in self.generator_keys()))

    def _all_paths(self) -> Iterator[Monomial]:
        shape, depth = self.layout.architecture, self.layout.depth
        for start in range(0, depth + 1):
            if start and not self.layout.biases[start - 1]:
                continue
            for neurons in product(*(range(width) for width in shape[start:])):
                yield self.path(start, neurons)

    def path(self, start: int, neurons: Sequence[int]) -> Monomial:
        """Return the path product from input ``neurons[0]`` (start 0) or from a bias of layer ``start``."""
        factors = []
        if start:
            bias = self.layout.bias(start, neurons[0])
            assert bias is not None
            factors.append(bias)
        for step in range(1, len(neurons)):
            factors.append(self.layout.weight(start + step, neurons[step], neurons[step - 1]))
        return tuple(sorted(factors))

    def polynomial(self, key: Key) -> SparsePolynomial:
        """Return a path product."""
        assert isinstance(key, tuple)
        return {key: 1}

    def spanning_keys(self, seed: int) -> list[Monomial]:
        """Return at most N paths whose gradients have the largest rank wherever no parameter on them vanishes.

        Through every parameter goes one path, continued on both sides along fixed reference neurons.  With nonzero
        parameters ∇(path product) is the product times the path's 0/1 vector rescaled by 1/θ, so ranks are those of
        0/1 vectors; every path vector is Σ_e P_e − Σ_v R_v, the sums over its parameters e and hidden neurons v, where
        R_v (the reference path through v) is itself one of the P_e.
        """
        draw = random.Random(seed)
        shape = self.layout.architecture
        reference = [draw.randrange(width) for width in shape]
        paths = []
        for number in range(1, self.layout.depth + 1):
            after = reference[number + 1 :]
            for row in range(shape[number]):
                for column in range(shape[number - 1]):
                    paths.append(self.path(0, [*reference[: number - 1], column, row, *after]))
                if self.layout.biases[number - 1]:
                    paths.append(self.path(number, [row, *after]))
        return paths

    def annihilated_by(self, field: SparseField) -> bool:
        """Whether V·∇p = 0 identically for every path product p.

        A diagonal field V = Σ ε_i x_i ∂_i multiplies a path product by the sum of ε over its factors; the least and the
        largest of these sums over all paths are found layer by layer, and both must be 0.  Other fields are compared
        path by path.
        """
        weights = _diagonal(field)
        if weights is None:
            return self.explicit().annihilated_by(field)
        layout, shape = self.layout, self.layout.architecture
        least, largest = [0] * shape[0], [0] * shape[0]
        for number in range(1, layout.depth + 1):
            bounds = []
            for best, values in ((min, least), (max, largest)):
                row_values = []
                for row in range(shape[number]):
                    sums = [v + weights.get(layout.weight(number, row, j), 0) for j, v in enumerate(values)]
                    bias = layout.bias(number, row)
                    if bias is not None:
                        sums.append(weights.get(bias, 0))
                    row_values.append(best(sums))
                bounds.append(row_values)
            least, largest = bounds
        return not any(least) and not any(largest)


Fields = PolynomialFields | PathFields


def _diagonal(field: SparseField) -> dict[int, int] | None:
    """Return {i: ε_i} for the field Σ ε_i x_i ∂_i, ``None`` for any other field."""
    weights = {}
    for variable, component in field.items():
        if set(component) != {(variable,)}:
            return None
        weights[variable] = component[(variable,)]
    return weights


def cell_fields(layout: Layout, patterns: Iterable[ActivationPattern]) -> PolynomialFields:
    r"""Return the fields ∇α, ∇β of the cells with the given activation patterns.

    Cost: one echelon form over ℚ of (patterns) × (hidden paths); patterns are read until the vectors span everything.

    Raises
    ------
    LimitExceededError
        When there are more than 20,000 hidden paths.
    """
    widths = layout.hidden_widths
    columns: list[
        tuple[int, ...]
    ] = []  # the hidden path (i_l, …, i_H) of a path that enters at layer l = H + 1 − length
    for start in range(len(widths) + 1):
        if start == 0 or layout.biases[start]:
            columns += product(*(range(width) for width in widths[start:]))
        if len(columns) > _SELECTOR_LIMIT:
            raise LimitExceededError(
                f"hidden widths {widths} have more than {_SELECTOR_LIMIT} hidden paths", {"hidden paths": len(columns)}
            )
    inputs = prod(widths)
    basis = _selector_basis(patterns, columns, widths)
    # α involves the hidden paths through all layers, β those that start at a layer with a bias.
    linear = _restricted_basis(basis, range(inputs))
    constant = _restricted_basis(basis, range(0 if layout.biases[0] else inputs, len(columns)))
    generators = []
    for output in range(layout.architecture[-1]):
        for vector in linear:
            for source in range(layout.architecture[0]):
                generators.append(_path_sum(layout, columns, vector, output, source))
        for vector in constant:
            generators.append(_path_sum(layout, columns, vector, output, None))
    return PolynomialFields(layout.names, tuple(generators))


def _selector_basis(
    patterns: Iterable[ActivationPattern], columns: Sequence[tuple[int, ...]], widths: Sequence[int]
) -> Matrix:
    """The reduced echelon form of the 0/1 vectors of all patterns, read until they span everything."""
    basis = Matrix([], len(columns))
    chunk: set[tuple[int, ...]] = set()
    for pattern in patterns:
        chunk.add(
            tuple(int(all(pattern[len(widths) - len(path) + k][i] for k, i in enumerate(path))) for path in columns)
        )
        if len(chunk) == _CHUNK:
            basis = Matrix([*basis.rows, *sorted(chunk)], len(columns)).row_echelon()[0]
            chunk.clear()
            if basis.row_count == len(columns):
                return basis
    return Matrix([*basis.rows, *sorted(chunk)], len(columns)).row_echelon()[0] if chunk else basis


def _restricted_basis(basis: Matrix, places: range) -> list[dict[int, int]]:
    """Return a basis of the span of the rows restricted to some columns, as sparse vectors of coprime integers."""
    reduced = Matrix([[row[j] for j in places] for row in basis.rows], len(places)).row_echelon()[0]
    return [{places[j]: int(x) for j, x in enumerate(primitive_integers(row)) if x} for row in reduced.rows]


def _path_sum(
    layout: Layout, columns: Sequence[tuple[int, ...]], vector: Mapping[int, int], output: int, source: int | None
) -> SparsePolynomial:
    """Return Σ (coefficient of the hidden path) · (path product) from an input, or from biases when source is None."""
    total: SparsePolynomial = {}
    for place, coefficient in vector.items():
        neurons = (*columns[place], output)
        layer = layout.depth + 1 - len(neurons)  # the layer of the first neuron
        first = layout.bias(layer, neurons[0]) if source is None else layout.weight(1, neurons[0], source)
        assert first is not None
        factors = [first]
        for step in range(1, len(neurons)):
            factors.append(layout.weight(layer + step, neurons[step], neurons[step - 1]))
        add_term(total, tuple(sorted(factors)), coefficient)
    return total


def exact_rank(fields: Fields, point: Sequence[Rational]) -> int:
    """Return the rank over ℚ of all gradients at a point, exactly."""
    rows = {tuple(row) for row in gradient_rows((fields.polynomial(key) for key in fields.generator_keys()), point)}
    return Matrix(sorted(rows), len(point)).rank()
