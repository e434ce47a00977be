"""Rational parametrisations, built variable by variable together with one sample point of their domain."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

from symfiber.exact import Polynomial, PolynomialRing, Rational, dot
from symfiber.parameters import parameter_names, split
from symfiber.semialgebraic import BasicSet, RationalMap

Range = Literal["free", "positive", "nonnegative", "nonpositive"]


class ChartBuilder:
    """Declare variables with a range and a sample value first; then build polynomials in them.

    A chart's sample point satisfies every inequality strictly, so that the Jacobian there gives the dimension.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.values: dict[str, Rational] = {}
        self._ranges: dict[str, Range] = {}
        self._ring: PolynomialRing | None = None
        self._positive: list[Polynomial] = []
        self._nonnegative: list[Polynomial] = []

    def declare(self, name: str, value: Rational | None = None, range: Range = "free") -> str:
        """Add a variable; without a value a random one of the range is drawn."""
        self.values[name] = self.draw(range) if value is None else value
        self._ranges[name] = range
        return name

    def draw(self, range: Range = "positive") -> Rational:
        """Return a small random rational strictly inside the range (nonzero when free)."""
        size = Rational(self.random.randint(1, 12), self.random.choice((1, 1, 2, 3, 5)))
        if range == "nonpositive" or (range == "free" and self.random.random() < 0.5):
            return -size
        return size

    @property
    def ring(self) -> PolynomialRing:
        """The ring of all declared variables; no variable can be declared afterwards."""
        if self._ring is None:
            self._ring = PolynomialRing(self.values)
        return self._ring

    def __getitem__(self, name: str) -> Polynomial:
        return self.ring.generator(name)

    def require_positive(self, polynomial: Polynomial) -> None:
        """Add polynomial > 0 to the domain."""
        self._positive.append(polynomial)

    def require_nonnegative(self, polynomial: Polynomial) -> None:
        """Add polynomial ≥ 0 to the domain."""
        self._nonnegative.append(polynomial)

    def build(
        self, coordinates: Mapping[str, tuple[Polynomial | Rational, Polynomial | Rational]], target: Sequence[str]
    ) -> tuple[RationalMap, tuple[Rational, ...]]:
        """Return the map with the given (numerator, denominator) per target name, and the sample point."""
        signs: dict[Range, int] = {"positive": 1, "nonnegative": 1, "nonpositive": -1}
        positive = [self[n] for n, kind in self._ranges.items() if kind == "positive"]
        nonnegative = [
            self[n] * signs[kind] for n, kind in self._ranges.items() if kind in ("nonnegative", "nonpositive")
        ]
        domain = BasicSet(self.ring, positive=positive + self._positive, nonnegative=nonnegative + self._nonnegative)
        pairs = [coordinates[name] for name in target]
        numerators = tuple(self.ring.coerce(numerator) for numerator, _ in pairs)
        denominators = tuple(self.ring.coerce(denominator) for _, denominator in pairs)
        chart = RationalMap(domain, numerators, denominators, tuple(target))
        return chart, tuple(self.values[name] for name in self.ring.names)


class Ambient:
    """The coordinates of the parameter space as polynomials, laid out like a network.

    ``W1, b1, W2, b2, W3, b3`` are nested tuples of the generators of ``ring``.  With ``base`` symbols, which the
    coefficients of a set may contain, the ring has those first and the coordinates carry a prefix.
    """

    def __init__(self, architecture: Sequence[int], base: Sequence[str] = (), prefix: str = "") -> None:
        self.names = tuple(prefix + name for name in parameter_names(architecture))
        self.ring = PolynomialRing((*base, *self.names))
        layers = split([self.ring.generator(name) for name in self.names], architecture)
        (self.W1, self.b1), (self.W2, self.b2), (self.W3, self.b3) = layers

    def outgoing(self, neuron: int) -> tuple[Polynomial, ...]:
        """The column of W₃ of a second-layer neuron."""
        return tuple(row[neuron] for row in self.W3)


def first_pivot(row: Sequence[Rational]) -> int:
    """Return the index of the first nonzero entry."""
    return next(q for q, value in enumerate(row) if value)


def same_ray(
    symbols: Sequence[Polynomial], row: Sequence[Any], pivot: int | None
) -> tuple[list[Polynomial], Polynomial, tuple[Polynomial, Any]]:
    """Return (equations, p, (numerator, denominator)) for {symbols = λ·row, λ > 0}: p > 0, and λ as a fraction.

    ``pivot`` is an entry of the row that vanishes nowhere; ``None`` when none is known, then row ≠ 0 is enough.
    """
    if pivot is not None:
        symbol, value = symbols[pivot], row[pivot]
        equations = [entry * value - symbol * x for entry, x in zip(symbols, row)]
        return equations, symbol * value, (symbol, value)
    equations = [symbols[p] * row[q] - symbols[q] * row[p] for p, q in combinations(range(len(row)), 2)]
    product = dot(symbols, row)
    return equations, product, (product, dot(row, row))
