"""Infinitesimal symmetries that hold at any depth, read off the activation patterns of all cells (THEORY §4).

Let act_i be the set of cells on which neuron i is active (inputs and outputs: all cells), and eff_i ⊆ act_i those on
which it is *effective*: a path of active neurons with nonzero weights leads from it to an output.  On a cell outside
eff_i nothing that happens to the preactivation of i changes the function.  Four families of tangent vectors leave all
coefficients of all cells unchanged:

* *unseen*: a weight W[j,i] with act_i ∩ eff_j = ∅, a bias b_j with eff_j = ∅.
* *equal activity*: let K be neurons of one layer that are active on the same cells among those where the next layer is
  effective at all, with rows [A|b] and outgoing columns C.  Every (δC, δ[A|b]) with δC·[A|b] + C·δ[A|b] = 0 is a
  tangent vector: where they are active only C·(Az + b) enters, elsewhere nothing.  A single neuron gives its scaling,
  linear neurons give the factorisation action.
* *translation*: if every neuron j of the next layer with w_ji ≠ 0 is effective only where i is active, then b_i + t,
  b_j − w_ji t is one: the hiding translation, or the bias shift of a neuron that is active everywhere.
* *dependent inputs*: (v, s) with Σ_i v_i z_i(x) + s = 0 on all cells of eff_j, z the outputs of the layer before, may
  be added to the row [w_j|b_j]: j sees no difference.  This happens in wide layers; it contains the unseen weights.

They are sound at every depth and not complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from symfiber.exact import ONE, ZERO, IndependentRows, Matrix, Rational, dot
from symfiber.gradients import Gradients
from symfiber.network import ActivationPattern, Network
from symfiber.parameters import Layer

TangentVector = dict[int, Rational]
"""A sparse vector in parameter coordinates: position in ``net.parameters`` to entry."""


@dataclass(frozen=True, slots=True)
class LocalSymmetry:
    """A family of tangent vectors of the fiber.

    Attributes
    ----------
    kind : "unseen", "equal activity", "translation" or "dependent inputs"
    layer : int
        One-based layer.
    neurons : tuple of int
    vectors : tuple of dicts
        From positions in ``net.parameters`` to entries.
    """

    kind: Literal["unseen", "equal activity", "translation", "dependent inputs"]
    layer: int
    neurons: tuple[int, ...]
    vectors: tuple[TangentVector, ...]

    def __str__(self) -> str:
        names = ", ".join(map(str, self.neurons))
        return f"{self.kind}: layer {self.layer}, neurons {names}, {len(self.vectors)} tangent vectors"


class ParameterPositions:
    """Where each weight and bias stands in the flat parameter vector; layers one-based."""

    def __init__(self, architecture: Sequence[int]) -> None:
        self.widths = tuple(architecture)
        self._starts, total = [], 0
        for before, after in zip(self.widths, self.widths[1:]):
            self._starts.append(total)
            total += (before + 1) * after

    def weight(self, layer: int, row: int, column: int) -> int:
        """Return the position of W_layer[row, column]."""
        return self._starts[layer - 1] + row * self.widths[layer - 1] + column

    def bias(self, layer: int, row: int) -> int:
        """Return the position of b_layer[row]."""
        return self._starts[layer - 1] + self.widths[layer] * self.widths[layer - 1] + row


def local_symmetries(net: Network, patterns: Iterable[ActivationPattern]) -> tuple[LocalSymmetry, ...]:
    """Return the known infinitesimal symmetries of a network, given the activation patterns of all its cells.

    Proved: see the module's first lines.  Cost: one nullspace for each class of neurons with equal activity.

    Examples
    --------
    >>> from symfiber import Network, cells
    >>> net = Network([([[1, 0], [0, 1]], [0, 0]), ([[1, 1]], [1]), ([[1]], [0])])
    >>> for symmetry in local_symmetries(net, (cell.activation_pattern for cell in cells(net))):
    ...     print(symmetry)
    equal activity: layer 1, neurons 0, 1 tangent vectors
    equal activity: layer 1, neurons 1, 1 tangent vectors
    equal activity: layer 2, neurons 0, 1 tangent vectors
    translation: layer 2, neurons 0, 1 tangent vectors
    """
    found = list(patterns)
    gradients = Gradients(net)
    places = ParameterPositions(net.architecture)
    active, effective = _activity(net, found)
    return tuple(
        symmetry
        for layer in range(len(net.scalar_layers))
        for symmetry in (
            *_unseen(places, layer, active[layer], effective[layer]),
            *_dependent_inputs(gradients, found, places, layer, effective[layer]),
            *(
                (
                    *_equal_activity(net, places, layer, active[layer + 1], effective[layer + 1]),
                    *_translations(net, places, layer, active[layer + 1], effective[layer + 1]),
                )
                if layer < len(net.hidden_widths)
                else ()
            ),
        )
    )


Cells = frozenset[int]


def _activity(net: Network, patterns: Sequence[ActivationPattern]) -> tuple[list[list[Cells]], list[list[Cells]]]:
    """Return act of the inputs of every layer, and eff of the neurons of every layer, outputs last."""
    everywhere: Cells = frozenset(range(len(patterns)))
    active = [[everywhere] * net.architecture[0]]
    active += [
        [frozenset(n for n, pattern in enumerate(patterns) if pattern[layer][i]) for i in range(width)]
        for layer, width in enumerate(net.hidden_widths)
    ]
    effective = [[everywhere] * net.architecture[-1]]
    for layer, own in zip(reversed(net.scalar_layers[1:]), reversed(active[1:])):
        effective.insert(
            0,
            [
                where & frozenset().union(*(effective[0][j] for j, row in enumerate(layer.weight) if row[i]))
                for i, where in enumerate(own)
            ],
        )
    return active, effective


def _unseen(
    places: ParameterPositions, layer: int, active: Sequence[Cells], effective: Sequence[Cells]
) -> Iterator[LocalSymmetry]:
    for j, where in enumerate(effective):
        positions = [places.weight(layer + 1, j, i) for i, on in enumerate(active) if not on & where]
        if not where:
            positions.append(places.bias(layer + 1, j))
        if positions:
            yield LocalSymmetry("unseen", layer + 1, (j,), tuple({p: ONE} for p in positions))


def _dependent_inputs(
    gradients: Gradients,
    patterns: Sequence[ActivationPattern],
    places: ParameterPositions,
    layer: int,
    effective: Sequence[Cells],
) -> Iterator[LocalSymmetry]:
    """The relations among a neuron's inputs and 1 on the cells where it is effective, but for inputs that are 0."""
    if not layer:
        return
    groups: dict[ActivationPattern, set[int]] = {}
    for n, pattern in enumerate(patterns):
        groups.setdefault(pattern[:layer], set()).add(n)
    prefixes = [(gradients.inputs(prefix)[layer].columns(), members) for prefix, members in groups.items()]
    for j, where in enumerate(effective):
        columns = [column for table, members in prefixes if not members.isdisjoint(where) for column in table]
        if columns:
            neuron = [*(places.weight(layer + 1, j, i) for i in range(len(columns[0]) - 1)), places.bias(layer + 1, j)]
            relations = [v for v in _relations(columns) if sum(1 for x in v if x) > 1]
            if relations:
                vectors = tuple({p: x for p, x in zip(neuron, v) if x} for v in relations)
                yield LocalSymmetry("dependent inputs", layer + 1, (j,), vectors)


