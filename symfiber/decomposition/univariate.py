"""n₁ = 1: the components derived from the univariate normal form (docs/concepts/univariate.md has the derivation).

Let h have the kinks u₁ < … < u_q with jumps δ₁, …, δ_q, q ≥ 1.  A member y′ = λ(u + β), z = σ(y′) reads h along one of
the directions in which h starts constant, and either

* *visible*: the first kink is that of the first layer, −β = u₁, and layer 2 makes the others (k = q − 1), or
* *translated*: −β < u₁ and layer 2 makes all of them (k = q).

Neuron j at the kink u_j is active to the right (s_j = +1) or to the left (s_j = −1) of it; the slope at z = 0+ that the
linear neurons must supply is M_S = [visible] δ₁ + Σ_{j∈S} δ_j (per unit of u), S = {j : s_j = −1}.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import factorial

from symfiber.bottleneck import Bottleneck
from symfiber.column_rank import nonnegative_column_rank
from symfiber.decomposition.charts import Ambient, ChartBuilder, first_pivot
from symfiber.decomposition.linear_block import LinearBlock, LinearBlockChart
from symfiber.errors import InputError, UndecidedError
from symfiber.exact import ONE, ZERO, Matrix, Polynomial, Rational, dot
from symfiber.network import Network
from symfiber.orientations import FeasibleOrientations, Orientation
from symfiber.orthant import OrthantFunction, ray_key
from symfiber.semialgebraic import BasicSet, RationalMap, Union
from symfiber.univariate import Kink, UnivariateFunction


@dataclass(frozen=True, slots=True)
class UnivariateLabel:
    """Which member of the list: direction ±1 along W₁, first kink visible or translated, orientations s_j = ±1."""

    direction: int
    visible: bool
    orientation: Orientation


class UnivariateLabels:
    """All feasible labels: direction +1 before −1, visible before translated, then lexicographic orientations."""

    def __init__(self, function: UnivariateFunction, width: int) -> None:
        self.families: list[tuple[int, bool, FeasibleOrientations]] = []
        m = len(function.left_value)
        for direction, form in ((1, function), *(((-1, function.reversed()),) if function.reversible else ())):
            jumps = [jump for _, jump in form.kinks]
            for visible in (True, False):
                own = jumps[1:] if visible else jumps
                if len(own) <= width:
                    fixed = jumps[:1] if visible else []
                    self.families.append(
                        (
                            direction,
                            visible,
                            FeasibleOrientations(
                                [(ONE,)] * len(own), own, width - len(own), (m, 1), [(ONE,)] * len(fixed), fixed
                            ),
                        )
                    )

    @property
    def count(self) -> int:
        """The exact number of labels."""
        return sum(choices.count for _, _, choices in self.families)

    @property
    def immediate_count(self) -> int | None:
        """The count when it is given by a formula, else ``None``."""
        counts = [choices.immediate_count for _, _, choices in self.families]
        return None if None in counts else sum(count for count in counts if count is not None)

    def __iter__(self) -> Iterator[UnivariateLabel]:
        for direction, visible, choices in self.families:
            for orientation in choices:
                yield UnivariateLabel(direction, visible, orientation)

    def __getitem__(self, index: int) -> UnivariateLabel:
        if index < 0:
            index += self.count
        for direction, visible, choices in self.families:
            if 0 <= index < choices.count:
                return UnivariateLabel(direction, visible, choices[index])
            index -= choices.count
        raise IndexError("component index out of range")

    def choices(self, label: UnivariateLabel) -> FeasibleOrientations | None:
        """Return the orientation choices of the label's family."""
        for direction, visible, choices in self.families:
            if (direction, visible) == (label.direction, label.visible):
                return choices
        return None

    def __contains__(self, label: object) -> bool:
        if not isinstance(label, UnivariateLabel):
            return False
        choices = self.choices(label)
        return (
            choices is not None
            and len(label.orientation) == choices.neuron_count
            and choices.is_feasible(label.orientation)
        )


