"""Symmetries with linear neurons of layer 2: re-orientation, factorisation action, bias shift (THEORY §1).

On the orthant c σ(z) = c σ(−z) + c z: turning a nonlinear neuron around costs an affine term, which the linear neurons
must carry.  Linear neurons (C, A) enter the function only through C·A and their biases through e + C·b.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from symfiber.column_rank import nonnegative_column_rank
from symfiber.decomposition.charts import ChartBuilder
from symfiber.decomposition.linear_block import LinearBlock, LinearBlockChart
from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import ONE, ZERO, Matrix, Polynomial, Rational, dot, rational
from symfiber.network import ActivationPattern, Network
from symfiber.orthant import OrthantFunction
from symfiber.parameters import Layer
from symfiber.symmetry.invariance import (
    InvarianceProof,
    all_patterns,
    compare_cells,
    relation_defect,
    symbolic_network,
)
from symfiber.symmetry.neurons import Kind, replaced

FreeNeuron = tuple[Sequence[Any], Any, Sequence[Any]]
"""(row, bias, outgoing column) of a linear or dead neuron."""


@dataclass(frozen=True, slots=True)
class Reorientation:
    """Flip the nonlinear neurons in ``flipped`` and refactor the free (linear and dead) neurons.

    [w|b]_j ↦ −[w|b]_j for j in ``flipped``; the free neurons are replaced by given ones, each linear or dead, with
    Σ_lin c′w′ᵀ = Σ_lin c wᵀ + Σ_{flipped} c_j w_jᵀ; the output bias follows,
    e′ = e + Σ_lin c b + Σ_flipped c_j b_j − Σ_lin′ c′b′.

    A value is a tuple of new (row, bias, column), one for each position in ``free``.
    """

    flipped: tuple[int, ...]
    free: tuple[int, ...]
    linear: tuple[int, ...]
    architecture: tuple[int, ...]

    kind: Kind = "discrete"
    dimension: int = 0

    @property
    def name(self) -> str:
        """A short name."""
        if not self.flipped:
            return "refactorisation of the free neurons"
        return f"re-orientation of {_neurons(self.flipped)}"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return f"where rank+ of the new slope is at most the number {len(self.free)} of free neurons"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        if not self.flipped:
            return "free neurons replaced by linear and dead ones with the same total slope, b3 adjusted"
        return "rows [w|b] negated, free neurons replaced so that linear ones carry the slope c w, b3 adjusted"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the same flips with the old free neurons" if self.flipped else "the old free neurons"

    def __call__(self, net: Network, value: Sequence[FreeNeuron]) -> Network:
        """Apply to a network of numbers; raise :class:`InputError` when the new neurons do not carry the slope."""
        neurons = [(tuple(rational(x) for x in w), rational(b), tuple(rational(x) for x in c)) for w, b, c in value]
        if len(neurons) != len(self.free):
            raise InputError(f"new neurons must be {len(self.free)}, one a free position, got {len(neurons)}")
        g = OrthantFunction.from_layers(*net.scalar_layers[1:])
        linear, dead = [], []
        for j, neuron in zip(self.free, neurons):
            entries = (*neuron[0], neuron[1])
            if all(x <= 0 for x in entries):
                dead.append(j)
            elif all(x >= 0 for x in entries):
                linear.append(j)
            else:
                raise InputError(f"new neuron {j} must be linear or dead, got row {entries}")
        moved = [*(j for j in self.free if j in set(g.neurons_of_type("linear"))), *self.flipped]
        image = self._exchange(net, neurons, moved, linear)
        after = OrthantFunction.from_layers(*image.scalar_layers[1:])
        if after.slope(linear) != g.slope(moved):
            raise InputError("new linear neurons must carry the slope of the old ones and of the flipped neurons")
        return image

    def _exchange(
        self, net: Network, neurons: Sequence[FreeNeuron], moved: Sequence[int], linear: Sequence[int]
    ) -> Network:
        """Exchange rows, columns and the output bias, in any ring and without looking at signs."""
        second, third = net.scalar_layers[1:3]
        weight, bias = [list(row) for row in second.weight], list(second.bias)
        out = [list(row) for row in third.weight]
        offset = [e + dot((row[j] for j in moved), (second.bias[j] for j in moved)) for e, row in zip(third.bias, out)]
        for j in self.flipped:
            weight[j], bias[j] = [-x for x in weight[j]], -bias[j]
        for j, (row, b, column) in zip(self.free, neurons):
            weight[j], bias[j] = list(row), b
            for line, c in zip(out, column):
                line[j] = c
        offset = [e - dot((row[j] for j in linear), (bias[j] for j in linear)) for e, row in zip(offset, out)]
        return replaced(
            net,
            layer2=Layer(tuple(map(tuple, weight)), tuple(bias)),
            layer3=Layer(tuple(map(tuple, out)), tuple(offset)),
        )

    def inverse(self, net: Network, value: Any) -> tuple[FreeNeuron, ...]:
        """Return the value that undoes ``value``: the free neurons of ``net``."""
        g = OrthantFunction.from_layers(*net.scalar_layers[1:])
        return tuple((g.weight[j], g.bias[j], g.outgoing[j]) for j in self.free)

    def sample(self, net: Network, seed: int = 0) -> tuple[FreeNeuron, ...]:
        """Return a value that may be applied at ``net``; raise when the orientation is not feasible."""
        g = OrthantFunction.from_layers(*net.scalar_layers[1:])
        linear = [j for j in self.free if j in set(g.neurons_of_type("linear"))]
        slope = nonnegative_column_rank(g.slope([*linear, *self.flipped]))
        if slope.value > len(self.free):
            raise UnsupportedError(f"{self.name} needs {slope.value} free neurons, got {len(self.free)}")
        block = LinearBlock(slope, g.offset, self.free)
        builder = ChartBuilder(seed)
        chart = LinearBlockChart(builder, block, *block.top_stratum)
        neurons = chart.neurons()
        point = tuple(builder.values.values())

        def at(pair: Any) -> Rational:
            top, bottom = (x(point) if isinstance(x, Polynomial) else x for x in pair)
            result: Rational = top / bottom
            return result

        return tuple(([at(x) for x in row], at(b), [at(x) for x in column]) for row, b, column in neurons)

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters with these linear neurons, modulo the slope relation.

        The coefficients differ by R·D_S·(W₁x + b₁) with R = Σ_lin′ c′w′ᵀ − Σ_lin c wᵀ − Σ_flipped c wᵀ, which the
        relation sets to zero; the identity is compared with this explicit cofactor.  A new neuron that is dead counts
        as a linear one with outgoing column 0.
        """
        n1, n2, m = self.architecture[1:4]
        size = n1 + 1 + m
        base, new = symbolic_network(self.architecture, [f"new_{j}_{x}" for j in self.free for x in range(size)])
        rows = [new[place * size : (place + 1) * size] for place in range(len(self.free))]
        neurons = [(row[:n1], row[n1], row[n1 + 1 :]) for row in rows]
        moved = [*self.linear, *self.flipped]
        image = self._exchange(base, neurons, moved, self.free)
        relation = [
            [self._slope(image, self.free, o, i) - self._slope(base, moved, o, i) for i in range(n1)] for o in range(m)
        ]
        free = set(self.free)

        def pairs() -> Any:
            for pattern in all_patterns((n1, n2)):
                on = pattern[1]
                if any(on[j] != (j in self.linear) for j in free):
                    continue
                after = tuple(True if j in free else on[j] != (j in self.flipped) for j in range(n2))
                yield pattern, (pattern[0], after)

        defect = relation_defect(relation, base.scalar_layers[0])
        return compare_cells(f"{self.name}, architecture {self.architecture}", base, image, pairs(), defect)

    @staticmethod
    def _slope(net: Network, neurons: Sequence[int], output: int, input: int) -> Polynomial:
        second, third = net.scalar_layers[1:3]
        assert net.ring is not None
        total = dot((third.weight[output][j] for j in neurons), (second.weight[j][input] for j in neurons))
        return net.ring.coerce(total)


