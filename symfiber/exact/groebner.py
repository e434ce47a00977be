"""Gröbner bases over ℚ: Buchberger's algorithm with sugar and the Gebauer–Möller criteria.

Why this way: FLINT's own Buchberger takes every pair and SymPy's runs on Python dictionaries.  Here Python only chooses
pairs (leading monomials are packed into one integer, so that "divides" is one subtraction), while S-polynomials and
remainders are FLINT divisions.  All arithmetic is over ℚ, so a basis is exact; nothing modular is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from flint import Ordering, fmpq_mpoly_ctx

from symfiber.errors import InputError, LimitExceededError, VerificationError
from symfiber.exact.polynomial import Polynomial, PolynomialRing

_BITS = 20
PAIR_LIMIT = 20_000
"""The number of S-polynomials after which a computation gives up."""

WORK_LIMIT = 4_000_000
"""The number of terms in all remainders together after which a computation gives up."""


@dataclass(frozen=True, slots=True, repr=False)
class GroebnerBasis:
    """The reduced Gröbner basis of an ideal for the degree reverse lexicographic order of the ring's variables.

    Attributes
    ----------
    ring : PolynomialRing
    generators : tuple of Polynomial
        The polynomials that the ideal was given by.
    basis : tuple of Polynomial
        Primitive integer multiples of the reduced basis; (1,) for the unit ideal, () for the zero ideal.
    leading : tuple of exponent tuples
        The leading monomials, in the order of ``basis``.
    cofactors : tuple of tuples of Polynomial, or None
        basis[i] = Σ_j cofactors[i][j] · generators[j], when asked for.
    """

    ring: PolynomialRing
    generators: tuple[Polynomial, ...]
    basis: tuple[Polynomial, ...]
    leading: tuple[tuple[int, ...], ...]
    cofactors: tuple[tuple[Polynomial, ...], ...] | None = None

    @property
    def is_unit(self) -> bool:
        """Whether the ideal is the whole ring, so that the equations have no common zero, real or complex."""
        return any(not any(exponents) for exponents in self.leading)

    def reduce(self, polynomial: Polynomial) -> Polynomial:
        """Return the normal form: the remainder modulo the basis, 0 exactly for the members of the ideal."""
        engine = _Engine(self.ring, WORK_LIMIT)
        for element in self.basis:
            engine.add_reducer(engine.convert(element))
        return engine.restore(engine.remainder(engine.convert(self.ring.coerce(polynomial)))[0])

    def contains(self, polynomial: Polynomial) -> bool:
        """Return whether the polynomial lies in the ideal (proved)."""
        return not self.reduce(polynomial)

    def verify(self) -> bool:
        """Check the basis again: generators and S-polynomials reduce to 0; cofactors, when kept, give the basis.

        The first two prove that the ideal of the generators lies in that of the basis and that the basis is a Gröbner
        basis; the cofactors prove that the two ideals are equal.

        Raises
        ------
        VerificationError
            When one of these fails.
        """
        engine = _Engine(self.ring, None)
        elements = [engine.add_reducer(engine.convert(element)) for element in self.basis]
        for generator in self.generators:
            if engine.remainder(engine.convert(generator))[0] != 0:
                raise VerificationError(f"the generator {generator!r} must reduce to 0 modulo the basis")
        for i, first in enumerate(elements):
            for second in elements[:i]:
                if not any(map(min, first.exponents, second.exponents)):
                    continue  # coprime leading monomials: reduces to 0 by a theorem
                if engine.remainder(engine.s_polynomial(first, second)[0])[0] != 0:
                    raise VerificationError("every S-polynomial must reduce to 0 modulo the basis")
        for element, row in zip(self.basis, self.cofactors or ()):
            total = sum((c * g for c, g in zip(row, self.generators)), self.ring.constant(0))
            if total != element:
                raise VerificationError(f"the cofactors must give the basis element {element!r}")
        return True

    def __repr__(self) -> str:
        return f"<GroebnerBasis of {len(self.basis)} polynomials in {self.ring!r}>"


def groebner_basis(
    polynomials: Iterable[Polynomial],
    ring: PolynomialRing | None = None,
    *,
    cofactors: bool = False,
    pair_limit: int = PAIR_LIMIT,
    work_limit: int = WORK_LIMIT,
) -> GroebnerBasis:
    """Return the reduced Gröbner basis of the ideal ⟨polynomials⟩ over ℚ, degree reverse lexicographic order.

    Parameters
    ----------
    polynomials : iterable of Polynomial
    ring : PolynomialRing, optional
        Needed only when there are no polynomials.
    cofactors : bool
        Also keep the coefficients that write the basis in the given polynomials; several times slower.
    pair_limit, work_limit : int
        Bounds on the number of S-polynomials and on the terms of all remainders.

    Raises
    ------
    InputError
        When the polynomials belong to different rings.
    LimitExceededError
        When a limit is reached; ``known`` has the numbers.

    Notes
    -----
    Cost: doubly exponential in the worst case.  Proved: the arithmetic is exact and the criteria are theorems
    (Gebauer and Möller 1988); ``verify()`` checks the outcome independently.

    Examples
    --------
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> G = groebner_basis([x * y - 1, x**2 - y], cofactors=True)
    >>> G.basis, G.verify()
    ((x - y^2, x*y - 1, x^2 - y), True)
    """
    given = tuple(polynomials)
    if ring is None:
        if not given:
            raise InputError("ring must be given when there are no polynomials, got None")
        ring = given[0].ring
    given = tuple(ring.coerce(p) for p in given)
    engine = _Engine(ring, work_limit, len(given) if cofactors else None)
    elements = _buchberger(engine, [engine.convert(p) for p in given], pair_limit)
    reduced = sorted(_interreduce(engine, elements), key=lambda element: element.exponents[::-1], reverse=True)
    basis, rows = [], []
    for element in reduced:
        polynomial = engine.restore(element.polynomial)
        primitive = polynomial.primitive()
        if primitive.leading_coefficient() < 0:
            primitive = -primitive
        basis.append(primitive)
        if cofactors:
            factor = engine.convert(primitive).leading_coefficient() / element.polynomial.leading_coefficient()
            rows.append(tuple(engine.restore(c * factor) for c in element.cofactors))
    return GroebnerBasis(
        ring, given, tuple(basis), tuple(e.exponents for e in reduced), tuple(rows) if cofactors else None
    )


class _Element(NamedTuple):
    polynomial: Any
    exponents: tuple[int, ...]
    packed: int
    sugar: int
    cofactors: tuple[Any, ...]


class _Pair(NamedTuple):
    sugar: int
    degree: int
    packed: int
    number: int
    lcm: tuple[int, ...]
    first: int
    second: int


class _Engine:
    """Arithmetic in one ring with the degree reverse lexicographic order."""

    def __init__(self, ring: PolynomialRing, work_limit: int | None, generator_count: int | None = None) -> None:
        self.ring = ring
        self.context = fmpq_mpoly_ctx.get(list(ring.names), Ordering.degrevlex)
        self.guard = sum(1 << (_BITS * (i + 1) - 1) for i in range(len(ring.names)))
        self.generator_count = generator_count
        self.reducers: list[_Element] = []
        self.work, self.work_limit = 0, work_limit
        self.zero, self.one = self.context.constant(0), self.context.constant(1)

    def convert(self, polynomial: Polynomial) -> Any:
        return polynomial._value.project_to_context(self.context)

    def restore(self, value: Any) -> Polynomial:
        return Polynomial(self.ring, value.project_to_context(self.ring._context))

    def pack(self, exponents: Sequence[int]) -> int:
        packed = 0
        for exponent in reversed(exponents):
            packed = packed << _BITS | exponent
        return packed

    def element(self, polynomial: Any, sugar: int, cofactors: tuple[Any, ...] = ()) -> _Element:
        exponents = tuple(int(e) for e in polynomial.monomial(0))
        return _Element(polynomial, exponents, self.pack(exponents), sugar, cofactors)

    def add_reducer(self, polynomial: Any) -> _Element:
        element = self.element(polynomial, 0)
        self.reducers.append(element)
        return element

    def divides(self, small: int, large: int) -> bool:
        return ((large | self.guard) - small) & self.guard == self.guard

    def divisor(self, packed: int) -> _Element | None:
        guard = self.guard
        marked = packed | guard
        return next((r for r in self.reducers if (marked - r.packed) & guard == guard), None)

    def spend(self, polynomial: Any) -> None:
        self.work += len(polynomial)
        if self.work_limit is not None and self.work > self.work_limit:
            raise LimitExceededError(
                f"the Gröbner basis needs more than {self.work_limit} terms of intermediate results",
                {"terms": self.work},
            )

    def s_polynomial(self, first: _Element, second: _Element) -> tuple[Any, Any, Any]:
        """Return (S, u, v) with S = u·first − v·second and cancelling leading terms."""
        lcm = _lcm(first.exponents, second.exponents)
        left = tuple(c - a for c, a in zip(lcm, first.exponents))
        right = tuple(c - a for c, a in zip(lcm, second.exponents))
        u = self.context.from_dict({left: 1 / first.polynomial.leading_coefficient()})
        v = self.context.from_dict({right: 1 / second.polynomial.leading_coefficient()})
        return u * first.polynomial - v * second.polynomial, u, v

    def remainder(self, polynomial: Any, sugar: int = 0, cofactors: list[Any] | None = None) -> tuple[Any, int]:
        """Divide until no reducer divides any monomial; update the cofactors in place, return the new sugar too.

        Tails are divided as well: without that the coefficients of long computations explode.
        """
        place = 0
        while place < len(polynomial):
            exponents = [int(e) for e in polynomial.monomial(place)]
            reducer = self.divisor(self.pack(exponents))
            if reducer is None:
                place += 1
                continue
            # The monomials before ``place`` are larger than all that this subtraction touches.
            ratio = polynomial.coefficient(place) / reducer.polynomial.leading_coefficient()
            shift = tuple(a - b for a, b in zip(exponents, reducer.exponents))
            multiplier = self.context.from_dict({shift: ratio})
            polynomial = polynomial - multiplier * reducer.polynomial
            if not place:
                sugar = max(sugar, sum(shift) + reducer.sugar)
            for index, cofactor in enumerate(reducer.cofactors if cofactors else ()):
                if cofactor != 0:
                    cofactors[index] = cofactors[index] - multiplier * cofactor  # type: ignore[index]
            self.spend(polynomial)
        return polynomial, sugar


def _lcm(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(max, first, second))


def _unit_cofactors(engine: _Engine, index: int) -> tuple[Any, ...]:
    if engine.generator_count is None:
        return ()
    return tuple(engine.one if i == index else engine.zero for i in range(engine.generator_count))


def _buchberger(engine: _Engine, generators: list[Any], pair_limit: int) -> list[_Element]:
    elements: list[_Element] = []
    pairs: list[_Pair] = []
    active: list[int] = []
    start = [
        (engine.element(p, p.total_degree(), _unit_cofactors(engine, i)), i) for i, p in enumerate(generators) if p != 0
    ]
    for element, _ in sorted(start, key=lambda item: (item[0].sugar, len(item[0].polynomial), item[1])):
        cofactors = list(element.cofactors)
        polynomial, sugar = engine.remainder(element.polynomial, element.sugar, cofactors)
        pairs = _insert(engine, elements, active, pairs, polynomial, sugar, cofactors)
    for _ in range(pair_limit + 1):
        if not pairs or (active and not elements[active[-1]].packed):
            return [elements[i] for i in active]
        pair = min(pairs)
        pairs.remove(pair)
        first, second = elements[pair.first], elements[pair.second]
        polynomial, u, v = engine.s_polynomial(first, second)
        cofactors = [u * a - v * b for a, b in zip(first.cofactors, second.cofactors)]
        polynomial, sugar = engine.remainder(polynomial, pair.sugar, cofactors)
        pairs = _insert(engine, elements, active, pairs, polynomial, sugar, cofactors)
    raise LimitExceededError(f"the Gröbner basis needs more than {pair_limit} S-polynomials", {"pairs": pair_limit})


def _insert(
    engine: _Engine,
    elements: list[_Element],
    active: list[int],
    pairs: list[_Pair],
    polynomial: Any,
    sugar: int,
    cofactors: list[Any],
) -> list[_Pair]:
    """Add a nonzero remainder to the basis and update the pairs by the criteria of Gebauer and Möller."""
    if polynomial == 0:
        return pairs
    factor = 1 / polynomial.leading_coefficient()
    new = engine.element(polynomial * factor, sugar, tuple(c * factor for c in cofactors))
    number = len(elements)
    elements.append(new)
    fresh = []
    for i in active:
        lcm = _lcm(elements[i].exponents, new.exponents)
        degree = sum(lcm)
        heavy = max(elements[i].sugar - sum(elements[i].exponents), sugar - sum(new.exponents)) + degree
        fresh.append(_Pair(heavy, degree, engine.pack(lcm), number, lcm, i, number))
    # An old pair is superfluous when the new monomial divides its lcm and both lcms with the new one are smaller.
    kept = [
        pair
        for pair in pairs
        if not engine.divides(new.packed, pair.packed)
        or any(_lcm(elements[i].exponents, new.exponents) == pair.lcm for i in (pair.first, pair.second))
    ]
    kept += _minimal_pairs(engine, elements, fresh, new)
    active[:] = [i for i in active if not engine.divides(new.packed, elements[i].packed)]
    active.append(number)
    engine.reducers = sorted((elements[i] for i in active), key=lambda e: len(e.polynomial))
    return kept


def _minimal_pairs(engine: _Engine, elements: list[_Element], fresh: list[_Pair], new: _Element) -> list[_Pair]:
    """Of the pairs with the new element keep one for every minimal lcm that has no coprime pair."""
    by_lcm: dict[int, list[_Pair]] = {}
    for pair in fresh:
        by_lcm.setdefault(pair.packed, []).append(pair)
    kept = []
    for packed, group in by_lcm.items():
        if any(other != packed and engine.divides(other, packed) for other in by_lcm):
            continue
        coprime = any(not any(a and b for a, b in zip(elements[pair.first].exponents, new.exponents)) for pair in group)
        if not coprime:
            kept.append(min(group))
    return kept


def _interreduce(engine: _Engine, elements: list[_Element]) -> list[_Element]:
    """Return the reduced basis: no monomial of an element is divisible by another leading monomial."""
    if any(not element.packed for element in elements):
        elements = [element for element in elements if not element.packed][:1]
    result = []
    for element in sorted(elements, key=lambda e: (sum(e.exponents), e.packed)):
        engine.reducers = [other for other in elements if other is not element]
        cofactors = list(element.cofactors)
        polynomial, _ = engine.remainder(element.polynomial, 0, cofactors)
        result.append(engine.element(polynomial, element.sugar, tuple(cofactors)))
    return result
