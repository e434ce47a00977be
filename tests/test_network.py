"""Networks: construction, evaluation, shapes and messages."""

from __future__ import annotations

import pickle
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import fmpq, fmpz
from oracle import cells as oracle

import symfiber as sf
from symfiber.signs import sign_of


def random_network(rng: random.Random, shape: tuple[int, ...]) -> sf.Network:
    def entry() -> Fraction:
        return Fraction(rng.randint(-9, 9), rng.randint(1, 5))

    return sf.Network(
        [
            ([[entry() for _ in range(a)] for _ in range(b)], [entry() for _ in range(b)])
            for a, b in zip(shape, shape[1:])
        ]
    )


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (1, 1, 1), (2, 2, 2, 1), (3, 4, 2, 3, 2)])
def test_values_patterns_and_affine_maps(shape: tuple[int, ...]) -> None:
    rng = random.Random(len(shape))
    net = random_network(rng, shape)
    assert net.architecture == shape
    assert net.parameter_count == sum((a + 1) * b for a, b in zip(shape, shape[1:])) == len(net.parameters)
    layers = [([list(row) for row in weight], list(bias)) for weight, bias in net.layers]
    for _ in range(30):
        x = [Fraction(rng.randint(-20, 20), rng.randint(1, 4)) for _ in range(shape[0])]
        assert net(x) == tuple(oracle.evaluate(layers, x))
        assert all(type(value) is Fraction for value in net(x))
        alpha, beta = net.affine_map(net.activation_pattern(x))
        affine = [sum((a * fmpq(v.numerator, v.denominator) for a, v in zip(row, x)), b) for row, b in zip(alpha, beta)]
        assert [Fraction(int(v.p), int(v.q)) for v in affine] == list(net(x))
    assert sf.Network.from_parameters(shape, net.parameters) == net
    assert len(set(net.parameter_names)) == net.parameter_count


@pytest.mark.parametrize(
    "value",
    [
        3,
        Fraction(3),
        "3",
        "6/2",
        sympy.Integer(3),
        sympy.Rational(6, 2),
        fmpq(3),
        fmpz(3),
        np.int64(3),
        np.uint8(3),
        " +3 ",
    ],
)
def test_exact_entries(value: Any) -> None:
    assert sf.Network([([[value]], [0])]) == sf.Network([([[3]], [0])])


@pytest.mark.parametrize("value", [0.5, np.float64(0.5), np.float32(1.0), Decimal("0.5"), sympy.Float(0.5)])
def test_floats_never_enter_silently(value: Any) -> None:
    with pytest.raises(TypeError, match="from_floats"):
        sf.Network([([[value]], [0])])
    with pytest.raises(TypeError, match=r"layer 1 bias entry 0"):
        sf.Network([([[1]], [value])])


@pytest.mark.parametrize(
    ("layers", "words"),
    [
        ([], "at least one"),
        (3, "layers must be a sequence"),
        ("abc", "layers must be a sequence"),
        ([3], "layer 1 must be a sequence"),
        ([([[1]],)], "pair"),
        ([([1], [0])], "weight row 0"),
        ([([], [])], "at least one output"),
        ([([[]], [0])], "at least one output and one input"),
        ([([[1, 2], [3]], [0, 0])], "rows of length 2 .* row 1"),
        ([([[1, 2]], [0, 0])], "bias must have length 1"),
        ([([[1]], [0]), ([[1, 2]], [0])], r"layer 2 weight .* width of layer 1\), got length 2"),
        ([([[True]], [0])], "truth value"),
        ([([[None]], [0])], "NoneType"),
        ([([["x"]], [0])], "rational number"),
        ([([["1/0"]], [0])], "nonzero denominator"),
        ([([["0.5"]], [0])], "rational number"),
        ([([["1e3"]], [0])], "rational number"),
        ([([["٣"]], [0])], "rational number"),
        ([([[1j]], [0])], "complex"),
        ([([[float("nan")]], [0])], "exact"),
    ],
)
def test_bad_layers(layers: Any, words: str) -> None:
    with pytest.raises(sf.InputError, match=words) as error:
        sf.Network(layers)
    assert "\n" not in str(error.value)


