"""The bundled networks: each shows what its description says."""

from __future__ import annotations

from fractions import Fraction

import pytest

import symfiber as sf
from symfiber import library

EXPECTED = {
    "identifiable-2-2-2-1": ("visible", 1),
    "one-linear-2-2-3-1": ("visible", 3),
    "two-linear-2-2-4-1": ("visible", 4),
    "dead-2-2-3-1": ("visible", 3),
    "five-free-2-2-5-2": ("visible", 4),
    "not-pointed-3-3-4-2": ("visible", 2),
    "hidden-2-2-2-1": ("hidden", 1),
    "hidden-single-3-3-1-1": ("hidden-single", 4),
    "hidden-single-dead-2-2-2-2": ("hidden-single", 2),
    "constant-2-2-2-1": ("constant", 1),
    "univariate-visible-2-1-2-1": ("univariate", 1),
    "univariate-translated-2-1-2-1": ("univariate", 3),
    "univariate-reversible-1-1-2-1": ("univariate", 8),
    "diabetes-10-8-6-1": ("visible", 1),
    "iris-4-2-3-3": ("visible", 1),
    "wine-13-2-4-3-linear-dead": ("visible", 4),
    "wine-13-2-2-3-hidden": ("hidden", 1),
}
REFUSED = {
    "wide-1-2-1-1": "n1 <= d",
    "wide-trade-1-3-3-1": "n1 <= d",
    "wide-trade-partner-1-3-3-1": "n1 <= d",
    "rank-deficient-2-2-1-1": "rank W1",
    "not-localizable-2-2-1-1-1": "two hidden layers",
    "hiding-in-composition-2-2-2-2-1": "two hidden layers",
    "hiding-only-in-composition-2-2-2-1-1": "two hidden layers",
}


def test_all_names_are_covered() -> None:
    assert sorted([*EXPECTED, *REFUSED]) == sorted(library.names())


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_case_and_components(name: str) -> None:
    net = library.get(name)
    fiber = sf.fiber(net)
    assert (fiber.case, fiber.component_count) == EXPECTED[name]
    assert fiber.completeness == "proved"
    assert "-".join(map(str, net.architecture)) in name
    assert net in fiber and library.describe(name)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_outside_the_theorems(name: str) -> None:
    with pytest.raises(sf.UnsupportedError, match=REFUSED[name]):
        sf.fiber(library.get(name))


def test_trained_types() -> None:
    assert {"linear", "dead"} <= set(sf.neuron_types(library.get("wine-13-2-4-3-linear-dead")))
    assert len(sf.hidden_hypersurfaces(library.get("wine-13-2-2-3-hidden"))) == 1
    for name in library.trained_names():
        # Dyadic rationals: denominators are powers of two, and the description says how the network was made.
        assert all(int(x.q).bit_count() == 1 for x in library.get(name).parameters)
        assert "random_state" in library.describe(name)


TYPES = {
    "one-linear-2-2-3-1": ("linear", "nonlinear", "nonlinear"),
    "two-linear-2-2-4-1": ("linear", "linear", "nonlinear", "nonlinear"),
    "dead-2-2-3-1": ("dead", "nonlinear", "nonlinear"),
    "five-free-2-2-5-2": ("linear", "dead", "linear", "nonlinear", "nonlinear"),
    "not-pointed-3-3-4-2": ("linear", "linear", "linear", "nonlinear"),
    "hidden-single-dead-2-2-2-2": ("nonlinear", "dead"),
    "constant-2-2-2-1": ("dead", "dead"),
}


@pytest.mark.parametrize("name", sorted(TYPES))
def test_types(name: str) -> None:
    assert sf.neuron_types(library.get(name)) == TYPES[name]


def test_slope_that_is_not_pointed() -> None:
    _, (weight, _), (output, _) = library.get("not-pointed-3-3-4-2").layers
    slope = [[sum(row[j] * weight[j][i] for j in range(3)) for i in range(3)] for row in output]
    result = sf.nonnegative_column_rank(slope)
    assert (result.rank, result.pointed, result.value) == (2, False, 3)


@pytest.mark.parametrize("name", ["not-localizable-2-2-1-1-1", "hiding-in-composition-2-2-2-2-1"])
def test_what_composition_creates(name: str) -> None:
    """Any two consecutive layers have scalings only; the whole has more."""
    net = library.get(name)

    def excess(layers: tuple[sf.Layer, ...]) -> int:
        part = sf.Network(layers)
        return part.parameter_count - sf.functional_dimension(part) - sum(part.hidden_widths)

    for first in range(len(net.scalar_layers) - 1):
        assert excess(net.scalar_layers[first : first + 2]) == 0
    assert excess(net.scalar_layers) > 0


def test_sum_of_biases() -> None:
    net = library.get("not-localizable-2-2-1-1-1")
    first, (w2, (b2,)), (w3, (b3,)), (w4, (b4,)) = net.scalar_layers
    moved = sf.Network([first, (w2, [b2 / 2]), (w3, [b3 + b2 / 3]), (w4, [b4 + b2 / 6])])
    assert moved != net and sf.decide_equivalence(net, moved).equivalent
    other = sf.Network([first, (w2, [b2 / 2]), (w3, [b3]), (w4, [b4])])
    assert not sf.decide_equivalence(net, other).equivalent


def test_traded_neuron() -> None:
    a, b = library.get("wide-trade-1-3-3-1"), library.get("wide-trade-partner-1-3-3-1")
    assert sf.decide_equivalence(a, b).equivalent
    # The kink at x = 1 is made by the first layer of one and by the second layer of the other.
    kinks = [{-bias / row[0] for row, bias in zip(*net.layers[0])} for net in (a, b)]
    assert 1 in kinks[0] and 1 not in kinks[1]
    left, middle, right = (a([x])[0] for x in (Fraction(9, 10), 1, Fraction(11, 10)))
    assert right - middle != middle - left


def test_unknown_name() -> None:
    with pytest.raises(sf.InputError, match="must be one of identifiable"):
        library.get("nothing")
    with pytest.raises(sf.InputError):
        library.describe("nothing")
    with pytest.raises(sf.InputError):
        library.get([])  # type: ignore[arg-type]
