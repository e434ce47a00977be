"""The component graph: components as nodes, generators that link them as edges, continuous ones as loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from networkx import MultiDiGraph

from symfiber.errors import LimitExceededError
from symfiber.symmetry import stabilizers_of

if TYPE_CHECKING:
    from symfiber.decomposition import Component, Fiber


class ComponentGraph(MultiDiGraph):  # type: ignore[misc]
    """A ``networkx.MultiDiGraph`` that a notebook shows as a picture, where matplotlib is installed."""

    def _repr_svg_(self) -> str | None:
        from symfiber.report.plot import graph_svg

        return graph_svg(self)


def component_graph(fiber: Fiber, limit: int = 1024) -> ComponentGraph:
    """Return a ``networkx.MultiDiGraph`` of the fiber.

    Nodes are component indices with ``orientation``, ``description`` and ``dimension``.  Edges carry ``generator`` (its
    name), ``kind`` and ``dimension``: a discrete generator that leads from one component to another is an edge in both
    directions; a continuous one, or a discrete one that keeps the component, is a loop.

    Raises
    ------
    LimitExceededError
        When there are more than ``limit`` components.

    Examples
    --------
    >>> import symfiber as sf
    >>> F = sf.fiber(sf.Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])]))
    >>> G = F.graph()
    >>> G.number_of_nodes(), sorted({data["generator"] for u, v, data in G.edges(data=True) if u != v})
    (2, ['sign flip of first-layer neuron 1'])
    """
    count = fiber.component_count
    if count > limit:
        raise LimitExceededError(f"the graph would have {count} components, the limit is {limit}", {"nodes": count})
    graph = ComponentGraph()
    components = list(fiber.components)
    for index, component in enumerate(components):
        graph.add_node(
            index,
            orientation=component.orientation,
            description=component.description,
            dimension=component.dimension,
        )
        for g in stabilizers_of(component):
            graph.add_edge(index, index, generator=g.name, kind=g.kind, dimension=g.dimension)
    for first, second, name in _links(fiber, components):
        for source, target in ((first, second), (second, first)):
            graph.add_edge(source, target, generator=name, kind="discrete", dimension=0)
    return graph


def _links(fiber: Fiber, components: Sequence[Component]) -> Iterator[tuple[int, int, str]]:
    if fiber.case in ("visible", "hidden-single"):
        labels = [c.label for c in components]
        yield from _flips(fiber, labels)
    elif fiber.case == "univariate":
        yield from _univariate_links(components)


def _flips(fiber: Fiber, labels: Sequence[Any]) -> Iterator[tuple[int, int, str]]:
    """Labels that differ in one place; where that leaves the graph disconnected, the fewest further places."""
    from networkx.utils import UnionFind

    case: Any = fiber.home.case
    if fiber.case == "visible":
        neurons: tuple[int, ...] = case.nonlinear
        sets = [frozenset(j for j, s in zip(neurons, label) if s < 0) for label in labels]
        name = "re-orientation of neuron{} {}"
    else:
        sets = [frozenset(label) for label in labels]
        name = "sign flip of first-layer neuron{} {}"
    index = {flipped: i for i, flipped in enumerate(sets)}
    joined = UnionFind(range(len(sets)))
    for i, flipped in enumerate(sets):
        for j in flipped:
            partner = index.get(flipped - {j})
            if partner is not None:
                joined.union(partner, i)
                yield partner, i, name.format("", j)
    apart = ((a, b) for a, b in combinations(range(len(sets)), 2) if joined[a] != joined[b])
    for _, a, b in sorted((len(sets[a] ^ sets[b]), a, b) for a, b in apart):
        if joined[a] != joined[b]:
            joined.union(a, b)
            yield a, b, name.format("s", ", ".join(map(str, sorted(sets[a] ^ sets[b]))))


def _univariate_links(components: Sequence[Component]) -> Iterator[tuple[int, int, str]]:
    index = {c.label: i for i, c in enumerate(components)}
    for label, i in index.items():
        choice = label.orientation
        for j, s in enumerate(choice):
            partner = index.get(replace(label, orientation=(*choice[:j], -s, *choice[j + 1 :])))
            if s < 0 and partner is not None:
                yield partner, i, f"re-orientation of kink {j}"
        if not label.visible:
            # At the end of the translation the first kink's neuron becomes linear (right-active) or dead (left-active).
            partner = index.get(replace(label, visible=True, orientation=choice[1:]))
            if partner is not None:
                yield partner, i, "end of the translation of the first-layer bias"
            mirrored = replace(label, direction=-label.direction, orientation=tuple(-s for s in reversed(choice)))
            if label.direction > 0 and mirrored in index:
                yield i, index[mirrored], "reversal of the direction"
        elif label.direction > 0 and all(s < 0 for s in choice):
            partner = index.get(replace(label, direction=-1))
            if partner is not None:
                yield i, partner, "exchange of the two end kinks"
