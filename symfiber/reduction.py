"""The extended state of a ReLU network and the moves on it: identities that hold for every parameter.

Why this way: re-orienting a neuron, forgetting a hidden hypersurface or flipping a first-layer row leave the set of
networks, because they put affine functions of the input next to the neurons.  One form holds them all:

    f(x) = Σ_j c_j σ(a_j·x + w_j·z + b_j) + A x + M z + v,     z = z⁽ᶠ⁾,  z⁽ˡ⁾ = σ(W_l z⁽ˡ⁻¹⁾ + b_l),  z⁽⁰⁾ = x.

The F ≥ 0 layers W_1, …, W_F are the *front*, the neurons j are the *top*, layer F + 1.  Every move checks its own
condition by comparing signs and coefficients, changes the state and is recorded in :attr:`State.steps`, so a finished
list of steps is a proof that the state still computes the function it began with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from symfiber.errors import UnsupportedError, VerificationError
from symfiber.exact import ONE, ZERO, Matrix, Rational, dot, to_text
from symfiber.network import Network

Vector = list[Rational]
Step = tuple[Any, ...]


class Neuron:
    """One top neuron c σ(a·x + w·z + b); ``skip`` is a (``None`` when a = 0), ``row`` is [w | b], ``out`` is c."""

    __slots__ = ("out", "row", "skip")

    def __init__(self, skip: Vector | None, row: Vector, out: Vector) -> None:
        self.skip = skip if skip is not None and any(skip) else None
        self.row = row
        self.out = out

    def scaled(self, factor: Rational) -> Neuron:
        """Return the neuron with [a|w|b] multiplied by a positive factor and c divided by it."""
        skip = None if self.skip is None else _times(self.skip, factor)
        return Neuron(skip, _times(self.row, factor), _times(self.out, ONE / factor))

    def key(self) -> tuple[Rational, ...]:
        """(a, w, b) without a when a = 0; keys of different lengths belong to different functions."""
        return (*(self.skip or ()), *self.row)

    def is_affine(self) -> bool:
        """Whether w = 0: the neuron looks at the input only."""
        return not any(self.row[:-1])


class State:
    """A function in the extended form, changed by moves that keep it the same function.

    Layers are numbered from 1; F + 1 is the top.  Each move raises :class:`VerificationError` when its condition fails,
    and appends itself to ``steps``.

    Attributes
    ----------
    input_dimension, output_dimension : int
        d and m.
    front : list of layers, each a list of rows [w | b]
    top : list of Neuron
    affine : list or None
        A, m × d; ``None`` when zero.
    slope : list
        M, m × (width of layer F).
    constant : list
        v, of length m.
    steps : list of tuples (name, layer, arguments, for people only: why and how many)

    Examples
    --------
    >>> state = State.from_network(Network([([[1]], [0]), ([[2], [-1]], [1, -3]), ([[5, 7]], [4])]))
    >>> state.absorb([0]); state.dead(2, [0])
    >>> state.top, state.slope, state.constant
    ([], [[10]], [9])
    """

    __slots__ = ("affine", "constant", "front", "input_dimension", "output_dimension", "slope", "steps", "top")

    def __init__(self, input_dimension: int, output_dimension: int) -> None:
        self.input_dimension = input_dimension
        self.output_dimension = output_dimension
        self.front: list[list[Vector]] = []
        self.top: list[Neuron] = []
        self.affine: list[Vector] | None = None
        self.slope: list[Vector] = [[] for _ in range(output_dimension)]
        self.constant: Vector = [ZERO] * output_dimension
        self.steps: list[Step] = []

    @classmethod
    def from_network(cls, net: Network) -> State:
        """Read a network of numbers of any depth as a state: the last hidden layer is the top."""
        if net.is_symbolic:
            raise UnsupportedError(f"a reduction needs a network of numbers, got {net!r}")
        *hidden, output = net.scalar_layers
        state = cls(net.architecture[0], net.architecture[-1])
        state.constant = list(output.bias)
        if not hidden:
            state.affine = [list(row) for row in output.weight]
            return state
        *front, last = hidden
        state.front = [[[*w, b] for w, b in zip(*layer)] for layer in front]
        columns = list(zip(*output.weight))
        for w, b, c in zip(last.weight, last.bias, columns):
            state.top.append(Neuron(None, [*w, b], list(c)) if front else Neuron(list(w), [b], list(c)))
        state.slope = [[ZERO] * state.width for _ in range(state.output_dimension)]
        return state

    @property
    def depth(self) -> int:
        """F, the number of front layers."""
        return len(self.front)

    @property
    def width(self) -> int:
        """The width of the last front layer, 0 without front layers."""
        return len(self.front[-1]) if self.front else 0

    def is_zero(self) -> bool:
        """Whether nothing is left: no top neuron and A = 0, M = 0, v = 0."""
        return not self.top and self.affine is None and not any(self.constant) and not any(map(any, self.slope))

    def evaluate(self, point: Sequence[Rational]) -> tuple[Rational, ...]:
        """Return the exact value at a point."""
        z = tuple(point)
        for layer in self.front:
            z = tuple(max(dot(row, z) + row[-1], ZERO) for row in layer)
        if not self.front:
            z = ()
        values = [max(dot(n.skip or (), point) + dot(n.row, z) + n.row[-1], ZERO) for n in self.top]
        return tuple(
            dot((n.out[o] for n in self.top), values)
            + (dot(self.affine[o], point) if self.affine else ZERO)
            + dot(self.slope[o], z)
            + self.constant[o]
            for o in range(self.output_dimension)
        )

    # Moves --------------------------------------------------------------------------------------------------------

    def permute(self, layer: int, order: Sequence[int]) -> None:
        """Put neuron ``order[t]`` of a layer at position t."""
        _require(sorted(order) == list(range(self._size(layer))), "permute needs a permutation of the layer")
        self._select(layer, order, "permute")

    def drop(self, layer: int, neurons: Iterable[int]) -> None:
        """Drop neurons whose outgoing weights are all 0."""
        gone = set(neurons)
        if layer > self.depth:
            unused = not any(x for j in gone for x in self.top[j].out)
        else:
            unused = not any(vector[k] for vector in self._after(layer) for k in gone)
        _require(unused, "drop needs neurons without outgoing weights")
        self._select(layer, self._others(layer, gone), "drop")

    def dead(self, layer: int, neurons: Iterable[int]) -> None:
        """Drop neurons that do not look at x (no weights in layer 1) and have [w|b] ≤ 0: their output is 0."""
        gone = set(neurons)
        rows = [self._row(layer, j) for j in gone]
        _require(
            layer > 1 or self.depth == 0 or not any(any(row[:-1]) for row in rows), "a dead neuron must not look at x"
        )
        _require(all(x <= 0 for row in rows for x in row), "dead needs rows [w|b] <= 0")
        self._select(layer, self._others(layer, gone), "dead")

    def scale(self, layer: int, factors: Sequence[Rational]) -> None:
        """Multiply the row of every neuron by a positive factor and divide its outgoing weights by it."""
        _require(len(factors) == self._size(layer) and all(q > 0 for q in factors), "scale needs positive factors")
        if layer > self.depth:
            self.top = [n.scaled(q) if q != 1 else n for n, q in zip(self.top, factors)]
        else:
            self.front[layer - 1] = [_times(row, q) for row, q in zip(self.front[layer - 1], factors)]
            inverses = [ONE / q for q in factors]
            for vector in self._after(layer):
                vector[: len(inverses)] = [x * q if x else x for x, q in zip(vector, inverses)]
        self.steps.append(("scale", layer, tuple(factors)))

    def merge(self, layer: int, triples: Sequence[tuple[int, int, Rational]]) -> None:
        """Give the outgoing weights of a neuron to another one, and drop it.

        A triple (kept, other, q) needs [a|w|b]_other = q·[a|w|b]_kept with q > 0.
        """
        for kept, other, ratio in triples:
            _require(ratio > 0 and kept != other, "merge needs two neurons and a positive ratio")
            if layer > self.depth:
                a, b = self.top[kept], self.top[other]
                proportional = b.row == _times(a.row, ratio) and (b.skip or []) == _times(a.skip or [], ratio)
                a.out = [x + ratio * y for x, y in zip(a.out, b.out)]
                b.out = [ZERO] * len(b.out)
            else:
                rows = self.front[layer - 1]
                proportional = rows[other] == _times(rows[kept], ratio)
                for vector in self._after(layer):
                    vector[kept] += ratio * vector[other]
                    vector[other] = ZERO
            _require(proportional, "merge needs positively proportional rows")
        self.steps.append(("merge", layer, tuple(triples)))
        self.drop(layer, [other for _, other, _ in triples])

    def absorb(self, neurons: Sequence[int]) -> None:
        """Put top neurons with a = 0 and [w|b] ≥ 0 into M and v: their re-orientation is dead."""
        self.flip(self.depth + 1, neurons)
        self.dead(self.depth + 1, neurons)

    def flip(self, layer: int, neurons: Sequence[int]) -> None:
        """Re-orient neurons by σ(t) = σ(−t) + t: top neurons, or first-layer neurons when F = 1."""
        if layer > self.depth:
            self._add_affine([self.top[j] for j in neurons])
            for j in neurons:
                n = self.top[j]
                self.top[j] = Neuron(_negative(n.skip) if n.skip else None, _negative(n.row), n.out)
        else:
            _require(self.depth == 1, "flip needs the top or the only front layer")
            self._flip_front(neurons)
        self.steps.append(("flip", layer, tuple(neurons)))

    def expose(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Replace w_ji z_i by w_ji y_i in top neuron j, for F = 1, a_j = 0, w_ji > 0 and all other entries ≤ 0.

        Where y_i ≤ 0 both preactivations are ≤ 0, where y_i > 0 they agree.
        """
        _require(self.depth == 1, "expose needs exactly one front layer")
        for j, i in pairs:
            row = self._row(2, j)
            _require(row[i] > 0 and all(x <= 0 for k, x in enumerate(row) if k != i), "expose needs a row that hides")
            weight = row[i]
            *skip, bias = _times(self.front[0][i], weight)
            hidden = list(row)
            hidden[i] = ZERO
            hidden[-1] += bias
            self.top[j] = Neuron(skip, hidden, self.top[j].out)
        self.steps.append(("expose", 2, tuple(pairs)))

    def lift(self, neurons: Sequence[int]) -> None:
        """Turn M_k z_k into a top neuron with c = M_k, a = W_k, w = 0 (F = 1)."""
        _require(self.depth == 1, "lift needs exactly one front layer")
        for k in neurons:
            *weight, bias = self.front[0][k]
            self.top.append(Neuron(weight, [*[ZERO] * self.width, bias], [row[k] for row in self.slope]))
            for row in self.slope:
                row[k] = ZERO
        self.steps.append(("lift", 1, tuple(neurons)))

    # Parts of moves ----------------------------------------------------------------------------------------------

    def _size(self, layer: int) -> int:
        return len(self.top) if layer > self.depth else len(self.front[layer - 1])

    def _row(self, layer: int, j: int) -> Vector:
        """Return [w|b] of a neuron that must not look at the input past the front."""
        if layer <= self.depth:
            return self.front[layer - 1][j]
        _require(self.top[j].skip is None, "the neuron must not look at the input directly")
        return self.top[j].row

    def _rows_after(self, layer: int) -> list[Vector]:
        return self.front[layer] if layer < self.depth else [n.row for n in self.top]

    def _after(self, layer: int) -> list[Vector]:
        """Return all vectors whose entry k is a weight from neuron k of a front layer."""
        return self._rows_after(layer) + (self.slope if layer == self.depth else [])

    def _others(self, layer: int, gone: set[int]) -> list[int]:
        return [k for k in range(self._size(layer)) if k not in gone]

    def _select(self, layer: int, order: Sequence[int], why: str) -> None:
        size = self._size(layer)
        if layer > self.depth:
            self.top = [self.top[j] for j in order]
        else:
            self.front[layer - 1] = [self.front[layer - 1][k] for k in order]
            for vector in self._after(layer):
                vector[:size] = [vector[k] for k in order]
        self.steps.append(("select", layer, tuple(order), why, size - len(order)))

    def _add_affine(self, neurons: Sequence[Neuron]) -> None:
        """Add Σ c (a·x + w·z + b) to A, M and v."""
        if not neurons:
            return
        out = Matrix.from_columns([n.out for n in neurons], self.output_dimension)
        for o, row in enumerate((out @ Matrix([n.row for n in neurons])).rows):
            self.slope[o] = [x + y if y else x for x, y in zip(self.slope[o], row)]
            self.constant[o] += row[-1]
        none = [ZERO] * self.input_dimension
        if any(n.skip for n in neurons):
            self._add_to_input(out @ Matrix([n.skip or none for n in neurons]))

    def _add_to_input(self, matrix: Matrix) -> None:
        base = self.affine or [[ZERO] * self.input_dimension for _ in range(self.output_dimension)]
        total = [[x + y for x, y in zip(a, b)] for a, b in zip(base, matrix.rows)]
        self.affine = total if any(map(any, total)) else None

    def _flip_front(self, neurons: Sequence[int]) -> None:
        rows = Matrix([self.front[0][k] for k in neurons])
        added = Matrix([[vector[k] for k in neurons] for vector in self._after(1)], len(neurons)) @ rows
        none = [ZERO] * self.input_dimension
        for n, (*skip, bias) in zip(self.top, added.rows):
            total = [x + y for x, y in zip(n.skip or none, skip)]
            n.skip = total if any(total) else None
            n.row[-1] += bias
        rest = added.rows[len(self.top) :]
        self._add_to_input(Matrix([row[:-1] for row in rest], self.input_dimension))
        self.constant = [v + row[-1] for v, row in zip(self.constant, rest)]
        for k in neurons:
            self.front[0][k] = _negative(self.front[0][k])

    def __repr__(self) -> str:
        widths = "-".join(map(str, [self.input_dimension, *map(len, self.front), len(self.top), self.output_dimension]))
        return f"<State {widths}, {len(self.steps)} steps>"


