"""Conservation laws of gradient flow: the table of worked values, independent oracles, special points, reports."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from pathlib import Path

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import cells as oracle_cells
from oracle.functional_dimension import functional_dimension
from oracle.random_networks import hidden_neurons, random_network, row_types

import symfiber as sf
from symfiber import library
from symfiber.cli import BAD_INPUT, DONE, UNDECIDED, main
from symfiber.conservation import conservation_laws, flow_field, generic_conservation_laws, polynomial_conservation_laws
from symfiber.conservation.ansatz import parity_classes, polynomial_laws
from symfiber.conservation.brackets import BracketSpan, multiply_jets
from symfiber.conservation.closure import bracket
from symfiber.conservation.fields import PathFields, PolynomialFields, cell_fields
from symfiber.conservation.layout import make_layout
from symfiber.conservation.sparse import partial_derivatives, polynomial_from_sparse
from symfiber.conservation.verdict import judge
from symfiber.exact import Matrix, PolynomialRing, Rational
from symfiber.exact.modular import PRIMES, independent_rows, residue, suitable_prime

CASES = json.loads((Path(__file__).parent / "data" / "cases.json").read_text())["networks"]
NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "conservation_laws.ipynb"


def network_of(case):
    return sf.Network([(layer["weight"], layer["bias"]) for layer in case["network"]["layers"]])


def oracle_patterns(layers):
    return [pattern for pattern, _ in oracle_cells.cells(layers)]


def bottleneck(seed, bound=200):
    """A random bottleneck network, all row types and hidden ones among them."""
    rng = random.Random(seed)
    n1, n2, m = rng.randint(1, 3), rng.randint(1, 4), rng.randint(1, 3)
    d = rng.randint(n1, 4)
    kind = rng.choice(("any", "hidden", "free"))
    types, hidden = None, None
    if kind == "hidden":
        types, hidden = [rng.choice(("nonlinear", "dead")) for _ in range(n2)], rng.randrange(n1)
    elif kind == "free":
        types = [rng.choice(("linear", "nonlinear", "dead")) for _ in range(n2)]
    return random_network(rng, d, n1, n2, m, types=types, hidden=hidden, bound=bound)


def deep_network(seed, biased=True):
    rng = random.Random(seed)
    shape = [rng.randint(1, 2), *(rng.randint(1, 3) for _ in range(rng.randint(1, 3))), rng.randint(1, 2)]
    return [
        (
            [[Fraction(rng.randint(-9, 9)) for _ in range(before)] for _ in range(after)],
            [Fraction(rng.randint(-9, 9) if biased else 0) for _ in range(after)],
        )
        for before, after in zip(shape, shape[1:])
    ]


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
    if fiber.completeness == "proved" and linear <= 2:
        assert laws.explained_dimension == laws.fiber_dimension


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


# the parts


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_bracket_values_agree_with_expanded_brackets(depth):
    rng = random.Random(depth)
    layers = random_network(rng, 2, 2, 2, 1, types=["linear", "nonlinear"])
    layout = make_layout((2, 2, 2, 1))
    fields = cell_fields(layout, oracle_patterns(layers))
    point = [Rational(rng.randint(-9, 9), rng.randint(1, 5)) for _ in layout.names]
    span = BracketSpan.at(fields, point)
    ring = PolynomialRing(layout.names)
    count = len(fields.generators)
    for _ in range(4):
        keys = [rng.randrange(count) for _ in range(2 * depth)]
        word = tuple(((rng.randint(1, 5), keys[2 * i]), (rng.randint(1, 5), keys[2 * i + 1])) for i in range(depth))
        letters = []
        for letter in word:
            total = sum((polynomial_from_sparse(fields.polynomial(k), ring) * c for c, k in letter), ring.constant(0))
            letters.append(tuple(total.derivative(name) for name in layout.names))
        expanded = letters[-1]
        for left in reversed(letters[:-1]):
            expanded = bracket(left, expanded)
        assert span.value(word) == [residue(part(point), span.prime) for part in expanded]


def test_jets_multiply_like_nilpotent_polynomials():
    a, b = [3, 1, 4, 1], [2, 7, 1, 8]  # coefficients of 1, e, f, ef
    assert multiply_jets(a, b, 10**9) == [6, 2 + 21, 3 + 8, 3 * 8 + 1 * 1 + 4 * 7 + 1 * 2]


def test_ranks_modulo_primes():
    assert independent_rows([], 3, 7) == ()
    assert independent_rows([[0, 0], [0, 1], [0, 2], [3, 4]], 2, 101) == (1, 3)
    assert suitable_prime([Rational(1, PRIMES[0])]) == PRIMES[1]
    with pytest.raises(sf.InputError, match="denominator"):
        suitable_prime([Rational(1, prime) for prime in PRIMES])
    with pytest.raises(sf.InputError, match="denominator"):
        residue(Rational(1, 14), 7)


def test_a_denominator_divisible_by_the_first_prime_is_no_obstacle():
    net = sf.Network([([[Fraction(1, PRIMES[0])]], [1]), ([[2]], [3])])
    laws = conservation_laws(net)
    assert (laws.count, laws.certificate.prime, laws.verify()) == (1, PRIMES[1], True)


@pytest.mark.parametrize("biases", ["none", "hidden", "all", (False, True, False)])
def test_path_fields_list_exactly_the_paths(biases):
    layout = make_layout((2, 3, 2, 2), biases)
    fields = PathFields(layout)
    paths = list(fields.generator_keys())
    assert len(paths) == len(set(paths)) == fields.path_count
    span = BracketSpan.at(fields, [Rational(k + 1) for k in range(layout.size)])
    span.extend([(((1, path),),) for path in paths])
    some = BracketSpan.at(fields, span.point and [Rational(k + 1) for k in range(layout.size)])
    some.extend([(((1, path),),) for path in fields.spanning_keys(0)])
    assert span.dimension == some.dimension == layout.size - 5
    for _, j in ((1, 0), (2, 1)):
        scaling = {i: {(i,): 1} for i in layout.incoming(1, j)} | {i: {(i,): -1} for i in layout.outgoing(1, j)}
        assert fields.annihilated_by(scaling) and fields.explicit().annihilated_by(scaling)
        broken = {**scaling, layout.weight(3, 0, 0): {(layout.weight(3, 0, 0),): 1}}
        assert not fields.annihilated_by(broken)
        assert not fields.explicit().annihilated_by(broken)


@pytest.mark.parametrize("seed", range(15))
def test_the_span_of_the_selectors_is_the_span_over_all_cells(seed):
    """The rank at a random point of the reduced generators and of all coefficients on all cells, one by one."""
    layers = deep_network(seed)
    net = sf.Network(layers)
    patterns = oracle_patterns(layers)
    layout = make_layout(net.architecture)
    fields = cell_fields(layout, patterns)
    symbolic = sf.Network.symbolic(net.architecture)
    every = set()
    for pattern in patterns:
        weight, bias = symbolic.affine_map(pattern)
        every.update(symbolic.ring.coerce(x) for x in (*(x for row in weight for x in row), *bias))
    ring = symbolic.ring
    ours = [polynomial_from_sparse(p, ring) for p in fields.generators]
    monomials = sorted({e for p in (*ours, *every) for e in p.terms()})
    rows = [[p.terms().get(e, 0) for e in monomials] for p in ours]
    others = [[p.terms().get(e, 0) for e in monomials] for p in every]
    rank = Matrix(rows, len(monomials)).rank()
    assert rank == len(ours) == Matrix(others, len(monomials)).rank() == Matrix(rows + others, len(monomials)).rank()


def dense_law_count(fields, degree):
    """The dimension of the space of laws without splitting into parities: one big exact nullspace."""
    variables = sorted(fields.seen)
    monomials = [m for size in range(1, degree + 1) for m in combinations_with_replacement(variables, size)]
    equations = {}
    for place, monomial in enumerate(monomials):
        for key, value in fields.derivatives_along(partial_derivatives({monomial: 1})).items():
            equations.setdefault(key, [0] * len(monomials))[place] = value
    return len(monomials) - Matrix(list(equations.values()), len(monomials)).rank()


@pytest.mark.parametrize(
    ("shape", "degree", "activation"), [((2, 2, 1), 3, "linear"), ((2, 2, 2), 2, "linear"), ((1, 2, 2, 1), 2, "relu")]
)
def test_parity_blocks_lose_no_law(shape, degree, activation):
    layout = make_layout(shape, "none")
    patterns = [tuple((True,) * width for width in shape[1:-1])]
    if activation == "relu":
        patterns += [((True, False), (True, True)), ((True, True), (False, True))]
    fields = cell_fields(layout, patterns)
    found = list(polynomial_laws(fields, degree))
    assert len(found) == dense_law_count(fields, degree)
    assert all(fields.annihilated_by(partial_derivatives(q)) for q in found)
    blocks = parity_classes(fields.generators, sorted(fields.seen), degree)
    assert sum(map(len, blocks)) == len({m for block in blocks for m in block})


def test_the_general_ansatz_finds_the_scalings_of_all_paths_and_nothing_else():
    fields = PathFields(make_layout((3, 4, 2), "hidden"))
    assert len(list(polynomial_laws(fields, 2))) == 4


def test_flow_field_is_the_exact_derivative_of_the_loss():
    layers = [([[1, 2], [-3, 1]], [1, 2]), ([[2, -1], [1, 1]], [-1, 3]), ([[1, 2]], [4])]
    inputs, targets = [[3, 1], [-2, 5], [1, -1]], [[1], [2], [-3]]

    def loss(parameters):
        net = sf.Network.from_parameters((2, 2, 2, 1), parameters)
        return sum((net(x)[0] - y[0]) ** 2 for x, y in zip(inputs, targets)) / 2

    net = sf.Network(layers)
    velocity = flow_field(net, inputs, targets)
    step = Fraction(1, 10**6)  # L is quadratic in every single parameter inside the cells: differences are exact
    for place, value in enumerate(velocity):
        ahead, behind = list(net.parameters), list(net.parameters)
        ahead[place], behind[place] = ahead[place] + Rational(1, 10**6), behind[place] - Rational(1, 10**6)
        assert -(loss(ahead) - loss(behind)) / (2 * step) == Fraction(int(value.p), int(value.q))


def test_flow_field_without_activation_and_biases():
    net = sf.Network([([[1, -2], [3, -1]], [0, 0]), ([[2, -1]], [0])])
    laws = conservation_laws(net, activation="linear", biases="none")
    velocity = flow_field(net, [[1, 3], [2, -5]], [[1], [7]], activation="linear", biases="none")
    assert len(velocity) == laws.parameter_count == 6
    assert any(velocity) and not any(laws.rates(velocity))
    relu = flow_field(net, [[1, 3], [2, -5]], [[1], [7]], biases="none")
    assert any(laws.rates(relu))  # the balance of two neurons is no law once a ReLU separates them


# special points, other kinds of proof


def linear_laws(first, second):
    net = sf.Network([(first, [0] * len(first)), (second, [0] * len(second))])
    return conservation_laws(net, activation="linear", biases="none")


@pytest.mark.parametrize(
    ("first", "second", "count", "regular"),
    [
        ([[1, 2], [0, 0]], [[3, 0], [4, 0]], 5, False),  # one of two neurons is zero
        ([[0, 0], [0, 0]], [[0, 0], [0, 0]], 8, False),  # an equilibrium
        ([[1, 2], [1, 2]], [[3, 3], [4, 4]], 5, False),  # two equal neurons
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]], 3, True),  # balanced, but regular
        ([[1, 2], [2, 4]], [[3, 1], [4, 4]], 3, True),  # a factor of rank one, but regular
    ],
)
def test_special_parameters(first, second, count, regular):
    laws = linear_laws(first, second)
    assert (laws.count, laws.generic_count, laws.regular) == (count, 3, regular)
    assert len(laws.laws) == 3
    assert laws.certificate.reason == ("laws" if regular else "invariant subspace")
    assert laws.verify()


def test_dimension_at_special_points_is_that_of_the_lie_algebra():
    """Two 2 × 2 factors: all fields are linear, so the Lie algebra is finite and its value at θ can be listed."""
    ring = PolynomialRing([f"x{i}" for i in range(8)])
    x = ring.generators
    products = [
        x[0] * x[4] + x[1] * x[6],
        x[0] * x[5] + x[1] * x[7],
        x[2] * x[4] + x[3] * x[6],
        x[2] * x[5] + x[3] * x[7],
    ]
    basis = [tuple(p.derivative(name) for name in ring.names) for p in products]

    def flat(field):
        return [part.derivative(name).constant_value() for part in field for name in ring.names]

    while True:
        rank = Matrix([flat(f) for f in basis]).rank()
        larger = [*basis, *(bracket(f, g) for f, g in combinations(basis, 2))]
        pivots = Matrix([flat(f) for f in larger]).transpose().row_echelon()[1]
        if len(pivots) == rank:
            break
        basis = [larger[i] for i in pivots]
    assert len(basis) == 6
    for point in [
        (1, 0, 2, 0, 3, 4, 0, 0),
        (0,) * 8,
        (1, 1, 2, 2, 3, 4, 3, 4),
        (1, 2, 3, 4, 5, 6, 7, 9),
        (1, 2, 2, 4, 1, 0, 0, 3),
    ]:
        values = tuple(map(Rational, point))
        expected = 8 - Matrix([[part(values) for part in f] for f in basis]).rank()
        assert polynomial_conservation_laws(products, point).count == expected


def test_laws_that_are_not_polynomial_are_counted_by_a_closed_module():
    ring = PolynomialRing(("x", "y"))
    x, y = ring.generators
    laws = polynomial_conservation_laws([x**2 + y**2], (1, 2))  # y/x is constant, no polynomial is
    assert (laws.count, laws.potentials, laws.certificate.reason, laws.regular) == (1, (), "closed module", True)
    assert laws.verify()
    centre = polynomial_conservation_laws([x**2 + y**2], (0, 0))
    assert (centre.count, centre.generic_count, centre.regular) == (2, 1, False) or centre.count == 2


def test_a_higher_degree_finds_more_laws():
    ring = PolynomialRing(("x", "y"))
    x, y = ring.generators
    cubic = [x**2 + 3 * y**2]  # y/x^3 is constant; nothing polynomial
    assert polynomial_conservation_laws(cubic, (1, 1)).count == 1
    hyperbola = [x**2 - 2 * y**2]  # x^2 y is constant
    assert polynomial_conservation_laws(hyperbola, (1, 1), degree=2).potentials == ()
    assert polynomial_conservation_laws(hyperbola, (1, 1), degree=3).potentials == (x**2 * y,)


def test_undecided_carries_both_bounds():
    net = library.get("hidden-2-2-2-1")
    with pytest.raises(sf.UndecidedError, match="between 4 and 5") as caught:
        conservation_laws(net, depth=1)
    assert (caught.value.known["lower"], caught.value.known["upper"]) == (4, 5)
    assert conservation_laws(net, depth=2).count == 4


def test_verify_refuses_what_is_wrong():
    laws = conservation_laws(library.get("hidden-2-2-2-1"))
    wrong = replace(laws.laws[0], polynomial=laws.laws[0].polynomial + laws.ring.generator("b1_0"))
    with pytest.raises(sf.VerificationError, match="scaling of neuron 0 in layer 1"):
        replace(laws, laws=(wrong, *laws.laws[1:])).verify()
    with pytest.raises(sf.VerificationError, match="upper bound"):
        replace(laws, laws=laws.laws[1:]).verify()
    word = laws.certificate.words[0]
    doubled = replace(laws.certificate, words=(word, *laws.certificate.words[:-1], word))
    with pytest.raises(sf.VerificationError, match="independent"):
        replace(laws, certificate=doubled).verify()


def test_networks_without_a_hidden_layer_or_with_one():
    affine = conservation_laws(sf.Network([([[1, 2]], [3])]))
    assert (affine.count, affine.fiber_dimension, affine.laws) == (0, 0, ())
    assert "laws 0" in str(affine)
    one = conservation_laws(sf.Network([([[1, 2], [3, -1], [0, 0]], [1, 1, -1]), ([[1, 2, 3]], [0])]))
    assert (one.count, one.fiber_dimension) == (2 + 4, 6)  # the third neuron is dead: four unseen parameters
    dead = conservation_laws(sf.Network([([[0]], [-1]), ([[5]], [0])]))
    assert (dead.count, dead.kinds if hasattr(dead, "kinds") else len(dead.laws)) == (3, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"paths": "some"}, "paths must be one of"),
        ({"activation": "tanh"}, "activation must be one of"),
        ({"biases": "some"}, "biases must be"),
        ({"biases": (True,)}, "3 bools"),
        ({"biases": "none"}, "layer 1 is declared to have no bias"),
        ({"degree": 0}, "degree must be a positive int"),
        ({"depth": True}, "depth must be a positive int"),
        ({"patterns": []}, "at least one activation pattern"),
        ({"patterns": [((True,), (True, True))]}, "activation pattern must have widths"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(sf.InputError, match=message):
        conservation_laws(library.get("hidden-2-2-2-1"), **options)


def test_bad_arguments():
    laws = conservation_laws(library.get("hidden-2-2-2-1"))
    ring = PolynomialRing(("x",))
    for call in (
        lambda: conservation_laws("net"),
        lambda: laws.rates([1, 2]),
        lambda: laws.time_derivatives(4),
        lambda: polynomial_conservation_laws([], ()),
        lambda: polynomial_conservation_laws([ring.generators[0]], (1, 2)),
        lambda: flow_field(library.get("hidden-2-2-2-1"), [[1, 2]], []),
        lambda: flow_field(library.get("hidden-2-2-2-1"), [[1]], [[1]]),
        lambda: generic_conservation_laws((3,)),
    ):
        with pytest.raises(sf.InputError):
            call()
    with pytest.raises(sf.UnsupportedError, match="network of numbers"):
        conservation_laws(sf.Network.symbolic((1, 1, 1)))
    with pytest.raises(TypeError, match="exact"):
        laws.rates([0.5] * 15)


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
    assert UNDECIDED == 3


def test_notebook_runs_and_is_stored_without_outputs():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(NOTEBOOK, 4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert any("image/png" in output.get("data", {}) for cell in code for output in cell.outputs)


def test_polynomial_fields_know_what_they_see():
    fields = PolynomialFields(("x", "y", "z"), ({(0, 0): 1},))
    assert fields.seen == {0}
    assert fields.derivatives_along({0: {(0,): 1}}) == {(0, (0, 0)): 2}
