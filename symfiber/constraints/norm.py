r"""The member of least ℓ₂ norm among the scalings of a network, with a proved lower bound.

In the logarithms x of the scalings the squared norm is convex: f(x) = Σ_e t_e, t_e = value_e² · exp(2(x_up − x_down)).
At a minimum the t_e balance: at every hidden neuron the incoming ones sum to the outgoing ones.  Floats propose that.

*Lower bound.*  Let w_e ≥ 0 balance exactly, w ≠ 0, and t_e ≥ ρ·w_e for all e.  Any other scaling multiplies t_e by
exp(z_e), and Σ w_e z_e = 0 because w balances.  With exp(z) ≥ 1 + z:

    f ≥ Σ ρ w_e exp(z_e) ≥ ρ Σ w_e (1 + z_e) = ρ Σ w_e,  a rational number.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, log2
from typing import TYPE_CHECKING, Any

import networkx as nx

from symfiber.constraints.scaling import Entry, entries, node_count, scaled
from symfiber.errors import InputError, LimitExceededError, UnsupportedError, VerificationError
from symfiber.exact import ZERO, Rational, rational
from symfiber.network import Network

if TYPE_CHECKING:
    from symfiber.decomposition.component import Component
    from symfiber.decomposition.fiber import Fiber

_SWEEPS = 20_000
_BITS = 52
_COMPONENT_LIMIT = 256
DEFAULT_GAP = "1/1000000000"


@dataclass(frozen=True, slots=True)
class MinimumNorm:
    """A scaling of a network whose squared norm is close to the least possible one.

    Attributes
    ----------
    network : Network
    scalings : tuple of rationals
        One a node, the first (the outside) 1.
    member : Network
        The scaled network.
    squared_norm : rational
        Of the member.
    lower_bound : rational
        No scaling has a smaller squared norm.
    weights : tuple of rationals
        The balanced w_e of the proof, one a parameter.
    """

    network: Network
    scalings: tuple[Rational, ...]
    member: Network
    squared_norm: Rational
    lower_bound: Rational
    weights: tuple[Rational, ...]

    @property
    def relative_gap(self) -> Rational:
        """(squared_norm − lower_bound) / lower_bound; 0 for the zero network."""
        return (self.squared_norm - self.lower_bound) / self.lower_bound if self.lower_bound else ZERO

    def verify(self) -> bool:
        """Scale again, and compute the lower bound again from the weights."""
        if scaled(self.network, self.scalings) != self.member:
            raise VerificationError("the member must be the network with the scalings applied")
        if sum((v * v for v in self.member.parameters), ZERO) != self.squared_norm:
            raise VerificationError(f"the squared norm of the member must be {self.squared_norm}")
        if _lower_bound(entries(self.member), self.weights, node_count(self.member)) != self.lower_bound:
            raise VerificationError(f"the weights must prove the lower bound {self.lower_bound}")
        return True


def _lower_bound(listed: list[Entry], weights: tuple[Rational, ...], nodes: int) -> Rational:
    """Return min(t_e / w_e) · Σ w_e after checking that w ≥ 0 balances."""
    balance = [ZERO] * nodes
    for e, w in zip(listed, weights, strict=True):
        if w < 0 or (w and not e.value):
            raise VerificationError("the weights must not be negative, and 0 where the parameter is 0")
        balance[e.up] += w
        balance[e.down] -= w
    if any(balance):
        raise VerificationError("the weights must balance at every neuron")
    ratios = [e.value * e.value / w for e, w in zip(listed, weights) if w]
    return min(ratios) * sum(weights, ZERO) if ratios else ZERO


def minimum_norm_scaling(net: Network, relative_gap: Any = DEFAULT_GAP) -> MinimumNorm:
    """Return scalings of the hidden neurons for which Σ θ_p² is within a relative gap of its minimum.

    Parameters
    ----------
    relative_gap : rational
        The result satisfies squared_norm ≤ (1 + relative_gap) · lower_bound.

    Raises
    ------
    UnsupportedError
        When the infimum is not attained: some parameters lie on no path from the outside to the outside.
    LimitExceededError
        When the gap is not reached (the scalings have 52 bits).

    Notes
    -----
    Cost: a few hundred sweeps over the parameters in floats, then exact sums.  The gap is proved, see the module.

    Examples
    --------
    >>> found = minimum_norm_scaling(Network([([[8]], [0]), ([["1/2"]], [3])]))
    >>> found.member.parameters, found.squared_norm, found.lower_bound
    ((2, 0, 2, 3), 17, 17)
    """
    allowed = rational(relative_gap, "relative_gap")
    if allowed < 0:
        raise InputError(f"relative_gap must not be negative, got {allowed}")
    listed, nodes = entries(net), node_count(net)
    _check_attained(listed)
    scalings = tuple(_rounded(x) for x in _balanced_logarithms(listed, nodes))
    member = scaled(net, scalings)
    weights = _balanced_weights(entries(member), nodes)
    lower = _lower_bound(entries(member), weights, nodes)
    found = MinimumNorm(net, scalings, member, sum((v * v for v in member.parameters), ZERO), lower, weights)
    if (found.squared_norm and not lower) or found.relative_gap > allowed:
        reached = f"2^{_logarithm(found.relative_gap):.1f}" if lower else "none"
        raise LimitExceededError(
            f"the least norm must be proved within the gap {allowed}, the gap reached is {reached}"
        )
    return found


def _check_attained(listed: list[Entry]) -> None:
    """Raise unless every nonzero parameter lies on a closed walk through the outside.

    Neurons form layers, so a parameter on no such walk leads back to a neuron without incoming, or on to one without
    outgoing nonzero parameters.
    """
    graph = nx.DiGraph((e.down, e.up) for e in listed if e.value)
    for node in sorted(graph.nodes - {0}):
        for side, degree in (("outgoing", graph.in_degree(node)), ("incoming", graph.out_degree(node))):
            if degree == 0:
                raise UnsupportedError(
                    f"the least norm is not attained: hidden neuron {node - 1} has only {side} nonzero weights, "
                    "and scalings bring them as near to 0 as one likes"
                )


def _logarithm(value: Rational) -> float:
    """Return log2 |value|, also where the value itself is no float."""
    top, bottom = abs(int(value.p)), int(value.q)
    shift_top, shift_bottom = max(top.bit_length() - 64, 0), max(bottom.bit_length() - 64, 0)
    return log2(top >> shift_top) + shift_top - log2(bottom >> shift_bottom) - shift_bottom


def _balanced_logarithms(listed: list[Entry], nodes: int) -> list[float]:
    """Return log2 of scalings that nearly balance, by balancing one neuron after another until nothing moves."""
    incoming: list[list[tuple[float, int]]] = [[] for _ in range(nodes)]
    outgoing: list[list[tuple[float, int]]] = [[] for _ in range(nodes)]
    for e in listed:
        if e.value and e.up != e.down:
            incoming[e.up].append((_logarithm(e.value), e.down))
            outgoing[e.down].append((_logarithm(e.value), e.up))
    x = [0.0] * nodes
    for _ in range(_SWEEPS):
        largest = 0.0
        for node in range(1, nodes):
            if not incoming[node]:
                continue
            arriving = _log_of_sum([2 * (a - x[other]) for a, other in incoming[node]])
            leaving = _log_of_sum([2 * (a + x[other]) for a, other in outgoing[node]])
            value = (leaving - arriving) / 4
            largest = max(largest, abs(value - x[node]))
            x[node] = value
        if largest < 1e-15 * max(map(abs, x), default=0.0) or largest < 1e-16:
            break
    return x


def _log_of_sum(logarithms: list[float]) -> float:
    top = max(logarithms)
    return top + log2(fsum(2.0 ** (a - top) for a in logarithms))


def _rounded(logarithm: float) -> Rational:
    """Return a rational with 52 bits near 2^logarithm; exactly a power of two for an integer."""
    whole = int(logarithm // 1)
    mantissa = Rational(round(2.0 ** (logarithm - whole) * 2**_BITS), 2**_BITS)
    return mantissa * (Rational(2) ** whole)


def _balanced_weights(listed: list[Entry], nodes: int) -> tuple[Rational, ...]:
    """Return weights near t_e that balance exactly: what is left over flows through a tree of the largest t_e."""
    weights = [e.value * e.value for e in listed]
    surplus = [ZERO] * nodes
    best: dict[tuple[int, int], int] = {}
    for index, e in enumerate(listed):
        surplus[e.up] += weights[index]
        surplus[e.down] -= weights[index]
        pair = min(e.up, e.down), max(e.up, e.down)
        if weights[index] and e.up != e.down and (pair not in best or weights[index] > weights[best[pair]]):
            best[pair] = index
    graph = nx.Graph()
    for (a, b), index in best.items():
        graph.add_edge(a, b, weight=_logarithm(weights[index]), index=index)
    tree = nx.maximum_spanning_tree(graph)
    if 0 in tree:
        # From the leaves to the outside: the edge to the parent takes the surplus of the whole subtree.
        parents = {child: parent for parent, child in nx.dfs_edges(tree, 0)}
        for child in nx.dfs_postorder_nodes(tree, 0):
            if child == 0:
                continue
            parent = parents[child]
            index = tree.edges[child, parent]["index"]
            weights[index] -= surplus[child] if listed[index].up == child else -surplus[child]
            surplus[parent] += surplus[child]
    # A parameter far below the rounding may end up negative: then there is no bound from these weights.
    return tuple(weights) if all(w >= 0 for w in weights) else tuple(ZERO for _ in weights)


@dataclass(frozen=True, slots=True)
class MinimumNormMember:
    """The least norm among the scalings of one member of every component of a fiber.

    Attributes
    ----------
    component : Component
    result : MinimumNorm
        The best scaling, with its proved gap.
    lower_bound : rational
        No scaling of the members looked at, one a component, has a smaller squared norm.
    complete : bool
        Whether the components are exactly the scalings looked at (visible, no free neurons), so that the lower bound
        holds for all of them and not only for the scalings.
    """

    component: Component
    result: MinimumNorm
    lower_bound: Rational
    complete: bool


def minimum_norm_member(fiber: Fiber, relative_gap: Any = DEFAULT_GAP) -> MinimumNormMember:
    """Return a member of small ℓ₂ norm: the best scaling of a sparse member of every component.

    Raises
    ------
    LimitExceededError
        For more than 256 components.

    Examples
    --------
    >>> import symfiber as sf
    >>> from symfiber import library
    >>> found = minimum_norm_member(sf.fiber(library.get("iris-4-2-3-3")))
    >>> found.complete, found.result.verify(), found.result.relative_gap < Rational(1, 10**9)
    (True, True, True)
    """
    from symfiber.constraints.sparsest import sparse_representative

    if fiber.component_count > _COMPONENT_LIMIT:
        raise LimitExceededError(
            f"the least norm looks at {_COMPONENT_LIMIT} components at most, got {fiber.component_count}"
        )
    candidates = [
        (component, minimum_norm_scaling(sparse_representative(component), relative_gap))
        for component in fiber.components
    ]
    component, result = min(candidates, key=lambda pair: pair[1].squared_norm)
    bound = min(found.lower_bound for _, found in candidates)
    return MinimumNormMember(component, result, bound, fiber.case == "visible" and not component.case.free)