def difference(a: State, b: State) -> State:
    """Return the state of f_a − f_b: both fronts side by side, without steps.

    A state with fewer front layers gets identity layers, which change nothing as z ≥ 0.
    """
    depth = max(a.depth, b.depth)
    left, right = _padded(a, depth), _padded(b, depth)
    result = State(a.input_dimension, a.output_dimension)
    if depth:
        result.front.append([list(row) for row in left.front[0] + right.front[0]])
    for above, below, p, q in zip(left.front, right.front, left.front[1:], right.front[1:]):
        result.front.append([_wide(row, 0, len(below)) for row in p] + [_wide(row, len(above), 0) for row in q])
    result.top = [Neuron(n.skip, _wide(n.row, 0, right.width), list(n.out)) for n in left.top]
    result.top += [Neuron(n.skip, _wide(n.row, left.width, 0), _negative(n.out)) for n in right.top]
    result.slope = [[*x, *_negative(y)] for x, y in zip(left.slope, right.slope)]
    result.constant = [x - y for x, y in zip(left.constant, right.constant)]
    for state, factor in ((left, ONE), (right, -ONE)):
        if state.affine is not None:
            result._add_to_input(Matrix([_times(row, factor) for row in state.affine]))
    return result


def _padded(state: State, depth: int) -> State:
    result = State(state.input_dimension, state.output_dimension)
    n = state.width
    identity = [[ONE if i == k else ZERO for i in range(n + 1)] for k in range(n)]
    result.front = state.front + [identity] * (depth - state.depth)
    result.top, result.affine = state.top, state.affine
    result.slope, result.constant = state.slope, state.constant
    return result


def _wide(row: Vector, before: int, after: int) -> Vector:
    """Return [w|b] with zero weights added on both sides of w."""
    return [ZERO] * before + row[:-1] + [ZERO] * after + row[-1:]


def step_to_json(step: Step) -> list[Any]:
    """Return a step as JSON-ready [name, layer, list of indices or rational texts]."""

    def convert(value: Any) -> Any:
        if isinstance(value, tuple):
            return [convert(x) for x in value]
        return to_text(value) if isinstance(value, Rational) else value

    return [convert(value) for value in step[:3]]


def _times(vector: Sequence[Rational], factor: Rational) -> Vector:
    return [x * factor if x else x for x in vector]


def _negative(vector: Sequence[Rational]) -> Vector:
    return [-x for x in vector]


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise VerificationError(f"move refused: {message}")
