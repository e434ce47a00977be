"""Semi-algebraic sets over ℚ and rational maps between coordinate spaces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from symfiber.errors import InputError
from symfiber.exact import ONE, ZERO, Matrix, Polynomial, PolynomialRing, Rational, rational

_SHOWN_CONDITIONS = 24


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

    def contains(self, point: Sequence[Any]) -> bool:
        """Return whether a rational point lies in the set, decided exactly."""
        return self.violation(point) is None

    def violation(self, point: Sequence[Any]) -> str | None:
        """Return the first condition that fails at the point as text, ``None`` when all hold."""
        values = _point(self.ring, point)
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

    def _key(self) -> tuple[Any, ...]:
        return self.ring, self.equations, self.positive, self.nonnegative

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BasicSet) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"<BasicSet in ℝ^{len(self.ring.names)}: {len(self.equations)} equations, "
            f"{len(self.positive)} strict and {len(self.nonnegative)} non-strict inequalities>"
        )

    def __str__(self) -> str:
        """Return all conditions; a long list is cut with a count."""
        conditions = self.conditions()
        shown = [f"{polynomial} {relation} 0" for polynomial, relation in conditions[:_SHOWN_CONDITIONS]]
        if len(conditions) > _SHOWN_CONDITIONS:
            shown.append(f"… {len(conditions) - _SHOWN_CONDITIONS} more conditions")
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
        for piece in self.pieces:
            if piece.ring is not ring:
                raise InputError(f"pieces of a union must live in {ring!r}, got one in {piece.ring!r}")

    def contains(self, point: Sequence[Any]) -> bool:
        """Return whether a rational point lies in one of the pieces, decided exactly."""
        values = _point(self.ring, point)
        return any(piece.contains(values) for piece in self.pieces)

    def __contains__(self, point: Sequence[Any]) -> bool:
        return self.contains(point)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Union) and self.ring is other.ring and set(self.pieces) == set(other.pieces)

    def __hash__(self) -> int:
        return hash((self.ring, frozenset(self.pieces)))

    def __repr__(self) -> str:
        return f"<Union of {len(self.pieces)} basic sets in ℝ^{len(self.ring.names)}>"

    def __str__(self) -> str:
        return "\n∪ ".join(map(str, self.pieces))


@dataclass(frozen=True, slots=True)
class RationalMap:
    """A rational map x ↦ (numerator_i(x) / denominator_i(x))_i, defined on a basic set.

    Attributes
    ----------
    domain : BasicSet
        In the ring of the map's own variables; no denominator vanishes on it.
    numerators, denominators : tuples of Polynomial
        One pair a target coordinate.
    target : tuple of str
        The names of the target coordinates.

    Examples
    --------
    >>> R = PolynomialRing(("t",)); (t,) = R.generators
    >>> circle = RationalMap(BasicSet(R), (1 - t*t, 2*t), (1 + t*t, 1 + t*t), ("x", "y"))
    >>> circle(["1/2"]), circle.jacobian(["1/2"]).rank()
    ((3/5, 4/5), 1)
    """

    domain: BasicSet
    numerators: tuple[Polynomial, ...]
    denominators: tuple[Polynomial, ...]
    target: tuple[str, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the map's variables."""
        return self.domain.ring.names

    def __call__(self, point: Sequence[Any]) -> tuple[Rational, ...]:
        """Return the image of a point of the domain; no check that it lies there."""
        values = _point(self.domain.ring, point)
        cache: dict[Polynomial, Rational] = {}
        image = []
        for numerator, denominator in zip(self.numerators, self.denominators):
            if denominator not in cache:
                cache[denominator] = denominator(values)
            image.append(numerator(values) / cache[denominator])
        return tuple(image)

    def jacobian(self, point: Sequence[Any]) -> Matrix:
        """Return the matrix of partial derivatives at a point, one row a target coordinate."""
        values = _point(self.domain.ring, point)
        positions = {name: i for i, name in enumerate(self.variables)}
        rows = []
        for numerator, denominator in zip(self.numerators, self.denominators):
            row = [ZERO] * len(positions)
            top, bottom = numerator(values), denominator(values)
            scale = ONE / (bottom * bottom)
            for name in dict.fromkeys((*numerator.symbols(), *denominator.symbols())):
                slope = numerator.derivative(name)(values) * bottom - top * denominator.derivative(name)(values)
                row[positions[name]] = slope * scale
            rows.append(row)
        return Matrix(rows, len(positions))

    def __repr__(self) -> str:
        return f"<RationalMap ℝ^{len(self.variables)} ⊇ domain → ℝ^{len(self.target)}>"

    def __str__(self) -> str:
        lines = []
        for name, numerator, denominator in zip(self.target, self.numerators, self.denominators):
            lines.append(f"{name} = {numerator}" if denominator == ONE else f"{name} = ({numerator})/({denominator})")
        return "\n".join(lines)


def _is_positive_number(polynomial: Polynomial) -> bool:
    value = polynomial.constant_value()
    return value is not None and bool(value > 0)


def _point(ring: PolynomialRing, point: Sequence[Any]) -> tuple[Rational, ...]:
    values = tuple(rational(x, "point coordinate") for x in point)
    if len(values) != len(ring.names):
        raise InputError(f"point must have {len(ring.names)} coordinates, got {len(values)}")
    return values
