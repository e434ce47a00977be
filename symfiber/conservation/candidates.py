r"""Laws and symmetry fields that the structure of a network suggests; every one is verified before it is used.

For a hidden neuron j with incoming parameters a_j = (w_j, b_j) and outgoing weights c_j, and neurons j, k of one layer
that are active on the same cells:

* a parameter that no realised cell sees is a law;
* *scaling*: |a_j|² − |c_j|², the potential of 2(a_j, −c_j);
* *balance*: ⟨a_j, a_k⟩ − ⟨c_j, c_k⟩, an entry of A Aᵀ − Cᵀ C, the potential of the symmetric mixing;
* the antisymmetric mixing (a_k, −a_j; c_k, −c_j) is a symmetry, too;
* *kernel motion*: when there are more such neurons than outgoing weights of each, a column of A may move by the kernel
  of C, whose vectors are minors of C with signs; when there are more than incoming weights, a row of C by that of Aᵀ;
* *bias translation*: b_j ↦ b_j + t, b′_k ↦ b′_k − w′_kj t for the neurons k of the next layer that are seen: a symmetry
  iff j is active wherever one of the k is.  When j is active everywhere this is the *bias shift of a linear neuron*,
  otherwise the *hiding translation*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from symfiber.conservation.fields import Fields
from symfiber.conservation.layout import Layout
from symfiber.conservation.sparse import (
    SparseField,
    SparsePolynomial,
    add_term,
    multiply_monomials,
    partial_derivatives,
)
from symfiber.network import ActivationPattern

_LARGEST_MINOR = 3


@dataclass(frozen=True, slots=True)
class Activity:
    """What the activation patterns of the cells say about single neurons.

    Attributes
    ----------
    twins : tuple of (layer, j, k), j < k
        Neurons of a layer that are active on the same cells, and on some.
    always : frozenset of (layer, j)
        Neurons that are active on all cells: the function is linear in their input.
    """

    twins: tuple[tuple[int, int, int], ...] = ()
    always: frozenset[tuple[int, int]] = frozenset()

    @classmethod
    def of(cls, patterns: Sequence[ActivationPattern]) -> Activity:
        """Read the patterns of some cells.

        Examples
        --------
        >>> Activity.of([((True, True, False),), ((True, True, True),)]).twins
        ((1, 0, 1),)
        """
        twins: list[tuple[int, int, int]] = []
        always: set[tuple[int, int]] = set()
        for number in range(len(patterns[0]) if patterns else 0):
            columns = list(zip(*(pattern[number] for pattern in patterns)))
            always.update((number + 1, j) for j, column in enumerate(columns) if all(column))
            twins += [
                (number + 1, j, k)
                for j, k in combinations(range(len(columns)), 2)
                if columns[j] == columns[k] and any(columns[j])
            ]
        return cls(tuple(twins), frozenset(always))


@dataclass(frozen=True, eq=False)
class Candidate:
    """A named polynomial (a suggested law) or vector field (a suggested symmetry)."""

    name: str
    kind: str
    field: SparseField
    potential: SparsePolynomial | None = None


def _pair(layout: Layout, layer: int, j: int, k: int, seen: Iterable[int]) -> SparsePolynomial:
    """⟨a_j, a_k⟩ − ⟨c_j, c_k⟩ over the parameters that are seen."""
    visible = set(seen)
    result: SparsePolynomial = {}
    for sign, left, right in (
        (1, layout.incoming(layer, j), layout.incoming(layer, k)),
        (-1, layout.outgoing(layer, j), layout.outgoing(layer, k)),
    ):
        for x, y in zip(left, right):
            if x in visible and y in visible:
                result[(min(x, y), max(x, y))] = sign
    return result


def _potential(name: str, kind: str, polynomial: SparsePolynomial) -> Candidate:
    return Candidate(name, kind, partial_derivatives(polynomial), polynomial)


def suggested_laws(fields: Fields, layout: Layout | None, activity: Activity) -> Iterator[Candidate]:
    """Yield unseen parameters, scalings and balances, none of them verified yet."""
    seen = fields.seen
    for i, name in enumerate(fields.names):
        if i not in seen:
            yield _potential(f"unseen parameter {name}", "unseen", {(i,): 1})
    if layout is None:
        return
    for layer, j in layout.neurons():
        polynomial = _pair(layout, layer, j, j, seen)
        if polynomial:
            yield _potential(f"scaling of neuron {j} in layer {layer}", "scaling", polynomial)
    for layer, j, k in activity.twins:
        polynomial = _pair(layout, layer, j, k, seen)
        if polynomial:
            yield _potential(f"balance of neurons {j} and {k} in layer {layer}", "balance", polynomial)


def suggested_symmetries(fields: Fields, layout: Layout, activity: Activity) -> Iterator[Candidate]:
    """Yield the symmetry fields without a potential of the families above, none of them verified yet."""
    seen = fields.seen
    for layer, j, k in activity.twins:
        mixing: SparseField = {}
        for left, right in (
            (layout.incoming(layer, j), layout.incoming(layer, k)),
            (layout.outgoing(layer, j), layout.outgoing(layer, k)),
        ):
            for x, y in zip(left, right):
                if x in seen and y in seen:
                    mixing[x], mixing[y] = {(y,): 1}, {(x,): -1}
        if mixing:
            yield Candidate(f"rotation of neurons {j} and {k} in layer {layer}", "rotation", mixing)
    yield from _kernel_motions(fields, layout, activity)
    for layer, j in layout.neurons():
        bias = layout.bias(layer, j)
        if bias is None or bias not in seen:
            continue
        translation: SparseField = {bias: {(): 1}}
        for k in range(layout.architecture[layer + 1]):
            target, weight = layout.bias(layer + 1, k), layout.weight(layer + 1, k, j)
            if target is not None and target in seen and weight in seen:
                translation[target] = {(weight,): -1}
        if (layer, j) in activity.always:
            yield Candidate(f"bias shift of linear neuron {j} in layer {layer}", "bias shift", translation)
        else:
            yield Candidate(f"hiding translation of neuron {j} in layer {layer}", "hiding translation", translation)


def _kernel_motions(fields: Fields, layout: Layout, activity: Activity) -> Iterator[Candidate]:
    """Move one column of A by the kernel of C, or one row of C by the kernel of Aᵀ.

    A motion of row o of C in a direction κ with κ·w = 0 at all weights is made up for at the next bias by −κ·b.
    """
    seen = fields.seen
    for layer, members in _blocks(activity):
        incoming = [layout.incoming(layer, j) for j in members]
        outgoing = [layout.outgoing(layer, j) for j in members]
        for chosen, kernel in _kernel_vectors([[x for x in row if x in seen] for row in outgoing]):
            for places in zip(*(incoming[a] for a in chosen)):
                if all(x in seen for x in places):
                    yield _kernel_motion(fields, layer, [members[a] for a in chosen], dict(zip(places, kernel)))
        width = layout.architecture[layer - 1]
        for chosen, kernel in _kernel_vectors([[x for x in row[:width] if x in seen] for row in incoming]):
            for row, places in enumerate(zip(*(outgoing[a] for a in chosen))):
                if all(x in seen for x in places):
                    motion = dict(zip(places, kernel))
                    target = layout.bias(layer + 1, row)
                    if target is not None and target in seen and layout.bias(layer, 0) is not None:
                        motion[target] = _correction(kernel, [incoming[a][-1] for a in chosen])
                    yield _kernel_motion(fields, layer, [members[a] for a in chosen], motion)


def _kernel_motion(fields: Fields, layer: int, neurons: Sequence[int], field: SparseField) -> Candidate:
    place = fields.names[next(iter(field))]
    listed = ", ".join(map(str, neurons))
    return Candidate(f"kernel motion of neurons {listed} in layer {layer} at {place}", "kernel motion", field)


def _kernel_vectors(rows: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], list[SparsePolynomial]]]:
    """Yield κ with Σ_a κ_a·rows[a] = 0 on n + 1 of the rows, n ≤ 3 their length: the n-minors with signs."""
    size = len(rows[0])
    if size > _LARGEST_MINOR or any(len(row) != size for row in rows):
        return
    for last in range(size, len(rows)):
        chosen = [*range(size), last]
        yield (
            chosen,
            [
                _minor([rows[a] for number, a in enumerate(chosen) if number != skipped], (-1) ** skipped)
                for skipped in range(size + 1)
            ],
        )


def _correction(kernel: Sequence[SparsePolynomial], biases: Sequence[int]) -> SparsePolynomial:
    """−κ·b."""
    total: SparsePolynomial = {}
    for component, bias in zip(kernel, biases):
        for monomial, coefficient in component.items():
            add_term(total, multiply_monomials(monomial, (bias,)), -coefficient)
    return total


def _blocks(activity: Activity) -> Iterator[tuple[int, list[int]]]:
    """The maximal sets of neurons of a layer that are active on the same cells, of two or more."""
    groups: dict[tuple[int, int], list[int]] = {}
    grouped: set[tuple[int, int]] = set()
    for layer, j, k in activity.twins:
        if (layer, j) not in grouped:
            groups.setdefault((layer, j), [j]).append(k)
            grouped.add((layer, k))
    for (layer, _), members in groups.items():
        yield layer, members


def _minor(columns: Sequence[Sequence[int]], sign: int) -> SparsePolynomial:
    """± the determinant of a square matrix of variables, given by its columns."""
    result: SparsePolynomial = {}
    for order in permutations(range(len(columns))):
        inversions = sum(order[a] > order[b] for a, b in combinations(range(len(order)), 2))
        monomial = tuple(sorted(column[row] for column, row in zip(columns, order)))
        result[monomial] = -sign if inversions % 2 else sign
    return result
