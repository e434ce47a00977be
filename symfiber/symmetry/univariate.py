"""Symmetries of the univariate case n₁ = 1: translation of the first-layer bias and reversal of the direction.

Write R for the neurons active to the right of their kink (w > 0 > b), S for those active to the left (w < 0 < b).  A
member is *translated* when the slope at z = 0+ vanishes, Σ_lin c w + Σ_S c w = 0: no kink at y = 0.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from symfiber.errors import InputError
from symfiber.exact import Rational, dot, rational
from symfiber.network import Network
from symfiber.orthant import OrthantFunction
from symfiber.parameters import Layer
from symfiber.symmetry.invariance import InvarianceProof, all_patterns, compare_cells, symbolic_network
from symfiber.symmetry.neurons import Kind, replaced


@dataclass(frozen=True, slots=True)
class Sides:
    """Which second-layer neurons are active to the right, to the left, everywhere (linear) of their kinks."""

    right: tuple[int, ...]
    left: tuple[int, ...]
    linear: tuple[int, ...]

    @classmethod
    def of(cls, net: Network) -> Sides:
        """Read the sides from the signs of a network of numbers with n₁ = 1."""
        g = OrthantFunction.from_layers(*net.scalar_layers[1:])
        nonlinear = g.neurons_of_type("nonlinear")
        return cls(
            tuple(j for j in nonlinear if g.weight[j][0] > 0),
            tuple(j for j in nonlinear if g.weight[j][0] < 0),
            g.neurons_of_type("linear"),
        )

    def start(self, width: int) -> tuple[bool, ...]:
        """The second-layer pattern left of all kinks: lin ∪ S."""
        return tuple(j in self.linear + self.left for j in range(width))

    def patterns(self, width: int) -> Iterator[tuple[bool, ...]]:
        """Second-layer patterns with linear neurons on and dead ones off."""
        for (pattern,) in all_patterns((width,)):
            if all(pattern[j] for j in self.linear) and all(
                j in self.right + self.left + self.linear for j, on in enumerate(pattern) if on
            ):
                yield pattern


@dataclass(frozen=True, slots=True)
class KinkTranslation:
    """b₁ ↦ b₁ + t, b₂,j ↦ b₂,j − w_j t for nonlinear j, e ↦ e + t Σ_S c_j w_j, where y = 0 carries no kink.

    Allowed while every b₂,j of R stays ≤ 0 and of S stays ≥ 0, that is t ≥ max_j b₂,j/w_j.  At the end of this
    half-line the first kink's neuron becomes linear (if in R): the translated component meets a visible one.
    """

    sides: Sides
    architecture: tuple[int, ...]

    kind: Kind = "continuous"
    dimension: int = 1

    @property
    def name(self) -> str:
        """A short name."""
        return "translation of the first-layer bias"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return "where f has no kink on y = 0, for t >= max over nonlinear j of b2[j] / W2[j,0]"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        return "b1 + t, b2[j] - W2[j,0] t for nonlinear j, b3 + t times the sum of W3[:,j] W2[j,0] over left-active j"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the translation by -t"

    def least(self, net: Network) -> Rational:
        """Return the end of the half-line of allowed translations."""
        weight, bias = net.scalar_layers[1]
        return max(bias[j] / weight[j][0] for j in self.sides.right + self.sides.left)

    def __call__(self, net: Network, value: Any) -> Network:
        """Apply to a network; a symbolic t is taken as allowed."""
        t = net.ring.coerce(value) if net.ring else rational(value)
        first, second, third = net.scalar_layers
        if net.ring is None:
            if any(_left_slope(net, self.sides, o) for o in range(len(third.bias))):
                raise InputError("the translation needs a network without kink on y = 0, this one has one")
            if t < self.least(net):
                raise InputError(f"the translation must be at least {self.least(net)}, got {t}")
        moving = self.sides.right + self.sides.left
        bias = tuple(b - second.weight[j][0] * t if j in moving else b for j, b in enumerate(second.bias))
        offset = tuple(
            e + t * dot((row[j] for j in self.sides.left), (second.weight[j][0] for j in self.sides.left))
            for e, row in zip(third.bias, third.weight)
        )
        return replaced(
            net,
            layer1=Layer(first.weight, (first.bias[0] + t,)),
            layer2=Layer(second.weight, bias),
            layer3=Layer(third.weight, offset),
        )

    def inverse(self, net: Network, value: Any) -> Rational:
        """Return −t."""
        return -rational(value)

    def sample(self, net: Network, seed: int = 0) -> Rational:
        """Return a value strictly inside the half-line at ``net``."""
        return self.least(net) + Rational(random.Random(seed).randint(1, 40), 4)

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters of these sides without a kink on y = 0.

        Left of all kinks the pattern is lin ∪ S, whether y > 0 or not, before and after.
        """
        sides, width = self.sides, self.architecture[2]
        base, (t,) = symbolic_network(self.architecture, ["t"])
        base = _impose(base, [(sides.left, sides.linear)])
        start = sides.start(width)
        pairs = [(((True,), p), ((True,), p)) for p in sides.patterns(width)]
        pairs += [(((x,), start), ((y,), start)) for x in (False, True) for y in (False, True)]
        return compare_cells(f"{self.name}, architecture {self.architecture}", base, self(base, t), pairs)