def _relations(columns: Sequence[Sequence[int]]) -> Sequence[Sequence[Rational]]:
    """Return a basis of the vectors orthogonal to all columns."""
    size = len(columns[0])
    kept = IndependentRows(size)
    for start in range(0, len(columns), size):
        kept.extend(columns[start : start + size])
        if kept.rank == size:
            return ()
    basis = Matrix(kept.rows, size).nullspace().rows
    if all(not dot(vector, column) for vector in basis for column in columns):
        return basis
    return Matrix(columns, size).nullspace().rows  # a dependence modulo the prime only


def _equal_activity(
    net: Network, places: ParameterPositions, layer: int, active: Sequence[Cells], next_effective: Sequence[Cells]
) -> Iterator[LocalSymmetry]:
    relevant: Cells = frozenset().union(*next_effective)
    classes: dict[Cells, list[int]] = {}
    for i, where in enumerate(active):
        if where & relevant:
            classes.setdefault(where & relevant, []).append(i)
    for neurons in classes.values():
        rows = [(*net.scalar_layers[layer].weight[i], net.scalar_layers[layer].bias[i]) for i in neurons]
        columns = [tuple(row[i] for row in net.scalar_layers[layer + 1].weight) for i in neurons]
        vectors = tuple(_refactorisations(rows, columns, places, layer, neurons))
        if vectors:
            yield LocalSymmetry("equal activity", layer + 1, tuple(neurons), vectors)


def _refactorisations(
    rows: Sequence[Sequence[Rational]],
    columns: Sequence[Sequence[Rational]],
    places: ParameterPositions,
    layer: int,
    neurons: Sequence[int],
) -> Iterator[TangentVector]:
    """Solve δC·[A|b] + C·δ[A|b] = 0; the unknowns are listed with their positions in the parameter vector."""
    inputs, outputs, size = len(rows[0]), len(columns[0]), len(neurons)
    positions = [places.weight(layer + 2, o, k) for k in neurons for o in range(outputs)]
    for k in neurons:
        positions += [places.weight(layer + 1, k, q) for q in range(inputs - 1)] + [places.bias(layer + 1, k)]
    equations = []
    for o in range(outputs):
        for q in range(inputs):
            row = [ZERO] * len(positions)
            for place in range(size):
                row[place * outputs + o] = rows[place][q]
                row[size * outputs + place * inputs + q] = columns[place][o]
            equations.append(row)
    for vector in Matrix(equations, len(positions)).nullspace().rows:
        yield {position: value for position, value in zip(positions, vector) if value}


def _translations(
    net: Network, places: ParameterPositions, layer: int, active: Sequence[Cells], next_effective: Sequence[Cells]
) -> Iterator[LocalSymmetry]:
    following: Layer = net.scalar_layers[layer + 1]
    for i, where in enumerate(active):
        if where and all(not row[i] or next_effective[j] <= where for j, row in enumerate(following.weight)):
            vector = {places.bias(layer + 1, i): ONE}
            for j, row in enumerate(following.weight):
                if row[i]:
                    vector[places.bias(layer + 2, j)] = -row[i]
            yield LocalSymmetry("translation", layer + 1, (i,), (vector,))
