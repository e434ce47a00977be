"""The univariate normal form: bottleneck networks with n₁ = 1 (THEORY §2, last cases).

f(x) = h(u) with u = r·x, r = W₁/|first nonzero entry|, and h piecewise linear and constant far to the left.  The sorted
breakpoints with their slope jumps and the value at the left end are a complete invariant of f together with r, for
every parameter.
"""

from __future__ import annotations

from dataclasses import dataclass

from symfiber.exact import ZERO, Rational, dot
from symfiber.orthant import OrthantFunction, ray_key
from symfiber.parameters import Layer

Kink = tuple[Rational, tuple[Rational, ...]]


@dataclass(frozen=True, slots=True)
class UnivariateFunction:
    """x ↦ left_value + Σ_q jump_q · σ(direction·x − position_q).

    Attributes
    ----------
    direction : tuple of length d
        W₁ divided by the absolute value of its first nonzero entry.
    kinks : tuple of (position, jump)
        Sorted by position; every jump, of length m, is nonzero.
    left_value : tuple of length m
    """

    direction: tuple[Rational, ...]
    kinks: tuple[Kink, ...]
    left_value: tuple[Rational, ...]

    @classmethod
    def from_layers(cls, first: Layer, g: OrthantFunction) -> UnivariateFunction:
        """Read h from the only first-layer row and the orthant function g."""
        (row,), (bias,) = first
        direction = ray_key(row)
        size = next(abs(x) for x in row if x)
        jumps: dict[Rational, list[Rational]] = {}

        def add(position: Rational, slope: Rational, outgoing: tuple[Rational, ...]) -> None:
            jump = jumps.setdefault(position, [ZERO] * g.output_dimension)
            for o, c in enumerate(outgoing):
                jump[o] += c * slope

        for (w,), b, c in zip(g.weight, g.bias, g.outgoing):
            # y = size·u + bias; at y = 0 the neuron starts with its slope at z = 0+.
            add(-bias / size, size * (w if b > 0 or (b == 0 and w > 0) else ZERO), c)
            if w * b < 0:
                add((-b / w - bias) / size, size * abs(w), c)
        kinks = tuple((u, tuple(jump)) for u, jump in sorted(jumps.items()) if any(jump))
        return cls(direction, kinks, g.evaluate([0]))

    @property
    def right_slope(self) -> tuple[Rational, ...]:
        """The slope far to the right: the sum of all jumps."""
        return tuple(sum((jump[o] for _, jump in self.kinks), ZERO) for o in range(len(self.left_value)))

    @property
    def reversible(self) -> bool:
        """Whether h is constant at both ends, so that the direction can be reversed."""
        return not any(self.right_slope)

    def reversed(self) -> UnivariateFunction:
        """Return the same function written along the opposite direction; needs ``reversible``.

        Jumps of the slope do not change under u ↦ −u; the new left value is the value far to the right.
        """
        value = tuple(
            start - dot((u for u, _ in self.kinks), (jump[o] for _, jump in self.kinks))
            for o, start in enumerate(self.left_value)
        )
        kinks = tuple((-u, jump) for u, jump in reversed(self.kinks))
        return UnivariateFunction(tuple(-x for x in self.direction), kinks, value)
