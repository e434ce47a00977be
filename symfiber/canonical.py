"""The canonical form of a network: the end of a deterministic reduction of its extended state (THEORY §3).

Why this way: every pass only makes moves of :mod:`symfiber.reduction`, which hold for every parameter, so equal forms
always mean equal functions and the recorded moves prove it.  That different forms mean different functions is a theorem
for generic bottleneck networks and for all networks with one hidden layer or n₁ = 1; nothing here relies on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from symfiber.errors import InputError
from symfiber.exact import ONE, ZERO, Rational, dot, rational, to_text
from symfiber.network import Network, require_network
from symfiber.orthant import NeuronType, hyperplane_key
from symfiber.reduction import State

Row = tuple[Rational, ...]


@dataclass(frozen=True, slots=True)
class CanonicalNeuron:
    """One neuron c σ(a·x + w·z + b) of a canonical form: ``skip`` a (empty when 0), ``row`` [w|b], ``out`` c."""

    skip: Row
    row: Row
    out: Row


@dataclass(frozen=True, slots=True)
class CanonicalForm:
    r"""f(x) = Σ_j c_j σ(a_j·x + w_j·z + b_j) + A x + M z + v with z = σ(W_F … σ(W₁x + b₁) … + b_F).

    Hashable, and equal for equal forms only.  Rows are scaled so that their first nonzero entry is ±1, sorted, and no
    two are equal; neurons that do nothing are gone, so networks of different hidden widths can have the same form.

    Attributes
    ----------
    input_dimension, output_dimension : int
        d and m.
    front : tuple of layers, each a tuple of rows [w|b]
        Empty when the function is given by neurons that look at the input only.
    neurons : tuple of CanonicalNeuron
    affine : tuple of rows of A, empty when A = 0
    slope : tuple of rows of M, m × (width of the last front layer)
    constant : tuple, v
    """

    input_dimension: int
    output_dimension: int
    front: tuple[tuple[Row, ...], ...]
    neurons: tuple[CanonicalNeuron, ...]
    affine: tuple[Row, ...]
    slope: tuple[Row, ...]
    constant: Row

    def evaluate(self, point: Sequence[Any]) -> Row:
        """Return the exact value at a rational point: that of every network with this form."""
        x = tuple(rational(value, "point coordinate") for value in point)
        if len(x) != self.input_dimension:
            raise InputError(f"point must have {self.input_dimension} coordinates, got {len(x)}")
        z: Row = x
        for layer in self.front:
            z = tuple(max(dot(row, z) + row[-1], ZERO) for row in layer)
        values = [max(dot(n.skip, x) + dot(n.row[:-1], z) + n.row[-1], ZERO) for n in self.neurons]
        result = []
        for o, v in enumerate(self.constant):
            v = v + dot((n.out[o] for n in self.neurons), values) + dot(self.slope[o], z)
            result.append(v + dot(self.affine[o], x) if self.affine else v)
        return tuple(result)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data; rationals as texts."""

        def texts(rows: Sequence[Row]) -> list[list[str]]:
            return [[to_text(x) for x in row] for row in rows]

        return {
            "format": "symfiber-canonical/1",
            "input_dimension": self.input_dimension,
            "output_dimension": self.output_dimension,
            "front": [texts(layer) for layer in self.front],
            "neurons": [dict(zip(("skip", "row", "out"), texts((n.skip, n.row, n.out)))) for n in self.neurons],
            "affine": texts(self.affine),
            "slope": texts(self.slope),
            "constant": texts([self.constant])[0],
        }

    def __hash__(self) -> int:
        # Hashing every rational is slow; sizes, v and one neuron tell most functions apart.
        sizes = (self.input_dimension, tuple(map(len, self.front)), len(self.neurons))
        first = self.neurons[0] if self.neurons else None
        return hash((sizes, self.constant, first and (first.row[-1], first.out)))

    def __repr__(self) -> str:
        widths = "-".join(str(len(layer)) for layer in self.front) or "no"
        return (
            f"<CanonicalForm of a function from dimension {self.input_dimension} to {self.output_dimension}: "
            f"{widths} front neurons, {len(self.neurons)} top neurons>"
        )


