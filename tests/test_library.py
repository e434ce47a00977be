"""The bundled networks: each shows what its description says."""

from __future__ import annotations

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
    "rank-deficient-2-2-1-1": "rank W1",
    "not-localizable-2-2-1-1-1": "two hidden layers",
    "hiding-in-composition-2-2-2-2-1": "two hidden layers",
}


def test_all_names_are_covered() -> None:
    assert set(EXPECTED) | set(REFUSED) <= set(library.names())


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


def test_unknown_name() -> None:
    with pytest.raises(sf.InputError, match="must be one of identifiable"):
        library.get("nothing")
    with pytest.raises(sf.InputError):
        library.describe("nothing")