@dataclass(frozen=True, slots=True)
class FactorizationAction:
    """Change the factorisation of the linear neurons: (C, A, b) ↦ (C·g⁻¹, g·A, g·b), g ∈ GL_r with g·[A|b] ≥ 0.

    A value is the matrix g.
    """

    neurons: tuple[int, ...]
    architecture: tuple[int, ...]

    kind: Kind = "continuous"

    @property
    def dimension(self) -> int:
        """r²."""
        return len(self.neurons) ** 2

    @property
    def name(self) -> str:
        """A short name."""
        return f"factorisation action on linear {_neurons(self.neurons)}"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return "for invertible g such that the rows g [A|b] stay >= 0"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        return "rows [A|b] of the linear neurons become g [A|b], their columns C become C g^-1"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the matrix g^-1"

    def __call__(self, net: Network, value: Matrix | Sequence[Sequence[Any]]) -> Network:
        """Apply to a network of numbers."""
        g = value if isinstance(value, Matrix) else Matrix(value)
        size = len(self.neurons)
        if g.shape != (size, size) or not g.determinant():
            raise InputError(f"g must be an invertible {size} x {size} matrix, got shape {g.shape}")
        image = self._act(net, g.rows, g.inverse().rows)
        second = image.scalar_layers[1]
        for j in self.neurons:
            if any(x < 0 for x in (*second.weight[j], second.bias[j])):
                raise InputError(f"g [A|b] must be nonnegative, row {j} is not")
        return image

    def _act(self, net: Network, g: Sequence[Sequence[Any]], inverse: Sequence[Sequence[Any]]) -> Network:
        second, third = net.scalar_layers[1:3]
        weight, bias, out = list(second.weight), list(second.bias), [list(row) for row in third.weight]
        own = self.neurons
        for place, j in enumerate(own):
            weight[j] = tuple(dot(g[place], (second.weight[k][i] for k in own)) for i in range(self.architecture[1]))
            bias[j] = dot(g[place], (second.bias[k] for k in own))
            for line, old in zip(out, third.weight):
                line[j] = dot((old[k] for k in own), (row[place] for row in inverse))
        return replaced(net, layer2=Layer(tuple(weight), tuple(bias)), layer3=Layer(tuple(map(tuple, out)), third.bias))

    def inverse(self, net: Network, value: Matrix | Sequence[Sequence[Any]]) -> Matrix:
        """Return g⁻¹."""
        return (value if isinstance(value, Matrix) else Matrix(value)).inverse()

    def sample(self, net: Network, seed: int = 0) -> Matrix:
        """Return a value that may be applied at ``net``: close to the identity where entries allow it."""
        draw, size = random.Random(seed), len(self.neurons)
        rows = [[Rational(draw.randint(0, 5), 7) + (ONE if a == b else ZERO) for b in range(size)] for a in range(size)]
        g = Matrix(rows, size)
        return g if g.determinant() else Matrix.identity(size)

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters; C is written as C̃·g, so that C·g⁻¹ = C̃ stays polynomial."""
        size = len(self.neurons)
        plain, symbols = symbolic_network(self.architecture, [f"g_{a}_{b}" for a in range(size) for b in range(size)])
        g = [symbols[a * size : (a + 1) * size] for a in range(size)]
        reduced = plain.scalar_layers[2].weight
        out = [list(row) for row in reduced]
        for line, row in zip(out, reduced):
            for place, j in enumerate(self.neurons):
                line[j] = dot((row[k] for k in self.neurons), (g[a][place] for a in range(size)))
        base = replaced(plain, layer3=Layer(tuple(map(tuple, out)), plain.scalar_layers[2].bias))
        image = replaced(self._act(base, g, Matrix.identity(size).rows), layer3=plain.scalar_layers[2])
        own = set(self.neurons)
        patterns = all_patterns(base.hidden_widths)
        pairs = ((p, p) for p in patterns if all(p[1][j] for j in own))
        return compare_cells(f"{self.name}, architecture {self.architecture}", base, image, pairs)


@dataclass(frozen=True, slots=True)
class BiasShift:
    """Shift the bias of a linear neuron against the output bias: b_q ↦ b_q + t, e ↦ e − c_q t, with b_q + t ≥ 0.

    A value is the number t.
    """

    neuron: int
    architecture: tuple[int, ...]

    kind: Kind = "continuous"
    dimension: int = 1

    @property
    def name(self) -> str:
        """A short name."""
        return f"bias shift of linear neuron {self.neuron}"

    @property
    def domain(self) -> str:
        """Where it applies."""
        return f"for t with b2[{self.neuron}] + t >= 0"

    @property
    def effect(self) -> str:
        """What it does to the parameters."""
        return f"b2[{self.neuron}] + t, b3 minus t times column {self.neuron} of W3"

    @property
    def inverse_text(self) -> str:
        """What undoes it."""
        return "the shift by -t"

    def __call__(self, net: Network, value: Any) -> Network:
        """Apply to a network; a symbolic t is taken as allowed."""
        t = net.ring.coerce(value) if net.ring else rational(value)
        second, third = net.scalar_layers[1:3]
        j = self.neuron
        if net.ring is None and second.bias[j] + t < 0:
            raise InputError(f"the shift must keep b2[{j}] + t >= 0, got t = {t}")
        bias = (*second.bias[:j], second.bias[j] + t, *second.bias[j + 1 :])
        offset = tuple(e - row[j] * t for e, row in zip(third.bias, third.weight))
        return replaced(net, layer2=Layer(second.weight, bias), layer3=Layer(third.weight, offset))

    def inverse(self, net: Network, value: Any) -> Rational:
        """Return −t."""
        return -rational(value)

    def sample(self, net: Network, seed: int = 0) -> Rational:
        """Return a value that may be applied at ``net``."""
        draw = random.Random(seed)
        return Rational(draw.randint(0, 12), 4) - net.scalar_layers[1].bias[self.neuron]

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f for all parameters where the neuron is linear: it is active on every cell."""
        base, (t,) = symbolic_network(self.architecture, ["t"])
        pairs: list[tuple[ActivationPattern, ActivationPattern]] = [
            (p, p) for p in all_patterns(base.hidden_widths) if p[1][self.neuron]
        ]
        return compare_cells(f"{self.name}, architecture {self.architecture}", base, self(base, t), pairs)


def _neurons(indices: Sequence[int]) -> str:
    return f"neuron{'s' * (len(indices) > 1)} {', '.join(map(str, indices))}"
