"""Ranks modulo a prime: cheap, and a *lower* bound of the rank over ℚ, never more.

A minor that is nonzero modulo p is nonzero over ℚ, so vectors that are independent modulo p are independent.  The
converse fails for finitely many primes, so a dependence modulo p proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flint import fmpq, nmod_mat

from symfiber.errors import InputError

PRIMES = (4611686018427387847, 4611686018427387817, 4611686018427387787, 4611686018427387761)
"""The four largest primes below 2^62."""


def residue(value: fmpq, prime: int) -> int:
    """Return a rational number modulo a prime that does not divide its denominator.

    Examples
    --------
    >>> residue(fmpq(1, 2), 7)
    4
    """
    denominator = int(value.q) % prime
    if not denominator:
        raise InputError(f"prime must not divide a denominator, got {prime} and {value}")
    return int(value.p) * pow(denominator, -1, prime) % prime


def suitable_prime(values: Iterable[fmpq]) -> int:
    """Return one of :data:`PRIMES` that divides no denominator of the values."""
    denominators = [int(value.q) for value in values]
    for prime in PRIMES:
        if all(denominator % prime for denominator in denominators):
            return prime
    raise InputError("every one of the four largest primes below 2^62 divides a denominator of the values")


def independent_rows(rows: Sequence[Sequence[int]], column_count: int, prime: int) -> tuple[int, ...]:
    """Return the indices of the rows that do not depend on earlier ones modulo the prime; their number is the rank.

    Cost: one echelon form of a ``column_count`` × ``len(rows)`` matrix over 𝔽_p.

    Examples
    --------
    >>> independent_rows([[1, 2], [2, 4], [0, 1]], 2, 101)
    (0, 2)
    """
    if not rows or not column_count:
        return ()
    transposed = nmod_mat(column_count, len(rows), [row[j] for j in range(column_count) for row in rows], prime)
    reduced, rank = transposed.rref()
    pivots, start = [], 0
    for i in range(int(rank)):
        start = next(j for j in range(start, len(rows)) if reduced[i, j] != 0)
        pivots.append(start)
        start += 1
    return tuple(pivots)


class IndependentRows:
    """Collect integer rows that are proved independent over ℚ, by elimination modulo a prime.

    Examples
    --------
    >>> kept = IndependentRows(2)
    >>> kept.extend([[1, 2], [2, 4], [0, 5]]), kept.rank
    ([0, 2], 2)
    """

    def __init__(self, length: int) -> None:
        self.length = length
        self.rows: list[Sequence[int]] = []
        self._residues: list[list[int]] = []

    @property
    def rank(self) -> int:
        """The number of rows kept: a proved lower bound of the rank of all rows seen."""
        return len(self.rows)

    def extend(self, rows: Sequence[Sequence[int]]) -> list[int]:
        """Look at more rows; keep those that are independent of the kept ones and return their indices."""
        if self.rank == self.length:
            return []
        residues = [[x % PRIMES[0] for x in row] for row in rows]
        old = len(self._residues)
        found = independent_rows(self._residues + residues, self.length, PRIMES[0])
        fresh = [index - old for index in found if index >= old]
        self.rows += [rows[index] for index in fresh]
        self._residues += [residues[index] for index in fresh]
        return fresh
