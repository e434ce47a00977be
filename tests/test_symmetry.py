"""Symmetry generators: proofs, inverses, membership, refusals; and the component graph."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import networkx as nx
import pytest
from oracle.z3_equal import equal
from test_fiber import SHAPES, drawn, oracle_layers, same_on_all_cells

import symfiber as sf
from symfiber import library
from symfiber.exact import Rational
from symfiber.symmetry import (
    BiasShift,
    DeadMotion,
    FactorizationAction,
    FirstLayerMotion,
    HidingTranslation,
    Permutation,
    PositiveScaling,
    Reorientation,
    Reversal,
    SignFlip,
)
from symfiber.symmetry.invariance import all_patterns, compare_cells, symbolic_network

EXAMPLES = [name for name in library.names() if "local" not in name and "composition" not in name]


def described(name: str) -> sf.Fiber | None:
    try:
        return sf.fiber(library.get(name))
    except sf.UnsupportedError:
        return None


class TestGenerators:
    @pytest.mark.parametrize(("shape", "types", "hidden"), SHAPES)
    def test_effect_inverse_and_membership(self, shape: Any, types: Any, hidden: Any) -> None:
        net = drawn(shape, types, hidden, 11)
        fiber = sf.fiber(net)
        kinds = set()
        for generator in fiber.generators:
            kinds.add(type(generator).__name__)
            for text in (generator.name, generator.domain, generator.effect, generator.inverse_text):
                assert text and "\n" not in text
            assert (generator.dimension == 0) == (generator.kind == "discrete")
            for seed in range(3):
                value = generator.sample(net, seed)
                image = generator(net, value)
                assert same_on_all_cells(net, image)
                assert fiber.component_of(image) is not None
                back = generator.reversed() if isinstance(generator, Reversal) else generator
                assert back(image, generator.inverse(net, value)) == net
        assert "PositiveScaling" in kinds

    @pytest.mark.parametrize(("shape", "types", "hidden"), SHAPES)
    def test_proofs(self, shape: Any, types: Any, hidden: Any) -> None:
        for generator in sf.fiber(drawn(shape, types, hidden, 12)).generators:
            proof = generator.prove()
            assert proof.cells > 0 and proof.identities >= proof.cells and generator.name in str(proof)

    def test_all_kinds_occur(self) -> None:
        found = {type(g).__name__ for s in SHAPES for g in sf.fiber(drawn(*s, 11)).generators}
        found |= {
            type(g).__name__ for n in EXAMPLES if (f := described(n)) and f.case == "univariate" for g in f.generators
        }
        assert found == {
            "Permutation",
            "PositiveScaling",
            "DeadMotion",
            "FirstLayerMotion",
            "FactorizationAction",
            "BiasShift",
            "Reorientation",
            "HidingTranslation",
            "SignFlip",
            "KinkTranslation",
            "Reversal",
            "EndExchange",
        }

    def test_end_of_the_half_line(self) -> None:
        """At t = max b/w the function is still the same; just beyond it is not."""
        net = library.get("hidden-2-2-2-1")
        fiber = sf.fiber(net)
        (translation,) = [g for g in fiber.generators if isinstance(g, HidingTranslation)]
        end = translation.least(net)
        at_end = translation(net, end)
        assert equal(oracle_layers(net), oracle_layers(at_end)) is None and at_end in fiber
        with pytest.raises(sf.InputError, match="at least"):
            translation(net, end - Rational(1, 1000))
        # The same formula without the check, just beyond the end.
        (W1, b1), (W2, b2), last = net.scalar_layers
        t = end - Rational(1, 1000)
        i = translation.hidden
        moved = [b + t if k == i else b for k, b in enumerate(b1)]
        beyond = sf.Network([(W1, moved), (W2, [b - row[i] * t for b, row in zip(b2, W2)]), last])
        assert equal(oracle_layers(net), oracle_layers(beyond)) is not None

    def test_scaling_and_permutation_at_depth(self) -> None:
        net = library.get("hiding-in-composition-2-2-2-2-1")
        for layer in (1, 2, 3):
            for generator in (Permutation(layer, net.architecture), PositiveScaling(layer, net.architecture)):
                assert same_on_all_cells(net, generator(net, generator.sample(net, 3)))
                assert generator.prove().cells > 0

    def test_flips_form_a_group(self) -> None:
        net = library.get("hidden-single-3-3-1-1")
        flips = [g for g in sf.fiber(net).generators if isinstance(g, SignFlip)]
        assert len(flips) == 2
        first, second = flips
        assert first(first(net)) == net and first(second(net)) == second(first(net))


class TestBrokenMapsDoNotProve:
    """A proof that cannot fail would be worthless: wrong maps and wrong cells must be refused."""

    def test_scaling_without_compensation(self) -> None:
        base, (t,) = symbolic_network((2, 2, 1, 1), ["t"])
        (W1, b1), *rest = base.scalar_layers
        image = base.with_layers([(tuple(tuple(x * t for x in row) for row in W1), b1), *rest])
        with pytest.raises(sf.VerificationError, match="coefficients differ"):
            compare_cells("wrong", base, image, ((p, p) for p in all_patterns((2, 1))))

    def test_translation_of_one_bias_only(self) -> None:
        generator = HidingTranslation(0, (0,), (2, 2, 2, 1))
        wrong = replace(generator, live=())
        base, (t,) = symbolic_network((2, 2, 2, 1), ["t"])
        pattern = ((True, True), (True, False))
        assert compare_cells("right", base, generator(base, t), [(pattern, pattern)]).identities == 3
        with pytest.raises(sf.VerificationError):
            compare_cells("wrong", base, wrong(base, t), [(pattern, pattern)])

    def test_flip_of_the_wrong_cells(self) -> None:
        generator = SignFlip(1, 0, 0, (2, 2, 1, 1))
        base, _ = symbolic_network((2, 2, 1, 1))
        w = base.scalar_layers[1].weight[0][0]
        (W1, b1), *rest = base.scalar_layers
        base = base.with_layers([((W1[0], tuple(x * w for x in W1[1])), (b1[0], b1[1] * w)), *rest])
        on = ((True, True), (True,))
        with pytest.raises(sf.VerificationError):
            compare_cells("wrong", base, generator(base), [(on, on)])

    def test_too_many_cells(self) -> None:
        with pytest.raises(sf.LimitExceededError, match="smaller architecture"):
            PositiveScaling(1, (9, 9, 9, 1)).prove()


class TestRefusals:
    NET = library.get("one-linear-2-2-3-1")
    SHAPE = NET.architecture

    @pytest.mark.parametrize(
        ("generator", "value", "words"),
        [
            (Permutation(1, SHAPE), (0, 0), "permutation"),
            (Permutation(3, SHAPE), (0,), "hidden layer"),
            (PositiveScaling(1, SHAPE), (1, 0), "positive"),
            (PositiveScaling(1, SHAPE), (1, -2), "positive"),
            (PositiveScaling(1, SHAPE), (1,), "length 2"),
            (PositiveScaling(1, SHAPE), (1, 0.5), "exact"),
            (BiasShift(0, SHAPE), -100, "b2"),
            (FactorizationAction((0,), SHAPE), [[0]], "invertible"),
            (FactorizationAction((0,), SHAPE), [[-1]], "nonnegative"),
            (DeadMotion(0, SHAPE), ([-1, -1], -1, [0]), "entries <= 0"),
            (Reorientation((1,), (0,), (0,), SHAPE), [([1, 1], 1, [1])], "carry the slope"),
            (Reorientation((1,), (0,), (0,), SHAPE), [([1, -1], 1, [1])], "linear or dead"),
            (Reorientation((1,), (0,), (0,), SHAPE), [], "1, one a free position"),
            (SignFlip(1, 0, 0, SHAPE), None, "must hide"),
            (FirstLayerMotion(SHAPE), ([[1, 2], [3, 4]], [0, 0]), "entries <= 0"),
        ],
    )
    def test_outside_the_domain(self, generator: Any, value: Any, words: str) -> None:
        with pytest.raises(sf.InputError, match=words):
            generator(self.NET, value)


class TestGraph:
    @pytest.mark.parametrize("name", EXAMPLES)
    def test_nodes_loops_and_links(self, name: str) -> None:
        fiber = described(name)
        if fiber is None:
            return
        graph = fiber.graph()
        assert graph.number_of_nodes() == fiber.component_count
        for index, component in enumerate(fiber.components):
            data = graph.nodes[index]
            assert data["dimension"] == component.dimension and data["orientation"] == component.orientation
            loops = [d for _, target, d in graph.out_edges(index, data=True) if target == index]
            assert sum(d["dimension"] for d in loops) >= component.dimension - component_slack(component)
        for source, target, data in graph.edges(data=True):
            if source != target:
                assert data["kind"] == "discrete" and graph.has_edge(target, source)
        assert nx.number_weakly_connected_components(graph) == 1

    def test_hypercube_of_sign_flips(self) -> None:
        graph = sf.fiber(library.get("hidden-single-3-3-1-1")).graph()
        links = nx.Graph((u, v) for u, v in graph.edges() if u != v)
        assert nx.is_isomorphic(links, nx.hypercube_graph(2))

    def test_limit(self) -> None:
        with pytest.raises(sf.LimitExceededError, match="limit is 2"):
            sf.fiber(library.get("two-linear-2-2-4-1")).graph(limit=2)


def component_slack(component: sf.Component) -> int:
    """The factorisations (p − ρ)(m − p) + (r − p)n that the group action does not move."""
    block = getattr(component.case, "block", None)
    if block is None:
        return 0
    block = block(component.label)
    r, p = block.top_stratum
    _, n = block.slope.matrix.shape
    return (r - p) * n


def test_composition_of_random_generators() -> None:
    """Long random products of generators stay in the fiber and keep the function."""
    for name in ("one-linear-2-2-3-1", "hidden-single-dead-2-2-2-2", "five-free-2-2-5-2"):
        net = library.get(name)
        fiber, rng, current = sf.fiber(net), random.Random(3), net
        for _ in range(12):
            generator = rng.choice(sf.fiber(current).generators)
            current = generator(current, generator.sample(current, rng.randrange(100)))
            try:
                sf.fiber(current)
            except sf.UnsupportedError:
                # A re-oriented member can hide a hypersurface by cancellation; its own fiber is then not described.
                break
        assert fiber.component_of(current) is not None and same_on_all_cells(net, current)
