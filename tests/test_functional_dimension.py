"""The functional dimension against the oracle, published values, and fibers; what known symmetries explain."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from oracle.functional_dimension import functional_dimension as oracle_dimension
from test_cells import oracle_layers, random_network
from test_fiber import CASES, SHAPES, drawn, network

import symfiber as sf
from symfiber import library
from symfiber.functional_dimension import analyse_functional_dimension


class TestValues:
    @pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
    def test_worked_cases(self, case: dict[str, Any]) -> None:
        result = analyse_functional_dimension(network(case["network"]["layers"]))
        assert result.value == case["functional_dimension"] == int(result) and result.verify()
        assert result.local_fiber_dimension == case["local_fiber_dimension"]
        assert result.unexplained_dimension == 0 and result.upper == "known symmetries"

    @pytest.mark.parametrize(
        "shape", [(1, 1, 1), (1, 3, 2, 1), (2, 3, 2, 1), (2, 2, 2, 2, 1), (3, 3, 2, 1), (2, 1, 2, 1)]
    )
    @pytest.mark.parametrize("bound", [1, 2, 99])
    def test_against_the_oracle(self, shape: tuple[int, ...], bound: int) -> None:
        rng = random.Random(bound)
        for _ in range(6):
            net = random_network(rng, shape, bound)
            result = analyse_functional_dimension(net)
            assert result.value == oracle_dimension(oracle_layers(net)) == sf.functional_dimension(net)
            assert result.verify()

    @pytest.mark.parametrize(("shape", "types", "hidden"), SHAPES)
    def test_equals_the_fiber(self, shape: Any, types: Any, hidden: Any) -> None:
        """For bottleneck networks of every case, N − functional dimension is the fiber's local dimension."""
        for seed in range(42):
            net = drawn(shape, types, hidden, 200 + seed)
            result = analyse_functional_dimension(net)
            assert result.local_fiber_dimension == sf.fiber(net).local_dimension
            assert result.unexplained_dimension == 0 or shape[1] == 1

    @pytest.mark.parametrize(
        ("shape", "largest"),
        [
            ((2, 2, 1), 7),
            ((2, 3, 1), 10),
            ((2, 2, 2, 1), 11),
            ((2, 3, 2, 1), 15),
            ((3, 3, 2, 1), 18),
            ((2, 3, 1, 1), 11),
            ((3, 3, 1, 1), 14),
            ((2, 1, 2, 1), 7),
            ((2, 2, 2, 2, 1), 15),
        ],
    )
    def test_maximum_over_parameters(self, shape: tuple[int, ...], largest: int) -> None:
        """Published maxima: reached by some of many random networks and exceeded by none."""
        rng = random.Random(sum(shape))
        values = [sf.functional_dimension(random_network(rng, shape, 99)) for _ in range(60)]
        assert max(values) == largest

    def test_largest_class(self) -> None:
        """N − number of hidden neurons for identifiable networks."""
        for name in ("identifiable-2-2-2-1", "iris-4-2-3-3"):
            net = library.get(name)
            assert sf.functional_dimension(net) == net.parameter_count - sum(net.hidden_widths)

    def test_symbolic_is_refused(self) -> None:
        with pytest.raises(sf.UnsupportedError, match="symbols"):
            sf.functional_dimension(sf.Network.symbolic((2, 2, 1)))


