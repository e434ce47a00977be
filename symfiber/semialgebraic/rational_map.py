"""Rational maps between coordinate spaces, defined on a basic set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from symfiber.exact import ONE, ZERO, Matrix, Polynomial, Rational
from symfiber.semialgebraic.sets import BasicSet, rational_point


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
    >>> from symfiber.exact import PolynomialRing
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
        values = rational_point(self.domain.ring, point)
        cache: dict[Polynomial, Rational] = {}
        image = []
        for numerator, denominator in zip(self.numerators, self.denominators):
            if denominator not in cache:
                cache[denominator] = denominator(values)
            image.append(numerator(values) / cache[denominator])
        return tuple(image)

    def jacobian(self, point: Sequence[Any]) -> Matrix:
        """Return the matrix of partial derivatives at a point, one row a target coordinate."""
        values = rational_point(self.domain.ring, point)
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