def canonical_form(net: Network) -> CanonicalForm:
    r"""Return the canonical form of a network of numbers of any depth.

    Parameters
    ----------
    net : Network of numbers, architecture (d, n₁, …, m)

    Returns
    -------
    CanonicalForm
        Equal forms ⇒ equal functions, always.  Different forms ⇒ different functions for generic networks with two
        hidden layers and rank W₁ = n₁ ≤ d, and for every network with n₁ = 1 ≤ d or with one hidden layer.  For other
        networks the form undoes permutations, positive scalings, merging, dead and unused neurons in all layers, and
        linear neurons and orientations in the last.

    Raises
    ------
    UnsupportedError
        For a symbolic network.

    Notes
    -----
    Cost: a constant number of operations per weight, two matrix products and sorting.  Proved, see
    docs/concepts/certificates.md.

    Examples
    --------
    >>> net = Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])])
    >>> same = Network([([[3, 1], [2, 4]], [1, 3]), ([[-2, 2]], [-8]), ([["1/2"]], [0])])   # translated
    >>> canonical_form(net) == canonical_form(same), net == same
    (True, False)
    """
    require_network(net, "canonical_form")
    return freeze(reduced(net))


def reduced(net: Network) -> State:
    """Return the reduced state of a network; its ``steps`` prove that it computes the same function."""
    state = State.from_network(net)
    reduce_state(state)
    return state


def freeze(state: State) -> CanonicalForm:
    """Return the state without its steps, as a hashable value."""
    front = state.front if any(state.front) else []
    return CanonicalForm(
        state.input_dimension,
        state.output_dimension,
        tuple(tuple(map(tuple, layer)) for layer in front),
        tuple(CanonicalNeuron(tuple(n.skip or ()), tuple(n.row), tuple(n.out)) for n in state.top),
        tuple(map(tuple, state.affine or ())),
        tuple(map(tuple, state.slope)),
        tuple(state.constant),
    )


def reduce_state(state: State) -> None:
    """Reduce a state by moves, always the same way for the same function as far as its rows tell."""
    for layer in range(1, state.depth + 1):
        _normalise_front(state, layer)
    _clean_top(state)
    _merge_hyperplanes(state)
    _orient_top(state)
    if state.depth == 1:
        _expose(state)
    if state.depth:
        _scale_front(state, state.depth)
    count = -1
    while count < len(state.steps):
        count = len(state.steps)
        _clean_top(state)
        _scale_top(state)
        _merge_equal(state)
        _drop_unused_front(state)
        if state.depth == 1:
            _lift(state)
            _flip_front(state)
        _orient_affine(state)
    if state.depth == 1:
        _sort_front(state, 1, [tuple(row) for row in state.front[0]])
    order = sorted(range(len(state.top)), key=lambda j: (state.top[j].row, state.top[j].skip or [], state.top[j].out))
    if order != list(range(len(order))):
        state.permute(state.depth + 1, order)


def _pivot(row: Sequence[Rational]) -> Rational | None:
    return next((x for x in row if x), None)


def _normalise_front(state: State, layer: int) -> None:
    """Fold constant neurons, drop dead ones, merge proportional rows, sort; scale unless this waits (last layer)."""
    if state.depth == 1:
        constant = [k for k, row in enumerate(state.front[0]) if not any(row[:-1]) and row[-1] > 0]
        if constant:
            state.flip(1, constant)
    rows = state.front[layer - 1]
    first = 0 if layer > 1 else state.input_dimension
    dead = [k for k, row in enumerate(rows) if not any(row[:first]) and all(x <= 0 for x in row)]
    if dead:
        state.dead(layer, dead)
        rows = state.front[layer - 1]
    sizes = [abs(_pivot(row) or ONE) for row in rows]
    keys = [tuple(x / size for x in row) for row, size in zip(rows, sizes)]
    merges = _equal_keys(keys, sizes)
    if merges:
        state.merge(layer, merges)
        gone = {dropped for _, dropped, _ in merges}
        keys = [key for k, key in enumerate(keys) if k not in gone]
    _sort_front(state, layer, keys)
    if layer < state.depth:
        _scale_front(state, layer)


