"""The independent oracle against worked cases, counting formulas and itself."""

import itertools
import json
import random
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
from oracle.cells import affine_map, cells, evaluate, parse_layers, simplest_between
from oracle.functional_dimension import (
    coefficient_gradients,
    fiber_tangent_space,
    functional_dimension,
    parameter_count,
)
from oracle.random_networks import hidden_neurons, random_matrix, random_network, rank, row_types
from oracle.z3_equal import equal, rational

CASES = json.loads((Path(__file__).parent / "data" / "cases.json").read_text(encoding="utf-8"))
NETWORKS = {case["name"]: (parse_layers(case["network"]), case) for case in CASES["networks"]}
PAIRS = [(parse_layers(pair["a"]), parse_layers(pair["b"]), pair["equivalent"]) for pair in CASES["pairs"]]

# Repeated, opposite, zero and dead rows; a first layer of deficient rank; and a wide first layer.
DEGENERATE = {
    "repeated": [
        ([[1, 2], [1, 2], [-1, -2]], [1, 1, -1]),
        ([[1, -1, 1], [0, 0, 0]], [0, 0]),
        ([[1, 1]], [0]),
    ],
    "vanishing": [([[1, 0], [0, 1]], [0, 0]), ([[-1, -1], [1, -1]], [0, 0]), ([[1, 1]], [1])],
    "line": [([[1, 1], [2, 2]], [0, -1]), ([[1, -1], [-1, 1]], [1, -2]), ([[1, 2]], [0])],
    "wide": [
        ([[1], [-1], [2]], [0, 1, -1]),
        ([[1, -1, 2], [1, 1, -3]], [-1, 1]),
        ([[1, 1], [1, -1]], [0, 0]),
    ],
    "central": [([[1, 0], [0, 1], [1, 1], [1, -1]], [0, 0, 0, 0]), ([[1, 1, -1, -1]], [2])],
    "affine": [([[1, -2], [3, 4]], [5, 6])],
}

# The first neuron's hypersurface is visible in the first two layers and hidden in the whole.
DEEP = [
    ([[1, 0], [0, 1]], [0, 0]),
    ([[1, -1], [-1, -1]], [-1, 3]),
    ([[1, -1], [-1, 1]], [-1, Fraction(-7, 2)]),
    ([[1, 1]], [0]),
]


def pattern_at(layers, point):
    """Return the activation pattern at a point, strictly positive preactivations counting as active."""
    depths = range(1, len(layers))
    return tuple(tuple(value > 0 for value in evaluate(layers[:depth], point)) for depth in depths)


def random_deep_network(rng, architecture):
    """Return a random integer network of any architecture."""
    return [
        (random_matrix(rng, rows, columns), random_matrix(rng, 1, rows)[0])
        for columns, rows in itertools.pairwise(architecture)
    ]


def equal_by_cells(layers_a, layers_b):
    """Decide equality without z3: compare the affine maps on the cells of both networks side by side."""
    combined = [
        (
            [[*row, *([0] * len(wb[0]) if depth else [])] for row in wa]
            + [[*([0] * len(wa[0]) if depth else []), *row] for row in wb],
            [*ba, *bb],
        )
        for depth, ((wa, ba), (wb, bb)) in enumerate(zip(layers_a, layers_b, strict=True))
    ]
    outputs = len(layers_a[-1][1])
    return all(
        weight[:outputs] == weight[outputs:] and bias[:outputs] == bias[outputs:]
        for weight, bias in (affine_map(combined, pattern) for pattern, _ in cells(combined))
    )


@pytest.mark.parametrize("name", NETWORKS)
def test_worked_case(name):
    layers, case = NETWORKS[name]
    assert parameter_count(layers) == case["parameters"]
    assert functional_dimension(layers) == case["functional_dimension"]
    assert len(fiber_tangent_space(layers)) == case["local_fiber_dimension"]
    assert row_types(layers) == case["types"]
    assert hidden_neurons(layers) == case["hidden"]


@pytest.mark.parametrize("index", range(len(PAIRS)))
def test_worked_pair(index):
    pytest.importorskip("z3")
    layers_a, layers_b, equivalent = PAIRS[index]
    point = equal(layers_a, layers_b)
    assert (point is None) == equivalent
    assert point is None or evaluate(layers_a, point) != evaluate(layers_b, point)
    assert equal_by_cells(layers_a, layers_b) == equivalent


