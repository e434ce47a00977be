"""Systems of polynomial conditions: normal form, contradictions, and elimination of determined variables.

Why this way: the equations of fibers are mostly a·y + b = 0 with a that cannot vanish (a number, or a product of
quantities with strict signs).  Solving them one after another, y = −b/a, leaves a system in few variables; every other
method (Gröbner bases, linear programming, search) then works on that.  Every step keeps the set, up to the coordinates
that became functions of the others, so it can be run backwards on a point.

A sign that is used to drop or to shorten a condition is put into the system as a condition of its own.  Otherwise two
conditions could each be dropped because of the other: z − 1 ≥ 0 gives z > 0, with z² − z = 2 that gives z − 1 > 0, and
without z − 1 ≥ 0 nothing would exclude z = −1 any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from symfiber.exact.knowledge import NONZERO, SignKnowledge, factorization
from symfiber.exact.polynomial import Polynomial, PolynomialRing
from symfiber.exact.scalars import Rational, sign


@dataclass(frozen=True, slots=True)
class Solved:
    """name = numerator / denominator, where the denominator vanishes nowhere on the set."""

    name: str
    numerator: Polynomial
    denominator: Polynomial


class Conditions:
    """Equations, p > 0, q ≥ 0 and f ≠ 0 in one ring, rewritten in place; ``solved`` lists eliminated variables.

    Parameters
    ----------
    ring : PolynomialRing
    equations, positive, nonnegative, nonzero : iterables of Polynomial
    real : bool
        False for solutions over ℂ (then only equations and ``nonzero``): nothing is concluded from signs.

    Examples
    --------
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> S = Conditions(R, [x * y - 3], positive=[x], nonnegative=[y - 1])
    >>> S.eliminate(); S.solved[0].name, [str(q) for q in S.nonnegative]
    ('x', ['y - 1'])
    """

    def __init__(
        self,
        ring: PolynomialRing,
        equations: Iterable[Polynomial] = (),
        positive: Iterable[Polynomial] = (),
        nonnegative: Iterable[Polynomial] = (),
        nonzero: Iterable[Polynomial] = (),
        real: bool = True,
    ) -> None:
        self.ring, self.real = ring, real
        self.equations, self.positive = list(equations), list(positive)
        self.nonnegative, self.nonzero = list(nonnegative), list(nonzero)
        self.solved: list[Solved] = []
        self.contradiction: str | None = None
        self.known = SignKnowledge(real=real)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names not yet eliminated, in the ring's order."""
        gone = {step.name for step in self.solved}
        return tuple(name for name in self.ring.names if name not in gone)

    def all(self) -> list[Polynomial]:
        """Return every polynomial of the system."""
        return [*self.equations, *self.positive, *self.nonnegative, *self.nonzero]

    def occurring(self) -> tuple[str, ...]:
        """Return the names that occur in some condition, in the ring's order."""
        found = {name for p in self.all() for name in p.symbols()}
        return tuple(name for name in self.ring.names if name in found)

    def copy(self) -> Conditions:
        """Return an independent copy."""
        other = Conditions(self.ring, self.equations, self.positive, self.nonnegative, self.nonzero, self.real)
        other.solved, other.contradiction = list(self.solved), self.contradiction
        return other

    def normalize(self) -> None:
        """Split off factors of known sign, drop what is implied, find contradictions; repeat while it changes.

        Facts come from the strict conditions, and from equations f·g = c with a number c ≠ 0.
        """
        before: tuple[object, ...] = ()
        while self.contradiction is None and before != (now := self._snapshot()):
            before = now
            self._normalize_strict()
            if self.contradiction is None:
                self._learn_from_equations()
                self._normalize_equations()
            if self.contradiction is None and self.real:
                self._normalize_nonnegative()

    def eliminate(self, allowed: Collection[str] | None = None) -> None:
        """Solve equations a·y + b = 0 with a ≠ 0 everywhere for y, as long as there are any; normalise.

        Parameters
        ----------
        allowed : collection of str, optional
            The names that may be eliminated; all by default.
        """
        fresh = False
        while self.contradiction is None:
            choice = self._choose(allowed)
            if choice is not None:
                self.solve(*choice)
                fresh = False
            elif fresh:
                return
            else:
                # Normalising looks at everything, so it waits until nothing can be solved without it.
                self.normalize()
                fresh = True

    def solve(self, equation: Polynomial, name: str, slope: Polynomial) -> None:
        """Eliminate ``name`` by an equation slope·name + rest = 0 whose slope vanishes nowhere on the set."""
        rest = equation - slope * self.ring.generator(name)
        self.equations.remove(equation)
        direction = self.known.sign(slope)
        assert direction not in (None, 0), "the slope must not vanish"
        index = self.ring._index[name]
        self.equations = [
            self._reduced(replace_by_quotient(e, name, slope, rest)[0]) if e._value.degrees()[index] else e
            for e in self.equations
        ]
        self.nonzero = [replace_by_quotient(f, name, slope, rest)[0] for f in self.nonzero]
        self.positive = [self._signed(p, name, slope, rest, direction) for p in self.positive]
        self.nonnegative = [self._signed(q, name, slope, rest, direction) for q in self.nonnegative]
        # What the slope's sign was concluded from may go with the equation, so the conclusion must stay.
        for factor, _ in factorization(slope)[1]:
            self._record(factor)
        self.solved.append(Solved(name, -rest, slope))

    def lift(self, values: dict[str, Rational]) -> tuple[Rational, ...] | None:
        """Return the point in all coordinates from values of the remaining ones; missing ones become 0.

        ``None`` when a denominator vanishes, so that the values are not in the set.
        """
        point = {name: values.get(name, Rational(0)) for name in self.variables}
        for step in reversed(self.solved):
            coordinates = [point.get(name, Rational(0)) for name in self.ring.names]
            bottom = step.denominator(coordinates)
            if not bottom:
                return None
            point[step.name] = step.numerator(coordinates) / bottom
        return tuple(point[name] for name in self.ring.names)

    def _signed(
        self, p: Polynomial, name: str, slope: Polynomial, rest: Polynomial, direction: int | None
    ) -> Polynomial:
        replaced, degree = replace_by_quotient(p, name, slope, rest)
        if degree % 2 == 0:
            return replaced
        return replaced * slope if direction == NONZERO else replaced * (direction or 1)

    def _record(self, factor: Polynomial) -> None:
        """Make a known sign an explicit condition."""
        value = self.known.sign(factor)
        if value in (1, -1):
            self.positive.append(factor * value)
        else:
            self.nonzero.append(factor)

    def _snapshot(self) -> tuple[object, ...]:
        return (tuple(self.equations), tuple(self.positive), tuple(self.nonnegative), tuple(self.nonzero))

    def _fail(self, reason: str) -> None:
        self.contradiction = self.contradiction or reason

    def _normalize_strict(self) -> None:
        """Make p > 0 and f ≠ 0 irreducible where the signs of the other factors are known."""
        self.known = known = SignKnowledge(real=self.real)
        kept: dict[Polynomial, int] = {}
        for p in self.positive + self.nonnegative if self.real else ():
            bound = _one_sided(p)
            if bound is not None:
                known.learn(*bound)
        pending = [(p, 1) for p in self.positive] + [(f, NONZERO) for f in self.nonzero]
        # Short conditions first: signs of variables decide more than long sums.
        pending.sort(key=lambda item: (item[0].total_degree(), len(item[0]._value), item[1]))
        products: list[tuple[Polynomial, int]] = []
        for _ in range(2):
            products = []
            for p, wanted in pending:
                if not self._keep_strict(p, wanted, kept):
                    products.append((p, wanted))
            if not products or self.contradiction is not None:
                break
            pending = products
        self.positive = [f * value for f, value in kept.items() if value != NONZERO]
        self.positive += [p for p, wanted in products if wanted == 1]
        self.nonzero = [f for f, value in kept.items() if value == NONZERO]
        for p, wanted in products:
            known.learn(p, wanted)

    def _keep_strict(self, p: Polynomial, wanted: int, kept: dict[Polynomial, int]) -> bool:
        """Resolve one strict condition into signs of irreducible factors; False when it stays a product."""
        constant, factors = factorization(p)
        value, odd = sign(constant), []
        for factor, power in factors:
            found = self.known.sign(factor)
            if found is None:
                self.known.learn(factor, NONZERO)
                kept[factor] = found = NONZERO
            if power % 2 and found == NONZERO:
                odd.append(factor)
            elif power % 2:
                value *= found
        if not value:
            self._fail(f"{p} vanishes, but must not")
            return True
        if wanted == NONZERO:
            return True
        if not odd:
            if value < 0:
                self._fail(f"{p} is negative, but must be positive")
            return True
        if len(odd) > 1:
            return False
        kept.pop(odd[0], None)
        kept[odd[0]] = value
        self.known.learn(odd[0], value)
        return True

    def _learn_from_equations(self) -> None:
        """An equation f·g·… = c with c ≠ 0 makes all factors nonzero and their signs dependent."""
        for e in self.equations:
            parts = _two_parts(e)
            if parts is None:
                continue
            for left, right in (parts, parts[::-1]):
                value = self.known.sign(right)
                if value:
                    # Over ℂ only "not zero" follows: z + 1 = 0 says nothing about a sign of z.
                    self.known.learn(left, -value if self.real and value != NONZERO else NONZERO)

    def _normalize_equations(self) -> None:
        reduced = [self._reduced(e) for e in self.equations]
        self.equations = list(dict.fromkeys(e for e in reduced if e))

    def _reduced(self, e: Polynomial) -> Polynomial:
        """Return the product of the distinct factors that may vanish; fail when there is none."""
        if not e:
            return e
        _, factors = factorization(e)
        left = [f for f, _ in factors if not self.known.signs.get(f)]
        if not left or self.known.sign_of_terms(e):
            self._fail(f"{e} is nonzero, but must be zero")
            return e
        for factor, _ in factors:
            if factor not in left:
                self._record(factor)
        return _product([(factor, 1) for factor in left])

    def _normalize_nonnegative(self) -> None:
        result: dict[Polynomial, None] = {}
        zero = set(self.equations)
        for q in self.nonnegative:
            constant, factors = factorization(q)
            value = sign(constant)
            left: list[tuple[Polynomial, int]] = []
            used: list[Polynomial] = []
            for factor, power in factors:
                found = self.known.sign(factor)
                if found is None or (found == NONZERO and power % 2):
                    left.append((factor, power))
                    continue
                used.append(factor)
                value *= found if power % 2 else 1
            if not value or any(factor in zero for factor, _ in left):
                continue
            if not left and value < 0:
                self._fail(f"{q} is negative, but must be nonnegative")
                return
            # A sign that was concluded from q itself (with an equation) is lost with q unless it is kept.
            for factor in used:
                self._record(factor)
            if all(power % 2 == 0 for _, power in left):
                if left and value < 0:
                    self.equations.append(_product([(f, 1) for f, _ in left]))
                continue
            product = _product(left) * value
            if -product in result:
                del result[-product]
                self.equations.append(product)
            else:
                result[product] = None
        self.nonnegative = list(result)

    def _choose(self, allowed: Collection[str] | None) -> tuple[Polynomial, str, Polynomial] | None:
        """Choose an equation and a variable with a slope that cannot vanish, numbers before polynomials."""
        fallback: tuple[tuple[int, int, int], Polynomial, str, Polynomial] | None = None
        for e in sorted(self.equations, key=lambda e: (len(e._value), e.total_degree())):
            degrees = e._value.degrees()
            for index, degree in enumerate(degrees):
                name = self.ring.names[index]
                if degree != 1 or (allowed is not None and name not in allowed):
                    continue
                slope = e.derivative(name)
                if slope.constant_value() is not None:
                    return e, name, slope
                cost = (slope.total_degree(), len(slope._value), len(e._value))
                if (fallback is None or cost < fallback[0]) and self.known.sign(slope) is not None:
                    fallback = cost, e, name, slope
        return fallback[1:] if fallback else None