def _sort_front(state: State, layer: int, keys: Sequence[Any]) -> None:
    order = sorted(range(len(keys)), key=keys.__getitem__)
    if order != list(range(len(order))):
        state.permute(layer, order)


def _equal_keys(keys: Sequence[Any], sizes: Sequence[Rational]) -> list[tuple[int, int, Rational]]:
    """Return the merges (kept, dropped, ratio) of neurons with equal keys; their rows are size · key."""
    return [(c[0], j, sizes[j] / sizes[c[0]]) for c in _equal_classes(keys) for j in c[1:]]


def _equal_classes(keys: Sequence[Any]) -> list[list[int]]:
    """Return the index lists of equal keys, those of length > 1; by sorting, as hashing rationals is slow."""
    classes: list[list[int]] = []
    last = None
    for j in sorted(range(len(keys)), key=keys.__getitem__):
        if last is not None and keys[last] == keys[j]:
            classes[-1].append(j)
        else:
            classes.append([j])
        last = j
    return sorted(c for c in classes if len(c) > 1)


def _scale_front(state: State, layer: int) -> None:
    """Scale the rows of a front layer to a first nonzero entry ±1."""
    factors = [ONE / abs(_pivot(row) or ONE) for row in state.front[layer - 1]]
    if any(q != 1 for q in factors):
        state.scale(layer, factors)


def _kind(row: Sequence[Rational]) -> NeuronType:
    positive = negative = False
    for x in row:
        if x:
            if x > 0:
                positive = True
            else:
                negative = True
            if positive and negative:
                return "nonlinear"
    return "linear" if positive else "dead"


def _clean_top(state: State) -> None:
    """Drop top neurons that are dead or without outgoing weights, absorb linear ones."""
    top = state.depth + 1
    _drop_unused_top(state)
    dead = [j for j, n in enumerate(state.top) if n.skip is None and _kind(n.row) == "dead"]
    if dead:
        state.dead(top, dead)
    linear = [j for j, n in enumerate(state.top) if n.skip is None and _kind(n.row) == "linear"]
    if linear:
        state.absorb(linear)


def _merge_hyperplanes(state: State) -> None:
    """Merge top neurons that share a hyperplane of the orthant, after orienting them by their first nonzero entry."""
    if state.depth == 0:
        return
    candidates = [j for j, n in enumerate(state.top) if n.skip is None]
    classes = _equal_classes([hyperplane_key(state.top[j].row) for j in candidates])
    shared = [[candidates[t] for t in members] for members in classes]
    if not shared:
        return
    flips = [j for members in shared for j in members if (_pivot(state.top[j].row) or ONE) < 0]
    if flips:
        state.flip(state.depth + 1, flips)
    pivots = {j: _pivot(state.top[j].row) or ONE for members in shared for j in members}
    merges = [(members[0], j, pivots[j] / pivots[members[0]]) for members in shared for j in members[1:]]
    state.merge(state.depth + 1, merges)
    _drop_unused_top(state)


def _drop_unused_top(state: State) -> None:
    unused = [j for j, n in enumerate(state.top) if not any(n.out)]
    if unused:
        state.drop(state.depth + 1, unused)


def _hides(row: Sequence[Rational], sign: int = 1) -> int | None:
    """Return i when sign·[w|b] is positive at i, a weight, and ≤ 0 elsewhere."""
    found = None
    for k, x in enumerate(row):
        if x and (x > 0) == (sign > 0):
            if found is not None:
                return None
            found = k
    return found if found is not None and found < len(row) - 1 else None