@pytest.mark.parametrize(
    ("inputs", "neurons", "count"), [(1, 5, 6), (2, 4, 11), (2, 6, 22), (3, 5, 26), (3, 3, 8), (4, 8, 163)]
)
def test_generic_arrangement_count(inputs, neurons, count):
    assert count == sum(comb(neurons, k) for k in range(inputs + 1))
    # Points of the moment curve: any `inputs` normals, and any `inputs` + 1 rows [w|b], are independent.
    weight = [[t ** (k + 1) for k in range(inputs)] for t in range(1, neurons + 1)]
    layers = [(weight, [1] * neurons), ([[1] * neurons], [0])]
    assert len(cells(layers)) == count


def test_central_arrangement_count():
    assert len(cells(DEGENERATE["central"])) == 8


def test_affine_network_has_one_cell():
    assert cells(DEGENERATE["affine"]) == [((), (0, 0))]
    assert affine_map(DEGENERATE["affine"], ()) == ([[1, -2], [3, 4]], [5, 6])
    assert functional_dimension(DEGENERATE["affine"]) == 6


SAMPLE = {
    **DEGENERATE,
    "deep": DEEP,
    **{f"case {name}": layers for name, (layers, _) in NETWORKS.items()},
    **{
        f"random {architecture}": random_deep_network(random.Random(str(architecture)), architecture)
        for architecture in [(1, 3, 2, 2, 1), (2, 2, 2, 2, 1), (2, 3, 3, 1), (3, 2, 3, 2), (2, 4, 2)]
    },
}


@pytest.mark.parametrize("name", SAMPLE)
def test_cells_hold_what_they_say(name):
    layers = SAMPLE[name]
    found = dict(cells(layers))
    assert len(found) == len(cells(layers))
    for pattern, point in found.items():
        assert pattern_at(layers, point) == pattern
        weight, bias = affine_map(layers, pattern)
        values = tuple(sum(a * x for a, x in zip(row, point)) + b for row, b in zip(weight, bias))
        assert values == evaluate(layers, point)


@pytest.mark.parametrize("name", SAMPLE)
def test_sampled_patterns_are_among_the_cells(name):
    layers = SAMPLE[name]
    rng = random.Random(name)
    found = {pattern for pattern, _ in cells(layers)}
    dimension = len(layers[0][0][0])
    for scale in (1, 3, 30):
        for _ in range(100):
            point = [Fraction(rng.randint(-(10**6), 10**6) * scale, 10**6 + 3) for _ in range(dimension)]
            assert pattern_at(layers, point) in found


@pytest.mark.parametrize("name", [name for name in SAMPLE if "case" not in name and "4, 2" not in name])
def test_cells_are_complete_by_z3(name):
    z3 = pytest.importorskip("z3")
    layers = SAMPLE[name]
    inputs = [z3.Real(f"x{index}") for index in range(len(layers[0][0][0]))]
    widths = [len(bias) for _, bias in layers[:-1]]
    found = {pattern for pattern, _ in cells(layers)}
    for pattern in itertools.product(*(itertools.product((False, True), repeat=width) for width in widths)):
        solver = z3.SolverFor("QF_LRA")
        for depth, signs in enumerate(pattern, start=1):
            weight, bias = affine_map(layers[:depth], pattern[: depth - 1])
            for row, constant, active in zip(weight, bias, signs):
                form = z3.Sum([rational(z3, a) * x for a, x in zip(row, inputs)] + [rational(z3, constant)])
                if active:
                    solver.add(form > 0)
                elif any(row) or constant:
                    solver.add(form < 0)
        assert (solver.check() == z3.sat) == (pattern in found), pattern


@pytest.mark.parametrize("name", ["deep", "repeated", "random (2, 3, 3, 1)", "case hidden-one-live-one-dead"])
def test_gradients_are_difference_quotients(name):
    """Every coefficient is affine in each single parameter, so a difference quotient is the derivative."""
    layers = SAMPLE[name]

    def coefficients(parameters, pattern):
        remaining = iter(parameters)
        changed = []
        for weight, bias in layers:
            new_weight = [[next(remaining) for _ in row] for row in weight]
            changed.append((new_weight, [next(remaining) for _ in bias]))
        return [x for row, b in zip(*affine_map(changed, pattern)) for x in [*row, b]]

    base = [x for weight, bias in layers for x in [*itertools.chain(*weight), *bias]]
    for pattern, _ in cells(layers)[::3]:
        gradients = coefficient_gradients(layers, pattern)
        before = coefficients(base, pattern)
        for index in range(len(base)):
            after = coefficients([x + (i == index) for i, x in enumerate(base)], pattern)
            assert [gradient[index] for gradient in gradients] == [b - a for a, b in zip(before, after)]