class TestExplanations:
    def test_fixed_layers(self) -> None:
        """The value is the rank of the gradients in the other layers; a scaling needs both of its layers."""
        net = library.get("identifiable-2-2-2-1")
        assert analyse_functional_dimension(net, fixed_layers=(3,)).local_fiber_dimension == 2
        assert analyse_functional_dimension(net, fixed_layers=(1, 3)).local_fiber_dimension == 0
        assert analyse_functional_dimension(net, fixed_layers=(2,)).verify()
        for bad in ((0,), (4,)):
            with pytest.raises(sf.InputError, match="fixed_layers"):
                analyse_functional_dimension(net, fixed_layers=bad)

    def test_dependent_inputs(self) -> None:
        """Four neurons on the line, seen by the next layer only where three of them are active."""
        net = sf.Network([([[1], [2], [1], [-1]], [5, 3, 1, 1]), ([[3, 1, 1, -9]], [-31]), ([[1]], [0])])
        result = analyse_functional_dimension(net)
        found = {s.kind: s for s in result.symmetries}
        assert len(found["dependent inputs"].vectors) == 2 and found["dependent inputs"].neurons == (0,)
        assert result.verify() and result.value == oracle_dimension(oracle_layers(net))

    def test_local_and_unexplained(self) -> None:
        net = library.get("wide-1-2-1-1")
        result = analyse_functional_dimension(net)
        assert sf.local_fiber_dimension(net) == net.parameter_count - sf.functional_dimension(net)
        assert sf.unexplained_dimension(net) == len(result.unexplained)

    def test_changed_results_do_not_verify(self) -> None:
        result = analyse_functional_dimension(library.get("one-linear-2-2-3-1"))
        with pytest.raises(sf.VerificationError):
            replace(result, value=result.value + 1).verify()
        with pytest.raises(sf.VerificationError):
            replace(result, unexplained=({"W1_0_0": Fraction(1).numerator},)).verify()
        with pytest.raises(sf.VerificationError):
            replace(result, symmetries=result.symmetries[:-1]).verify()

    def test_unexplained_directions_are_readable(self) -> None:
        """d = 1 and n₁ = 2: a first-layer neuron can be traded for a second-layer one, which no family knows."""
        net = sf.Network([([[1], [-2]], [1, 3]), ([[2, 3]], [-1]), ([[1]], [0])])
        result = analyse_functional_dimension(net)
        assert result.unexplained_dimension == len(result.unexplained) and result.verify()
        assert ("unexplained" in str(result)) and all(
            name in net.parameter_names for v in result.unexplained for name in v
        )

    def test_crossing_identity(self) -> None:
        """Where two hyperplanes of the last hidden layer cross: J(++) + J(−−) = J(+−) + J(−+)."""
        net = sf.Network([([[1, 0], [0, 1]], [9, 9]), ([[1, 2], [3, -1]], [-20, -20]), ([[5, 7]], [1])])
        maps = {}
        for cell in sf.cells(net):
            first, second = cell.activation_pattern
            if first == (True, True):
                maps[second] = cell.affine_map.weight
        assert len(maps) == 4
        total = [maps[True, True][0][q] + maps[False, False][0][q] for q in range(2)]
        assert total == [maps[True, False][0][q] + maps[False, True][0][q] for q in range(2)]