@dataclass(frozen=True, slots=True)
class Reversal:
    """Reverse the direction of a translated member whose function is constant at both ends.

    W₁ ↦ −W₁, b₁ ↦ s, nonlinear rows (w, b) ↦ (−w, b + w(b₁ + s)), linear columns c ↦ −c,
    e ↦ e + Σ_lin c (w (b₁ + s) + 2b): the neurons of R become those of S and conversely.  A value is the number s, with
    b + w(b₁ + s) > 0 for j in R and < 0 for j in S.
    """

    sides: Sides
    architecture: tuple[int, ...]

    kind: Kind = "discrete"
    dimension: int = 0

    @property
    def name(self) -> str:
        """A short name."""
        return "reversal of the direction"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return "where f is constant at both ends and has no kink on y = 0, for s beyond the last kink"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        return "W1 negated, b1 = s, nonlinear rows (w, b) become (-w, b + w (b1 + s)), linear columns negated"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the reversal with the old b1"

    def least(self, net: Network) -> Rational:
        """Return the end of the open half-line of allowed s."""
        first, second, _ = net.scalar_layers
        moving = self.sides.right + self.sides.left
        return max(-second.bias[j] / second.weight[j][0] for j in moving) - first.bias[0]

    def __call__(self, net: Network, value: Any) -> Network:
        """Apply to a network; a symbolic s is taken as allowed."""
        s = net.ring.coerce(value) if net.ring else rational(value)
        first, second, third = net.scalar_layers
        if net.ring is None and s <= self.least(net):
            raise InputError(f"s must be greater than {self.least(net)}, got {s}")
        moving, linear = self.sides.right + self.sides.left, self.sides.linear
        reach = first.bias[0] + s
        weight = tuple((-w,) if j in moving else (w,) for j, (w,) in enumerate(second.weight))
        bias = tuple(b + w * reach if j in moving else b for j, ((w,), b) in enumerate(zip(second.weight, second.bias)))
        out = tuple(tuple(-c if j in linear else c for j, c in enumerate(row)) for row in third.weight)
        moved = [second.weight[j][0] * reach + second.bias[j] * 2 for j in linear]
        offset = tuple(e + dot((row[j] for j in linear), moved) for e, row in zip(third.bias, third.weight))
        turned = tuple(-x for x in first.weight[0])
        return replaced(net, layer1=Layer((turned,), (s,)), layer2=Layer(weight, bias), layer3=Layer(out, offset))

    def inverse(self, net: Network, value: Any) -> Rational:
        """Return the old b₁; apply with the sides exchanged, see :meth:`reversed`."""
        result: Rational = net.scalar_layers[0].bias[0]
        return result

    def reversed(self) -> Reversal:
        """Return the same generator for the reversed networks, where R and S are exchanged."""
        return Reversal(Sides(self.sides.left, self.sides.right, self.sides.linear), self.architecture)

    def sample(self, net: Network, seed: int = 0) -> Rational:
        """Return a value that may be applied at ``net``."""
        return self.least(net) + Rational(random.Random(seed).randint(1, 40), 4)

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters of these sides that are constant at both ends without kink on y = 0."""
        sides, width = self.sides, self.architecture[2]
        base, (s,) = symbolic_network(self.architecture, ["s"])
        base = _impose(base, [(sides.left, sides.linear), (sides.right, sides.linear)])
        start, end = sides.start(width), Sides(sides.left, sides.right, sides.linear).start(width)
        pairs = [(((True,), p), ((True,), p)) for p in sides.patterns(width)]
        pairs += [(((False,), start), ((True,), start)), (((True,), end), ((False,), end))]
        return compare_cells(f"{self.name}, architecture {self.architecture}", base, self(base, s), pairs)


@dataclass(frozen=True, slots=True)
class EndExchange:
    """Reverse the direction when layer 1 makes the first kink and all neurons of layer 2 are active to the left.

    Let q be the neuron of the last kink, z_q = −b_q/w_q.  Layer 1 takes over that kink and q takes over the first one:
    (W₁, b₁) ↦ (−W₁, z_q − b₁); (w, b)_j ↦ (w_j, −b_j − w_j z_q) for j ≠ q; c_q ↦ −Σ_j c_j w_j / w_q;
    e ↦ e − Σ c′b′.  The only value is ``None``.
    """

    architecture: tuple[int, ...]

    kind: Kind = "discrete"
    dimension: int = 0

    @property
    def name(self) -> str:
        """A short name."""
        return "exchange of the two end kinks"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return "where W2 < 0 < b2 in all rows, so that f is constant at both ends"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        return "W1 negated, layer 1 makes the last kink and the neuron of the last kink makes the first"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the exchange itself"

    def __call__(self, net: Network, value: None = None) -> Network:
        """Apply to a network of numbers."""
        second = net.scalar_layers[1]
        if not all(w < 0 < b for (w,), b in zip(second.weight, second.bias)):
            raise InputError("the exchange needs W2 < 0 < b2 in all rows")
        ends = [-b / w for (w,), b in zip(second.weight, second.bias)]
        return self._exchange(net, ends.index(max(ends)))

    def _exchange(self, net: Network, last: int) -> Network:
        first, second, third = net.scalar_layers
        w = [row[0] for row in second.weight]
        end = -second.bias[last] / w[last]
        bias = tuple(b if j == last else -b - w[j] * end for j, b in enumerate(second.bias))
        out = tuple(
            tuple(-dot(row, w) / w[last] if j == last else c for j, c in enumerate(row)) for row in third.weight
        )
        offset = tuple(e - dot(row, bias) for e, row in zip(third.bias, out))
        turned = tuple(-x for x in first.weight[0])
        return replaced(
            net,
            layer1=Layer((turned,), (end - first.bias[0],)),
            layer2=Layer(second.weight, bias),
            layer3=Layer(out, offset),
        )

    def inverse(self, net: Network, value: None = None) -> None:
        """Return the only value: the exchange undoes itself."""

    def sample(self, net: Network, seed: int = 0) -> None:
        """Return the only value."""

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters of this sign pattern; every neuron may make the last kink.

        Neuron j ≠ q is active after iff it was not before, q is active after iff y > 0 before, and y′ > 0 iff q was
        active before.  b_q and the other columns are written as multiples of w_q.
        """
        width = self.architecture[2]
        plain, _ = symbolic_network(self.architecture)
        _, second, third = plain.scalar_layers
        name = f"{self.name}, architecture {self.architecture}"
        cells = identities = 0
        for last in range(width):
            w = second.weight[last][0]
            bias = tuple(b * w if j == last else b for j, b in enumerate(second.bias))
            out = tuple(tuple(c if j == last else c * w for j, c in enumerate(row)) for row in third.weight)
            base = replaced(plain, layer2=Layer(second.weight, bias), layer3=Layer(out, third.bias))
            full, none = (True,) * width, (False,) * width
            pairs = [
                (((True,), p), ((True,), tuple(not on or j == last for j, on in enumerate(p))))
                for (p,) in all_patterns((width,))
                if p[last]
            ]
            # Before the first kink: y ≤ 0 and all active; after the last one: y′ ≤ 0 and all active.
            pairs += [(((False,), full), ((True,), none)), (((True,), none), ((False,), full))]
            proof = compare_cells(name, base, self._exchange(base, last), pairs)
            cells, identities = cells + proof.cells, identities + proof.identities
        return InvarianceProof(name, cells, identities)