def test_huge_digits() -> None:
    text = "9" * 100_000
    net = sf.Network([([[text]], [f"-1/{text}"])])
    assert net([1])[0] == Fraction(int(fmpz(text)) ** 2 - 1, int(fmpz(text)))
    assert len(str(net)) < 400 and len(repr(net)) < 100


class TestFromFloats:
    def test_dyadic(self) -> None:
        net = sf.Network.from_floats([([[0.1, -3.0]], [1e-300])])
        assert net.layers[0] == (((Fraction(0.1), Fraction(-3)),), (Fraction(1e-300),))
        assert sf.Network.from_floats([(np.array([[0.1]], np.float32), np.array([2]))]).layers[0].bias == (2,)

    def test_rounding_on_request(self) -> None:
        net = sf.Network.from_floats([([[0.1, 2.26]], [-0.05])], denominators=10)
        assert net.layers[0].weight == ((Fraction(1, 10), Fraction(23, 10)),)

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
    def test_not_finite(self, value: float) -> None:
        with pytest.raises(sf.InputError, match=r"layer 1 weight entry \(0, 1\) must be a finite number"):
            sf.Network.from_floats([([[1.0, value]], [0.0])])

    @pytest.mark.parametrize("denominators", [0, -1, 2.5, "10"])
    def test_bad_denominators(self, denominators: Any) -> None:
        with pytest.raises(sf.InputError, match="denominators"):
            sf.Network.from_floats([([[1.0]], [0.0])], denominators=denominators)

    def test_not_numbers(self) -> None:
        for value in ("x", None, [1.0]):
            with pytest.raises(sf.InputError, match="number"):
                sf.Network.from_floats([([[value]], [0.0])])


class TestPoints:
    NET = sf.Network([([[1, 2]], [0])])

    @pytest.mark.parametrize(
        ("point", "words"),
        [([1], "2 coordinates"), ([1, 2, 3], "2 coordinates"), (5, "sequence"), ([1, "x"], "rational")],
    )
    def test_bad(self, point: Any, words: str) -> None:
        with pytest.raises(sf.InputError, match=words):
            self.NET(point)

    def test_float(self) -> None:
        with pytest.raises(TypeError):
            self.NET([0.5, 1])

    def test_pattern_widths(self) -> None:
        with pytest.raises(sf.InputError, match="widths"):
            self.NET.affine_map(((True,),))


class TestIdentity:
    def test_hash_equality_and_pickle(self) -> None:
        a = sf.Network([([[1, "1/2"]], [0]), ([[3]], [1])])
        b = sf.Network([([[1, Fraction(2, 4)]], ["0"]), ([["3/1"]], [1])])
        assert a == b and hash(a) == hash(b) and len({a, b}) == 1
        assert a != sf.Network([([[1, 1]], [0]), ([[3]], [1])]) and a != 3
        assert pickle.loads(pickle.dumps(a)) == a
        symbolic = sf.Network.symbolic((2, 1, 1, 1), signs=[["+", "-"]])
        again = pickle.loads(pickle.dumps(symbolic))
        assert again == symbolic and again.signs == symbolic.signs

    def test_inputs_are_copied(self) -> None:
        row = [1, 2]
        net = sf.Network([([row], [0])])
        row[0] = 9
        assert net([1, 0]) == (1,)


