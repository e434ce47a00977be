"""Krull dimension of V(I) \\ V(h) over ℂ, exactly.

Why this way: a Gröbner basis of all equations at once is the last resort.  Variables that an equation determines are
solved for, a reducible equation splits the variety, variables that share no equation are counted apart; what remains is
small, and there the leading monomials of a Gröbner basis over ℚ give the dimension.  Nothing is computed modulo a
prime: for inhomogeneous ideals a dimension modulo p bounds the one over ℚ in neither direction (⟨p·x − 1⟩ is empty
modulo p).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symfiber.errors import InputError, LimitExceededError, VerificationError
from symfiber.exact.conditions import Conditions
from symfiber.exact.groebner import PAIR_LIMIT, WORK_LIMIT, groebner_basis
from symfiber.exact.knowledge import factorization
from symfiber.exact.polynomial import Polynomial, PolynomialRing

_BRANCH_LIMIT = 4096
_FIRST_PAIRS, _FIRST_WORK = 400, 200_000


@dataclass(frozen=True, slots=True)
class KrullDimension:
    """The dimension of {x ∈ ℂⁿ : all equations vanish, no element of ``nonzero`` does}; −1 for the empty set.

    Attributes
    ----------
    value : int
    ring : PolynomialRing
    equations, nonzero : tuples of Polynomial
    branches : int
        Into how many pieces the set was split.
    """

    value: int
    ring: PolynomialRing
    equations: tuple[Polynomial, ...]
    nonzero: tuple[Polynomial, ...]
    branches: int

    def verify(self) -> bool:
        """Compute the dimension again from one Gröbner basis of everything, without elimination and splitting."""
        again = krull_dimension(self.equations, self.ring, self.nonzero, method="groebner").value
        if again != self.value:
            raise VerificationError(f"the Krull dimension must be {self.value}, got {again} from one Gröbner basis")
        return True


def krull_dimension(
    equations: Iterable[Polynomial],
    ring: PolynomialRing | None = None,
    nonzero: Iterable[Polynomial] = (),
    method: str = "split",
) -> KrullDimension:
    """Return the dimension of V(equations) without V(nonzero) over ℂ: −1 for the unit ideal, n for the zero ideal.

    Parameters
    ----------
    equations, nonzero : iterables of Polynomial
    ring : PolynomialRing, optional
        Needed only when there are no polynomials.
    method : {"split", "groebner"}
        Eliminate and split first, or take one Gröbner basis (with an extra variable z and 1 − z·∏ nonzero).

    Raises
    ------
    LimitExceededError
        When the remaining Gröbner bases are too long.

    Notes
    -----
    Proved: elimination keeps the set up to isomorphism, V(f·g) = V(f) ∪ V(g), and the dimension of V(I) is that of the
    monomial ideal of the leading terms, for an order that refines the degree.  It bounds the real dimension from above.

    Examples
    --------
    >>> R = PolynomialRing(("x", "y", "z")); x, y, z = R.generators
    >>> krull_dimension([x * z, y * z]).value, krull_dimension([x * z, y * z], nonzero=[z]).value
    (2, 1)
    """
    given, excluded = tuple(equations), tuple(nonzero)
    if ring is None:
        if not given and not excluded:
            raise InputError("ring must be given when there are no polynomials, got None")
        ring = (given or excluded)[0].ring
    given, excluded = tuple(map(ring.coerce, given)), tuple(map(ring.coerce, excluded))
    if method == "groebner":
        value = _by_groebner(ring.names, given, excluded)
        return KrullDimension(value, ring, given, excluded, 1)
    if method != "split":
        raise InputError(f'method must be "split" or "groebner", got {method!r}')
    search = _Search()
    value = search.dimension(Conditions(ring, given, nonzero=excluded, real=False))
    return KrullDimension(value, ring, given, excluded, search.branches)


class _Search:
    """The recursion; it counts branches and gives up at the limit."""

    def __init__(self) -> None:
        self.branches = 1

    def dimension(self, system: Conditions, bound: int = -1) -> int:
        """Return the dimension, or anything ≤ bound when it is ≤ bound."""
        system.eliminate()
        if system.contradiction is not None:
            return -1
        if len(system.variables) - bool(system.equations) <= bound:
            return bound
        total = len(system.variables)
        for block in _blocks(system):
            names = {name for p in block.all() for name in p.symbols()}
            value = self._block(block, tuple(name for name in system.ring.names if name in names))
            if value < 0:
                return -1
            total += value - len(names)
        return total

    def _block(self, block: Conditions, names: tuple[str, ...]) -> int:
        """Return the dimension of a system in the given variables, all of which occur."""
        if not block.equations:
            return len(names)
        for e in block.equations:
            factors = [f for f, _ in factorization(e)[1]]
            if len(factors) > 1:
                return self._split(block, names, e, factors)
        if len(block.equations) == 1:
            return len(names) - 1  # irreducible, and no nonzero condition is a multiple of it
        try:
            return _by_groebner(names, block.equations, block.nonzero, _FIRST_PAIRS, _FIRST_WORK)
        except LimitExceededError:
            slope = _smallest_slope(block)
            if slope is None:
                return _by_groebner(names, block.equations, block.nonzero)
        return self._split(block, names, None, [slope])

    def _split(
        self, block: Conditions, names: tuple[str, ...], e: Polynomial | None, factors: Sequence[Polynomial]
    ) -> int:
        """Branch on which factor vanishes (of the equation e), or on whether the only factor vanishes."""
        free = len(block.variables) - len(names)
        best, excluded = -1, list[Polynomial]()
        if e is None:
            best = self._branch(block, [], factors, free, best)
        for factor in factors:
            best = max(best, self._branch(block, [factor], excluded, free, best, e))
            excluded.append(factor)
        return best

    def _branch(
        self,
        block: Conditions,
        added: Sequence[Polynomial],
        excluded: Sequence[Polynomial],
        free: int,
        best: int,
        e: Polynomial | None = None,
    ) -> int:
        self.branches += 1
        if self.branches > _BRANCH_LIMIT:
            raise LimitExceededError(f"the Krull dimension needs more than {_BRANCH_LIMIT} branches", {"lower": best})
        branch = block.copy()
        branch.equations = [*added, *(other for other in block.equations if other is not e)]
        branch.nonzero = [*block.nonzero, *excluded]
        value = self.dimension(branch, best + free)
        return value - free if value >= 0 else -1


def _blocks(system: Conditions) -> list[Conditions]:
    """Split a system into systems that share no variable."""
    owner: dict[str, int] = {}
    groups: list[list[tuple[Polynomial, bool]]] = []
    for p, is_equation in [(e, True) for e in system.equations] + [(f, False) for f in system.nonzero]:
        names = p.symbols()
        touched = sorted({owner[name] for name in names if name in owner})
        merged = [(p, is_equation)]
        for index in touched:
            merged += groups[index]
            groups[index] = []
        groups.append(merged)
        for member, _ in merged:
            owner.update(dict.fromkeys(member.symbols(), len(groups) - 1))
    blocks = []
    for group in groups:
        if group:
            block = system.copy()
            block.equations = [p for p, is_equation in group if is_equation]
            block.nonzero = [p for p, is_equation in group if not is_equation]
            blocks.append(block)
    return blocks


def _smallest_slope(block: Conditions) -> Polynomial | None:
    best: tuple[tuple[int, int], Polynomial] | None = None
    for e in block.equations:
        for index, degree in enumerate(e._value.degrees()):
            if degree == 1:
                slope = e.derivative(block.ring.names[index])
                cost = (slope.total_degree(), len(slope._value))
                if best is None or cost < best[0]:
                    best = cost, slope
    return best[1] if best else None


def _by_groebner(
    names: Sequence[str],
    equations: Sequence[Polynomial],
    nonzero: Sequence[Polynomial],
    pair_limit: int = PAIR_LIMIT,
    work_limit: int = WORK_LIMIT,
) -> int:
    """Return the dimension in the given variables from the leading monomials of one Gröbner basis."""
    extra = "z"
    while extra in names:
        extra += "_"
    small = PolynomialRing((*names, extra) if nonzero else names)
    polynomials = [small.embed(e) for e in equations]
    if nonzero:
        product = small.constant(1)
        for f in dict.fromkeys(factor for p in nonzero for factor, _ in factorization(p)[1]):
            product = product * small.embed(f)
        if any(not p for p in nonzero):
            return -1
        polynomials.append(product * small.generator(extra) - 1)
    basis = groebner_basis(polynomials, small, pair_limit=pair_limit, work_limit=work_limit)
    return monomial_dimension(basis.leading, len(small.names))


def monomial_dimension(monomials: Iterable[Sequence[int]], variable_count: int) -> int:
    """Return the dimension of the variety of a monomial ideal: n minus the least number of variables that meet all.

    Cost: a branching search over the supports of the monomials.

    Examples
    --------
    >>> monomial_dimension([(1, 1, 0), (0, 1, 1)], 3), monomial_dimension([], 3), monomial_dimension([(0, 0)], 2)
    (2, 3, -1)
    """
    supports = {frozenset(i for i, e in enumerate(exponents) if e) for exponents in monomials}
    if frozenset() in supports:
        return -1
    minimal = [s for s in supports if not any(other < s for other in supports)]
    return variable_count - _least_cover(sorted(minimal, key=lambda s: (len(s), sorted(s))), variable_count)


def _least_cover(supports: list[frozenset[int]], limit: int) -> int:
    """Return min(limit, the least size of a set that meets all supports)."""
    if not supports:
        return 0
    disjoint: set[int] = set()
    bound = 0
    for s in supports:
        if not s & disjoint:
            disjoint |= s
            bound += 1
    if bound >= limit:
        return limit
    best = limit
    for i in sorted(supports[0], key=lambda i: -sum(i in s for s in supports)):
        best = min(best, 1 + _least_cover([s for s in supports if i not in s], best - 1))
    return best


__all__ = ["KrullDimension", "krull_dimension", "monomial_dimension"]
