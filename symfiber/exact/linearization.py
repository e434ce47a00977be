"""Polynomial conditions as linear rows in their monomials.

Every monomial other than 1 is treated as a variable of its own.  A linear contradiction or implication between the rows
then holds for the polynomials too; the converse fails, because products of variables are no longer tied to the factors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symfiber.exact.linear_programming import Infeasible, Point, solve_inequalities
from symfiber.exact.polynomial import Polynomial
from symfiber.exact.scalars import ZERO, Rational

Row = tuple[Rational, ...]

_FEW = 8
_LONGEST_PRODUCT = 64


class MonomialTable:
    """The monomials of some polynomials, each with a column; column order is the order of appearance.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> x, y = PolynomialRing(("x", "y")).generators
    >>> MonomialTable([x * y - 3, x]).row(2 * x + 1)
    (0, 2, 1)
    """

    def __init__(self, polynomials: Iterable[Polynomial]) -> None:
        self.columns: dict[tuple[int, ...], int] = {}
        for polynomial in polynomials:
            for exponents in polynomial.terms():
                if any(exponents):
                    self.columns.setdefault(exponents, len(self.columns))

    def row(self, polynomial: Polynomial) -> Row:
        """Return the coefficients in column order and the constant term; all monomials must be in the table."""
        row = [ZERO] * (len(self.columns) + 1)
        for exponents, coefficient in polynomial.terms().items():
            row[self.columns[exponents] if any(exponents) else -1] = coefficient
        return tuple(row)


def linear_consequence(
    equations: Sequence[Polynomial], positive: Sequence[Polynomial], nonnegative: Sequence[Polynomial]
) -> Point | Infeasible:
    """Solve the conditions with monomials as free variables: multipliers that prove emptiness, or a relaxed point.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> x, y = PolynomialRing(("x", "y")).generators
    >>> linear_consequence([x * y + 1], [x * y], []).verify()
    True
    """
    table = MonomialTable((*equations, *positive, *nonnegative))
    return solve_inequalities(
        [table.row(q) for q in nonnegative],
        equations=[table.row(e) for e in equations],
        strict=[table.row(p) for p in positive],
        dimension=len(table.columns),
    )


def with_products(
    equations: Sequence[Polynomial], positive: Sequence[Polynomial], nonnegative: Sequence[Polynomial]
) -> tuple[list[Polynomial], list[Polynomial], list[Polynomial]]:
    """Return the conditions and products of two inequalities, which hold as well: all when few, else the telling ones.

    Telling are the products that bring no monomial that the conditions do not have already: they can cancel something.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> x, y = PolynomialRing(("x", "y")).generators
    >>> conditions = with_products([], [x], [y, -x * y - 1])
    >>> len(conditions[2]), bool(linear_consequence(*conditions))
    (7, False)
    """
    everything = (*equations, *positive, *nonnegative)
    known = {exponents for p in everything for exponents in p.terms()}
    if everything:
        known.add((0,) * len(everything[0].ring.names))
    inequalities = [*((p, True) for p in positive), *((q, False) for q in nonnegative)]
    few = len(inequalities) <= _FEW
    strict, weak = list(positive), list(nonnegative)
    for i, (p, p_strict) in enumerate(inequalities):
        for q, q_strict in inequalities[: i + 1]:
            if not few and len(p.terms()) * len(q.terms()) > _LONGEST_PRODUCT:
                continue
            product = p * q
            if few or known.issuperset(product.terms()):
                (strict if p_strict and q_strict else weak).append(product)
    return list(equations), strict, weak
