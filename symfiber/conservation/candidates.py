r"""Laws and symmetry fields that the structure of a network suggests; every one is verified before it is used.

For a hidden neuron j with incoming parameters a_j = (w_j, b_j) and outgoing weights c_j, and neurons j, k of one layer
that are active on the same cells:

* a parameter that no realised cell sees is a law;
* *scaling*: |a_j|² − |c_j|², the potential of 2(a_j, −c_j);
* *balance*: ⟨a_j, a_k⟩ − ⟨c_j, c_k⟩, an entry of A Aᵀ − Cᵀ C, the potential of the symmetric mixing;
* the antisymmetric mixing (a_k, −a_j; c_k, −c_j) is a symmetry, too;
* *bias translation*: b_j ↦ b_j + t, b′_k ↦ b′_k − w′_kj t for the neurons k of the next layer that are seen: a symmetry
  iff j is active wherever one of the k is.  When j is active everywhere this is the *bias shift of a linear neuron*,
  otherwise the *hiding translation*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from symfiber.conservation.fields import Fields
from symfiber.conservation.layout import Layout
from symfiber.conservation.sparse import SparseField, SparsePolynomial, partial_derivatives
from symfiber.network import ActivationPattern


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
