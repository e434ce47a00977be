"""The parts of the conservation laws: brackets, spans, ansatz, flow, special points, refusals."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import pytest
from law_networks import deep_network, linear_laws, oracle_patterns
from oracle.random_networks import random_network

import symfiber as sf
from symfiber import library
from symfiber.conservation import conservation_laws, flow_field, generic_conservation_laws, polynomial_conservation_laws
from symfiber.conservation.ansatz import parity_classes, polynomial_laws
from symfiber.conservation.brackets import BracketSpan, multiply_jets
from symfiber.conservation.closure import bracket
from symfiber.conservation.fields import PathFields, PolynomialFields, cell_fields
from symfiber.conservation.layout import make_layout
from symfiber.conservation.sparse import partial_derivatives, polynomial_from_sparse
from symfiber.exact import Matrix, PolynomialRing, Rational
from symfiber.exact.modular import PRIMES, independent_rows, residue, suitable_prime

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
    some = BracketSpan.at(fields, [Rational(k + 1) for k in range(layout.size)])
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
    inputs, targets = [[3, 1], [-2, 5], [2, -1]], [[1], [2], [-3]]

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
    relu = flow_field(net, [[1, 2], [2, -5]], [[1], [7]], biases="none")
    assert any(laws.rates(relu))  # the balance of two neurons is no law once a ReLU separates them


# special points, other kinds of proof


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
    assert (centre.count, centre.generic_count, centre.regular) == (2, 1, False)


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
    assert (dead.count, len(dead.laws)) == (3, 3)


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


def test_polynomial_fields_know_what_they_see():
    fields = PolynomialFields(("x", "y", "z"), ({(0, 0): 1},))
    assert fields.seen == {0}
    assert fields.derivatives_along({0: {(0,): 1}}) == {(0, (0, 0)): 2}
