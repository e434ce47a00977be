"""Conservation laws of gradient flow: worked values, generated networks against the oracle, verdicts, reports."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from law_networks import bottleneck, deep_network, linear_laws, network_of, oracle_patterns
from oracle.functional_dimension import functional_dimension
from oracle.random_networks import hidden_neurons, random_network, row_types

import symfiber as sf
from symfiber import library
from symfiber.cli import BAD_INPUT, DONE, main
from symfiber.conservation import conservation_laws, flow_field, generic_conservation_laws, polynomial_conservation_laws
from symfiber.conservation.verdict import judge
from symfiber.exact import Matrix, PolynomialRing, Rational

CASES = json.loads((Path(__file__).parent / "data" / "cases.json").read_text())["networks"]


# the worked values


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_worked_cases(case):
    laws = conservation_laws(network_of(case))
    if "conservation_laws" in case:
        assert laws.count == case["conservation_laws"]
    assert laws.fiber_dimension == case["local_fiber_dimension"]
    assert laws.count == laws.generic_count == len(laws.laws)
    assert laws.regular
    assert laws.verify()


@pytest.mark.parametrize(
    ("n", "m", "r", "count"), [(2, 2, 2, 3), (2, 1, 3, 6), (2, 2, 4, 10), (1, 1, 3, 5), (2, 2, 6, 18)]
)
def test_two_layer_factorisations(n, m, r, count):
    k = min(r, n + m)
    assert count == k * (2 * r + 1 - k) // 2
    laws = generic_conservation_laws((m, r, n), activation="linear", biases="none")
    assert (laws.count, laws.generic_count, laws.regular, len(laws.laws)) == (count, count, True, count)
    assert {law.kind for law in laws.laws} <= {"scaling", "balance"}
    assert laws.verify()


def test_product_of_three_variables():
    ring = PolynomialRing(("x1", "x2", "x3"))
    x1, x2, x3 = ring.generators
    laws = polynomial_conservation_laws([x1 * x2 * x3], (1, 2, 3))
    assert laws.count == 2
    assert laws.verify()
    found = Matrix([[q.terms().get(e, 0) for e in ((2, 0, 0), (0, 2, 0), (0, 0, 2))] for q in laws.potentials])
    both = Matrix([*found.rows, (1, -1, 0), (0, 1, -1)])
    assert (found.rank(), both.rank()) == (2, 2)


@pytest.mark.parametrize(
    ("shape", "biases", "parameters", "count"),
    [
        ((9, 7, 2), "none", 77, 7),
        ((8, 5, 8, 5, 5), "none", 145, 18),
        ((2, 4, 5, 8, 5), "hidden", 125, 17),
    ],
)
def test_relu_on_all_paths(shape, biases, parameters, count):
    laws = generic_conservation_laws(shape, biases=biases)
    assert (laws.parameter_count, laws.count, laws.generic_count) == (parameters, count, count)
    assert {law.kind for law in laws.laws} == {"scaling"}
    assert laws.fiber_dimension == count
    assert laws.verify()


@pytest.mark.parametrize(
    ("shape", "parameters", "count"),
    [((5, 3, 2), 21, 6), ((5, 5, 4, 4, 5), 81, 35), ((3, 4, 2, 4), 28, 13), ((4, 2, 4), 16, 3)],
)
def test_linear_networks(shape, parameters, count):
    laws = generic_conservation_laws(shape, activation="linear", biases="none")
    assert (laws.parameter_count, laws.count, laws.generic_count, len(laws.laws)) == (parameters, count, count, count)
    assert laws.verify()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(2, 9), min_size=3, max_size=5), st.sampled_from(("none", "hidden")), st.integers(0, 99))
def test_random_relu_networks_on_all_paths_have_as_many_laws_as_hidden_neurons(shape, biases, seed):
    laws = generic_conservation_laws(shape, biases=biases, seed=seed)
    assert laws.count == laws.generic_count == sum(shape[1:-1])


# generated bottleneck networks


@pytest.mark.parametrize("seed", range(120))
def test_bottleneck_networks(seed):
    layers = bottleneck(seed)
    net = sf.Network(layers)
    laws = conservation_laws(net)
    types = row_types(layers)
    moved = bool(hidden_neurons(layers)) and any(kind != "dead" for kind in types)
    assert laws.fiber_dimension == laws.parameter_count - functional_dimension(layers)
    assert laws.count <= laws.fiber_dimension
    assert (laws.count == laws.fiber_dimension) == (not moved and "linear" not in types), (seed, types)
    kinds = {symmetry.kind for symmetry in laws.non_integrable}
    assert ("hiding translation" in kinds) == moved
    assert ("bias shift" in kinds) == ("linear" in types)
    assert laws.explained_dimension == laws.fiber_dimension
    assert laws.regular
    assert laws.verify()


@pytest.mark.parametrize("seed", range(60))
def test_laws_are_invariant_under_the_exact_flow_field(seed):
    layers = bottleneck(seed, bound=20) if seed % 2 else deep_network(seed)
    net, rng = sf.Network(layers), random.Random(seed)
    laws = conservation_laws(net)
    inputs = [[Fraction(rng.randint(-50, 50), 7) for _ in range(net.architecture[0])] for _ in range(6)]
    targets = [[rng.randint(-9, 9) for _ in range(net.architecture[-1])] for _ in range(6)]
    velocity = flow_field(net, inputs, targets)
    assert len(laws.rates(velocity)) == len(laws.laws)
    assert not any(laws.rates(velocity))
    for number in range(len(laws.laws)):
        assert not any(laws.time_derivatives(number))
    for symmetry in laws.symmetries:
        component = dict(symmetry.field)
        point = laws.point
        assert not sum(
            (component[x](point) * v for x, v in zip(laws.names_of_parameters, velocity) if x in component), Rational(0)
        )


@pytest.mark.parametrize("seed", range(25))
def test_cells_of_the_package_and_of_the_oracle_give_the_same_laws(seed):
    layers = deep_network(seed)
    net = sf.Network(layers)
    ours, other = conservation_laws(net), conservation_laws(net, patterns=oracle_patterns(layers))
    assert (ours.count, ours.fiber_dimension, ours.names) == (other.count, other.fiber_dimension, other.names)


def random_deep_outcome(seed):
    layers = deep_network(seed, biased=seed % 3 > 0)
    net = sf.Network(layers)
    patterns = oracle_patterns(layers)
    return layers, conservation_laws(net, patterns=patterns)


@pytest.mark.parametrize("seed", range(100, 140))
def test_deep_networks_with_zeros(seed):
    """Any depth, zeros and ties among the weights: the fiber dimension is the oracle's, the counts are ordered."""
    try:
        layers, laws = random_deep_outcome(seed)
    except sf.UndecidedError as error:
        assert error.known["lower"] < error.known["upper"]
        return
    assert laws.fiber_dimension == laws.parameter_count - functional_dimension(layers)
    assert laws.count <= laws.fiber_dimension
    assert laws.generic_count <= laws.count
    assert laws.verify()


