"""The fiber against exact answers and an independent oracle: values in every cell, Jacobian ranks, brute force."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from pathlib import Path
from typing import Any

import pytest
from oracle.cells import cells, evaluate
from oracle.functional_dimension import functional_dimension
from oracle.random_networks import random_network
from oracle.z3_equal import equal

import symfiber as sf
from symfiber.column_rank import nonnegative_column_rank
from symfiber.decomposition.linear_block import LinearBlock
from symfiber.exact import Matrix

CASES = json.loads((Path(__file__).parent / "data" / "cases.json").read_text())["networks"]
Layers = list[tuple[list[list[Fraction]], list[Fraction]]]


def network(layers: Any) -> sf.Network:
    return sf.Network([(layer["weight"], layer["bias"]) if isinstance(layer, dict) else layer for layer in layers])


def oracle_layers(net: sf.Network) -> Layers:
    return [([list(row) for row in layer.weight], list(layer.bias)) for layer in net.layers]


def same_on_all_cells(first: sf.Network, second: sf.Network) -> bool:
    """Compare values at d + 1 affinely independent points inside every cell of both networks."""
    a, b = oracle_layers(first), oracle_layers(second)
    for base, _ in ((a, b), (b, a)):
        for _, point in cells(base):
            if evaluate(a, point) != evaluate(b, point):
                return False
    return True


# One of every case and mixture of types; n1 = 1 is among them.
SHAPES: list[tuple[tuple[int, int, int, int], list[str] | None, int | None]] = [
    ((2, 2, 1, 1), ["nonlinear"], None),
    ((2, 2, 2, 1), ["nonlinear", "nonlinear"], None),
    ((2, 2, 2, 2), ["linear", "nonlinear"], None),
    ((2, 2, 3, 1), ["linear", "nonlinear", "nonlinear"], None),
    ((2, 2, 3, 1), ["dead", "nonlinear", "nonlinear"], None),
    ((2, 2, 3, 2), ["linear", "linear", "linear"], None),
    ((2, 2, 4, 1), ["linear", "dead", "nonlinear", "nonlinear"], None),
    ((3, 2, 3, 3), ["linear", "dead", "nonlinear"], None),
    ((3, 3, 3, 2), ["linear", "linear", "nonlinear"], None),
    ((3, 3, 4, 2), ["dead", "linear", "nonlinear", "nonlinear"], None),
    ((3, 3, 4, 2), ["linear", "linear", "linear", "nonlinear"], None),
    ((2, 2, 2, 1), None, 0),
    ((3, 3, 3, 2), None, 1),
    ((2, 2, 3, 1), ["dead", "nonlinear", "nonlinear"], 1),
    ((2, 2, 1, 1), None, 1),
    ((3, 3, 1, 2), None, 2),
    ((3, 3, 2, 1), ["nonlinear", "dead"], 0),
    ((2, 2, 2, 2), ["dead", "dead"], None),
    ((1, 1, 1, 1), ["nonlinear"], None),
    ((2, 1, 2, 1), ["nonlinear", "nonlinear"], None),
    ((2, 1, 3, 2), ["nonlinear", "linear", "nonlinear"], None),
    ((1, 1, 3, 1), ["nonlinear", "dead", "nonlinear"], None),
    ((2, 1, 2, 1), ["linear", "dead"], None),
    ((2, 1, 2, 1), None, 0),
]


def drawn(shape: Any, types: Any, hidden: Any, seed: int) -> sf.Network:
    """A random reduced network of this kind with large entries, generic where genericity is needed."""
    rng = random.Random(f"{shape}{types}{hidden}{seed}")
    while True:
        net = network(random_network(rng, *shape, types=types, hidden=hidden, bound=997))
        try:
            fiber = sf.fiber(net)
        except sf.UnsupportedError:
            continue
        if fiber.completeness == "proved":
            return net


class TestWorkedCases:
    @pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
    def test_exact_answers(self, case: dict[str, Any]) -> None:
        net = network(case["network"]["layers"])
        fiber = sf.fiber(net)
        assert list(net.architecture) == case["architecture"] and net.parameter_count == case["parameters"]
        assert list(sf.neuron_types(net)) == case["types"]
        assert list(sf.hidden_hypersurfaces(net)) == case["hidden"]
        assert fiber.component_count == case["components"]
        assert sorted(c.dimension for c in fiber.components) == sorted(case["component_dimensions"])
        assert fiber.dimension == max(case["component_dimensions"])
        assert fiber.local_dimension == case["local_fiber_dimension"]
        assert sf.is_identifiable(net) == case["identifiable"]
        assert (sf.check_generic(net).status == "proved") == case["generic"]
        for component, expected in zip(fiber.components, case.get("orientations", [])):
            assert list(component.orientation) == expected["orientation"] and component.dimension == expected["dim"]
            slope = component.case.block(component.label).slope
            assert slope.verify()
            assert (slope.rank, slope.pointed, slope.value) == (
                expected["rank"],
                expected["pointed"],
                expected["nonnegative_column_rank"],
            )


class TestComponents:
    @pytest.mark.parametrize(("shape", "types", "hidden"), SHAPES)
    def test_samples(self, shape: Any, types: Any, hidden: Any) -> None:
        net = drawn(shape, types, hidden, 1)
        fiber = sf.fiber(net)
        components = list(fiber.components)
        assert len(components) == fiber.component_count == len({c.label for c in components})
        rng = random.Random(5)
        for component in components:
            for seed in (0, 1, 2, 5):
                sample = component.sample(seed)
                assert sample == component.sample(seed)
                assert same_on_all_cells(net, sample)
                assert [sample in other for other in components].count(True) == 1 and sample in component
                located = fiber.component_of(sample)
                assert located is not None and located.label == component.label
                if shape[1] > 1:
                    # Positions: neurons of a sample stay where the given network has them.
                    assert component.set.contains(sample.parameters)
                    others = [c for c in components if c.label != component.label]
                    assert not any(c.set.contains(sample.parameters) for c in others)
                assert shuffled(sample, rng) in component
                self.reject_perturbed(fiber, component, sample, rng)
            piece = equal(oracle_layers(net), oracle_layers(component.sample(3)))
            assert piece is None

    @staticmethod
    def reject_perturbed(fiber: sf.Fiber, component: sf.Component, sample: sf.Network, rng: random.Random) -> None:
        values = list(sample.parameters)
        place = rng.randrange(len(values))
        values[place] = values[place] * 2 + 1
        changed = sf.Network.from_parameters(sample.architecture, values)
        if not same_on_all_cells(fiber.network, changed):
            assert fiber.component_of(changed) is None and changed not in component
            assert not component.set.contains(changed.parameters)

    @pytest.mark.parametrize(("shape", "types", "hidden"), [s for s in SHAPES if s[0][1] == 1])
    def test_univariate_sets(self, shape: Any, types: Any, hidden: Any) -> None:
        """The set places layer 2 in the order kinks, linear, dead; so do the samples."""
        fiber = sf.fiber(drawn(shape, types, hidden, 2))
        for component in fiber.components:
            for seed in range(4):
                parameters = component.sample(seed).parameters
                assert [c.set.contains(parameters) for c in fiber.components].count(True) == 1
                assert component.set.contains(parameters)

    @pytest.mark.parametrize(("shape", "types", "hidden"), SHAPES)
    def test_dimension_certificates(self, shape: Any, types: Any, hidden: Any) -> None:
        fiber = sf.fiber(drawn(shape, types, hidden, 3))
        for component in fiber.components:
            certificate = component.dimension_certificate
            assert certificate.verify()
            assert certificate.lower == certificate.upper == component.dimension
            assert len(component.parametrization.charts) == len(component.parametrization.strata) > 0
            for chart in component.parametrization.charts:
                assert chart.target == fiber.network.parameter_names

    @pytest.mark.parametrize(("shape", "types", "hidden"), SHAPES)
    def test_dimension_is_invariant(self, shape: Any, types: Any, hidden: Any) -> None:
        net = drawn(shape, types, hidden, 4)
        fiber = sf.fiber(net)
        moved = shuffled(fiber.home.sample(1), random.Random(1))
        other = sf.fiber(moved)
        assert sorted(c.dimension for c in fiber.components) == sorted(c.dimension for c in other.components)
        assert fiber.dimension == other.dimension == max(c.dimension for c in fiber.components)
        assert fiber.labelled_component_count == other.labelled_component_count


def shuffled(net: sf.Network, rng: random.Random) -> sf.Network:
    """Renumber the neurons of both hidden layers."""
    (W1, b1), (W2, b2), (W3, b3) = net.layers
    first, second = list(range(len(b1))), list(range(len(b2)))
    rng.shuffle(first)
    rng.shuffle(second)
    return sf.Network(
        [
            ([W1[i] for i in first], [b1[i] for i in first]),
            ([[W2[j][i] for i in first] for j in second], [b2[j] for j in second]),
            ([[row[j] for j in second] for row in W3], b3),
        ]
    )


class TestLocalDimension:
    """N − functional dimension, by the oracle's Jacobian rank over all cells."""

    @pytest.mark.parametrize(("shape", "types", "hidden"), SHAPES)
    @pytest.mark.parametrize("seed", range(4))
    def test_at_the_network(self, shape: Any, types: Any, hidden: Any, seed: int) -> None:
        net = drawn(shape, types, hidden, 100 + seed)
        assert sf.fiber(net).local_dimension == net.parameter_count - functional_dimension(oracle_layers(net))

    @pytest.mark.parametrize(("shape", "types", "hidden"), SHAPES)
    def test_at_generic_samples(self, shape: Any, types: Any, hidden: Any) -> None:
        """In the largest stratum the dimension of the component is the one of the fiber near a generic sample."""
        net = drawn(shape, types, hidden, 7)
        for component in sf.fiber(net).components:
            sample = component.sample(1)
            try:
                own = sf.fiber(sample)
            except sf.UnsupportedError:
                continue
            if own.completeness == "proved" and own.case != "univariate":
                expected = sample.parameter_count - functional_dimension(oracle_layers(sample))
                assert own.local_dimension == expected <= component.dimension

    def test_zero_entries_are_undecided(self) -> None:
        net = sf.Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1], [3, 0]], [3, 1]), ([[1, 1]], [0])])
        fiber = sf.fiber(net)
        assert fiber.completeness == "not claimed"
        with pytest.raises(sf.UndecidedError, match="refuted"):
            _ = fiber.local_dimension


