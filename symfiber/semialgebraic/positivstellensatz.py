"""Proofs that a set is empty, or that a polynomial vanishes on it, as polynomial identities of small degree.

For a set {e = 0, p > 0, q ≥ 0} look for

    Σ wᵗ·Mₜ + Σ wₖ·sₖ²·gₖ + Σ hᵢ·eᵢ = 0,      w ≥ 0,  Σ wᵗ = 1,

where the Mₜ are products of the p (positive on the set), the gₖ products of at most two of the p and q (nonnegative
there), the sₖ monomials and sums or differences of two monomials (or roots of quadratic forms), and the hᵢ polynomials.
At a point of the set the left side would be positive.  For fixed degrees all unknowns enter linearly, so an exact
linear program finds such an identity or proves that there is none of this shape (diagonally dominant sums of squares).
A failure at one degree proves nothing about the set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

from symfiber.errors import VerificationError
from symfiber.exact import ONE, ZERO, Polynomial, PolynomialRing, Rational
from symfiber.exact.conditions import Conditions
from symfiber.exact.linear_programming import Infeasible, solve_inequalities
from symfiber.semialgebraic.squares import quadratic_squares

COLUMN_LIMIT = 2500


@dataclass(frozen=True, slots=True, repr=False)
class Positivstellensatz:
    """The identity Σ w·(vanishing² ·) M + Σ w·s²·g + Σ h·e = 0 that contradicts the conditions.

    Attributes
    ----------
    equations, positive, nonnegative : tuples of Polynomial
        The conditions.
    vanishing : Polynomial
        1 when the identity proves emptiness; otherwise a polynomial t that the identity, with t²·M in place of M,
        proves to vanish on the whole set.
    monoid : tuple of (weight, factors)
        M as a product of elements of ``positive``.
    cone : tuple of (weight, root, factors)
        s²·g, g a product of elements of ``positive`` and ``nonnegative``.
    multipliers : tuple of Polynomial
        One h for each equation.
    """

    equations: tuple[Polynomial, ...]
    positive: tuple[Polynomial, ...]
    nonnegative: tuple[Polynomial, ...]
    vanishing: Polynomial
    monoid: tuple[tuple[Rational, tuple[Polynomial, ...]], ...]
    cone: tuple[tuple[Rational, Polynomial, tuple[Polynomial, ...]], ...]
    multipliers: tuple[Polynomial, ...]

    def verify(self) -> bool:
        """Expand the identity and check the signs of all weights; raise :class:`VerificationError` otherwise."""
        total = self.vanishing.ring.constant(0)
        if not self.monoid or any(w <= 0 for w, _ in self.monoid) or any(w < 0 for w, _, _ in self.cone):
            raise VerificationError("the weights must be nonnegative, and those of positive products positive")
        for weight, factors in self.monoid:
            if any(p not in self.positive for p in factors):
                raise VerificationError("a positive product must consist of strict conditions")
            total = total + _product(factors, self.vanishing * self.vanishing) * weight
        for weight, root, factors in self.cone:
            if any(p not in self.positive and p not in self.nonnegative for p in factors):
                raise VerificationError("a term of the cone must be a square times conditions")
            total = total + _product(factors, root * root) * weight
        for multiplier, e in zip(self.multipliers, self.equations, strict=True):
            total = total + multiplier * e
        if total:
            raise VerificationError("the combination of the conditions must be zero")
        return True

    def __repr__(self) -> str:
        what = "no point" if self.vanishing == 1 else f"{self.vanishing} = 0 everywhere"
        return f"<Positivstellensatz: {what}, {len(self.monoid) + len(self.cone)} terms>"


def _product(factors: Iterable[Polynomial], start: Polynomial) -> Polynomial:
    for factor in factors:
        start = start * factor
    return start


def refute(
    system: Conditions, degree: int = 1, pairs: bool = False, columns: int = COLUMN_LIMIT
) -> Positivstellensatz | None:
    """Return an identity that proves the system to have no real solution, ``None`` when there is none of this shape.

    Parameters
    ----------
    degree : int
        The largest degree of the monomials in the roots s, and of the multipliers h.
    pairs : bool
        Whether products of two inequalities are used as well.
    columns : int
        No search when the linear program would have more unknowns.

    Examples
    --------
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> refute(Conditions(R, [y**2 - x**3], [-x])).verify()
    True
    """
    return _search(system, system.ring.constant(1), degree, pairs, columns)


def prove_zero(system: Conditions, candidate: Polynomial, degree: int = 1) -> Positivstellensatz | None:
    """Return an identity that proves candidate = 0 on the set, ``None`` when there is none of this shape.

    Examples
    --------
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> prove_zero(Conditions(R, [x**2 + y**2]), x).verify()
    True
    """
    return _search(system, candidate, degree, False, COLUMN_LIMIT)


def _search(
    system: Conditions, vanishing: Polynomial, degree: int, pairs: bool, columns_limit: int
) -> Positivstellensatz | None:
    equations = tuple(system.equations)
    positive = (*system.positive, *(f * f for f in system.nonzero))
    nonnegative = tuple(system.nonnegative)
    monoid = list(_monoid(positive))
    roots = list(_roots(system, degree))
    weights = list(_weights(positive, nonnegative, pairs, system.ring))
    multipliers = _monomials(system, degree + 1)
    if len(monoid) + len(weights) * len(roots) + len(equations) * len(multipliers) > columns_limit:
        return None
    square = vanishing * vanishing
    columns = [_product(factors, square) for factors in monoid]
    cone = [(root, factors) for factors in weights for root in roots]
    columns += [_product(factors, root * root) for root, factors in cone]
    columns += [e * m for e in equations for m in multipliers]
    signed = len(monoid) + len(cone)
    solution = _nonnegative_relation(columns, signed, len(monoid))
    if solution is None:
        return None
    size = len(multipliers)
    found = []
    for k in range(len(equations)):
        part = solution[signed + k * size : signed + (k + 1) * size]
        found.append(sum((m * w for m, w in zip(multipliers, part) if w), system.ring.constant(0)))
    proof = Positivstellensatz(
        equations,
        positive,
        nonnegative,
        vanishing,
        tuple((w, factors) for w, factors in zip(solution, monoid) if w),
        tuple((w, root, factors) for w, (root, factors) in zip(solution[len(monoid) : signed], cone) if w),
        tuple(found),
    )
    proof.verify()
    return proof


def _nonnegative_relation(columns: Sequence[Polynomial], signed: int, first: int) -> list[Rational] | None:
    """Return w with Σ w·column = 0, w ≥ 0 for the signed columns and Σ w = 1 over the first ones."""
    terms = [column.terms() for column in columns]
    monomials = {exponents: None for table in terms for exponents in table}
    equations = [[table.get(exponents, ZERO) for table in terms] + [ZERO] for exponents in monomials]
    equations.append([ONE] * first + [ZERO] * (len(columns) - first) + [-ONE])
    bounds = [[ONE if i == j else ZERO for j in range(len(columns))] + [ZERO] for i in range(signed)]
    answer = solve_inequalities(bounds, equations=equations, dimension=len(columns))
    return None if isinstance(answer, Infeasible) else list(answer.coordinates)


def _monoid(positive: Sequence[Polynomial]) -> Iterator[tuple[Polynomial, ...]]:
    """Products of at most three strict conditions (two when there are many)."""
    sizes = range(4) if len(positive) <= 4 else range(3) if len(positive) <= 8 else range(2)
    for size in sizes:
        yield from combinations_with_replacement(positive, size)


def _weights(
    positive: Sequence[Polynomial], nonnegative: Sequence[Polynomial], pairs: bool, ring: PolynomialRing
) -> Iterator[tuple[Polynomial, ...]]:
    yield ()
    single = [*positive, *nonnegative]
    yield from ((p,) for p in single)
    if pairs:
        yield from combinations(single, 2)


def _monomials(system: Conditions, degree: int) -> list[Polynomial]:
    names = system.occurring()
    generators = [system.ring.generator(name) for name in names]
    one = system.ring.constant(1)
    choices = (combinations_with_replacement(generators, size) for size in range(degree + 1))
    return [_product(chosen, one) for group in choices for chosen in group]


def _roots(system: Conditions, degree: int) -> Iterator[Polynomial]:
    """Monomials, sums and differences of two, and the roots of quadratic conditions that are sums of squares."""
    monomials = _monomials(system, degree)
    yield from monomials
    for a, b in combinations(monomials, 2):
        yield a + b
        yield a - b
    constant = (0,) * len(system.ring.names)
    for p in system.equations + system.positive + system.nonnegative:
        for candidate in (p, -p):
            # The squares of p, or of p without a negative constant term.
            lowest = min(candidate.terms().get(constant, ZERO), ZERO)
            squares = quadratic_squares(candidate - candidate.ring.constant(lowest))
            if squares is not None:
                yield from (root for root in squares.roots if len(root.terms()) > 1)
