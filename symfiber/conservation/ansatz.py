r"""All polynomial laws up to a degree, by linear algebra over ℚ.

Q = Σ c_m m over the monomials m of degree 1 … D in the variables that are seen; ∇Q·∇p ≡ 0 for every generator p is a
linear system for the c_m.  It falls apart into small blocks: a reflection that flips the signs of some variables and
takes every p to ±p is orthogonal, so it takes laws to laws, and Q splits into laws of one parity each.  The parities
are the classes of exponent vectors mod 2 modulo the span of the differences inside the generators.

Unseen variables are laws by themselves and need no ansatz: if Q is a law, so is every coefficient of Q as a polynomial
in the unseen variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement
from math import comb

from symfiber.conservation.fields import Fields, PathFields, PolynomialFields
from symfiber.conservation.sparse import Monomial, SparsePolynomial, partial_derivatives
from symfiber.errors import LimitExceededError
from symfiber.exact import Matrix, primitive_integers
from symfiber.exact.modular import PRIMES, independent_rows

MONOMIAL_LIMIT = 60_000

Row = tuple[tuple[int, int], ...]
"""A sparse linear equation: (place of the unknown, coefficient)."""


def polynomial_laws(fields: Fields, degree: int) -> Iterator[SparsePolynomial]:
    """Yield a basis of the space of polynomial laws of degree 1 … ``degree`` in the seen variables, by blocks.

    Proved in both directions: every element is a law and every law of that degree is in the span.

    Raises
    ------
    LimitExceededError
        When there are more than 60,000 monomials, or too many paths.

    Notes
    -----
    Cost: for every parity class one exact nullspace with as many columns as monomials in the class.

    Examples
    --------
    >>> list(polynomial_laws(PolynomialFields(("x", "y", "z"), ({(0, 1, 2): 1},)), 2))
    [{(0, 0): 1, (1, 1): -1}, {(0, 0): 1, (2, 2): -1}]
    """
    variables = sorted(fields.seen)
    count = comb(len(variables) + degree, degree) - 1
    if count > MONOMIAL_LIMIT:
        raise LimitExceededError(
            f"laws of degree {degree} in {len(variables)} variables have {count} monomials, "
            f"the limit is {MONOMIAL_LIMIT}",
            {"monomials": count},
        )
    explicit = fields.explicit() if isinstance(fields, PathFields) else fields
    for block in parity_classes(explicit.generators, variables, degree):
        yield from _laws_of_block(explicit, block)


def parity_classes(
    generators: Iterable[SparsePolynomial], variables: Sequence[int], degree: int
) -> list[list[Monomial]]:
    """Return the monomials of degree 1 … ``degree``, grouped by their parity modulo that of the generators."""
    basis: dict[int, int] = {}  # leading bit: vector over 𝔽₂ as a bit mask
    for polynomial in generators:
        masks = [_parity(monomial) for monomial in polynomial]
        for mask in masks[1:]:
            rest = _reduce(mask ^ masks[0], basis)
            if rest:
                basis[rest.bit_length() - 1] = rest
    classes: dict[int, list[Monomial]] = {}
    for size in range(1, degree + 1):
        for monomial in combinations_with_replacement(variables, size):
            classes.setdefault(_reduce(_parity(monomial), basis), []).append(monomial)
    return list(classes.values())


def _parity(monomial: Monomial) -> int:
    mask = 0
    for variable in monomial:
        mask ^= 1 << variable
    return mask


def _reduce(mask: int, basis: dict[int, int]) -> int:
    """The representative modulo the basis: no bit of it is the leading bit of a basis vector."""
    for bit in sorted(basis, reverse=True):
        if mask >> bit & 1:
            mask ^= basis[bit]
    return mask


def _laws_of_block(fields: PolynomialFields, block: Sequence[Monomial]) -> Iterator[SparsePolynomial]:
    """Solve the system of one parity class."""
    equations: dict[tuple[int, Monomial], dict[int, int]] = {}
    for place, monomial in enumerate(block):
        for key, value in fields.derivatives_along(partial_derivatives({monomial: 1})).items():
            equations.setdefault(key, {})[place] = value
    touched = {place for equation in equations.values() for place in equation}
    for place, monomial in enumerate(block):
        if place not in touched:
            yield {monomial: 1}
    columns = sorted(touched)
    for solution in _nullspace(equations.values(), columns):
        sign = 1 if next(x for x in solution if x) > 0 else -1
        yield {block[columns[j]]: sign * x for j, x in enumerate(solution) if x}


def _nullspace(equations: Iterable[dict[int, int]], columns: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield an integer basis of the common zeros, exactly: solve a maximal set mod p, then check all equations."""
    position = {place: j for j, place in enumerate(columns)}
    different = sorted({_normalized(equation) for equation in equations}, key=len)
    for prime in PRIMES:
        solutions = _solutions(_maximal_rows(different, position, prime), position)
        if not any(sum(c * s[position[j]] for j, c in row) for row in different for s in solutions):
            break
    else:  # four primes were all unlucky: take every equation
        solutions = _solutions(different, position)
    yield from solutions


def _solutions(rows: Iterable[Row], position: dict[int, int]) -> list[tuple[int, ...]]:
    matrix = Matrix([_dense(row, position) for row in rows], len(position))
    return [tuple(map(int, primitive_integers(row))) for row in matrix.nullspace().rows]


def _normalized(equation: dict[int, int]) -> Row:
    items = sorted(equation.items())
    sign = -1 if items[0][1] < 0 else 1
    return tuple((j, sign * c) for j, c in items)


def _dense(row: Iterable[tuple[int, int]], position: dict[int, int]) -> list[int]:
    dense = [0] * len(position)
    for place, value in row:
        dense[position[place]] = value
    return dense


def _maximal_rows(rows: Sequence[Row], position: dict[int, int], prime: int) -> list[Row]:
    """Return rows that are independent modulo a prime, as many as possible, chunk by chunk."""
    size, kept = len(position), list[Row]()
    for start in range(0, len(rows), 2 * size):
        both = [*kept, *rows[start : start + 2 * size]]
        kept = [both[i] for i in independent_rows([_dense(row, position) for row in both], size, prime)]
        if len(kept) == size:
            break
    return kept