@pytest.mark.parametrize("seed", range(12))
def test_counts_do_not_change_along_permutations_and_scalings(seed):
    net = sf.Network(bottleneck(seed, bound=20))
    before = conservation_laws(net)
    for generator in sf.fiber(net).generators:
        if "permutation" in generator.name or "scaling" in generator.name:
            after = conservation_laws(generator(net, generator.sample(net, seed)))
            assert (after.count, after.fiber_dimension) == (before.count, before.fiber_dimension)


@pytest.mark.parametrize("name", [name for name in library.names() if not name.startswith("diabetes")])
def test_every_bundled_network_has_a_proved_count(name):
    laws = conservation_laws(library.get(name))
    assert laws.verify()
    assert laws.count <= laws.fiber_dimension
    assert laws.explained_dimension <= laws.fiber_dimension


# verdicts


@pytest.mark.parametrize("name", [name for name in library.names() if "wide" not in name and "diabetes" not in name])
def test_every_continuous_generator_of_the_fiber_gets_a_verdict(name):
    net = library.get(name)
    try:
        fiber = sf.fiber(net)
    except sf.UnsupportedError:
        return
    laws = conservation_laws(net)
    types = sf.neuron_types(net)
    kinds = [symmetry.kind for symmetry in laws.symmetries]
    live = [j for j, kind in enumerate(types) if kind != "dead"]
    linear = types.count("linear")
    for generator in fiber.generators:
        if generator.name == "positive scaling of layer 2":
            assert sum("in layer 2" in s.name and s.kind == "scaling" for s in laws.symmetries) == len(live)
        elif generator.name == "positive scaling of layer 1" and live:
            assert sum("in layer 1" in s.name and s.kind == "scaling" for s in laws.symmetries) == net.architecture[1]
        elif "change of factorisation" in generator.name or type(generator).__name__ == "FactorizationAction":
            assert generator.dimension == linear + kinds.count("balance") + kinds.count("rotation")
        elif type(generator).__name__ == "DeadMotion":
            names = {f"unseen parameter W2_{generator.neuron}_{i}" for i in range(net.architecture[1])}
            assert names <= {symmetry.name for symmetry in laws.symmetries}
        elif type(generator).__name__ == "HidingTranslation":
            assert kinds.count("hiding translation") == 1
        elif type(generator).__name__ == "BiasShift":
            assert kinds.count("bias shift") == linear
    if fiber.completeness == "proved":
        assert laws.explained_dimension == laws.fiber_dimension


