"""Real points without rational coordinates: a polynomial that changes sign on a convex set vanishes there."""

from __future__ import annotations

import random
from dataclasses import dataclass

from symfiber.errors import VerificationError
from symfiber.exact import Polynomial, Rational
from symfiber.exact.conditions import Conditions
from symfiber.semialgebraic.search import Values, linear_point
from symfiber.semialgebraic.sets import BasicSet

_TRIES = 200


@dataclass(frozen=True, slots=True)
class SignChange:
    """Two points of a convex set at which the only equation has opposite signs.

    After eliminating determined variables the set is {e = 0} inside a convex set (all other conditions are linear).  By
    the intermediate value theorem the segment between the two points meets {e = 0}; when the inequalities are strict,
    the zeros have dimension (variables) − 1, because they separate an open set.

    Attributes
    ----------
    below, above : tuple of (name, value)
        Values of the remaining variables with e < 0 and e > 0.
    """

    below: tuple[tuple[str, Rational], ...]
    above: tuple[tuple[str, Rational], ...]

    def verify(self, piece: BasicSet) -> bool:
        """Eliminate again and evaluate all conditions at both points."""
        system = Conditions(piece.ring, piece.equations, piece.positive, piece.nonnegative)
        system.eliminate()
        if not _is_hypersurface(system):
            raise VerificationError("a sign change needs one equation and otherwise linear inequalities")
        for values, wanted in ((self.below, -1), (self.above, 1)):
            if not _inside(system, dict(values)) or not _value(system.equations[0], dict(values)) * wanted > 0:
                raise VerificationError("the two points must satisfy the inequalities and give the equation two signs")
        return True


def find_sign_change(system: Conditions) -> SignChange | None:
    """Return two points where the only equation of a reduced system has opposite signs, ``None`` when none was found.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> R = PolynomialRing(("x",)); (x,) = R.generators
    >>> find_sign_change(Conditions(R, [x**2 - 2], [x])).above
    (('x', 2),)
    """
    if not _is_hypersurface(system):
        return None
    inside = [*system.positive, *system.nonnegative]
    start = linear_point([], inside, []) or linear_point([], system.positive, system.nonnegative)
    if start is None:
        return None
    names = system.occurring()
    values = {name: start.get(name, Rational(0)) for name in names}
    rng = random.Random(0)
    found: dict[bool, Values] = {}
    candidates = [values, *({n: v * s for n, v in values.items()} for s in (2, 4, 16))]
    for attempt in range(_TRIES):
        if attempt < len(candidates):
            candidate = candidates[attempt]
        else:
            size = Rational(1 << (attempt % 7), 8)
            candidate = {n: v + size * Rational(rng.randint(-4, 4)) for n, v in values.items()}
        if not _inside(system, candidate):
            continue
        value = _value(system.equations[0], candidate)
        if value:
            found.setdefault(bool(value > 0), candidate)
        if len(found) == 2:
            return SignChange(tuple(found[False].items()), tuple(found[True].items()))
    return None


def _is_hypersurface(system: Conditions) -> bool:
    linear = all(p.total_degree() <= 1 for p in system.positive + system.nonnegative)
    return system.contradiction is None and len(system.equations) == 1 and not system.nonzero and linear


def _value(p: Polynomial, values: Values) -> Rational:
    return p([values.get(name, Rational(0)) for name in p.ring.names])


def _inside(system: Conditions, values: Values) -> bool:
    return all(_value(p, values) > 0 for p in system.positive) and all(
        _value(q, values) >= 0 for q in system.nonnegative
    )
