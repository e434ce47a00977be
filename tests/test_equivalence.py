"""Deciding equivalence: planted pairs, tiny differences, grids against z3, and the search over cells."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from oracle.cells import evaluate, parse_layers
from oracle.z3_equal import equal
from planted import KINDS, base_network, equal_partner, far_cell_pair, perturbed

import symfiber as sf
from symfiber.reduction import State, difference

SEED = 20260502
CASES = json.loads((Path(__file__).parent / "data" / "cases.json").read_text())
SIZES = ((2, 2, 2, 1), (3, 2, 3, 2), (3, 3, 4, 1), (5, 4, 6, 2), (8, 8, 8, 3), (32, 32, 32, 4))


def random_layers(rng, widths, values=(-2, -1, 0, 1, 2)):
    return [
        (
            [[Fraction(rng.choice(values)) for _ in range(n)] for _ in range(m)],
            [Fraction(rng.choice(values)) for _ in range(m)],
        )
        for n, m in zip(widths, widths[1:])
    ]


def decide(a, b, **options):
    """Decide, and check a witness by the independent evaluation."""
    result = sf.decide_equivalence(sf.Network(a), sf.Network(b), **options)
    if result.witness is not None:
        assert evaluate(a, result.witness) != evaluate(b, result.witness)
    assert bool(result) == result.equivalent == (result.witness is None)
    return result


@pytest.mark.parametrize("index", range(len(CASES["pairs"])))
def test_the_shared_cases(index):
    pair = CASES["pairs"][index]
    assert decide(parse_layers(pair["a"]), parse_layers(pair["b"])).equivalent is pair["equivalent"]


@pytest.mark.parametrize("kind", KINDS)
def test_planted_pairs_and_one_entry_changed_by_a_billionth(kind):
    rng = random.Random(f"{SEED} {kind}")
    for widths in SIZES:
        a = base_network(rng, kind, widths)
        b = equal_partner(rng, a)
        result = decide(a, b)
        assert (result.equivalent, result.method) == (True, "moves")
        changed = perturbed(rng, b)
        if decide(a, changed).equivalent:
            assert widths[0] <= 5 and equal(a, changed) is None


@pytest.mark.parametrize("widths", SIZES[:5])
def test_differences_in_one_thin_cell_far_away(widths):
    rng = random.Random(f"{SEED} {widths}")
    for _ in range(4):
        a, b = far_cell_pair(rng, widths)
        assert not decide(a, equal_partner(rng, b)).equivalent


def grid_groups(networks, points):
    """Group networks by their values at the points."""
    groups = defaultdict(list)
    for layers in networks:
        groups[tuple(evaluate(layers, x) for x in points)].append(layers)
    return groups


def test_all_networks_of_a_small_grid_against_z3():
    """(2,2,1,1), entries of both hidden layers in {−1,0,1}, f = σ(…): equal forms always have equal values; pairs with
    equal values and different forms are settled by z3."""
    rng = random.Random(SEED)
    points = [[rng.randint(-9, 9), rng.randint(-9, 9)] for _ in range(24)]
    output = ([[Fraction(1)]], [Fraction(0)])
    seen, groups = {}, defaultdict(dict)
    for w in product((-1, 0, 1), repeat=6):
        y = [[w[0] * p + w[1] * q + w[4], w[2] * p + w[3] * q + w[5]] for p, q in points]
        z = [[max(s, 0), max(t, 0)] for s, t in y]
        for v in product((-1, 0, 1), repeat=3):
            values = tuple(max(v[0] * s + v[1] * t + v[2], 0) for s, t in z)
            layers = [([[w[0], w[1]], [w[2], w[3]]], [w[4], w[5]]), ([[v[0], v[1]]], [v[2]]), output]
            form = sf.canonical_form(sf.Network(layers))
            assert seen.setdefault(form, values) == values
            groups[values].setdefault(form, layers)
    pairs = [pair for forms in groups.values() for pair in zip(forms.values(), list(forms.values())[1:])]
    methods = set()
    for a, b in rng.sample(pairs, 200):
        result = decide(a, b)
        assert result.equivalent == (equal(a, b) is None)
        methods.add((result.equivalent, result.method))
    assert {(True, "cells"), (False, "witness")} <= methods


@pytest.mark.parametrize(
    ("widths", "count"), [((2, 2, 2, 1), 4000), ((1, 2, 2, 1), 3000), ((1, 1, 2, 1, 1), 3000), ((2, 3, 2, 1), 3000)]
)
def test_samples_of_larger_grids_against_z3(widths, count):
    rng = random.Random(f"{SEED} {widths}")
    points = [[Fraction(rng.randint(-9, 9)) for _ in range(widths[0])] for _ in range(12)]
    groups = grid_groups((random_layers(rng, widths) for _ in range(count)), points)
    pairs = [tuple(rng.sample(group, 2)) for group in groups.values() if len(group) > 1]
    assert len(pairs) > 10
    for a, b in rng.sample(pairs, min(len(pairs), 70)):
        engine = rng.choice((None, "cells"))
        assert decide(a, b, engine=engine).equivalent == (equal(a, b) is None)


def test_the_search_over_cells_needs_no_moves():
    rng = random.Random(SEED)
    for kind in KINDS:
        a = base_network(rng, kind, (2, 2, 3, 1))
        b = equal_partner(rng, a, 2)
        assert decide(a, b, engine="cells").method == "cells"
        assert not decide(a, perturbed(rng, a), engine="cells").equivalent


def test_other_depths_and_hidden_widths():
    rng = random.Random(SEED)
    for _ in range(5):
        a = random_layers(rng, (2, 2, 3, 2), (-3, -2, -1, 1, 2, 3))
        identity = ([[Fraction(int(i == k)) for i in range(2)] for k in range(2)], [Fraction(0)] * 2)
        deeper = [a[0], identity, *a[1:]]
        assert decide(a, deeper).equivalent
        assert decide(deeper, a).equivalent
        shifted = [a[0], (identity[0], [Fraction(0), Fraction(1)]), *a[1:]]
        assert decide(a, shifted).equivalent == (equal(a, shifted) is None)


def test_an_affine_function_hidden_in_a_deep_network():
    """x = σ(x) − σ(−x), through one more layer."""
    deep = [([[1], [-1]], [0, 0]), ([[1, 0], [0, 1]], [0, 0]), ([[1, -1]], [0])]
    assert decide(deep, [([[1]], [0])]).equivalent
    assert decide(deep, [([[1]], [Fraction(1, 10**6)])]).witness is not None


def test_limits_and_progress():
    rng = random.Random(SEED)
    a = random_layers(rng, (3, 5, 5, 5, 1), (-3, -2, -1, 1, 2, 3))
    seen = []
    with pytest.raises(sf.LimitExceededError, match="20 nodes") as caught:
        decide(a, a, engine="cells", limit=20, progress=lambda nodes, share: seen.append((nodes, share)))
    assert caught.value.known["nodes"] == 20
    assert 0 <= caught.value.known["covered"] < 1
    assert seen[0] == (0, 0.0)
    with pytest.raises(sf.LimitExceededError):
        decide(a, a, engine="cells", seconds=0.0)
    identity = ([[1]], [0])
    with pytest.raises(sf.LimitExceededError, match="search was left out"):
        decide([([[1]], [0]), identity, identity, identity], [([[1]], [0]), identity, identity], engine="moves")


def test_the_difference_of_states_has_the_difference_of_values():
    rng = random.Random(SEED)
    for _ in range(40):
        depths = (
            rng.choice(((2, 1), (2, 2, 1), (2, 3, 2, 1), (2, 2, 2, 2, 1))),
            rng.choice(((2, 1), (2, 2, 1), (2, 2, 3, 1))),
        )
        a, b = (random_layers(rng, widths) for widths in depths)
        state = difference(*(State.from_network(sf.Network(net)) for net in (a, b)))
        for _ in range(4):
            x = [Fraction(rng.randint(-5, 5)) for _ in range(2)]
            expected = evaluate(a, x)[0] - evaluate(b, x)[0]
            assert state.evaluate([sf.exact.rational(t) for t in x]) == (sf.exact.rational(expected),)


def test_the_smt_text_and_the_z3_engine_agree():
    import z3

    rng = random.Random(SEED)
    for kind in ("visible", "hidden", "linear"):
        a = base_network(rng, kind, (2, 2, 2, 2))
        b = equal_partner(rng, a, 2)
        for other, expected in ((b, True), (perturbed(rng, b), False)):
            text = sf.smtlib(sf.Network(a), sf.Network(other))
            solver = z3.Solver()
            solver.from_string(text.split("(check-sat)")[0])
            assert (solver.check() == z3.unsat) is expected
            result = decide(a, other, engine="z3")
            assert result.equivalent is expected
            if expected:
                with pytest.raises(sf.UnsupportedError, match="no certificate"):
                    _ = result.certificate


def test_the_answer_speaks():
    rng = random.Random(SEED)
    a = base_network(rng, "hidden", (2, 2, 2, 1))
    result = decide(a, equal_partner(rng, a))
    assert "equal" in result.explanation
    assert result.chain[0].endswith("of a") or "layer" in result.chain[0]
    assert any("of b" in step for step in result.chain)
    other = decide(a, perturbed(rng, a))
    assert other.explanation.startswith("different")
    assert other.chain == ()


def test_witnesses_are_short_when_that_is_cheap():
    a = [([[1, 2], [3, 4]], [1, 1]), ([[1, 1]], [1]), ([[2]], [3])]
    b = [([[1, 2], [3, 4]], [1, 1]), ([[1, 1]], [1]), ([[2]], [4])]
    assert decide(a, b).witness == (0, 0)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([([[1]], [0])], [([[1, 1]], [0])], "input dimension, got 1 and 2"),
        ([([[1]], [0])], [([[1], [1]], [0, 0])], "output dimension, got 1 and 2"),
    ],
)
def test_dimensions_must_fit(a, b, message):
    with pytest.raises(sf.InputError, match=message):
        sf.decide_equivalence(sf.Network(a), sf.Network(b))
    with pytest.raises(sf.InputError):
        sf.smtlib(sf.Network(a), sf.Network(b))


def test_arguments_are_checked():
    net = sf.Network([([[1]], [0])])
    with pytest.raises(sf.InputError, match="must be a Network"):
        sf.decide_equivalence(net, "net")
    with pytest.raises(sf.InputError, match="engine"):
        sf.decide_equivalence(net, net, engine="magic")
    with pytest.raises(sf.UnsupportedError, match="numbers"):
        sf.decide_equivalence(net, sf.Network.symbolic((1, 1)))
