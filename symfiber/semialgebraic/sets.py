"""Basic semi-algebraic sets over ℚ and their finite unions: conditions, membership, Boolean operations, printing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from symfiber.errors import InputError, LimitExceededError
from symfiber.exact import Polynomial, PolynomialRing, Rational, rational

_SHOWN_CONDITIONS = 24
_PIECE_LIMIT = 4096


def _canonical(ring: PolynomialRing, polynomials: Iterable[Any], up_to_sign: bool) -> tuple[Polynomial, ...]:
    """Primitive integer multiples, without zeros and repeats, in a fixed order."""
    unique: dict[str, Polynomial] = {}
    for value in polynomials:
        polynomial = ring.coerce(value).primitive()
        if up_to_sign and polynomial.leading_coefficient() < 0:
            polynomial = -polynomial
        unique.setdefault(str(polynomial), polynomial)
    order = sorted(unique, key=lambda text: (unique[text].total_degree(), len(text), text))
    return tuple(unique[text] for text in order)


class BasicSet:
    """The set {x ∈ ℝⁿ : e(x) = 0, p(x) > 0, q(x) ≥ 0 for all e, p, q in the three lists}.

    The polynomials are made canonical at construction (primitive integer coefficients, no repeats, fixed order), so
    equal lists give equal sets; sets that are equal for deeper reasons need not compare equal.

    Parameters
    ----------
    ring : PolynomialRing
        Its indeterminates are the coordinates.
    equations, positive, nonnegative : iterables of polynomials or numbers

    Examples
    --------
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> half_circle = BasicSet(R, equations=[x**2 + y**2 - 1], positive=[y])
    >>> half_circle.contains(["3/5", "4/5"]), half_circle.contains([1, 0])
    (True, False)
    """

    __slots__ = ("equations", "nonnegative", "positive", "ring")

    def __init__(
        self,
        ring: PolynomialRing,
        equations: Iterable[Any] = (),
        positive: Iterable[Any] = (),
        nonnegative: Iterable[Any] = (),
    ) -> None:
        self.ring = ring
        self.equations = tuple(e for e in _canonical(ring, equations, up_to_sign=True) if e)
        self.positive = tuple(p for p in _canonical(ring, positive, up_to_sign=False) if not _is_positive_number(p))
        self.nonnegative = tuple(
            q for q in _canonical(ring, nonnegative, up_to_sign=False) if q and not _is_positive_number(q)
        )

    @classmethod
    def everything(cls, ring: PolynomialRing) -> BasicSet:
        """Return ℝⁿ."""
        return cls(ring)

    @classmethod
    def nothing(cls, ring: PolynomialRing) -> BasicSet:
        """Return the empty set, written 1 = 0."""
        return cls(ring, [ring.constant(1)])

    @property
    def pieces(self) -> tuple[BasicSet, ...]:
        """The set itself, as the only piece: basic sets and unions can be treated alike."""
        return (self,)

    @property
    def is_linear(self) -> bool:
        """Whether all conditions have degree at most 1."""
        return all(p.total_degree() <= 1 for p, _ in self.conditions())

    def contains(self, point: Sequence[Any]) -> bool:
        """Return whether a rational point lies in the set, decided exactly."""
        return self.violation(point) is None

    def violation(self, point: Sequence[Any]) -> str | None:
        """Return the first condition that fails at the point as text, ``None`` when all hold."""
        values = rational_point(self.ring, point)
        for equation in self.equations:
            if equation(values) != 0:
                return f"{equation} = 0"
        for polynomial in self.positive:
            if not polynomial(values) > 0:
                return f"{polynomial} > 0"
        for polynomial in self.nonnegative:
            if not polynomial(values) >= 0:
                return f"{polynomial} >= 0"
        return None

    def conditions(self) -> tuple[tuple[Polynomial, str], ...]:
        """Return all (polynomial, relation) pairs, relation one of ``"="``, ``">"``, ``"≥"``, against 0."""
        return (
            *((e, "=") for e in self.equations),
            *((p, ">") for p in self.positive),
            *((q, "≥") for q in self.nonnegative),
        )

    def __contains__(self, point: Sequence[Any]) -> bool:
        return self.contains(point)

    def __and__(self, other: BasicSet | Union) -> Any:
        """Return the intersection: a basic set with a basic set, a union with a union."""
        _check_set(other, self.ring)
        if isinstance(other, Union):
            return Union(self.ring, [self & piece for piece in other.pieces])
        return BasicSet(
            self.ring,
            self.equations + other.equations,
            self.positive + other.positive,
            self.nonnegative + other.nonnegative,
        )

    def __or__(self, other: BasicSet | Union) -> Union:
        """Return the union."""
        _check_set(other, self.ring)
        return Union(self.ring, (self, *other.pieces))

    def __invert__(self) -> Union:
        """Return the complement: one piece for every way to violate one condition."""
        ring = self.ring
        pieces = [BasicSet(ring, positive=[s * e]) for e in self.equations for s in (1, -1)]
        pieces += [BasicSet(ring, nonnegative=[-p]) for p in self.positive]
        pieces += [BasicSet(ring, positive=[-q]) for q in self.nonnegative]
        return Union(ring, pieces)

    def _key(self) -> tuple[Any, ...]:
        return self.ring, self.equations, self.positive, self.nonnegative

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BasicSet) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _repr_latex_(self) -> str:
        from symfiber.report.display import set_latex

        return set_latex(self)

    def __repr__(self) -> str:
        return (
            f"<BasicSet in ℝ^{len(self.ring.names)}: {len(self.equations)} equations, "
            f"{len(self.positive)} strict and {len(self.nonnegative)} non-strict inequalities>"
        )

    def __str__(self) -> str:
        """Return the conditions; a long list is cut with a count."""
        return self.to_text(_SHOWN_CONDITIONS)

    def to_text(self, limit: int | None = None) -> str:
        """Return all conditions, or the first ``limit`` and the number of the others."""
        conditions = self.conditions()
        shown = [f"{polynomial} {relation} 0" for polynomial, relation in conditions[:limit]]
        if limit is not None and len(conditions) > limit:
            shown.append(f"… {len(conditions) - limit} more conditions")
        return "{ " + ",  ".join(shown) + " }"


class Union:
    """A finite union of basic sets in one coordinate space.

    Examples
    --------
    >>> R = PolynomialRing(("x",)); (x,) = R.generators
    >>> outside = Union(R, [BasicSet(R, positive=[x - 1]), BasicSet(R, positive=[-x - 1])])
    >>> [outside.contains([v]) for v in (-2, 0, 2)]
    [True, False, True]
    """

    __slots__ = ("pieces", "ring")

    def __init__(self, ring: PolynomialRing, pieces: Iterable[BasicSet]) -> None:
        self.ring = ring
        self.pieces = tuple(dict.fromkeys(pieces))
        if len(self.pieces) > _PIECE_LIMIT:
            raise LimitExceededError(f"a union must have at most {_PIECE_LIMIT} pieces, got {len(self.pieces)}")
        for piece in self.pieces:
            if piece.ring is not ring:
                raise InputError(f"pieces of a union must live in {ring!r}, got one in {piece.ring!r}")

    def contains(self, point: Sequence[Any]) -> bool:
        """Return whether a rational point lies in one of the pieces, decided exactly."""
        values = rational_point(self.ring, point)
        return any(piece.contains(values) for piece in self.pieces)

    def __contains__(self, point: Sequence[Any]) -> bool:
        return self.contains(point)

    def __and__(self, other: BasicSet | Union) -> Union:
        """Return the intersection, one piece for every pair of pieces."""
        _check_set(other, self.ring)
        return Union(self.ring, [a & b for a in self.pieces for b in other.pieces])

    def __or__(self, other: BasicSet | Union) -> Union:
        """Return the union."""
        _check_set(other, self.ring)
        return Union(self.ring, (*self.pieces, *other.pieces))

    def __invert__(self) -> Union:
        """Return the complement; the number of pieces is the product of the numbers of conditions."""
        result = Union(self.ring, [BasicSet.everything(self.ring)])
        for piece in self.pieces:
            result = result & ~piece
        return result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Union) and self.ring is other.ring and set(self.pieces) == set(other.pieces)

    def __hash__(self) -> int:
        return hash((self.ring, frozenset(self.pieces)))

    def _repr_latex_(self) -> str:
        from symfiber.report.display import set_latex

        return set_latex(self)

    def __repr__(self) -> str:
        return f"<Union of {len(self.pieces)} basic sets in ℝ^{len(self.ring.names)}>"

    def __str__(self) -> str:
        return self.to_text(_SHOWN_CONDITIONS)

    def to_text(self, limit: int | None = None) -> str:
        """Return every piece on a line, with all conditions or the first ``limit`` of each."""
        return "\n∪ ".join(piece.to_text(limit) for piece in self.pieces) if self.pieces else "{ }"


SemialgebraicSet = BasicSet | Union
"""A basic set or a finite union of them."""


def _check_set(value: object, ring: PolynomialRing) -> None:
    if not isinstance(value, (BasicSet, Union)):
        raise InputError(f"the other operand must be a BasicSet or a Union, got {type(value).__name__}")
    if value.ring is not ring:
        raise InputError(f"sets must live in one ring, got {ring!r} and {value.ring!r}")


def _is_positive_number(polynomial: Polynomial) -> bool:
    value = polynomial.constant_value()
    return value is not None and bool(value > 0)


def rational_point(ring: PolynomialRing, point: Sequence[Any]) -> tuple[Rational, ...]:
    """Return the coordinates as rationals; raise unless there is one for every name of the ring."""
    values = tuple(rational(x, "point coordinate") for x in point)
    if len(values) != len(ring.names):
        raise InputError(f"point must have {len(ring.names)} coordinates, got {len(values)}")
    return values
