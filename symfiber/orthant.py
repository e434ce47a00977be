"""One hidden layer on the nonnegative orthant: neuron types, weighted arrangement, normal form (THEORY §1).

g(z) = Σ_j c_j σ(w_j·z + b_j) + e for z ≥ 0, with K neurons, n inputs and m outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import ZERO, Matrix, Rational, Scalar, dot, rational
from symfiber.network import Network, require_network
from symfiber.parameters import Layer
from symfiber.signs import sign_of

NeuronType = Literal["linear", "dead", "nonlinear"]


def neuron_type(weights: Sequence[Scalar], bias: Scalar, signs: Mapping[str, int] | None = None) -> NeuronType:
    """Return the type of the neuron σ(w·z + b) on the orthant z ≥ 0.

    *dead* when every entry of [w|b] is ≤ 0, *linear* when every entry is ≥ 0 and one is not 0, *nonlinear* otherwise,
    which is exactly when the hyperplane {w·z + b = 0} meets the open orthant.

    Examples
    --------
    >>> from symfiber.exact import rational as q
    >>> neuron_type([q(1), q(0)], q(2)), neuron_type([q(0), q(0)], q(0)), neuron_type([q(1), q(0)], q(-1))
    ('linear', 'dead', 'nonlinear')
    """
    found = {sign_of(value, signs or {}) for value in (*weights, bias)}
    if 1 not in found:
        return "dead"
    return "linear" if -1 not in found else "nonlinear"


def hyperplane_key(row: Sequence[Rational]) -> tuple[Rational, ...]:
    """Return the row [w|b] divided by its first nonzero entry: the hyperplane without orientation."""
    pivot = next((value for value in row if value), None)
    return tuple(row) if pivot is None else tuple(value / pivot for value in row)


def ray_key(row: Sequence[Rational]) -> tuple[Rational, ...]:
    """Return the row divided by the absolute value of its first nonzero entry: the ray it spans."""
    pivot = next((value for value in row if value), None)
    return tuple(row) if pivot is None else tuple(value / abs(pivot) for value in row)


@dataclass(frozen=True, slots=True)
class OrthantFunction:
    """g(z) = Σ_j c_j σ(w_j·z + b_j) + e on the orthant z ≥ 0 of ℝⁿ.

    Attributes
    ----------
    weight : tuple of rows w_j, each of length n
    bias : tuple of b_j
    outgoing : tuple of columns c_j, each of length m
    offset : tuple, the output bias e of length m
    """

    weight: tuple[tuple[Rational, ...], ...]
    bias: tuple[Rational, ...]
    outgoing: tuple[tuple[Rational, ...], ...]
    offset: tuple[Rational, ...]

    @classmethod
    def from_layers(cls, hidden: Layer, output: Layer) -> OrthantFunction:
        """Read g from the last two layers of a network; entries may be fractions as well."""
        (weight, bias), (outgoing, offset) = (
            ([tuple(map(_scalar, row)) for row in layer[0]], tuple(map(_scalar, layer[1])))
            for layer in (hidden, output)
        )
        return cls(tuple(weight), bias, tuple(zip(*outgoing)), offset)

    @property
    def input_dimension(self) -> int:
        """The dimension n of the orthant."""
        return len(self.weight[0])

    @property
    def output_dimension(self) -> int:
        """The output dimension m."""
        return len(self.offset)

    @property
    def rows(self) -> tuple[tuple[Rational, ...], ...]:
        """The rows [w_j | b_j]."""
        return tuple((*w, b) for w, b in zip(self.weight, self.bias))

    @property
    def types(self) -> tuple[NeuronType, ...]:
        """The type of every neuron."""
        return tuple(neuron_type(w, b) for w, b in zip(self.weight, self.bias))

    def neurons_of_type(self, kind: NeuronType) -> tuple[int, ...]:
        """Return the indices of the neurons of one type."""
        return tuple(j for j, found in enumerate(self.types) if found == kind)

    def slope(self, neurons: Sequence[int]) -> Matrix:
        """Return Σ_{j ∈ neurons} c_j w_jᵀ, an m × n matrix."""
        columns = [[self.weight[j][i] for j in neurons] for i in range(self.input_dimension)]
        outgoing = [[self.outgoing[j][o] for j in neurons] for o in range(self.output_dimension)]
        rows = [[dot(row, column) for column in columns] for row in outgoing]
        return Matrix(rows, self.input_dimension)

    def constant(self, neurons: Sequence[int]) -> tuple[Rational, ...]:
        """Return Σ_{j ∈ neurons} c_j b_j."""
        return tuple(
            dot((self.outgoing[j][o] for j in neurons), (self.bias[j] for j in neurons))
            for o in range(self.output_dimension)
        )

    def evaluate(self, point: Sequence[Any]) -> tuple[Rational, ...]:
        """Return g(z) for a point z ≥ 0, exactly."""
        z = tuple(rational(x, "point coordinate") for x in point)
        if len(z) != self.input_dimension or any(x < 0 for x in z):
            raise InputError(f"point must be {self.input_dimension} nonnegative numbers, got {point!r}")
        values = [max(dot(w, z) + b, ZERO) for w, b in zip(self.weight, self.bias)]
        return tuple(dot((c[o] for c in self.outgoing), values) + self.offset[o] for o in range(self.output_dimension))


@dataclass(frozen=True, slots=True)
class OrthantNormalForm:
    """The complete invariant of g: its weighted arrangement and one affine map.

    Attributes
    ----------
    neurons : tuple of (row, column)
        For every hyperplane that bends g inside the orthant: the row [w|b] with first nonzero entry +1, and the column
        c ≠ 0, so that c·w is the jump of the Jacobian towards the positive side.  Sorted.
    slope, constant : the remaining affine map z ↦ slope·z + constant, m × n and m.
    """

    neurons: tuple[tuple[tuple[Rational, ...], tuple[Rational, ...]], ...]
    slope: Matrix
    constant: tuple[Rational, ...]


def orthant_normal_form(g: OrthantFunction) -> OrthantNormalForm:
    r"""Return the normal form of g: equal functions on the orthant ⇔ equal normal forms, for *every* parameter.

    Every nonlinear row is scaled so that its first nonzero entry is +1; a row that must be flipped costs an affine
    term, c σ(z) = c σ(−z) + c z; equal rows are merged and zero sums dropped; linear neurons go into the affine map.

    Cost: K·(n + m) operations and one sort.  Proved: THEORY §1.

    Examples
    --------
    >>> from symfiber.network import Network
    >>> bend = Network([([[-2]], [2]), ([[3]], [0])])       # 3σ(2 − 2z)
    >>> same = Network([([[1]], [-1]), ([[6]], [0])])       # 6σ(z − 1), differs by −6z + 6
    >>> a, b = (orthant_normal_form(OrthantFunction.from_layers(*net.scalar_layers)) for net in (bend, same))
    >>> a.neurons == b.neurons, a.slope == b.slope
    (True, False)
    """
    linear = g.neurons_of_type("linear")
    moved: list[int] = [*linear]
    merged: dict[tuple[Rational, ...], list[Rational]] = {}
    for j in g.neurons_of_type("nonlinear"):
        row = g.rows[j]
        pivot = next(value for value in row if value)
        key = tuple(value / pivot for value in row)
        if pivot < 0:
            moved.append(j)
        column = merged.setdefault(key, [ZERO] * g.output_dimension)
        for o, c in enumerate(g.outgoing[j]):
            column[o] += c * abs(pivot)
    neurons = tuple(sorted((key, tuple(column)) for key, column in merged.items() if any(column)))
    constant = tuple(e + v for e, v in zip(g.offset, g.constant(moved)))
    return OrthantNormalForm(neurons, g.slope(moved), constant)


def _scalar(value: Any) -> Any:
    return Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else value


def reduced_failure(g: OrthantFunction) -> str | None:
    """Return why g is not reduced, ``None`` when it is.

    g is *reduced* when its nonlinear neurons have pairwise different hyperplanes and nonzero outgoing columns; the
    fiber of §1 consists of the reduced parameters.
    """
    seen: dict[tuple[Rational, ...], int] = {}
    for j in g.neurons_of_type("nonlinear"):
        if not any(g.outgoing[j]):
            return f"neuron {j} of layer 2 is nonlinear but its outgoing weights are all 0"
        key = hyperplane_key(g.rows[j])
        if key in seen:
            return f"neurons {seen[key]} and {j} of layer 2 share one hyperplane"
        seen[key] = j
    return None


def neuron_types(net: Network) -> tuple[NeuronType, ...]:
    """Return the types of the second-layer neurons on the orthant that the first layer maps onto.

    Decided by the signs of [W₂|b₂] alone (assumed signs for a symbolic network).

    Raises
    ------
    UnsupportedError
        When the network has fewer than two hidden layers.
    UndecidedError
        When a needed sign of a symbolic entry is not implied.

    Examples
    --------
    >>> from symfiber import Network
    >>> neuron_types(Network([([[1, 0], [0, 1]], [0, 0]), ([[1, 2], [1, -1]], [1, -1]), ([[1, 1]], [0])]))
    ('linear', 'nonlinear')
    """
    require_network(net, "neuron_types", numbers=False)
    if len(net.hidden_widths) < 2:
        raise UnsupportedError(f"neuron types need a second hidden layer, got architecture {net.architecture}")
    layer = net.scalar_layers[1]
    return tuple(neuron_type(w, b, net.signs) for w, b in zip(layer.weight, layer.bias))


def rescale_inputs(g: OrthantFunction, scale: Sequence[Rational]) -> OrthantFunction:
    """Return z ↦ g(z₁·s₁, …, z_n·s_n) for positive s: the columns of the weights multiplied by s."""
    weight = tuple(tuple(x * s for x, s in zip(row, scale)) for row in g.weight)
    return OrthantFunction(weight, g.bias, g.outgoing, g.offset)


__all__ = [
    "NeuronType",
    "OrthantFunction",
    "OrthantNormalForm",
    "hyperplane_key",
    "neuron_type",
    "neuron_types",
    "orthant_normal_form",
    "ray_key",
    "reduced_failure",
    "rescale_inputs",
]
