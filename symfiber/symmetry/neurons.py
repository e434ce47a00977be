"""Symmetries of single neurons, at any depth: permutation, positive scaling, motion of a dead neuron."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from symfiber.errors import InputError
from symfiber.exact import ONE, PolynomialRing, Rational, Scalar, rational, shorten
from symfiber.network import Network
from symfiber.parameters import Layer, flatten
from symfiber.signs import sign_of
from symfiber.symmetry.invariance import InvarianceProof, all_patterns, compare_cells, symbolic_network

Kind = Literal["discrete", "continuous"]


def replaced(net: Network, **layers: Layer) -> Network:
    """Return the network with some layers exchanged, given as ``layer1=…, layer2=…``."""
    new = [layers.get(f"layer{number}", layer) for number, layer in enumerate(net.scalar_layers, start=1)]
    return net.with_layers(new)


def hidden_layer(net: Network, number: int) -> None:
    """Raise unless ``number`` names a hidden layer (one-based)."""
    if not isinstance(number, int) or not 1 <= number <= len(net.hidden_widths):
        raise InputError(f"layer must be a hidden layer 1..{len(net.hidden_widths)}, got {shorten(number)}")


@dataclass(frozen=True, slots=True)
class Permutation:
    """Renumber the neurons of one hidden layer: new neuron i is the old neuron order[i].

    A value is the tuple ``order``.

    Examples
    --------
    >>> net = Network([([[1], [2]], [3, 4]), ([[5, 6]], [7])])
    >>> swap = Permutation(1, net.architecture)
    >>> swap(net, (1, 0)).layers[0].bias, swap(swap(net, (1, 0)), swap.inverse(net, (1, 0))) == net
    ((Fraction(4, 1), Fraction(3, 1)), True)
    """

    layer: int
    architecture: tuple[int, ...]

    kind: Kind = "discrete"
    dimension: int = 0

    @property
    def name(self) -> str:
        """A short name."""
        return f"permutation of layer {self.layer}"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return "everywhere"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        number = self.layer
        return f"rows of W{number}, b{number} and columns of W{number + 1} permuted alike"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the inverse permutation"

    def __call__(self, net: Network, value: Sequence[int]) -> Network:
        """Apply to a network."""
        hidden_layer(net, self.layer)
        order = tuple(value)
        if sorted(order) != list(range(net.hidden_widths[self.layer - 1])):
            raise InputError(f"order must be a permutation of 0..{net.hidden_widths[self.layer - 1] - 1}, got {order}")
        (weight, bias), (after, offset) = net.scalar_layers[self.layer - 1 : self.layer + 1]
        return replaced(
            net,
            **{
                f"layer{self.layer}": Layer(tuple(weight[i] for i in order), tuple(bias[i] for i in order)),
                f"layer{self.layer + 1}": Layer(tuple(tuple(row[i] for i in order) for row in after), offset),
            },
        )

    def inverse(self, net: Network, value: Sequence[int]) -> tuple[int, ...]:
        """Return the value that undoes ``value``."""
        return tuple(sorted(range(len(value)), key=tuple(value).__getitem__))

    def sample(self, net: Network, seed: int = 0) -> tuple[int, ...]:
        """Return a value that may be applied at ``net``."""
        order = list(range(net.hidden_widths[self.layer - 1]))
        random.Random(seed).shuffle(order)
        return tuple(order)

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters of this architecture and the adjacent transpositions, which generate."""
        base = Network.symbolic(self.architecture)
        width, index = self.architecture[self.layer], self.layer - 1
        cells = identities = 0
        for i in range(width - 1):
            order = (*range(i), i + 1, i, *range(i + 2, width))
            pairs = (
                (p, (*p[:index], tuple(p[index][k] for k in order), *p[index + 1 :]))
                for p in all_patterns(base.hidden_widths)
            )
            proof = compare_cells(self.name, base, self(base, order), pairs)
            cells, identities = cells + proof.cells, identities + proof.identities
        return InvarianceProof(f"{self.name}, architecture {self.architecture}", cells, identities)