def test_closed_form_of_the_block_dimension() -> None:
    """The closed form equals the maximum over all strata (r, p) of the formula in THEORY §1."""
    rng = random.Random(2)
    seen = set()
    for m, n in product(range(1, 5), repeat=2):
        for rank in range(min(m, n) + 1):
            for _ in range(12):
                left = Matrix([[rng.randint(-3, 3) for _ in range(rank)] for _ in range(m)], rank)
                right = Matrix([[rng.randint(-3, 3) for _ in range(n)] for _ in range(rank)], n)
                slope = nonnegative_column_rank(left @ right)
                rho = slope.rank
                seen.add((m, n, rho, slope.pointed))
                for free in range(slope.value, 7):
                    block = LinearBlock(slope, (), tuple(range(free)))
                    best = max(
                        (p - rho) * (m - p) + r * p + (r - p) * n + r + (free - r) * (n + 1 + m)
                        for r in range(slope.value, free + 1)
                        for p in range(rho, min(m, r) + 1)
                        if p < r or slope.pointed
                    )
                    assert block.dimension == best == block.stratum_dimension(*block.top_stratum)
    assert any(not pointed for *_, pointed in seen) and len(seen) > 30


class TestGrids:
    """Every parameter of a small integer grid: the located ones are exactly the reduced ones with the same function."""

    def test_two_inputs_one_neuron(self) -> None:
        """(2,2,1,1), first layers from a list: generic members of the same function are located, others are not."""
        firsts = [([[1, 2], [2, -1]], [1, -1]), ([[-1, -2], [2, -1]], [-1, -1]), ([[2, 4], [2, -1]], [2, -1])]
        nets = []
        for first in firsts:
            for w1, w2, b, c in product((-2, 1), (-3, 2), (-1, 2), (-1, 3)):
                nets.append(sf.Network([first, ([[w1, w2]], [b]), ([[c]], [0])]))
        for base in nets[:16]:
            fiber = sf.fiber(base)
            for other in nets:
                same = equal(oracle_layers(base), oracle_layers(other)) is None
                located = fiber.component_of(other) is not None
                assert located == same, (base.layers, other.layers)

    def test_univariate_grid(self) -> None:
        """(1,1,2,1): the list of components holds every reduced member, without any genericity."""
        values = (-2, -1, 1, 2)
        groups: dict[Any, list[sf.Network]] = {}
        for w, b, w1, w2, b1, b2, c1, c2 in product(
            (1, -1), (0, 2), values, (-1, 1), (-2, 1), (-1, 2), (-1, 2), (1, -2)
        ):
            net = sf.Network([([[w]], [b]), ([[w1], [w2]], [b1, b2]), ([[c1, c2]], [0])])
            key = (*tuple(net([Fraction(x, 12)]) for x in range(-72, 73, 2)), net([1000]), net([-1000]))
            groups.setdefault(key, []).append(net)
        checked = 0
        for members in groups.values():
            for base in members[:2]:
                try:
                    fiber = sf.fiber(base)
                except sf.UnsupportedError:
                    continue
                for other in members:
                    checked += 1
                    located = fiber.component_of(other)
                    assert (located is not None) == is_reduced(other), (base.layers, other.layers)
                    if located is not None:
                        assert [other in c for c in fiber.components].count(True) == 1
        assert checked > 500


