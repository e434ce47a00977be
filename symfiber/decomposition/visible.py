"""Theorem V: nothing hidden, n₁ ≥ 2.  One component for every feasible orientation choice (THEORY §2).

A member is: first-layer rows scaled by λ > 0, nonlinear neurons [w′|b′] = s_j μ_j [w|b] with c′ = c/μ_j, free neurons
linear or dead with Σ c′w′ᵀ = M_s, all in the coordinates where the λ are undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import factorial
from typing import Any

from symfiber.bottleneck import Bottleneck
from symfiber.column_rank import nonnegative_column_rank
from symfiber.decomposition.charts import Ambient, ChartBuilder, first_pivot, same_ray
from symfiber.decomposition.linear_block import LinearBlock, LinearBlockChart, linear_block_conditions
from symfiber.errors import InputError, UndecidedError
from symfiber.exact import ONE, Matrix, Polynomial, Rational, dot
from symfiber.network import Network
from symfiber.orientations import FeasibleOrientations, Orientation
from symfiber.orthant import OrthantFunction, hyperplane_key, ray_key, rescale_inputs
from symfiber.semialgebraic import BasicSet, RationalMap, Union

Stratum = tuple[int, int]


class VisibleCase:
    """The components of a visible bottleneck network; labels are orientations relative to it."""

    name = "visible"

    def __init__(self, bottleneck: Bottleneck) -> None:
        self.bottleneck = bottleneck
        self.function = g = bottleneck.function
        self.nonlinear = g.neurons_of_type("nonlinear")
        self.linear = g.neurons_of_type("linear")
        self.free = tuple(j for j in range(len(g.bias)) if j not in set(self.nonlinear))
        self.labels = FeasibleOrientations.of(g)
        self.home = (1,) * len(self.nonlinear)
        self._blocks: dict[Orientation, LinearBlock] = {}

    def check_label(self, label: Orientation) -> None:
        """Raise unless the orientation is feasible."""
        if not self.labels.is_feasible(label):
            raise InputError(f"orientation must be feasible, {label!r} needs more than {len(self.free)} free neurons")

    def orientation(self, label: Orientation) -> tuple[int, ...]:
        """The signs s_j of the nonlinear neurons relative to the given network."""
        return label

    def describe(self, label: Orientation) -> str:
        """Name the component in words."""
        flipped = [str(j) for j, s in zip(self.nonlinear, label) if s < 0]
        many = "s" if len(flipped) > 1 else ""
        return f"neuron{many} {', '.join(flipped)} of layer 2 re-oriented" if flipped else "all orientations as given"

    def block(self, label: Orientation) -> LinearBlock:
        """Return the linear block with slope M_s and constant v_s."""
        if label not in self._blocks:
            g = self.function
            moved = [*self.linear, *(j for j, s in zip(self.nonlinear, label) if s < 0)]
            constant = tuple(e + v for e, v in zip(g.offset, g.constant(moved)))
            if len(self._blocks) > 4096:
                self._blocks.clear()
            self._blocks[label] = LinearBlock(nonnegative_column_rank(self.labels.slope(label)), constant, self.free)
        return self._blocks[label]

    def dimension(self, label: Orientation) -> int:
        """n₁ + k + the dimension of the linear block."""
        return self.function.input_dimension + len(self.nonlinear) + self.block(label).dimension

    def dimension_reason(self, label: Orientation) -> str:
        """Why the dimension is not larger."""
        block = self.block(label)
        r, p = block.top_stratum
        n, m = self.function.input_dimension, self.function.output_dimension
        return (
            f"{n} scalings of layer 1, {len(self.nonlinear)} scalings of nonlinear neurons, and the free neurons: over "
            f"all strata (r linear neurons, rank C = p) of (p-rho)(m-p) + rp + (r-p)n + r + (f-r)(n+1+m), with "
            f"f = {block.free}, m = {m}, n = {n}, rho = {block.slope.rank}, the largest is {block.dimension}, "
            f"at r = {r}, p = {p}"
        )

    def local_dimension(self) -> int:
        """Return the dimension of the described set near the network itself."""
        g, block = self.function, self.block(self.home)
        rows = [x for j in self.free for x in g.rows[j]]
        if not all(rows):
            raise UndecidedError(
                "the local dimension needs free neurons without zero entries",
                {"lower": self.function.input_dimension + len(self.nonlinear)},
            )
        C = Matrix.from_columns([g.outgoing[j] for j in self.linear], g.output_dimension)
        A = Matrix([g.weight[j] for j in self.linear], g.input_dimension)
        return g.input_dimension + len(self.nonlinear) + block.local_dimension(C, A)

    def largest_dimension_under_genericity(self) -> int:
        """Return the dimension of the home component: under G2 no component is larger.

        The block's dimension falls strictly with ρ and, at equal ρ, a pointed slope is never worse.  Under G2
        rank M_S = min(m, n, #lin + |S|) is least at S = ∅; when #lin ≤ min(m, n) the slope there is pointed, otherwise
        ρ = min(m, n) for all S and pointedness costs nothing (ρ = n is always pointed, m − ρ = 0 when ρ = m).
        """
        return self.dimension(self.home)

    def labelled_count(self, label: Orientation) -> int:
        """Return how many different labelled copies permutations of neurons make of a component."""
        n1, n2 = self.bottleneck.network.hidden_widths
        return factorial(n1) * factorial(n2) // factorial(len(self.free))

    def labelled_total(self) -> int:
        """The number of labelled components in all."""
        return self.labels.count * self.labelled_count(self.home)

    def locate(self, other: Network) -> Orientation | None:
        """Return the label of the component that contains ``other`` up to permutations, ``None`` if none does."""
        matched = match_first_layer(self.bottleneck.network, other)
        if matched is None:
            return None
        order, scale = matched
        g, h = self.function, OrthantFunction.from_layers(*other.scalar_layers[1:])
        weight = tuple(tuple(row[i] for i in order) for row in h.weight)
        h = rescale_inputs(OrthantFunction(weight, h.bias, h.outgoing, h.offset), scale)
        label = match_nonlinear(g, self.nonlinear, h)
        if label is None or not self.labels.is_feasible(label):
            return None
        block, linear = self.block(label), h.neurons_of_type("linear")
        constant = tuple(e + v for e, v in zip(h.offset, h.constant(linear)))
        return label if h.slope(linear) == block.slope.matrix and constant == block.constant else None

    def set(self, label: Orientation) -> Union:
        """Return the component in ambient coordinates, one basic set for every number r of linear neurons.

        The neurons keep the positions of the given network, the first r free ones are linear.
        """
        block = self.block(label)
        ambient = Ambient(self.bottleneck.network.architecture)
        first = [(*w, b) for w, b in zip(*self.bottleneck.first_layer)]
        slope = (block.positions, block.slope.matrix.rows, block.constant, block.linear_counts)
        return visible_set(
            ambient, first, list(map(first_pivot, first)), self.function, dict(zip(self.nonlinear, label)), *slope
        )

    def strata(self, label: Orientation) -> tuple[Stratum, ...]:
        """The strata (r, p) of the linear block; one chart each."""
        return self.block(label).strata

    def top_stratum(self, label: Orientation) -> Stratum:
        """A stratum of the largest dimension."""
        return self.block(label).top_stratum

    def chart(self, label: Orientation, stratum: Stratum, seed: int) -> tuple[RationalMap, tuple[Rational, ...]]:
        """Return the parametrisation of one stratum and a sample point of its domain."""
        (W1, b1), g, block = self.bottleneck.first_layer, self.function, self.block(label)
        builder = ChartBuilder(seed)
        lam = [builder.declare(f"lam_{i}", None, "positive") for i in range(g.input_dimension)]
        mu = [builder.declare(f"mu_{j}", None, "positive") for j in self.nonlinear]
        chart = LinearBlockChart(builder, block, *stratum)
        one = builder.ring.constant(1)
        point: dict[str, tuple[Polynomial | Rational, Polynomial | Rational]] = {}
        for i, name in enumerate(lam):
            for q, w in enumerate(W1[i]):
                point[f"W1_{i}_{q}"] = (builder[name] * w, one)
            point[f"b1_{i}"] = (builder[name] * b1[i], one)
        for j, s, name in zip(self.nonlinear, label, mu):
            for i, w in enumerate(g.weight[j]):
                point[f"W2_{j}_{i}"] = (builder[name] * w * s, builder[lam[i]])
            point[f"b2_{j}"] = (builder[name] * g.bias[j] * s, one)
            for o, c in enumerate(g.outgoing[j]):
                point[f"W3_{o}_{j}"] = (one * c, builder[name])
        neurons = chart.neurons()
        for j, (row, bias, column) in zip(self.free, neurons):
            for i, (numerator, denominator) in enumerate(row):
                point[f"W2_{j}_{i}"] = (numerator, builder[lam[i]] * denominator)
            point[f"b2_{j}"] = bias
            for o, value in enumerate(column):
                point[f"W3_{o}_{j}"] = value
        for o, v in enumerate(block.constant):
            linear = neurons[: stratum[0]]
            point[f"b3_{o}"] = (one * v - dot((c[o][0] for _, _, c in linear), (b[0] for _, b, _ in linear)), one)
        return builder.build(point, self.bottleneck.network.parameter_names)

    def nongeneric_mask(self, label: Orientation) -> tuple[int, ...] | None:
        """Return a mask T of second-layer neurons whose masked product is too small at *every* point of the component.

        On the cell where all neurons of T = lin′ ∪ S are active, W₃D_TW₂ equals (up to column scaling) the slope of the
        given network's linear neurons; its rank is below min(m, |T|, n₁) when there are too few of those.
        """
        g, block = self.function, self.block(label)
        flipped = tuple(j for j, s in zip(self.nonlinear, label) if s < 0)
        mask = (*self.free[: block.slope.value], *flipped)
        needed = min(g.output_dimension, len(mask), g.input_dimension)
        return mask if g.slope(self.linear).rank() < needed else None


def match_first_layer(base: Network, other: Network) -> tuple[tuple[int, ...], tuple[Rational, ...]] | None:
    """Return (order, λ) with (W₁,b₁)′_{order[i]} = λ_i (W₁,b₁)_i, λ > 0; ``None`` when there is none."""
    rows, candidates = _rows(base), {ray_key(row): i for i, row in enumerate(_rows(other))}
    order, scale = [], []
    for row in rows:
        i = candidates.pop(ray_key(row), None)
        if i is None:
            return None
        pivot = first_pivot(row)
        order.append(i)
        scale.append(_rows(other)[i][pivot] / row[pivot])
    return tuple(order), tuple(scale)


def _rows(net: Network) -> list[tuple[Rational, ...]]:
    weight, bias = net.scalar_layers[0]
    return [(*w, b) for w, b in zip(weight, bias)]


def match_nonlinear(g: OrthantFunction, nonlinear: Sequence[int], h: OrthantFunction) -> Orientation | None:
    """Return the orientation of h's nonlinear neurons relative to those of g, ``None`` unless they correspond.

    They correspond when hyperplanes agree one to one and c′ = c/μ for [w′|b′] = ±μ [w|b].
    """
    found = {}
    for j in h.neurons_of_type("nonlinear"):
        key = hyperplane_key(h.rows[j])
        if key in found:
            return None
        found[key] = j
    if len(found) != len(nonlinear):
        return None
    label = []
    for j in nonlinear:
        partner = found.get(hyperplane_key(g.rows[j]))
        if partner is None:
            return None
        pivot = first_pivot(g.rows[j])
        factor = h.rows[partner][pivot] / g.rows[j][pivot]
        if any(c != d * abs(factor) for c, d in zip(g.outgoing[j], h.outgoing[partner])):
            return None
        label.append(1 if factor > 0 else -1)
    return tuple(label)


def visible_set(
    ambient: Ambient,
    first: Sequence[Sequence[Any]],
    pivots: Sequence[int | None],
    g: OrthantFunction,
    orientation: Mapping[int, int],
    positions: Sequence[int],
    slope: Sequence[Sequence[Any]],
    constant: Sequence[Any],
    linear_counts: Iterable[int],
) -> Union:
    """Return the set of Theorem V for the orientation {nonlinear neuron: ±1}; entries are numbers or polynomials.

    Parameters
    ----------
    first : rows of [W₁|b₁]
    pivots : for every row an entry that vanishes nowhere, ``None`` when none is known
    positions, slope, constant : the free neurons, M_s and v_s
    linear_counts : the numbers of linear neurons, one piece each
    """
    equations: list[Polynomial] = []
    positive: list[Polynomial] = []
    scale: list[tuple[Polynomial, Any]] = []
    for weights, bias, row, pivot in zip(ambient.W1, ambient.b1, first, pivots):
        more, sign, fraction = same_ray((*weights, bias), row, pivot)
        equations += more
        positive.append(sign)
        scale.append(fraction)
    for j, s in orientation.items():
        top = [ambient.W2[j][i] * scale[i][0] for i in range(g.input_dimension)]
        # [w′λ | b′] = s μ [w|b]; cross products with the pivot t, which fixes μ.
        row = g.rows[j]
        lifted = [(x, bottom) for x, (_, bottom) in zip(top, scale)] + [(ambient.b2[j], ONE)]
        t = first_pivot(row)
        value, value_bottom = lifted[t]
        for u, (other, bottom) in enumerate(lifted):
            if u != t:
                equations.append(value * row[u] * bottom - other * row[t] * value_bottom)
        positive.append((ambient.W2[j][t] if t < g.input_dimension else ambient.b2[j]) * row[t] * s)
        for c, symbol in zip(g.outgoing[j], ambient.outgoing(j)):
            equations.append(symbol * value - c * row[t] * value_bottom * s)
    pieces = []
    for r in linear_counts:
        more, nonnegative = linear_block_conditions(ambient, positions, slope, constant, r, scale)
        pieces.append(BasicSet(ambient.ring, [*equations, *more], positive, nonnegative))
    return Union(ambient.ring, pieces)