class UnivariateCase:
    """The components of a bottleneck network with one neuron in the first layer."""

    name = "univariate"

    def __init__(self, bottleneck: Bottleneck) -> None:
        self.bottleneck = bottleneck
        self.function = bottleneck.function
        self.form = UnivariateFunction.from_layers(bottleneck.first_layer, bottleneck.function)
        self.width = len(self.function.bias)
        self.labels = UnivariateLabels(self.form, self.width)

    @cached_property
    def home(self) -> UnivariateLabel:
        """The label of the network itself."""
        label = self.locate(self.bottleneck.network)
        assert label is not None, "a reduced network lies in its own fiber"
        return label

    def check_label(self, label: UnivariateLabel) -> None:
        """Raise unless the label is one of the list."""
        if label not in self.labels:
            raise InputError(f"label must be one of the feasible ones, got {label!r}")

    def orientation(self, label: UnivariateLabel) -> tuple[int, ...]:
        """The signs s_j of the kinks made by layer 2, from left to right in the label's direction."""
        return label.orientation

    def describe(self, label: UnivariateLabel) -> str:
        """Name the component in words."""
        way = "along W1" if label.direction > 0 else "against W1"
        first = "first kink made by layer 1" if label.visible else "all kinks made by layer 2, bias of layer 1 free"
        return f"{way}, {first}"

    def oriented(self, label: UnivariateLabel) -> UnivariateFunction:
        """Return the form along the label's direction."""
        return self.form if label.direction > 0 else self.form.reversed()

    def kinks(self, label: UnivariateLabel) -> tuple[Kink, ...]:
        """Return the kinks made by layer 2."""
        kinks = self.oriented(label).kinks
        return kinks[1:] if label.visible else kinks

    def block(self, label: UnivariateLabel) -> LinearBlock:
        """Return the linear block; neurons sit in the order: kinks, then free neurons."""
        choices = self.labels.choices(label)
        assert choices is not None
        count = choices.neuron_count
        slope = nonnegative_column_rank(choices.slope(label.orientation))
        return LinearBlock(slope, self.oriented(label).left_value, tuple(range(count, self.width)))

    def dimension(self, label: UnivariateLabel) -> int:
        """1 scaling, 1 translation if translated, k scalings, and the linear block."""
        return 1 + (not label.visible) + len(label.orientation) + self.block(label).dimension

    def dimension_reason(self, label: UnivariateLabel) -> str:
        """Why the dimension is not larger."""
        block = self.block(label)
        r, p = block.top_stratum
        shift = "1 translation, " if not label.visible else ""
        return (
            f"1 scaling of layer 1, {shift}{len(label.orientation)} scalings of nonlinear neurons, and "
            f"{block.free} free neurons with at most {block.dimension} parameters, at r = {r}, rank C = {p}"
        )

    def local_dimension(self) -> int:
        """Return the dimension of the described set near the network itself."""
        g, label = self.function, self.home
        block = self.block(label)
        base = 1 + (not label.visible) + len(label.orientation)
        linear = g.neurons_of_type("linear")
        free = [*linear, *g.neurons_of_type("dead")]
        if not all(x for j in free for x in g.rows[j]):
            raise UndecidedError("the local dimension needs free neurons without zero entries", {"lower": base})
        C = Matrix.from_columns([g.outgoing[j] for j in linear], g.output_dimension)
        return base + block.local_dimension(C, Matrix([g.weight[j] for j in linear], 1))

    def largest_dimension_under_genericity(self) -> int:
        """Return the maximum over the four families; within one the dimension depends on ρ and pointedness only."""
        return max(self.dimension(label) for label in self._representatives())

    def _representatives(self) -> Iterator[UnivariateLabel]:
        """In every family the first label with M_S = 0 (the larger dimension) if any, and the first label."""
        for direction, visible, choices in self.labels.families:
            zero = FeasibleOrientations(
                choices.rows, choices.columns, 0, choices.base.shape, choices.fixed_rows, choices.fixed_columns
            )
            for source in (zero, choices):
                for orientation in source:
                    yield UnivariateLabel(direction, visible, orientation)
                    break

    def labelled_count(self, label: UnivariateLabel) -> int:
        """Return how many different labelled copies permutations of neurons make of a component."""
        return factorial(self.width) // factorial(self.width - len(label.orientation))

    def labelled_total(self) -> int:
        """The number of labelled components in all; the copies depend on the number of kinks only."""
        return sum(
            choices.count * factorial(self.width) // factorial(self.width - choices.neuron_count)
            for _, _, choices in self.labels.families
        )

    def locate(self, other: Network) -> UnivariateLabel | None:
        """Return the label of the component that contains ``other`` up to permutations, ``None`` if none does."""
        h = OrthantFunction.from_layers(*other.scalar_layers[1:])
        ((row,), (bias,)) = other.scalar_layers[0]
        if not any(row):
            return None
        direction = ray_key(row)
        if direction == self.form.direction:
            sign, form = 1, self.form
        elif self.form.reversible and direction == tuple(-x for x in self.form.direction):
            sign, form = -1, self.form.reversed()
        else:
            return None
        size = next(abs(x) for x in row if x)
        orientation: dict[Rational, int] = {}
        jumps: dict[Rational, tuple[Rational, ...]] = {}
        for j in h.neurons_of_type("nonlinear"):
            w = h.weight[j][0]
            position = (-h.bias[j] / w - bias) / size
            if position in jumps:
                return None
            orientation[position] = 1 if w > 0 else -1
            jumps[position] = tuple(c * abs(w) * size for c in h.outgoing[j])
        start = -bias / size
        first = form.kinks[0][0]
        visible = start == first
        kinks = form.kinks[1:] if visible else form.kinks
        if start > first or dict(kinks) != jumps or UnivariateFunction.from_layers(other.scalar_layers[0], h) != form:
            return None
        return UnivariateLabel(sign, visible, tuple(orientation[position] for position, _ in kinks))

    def set(self, label: UnivariateLabel) -> Union:
        """Return the component in ambient coordinates: layer 2 in the order kinks, linear, dead neurons."""
        ambient, block, form = Ambient(self.bottleneck.network.architecture), self.block(label), self.oriented(label)
        pivot = first_pivot(form.direction)
        symbol, unit = ambient.W1[0][pivot], form.direction[pivot]
        # y′ = λu + b₁′ with λ = W₁′_pivot / unit, unit = ±1, so λ = symbol·unit.
        lam, shift = symbol * unit, ambient.b1[0]
        equations = [entry - lam * x for entry, x in zip(ambient.W1[0], form.direction)]
        positive = [lam]
        start = shift + lam * form.kinks[0][0]
        (equations if label.visible else positive).append(start)
        left = [ambient.ring.constant(0)] * len(form.left_value)
        for j, ((position, jump), s) in enumerate(zip(self.kinks(label), label.orientation)):
            w, b = ambient.W2[j][0], ambient.b2[j]
            positive.append(w * s)
            equations.append(w * (shift + lam * position) + b)
            equations += [c * w * lam - delta * s for c, delta in zip(ambient.outgoing(j), jump)]
            if s < 0:
                left = [total + c * b for total, c in zip(left, ambient.outgoing(j))]
        pieces = []
        for r in block.linear_counts:
            linear = block.positions[:r]
            more: list[Polynomial] = []
            for o, value in enumerate(form.left_value):
                slope = sum((ambient.W3[o][q] * ambient.W2[q][0] for q in linear), ambient.ring.constant(0))
                more.append(slope * lam - block.slope.matrix.rows[o][0])
                bias = sum((ambient.W3[o][q] * ambient.b2[q] for q in linear), ambient.b3[o])
                more.append(bias + left[o] - value)
            nonnegative = [x for q in linear for x in (ambient.W2[q][0], ambient.b2[q])]
            nonnegative += [-x for q in block.positions[r:] for x in (ambient.W2[q][0], ambient.b2[q])]
            pieces.append(BasicSet(ambient.ring, [*equations, *more], positive, nonnegative))
        return Union(ambient.ring, pieces)

    def strata(self, label: UnivariateLabel) -> tuple[tuple[int, int], ...]:
        """The strata (r, p) of the linear block; one chart each."""
        return self.block(label).strata

    def top_stratum(self, label: UnivariateLabel) -> tuple[int, int]:
        """A stratum of the largest dimension."""
        return self.block(label).top_stratum

    def chart(
        self, label: UnivariateLabel, stratum: tuple[int, int], seed: int
    ) -> tuple[RationalMap, tuple[Rational, ...]]:
        """Return the parametrisation of one stratum and a sample point of its domain."""
        form, block, kinks = self.oriented(label), self.block(label), self.kinks(label)
        builder = ChartBuilder(seed)
        lam_name = builder.declare("lam", None, "positive")
        first = form.kinks[0][0]
        if not label.visible:
            # β > −u₁, the distance of the first kink from the translated hyperplane.
            builder.declare("beta", builder.draw() - first)
        mu = [builder.declare(f"mu_{j}", None, "positive") for j in range(len(kinks))]
        chart = LinearBlockChart(builder, block, *stratum)
        one, lam = builder.ring.constant(1), builder[lam_name]
        beta = builder["beta"] if not label.visible else one * -first
        if not label.visible:
            builder.require_positive(beta + first)
        point: dict[str, tuple[Polynomial | Rational, Polynomial | Rational]] = {"b1_0": (lam * beta, one)}
        for q, x in enumerate(form.direction):
            point[f"W1_0_{q}"] = lam * x, one
        outputs = range(len(form.left_value))
        offset = [one * value for value in form.left_value]
        for j, ((position, jump), s) in enumerate(zip(kinks, label.orientation)):
            # Row s·μ·[1/λ | −(u_j + β)], so that w′(λ(u + β)) + b′ = sμ(u − u_j), and c′ = δ/μ.
            name = builder[mu[j]]
            point[f"W2_{j}_0"] = name * s, lam
            point[f"b2_{j}"] = (beta + position) * name * -s, one
            for o in outputs:
                point[f"W3_{o}_{j}"] = one * jump[o], name
                if s < 0:
                    offset[o] = offset[o] - (beta + position) * jump[o]
        neurons = chart.neurons()
        for j, (row, bias, column) in zip(block.positions, neurons):
            ((numerator, denominator),) = row
            point[f"W2_{j}_0"] = numerator, lam * denominator
            point[f"b2_{j}"] = bias
            for o in outputs:
                point[f"W3_{o}_{j}"] = column[o]
        linear = neurons[: stratum[0]]
        for o in outputs:
            shift = dot((c[o][0] for _, _, c in linear), (b[0] for _, b, _ in linear)) + ZERO
            point[f"b3_{o}"] = offset[o] - shift, one
        return builder.build(point, self.bottleneck.network.parameter_names)

    def nongeneric_mask(self, label: UnivariateLabel) -> tuple[int, ...] | None:
        """No mask is computed for n₁ = 1."""
        return None