class TestSymbolic:
    def test_entries_and_affine_map(self) -> None:
        s, t = sympy.symbols("s t")
        net = sf.Network([([[s, t - 1]], [s * t]), ([[2]], [t**2])])
        assert net.is_symbolic and net.ring is not None and net.ring.names == ("s", "t")
        alpha, beta = net.affine_map(((True,),))
        assert str(alpha[0][1]) == "2*t - 2" and str(beta[0]) == "2*s*t + t^2"
        assert sf.Network([([["s", "t-1"]], ["s*t"]), ([[2]], ["t^2"])], symbols=["s", "t"]) == net

    def test_refusals(self) -> None:
        net = sf.Network.symbolic((1, 1, 1))
        for call in (lambda: net([1]), lambda: net.activation_pattern([1]), lambda: net.weight_matrix(1)):
            with pytest.raises(sf.UnsupportedError, match="network of numbers"):
                call()

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (((2,),), "architecture"),
            (((2, 0),), "architecture"),
            (((2, "3"),), "architecture"),
            (((2, 2, 1, 1), [[1, 1]]), "shape"),
            (((2, 2, 1, 1), [[1, 1, 2]]), "signs must be"),
            (((2, 2, 1, 1), ["+-?"]), "signs must be"),
            (((2, 2), [[1]]), "hidden layer"),
        ],
    )
    def test_bad_architecture_or_signs(self, arguments: Any, words: str) -> None:
        with pytest.raises(sf.InputError, match=words):
            sf.Network.symbolic(*arguments)

    @pytest.mark.parametrize(
        ("entry", "words"),
        [
            ("u", "one of the ring's"),
            ("s**t", "polynomial"),
            ("1/s", "polynomial"),
            ("s^-1", "polynomial"),
            ("s^99999999", "exponents"),
            ("0.5*s", "exact"),
            ("f(s)", "polynomial"),
            ("__import__('os')", "polynomial"),
            ("(" * 5000 + "s" + ")" * 5000, "polynomial"),
            ("", "polynomial"),
        ],
    )
    def test_bad_polynomials(self, entry: str, words: str) -> None:
        with pytest.raises(sf.InputError, match=words) as error:
            sf.Network([([[entry]], [0])], symbols=["s", "t"])
        assert len(str(error.value)) < 400

    @pytest.mark.parametrize(
        "expression", [sympy.sqrt(sympy.Symbol("s")), 1 / sympy.Symbol("s"), sympy.sin(sympy.Symbol("s"))]
    )
    def test_bad_sympy(self, expression: Any) -> None:
        with pytest.raises(sf.InputError, match="polynomial"):
            sf.Network([([[expression]], [0])])
        with pytest.raises(TypeError, match="exact"):
            sf.Network([([[sympy.Symbol("s") * sympy.Float(0.5)]], [0])])

    def test_signs(self) -> None:
        net = sf.Network.symbolic((2, 2, 1, 1), signs=[["+", "-", 0]])
        (a, b), bias = net.scalar_layers[1].weight[0], net.scalar_layers[1].bias[0]
        assert bias == 0
        assert [sign_of(x, net.signs) for x in (a, b, a * b, -a, a - b, b * b, a - a)] == [1, -1, -1, -1, 1, 1, 0]
        for undecided in (a + b, net.scalar_layers[0].weight[0][0]):
            with pytest.raises(sf.UndecidedError, match="sign of"):
                sign_of(undecided, net.signs)


