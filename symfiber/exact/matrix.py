"""Immutable rational matrices: rank, rank factorisation, nullspace, solve.

Why this way: FLINT's integer matrices after clearing each row's denominators beat its rational ones, and the
rank modulo a 62-bit prime is a *lower* bound of the rank over ℚ that costs next to nothing.  A full-rank answer
modulo the prime therefore proves full rank; any other modular answer proves nothing and the exact rank decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from flint import fmpq, fmpq_mat, fmpz_mat, nmod_mat

from symfiber.errors import InputError
from symfiber.exact.modular import PRIMES
from symfiber.exact.scalars import ONE, ZERO, dot, primitive_integers, rational, shorten


class Matrix:
    """A matrix over ℚ with a fixed shape, hashable and never changed after construction.

    Parameters
    ----------
    rows : sequence of sequences of exact numbers
    column_count : int, optional
        Needed only when there are no rows.

    Examples
    --------
    >>> M = Matrix([[1, 2], [2, 4]])
    >>> M.rank(), M.shape
    (1, (2, 2))
    """

    __slots__ = ("_integer", "_rank", "column_count", "rows")

    rows: tuple[tuple[fmpq, ...], ...]
    column_count: int

    def __init__(self, rows: Iterable[Iterable[Any]], column_count: int | None = None) -> None:
        self.rows = tuple(tuple(rational(x, "matrix entry") for x in _row(row)) for row in _row(rows, "matrix"))
        self.column_count = len(self.rows[0]) if self.rows else (column_count or 0)
        if column_count is not None and column_count != self.column_count:
            raise InputError(f"matrix rows must have length {column_count}, got {self.column_count}")
        for index, row in enumerate(self.rows):
            if len(row) != self.column_count:
                raise InputError(f"matrix row {index} must have length {self.column_count}, got {len(row)}")
        self._integer: fmpz_mat | None = None
        self._rank: int | None = None

    @classmethod
    def from_columns(cls, columns: Sequence[Sequence[Any]], row_count: int) -> Matrix:
        """Return the ``row_count`` × ``len(columns)`` matrix with the given columns."""
        return cls([[column[i] for column in columns] for i in range(row_count)], len(columns))

    @classmethod
    def identity(cls, size: int) -> Matrix:
        """Return the identity matrix."""
        return cls([[int(i == j) for j in range(size)] for i in range(size)], size)

    @classmethod
    def zero(cls, row_count: int, column_count: int) -> Matrix:
        """Return the zero matrix."""
        return cls([[0] * column_count for _ in range(row_count)], column_count)

    @property
    def row_count(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """(number of rows, number of columns)."""
        return len(self.rows), self.column_count

    def columns(self) -> tuple[tuple[fmpq, ...], ...]:
        """Return the columns as tuples."""
        return tuple(tuple(row[j] for row in self.rows) for j in range(self.column_count))

    def transpose(self) -> Matrix:
        """Return the transposed matrix."""
        return Matrix(self.columns(), self.row_count)

    def is_zero(self) -> bool:
        """Return whether every entry is 0."""
        return not any(x for row in self.rows for x in row)

    def submatrix(self, rows: Sequence[int], columns: Sequence[int]) -> Matrix:
        """Return the matrix of the chosen rows and columns, in the given order."""
        return Matrix([[self.rows[i][j] for j in columns] for i in rows], len(columns))

    def __matmul__(self, other: Matrix) -> Matrix:
        if self.column_count != other.row_count:
            raise InputError(f"matrix product needs matching inner sizes, got {self.shape} times {other.shape}")
        if not self.rows or not other.rows or not other.column_count:
            return Matrix.zero(self.row_count, other.column_count)
        return Matrix((_rational_matrix(self) * _rational_matrix(other)).tolist(), other.column_count)

    def __add__(self, other: Matrix) -> Matrix:
        if self.shape != other.shape:
            raise InputError(f"matrix sum needs equal shapes, got {self.shape} and {other.shape}")
        return Matrix([[x + y for x, y in zip(a, b)] for a, b in zip(self.rows, other.rows)], self.column_count)

    def apply(self, vector: Sequence[fmpq]) -> tuple[fmpq, ...]:
        """Return the product with a column vector."""
        if len(vector) != self.column_count:
            raise InputError(f"vector must have length {self.column_count}, got {len(vector)}")
        return tuple(dot(row, vector) for row in self.rows)

    def rank(self) -> int:
        """Return the rank over ℚ, proved (see the module's first lines)."""
        if self._rank is None:
            full = min(self.shape)
            if full and nmod_mat(self._cleared(), PRIMES[0]).rank() == full:
                self._rank = full
            else:
                self._rank = int(self._cleared().rank()) if full else 0
        return self._rank

    def determinant(self) -> fmpq:
        """Return the determinant of a square matrix; 1 for the empty one."""
        if self.row_count != self.column_count:
            raise InputError(f"determinant needs a square matrix, got shape {self.shape}")
        return _rational_matrix(self).det() if self.rows else ONE

    def row_echelon(self) -> tuple[Matrix, tuple[int, ...]]:
        """Return the reduced row echelon form without its zero rows, and the pivot columns."""
        if not min(self.shape):
            return Matrix([], self.column_count), ()
        reduced, rank = _rational_matrix(self).rref()
        rows = reduced.tolist()[: int(rank)]
        pivots = tuple(next(j for j, x in enumerate(row) if x) for row in rows)
        return Matrix(rows, self.column_count), pivots

    def rank_factorization(self) -> tuple[Matrix, Matrix]:
        """Return (L, R) with L·R = M, L of full column rank ρ and R of full row rank ρ, ρ = rank M.

        Examples
        --------
        >>> M = Matrix([[1, 2, 3], [2, 4, 6]])
        >>> L, R = M.rank_factorization()
        >>> L @ R == M, L.shape, R.shape
        (True, (2, 1), (1, 3))
        """
        right, pivots = self.row_echelon()
        return self.submatrix(range(self.row_count), pivots), right

    def nullspace(self) -> Matrix:
        """Return a matrix whose *rows* are a basis of {x : M·x = 0}."""
        reduced, pivots = self.row_echelon()
        free = [j for j in range(self.column_count) if j not in set(pivots)]
        basis = []
        for j in free:
            vector = [ZERO] * self.column_count
            vector[j] = ONE
            for row, pivot in zip(reduced.rows, pivots):
                vector[pivot] = -row[j]
            basis.append(vector)
        return Matrix(basis, self.column_count)

    def solve(self, right_side: Sequence[Any]) -> tuple[fmpq, ...] | None:
        """Return one x with M·x = b (free variables 0), or ``None`` when there is provably none."""
        vector = [rational(x, "right side entry") for x in right_side]
        if len(vector) != self.row_count:
            raise InputError(f"right side must have length {self.row_count}, got {len(vector)}")
        extended = Matrix([[*row, b] for row, b in zip(self.rows, vector)], self.column_count + 1)
        reduced, pivots = extended.row_echelon()
        if self.column_count in pivots:
            return None
        solution = [ZERO] * self.column_count
        for row, pivot in zip(reduced.rows, pivots):
            solution[pivot] = row[-1]
        return tuple(solution)

    def inverse(self) -> Matrix:
        """Return the inverse of a nonsingular square matrix."""
        if not self.determinant():
            raise InputError("inverse needs a nonsingular matrix")
        return Matrix(_rational_matrix(self).inv().tolist(), self.column_count) if self.rows else self

    def _cleared(self) -> fmpz_mat:
        """The same row space over ℤ: every row replaced by the primitive integer vector on its ray."""
        if self._integer is None:
            self._integer = fmpz_mat([list(primitive_integers(row)) for row in self.rows])
        return self._integer

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and self.shape == other.shape and self.rows == other.rows

    def __hash__(self) -> int:
        return hash((self.shape, self.rows))

    def __reduce__(self) -> tuple[Any, ...]:
        return Matrix, (self.rows, self.column_count)

    def __repr__(self) -> str:
        return f"<Matrix {self.row_count}×{self.column_count}>"

    def __str__(self) -> str:
        return "[" + ", ".join("[" + ", ".join(str(x) for x in row) + "]" for row in self.rows) + "]"


def _row(value: Any, what: str = "matrix row") -> Iterable[Any]:
    if isinstance(value, (str, bytes, Mapping, Set)) or not isinstance(value, Iterable):
        raise InputError(f"{what} must be a sequence, got {shorten(value)} of type {type(value).__name__}")
    return value


def _rational_matrix(matrix: Matrix) -> fmpq_mat:
    return fmpq_mat(matrix.row_count, matrix.column_count, [x for row in matrix.rows for x in row])
