"""Integer matrices for products that are taken once for every region: FLINT's, without a copy in between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flint import fmpq, fmpz_mat

from symfiber.exact.scalars import common_denominator


class IntegerTable:
    """An integer matrix, never changed after construction.

    Examples
    --------
    >>> table, factor = IntegerTable.of([[fmpq(1, 2), fmpq(1, 3)]])
    >>> factor, (table @ IntegerTable([[1, 0], [0, 6]])).rows()
    (6, [[3, 12]])
    """

    __slots__ = ("_matrix",)

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        self._matrix = fmpz_mat(len(rows), len(rows[0]), [x for row in rows for x in row])

    @classmethod
    def of(cls, rows: Iterable[Sequence[fmpq]]) -> tuple[IntegerTable, int]:
        """Return the least positive integer that clears all denominators, and the matrix times it."""
        entries = [tuple(row) for row in rows]
        factor = common_denominator(x for row in entries for x in row)
        return cls([[(x * factor).p for x in row] for row in entries]), int(factor)

    def __matmul__(self, other: IntegerTable) -> IntegerTable:
        result = IntegerTable.__new__(IntegerTable)
        result._matrix = self._matrix * other._matrix
        return result

    def masked(self, kept: Sequence[bool], last: Sequence[int]) -> IntegerTable:
        """Return the matrix with the rows that are not kept set to 0, and one more row at the end."""
        width = self._matrix.ncols()
        zero = [0] * width
        entries = self._matrix.entries()
        rows = [entries[i * width : (i + 1) * width] if on else zero for i, on in enumerate(kept)]
        return IntegerTable([*rows, last])

    def masked_columns(self, kept: Sequence[bool]) -> IntegerTable:
        """Return the matrix with the columns that are not kept set to 0."""
        return IntegerTable([[x if on else 0 for x, on in zip(row, kept)] for row in self._matrix.tolist()])

    def columns(self) -> list[list[int]]:
        """Return the columns as Python integers."""
        return [[int(x) for x in row] for row in self._matrix.transpose().tolist()]

    def is_zero(self) -> bool:
        """Return whether every entry is 0."""
        return not self._matrix

    def transpose(self) -> IntegerTable:
        """Return the transposed matrix."""
        result = IntegerTable.__new__(IntegerTable)
        result._matrix = self._matrix.transpose()
        return result

    def rows(self) -> list[list[int]]:
        """Return the rows as Python integers."""
        return [[int(x) for x in row] for row in self._matrix.tolist()]