@dataclass(frozen=True, slots=True)
class PositiveScaling:
    """Scale the neurons of one hidden layer: (w, b, c)_i ↦ (t_i w, t_i b, c/t_i), t > 0.

    A value is the tuple of the factors t.

    Examples
    --------
    >>> net = Network([([[1], [2]], [3, 4]), ([[5, 6]], [7])])
    >>> scaling = PositiveScaling(1, net.architecture)
    >>> scaling(net, (2, "1/3")).layers[1].weight
    ((Fraction(5, 2), Fraction(18, 1)),)
    """

    layer: int
    architecture: tuple[int, ...]

    kind: Kind = "continuous"

    @property
    def dimension(self) -> int:
        """The width of the layer."""
        return self.architecture[self.layer]

    @property
    def name(self) -> str:
        """A short name."""
        return f"positive scaling of layer {self.layer}"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return "everywhere, for factors t > 0"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        number = self.layer
        return f"row i of W{number}, b{number} times t_i, column i of W{number + 1} divided by t_i"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the factors 1/t_i"

    def __call__(self, net: Network, value: Sequence[Any]) -> Network:
        """Apply to a network; symbolic factors are taken as positive."""
        hidden_layer(net, self.layer)
        factors = [_positive(t, net.ring) for t in value]
        (weight, bias), (after, offset) = net.scalar_layers[self.layer - 1 : self.layer + 1]
        if len(factors) != len(weight):
            raise InputError(f"factors must have length {len(weight)}, got {len(factors)}")
        return replaced(
            net,
            **{
                f"layer{self.layer}": Layer(
                    tuple(tuple(x * t for x in row) for row, t in zip(weight, factors)),
                    tuple(b * t for b, t in zip(bias, factors)),
                ),
                f"layer{self.layer + 1}": Layer(
                    tuple(tuple(x / t for x, t in zip(row, factors)) for row in after), offset
                ),
            },
        )

    def inverse(self, net: Network, value: Sequence[Any]) -> tuple[Rational, ...]:
        """Return the value that undoes ``value``."""
        return tuple(ONE / rational(t) for t in value)

    def sample(self, net: Network, seed: int = 0) -> tuple[Rational, ...]:
        """Return a value that may be applied at ``net``."""
        draw = random.Random(seed)
        return tuple(Rational(draw.randint(1, 9), draw.randint(1, 9)) for _ in range(self.dimension))

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters; the next layer's weights are written as t_i times an indeterminate."""
        plain, factors = symbolic_network(self.architecture, [f"t_{i}" for i in range(self.dimension)])
        after = plain.scalar_layers[self.layer]
        product = Layer(tuple(tuple(x * t for x, t in zip(row, factors)) for row in after.weight), after.bias)
        base = replaced(plain, **{f"layer{self.layer + 1}": product})
        pairs = ((p, p) for p in all_patterns(base.hidden_widths))
        return compare_cells(f"{self.name}, architecture {self.architecture}", base, self(base, factors), pairs)