def test_factorisations_of_many_linear_neurons():
    """r linear neurons have k(2r + 1 − k)/2 laws, k = min(r, n1 + 1 + m): their biases count as one more input."""
    rng = random.Random(3)
    for d, n1, r, m in (
        (1, 1, 4, 1),
        (2, 2, 5, 1),
        (2, 2, 3, 2),
        (4, 4, 3, 1),
        (3, 3, 4, 2),
        (1, 1, 3, 3),
        (2, 1, 2, 4),
    ):
        laws = conservation_laws(sf.Network(random_network(rng, d, n1, r, m, types=["linear"] * r)))
        k = min(r, n1 + 1 + m)
        assert laws.count == n1 + k * (2 * r + 1 - k) // 2
        assert laws.explained_dimension == laws.fiber_dimension
        assert any(symmetry.kind == "kernel motion" for symmetry in laws.non_integrable) == (r > min(m, n1))
        assert laws.verify()


def frobenius_by_sympy(field):
    """All components of V♭∧dV♭ from the definition, by sympy."""
    names = sorted({name for name, _ in field} | {x for _, part in field for x in part.symbols()})
    symbols = {name: sympy.Symbol(name) for name in names}
    values = {name: sympy.sympify(str(part).replace("^", "**"), locals=symbols) for name, part in field}

    def v(name):
        return values.get(name, sympy.Integer(0))

    result = {}
    for x, y, z in combinations(names, 3):
        total = sympy.Integer(0)
        for a, b, c in ((x, y, z), (y, z, x), (z, x, y)):
            total += v(a) * (sympy.diff(v(c), symbols[b]) - sympy.diff(v(b), symbols[c]))
        result[frozenset((x, y, z))] = sympy.expand(total)
    return result, symbols


@pytest.mark.parametrize(
    "name", ["hidden-2-2-2-1", "two-linear-2-2-4-1", "hidden-single-dead-2-2-2-2", "one-linear-2-2-3-1"]
)
def test_verdicts_agree_with_the_definition(name):
    laws = conservation_laws(library.get(name))
    assert laws.non_integrable
    for symmetry in laws.symmetries:
        components, symbols = frobenius_by_sympy(symmetry.field)
        if symmetry.outcome == "no law":
            found = symmetry.refutation
            value = sympy.sympify(str(found.polynomial).replace("^", "**"), locals=symbols)
            assert sympy.expand(components[frozenset(found.names)] ** 2 - value**2) == 0
            assert value != 0
            assert found.value == found.polynomial(laws.point)
        else:
            assert symmetry.outcome == "law"
            gradient = {x: symmetry.potential.derivative(x) for x in symmetry.potential.symbols()}
            assert gradient == dict(symmetry.field)
            assert not any(components.values())


