"""Canonical forms: equal for equal functions, never equal for different ones, the value of the network itself."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.cells import evaluate
from oracle.z3_equal import equal
from planted import KINDS, base_network, equal_partner, permute, perturbed, scale

import symfiber as sf
from symfiber.canonical import reduced

SEED = 20260501
GENERIC = [kind for kind in KINDS if kind not in ("no bias", "sparse")]


def random_layers(rng, widths, low=-3, high=3):
    return [
        (
            [[Fraction(rng.randint(low, high)) for _ in range(n)] for _ in range(m)],
            [Fraction(rng.randint(low, high)) for _ in range(m)],
        )
        for n, m in zip(widths, widths[1:])
    ]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), st.lists(st.integers(1, 3), min_size=2, max_size=6))
def test_the_form_has_the_networks_values(seed, widths):
    rng = random.Random(seed)
    layers = random_layers(rng, widths, *rng.choice(((-1, 1), (-3, 3), (-9, 2))))
    net = sf.Network(layers)
    form, state = sf.canonical_form(net), reduced(net)
    for _ in range(4):
        x = [Fraction(rng.randint(-9, 9), rng.randint(1, 3)) for _ in range(widths[0])]
        values = evaluate(layers, x)
        for found in (form.evaluate(x), state.evaluate([sf.exact.rational(t) for t in x])):
            assert tuple(Fraction(int(v.p), int(v.q)) for v in found) == values


DEGENERATE = {
    "zero first layer": [([[0, 0]], [1]), ([[1]], [1]), ([[2]], [3])],
    "zero second layer": [([[1, 2], [3, 4]], [1, 1]), ([[0, 0]], [0]), ([[2]], [3])],
    "zero output": [([[1, 2], [3, 4]], [1, 1]), ([[1, -1]], [0]), ([[0]], [3])],
    "unused first-layer neuron": [([[1, 2], [3, 4]], [1, 1]), ([[1, 0]], [-1]), ([[2]], [3])],
    "duplicate hyperplanes": [([[1, 2], [3, 4]], [1, 1]), ([[1, -1], [-2, 2]], [1, -2]), ([[4, 2]], [3])],
    "cancelling neurons": [([[1, 2], [3, 4]], [1, 1]), ([[1, -1], [2, -2]], [1, 2]), ([[2, -1]], [3])],
    "through the origin": [([[1, 2], [3, 4]], [0, 0]), ([[1, -1]], [0]), ([[2]], [0])],
    "opposite first-layer rows": [([[1, 2], [-1, -2]], [1, -1]), ([[1, 1]], [-1]), ([[2]], [3])],
    "equal first-layer rows": [([[1, 2], [2, 4]], [1, 2]), ([[1, 1]], [-1]), ([[2]], [3])],
    "constant neuron": [([[1, 2], [0, 0]], [1, 2]), ([[1, -1]], [-1]), ([[2]], [3])],
    "affine": [([[1, 2]], [3])],
    "width one": [([[1]], [0]), ([[1]], [0]), ([[1]], [0])],
    "dead middle layer": [([[1, 2]], [3]), ([[-1], [-2]], [0, -1]), ([[1, 2]], [1]), ([[1]], [0])],
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_networks(name):
    net = sf.Network(DEGENERATE[name])
    form = sf.canonical_form(net)
    layers = [([list(map(Fraction, row)) for row in w], list(map(Fraction, b))) for w, b in net.layers]
    for x in product((-2, Fraction(1, 3), 5), repeat=net.architecture[0]):
        assert tuple(Fraction(int(v.p), int(v.q)) for v in form.evaluate(x)) == evaluate(layers, x)
    assert json.loads(json.dumps(form.to_dict()))["format"] == "symfiber-canonical/1"
    assert "CanonicalForm" in repr(form)


def test_what_does_nothing_is_gone():
    form = sf.canonical_form(sf.Network(DEGENERATE["unused first-layer neuron"]))
    assert sum(map(len, form.front)) + len(form.neurons) == 1
    assert sf.canonical_form(sf.Network(DEGENERATE["cancelling neurons"])).neurons == ()
    constant = sf.canonical_form(sf.Network(DEGENERATE["dead middle layer"]))
    assert (constant.front, constant.neurons, constant.affine) == ((), (), ())


@pytest.mark.parametrize("kind", GENERIC)
def test_planted_pairs_have_one_form_and_perturbed_ones_another(kind):
    rng = random.Random(f"{SEED} {kind}")
    for widths in ((2, 2, 2, 1), (3, 2, 3, 2), (3, 3, 4, 1), (6, 5, 7, 2)):
        a = base_network(rng, kind, widths)
        b = equal_partner(rng, a)
        form = sf.canonical_form(sf.Network(a))
        assert form == sf.canonical_form(sf.Network(b))
        assert hash(form) == hash(sf.canonical_form(sf.Network(b)))
        changed = perturbed(rng, b)
        if sf.canonical_form(sf.Network(changed)) == form:
            assert equal(a, changed) is None


@pytest.mark.parametrize("widths", [(2, 4, 3, 3, 1), (3, 3, 2, 4, 2, 2), (2, 5, 4, 1)])
def test_deep_and_wide_networks_modulo_permutation_and_scaling(widths):
    rng = random.Random(f"{SEED} {widths}")
    for _ in range(10):
        a = random_layers(rng, widths)
        b = [([list(row) for row in w], list(bias)) for w, bias in a]
        for layer in range(len(widths) - 2):
            (W, bias), (V, c) = b[layer], b[layer + 1]
            order = list(range(len(bias)))
            rng.shuffle(order)
            q = [Fraction(rng.randint(1, 5), rng.randint(1, 5)) for _ in order]
            b[layer] = [[q[k] * x for x in W[k]] for k in order], [q[k] * bias[k] for k in order]
            b[layer + 1] = [[row[k] / q[k] for k in order] for row in V], c
        assert sf.canonical_form(sf.Network(a)) == sf.canonical_form(sf.Network(b))


@pytest.mark.parametrize("widths", [(1, 1, 2, 1), (2, 1, 2, 1), (1, 3, 1), (2, 3, 1)])
def test_complete_without_genericity_for_one_hidden_layer_and_univariate_networks(widths):
    """Same values at many points and different forms: the SMT solver must find a point with different values."""
    rng = random.Random(f"{SEED} {widths}")
    points = [[Fraction(rng.randint(-12, 12), rng.randint(1, 3)) for _ in range(widths[0])] for _ in range(8)]
    groups = defaultdict(dict)
    for _ in range(1500):
        layers = random_layers(rng, widths, -2, 2)
        if widths[:2] == (2, 1) and not any(layers[0][0][0]):
            continue
        groups[tuple(evaluate(layers, x) for x in points)][sf.canonical_form(sf.Network(layers))] = layers
    compared = 0
    for forms in groups.values():
        representatives = list(forms.values())
        for a, b in zip(representatives, representatives[1:4]):
            assert equal(a, b) is not None
            compared += 1
    assert compared > 0


def test_a_permuted_and_scaled_network_has_the_form_of_the_hidden_translation():
    rng = random.Random(SEED)
    net = base_network(rng, "hidden-single", (3, 3, 2, 2))
    assert sf.canonical_form(sf.Network(net)) == sf.canonical_form(sf.Network(scale(rng, permute(rng, net))))


def test_errors():
    with pytest.raises(sf.UnsupportedError, match="numbers"):
        sf.canonical_form(sf.Network.symbolic((1, 1, 1)))
    with pytest.raises(sf.InputError, match="coordinates"):
        sf.canonical_form(sf.Network([([[1]], [0])])).evaluate([1, 2])