def _one_sided(p: Polynomial) -> tuple[Polynomial, int] | None:
    """Return (x, sign of x) when p is a·x + b with b < 0, so that p ≥ 0 keeps x away from 0."""
    if len(p._value) != 2 or p.total_degree() != 1 or len(p.symbols()) != 1:
        return None
    (name,) = p.symbols()
    slope = p.derivative(name).constant_value()
    rest = (p - p.derivative(name) * p.ring.generator(name)).constant_value()
    if slope is None or rest is None or rest >= 0:
        return None
    return p.ring.generator(name), sign(slope)


def _product(factors: Sequence[tuple[Polynomial, int]]) -> Polynomial:
    result = factors[0][0] ** factors[0][1]
    for factor, power in factors[1:]:
        result = result * factor**power
    return result


def _two_parts(e: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """Return (f, c) with e = f + c for a constant term c ≠ 0, or the two terms of a binomial."""
    ring = e.ring
    zero = (0,) * len(ring.names)
    if len(e._value) < 2:
        return None
    constant = e._value[zero] if ring.names else 0
    if constant:
        tail = ring.constant(constant)
        return e - tail, tail
    if len(e._value) == 2:
        (exponents, coefficient), _ = e.terms().items()
        head = ring.from_terms({exponents: coefficient})
        return head, e - head
    return None


def replace_by_quotient(p: Polynomial, name: str, slope: Polynomial, rest: Polynomial) -> tuple[Polynomial, int]:
    """Return (slope^k · p(name = −rest/slope), k) with k the degree of p in ``name``, and content removed."""
    index = p.ring._index[name]
    degree = int(p._value.degrees()[index])
    if not degree:
        return p, 0
    if degree == 1:
        head = p.derivative(name)
        return ((p - head * p.ring.generator(name)) * slope - head * rest).primitive(), 1
    line = slope * p.ring.generator(name) + rest
    return Polynomial(p.ring, line._value.resultant(p._value, name)).primitive(), degree