def test_hiding_translation_and_bias_shift_are_refuted_readably():
    hidden = conservation_laws(library.get("hidden-2-2-2-1"))
    (translation,) = hidden.non_integrable
    assert translation.refutation.names == ("b1_0", "W2_0_0", "b2_0")
    assert translation.refutation.polynomial == -1
    assert "no law" in str(translation) and "db1_0 ^ dW2_0_0 ^ db2_0" in str(translation)
    shifted = conservation_laws(library.get("one-linear-2-2-3-1"))
    (shift,) = shifted.non_integrable
    assert (shift.refutation.names, shift.refutation.value) == (("b2_0", "W3_0_0", "b3_0"), -1)


def test_a_field_with_an_integrating_factor_is_recognised():
    ring = PolynomialRing(("x", "y", "z"))
    x, y, _ = ring.generators
    point = (Rational(1), Rational(2), Rational(3))
    assert judge("turn", "", {"x": y, "y": -x}, ring, point).outcome == "integrating factor"
    assert judge("gradient", "", {"x": y, "y": x}, ring, point).potential == x * y
    contact = judge("contact", "", {"x": y, "z": ring.constant(1)}, ring, point)
    assert (contact.outcome, contact.refutation.polynomial) == ("no law", -1)
    assert judge("at 0", "", {"x": y * x, "z": x}, ring, (Rational(0),) * 3).refutation.value == 0


# reports


def test_text_names_laws_and_refutations():
    laws = conservation_laws(library.get("two-linear-2-2-4-1"))
    text = str(laws)
    assert "parameters 23, fiber dimension 10, dim Lie(W) = 16, laws 7" in text
    assert "balance of neurons 0 and 1 in layer 2" in text and "rotation of neurons 0 and 1 in layer 2: no law" in text
    assert text.isascii()
    assert repr(laws) == "<ConservationLaws of realised cells: 7 laws, fiber dimension 10, 23 parameters>"
    special = str(linear_laws([[1, 2], [0, 0]], [[3, 0], [4, 0]]))
    assert "the parameters are special: generic ones have 3 laws" in special and "affine subspace" in special


def test_command_line(capsys, tmp_path):
    assert main(["laws", "library:hidden-2-2-2-1"]) == DONE
    assert capsys.readouterr().out == conservation_laws(library.get("hidden-2-2-2-1")).to_text()
    assert main(["laws", "library:hidden-2-2-2-1", "--format", "json", "--degree", "3"]) == DONE
    data = json.loads(capsys.readouterr().out)
    assert (data["format"], data["count"], data["degree"]) == ("symfiber-laws/1", 4, 3)
    assert data["symmetries"][-1]["refutation"] == {
        "form": ["b1_0", "W2_0_0", "b2_0"],
        "polynomial": "-1",
        "value": "-1",
    }
    target = tmp_path / "laws.tex"
    assert main(["laws", "library:hidden-2-2-2-1", "-o", str(target)]) == DONE
    written = target.read_text()
    assert written.startswith(r"\documentclass") and r"db^{(1)}_{0}\wedge dw^{(2)}_{0,0}\wedge db^{(2)}_{0}" in written
    assert written.count(r"\begin{") == written.count(r"\end{")
    assert main(["laws", "library:hidden-2-2-2-1", "--paths", "all"]) == DONE
    assert "all paths" in capsys.readouterr().out
    assert main(["laws", "library:hidden-2-2-2-1", "--degree", "0"]) == BAD_INPUT
    assert capsys.readouterr().err == "symfiber: degree must be a positive int, got 0\n"


@pytest.mark.parametrize("name", ["hidden-2-2-2-1", "two-linear-2-2-4-1", "constant-2-2-2-1"])
def test_display_formula_has_only_what_notebooks_typeset(name):
    laws = conservation_laws(library.get(name))
    shown = laws._repr_latex_()
    assert shown.startswith("$$") and shown.endswith("$$") and shown.count("$$") == 2
    assert set(re.findall(r"\\begin\{(\w+)\}", shown)) == {"array"}
    assert not re.search(r"\\(?:paragraph|item|raggedright|allowbreak)", shown)
    rows = shown.split("\\\\\n")
    assert len(rows) == 3 + len(laws.laws) + len(laws.non_integrable) and all(row.count("&") == 1 for row in rows)
