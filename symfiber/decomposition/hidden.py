"""Theorems H2 and H1: one hypersurface H_i is hidden by the live neurons of layer 2 (THEORY §2).

Neuron j is c_j σ(ℓ_j(x) − Σ_{k≠i} |w_jk| σ(y_k)) with ℓ_j = w_ji (W₁x + b₁)_i + b_{2,j}: only ℓ_j is determined, so
the bias b₁,i may be translated against the b₂,j as long as every b₂,j stays ≤ 0.  With a single live neuron the other
first-layer rows may also change sign: −|w|σ(y) = −|w|σ(−y) − |w|y moves an affine term into ℓ.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any

from symfiber.bottleneck import Bottleneck
from symfiber.decomposition.charts import Ambient, ChartBuilder, first_pivot, same_ray
from symfiber.decomposition.subsets import Subsets
from symfiber.errors import InputError, UndecidedError
from symfiber.exact import ONE, Polynomial, Rational
from symfiber.network import Network
from symfiber.orthant import OrthantFunction, hyperplane_key, ray_key
from symfiber.semialgebraic import BasicSet, RationalMap, Union

FlipSet = tuple[int, ...]


class HiddenCase:
    """The components of a network with one hidden hypersurface; labels are the sets of flipped first-layer neurons.

    With two or more live neurons the only label is the empty set.
    """

    def __init__(self, bottleneck: Bottleneck) -> None:
        self.bottleneck = bottleneck
        self.name = bottleneck.case
        self.function = bottleneck.function
        (self.hidden,) = bottleneck.hidden
        self.live = bottleneck.live
        self.dead = tuple(j for j in range(len(self.function.bias)) if j not in set(self.live))
        self.others = tuple(k for k in range(self.function.input_dimension) if k != self.hidden)
        self.labels = Subsets(self.others if len(self.live) == 1 else ())
        self.home: FlipSet = ()

    def check_label(self, label: FlipSet) -> None:
        """Raise unless the label is a set of neurons that may be flipped."""
        if label not in self.labels:
            raise InputError(f"flip set must be an ascending tuple from {self.labels.items}, got {label!r}")

    def orientation(self, label: FlipSet) -> tuple[int, ...]:
        """The flipped first-layer neurons."""
        return label

    def describe(self, label: FlipSet) -> str:
        """Name the component in words."""
        if not label:
            return "first-layer rows as given"
        return f"first-layer row{'s' if len(label) > 1 else ''} {', '.join(map(str, label))} flipped"

    def hidden_row(self, label: FlipSet) -> tuple[tuple[Rational, ...], Rational]:
        """Return the hidden row after the flips S: (W₁,b₁)_i − Σ_{k∈S} (|w_jk|/w_ji)(W₁,b₁)_k, j the live neuron."""
        weight, bias = self.bottleneck.first_layer
        w = self.function.weight[self.live[0]]
        row, constant = list(weight[self.hidden]), bias[self.hidden]
        for k in label:
            ratio = abs(w[k]) / w[self.hidden]
            row = [x - ratio * y for x, y in zip(row, weight[k])]
            constant -= ratio * bias[k]
        return tuple(row), constant

    def dimension(self, label: FlipSet) -> int:
        """n₁ + p + 1 + (n₂ − p)(n₁ + 1 + m)."""
        n1, m = self.function.input_dimension, self.function.output_dimension
        return n1 + len(self.live) + 1 + len(self.dead) * (n1 + 1 + m)

    def dimension_reason(self, label: FlipSet) -> str:
        """Why the dimension is not larger."""
        n1, m = self.function.input_dimension, self.function.output_dimension
        return (
            f"{n1} scalings of layer 1, {len(self.live)} scalings of live neurons, 1 hiding translation and "
            f"{len(self.dead)} dead neurons with {n1} + 1 + {m} free entries each parametrise the component"
        )

    def local_dimension(self) -> int:
        """Return the dimension of the described set near the network itself."""
        if not all(x for j in self.dead for x in self.function.rows[j]):
            raise UndecidedError("the local dimension needs dead neurons without zero entries")
        return self.dimension(())

    def largest_dimension_under_genericity(self) -> int:
        """All components have the same dimension."""
        return self.dimension(())

    def labelled_count(self, label: FlipSet) -> int:
        """Return how many different labelled copies permutations of neurons make of a component."""
        n1, n2 = self.bottleneck.network.hidden_widths
        return factorial(n1) * factorial(n2) // factorial(len(self.dead))

    def labelled_total(self) -> int:
        """The number of labelled components in all."""
        return self.labels.count * self.labelled_count(self.home)

    def locate(self, other: Network) -> FlipSet | None:
        """Return the label of the component that contains ``other`` up to permutations, ``None`` if none does."""
        g, h = self.function, OrthantFunction.from_layers(*other.scalar_layers[1:])
        matched = self._match_rows(other)
        if matched is None or h.offset != g.offset:
            return None
        order, scale, special = matched
        flipped = tuple(k for k in self.others if scale[k] < 0)
        if flipped not in self.labels:
            return None
        live = [j for j, kind in enumerate(h.types) if kind != "dead"]
        mine = {ray_key(self._signature(j)): j for j in self.live}
        for j in live:
            signature = self._signature_of(other, h, j, order, scale, special)
            partner = mine.pop(ray_key(signature), None)
            if partner is None or h.weight[j][special] <= 0 or h.bias[j] > 0:
                return None
            base = self._signature(partner)
            factor = signature[first_pivot(base)] / base[first_pivot(base)]
            if any(c != d * factor for c, d in zip(g.outgoing[partner], h.outgoing[j])):
                return None
        if mine:
            return None
        weight, _ = other.scalar_layers[0]
        direction, _ = self.hidden_row(flipped)
        return flipped if ray_key(weight[special]) == ray_key(direction) else None

    def _match_rows(self, other: Network) -> tuple[dict[int, int], dict[int, Rational], int] | None:
        """Match the rows k ≠ i up to a nonzero factor: (index in other, factor), and the row that is left over."""
        weight, bias = self.bottleneck.first_layer
        rows = [(*w, b) for w, b in zip(*other.scalar_layers[0])]
        candidates = {hyperplane_key(row): i for i, row in enumerate(rows)}
        order: dict[int, int] = {}
        scale: dict[int, Rational] = {}
        for k in self.others:
            row = (*weight[k], bias[k])
            index = candidates.get(hyperplane_key(row))
            if index is None or index in order.values():
                return None
            order[k], scale[k] = index, rows[index][first_pivot(row)] / row[first_pivot(row)]
        return order, scale, next(i for i in range(len(rows)) if i not in order.values())

    def _signature(self, j: int) -> tuple[Rational, ...]:
        """(ℓ_j; w_jk for k ≠ i) of a live neuron of the given network."""
        weight, bias = self.bottleneck.first_layer
        w, b = self.function.weight[j], self.function.bias[j]
        affine = [w[self.hidden] * x for x in (*weight[self.hidden], bias[self.hidden])]
        affine[-1] += b
        return (*affine, *(w[k] for k in self.others))

    def _signature_of(
        self,
        other: Network,
        h: OrthantFunction,
        j: int,
        order: dict[int, int],
        scale: dict[int, Rational],
        special: int,
    ) -> tuple[Rational, ...]:
        """The same for a neuron of another network, in the coordinates of the given one, its flips undone."""
        weight, bias = other.scalar_layers[0]
        base_weight, base_bias = self.bottleneck.first_layer
        affine = [h.weight[j][special] * x for x in (*weight[special], bias[special])]
        affine[-1] += h.bias[j]
        slopes = []
        for k in self.others:
            slope = h.weight[j][order[k]] * abs(scale[k])
            slopes.append(slope)
            if scale[k] < 0:
                # slope·σ(−y) = slope·σ(y) − slope·y.
                affine = [a - slope * y for a, y in zip(affine, (*base_weight[k], base_bias[k]))]
        return (*affine, *slopes)

    def set(self, label: FlipSet) -> Union:
        """Return the component in ambient coordinates, the neurons in the positions of the given network."""
        weight, bias = self.bottleneck.first_layer
        first = [(*w, b) for w, b in zip(weight, bias)]
        row, constant = self.hidden_row(label)
        first[self.hidden] = (*row, constant)
        ambient = Ambient(self.bottleneck.network.architecture)
        # The hidden row's bias is translated: its pivot is a weight.
        pivots = [first_pivot(x) for x in first]
        return hidden_set(ambient, first, pivots, self.function, self.hidden, self.live, label)

    def strata(self, label: FlipSet) -> tuple[None, ...]:
        """One chart covers the component."""
        return (None,)

    def top_stratum(self, label: FlipSet) -> None:
        """The only stratum."""

    def chart(self, label: FlipSet, stratum: None, seed: int) -> tuple[RationalMap, tuple[Rational, ...]]:
        """Return the parametrisation of the component and a sample point of its domain."""
        g, i = self.function, self.hidden
        weight, bias = self.bottleneck.first_layer
        row, constant = self.hidden_row(label)
        builder = ChartBuilder(seed)
        lam = [builder.declare(f"lam_{k}", None, "positive") for k in range(g.input_dimension)]
        mu = {j: builder.declare(f"mu_{j}", None, "positive") for j in self.live}
        # b₁,i = λ_i (constant + t) and b₂,j = μ_j (b_j − w_ji t) ≤ 0: t ≥ max b_j / w_ji.
        least = max(g.bias[j] / g.weight[j][i] for j in self.live)
        t = builder.declare("t", least + builder.draw())
        dead = {
            j: (
                [builder.declare(f"dw_{j}_{k}", None, "nonpositive") for k in range(g.input_dimension)],
                builder.declare(f"db_{j}", None, "nonpositive"),
                [builder.declare(f"dc_{j}_{o}") for o in range(g.output_dimension)],
            )
            for j in self.dead
        }
        one = builder.ring.constant(1)
        point: dict[str, tuple[Polynomial | Rational, Polynomial | Rational]] = {}
        for k, name in enumerate(lam):
            factor = builder[name] * (-1 if k in label else 1)
            for q, x in enumerate(row if k == i else weight[k]):
                point[f"W1_{k}_{q}"] = factor * x, one
            point[f"b1_{k}"] = factor * (builder[t] + constant if k == i else one * bias[k]), one
        for j, name in mu.items():
            for k, w in enumerate(g.weight[j]):
                point[f"W2_{j}_{k}"] = builder[name] * w, builder[lam[k]]
            shifted = one * g.bias[j] - builder[t] * g.weight[j][i]
            builder.require_nonnegative(-shifted)
            point[f"b2_{j}"] = builder[name] * shifted, one
            for o, c in enumerate(g.outgoing[j]):
                point[f"W3_{o}_{j}"] = one * c, builder[name]
        for j, (names, name, columns) in dead.items():
            for k, x in enumerate(names):
                point[f"W2_{j}_{k}"] = builder[x], one
            point[f"b2_{j}"] = builder[name], one
            for o, x in enumerate(columns):
                point[f"W3_{o}_{j}"] = builder[x], one
        for o, e in enumerate(g.offset):
            point[f"b3_{o}"] = one * e, one
        return builder.build(point, self.bottleneck.network.parameter_names)

    def nongeneric_mask(self, label: FlipSet) -> tuple[int, ...] | None:
        """No mask is forced to fail."""
        return None


def hidden_set(
    ambient: Ambient,
    first: Sequence[Sequence[Any]],
    pivots: Sequence[int | None],
    g: OrthantFunction,
    hidden: int,
    live: Sequence[int],
    flipped: FlipSet,
    factor: Any = ONE,
) -> Union:
    """Return the set of Theorems H2 and H1 for a set of flipped first-layer neurons; entries: numbers or polynomials.

    Parameters
    ----------
    first : rows of [W₁|b₁], the hidden one after the flips, times ``factor`` > 0
    pivots : for every row a weight that vanishes nowhere, ``None`` when none is known
    """
    equations: list[Polynomial] = []
    positive: list[Polynomial] = []
    nonnegative: list[Polynomial] = []
    scale: dict[int, tuple[Polynomial, Any]] = {}
    for k, row in enumerate(first):
        sign = -1 if k in flipped else 1
        symbols = [*ambient.W1[k], *([ambient.b1[k]] if k != hidden else [])]
        more, product, (top, bottom) = same_ray([x * sign for x in symbols], row[: len(symbols)], pivots[k])
        equations += more
        positive.append(product)
        scale[k] = (top * factor if k == hidden else top), bottom
    top, bottom = scale[hidden]
    for j in live:
        w = g.weight[j]
        # μ_j = w′_ji λ_i / w_ji as numerator / denominator.
        mu, mu_bottom = ambient.W2[j][hidden] * top, bottom * w[hidden]
        for k in range(g.input_dimension):
            if k != hidden:
                equations.append(ambient.W2[j][k] * scale[k][0] * mu_bottom - mu * w[k] * scale[k][1])
        shift = ambient.W2[j][hidden] * ambient.b1[hidden] + ambient.b2[j]
        equations.append(shift * mu_bottom * factor - mu * (w[hidden] * first[hidden][-1] + g.bias[j] * factor))
        equations += [c * mu - x * mu_bottom for c, x in zip(ambient.outgoing(j), g.outgoing[j])]
        positive.append(ambient.W2[j][hidden])
        nonnegative.append(-ambient.b2[j])
    for j in range(len(g.bias)):
        if j not in live:
            nonnegative += [-x for x in (*ambient.W2[j], ambient.b2[j])]
    equations += [symbol - value for symbol, value in zip(ambient.b3, g.offset)]
    return Union(ambient.ring, [BasicSet(ambient.ring, equations, positive, nonnegative)])
