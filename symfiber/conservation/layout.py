"""Where the weights and biases of a network stand in the vector of those parameters that exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from symfiber.errors import InputError
from symfiber.exact import Rational, shorten
from symfiber.network import Network
from symfiber.parameters import check_architecture


@dataclass(frozen=True)
class Layout:
    """The parameters of an architecture with biases in some layers only: W₁ row by row, b₁ if present, W₂, …

    Attributes
    ----------
    architecture : (d, n₁, …, m)
    biases : tuple of bool
        For every layer, output layer last, whether it has a bias.

    Examples
    --------
    >>> layout = Layout((1, 2, 1), (True, False))
    >>> layout.names
    ('W1_0_0', 'W1_1_0', 'b1_0', 'b1_1', 'W2_0_0', 'W2_0_1')
    """

    architecture: tuple[int, ...]
    biases: tuple[bool, ...]

    @property
    def depth(self) -> int:
        """The number of layers, the output layer included."""
        return len(self.biases)

    @property
    def hidden_widths(self) -> tuple[int, ...]:
        """The widths of the hidden layers."""
        return self.architecture[1:-1]

    @cached_property
    def _offsets(self) -> tuple[tuple[int, int], ...]:
        """(position of W_l, position of b_l) for every layer l."""
        offsets, position = [], 0
        for (before, after), biased in zip(pairwise(self.architecture), self.biases):
            offsets.append((position, position + before * after))
            position += before * after + (after if biased else 0)
        return tuple(offsets)

    @cached_property
    def size(self) -> int:
        """N, the number of parameters."""
        shape = self.architecture
        return sum((a + int(biased)) * b for (a, b), biased in zip(pairwise(shape), self.biases))

    def weight(self, layer: int, row: int, column: int) -> int:
        """Return the position of entry (row, column) of W_layer; layers are counted from 1."""
        return self._offsets[layer - 1][0] + row * self.architecture[layer - 1] + column

    def bias(self, layer: int, row: int) -> int | None:
        """Return the position of entry ``row`` of b_layer, ``None`` where the layer has no bias."""
        return self._offsets[layer - 1][1] + row if self.biases[layer - 1] else None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, as in ``Network.parameter_names``."""
        names: list[str] = []
        for number, (before, after) in enumerate(pairwise(self.architecture), start=1):
            names += [f"W{number}_{i}_{j}" for i in range(after) for j in range(before)]
            if self.biases[number - 1]:
                names += [f"b{number}_{i}" for i in range(after)]
        return tuple(names)

    def incoming(self, layer: int, neuron: int) -> tuple[int, ...]:
        """Return the positions of (w, b) of a hidden neuron, the bias last if there is one."""
        weights = tuple(self.weight(layer, neuron, j) for j in range(self.architecture[layer - 1]))
        bias = self.bias(layer, neuron)
        return weights if bias is None else (*weights, bias)

    def outgoing(self, layer: int, neuron: int) -> tuple[int, ...]:
        """Return the positions of the weights that leave a hidden neuron."""
        return tuple(self.weight(layer + 1, k, neuron) for k in range(self.architecture[layer + 1]))

    def neurons(self) -> Iterator[tuple[int, int]]:
        """Yield (layer, neuron) for every hidden neuron."""
        for layer, width in enumerate(self.hidden_widths, start=1):
            for neuron in range(width):
                yield layer, neuron

    def parameters_of(self, net: Network) -> tuple[Rational, ...]:
        """Return the parameters of a network of numbers that exist here; an absent bias must be 0 there."""
        values: list[Rational] = []
        for number, (layer, biased) in enumerate(zip(net.scalar_layers, self.biases), start=1):
            values += [x for row in layer.weight for x in row]
            if biased:
                values += layer.bias
            elif any(layer.bias):
                raise InputError(f"layer {number} is declared to have no bias, but b{number} is not 0")
        return tuple(values)

    def network(self, values: Sequence[Any]) -> Network:
        """Return the network with these parameters, absent biases 0."""
        layers = []
        for (weight, bias), (before, after), biased in zip(self._offsets, pairwise(self.architecture), self.biases):
            rows = [list(values[weight + i * before : weight + (i + 1) * before]) for i in range(after)]
            layers.append((rows, list(values[bias : bias + after]) if biased else [0] * after))
        return Network(layers)


def make_layout(architecture: Sequence[int], biases: str | Sequence[bool] = "all") -> Layout:
    """Return the layout of an architecture; ``biases`` is "all", "hidden", "none" or one truth value a layer.

    Examples
    --------
    >>> make_layout((2, 4, 5, 8, 5), "hidden").size
    125
    """
    shape = check_architecture(architecture)
    depth = len(shape) - 1
    named = {"all": (True,) * depth, "hidden": (True,) * (depth - 1) + (False,), "none": (False,) * depth}
    if isinstance(biases, str):
        if biases not in named:
            raise InputError(f'biases must be "all", "hidden", "none" or one bool a layer, got {shorten(biases)}')
        return Layout(shape, named[biases])
    chosen = tuple(biases)
    if len(chosen) != depth or not all(isinstance(x, bool) for x in chosen):
        raise InputError(f"biases must be {depth} bools, one a layer, got {shorten(chosen)}")
    return Layout(shape, chosen)
