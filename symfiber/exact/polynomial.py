"""Immutable, hashable polynomials over ℚ.

FLINT's multivariate polynomials are mutable, unhashable and say "not equal" when two rings meet.  This wrapper
copies in, exposes no setter, hashes by value and raises when rings are mixed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any
from weakref import WeakValueDictionary

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpz

from symfiber.errors import InputError
from symfiber.exact.scalars import ZERO, rational, shorten

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_NUMBERS = (int, fmpq, fmpz, Fraction)


class PolynomialRing:
    """The polynomial ring ℚ[names]; one object for each tuple of names.

    Examples
    --------
    >>> R = PolynomialRing(("x", "y"))
    >>> x, y = R.generators
    >>> (x + y) * (x - y) == x**2 - y**2
    True
    >>> R is PolynomialRing(("x", "y"))
    True
    """

    __slots__ = ("__weakref__", "_context", "_index", "names")

    names: tuple[str, ...]
    _context: Any
    _index: dict[str, int]

    def __new__(cls, names: Iterable[str]) -> PolynomialRing:
        """Return the one ring with these names."""
        return _ring(tuple(names))

    @property
    def generators(self) -> tuple[Polynomial, ...]:
        """The indeterminates, in the order of ``names``."""
        return tuple(Polynomial(self, g) for g in self._context.gens())

    def generator(self, name: str) -> Polynomial:
        """Return the indeterminate of that name."""
        return Polynomial(self, self._context.gen(self.position(name)))

    def position(self, name: str) -> int:
        """Return the place of the indeterminate in ``names``."""
        if name not in self._index:
            raise InputError(f"symbol must be one of the ring's {len(self.names)} names, got {name!r}")
        return self._index[name]

    def constant(self, value: Any) -> Polynomial:
        """Return the constant polynomial."""
        return Polynomial(self, self._context.constant(rational(value)))

    def from_terms(self, terms: Mapping[tuple[int, ...], Any]) -> Polynomial:
        """Return Σ coefficient · monomial from exponent tuples."""
        return Polynomial(self, self._context.from_dict({e: rational(c) for e, c in terms.items()}))

    def coerce(self, value: Any) -> Polynomial:
        """Return the value as an element of this ring; polynomials of another ring raise."""
        if isinstance(value, Polynomial):
            if value.ring is not self:
                raise InputError(f"polynomials must belong to one ring, got {value.ring!r} and {self!r}")
            return value
        return self.constant(value)

    def embed(self, value: Polynomial) -> Polynomial:
        """Return the same polynomial in this ring, which must contain its indeterminates."""
        missing = [name for name in value.symbols() if name not in self._index]
        if missing:
            raise InputError(f"target ring must contain the symbol {missing[0]!r}, got {self!r}")
        positions = [self._index.get(name) for name in value.ring.names]
        terms = {}
        for exponents, coefficient in value.terms().items():
            target = [0] * len(self.names)
            for position, exponent in zip(positions, exponents):
                if exponent and position is not None:
                    target[position] = exponent
            terms[tuple(target)] = coefficient
        return self.from_terms(terms)

    def __reduce__(self) -> tuple[Any, ...]:
        return PolynomialRing, (self.names,)

    def __repr__(self) -> str:
        shown = ", ".join(self.names[:4]) + (f", … ({len(self.names)})" if len(self.names) > 4 else "")
        return f"ℚ[{shown}]"


# Weak: a ring lives as long as something uses it, and while it lives it is the only one with its names.
_RINGS: WeakValueDictionary[tuple[str, ...], PolynomialRing] = WeakValueDictionary()


def _ring(names: tuple[str, ...]) -> PolynomialRing:
    known = _RINGS.get(names)
    if known is not None:
        return known
    seen = set()
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InputError(
                f"symbol name must be a letter or underscore, then letters, digits and underscores, got {shorten(name)}"
            )
        if name in seen:
            raise InputError(f"symbol names must be distinct, got {name!r} twice")
        seen.add(name)
    ring = object.__new__(PolynomialRing)
    ring.names = names
    ring._context = fmpq_mpoly_ctx.get(list(names))
    ring._index = {name: i for i, name in enumerate(names)}
    _RINGS[names] = ring
    return ring


class Polynomial:
    """An element of a :class:`PolynomialRing`.

    ``+ - *`` accept polynomials of the same ring and exact numbers; ``/`` divides exactly or raises; ``**`` takes a
    nonnegative int.  Values are never changed.
    """

    __slots__ = ("_hash", "_value", "ring")

    ring: PolynomialRing

    def __init__(self, ring: PolynomialRing, value: fmpq_mpoly) -> None:
        self.ring = ring
        self._value = value
        self._hash: int | None = None

    def _operand(self, other: Any) -> Any:
        if isinstance(other, Polynomial):
            if other.ring is not self.ring:
                raise InputError(f"polynomials must belong to one ring, got {self.ring!r} and {other.ring!r}")
            return other._value
        return rational(other, "polynomial operand") if isinstance(other, _NUMBERS) else None

    def __add__(self, other: Any) -> Polynomial:
        value = self._operand(other)
        return NotImplemented if value is None else Polynomial(self.ring, self._value + value)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Polynomial:
        value = self._operand(other)
        return NotImplemented if value is None else Polynomial(self.ring, self._value - value)

    def __rsub__(self, other: Any) -> Polynomial:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Polynomial:
        value = self._operand(other)
        return NotImplemented if value is None else Polynomial(self.ring, self._value * value)

    __rmul__ = __mul__

    def __neg__(self) -> Polynomial:
        return Polynomial(self.ring, -self._value)

    def __pow__(self, exponent: int) -> Polynomial:
        if not isinstance(exponent, int) or exponent < 0:
            raise InputError(f"polynomial exponent must be a nonnegative int, got {shorten(exponent)}")
        return Polynomial(self.ring, self._value**exponent)

    def __truediv__(self, other: Any) -> Polynomial:
        """Divide exactly; raise :class:`InputError` when the quotient is not a polynomial."""
        value = self._operand(other)
        if value is None:
            return NotImplemented
        if value == 0:
            raise InputError("polynomial divisor must not be zero")
        if isinstance(value, fmpq):
            return Polynomial(self.ring, self._value * (1 / value))
        quotient, remainder = divmod(self._value, value)
        if remainder != 0:
            raise InputError(f"polynomial division must be exact, {self} is not divisible by {other}")
        return Polynomial(self.ring, quotient)

    def __bool__(self) -> bool:
        return bool(self._value != 0)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Polynomial):
            return other.ring is self.ring and bool(self._value == other._value)
        return isinstance(other, _NUMBERS) and bool(self._value == rational(other))

    def __hash__(self) -> int:
        if self._hash is None:
            constant = self.constant_value()
            # FLINT's own text is canonical for a ring and far cheaper than the exponent tuples of wide rings.
            self._hash = hash(constant if constant is not None else self._value.str())
        return self._hash

    def __call__(self, point: Sequence[fmpq]) -> fmpq:
        """Return the value at a point given in the order of ``ring.names``."""
        if len(point) != len(self.ring.names):
            raise InputError(f"point must have {len(self.ring.names)} coordinates, got {len(point)}")
        return self._value(*point) if point else self.constant_value() or ZERO

    def compose(self, images: Sequence[Polynomial]) -> Polynomial:
        """Substitute one polynomial (all of one ring) for each indeterminate."""
        if len(images) != len(self.ring.names):
            raise InputError(f"images must be {len(self.ring.names)} polynomials, got {len(images)}")
        if not images:
            return self
        ring = images[0].ring
        return Polynomial(ring, self._value.compose(*(ring.coerce(image)._value for image in images)))

    def derivative(self, name: str) -> Polynomial:
        """Return ∂/∂name."""
        return Polynomial(self.ring, self._value.derivative(self.ring.position(name)))

    def terms(self) -> dict[tuple[int, ...], fmpq]:
        """Return {exponents: coefficient}."""
        return dict(self._value.to_dict())

    def symbols(self) -> tuple[str, ...]:
        """Return the names that occur, in the ring's order."""
        degrees = self._value.degrees()
        return tuple(name for name, degree in zip(self.ring.names, degrees) if degree > 0)

    def total_degree(self) -> int:
        """Return the total degree; −1 for the zero polynomial."""
        return int(self._value.total_degree()) if self else -1

    def constant_value(self) -> fmpq | None:
        """Return the value of a constant polynomial, ``None`` for a nonconstant one."""
        if not self._value.is_constant():
            return None
        return self._value.leading_coefficient() if self else ZERO

    def primitive(self) -> Polynomial:
        """Return the positive multiple with coprime integer coefficients."""
        if not self:
            return self
        numerators, denominator = fmpz(0), fmpz(1)
        for coefficient in self._value.coeffs():
            numerators, denominator = numerators.gcd(coefficient.p), denominator.lcm(coefficient.q)
        return Polynomial(self.ring, self._value * fmpq(denominator, numerators))

    def leading_coefficient(self) -> fmpq:
        """Return the coefficient of the largest monomial in the ring's order."""
        return self._value.leading_coefficient() if self else ZERO

    def render(
        self,
        name: Callable[[str], str],
        times: str = "*",
        power: Callable[[str, int], str] = "{}^{}".format,
    ) -> str:
        """Return the polynomial as text with every symbol passed through ``name``, powers through ``power``."""
        if not self:
            return "0"
        parts: list[str] = []
        for exponents, coefficient in self._value.to_dict().items():
            factors = [
                power(name(symbol), int(exponent)) if exponent > 1 else name(symbol)
                for symbol, exponent in zip(self.ring.names, exponents)
                if exponent
            ]
            size = abs(coefficient)
            if size != 1 or not factors:
                factors.insert(0, str(size))
            glue = (" - " if coefficient < 0 else " + ") if parts else ("-" if coefficient < 0 else "")
            parts.append(glue + times.join(factors))
        return "".join(parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.ring.names, self.terms())

    def __str__(self) -> str:
        return str(self._value.str())

    def __repr__(self) -> str:
        return shorten(_Bare(str(self)), 80)


class _Bare(str):
    """Text whose ``repr`` has no quotes."""

    def __repr__(self) -> str:
        return str(self)


def _rebuild(names: tuple[str, ...], terms: dict[tuple[int, ...], fmpq]) -> Polynomial:
    return PolynomialRing(names).from_terms(terms)


Scalar = fmpq | Polynomial
"""What a network's entries are: a rational number, or a polynomial in the network's symbols."""
