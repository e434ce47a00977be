"""The nonnegative column rank of a matrix, with certificates (THEORY §1, feasibility).

rank⁺(M) is the least r such that M = C·A with A ≥ 0 (r × n) and C free (m × r).  Why it is easy, unlike the
nonnegative rank: with ρ = rank M, a *pointed* column cone fits into a simplicial cone of ρ rays, a cone that contains a
line does not, and ρ + 1 vectors positively span ℝ^ρ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from symfiber.errors import VerificationError
from symfiber.exact import ONE, ZERO, Matrix, Point, Rational, dot, sign, solve_inequalities


@dataclass(frozen=True, slots=True)
class NonnegativeColumnRank:
    """rank⁺(M) with everything needed to check it by arithmetic.

    Attributes
    ----------
    matrix : Matrix
        M, of shape m × n.
    value : int
        rank⁺(M): ρ when pointed, ρ + 1 otherwise.
    rank : int
        ρ = rank M.
    pointed : bool
        Whether the nonzero columns lie in an open half-space.
    left, right : Matrix
        A rank factorisation M = left·right with inner size ρ: proves rank ≤ ρ.
    minor : (rows, columns)
        Index tuples of a nonzero ρ × ρ minor: proves rank ≥ ρ.
    half_space : tuple or None
        u with u·M_i > 0 for every nonzero column, when pointed.
    relation : tuple or None
        λ ≥ 0, not 0, with Σ λ_i M_i = 0 and λ_i = 0 on zero columns, when not pointed (Gordan's alternative).
    """

    matrix: Matrix
    value: int
    rank: int
    pointed: bool
    left: Matrix
    right: Matrix
    minor: tuple[tuple[int, ...], tuple[int, ...]]
    half_space: tuple[Rational, ...] | None
    relation: tuple[Rational, ...] | None

    def verify(self) -> bool:
        """Check the certificates by arithmetic alone; raise :class:`VerificationError` when one fails."""
        rows, columns = self.minor
        _require(self.left @ self.right == self.matrix, "the rank factorisation must multiply to the matrix")
        _require(self.left.column_count == self.rank, f"the inner size must be {self.rank}")
        _require(len(rows) == len(columns) == self.rank, f"the minor must have size {self.rank}")
        _require(bool(self.matrix.submatrix(rows, columns).determinant()), "the minor must not vanish")
        _require(self.value == self.rank + (not self.pointed), "the value must be ρ or ρ + 1")
        nonzero = [column for column in self.matrix.columns() if any(column)]
        if self.pointed:
            u = self.half_space
            _require(u is not None and len(u) == self.matrix.row_count, "a pointed matrix needs a half-space")
            _require(all(dot(u or (), column) > 0 for column in nonzero), "every nonzero column must lie in it")
        else:
            weights = self.relation
            _require(weights is not None and len(weights) == self.matrix.column_count, "not pointed needs a relation")
            weights = weights or ()
            _require(all(x >= 0 for x in weights), "the relation must be nonnegative")
            used = [i for i, x in enumerate(weights) if x]
            _require(bool(used) and all(any(self.matrix.columns()[i]) for i in used), "it must use nonzero columns")
            _require(not any(self.matrix.apply(weights)), "the relation must sum to zero")
        return True

    def __repr__(self) -> str:
        kind = "pointed" if self.pointed else "not pointed"
        return f"<NonnegativeColumnRank {self.value} (rank {self.rank}, {kind})>"


def nonnegative_column_rank(matrix: Matrix | Iterable[Iterable[Any]]) -> NonnegativeColumnRank:
    r"""Return rank⁺(M) = min {r : M = C·A, A ≥ 0 of shape r × n, C of shape m × r}.

    It is ρ = rank M when the nonzero columns of M lie in an open half-space, ρ + 1 otherwise, and 0 for M = 0.

    Parameters
    ----------
    matrix : Matrix or nested sequence of exact numbers, shape m × n

    Returns
    -------
    NonnegativeColumnRank
        With ``.value``, ``.rank``, ``.pointed`` and certificates that ``.verify()`` checks.

    Notes
    -----
    Cost: one rank and one linear program with m unknowns and n strict inequalities.  Proved: THEORY §1.

    Examples
    --------
    >>> result = nonnegative_column_rank([[1, -1, 2]])      # the columns span a line
    >>> result.value, result.rank, result.pointed, result.verify()
    (2, 1, False, True)
    """
    M = matrix if isinstance(matrix, Matrix) else Matrix(matrix)
    right, columns = M.row_echelon()
    left = M.submatrix(range(M.row_count), columns)
    _, rows = left.transpose().row_echelon()
    half_space, relation = pointedness(M)
    pointed = half_space is not None
    rank = len(columns)
    return NonnegativeColumnRank(
        M, rank + (not pointed), rank, pointed, left, right, (rows, columns), half_space, relation
    )


def pointedness(M: Matrix) -> tuple[tuple[Rational, ...] | None, tuple[Rational, ...] | None]:
    """Return (u, None) with u·M_i > 0 on all nonzero columns, or (None, λ) with Gordan's relation."""
    columns = M.columns()
    used = [i for i, column in enumerate(columns) if any(column)]
    if M.row_count == 1:
        return _pointedness_of_a_row([column[0] for column in columns])
    result = solve_inequalities([], strict=[[*columns[i], 0] for i in used], dimension=M.row_count)
    if isinstance(result, Point):
        return result.coordinates, None
    relation = [ZERO] * M.column_count
    for i, multiplier in zip(used, result.strict_multipliers):
        relation[i] = multiplier
    return None, tuple(relation)


def _pointedness_of_a_row(
    row: Sequence[Rational],
) -> tuple[tuple[Rational, ...] | None, tuple[Rational, ...] | None]:
    """One output: pointed exactly when no two entries have opposite signs."""
    signs = [sign(x) for x in row]
    if 1 in signs and -1 in signs:
        positive, negative = signs.index(1), signs.index(-1)
        relation = [ZERO] * len(row)
        relation[positive], relation[negative] = -row[negative], row[positive]
        return None, tuple(relation)
    return (-ONE if -1 in signs else ONE,), None


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise VerificationError(f"nonnegative column rank: {message}")