def is_reduced(net: sf.Network) -> bool:
    """n₁ = 1: nonlinear neurons bend at different places and have nonzero outgoing weights."""
    (weight, bias), (out, _) = net.layers[1], net.layers[2]
    bends = []
    for j, ((w,), b) in enumerate(zip(weight, bias)):
        if w * b < 0:
            if all(row[j] == 0 for row in out):
                return False
            bends.append(-b / w)
    return len(bends) == len(set(bends))


class TestCounts:
    def test_labelled_copies(self) -> None:
        """Count the different positions that permutations give to a component of a tiny network."""
        net = sf.Network(
            [([[1, 2], [3, 1]], [1, -1]), ([[2, -1], [-3, -5], [-1, -2]], [3, -7, -2]), ([[1, 4, 3]], [0])]
        )
        fiber = sf.fiber(net)
        sample = fiber.home.sample(1)
        (W1, _b1), (_W2, _b2), (_W3, _b3) = sample.layers
        copies = set()
        for first, second in product(permutations(range(2)), permutations(range(3))):
            signature = tuple(W1[i] for i in first), tuple(second.index(0) == k for k in range(3))
            copies.add(signature)
        assert fiber.home.labelled_count == len(copies) == factorial(2) * factorial(3) // factorial(2)
        assert fiber.labelled_component_count == fiber.component_count * len(copies)

    def test_formula_is_immediate_for_many_neurons(self) -> None:
        rng = random.Random(1)
        rows = [[rng.randint(1, 9) * rng.choice((1, -1)) for _ in range(3)] for _ in range(43)]
        for j in range(3):
            rows[j] = [abs(x) for x in rows[j]]
        for j in range(3, 43):
            rows[j][0], rows[j][1] = abs(rows[j][0]), -abs(rows[j][1]) - j
        biases = [abs(x) + 1 + j for j, x in enumerate(range(43))]
        out = [[rng.randint(1, 99) for _ in range(43)] for _ in range(2)]
        net = sf.Network([([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 2, 3]), (rows, biases), (out, [0, 0])])
        fiber = sf.fiber(net)
        assert fiber.component_count == 2**40
        last = fiber.components[2**40 - 1]
        assert last.orientation == (-1,) * 40 and fiber.components[-1].label == last.label
        assert last.sample(0) in last
        with pytest.raises(sf.LimitExceededError):
            fiber.graph()


