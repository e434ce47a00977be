"""Theorem D: every neuron of layer 2 is dead, f is the constant b₃ (THEORY §2).

The generic fiber is {all rows of [W₂|b₂] ≤ 0, b₃ fixed}; everything else is free.  (A constant function also has
non-generic parameters, for example cancelling linear neurons; they are not described.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symfiber.bottleneck import Bottleneck
from symfiber.decomposition.charts import Ambient, ChartBuilder
from symfiber.decomposition.subsets import Subsets
from symfiber.errors import InputError, UndecidedError
from symfiber.exact import Polynomial, Rational
from symfiber.network import Network
from symfiber.orthant import OrthantFunction
from symfiber.semialgebraic import BasicSet, RationalMap, Union


class ConstantCase:
    """The one component of a network whose second-layer neurons are all dead."""

    name = "constant"

    def __init__(self, bottleneck: Bottleneck) -> None:
        self.bottleneck = bottleneck
        self.function = bottleneck.function
        self.labels = Subsets(())
        self.home: tuple[int, ...] = ()

    def check_label(self, label: tuple[int, ...]) -> None:
        """Raise unless the label is the only one, ()."""
        if label != ():
            raise InputError(f"the constant fiber has one component with label (), got {label!r}")

    def orientation(self, label: tuple[int, ...]) -> tuple[int, ...]:
        """Empty: no neuron has an orientation."""
        return ()

    def describe(self, label: tuple[int, ...]) -> str:
        """Name the component in words."""
        return "all neurons of layer 2 dead"

    def dimension(self, label: tuple[int, ...]) -> int:
        """N − m."""
        return self.bottleneck.network.parameter_count - self.function.output_dimension

    def dimension_reason(self, label: tuple[int, ...]) -> str:
        """Why the dimension is not larger."""
        return f"the {self.function.output_dimension} output biases are fixed, all other parameters are free"

    def local_dimension(self) -> int:
        """Return N − m when no entry of [W₂|b₂] is zero."""
        if not all(x for row in self.function.rows for x in row):
            raise UndecidedError("the local dimension needs dead neurons without zero entries")
        return self.dimension(())

    def largest_dimension_under_genericity(self) -> int:
        """N − m."""
        return self.dimension(())

    def labelled_count(self, label: tuple[int, ...]) -> int:
        """One: permutations map the component to itself."""
        return 1

    def labelled_total(self) -> int:
        """The number of labelled components in all."""
        return self.labels.count * self.labelled_count(self.home)

    def locate(self, other: Network) -> tuple[int, ...] | None:
        """Return () when all rows of [W₂|b₂] are ≤ 0 and b₃ agrees."""
        h = OrthantFunction.from_layers(*other.scalar_layers[1:])
        dead = all(kind == "dead" for kind in h.types)
        return () if dead and h.offset == self.function.offset else None

    def set(self, label: tuple[int, ...]) -> Union:
        """Return the component in ambient coordinates."""
        return constant_set(Ambient(self.bottleneck.network.architecture), self.function.offset)

    def strata(self, label: tuple[int, ...]) -> tuple[None, ...]:
        """One chart covers the component."""
        return (None,)

    def top_stratum(self, label: tuple[int, ...]) -> None:
        """The only stratum."""

    def chart(self, label: tuple[int, ...], stratum: None, seed: int) -> tuple[RationalMap, tuple[Rational, ...]]:
        """Return the inclusion of the free coordinates, and a sample point."""
        builder = ChartBuilder(seed)
        names = self.bottleneck.network.parameter_names
        fixed = {f"b3_{o}": value for o, value in enumerate(self.function.offset)}
        for name in names:
            if name not in fixed:
                builder.declare(name, None, "nonpositive" if name.startswith(("W2_", "b2_")) else "free")
        one = builder.ring.constant(1)
        point: dict[str, tuple[Polynomial | Rational, Polynomial | Rational]] = {
            name: (one * fixed[name] if name in fixed else builder[name], one) for name in names
        }
        return builder.build(point, names)

    def nongeneric_mask(self, label: tuple[int, ...]) -> tuple[int, ...] | None:
        """No mask is forced to fail."""
        return None


def constant_set(ambient: Ambient, offset: Sequence[Any]) -> Union:
    """Return the set of Theorem D: layer 2 dead, b₃ = offset (numbers or polynomials)."""
    equations = [symbol - value for symbol, value in zip(ambient.b3, offset)]
    nonnegative = [-x for w, b in zip(ambient.W2, ambient.b2) for x in (*w, b)]
    return Union(ambient.ring, [BasicSet(ambient.ring, equations, (), nonnegative)])
