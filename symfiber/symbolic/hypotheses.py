"""The genericity hypotheses of THEORY §2 as conditions on the base symbols: sums of squares of minors are positive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from symfiber.errors import LimitExceededError
from symfiber.exact import Polynomial, PolynomialRing, dot
from symfiber.network import Network
from symfiber.symbolic.feasibility import minor

_CONDITION_LIMIT = 2000
_LARGEST_MINOR = 4


@dataclass(frozen=True, slots=True)
class SymbolicHypothesis:
    """A polynomial that must be positive: a sum of squares of minors, one of which must not vanish.

    Attributes
    ----------
    name : {"G1", "G2", "G3"}
    statement : str
    minors : tuple of Polynomial
    """

    name: str
    statement: str
    minors: tuple[Polynomial, ...]

    @property
    def polynomial(self) -> Polynomial:
        """Σ minor²."""
        ring = self.minors[0].ring
        return sum((p * p for p in self.minors), ring.constant(0))

    @property
    def fails(self) -> bool:
        """Whether all minors are the zero polynomial: then no value satisfies the hypothesis."""
        return not any(self.minors)

    def __str__(self) -> str:
        return f"{self.name}: {self.statement}{' (fails for all values)' if self.fails else ''}"


def hypotheses_of(net: Network) -> Iterator[SymbolicHypothesis]:
    """Yield G1, G2 and G3 for all masks.

    Raises
    ------
    LimitExceededError
        For more than 2000 masks, or minors of a size above 4.
    """
    assert net.ring is not None
    ring = net.ring
    d, n1, n2, m = net.architecture
    first, second, third = net.scalar_layers
    small = min(m, n1, n2)
    count = sum(comb(n2, size) * comb(n1, min(m, size, n1)) for size in range(1, n2 + 1))
    count += sum(comb(n2, size) * comb(n1 + 1, size) for size in range(1, min(n2, n1 + 1) + 1))
    if max(n1, small, min(n2, n1 + 1)) > _LARGEST_MINOR or count > _CONDITION_LIMIT:
        raise LimitExceededError(
            f"the genericity conditions are written out for at most {_CONDITION_LIMIT} masks and minors of size "
            f"{_LARGEST_MINOR}, got {count} masks and size {max(n1, min(n2, n1 + 1))}"
        )
    weight = [[ring.coerce(x) for x in row] for row in first.weight]
    rows = [[ring.coerce(x) for x in (*w, b)] for w, b in zip(second.weight, second.bias)]
    outgoing = [[ring.coerce(row[j]) for row in third.weight] for j in range(n2)]
    yield _hypothesis("G1", "rank W1 = n1", weight, range(n1), range(d), n1, ring)
    for size in range(1, n2 + 1):
        needed = min(m, size, n1)
        for T in combinations(range(n2), size):
            product = [[dot((outgoing[j][o] for j in T), (rows[j][i] for j in T)) for i in range(n1)] for o in range(m)]
            for S in combinations(range(n1), needed):
                text = f"rank W3 D_T W2 D_S = {needed} for T = {_set(T)}, S = {_set(S)}"
                yield _hypothesis("G2", text, product, range(m), S, needed, ring)
    for size in range(1, min(n2, n1 + 1) + 1):
        for T in combinations(range(n2), size):
            for columns in combinations(range(n1 + 1), size):
                text = f"the minor of [W2|b2] in rows {_set(T)} and columns {_set(columns)} is not 0"
                yield _hypothesis("G3", text, rows, T, columns, size, ring)


def _set(indices: Sequence[int]) -> str:
    return "{" + ", ".join(map(str, indices)) + "}"


def _hypothesis(
    name: str,
    statement: str,
    matrix: Sequence[Sequence[Polynomial]],
    rows: Sequence[int],
    columns: Sequence[int],
    size: int,
    ring: PolynomialRing,
) -> SymbolicHypothesis:
    found = [minor(matrix, r, c, ring) for r in combinations(rows, size) for c in combinations(columns, size)]
    return SymbolicHypothesis(name, statement, tuple(p for p in found if p) or (ring.constant(0),))
