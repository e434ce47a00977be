"""Search for a rational point: solve what is determined, fix a few variables so that the rest is linear, solve that.

A point that is found is checked; that none is found proves nothing, except when the system is linear from the start.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from symfiber.exact import Polynomial, Rational
from symfiber.exact.conditions import Conditions
from symfiber.exact.knowledge import factorization
from symfiber.exact.linear_programming import Infeasible, Point
from symfiber.exact.linearization import linear_consequence
from symfiber.semialgebraic.sets import BasicSet

Values = dict[str, Rational]

_SIMPLE = tuple(Rational(p, q) for p, q in ((1, 1), (-1, 1), (2, 1), (-2, 1), (1, 2), (-1, 2), (3, 1), (0, 1), (-3, 1)))


class PointSearch:
    """A depth-first search with a budget of nodes; deterministic for a seed."""

    def __init__(self, budget: int = 400, seed: int = 0) -> None:
        self.left = budget
        self.random = random.Random(seed)

    def point(self, system: Conditions) -> tuple[Rational, ...] | None:
        """Return a point of the system in all coordinates of its ring, ``None`` when none was found."""
        values = self._solve(system.copy())
        return None if values is None else values

    def _solve(self, system: Conditions) -> tuple[Rational, ...] | None:
        if self.left <= 0:
            return None
        self.left -= 1
        system.eliminate()
        if system.contradiction is not None:
            return None
        if any(p.total_degree() <= 1 for p in system.equations + system.positive + system.nonnegative):
            relaxed = _linear_part(system)
            if isinstance(relaxed, Infeasible):
                return None
        for e in system.equations:
            factors = factorization(e)[1]
            if len(factors) > 1:
                return self._first(system, e, [f for f, _ in factors])
            if len(e.symbols()) == 1 and e.total_degree() > 1:
                return None  # irreducible of higher degree: no rational root
        if all(p.total_degree() <= 1 for p in system.all()):
            return self._linear(system)
        return self._fix(system)

    def _first(self, system: Conditions, e: Polynomial, factors: list[Polynomial]) -> tuple[Rational, ...] | None:
        for factor in factors:
            branch = system.copy()
            branch.equations = [factor if other is e else other for other in system.equations]
            found = self._solve(branch)
            if found is not None:
                return found
        return None

    def _linear(self, system: Conditions) -> tuple[Rational, ...] | None:
        """Solve a linear system, with all inequalities strict when that is possible; nonzero conditions by sign."""
        nonzero = system.nonzero[0] if system.nonzero else None
        if nonzero is not None:
            for sign in (1, -1):
                branch = system.copy()
                branch.nonzero = system.nonzero[1:]
                branch.positive = [*system.positive, nonzero * sign]
                found = self._solve(branch)
                if found is not None:
                    return found
            return None
        for strict, weak in (
            ([*system.positive, *system.nonnegative], []),
            (system.positive, system.nonnegative),
        ):
            values = linear_point(system.equations, strict, weak)
            if values is not None:
                return system.lift(values)
        return None

    def _fix(self, system: Conditions) -> tuple[Rational, ...] | None:
        """Give a value to the variable that occurs in most nonlinear terms."""
        counts: Counter[str] = Counter()
        for weight, polynomials in ((3, system.equations), (1, system.positive + system.nonnegative + system.nonzero)):
            for p in polynomials:
                for exponents in p.terms():
                    if sum(exponents) > 1:
                        for name, e in zip(system.ring.names, exponents):
                            counts[name] += weight * int(e) if e else 0
        ordered = [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if counts[name]]
        name = ordered[0] if self.random.random() < 0.8 else self.random.choice(ordered)
        x = system.ring.generator(name)
        for value in self._candidates(system, name):
            branch = system.copy()
            branch.equations.append(x - system.ring.constant(value))
            found = self._solve(branch)
            if found is not None or self.left <= 0:
                return found
        return None

    def _candidates(self, system: Conditions, name: str) -> Iterator[Rational]:
        """Yield simple values inside the interval that conditions on this variable alone allow."""
        lower, upper = _interval(system, name)
        if lower is not None and upper is not None:
            width = upper - lower
            if width < 0:
                return
            shares = [(1, 2), (1, 4), (3, 4), (1, 8), (7, 8), (0, 1), (1, 1)] if width else [(0, 1)]
            middle = [lower + width * Rational(p, q) for p, q in shares]
            simple = [v for v in _SIMPLE if lower <= v <= upper]
            yield from dict.fromkeys(simple[:3] + middle)
            return
        edge = lower if lower is not None else upper
        if edge is None:
            between = _between_breaks(system, name)
            if between:
                yield from between
                return
            values = list(_SIMPLE[:7])
            self.random.shuffle(values)
            yield from (*values, Rational(0))
            return
        direction = 1 if lower is not None else -1
        steps = [Rational(1), Rational(1, 2), Rational(2), Rational(5), Rational(1, 10), Rational(0)]
        self.random.shuffle(steps)
        yield from (edge + direction * step for step in steps)


def linear_point(equations: list[Polynomial], strict: list[Polynomial], weak: list[Polynomial]) -> Values | None:
    """Return values that solve a linear system, ``None`` when there are provably none; simple values preferred."""
    names = sorted({name for p in (*equations, *strict, *weak) for name in p.symbols()})
    if not names:
        return {} if isinstance(linear_consequence(equations, strict, weak), Point) else None
    found = linear_consequence(equations, strict, weak)
    if isinstance(found, Infeasible):
        return None
    ring = (*equations, *strict, *weak)[0].ring
    order: dict[str, None] = {}
    for p in (*equations, *strict, *weak):
        for exponents in p.terms():
            if any(exponents):
                order.setdefault(ring.names[next(i for i, e in enumerate(exponents) if e)], None)
    return dict(zip(order, found.coordinates))


def _linear_part(system: Conditions) -> Point | Infeasible:
    equations, strict, weak = (
        [p for p in group if p.total_degree() <= 1] for group in (system.equations, system.positive, system.nonnegative)
    )
    return linear_consequence(equations, strict, weak)


def _interval(system: Conditions, name: str) -> tuple[Rational | None, Rational | None]:
    """Return the bounds on a variable from linear conditions in it alone."""
    lower: Rational | None = None
    upper: Rational | None = None
    for p in system.positive + system.nonnegative:
        if p.total_degree() == 1 and p.symbols() == (name,):
            slope = p.derivative(name).constant_value()
            rest = (p - p.derivative(name) * p.ring.generator(name)).constant_value()
            assert slope is not None and rest is not None
            bound = -rest / slope
            if slope > 0:
                lower = bound if lower is None else max(lower, bound)
            else:
                upper = bound if upper is None else min(upper, bound)
    return lower, upper


def _between_breaks(system: Conditions, name: str) -> list[Rational]:
    """Return points before, between and after the rational zeros of nonlinear conditions in this variable alone."""
    breaks: set[Rational] = set()
    for p in system.positive + system.nonnegative + system.nonzero:
        if p.symbols() == (name,):
            for factor, _ in factorization(p)[1]:
                if factor.total_degree() == 1:
                    slope = factor.leading_coefficient()
                    rest = (factor - slope * p.ring.generator(name)).constant_value()
                    breaks.add(-(rest or Rational(0)) / slope)
    ordered = sorted(breaks)
    if not ordered:
        return []
    middle = [(a + b) / 2 for a, b in pairwise(ordered)]
    return [*middle, ordered[-1] + 1, ordered[0] - 1, *ordered]


def search_point(piece: BasicSet, budget: int = 400, seeds: int = 3) -> tuple[Rational, ...] | None:
    """Return a rational point of a basic set, preferably with strict inequalities; ``None`` when none was found.

    Cost: at most ``seeds`` searches of ``budget`` nodes, each with one elimination and one small linear program.  A
    point that is returned lies in the set (checked).

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> search_point(BasicSet(R, [x * y - 2], positive=[x - 1]))
    (2, 1)
    """
    start = Conditions(piece.ring, piece.equations, piece.positive, piece.nonnegative)
    start.eliminate()
    if start.contradiction is not None:
        return None
    return search_system(start, piece, budget, seeds)


def search_system(start: Conditions, piece: BasicSet, budget: int = 400, seeds: int = 3) -> tuple[Rational, ...] | None:
    """Search the reduced system of a set, first with all inequalities strict; the point is checked in the set."""
    inner = start.copy()
    inner.positive, inner.nonnegative = start.positive + start.nonnegative, []
    for seed in range(seeds):
        for system in (inner, start) if start.nonnegative else (start,):
            found = PointSearch(budget, seed).point(system)
            if found is not None and piece.contains(found):
                return found
    return None
