"""Round trips through SymPy and z3, the texts for other systems, and refusals of bad formulas."""

from __future__ import annotations

import random
import shutil
import subprocess
from fractions import Fraction

import pytest
import sympy
import z3

import symfiber as sf
from symfiber import library
from symfiber.exact import PolynomialRing
from symfiber.exact.ideal import krull_dimension
from symfiber.export import from_sympy, to_macaulay2, to_mathematica, to_sage, to_singular, to_smtlib, to_sympy
from symfiber.semialgebraic import BasicSet, Union

R = PolynomialRing(("x", "y"))
x, y = R.generators
SETS = [
    BasicSet(R, [x**2 + y**2 - 1], [x], [2 * y - 1]),
    BasicSet(R, [], [x - y], [x + 3 * y - 2]),
    BasicSet(R, [x * y * 7 - 3 * x**3]),
    BasicSet.everything(R),
    BasicSet.nothing(R),
    Union(R, [BasicSet(R, [], [x * y]), BasicSet(R, [x, y])]),
    Union(R, []),
]


def points() -> list[tuple[Fraction, Fraction]]:
    rng = random.Random(3)
    special = [(Fraction(3, 5), Fraction(4, 5)), (Fraction(0), Fraction(0)), (Fraction(1), Fraction(3, 7))]
    return special + [(Fraction(rng.randint(-6, 6), 3), Fraction(rng.randint(-6, 6), 3)) for _ in range(40)]


@pytest.mark.parametrize("value", SETS)
def test_sympy_round_trip(value: BasicSet | Union) -> None:
    back = from_sympy(to_sympy(value), R)
    formula = to_sympy(value)
    X, Y = sympy.symbols("x y")
    for p in points():
        assert back.contains(p) == value.contains(p)
        numbers = {X: sympy.Rational(*p[0].as_integer_ratio()), Y: sympy.Rational(*p[1].as_integer_ratio())}
        assert bool(formula.subs(numbers)) == value.contains(p)
    if isinstance(value, BasicSet):
        assert back == value


@pytest.mark.parametrize("value", SETS)
def test_smtlib_is_read_by_z3(value: BasicSet | Union) -> None:
    (assertion,) = z3.parse_smt2_string(to_smtlib(value))
    X, Y = z3.Reals("x y")
    for p in points():
        numbers = [(X, z3.RealVal(str(p[0]))), (Y, z3.RealVal(str(p[1])))]
        assert z3.is_true(z3.simplify(z3.substitute(assertion, numbers))) == value.contains(p)


def test_smtlib_logics() -> None:
    assert "QF_LRA" in to_smtlib(SETS[1]) and "QF_NRA" in to_smtlib(SETS[0])
    assert "QF_UF" in to_smtlib(SETS[1], logic="QF_UF") and "(get-model)" in to_smtlib(SETS[1], model=True)


def test_component_exports() -> None:
    component = sf.fiber(library.get("hidden-2-2-2-1")).home
    (piece,) = component.set.pieces
    solver = z3.Solver()
    solver.from_string(to_smtlib(piece))
    member = component.sample(1).parameters
    for name, value in zip(piece.ring.names, member):
        solver.add(z3.Real(name) == z3.RealVal(str(value)))
    assert solver.check() == z3.sat
    assert from_sympy(to_sympy(piece), piece.ring) == piece
    for text in (to_singular(piece), to_macaulay2(piece), to_sage(piece), to_mathematica(piece)):
        assert text.count("^2") == sum(str(p).count("^2") for p, _ in piece.conditions())
    names = to_macaulay2(piece)
    assert "_" not in names.splitlines()[1] and "x15" in names
    assert "_" not in to_mathematica(piece) and "W2$0$0" in to_mathematica(piece)


def test_sage_text_is_python() -> None:
    text = to_sage(SETS[0]).replace("^", "**")
    X, Y = sympy.symbols("x y")

    class FakeRing:
        def inject_variables(self) -> None: ...

        def ideal(self, generators: list[sympy.Expr]) -> list[sympy.Expr]:
            return generators

    space = {"PolynomialRing": lambda *a, **k: FakeRing(), "QQ": None, "x": X, "y": Y}
    exec(text, space)
    assert space["I"] == [X**2 + Y**2 - 1] and space["positive"] == [X] and space["nonnegative"] == [2 * Y - 1]


@pytest.mark.skipif(shutil.which("Singular") is None, reason="Singular is not installed")
def test_singular_agrees_on_dimensions() -> None:
    for name in ("two-linear-2-2-4-1", "dead-2-2-3-1", "hidden-single-3-3-1-1", "five-free-2-2-5-2"):
        for component in sf.fiber(library.get(name)).components:
            for piece in component.set.pieces:
                code = to_singular(piece) + "print(dim(std(I)));\nquit;\n"
                done = subprocess.run(["Singular", "-q"], input=code, capture_output=True, text=True, timeout=60)
                assert int(done.stdout.split()[-1]) == krull_dimension(piece.equations, piece.ring).value


class TestRefusals:
    X, Y, W = sympy.symbols("x y w")

    @pytest.mark.parametrize(
        ("formula", "words"),
        [
            (sympy.sin(X) > 0, "polynomial"),
            (X**-1 > 0, "polynomial"),
            (W > 0, "'w'"),
            (X**100_000 > 0, "exponents up to 1000"),
            (X + Y, "relation"),
            (sympy.Symbol("p"), "And, Or, Not"),
            (sympy.sqrt(2) * X > 1, "rational"),
            (X / Y > 0, "polynomial"),
        ],
    )
    def test_one_clear_error(self, formula: object, words: str) -> None:
        with pytest.raises(sf.InputError, match=words):
            from_sympy(formula, R)

    def test_floats(self) -> None:
        with pytest.raises(sf.ExactnessError, match="float"):
            from_sympy(self.X > 0.5, R)

    def test_other_systems_take_one_piece(self) -> None:
        for write in (to_singular, to_macaulay2, to_sage):
            with pytest.raises(sf.InputError, match="BasicSet"):
                write(SETS[5])

    def test_negations_and_defaults(self) -> None:
        left = from_sympy(~((self.X > 0) & sympy.Ne(self.Y, 1)))
        assert left.contains([0, 5]) and left.contains([3, 1]) and not left.contains([3, 2])
        assert from_sympy(True, R) == BasicSet.everything(R) and from_sympy(sympy.false, R) == BasicSet.nothing(R)