class TestNotLocalizable:
    """THEORY §4: what is identifiable layer by layer need not be identifiable in composition."""

    @staticmethod
    def composition(layers: Any) -> int:
        """The tangent dimension of a composition of ReLU layers: an identity is read out, whose entries are fixed."""
        width = len(layers[-1][1])
        identity = ([[int(i == j) for j in range(width)] for i in range(width)], [0] * width)
        result = analyse_functional_dimension(sf.Network([*layers, identity]), fixed_layers=(len(layers) + 1,))
        assert result.verify() and result.unexplained_dimension == 0
        return result.local_fiber_dimension

    @staticmethod
    def explained(layers: Any) -> tuple[int, int]:
        result = analyse_functional_dimension(sf.Network(layers))
        assert result.verify() and result.unexplained_dimension == 0
        return result.local_fiber_dimension, sum(sf.Network(layers).hidden_widths)

    def test_first_example(self) -> None:
        """f₂∘f₁ and f₃∘f₂ have their scalings only; in f₃∘f₂∘f₁ only b₂ + b₃ matters."""
        first, second, third = library.get("not-localizable-2-2-1-1-1").layers[:3]
        assert self.composition([first, second]) == 2 and self.explained([second, third]) == (1, 1)
        assert self.explained([first, second, third])[0] == 3 + 1  # the output layer of f₂∘f₁ is itself linear
        tangent, scalings = self.explained(library.get("not-localizable-2-2-1-1-1").layers)
        assert (tangent, scalings) == (6, 4)
        b = library.get("not-localizable-2-2-1-1-1")
        (W1, b1), (W2, b2), (W3, b3), last = b.layers
        moved = sf.Network([(W1, b1), (W2, [b2[0] - Fraction(1, 2)]), (W3, [b3[0] + Fraction(1, 2)]), last])
        assert sf.decide_equivalence(b, moved).equivalent

    def test_hiding_translation_of_the_composition(self) -> None:
        """H₁ is visible in f₂∘f₁ and hidden in f₃∘f₂∘f₁: the translation appears in the composition only."""
        net = library.get("hiding-in-composition-2-2-2-2-1")
        l1, l2, l3, l4 = net.layers
        for pair, widths in (((l1, l2), 2), ((l2, l3), 2), ((l3, l4), 2)):
            assert self.explained(list(pair)) == (widths, widths)
        assert [self.composition([a, b]) for a, b in ((l1, l2), (l2, l3))] == [2, 2]
        # Four scalings, two translations, and the three parameters of the neuron that never acts, but for its output.
        assert (self.composition([l1, l2, l3]), self.explained([l2, l3, l4])[0]) == (9, 4)
        result = analyse_functional_dimension(net)
        assert (result.value, result.local_fiber_dimension, result.unexplained_dimension) == (10, 11, 0)
        translations = {(s.layer, s.neurons) for s in result.symmetries if s.kind == "translation"}
        assert translations == {(1, (0,)), (2, (0,))}
        (W1, b1), (W2, b2) = l1, l2

        def translated(t: Fraction) -> sf.Network:
            shifted = [b - row[0] * t for b, row in zip(b2, W2)]
            return sf.Network([(W1, [b1[0] + t, b1[1]]), (W2, shifted), l3, l4])

        # A bounded interval of translations, unlike the half-line of two hidden layers.
        for t in (Fraction(-5, 2), Fraction(1, 7), Fraction(1, 2)):
            assert sf.decide_equivalence(net, translated(t)).equivalent
        for t in (Fraction(-5, 2) - Fraction(1, 99), Fraction(1, 2) + Fraction(1, 99)):
            assert not sf.decide_equivalence(net, translated(t)).equivalent
        only_two = sf.Network([l1, l2, ([[1, 1]], [0])])
        shifted = translated(Fraction(1, 7)).layers
        assert not sf.decide_equivalence(only_two, sf.Network([shifted[0], shifted[1], ([[1, 1]], [0])])).equivalent

    def test_hiding_translation_without_a_dead_neuron(self) -> None:
        """Each pair of consecutive layers is identifiable, by the theorem; the composition has one translation more."""
        net = library.get("hiding-only-in-composition-2-2-2-1-1")
        l1, l2, l3, l4 = net.layers
        for first, second in ((l1, l2), (l2, l3)):
            width = len(second.bias)
            identity = ([[int(i == j) for j in range(width)] for i in range(width)], [0] * width)
            pair = sf.Network([first, second, identity])
            assert sf.is_identifiable(pair) and sf.check_generic(pair).status == "proved"
            assert sf.hidden_hypersurfaces(pair) == () and set(sf.neuron_types(pair)) == {"nonlinear"}
            assert self.composition([first, second]) == 2
        assert self.explained([l3, l4]) == (1, 1)
        assert sf.is_identifiable(sf.Network([l2, l3, l4])) and self.explained([l2, l3, l4]) == (3, 3)
        result = analyse_functional_dimension(net)
        assert result.verify() and (result.value, result.local_fiber_dimension) == (11, 5 + 1)
        assert not [s for s in result.symmetries if s.kind in ("unseen", "dependent inputs")]
        assert [(s.layer, s.neurons) for s in result.symmetries if s.kind == "translation"] == [(1, (0,))]
        # Where y_1 <= 0 the third layer is inactive: no kink of the composition on H_1, but one of f2 o f1.
        for cell in sf.cells(net):
            assert cell.activation_pattern[0][0] or cell.activation_pattern[2] == (False,)

        def translated(t: Fraction, last: Any) -> sf.Network:
            return sf.Network([(l1.weight, [t, 0]), (l2.weight, [-2 - t, 3 + t]), *last])

        for t in (Fraction(-2, 3), Fraction(-1, 2), Fraction(1), Fraction(100)):
            assert sf.decide_equivalence(net, translated(t, (l3, l4))).equivalent
        assert not sf.decide_equivalence(net, translated(Fraction(-2, 3) - Fraction(1, 99), (l3, l4))).equivalent
        readout = ([[1, 1]], [0])
        assert not sf.decide_equivalence(
            sf.Network([l1, l2, readout]), translated(Fraction(1, 9), (readout,))
        ).equivalent
