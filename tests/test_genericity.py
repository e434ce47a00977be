"""Witnesses of genericity failures, checked by hand, and the hypotheses at other depths."""

from __future__ import annotations

import random

import pytest
from test_cells import random_network

import symfiber as sf
from symfiber import library
from symfiber.complex import face_counts
from symfiber.exact import dot


def failing(net: sf.Network, name: str) -> sf.genericity.Hypothesis:
    (found,) = [h for h in sf.check_generic(net).failures() if h.name == name]
    return found


class TestWitnesses:
    @pytest.mark.parametrize(
        ("net", "name", "entries"),
        [
            (sf.Network([([[1, 2], [2, 4]], [0, 1]), ([[1, 2]], [3]), ([[1]], [0])]), "G1", {"W1_1_1": 4}),
            (
                sf.Network([([[1, 0], [0, 1]], [0, 1]), ([[1, 2], [2, 4]], [3, 5]), ([[1, 1]], [0])]),
                "G3",
                {"W2_1_1": 4},
            ),
            (sf.Network([([[1, 0], [0, 1]], [0, 1]), ([[1, 2]], [0]), ([[1]], [0])]), "G3", {"b2_0": 0}),
            (
                sf.Network([([[1, 0], [0, 1]], [0, 1]), ([[1, 2], [1, 3]], [3, 5]), ([[1, -1]], [0])]),
                "G2",
                {"W2_0_0": 1, "W3_0_1": -1},
            ),
            (sf.Network([([[1], [2], [3]], [0, 1, 2]), ([[0, 0, 0]], [1])]), "G2", {}),
            (sf.Network([([[1, 1], [2, 2], [3, 3]], [0, 1, 2]), ([[1, 1, 1]], [1])]), "G1", {"W1_2_1": 3}),
        ],
    )
    def test_relation(self, net: sf.Network, name: str, entries: dict[str, int]) -> None:
        """The witness is a nonzero vector that annihilates the matrix; the entries are the network's own."""
        found = failing(net, name)
        assert found.matrix is not None and any(found.relation)
        assert all(not dot(found.relation, column) for column in found.matrix.columns())
        values = dict(zip(net.parameter_names, net.parameters))
        assert all(values[entry] == value for entry, value in found.entries)
        assert entries.items() <= {entry: int(value) for entry, value in found.entries}.items()
        assert "refuted" in found.explain() and "relation" in found.explain()

    def test_report_explains(self) -> None:
        text = sf.check_generic(library.get("rank-deficient-2-2-1-1")).explain()
        assert "(2)*(1, 2) + (-1)*(2, 4) = 0" in text or "(-2)*(1, 2) + (1)*(2, 4) = 0" in text


class TestOtherDepths:
    @pytest.mark.parametrize("shape", [(2, 3, 1), (1, 4, 1), (2, 3, 2, 2, 1), (3, 3, 2), (2, 2, 1, 1, 1)])
    def test_random_networks_are_generic(self, shape: tuple[int, ...]) -> None:
        for seed in range(4):
            assert sf.check_generic(random_network(random.Random(seed), shape, 9999)).status == "proved"

    def test_concurrent_lines(self) -> None:
        """Three lines through one point of the plane: the point and its neurons are the witness."""
        net = sf.Network([([[1, 0], [0, 1], [1, 1]], [-1, -2, -3]), ([[1, 1, 1]], [0])])
        found = failing(net, "G3")
        assert found.point == (1, 2) and "neurons 0 of layer 1, 1 of layer 1, 2 of layer 1" in found.coverage
        assert "at the point (1, 2)" in found.explain()

    def test_deep_coincidence(self) -> None:
        """A neuron of layer 3 that vanishes on a whole quadrant, where layer 1 is inactive."""
        layers = [([[1, 0], [0, 1]], [0, 0]), ([[1, 2], [3, -1]], [5, 7]), ([[2, -1]], [-3]), ([[1]], [0])]
        net = sf.Network(layers)
        found = failing(net, "G3")
        assert max(found.point) < 0 and found.coverage == "a face of dimension 2 lies on those of neurons 0 of layer 3"
        moved = sf.Network([*layers[:2], ([[2, -1]], ["-2999/1000"]), layers[3]])
        assert sf.check_generic(moved).status == "proved"

    def test_limits(self) -> None:
        net = random_network(random.Random(1), (2, 4, 3, 3, 1), 99)
        report = sf.check_generic(net, limit=3)
        assert report.status == "undecided" and "holds on the first 3 faces" in str(report)
        assert sum(face_counts(net)) > 3

    def test_no_hidden_layer(self) -> None:
        assert sf.check_generic(sf.Network([([[1, 2]], [0])])).status == "proved"
        assert failing(sf.Network([([[0, 0]], [0])]), "G1").coverage == "rank W1 is 0, n1 is 1"