def _orient_top(state: State) -> None:
    """Orient nonlinear neurons: so that they hide a front neuron if they can, else with first nonzero entry > 0.

    A neuron w_i z_i − w_k z_k can hide either; it hides the one whose hypersurface is then hidden in the whole state.
    """
    flips, ties = set(), []
    for j, n in enumerate(state.top):
        if n.skip is not None:
            continue
        as_is, flipped = _hides(n.row), _hides(n.row, -1)
        if as_is is not None and flipped is not None:
            ties.append(j)
        elif flipped is not None or (as_is is None and (_pivot(n.row) or ONE) < 0):
            flips.add(j)
    if ties:
        preferred = _hidden_neurons(state, flips, ties)
        for j in ties:
            row = state.top[j].row
            as_is, flipped = _hides(row) in preferred, _hides(row, -1) in preferred
            if (flipped and not as_is) or (flipped == as_is and (_pivot(row) or ONE) < 0):
                flips.add(j)
    if flips:
        state.flip(state.depth + 1, sorted(flips))


def _hidden_neurons(state: State, flips: set[int], ties: Sequence[int]) -> set[int]:
    """Return the front neurons i that every neuron looking at them hides, with column i of M then zero."""
    result = set()
    tied = set(ties)
    for i in {k for j in ties for k, x in enumerate(state.top[j].row[:-1]) if x}:
        column, hidden = [row[i] for row in state.slope], True
        for j, n in enumerate(state.top):
            if n.skip is not None or not n.row[i]:
                continue
            flipped = n.row[i] < 0 if j in tied else j in flips
            hidden = hidden and _hides(n.row, -1 if flipped else 1) == i
            if flipped:
                column = [m + c * n.row[i] for m, c in zip(column, n.out)]
        if hidden and not any(column):
            result.add(i)
    return result


def _scale_top(state: State) -> None:
    """Scale top rows [a|w|b] to a first nonzero entry ±1."""
    factors = [ONE / abs(_pivot(n.key()) or ONE) for n in state.top]
    if any(q != 1 for q in factors):
        state.scale(state.depth + 1, factors)


def _merge_equal(state: State) -> None:
    """Merge top neurons with equal rows and drop those whose outgoing weights cancel."""
    merges = _equal_keys([n.key() for n in state.top], [ONE] * len(state.top))
    if merges:
        state.merge(state.depth + 1, merges)
        _drop_unused_top(state)


def _expose(state: State) -> None:
    """Replace z_i by y_i in every neuron that hides i: only w_i y_i + b is determined there, not y_i."""
    pairs = [(j, i) for j, n in enumerate(state.top) if n.skip is None and (i := _hides(n.row)) is not None]
    if pairs:
        state.expose(pairs)


def _drop_unused_front(state: State) -> None:
    for layer in range(state.depth, 0, -1):
        vectors = state.front[layer] if layer < state.depth else [n.row for n in state.top] + state.slope
        unused = [k for k in range(len(state.front[layer - 1])) if not any(vector[k] for vector in vectors)]
        if unused:
            state.drop(layer, unused)


def _users(state: State, k: int) -> Iterator[int]:
    return (j for j, n in enumerate(state.top) if n.row[k])


def _lift(state: State) -> None:
    """Make M_k z_k a neuron of its own when no top neuron looks at z_k."""
    lone = [
        k for k in range(state.width) if any(row[k] for row in state.slope) and not any(True for _ in _users(state, k))
    ]
    if lone:
        state.lift(lone)


def _flip_front(state: State) -> None:
    """Flip first-layer rows to a positive first nonzero weight when all their users can take the affine term."""
    flips = [
        k
        for k, row in enumerate(state.front[0])
        if (_pivot(row) or ONE) < 0 and all(state.top[j].skip is not None for j in _users(state, k))
    ]
    if flips:
        state.flip(1, flips)


def _orient_affine(state: State) -> None:
    """Orient neurons that look at the input only by the first nonzero entry of a."""
    flips = [j for j, n in enumerate(state.top) if n.skip is not None and n.is_affine() and (_pivot(n.skip) or ONE) < 0]
    if flips:
        state.flip(state.depth + 1, flips)


__all__ = ["CanonicalForm", "CanonicalNeuron", "canonical_form", "freeze", "reduce_state", "reduced"]
