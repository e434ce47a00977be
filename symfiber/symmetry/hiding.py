"""Symmetries of a hidden hypersurface: the hiding translation and the sign flips (THEORY §2, H2 and H1)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from symfiber.errors import InputError
from symfiber.exact import Rational, rational
from symfiber.network import ActivationPattern, Network
from symfiber.parameters import Layer
from symfiber.symmetry.invariance import InvarianceProof, all_patterns, compare_cells, symbolic_network
from symfiber.symmetry.neurons import Kind, replaced


@dataclass(frozen=True, slots=True)
class HidingTranslation:
    """Translate a hidden hyperplane: b₁,i ↦ b₁,i + t and b₂,j ↦ b₂,j − w_ji t for all live j.

    Allowed iff b₂,j − w_ji t ≤ 0 for all live j, the half-line t ≥ max_j b₂,j / w_ji.  A value is the number t.
    """

    hidden: int
    live: tuple[int, ...]
    architecture: tuple[int, ...]

    kind: Kind = "continuous"
    dimension: int = 1

    @property
    def name(self) -> str:
        """A short name."""
        return f"hiding translation of first-layer neuron {self.hidden}"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return "for t >= max over live neurons j of b2[j] / W2[j, i], i the hidden neuron"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        return f"b1[{self.hidden}] + t, and b2[j] - W2[j,{self.hidden}] t for live neurons j"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the translation by -t"

    def least(self, net: Network) -> Rational:
        """Return the end of the half-line of allowed translations of ``net``."""
        weight, bias = net.scalar_layers[1]
        return max(bias[j] / weight[j][self.hidden] for j in self.live)

    def __call__(self, net: Network, value: Any) -> Network:
        """Apply to a network; a symbolic t is taken as allowed."""
        t = net.ring.coerce(value) if net.ring else rational(value)
        first, second = net.scalar_layers[:2]
        if net.ring is None and t < self.least(net):
            raise InputError(f"the translation must be at least {self.least(net)}, got {t}")
        i = self.hidden
        b1 = (*first.bias[:i], first.bias[i] + t, *first.bias[i + 1 :])
        b2 = tuple(b - second.weight[j][i] * t if j in self.live else b for j, b in enumerate(second.bias))
        return replaced(net, layer1=Layer(first.weight, b1), layer2=Layer(second.weight, b2))

    def inverse(self, net: Network, value: Any) -> Rational:
        """Return −t."""
        return -rational(value)

    def sample(self, net: Network, seed: int = 0) -> Rational:
        """Return a value that may be applied at ``net``."""
        return self.least(net) + Rational(random.Random(seed).randint(0, 40), 4)

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters of the hiding sign pattern.

        A live neuron is active only where neuron i is, before and after; where no live neuron is active the function is
        b₃.
        """
        base, (t,) = symbolic_network(self.architecture, ["t"])
        pairs = ((p, p) for p in _hiding_patterns(self.architecture, self.hidden, self.live))
        return compare_cells(f"{self.name}, architecture {self.architecture}", base, self(base, t), pairs)


@dataclass(frozen=True, slots=True)
class SignFlip:
    """Flip another first-layer neuron k when a single live neuron j hides i: an involution.

    (W₁,b₁)_k ↦ −(W₁,b₁)_k and (W₁,b₁)_i ↦ (W₁,b₁)_i − (|w_jk|/w_ji)(W₁,b₁)_k.  The only value is ``None``.
    """

    flipped: int
    hidden: int
    live: int
    architecture: tuple[int, ...]

    kind: Kind = "discrete"
    dimension: int = 0

    @property
    def name(self) -> str:
        """A short name."""
        return f"sign flip of first-layer neuron {self.flipped}"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return f"where neuron {self.live} is the only live neuron of layer 2 and hides neuron {self.hidden}"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        k, i, j = self.flipped, self.hidden, self.live
        return f"row {k} of [W1|b1] negated, row {i} minus |W2[{j},{k}]|/W2[{j},{i}] times the old row {k}"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the flip itself"

    def __call__(self, net: Network, value: None = None) -> Network:
        """Apply to a network."""
        w = net.scalar_layers[1].weight[self.live]
        ratio_top = -w[self.flipped]
        if net.ring is None and (ratio_top < 0 or w[self.hidden] <= 0):
            raise InputError(f"neuron {self.live} must hide neuron {self.hidden}, got weights {w}")
        first = net.scalar_layers[0]
        k, i = self.flipped, self.hidden
        rows = [(*row, b) for row, b in zip(*first)]
        rows[i] = tuple(x - ratio_top * y / w[i] for x, y in zip(rows[i], rows[k]))
        rows[k] = tuple(-y for y in rows[k])
        return replaced(net, layer1=Layer(tuple(row[:-1] for row in rows), tuple(row[-1] for row in rows)))

    def inverse(self, net: Network, value: None = None) -> None:
        """Return the only value: the flip undoes itself."""

    def sample(self, net: Network, seed: int = 0) -> None:
        """Return the only value."""

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters of the sign pattern; row k is written as w_ji times indeterminates.

        On the cells where the live neuron is active, neuron i is active before and after, and the activity of k is
        exchanged.
        """
        plain, _ = symbolic_network(self.architecture)
        k, w = self.flipped, plain.scalar_layers[1].weight[self.live][self.hidden]
        layers = [(list(layer.weight), list(layer.bias)) for layer in plain.scalar_layers]
        layers[0][0][k] = tuple(x * w for x in layers[0][0][k])
        layers[0][1][k] = layers[0][1][k] * w
        base = plain.with_layers(layers)

        def exchanged(pattern: ActivationPattern) -> ActivationPattern:
            first = pattern[0]
            return (*first[:k], not first[k], *first[k + 1 :]), pattern[1]

        patterns = _hiding_patterns(self.architecture, self.hidden, (self.live,))
        pairs = ((p, exchanged(p)) for p in patterns)
        return compare_cells(f"{self.name}, architecture {self.architecture}", base, self(base), pairs)


def _hiding_patterns(architecture: tuple[int, ...], hidden: int, live: tuple[int, ...]) -> Iterator[ActivationPattern]:
    """The patterns that a hiding sign pattern allows: dead neurons off, a live neuron on only where i is on."""
    for pattern in all_patterns(architecture[1:3]):
        if any(on and j not in live for j, on in enumerate(pattern[1])):
            continue
        if any(pattern[1]) and not pattern[0][hidden]:
            continue
        yield pattern