class TestNothingPassesSilently:
    """Inputs that would have been cut, re-ordered, rounded or believed without a word."""

    NET = sf.Network([([[1, 2], [3, 4]], [1, 1]), ([[1, -1]], [1])])

    @pytest.mark.parametrize("point", [[1], [1, 2, 3], {1, 2}, {1: 2, 3: 4}, "12", None])
    def test_points(self, point: Any) -> None:
        for question in (self.NET, self.NET.activation_pattern):
            with pytest.raises(sf.InputError, match="point must"):
                question(point)

    @pytest.mark.parametrize(
        ("call", "words"),
        [
            (lambda: sf.Network([([{2, 1}], [1])]), "row 0 must be a sequence"),
            (lambda: sf.Network([(np.array(3), [1])]), "weight must be a sequence"),
            (lambda: sf.Network.symbolic(5), "architecture"),
            (lambda: sf.Network.symbolic(None), "architecture"),
            (lambda: sf.Network.symbolic((1, 1, 1), signs=5), "signs must be a sequence"),
            (lambda: sf.Network.symbolic((1, 1, 1), signs=[[[1], 1]]), "signs must be"),
            (lambda: sf.Network.from_parameters((1, 1), 5), "parameters must be a sequence"),
            (lambda: sf.Network([([["a"]], [1])], symbols="a"), "symbols must be a sequence"),
            (lambda: sf.Network([([["a"]], [1])], symbols=["a"], signs={"a": 2}), "sign of a must be 1 or -1"),
            (lambda: sf.Network([([["a"]], [1])], symbols=["a"], signs={"a": True}), "sign of a must be 1 or -1"),
            (lambda: sf.Network([([["a"]], [1])], symbols=["a"], signs={"b": 1}), "network's symbols"),
            (lambda: sf.Network([([["a"]], [1])], symbols=["a"], signs=5), "signs must map"),
            (lambda: sf.Network([([[1]], [1])], signs={"a": 1}), "network's symbols"),
            (lambda: sf.Network([([[sympy.pi * sympy.Symbol("x")]], [1])]), "rational coefficients"),
            (lambda: TestNothingPassesSilently.NET.weight_matrix(0), "layer 1..2"),
            (lambda: TestNothingPassesSilently.NET.weight_matrix(3), "layer 1..2"),
            (lambda: TestNothingPassesSilently.NET.affine_map(None), "activation pattern must be"),
            (lambda: TestNothingPassesSilently.NET.affine_map((3,)), "activation pattern entry must be"),
        ],
    )
    def test_refusals(self, call: Any, words: str) -> None:
        with pytest.raises(sf.InputError, match=words) as error:
            call()
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (2**53 + 1, Fraction(2**53 + 1)),
            (10**400, Fraction(10**400)),
            (Fraction(1, 3), Fraction(1, 3)),
            ("1/3", Fraction(1, 3)),
            (sympy.Rational(1, 3), Fraction(1, 3)),
            (Decimal("0.1"), Fraction(1, 10)),
            (np.longdouble(1) / 3, Fraction(*map(int, (np.longdouble(1) / 3).as_integer_ratio()))),
            (np.float16(0.1), Fraction(float(np.float16(0.1)))),
            (sympy.Float(0.1), Fraction(0.1)),
        ],
    )
    def test_from_floats_does_not_round(self, value: Any, expected: Fraction) -> None:
        """Numbers beside floats used to be pressed through a double."""
        assert sf.Network.from_floats([([[value]], [0.5])]).layers[0].weight == ((expected,),)

    @pytest.mark.parametrize("value", [True, "0.1", "nan", 1j, Decimal("nan"), np.longdouble("inf"), sympy.Symbol("x")])
    def test_from_floats_refuses(self, value: Any) -> None:
        with pytest.raises(sf.InputError, match="weight entry"):
            sf.Network.from_floats([([[value]], [0.5])])


@pytest.mark.parametrize(
    "question",
    [
        sf.is_identifiable,
        sf.hidden_hypersurfaces,
        sf.neuron_types,
        sf.check_generic,
        sf.canonical_form,
        sf.functional_dimension,
        sf.fiber,
        sf.conservation_laws,
        lambda net: list(sf.cells(net)),
        lambda net: sf.decide_equivalence(net, net),
    ],
)
def test_questions_need_a_network_of_numbers(question: Any) -> None:
    for bad in (None, 3, "net", [[1]]):
        with pytest.raises(sf.InputError, match="Network"):
            question(bad)
    with pytest.raises((sf.UnsupportedError, sf.UndecidedError)):
        question(sf.Network.symbolic((2, 2, 1, 1)))