def _left_slope(net: Network, sides: Sides, output: int) -> Rational:
    """Return the slope at z = 0+ of a network of numbers."""
    second, third = net.scalar_layers[1:]
    neurons = sides.linear + sides.left
    return dot((third.weight[output][j] for j in neurons), (second.weight[j][0] for j in neurons))


def _impose(net: Network, relations: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> Network:
    """Impose Σ_{j ∈ group} c_j w_j = 0 for groups (own, shared) on a symbolic network, covering all its solutions.

    One neuron of each group, its pivot, gets the column −(Σ of the others)/w_pivot; the other columns are written as
    multiples of all pivot weights, which are nonzero, so that the divisions are exact.
    """
    second, third = net.scalar_layers[1:]
    groups = [own + shared for own, shared in relations if own + shared]
    pivots = [group[0] for group in groups]
    factor: Any = 1
    for pivot in pivots:
        factor = factor * second.weight[pivot][0]
    out = [[c * factor for c in row] for row in third.weight]
    for pivot, group in zip(pivots, groups):
        for row in out:
            others = dot((row[j] for j in group[1:]), (second.weight[j][0] for j in group[1:]))
            row[pivot] = -net.ring.coerce(others) / second.weight[pivot][0]  # type: ignore[union-attr]
    return replaced(net, layer3=Layer(tuple(map(tuple, out)), third.bias))
