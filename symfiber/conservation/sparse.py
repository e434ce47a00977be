"""Sparse integer polynomials in hundreds of variables, of small degree: the form in which path products are computed.

A monomial is the sorted tuple of its variables' positions, a repeated position for a power: x₁x₄² is ``(1, 4, 4)``.
Path products have one factor a layer, so this is far shorter than an exponent vector.  A polynomial is a dictionary
from monomials to nonzero integers.  A vector field is a dictionary from positions to polynomials.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from symfiber.exact import Polynomial, PolynomialRing, Rational, common_denominator

Monomial = tuple[int, ...]
SparsePolynomial = dict[Monomial, int]
SparseField = dict[int, SparsePolynomial]


def add_term(polynomial: SparsePolynomial, monomial: Monomial, coefficient: int) -> None:
    """Add a term in place; a zero coefficient disappears."""
    total = polynomial.get(monomial, 0) + coefficient
    if total:
        polynomial[monomial] = total
    else:
        polynomial.pop(monomial, None)


def multiply_monomials(left: Monomial, right: Monomial) -> Monomial:
    """Return the product of two monomials."""
    return tuple(sorted(left + right))


def partial_derivatives(polynomial: Mapping[Monomial, int]) -> SparseField:
    """Return the gradient as a vector field.

    Examples
    --------
    >>> partial_derivatives({(0, 1, 1): 3})
    {0: {(1, 1): 3}, 1: {(0, 1): 6}}
    """
    gradient: SparseField = {}
    for monomial, coefficient in polynomial.items():
        for place, variable in enumerate(monomial):
            rest = monomial[:place] + monomial[place + 1 :]
            add_term(gradient.setdefault(variable, {}), rest, coefficient)
    return {variable: part for variable, part in gradient.items() if part}


def sparse_from_polynomial(polynomial: Polynomial) -> SparsePolynomial:
    """Return the integer multiple of a polynomial that clears its denominators."""
    terms = polynomial.terms()
    denominator = common_denominator(terms.values())
    return {
        tuple(i for i, exponent in enumerate(exponents) for _ in range(exponent)): int((value * denominator).p)
        for exponents, value in terms.items()
        if value
    }


def polynomial_from_sparse(polynomial: Mapping[Monomial, int], ring: PolynomialRing) -> Polynomial:
    """Return the same polynomial as an element of a ring, the positions being those of its names."""
    size = len(ring.names)
    terms = {}
    for monomial, coefficient in polynomial.items():
        exponents = [0] * size
        for variable in monomial:
            exponents[variable] += 1
        terms[tuple(exponents)] = coefficient
    return ring.from_terms(terms)


def evaluate_exactly(polynomial: Mapping[Monomial, int], point: Sequence[Rational]) -> Rational:
    """Return the value at a rational point."""
    total = Rational(0)
    for monomial, coefficient in polynomial.items():
        value = Rational(coefficient)
        for variable in monomial:
            value *= point[variable]
        total += value
    return total


def evaluate_modulo(polynomial: Mapping[Monomial, int], point: Sequence[int], prime: int) -> int:
    """Return the value at a point of 𝔽_pᴺ."""
    total = 0
    for monomial, coefficient in polynomial.items():
        value = coefficient
        for variable in monomial:
            value = value * point[variable] % prime
        total += value
    return total % prime


def gradient_rows_modulo(
    polynomials: Iterable[Mapping[Monomial, int]], point: Sequence[int], prime: int
) -> list[list[int]]:
    """Return the gradients at a point of 𝔽_pᴺ, one row a polynomial."""
    rows = []
    for polynomial in polynomials:
        row = [0] * len(point)
        for variable, part in partial_derivatives(polynomial).items():
            row[variable] = evaluate_modulo(part, point, prime)
        rows.append(row)
    return rows


def gradient_rows(polynomials: Iterable[Mapping[Monomial, int]], point: Sequence[Rational]) -> list[list[Rational]]:
    """Return the gradients at a rational point, one row a polynomial."""
    rows = []
    for polynomial in polynomials:
        row = [Rational(0)] * len(point)
        for variable, part in partial_derivatives(polynomial).items():
            row[variable] = evaluate_exactly(part, point)
        rows.append(row)
    return rows