def test_functional_dimension_is_an_ordinary_rank():
    for layers, case in list(NETWORKS.values())[:5]:
        patterns = [pattern for pattern, _ in cells(layers)]
        matrix = [gradient for pattern in patterns for gradient in coefficient_gradients(layers, pattern)]
        assert rank(matrix) == case["functional_dimension"]


def test_composition_has_a_larger_fiber_than_its_parts_explain():
    """Besides five live neurons' scalings and a dead one's four parameters there are two hiding translations.

    Each is allowed on a bounded interval, beyond which the dead neuron wakes or the translated one shows.
    """
    for part in (DEEP[:2], DEEP[1:3], DEEP[2:]):
        assert parameter_count(part) - functional_dimension(part) == 2
    for part in (DEEP[:3], DEEP[1:]):
        assert parameter_count(part) - functional_dimension(part) == 4
    assert parameter_count(DEEP) - functional_dimension(DEEP) == 5 + 4 + 2
    pytest.importorskip("z3")
    for depth, lowest, highest in ((0, Fraction(-5, 2), Fraction(1, 2)), (1, Fraction(-1), Fraction(1, 2))):
        for shift in (lowest - Fraction(1, 99), lowest, Fraction(1, 7), highest, highest + Fraction(1, 99)):
            same = lowest <= shift <= highest
            (lower, lower_bias), (upper, upper_bias) = DEEP[depth : depth + 2]
            shifted = list(DEEP)
            shifted[depth] = lower, [lower_bias[0] + shift, *lower_bias[1:]]
            shifted[depth + 1] = upper, [b - row[0] * shift for row, b in zip(upper, upper_bias)]
            assert (equal(DEEP, shifted) is None) == same, (depth, shift)
            assert equal_by_cells(DEEP, shifted) == same


@pytest.mark.parametrize("seed", range(8))
def test_equality_by_z3_and_by_cells(seed):
    pytest.importorskip("z3")
    rng = random.Random(seed)
    hidden = seed % 2
    layers = random_network(rng, 2, 2, 2, 1, hidden=hidden)
    (first, first_bias), (second, second_bias), last = layers
    shift = max(b / row[hidden] for row, b in zip(second, second_bias)) + seed % 4 - 1
    moved_first_bias = [b + shift * (i == hidden) for i, b in enumerate(first_bias)]
    moved_second_bias = [b - row[hidden] * shift for row, b in zip(second, second_bias)]
    moved = [(first, moved_first_bias), (second, moved_second_bias), last]
    # The translation is allowed exactly for shifts not below max b / w: for all seeds but 0 and 4.
    assert equal_by_cells(layers, moved) == (seed % 4 != 0)
    assert (equal(layers, moved) is None) == (seed % 4 != 0)


def test_equal_refuses_different_shapes_and_gives_up_loudly():
    z3 = pytest.importorskip("z3")
    with pytest.raises(ValueError, match="same numbers"):
        equal(NETWORKS["constant"][0], NETWORKS["hidden-one-live-n2-1"][0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(z3.Solver, "check", lambda self: z3.unknown)
        patch.setattr(z3.Solver, "reason_unknown", lambda self: "patched")
        with pytest.raises(RuntimeError, match="patched"):
            equal(NETWORKS["constant"][0], NETWORKS["constant"][0])


@pytest.mark.parametrize("seed", range(20))
def test_random_network_is_as_ordered(seed):
    rng = random.Random(seed)
    types = [rng.choice(["linear", "dead", "nonlinear"]) for _ in range(4)]
    layers = random_network(rng, 3, 2, 4, 2, types=types)
    assert row_types(layers) == types
    assert rank(layers[0][0]) == 2
    assert [(len(w), len(w[0]), len(b)) for w, b in layers] == [(2, 3, 2), (4, 2, 4), (2, 4, 2)]
    assert all(x and x.denominator == 1 and abs(x) <= 20 for w, b in layers for row in [*w, b] for x in row)
    layers = random_network(rng, 2, 2, 3, 1, types=["dead", "nonlinear", "nonlinear"], hidden=seed % 2)
    assert hidden_neurons(layers) == [seed % 2]
    assert row_types(layers) == ["dead", "nonlinear", "nonlinear"]
    assert random_network(random.Random(seed), 2, 2, 2, 1) == random_network(random.Random(seed), 2, 2, 2, 1)


def test_simplest_rational():
    for low, high in itertools.combinations(sorted({Fraction(p, q) for p in range(9) for q in range(1, 9)}), 2):
        simplest = simplest_between(low, high)
        assert low < simplest < high
        smaller = range(1, simplest.denominator)
        assert not any(low < Fraction(p, q) < high for q in smaller for p in range(9 * q))
