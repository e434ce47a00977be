"""Nonnegative column rank as a condition: {t : rank⁺(M(t)) ≤ f} without quantifiers, for a matrix of polynomials.

rank⁺(M) ≤ f exactly when rank M < f, or rank M ≤ f and the nonzero columns of M are pointed (THEORY §1).  Ranks are
vanishing minors.  Pointed means, for

* one row: no two entries of opposite signs;
* rank ≤ 1: no two columns of opposite directions, M_i·M_k ≥ 0;
* rank ≤ 2: rank ≤ 1 and pointed, or all columns lie in the cone of two independent ones a, b: with a 2 × 2 minor
  Δ(a, b) ≠ 0 of two rows, Cramer's coefficients Δ(i, b)/Δ(a, b) and Δ(a, i)/Δ(a, b) are ≥ 0 for all i.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from symfiber.errors import LimitExceededError
from symfiber.exact import Polynomial, PolynomialRing, dot
from symfiber.semialgebraic import BasicSet, Union

Rows = Sequence[Sequence[Polynomial]]
_LARGEST_POINTED_RANK = 2


def minor(matrix: Rows, rows: Sequence[int], columns: Sequence[int], ring: PolynomialRing) -> Polynomial:
    """Return the determinant of a submatrix of polynomials, by Laplace's expansion."""
    if not rows:
        return ring.constant(1)
    total = ring.constant(0)
    for place, column in enumerate(columns):
        entry = matrix[rows[0]][column]
        if entry:
            rest = (*columns[:place], *columns[place + 1 :])
            total = total + entry * minor(matrix, rows[1:], rest, ring) * (-1) ** place
    return total


def minors(matrix: Rows, size: int, ring: PolynomialRing) -> Iterator[Polynomial]:
    """Yield all minors of one size; rank < size exactly where they all vanish."""
    for rows in combinations(range(len(matrix)), size):
        for columns in combinations(range(len(matrix[0])), size):
            yield minor(matrix, rows, columns, ring)


def feasible(matrix: Rows, free: int, ring: PolynomialRing) -> Union:
    """Return {t : rank⁺(M(t)) ≤ f}.

    Raises
    ------
    LimitExceededError
        For 3 ≤ f < min(m + 1, n): pointedness in dimension 3 and more is not written out.

    Examples
    --------
    >>> ring = PolynomialRing(("a", "b")); a, b = ring.generators
    >>> print(feasible([[a, b]], 1, ring))
    { a ≥ 0,  b ≥ 0 }
    ∪ { -a ≥ 0,  -b ≥ 0 }
    """
    m, n = len(matrix), len(matrix[0])
    if free >= min(m + 1, n):
        return Union(ring, [BasicSet.everything(ring)])
    lower = BasicSet(ring, minors(matrix, free, ring)) if free else None
    if free == 0:
        return Union(ring, [BasicSet(ring, [x for row in matrix for x in row])])
    at_most = BasicSet(ring, minors(matrix, free + 1, ring) if free < min(m, n) else ())
    pieces = [at_most & piece for piece in pointed(matrix, free, ring).pieces]
    # One row and rank ≤ 1 and pointed: those pieces contain M = 0.
    return Union(ring, pieces if free == 1 or lower is None else [lower, *pieces])


def pointed(matrix: Rows, rank: int, ring: PolynomialRing) -> Union:
    """Return {t : the nonzero columns of M(t) lie in an open half-space}, for matrices of at most the given rank.

    Raises
    ------
    LimitExceededError
        For ranks 3 and more.
    """
    if len(matrix) == 1:
        return Union(ring, [BasicSet(ring, nonnegative=[s * x for x in matrix[0]]) for s in (1, -1)])
    if rank > _LARGEST_POINTED_RANK:
        raise LimitExceededError(
            f"pointedness is written out for ranks up to {_LARGEST_POINTED_RANK}, a matrix of rank {rank} needs more"
        )
    columns = list(zip(*matrix))
    pairs = list(combinations(range(len(columns)), 2))
    line = BasicSet(
        ring,
        minors(matrix, 2, ring) if rank == 2 else (),
        nonnegative=[dot(columns[i], columns[k]) for i, k in pairs],
    )
    return Union(ring, [line, *(_in_cones(matrix, pairs, ring) if rank == 2 else ())])


def _in_cones(matrix: Rows, pairs: Sequence[tuple[int, int]], ring: PolynomialRing) -> Iterator[BasicSet]:
    """Yield the pieces: all columns lie in the cone of a and b, read off in two rows where these are independent."""
    others = range(len(matrix[0]))
    for rows in combinations(range(len(matrix)), 2):
        table: dict[tuple[int, int], Any] = {
            (i, k): minor(matrix, rows, (i, k), ring) for i in others for k in others if i != k
        }
        for a, b in pairs:
            for s in (1, -1):
                inside = [s * table[pair] for i in others if i not in (a, b) for pair in ((i, b), (a, i))]
                yield BasicSet(ring, positive=[s * table[a, b]], nonnegative=inside)