@dataclass(frozen=True, slots=True)
class DeadMotion:
    """Move a dead neuron of layer 2 freely: any row ≤ 0 and any outgoing column.

    A value is (row, bias, column).
    """

    neuron: int
    architecture: tuple[int, ...]

    kind: Kind = "continuous"

    @property
    def dimension(self) -> int:
        """n₁ + 1 + m."""
        return self.architecture[1] + 1 + self.architecture[3]

    @property
    def name(self) -> str:
        """A short name."""
        return f"motion of dead neuron {self.neuron}"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return f"where all entries of row {self.neuron} of [W2|b2] are <= 0"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        return f"row {self.neuron} of [W2|b2] becomes any row <= 0, column {self.neuron} of W3 anything"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the old row and column"

    def __call__(self, net: Network, value: tuple[Sequence[Any], Any, Sequence[Any]]) -> Network:
        """Apply to a network; symbolic entries are taken as ≤ 0."""
        second, third = net.scalar_layers[1:3]
        j = self.neuron
        row, bias, column = value
        new_row = [net.ring.coerce(x) if net.ring else rational(x) for x in (*row, bias)]
        if net.ring is None:
            for what, entries in (("given", (*second.weight[j], second.bias[j])), ("new", new_row)):
                if any(sign_of(x, {}) > 0 for x in entries):
                    raise InputError(f"the {what} row of dead neuron {j} must have entries <= 0, got {entries}")
        weight = (*second.weight[:j], tuple(new_row[:-1]), *second.weight[j + 1 :])
        biases = (*second.bias[:j], new_row[-1], *second.bias[j + 1 :])
        out = tuple((*line[:j], x, *line[j + 1 :]) for line, x in zip(third.weight, column))
        return replaced(net, layer2=Layer(weight, biases), layer3=Layer(out, third.bias))

    def inverse(self, net: Network, value: Any) -> tuple[tuple[Scalar, ...], Scalar, tuple[Scalar, ...]]:
        """Return the value that undoes ``value``: the row and column of ``net``."""
        second, third = net.scalar_layers[1:3]
        j = self.neuron
        return second.weight[j], second.bias[j], tuple(row[j] for row in third.weight)

    def sample(self, net: Network, seed: int = 0) -> tuple[list[Rational], Rational, list[Rational]]:
        """Return a value that may be applied at ``net``."""
        draw = random.Random(seed)
        row = [Rational(-draw.randint(0, 9), draw.randint(1, 5)) for _ in range(self.architecture[1] + 1)]
        column = [Rational(draw.randint(-9, 9)) for _ in range(self.architecture[3])]
        return row[:-1], row[-1], column

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters where the neuron is dead: it is inactive on every cell."""
        base, values = symbolic_network(self.architecture, [f"d_{x}" for x in range(self.dimension)])
        n1 = self.architecture[1]
        image = self(base, (values[:n1], values[n1], values[n1 + 1 :]))
        pairs = ((p, p) for p in all_patterns(base.hidden_widths) if not p[1][self.neuron])
        return compare_cells(f"{self.name}, architecture {self.architecture}", base, image, pairs)


@dataclass(frozen=True, slots=True)
class FirstLayerMotion:
    """Exchange the whole first layer when every neuron of layer 2 is dead: the function is b₃ whatever it is.

    A value is (W₁, b₁).
    """

    architecture: tuple[int, ...]

    kind: Kind = "continuous"

    @property
    def dimension(self) -> int:
        """n₁ (d + 1)."""
        return self.architecture[1] * (self.architecture[0] + 1)

    @property
    def name(self) -> str:
        """A short name."""
        return "motion of the first layer"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return "where every neuron of layer 2 is dead"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        return "W1 and b1 become anything"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the old first layer"

    def __call__(self, net: Network, value: tuple[Sequence[Sequence[Any]], Sequence[Any]]) -> Network:
        """Apply to a network; symbolic entries of layer 2 are taken as ≤ 0."""
        second = net.scalar_layers[1]
        if net.ring is None and any(sign_of(x, {}) > 0 for x in flatten([second])):
            raise InputError("all rows of layer 2 must have entries <= 0 for the first layer to be free")
        weight, bias = value
        return replaced(net, layer1=Layer(tuple(map(tuple, weight)), tuple(bias)))

    def inverse(self, net: Network, value: Any) -> Layer:
        """Return the value that undoes ``value``: the first layer of ``net``."""
        return net.scalar_layers[0]

    def sample(self, net: Network, seed: int = 0) -> tuple[list[list[Rational]], list[Rational]]:
        """Return a value that may be applied at ``net``."""
        draw = random.Random(seed)
        d, n1 = self.architecture[:2]
        rows = [[Rational(draw.randint(-9, 9)) for _ in range(d)] for _ in range(n1)]
        return rows, [Rational(draw.randint(-9, 9)) for _ in range(n1)]

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters with a dead layer 2: every second-layer neuron is off on every cell."""
        d, n1, n2 = self.architecture[:3]
        base, new = symbolic_network(self.architecture, [f"new_{x}" for x in range(self.dimension)])
        rows = [new[i * d : (i + 1) * d] for i in range(n1)]
        off = (False,) * n2
        pairs = (((p, off), (q, off)) for (p,) in all_patterns((n1,)) for (q,) in all_patterns((n1,)))
        image = self(base, (rows, new[n1 * d :]))
        return compare_cells(f"{self.name}, architecture {self.architecture}", base, image, pairs)


def _positive(value: Any, ring: PolynomialRing | None) -> Scalar:
    if ring is not None:
        return ring.coerce(value)
    factor = rational(value, "scaling factor")
    if factor <= 0:
        raise InputError(f"scaling factor must be positive, got {factor}")
    return factor