class TestRefusals:
    @pytest.mark.parametrize(
        ("layers", "words"),
        [
            ([([[1], [2]], [0, 1]), ([[1, -1]], [1]), ([[1]], [0])], "n1 <= d"),
            ([([[1, 2], [2, 4]], [0, 1]), ([[1, -1]], [1]), ([[1]], [0])], "rank W1"),
            ([([[1, 2]], [0]), ([[1]], [0])], "two hidden layers"),
            ([([[1]], [0])], "two hidden layers"),
            ([([[1]], [0]), ([[1]], [0]), ([[1]], [0]), ([[1]], [0])], "two hidden layers"),
            ([([[1, 0], [0, 1]], [0, 0]), ([[1, -1], [2, -2]], [1, 2]), ([[1, 1]], [0])], "share one hyperplane"),
            ([([[1, 0], [0, 1]], [0, 0]), ([[1, -1], [-2, 2]], [1, -2]), ([[1, 1]], [0])], "share one hyperplane"),
            ([([[1, 0], [0, 1]], [0, 0]), ([[1, -1]], [1]), ([[0]], [0])], "outgoing weights are all 0"),
            ([([[1, 0], [0, 1]], [0, 0]), ([[1, 0]], [1]), ([[1]], [0])], "hidden although"),
            ([([[1]], [0]), ([[1]], [1]), ([[0]], [0])], "constant function"),
        ],
    )
    def test_outside_the_hypotheses(self, layers: Any, words: str) -> None:
        with pytest.raises(sf.UnsupportedError, match=words):
            sf.fiber(sf.Network(layers))

    def test_symbolic_and_other_types(self) -> None:
        with pytest.raises(sf.InputError, match="Network"):
            sf.fiber("net")  # type: ignore[arg-type]
        with pytest.raises(sf.InputError, match="Network"):
            _ = 3 in sf.fiber(network(CASES[0]["network"]["layers"]))  # type: ignore[operator]
        with pytest.raises(sf.InputError, match="seed"):
            sf.fiber(network(CASES[0]["network"]["layers"])).components[0].sample(seed=1.5)  # type: ignore[arg-type]

    def test_index_out_of_range(self) -> None:
        components = sf.fiber(network(CASES[5]["network"]["layers"])).components
        assert [c.label for c in components[:2]] == [components[0].label, components[1].label]
        for index in (3, -4, 10**9):
            with pytest.raises(IndexError):
                components[index]

    def test_other_architecture_is_no_member(self) -> None:
        fiber = sf.fiber(network(CASES[0]["network"]["layers"]))
        assert network(CASES[3]["network"]["layers"]) not in fiber
        assert network(CASES[2]["network"]["layers"]) not in fiber


def test_membership_of_equal_but_not_reduced_parameters() -> None:
    """A dead slot used to split a neuron: equal as a function, in the fiber, in no component."""
    base = sf.Network([([[1, 2], [3, 1]], [1, -1]), ([[2, -1], [-3, -5]], [3, -7]), ([[4, 3]], [0])])
    split = sf.Network([([[1, 2], [3, 1]], [1, -1]), ([[2, -1], [2, -1]], [3, 3]), ([[1, 3]], [0])])
    fiber = sf.fiber(base)
    assert fiber.component_of(split) is None and split in fiber


def test_generic_point() -> None:
    """Re-orienting with a linear neuron that cancels is never generic; the mask says where."""
    fiber = sf.fiber(network(next(c for c in CASES if c["name"] == "dead-and-nonlinear")["network"]["layers"]))
    assert [c.generic_point_is_generic for c in fiber.components] == [True, False, False, False]
    for component in fiber.components[1:]:
        assert sf.check_generic(component.sample(0)).status == "refuted"


def test_a_dimension_without_matching_bounds_does_not_verify() -> None:
    certificate = sf.fiber(network(CASES[0]["network"]["layers"])).home.dimension_certificate
    outside = tuple(-x for x in certificate.witness)
    for change in ({"upper": certificate.upper + 1}, {"lower": certificate.lower - 1}, {"witness": outside}):
        with pytest.raises(sf.VerificationError):
            replace(certificate, **change).verify()  # type: ignore[arg-type]
