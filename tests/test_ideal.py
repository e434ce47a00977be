"""Gröbner bases against SymPy, elimination on grids, Krull dimension against one basis and against arrangements."""

from __future__ import annotations

import random
from itertools import combinations, product
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import arrangements

import symfiber as sf
from symfiber.exact import Polynomial, PolynomialRing, Rational
from symfiber.exact.conditions import Conditions
from symfiber.exact.groebner import groebner_basis
from symfiber.exact.ideal import krull_dimension, monomial_dimension
from symfiber.exact.knowledge import NONZERO, SignKnowledge, factorization
from symfiber.exact.parsing import polynomial_to_sympy

R = PolynomialRing(("x", "y", "z"))
x, y, z = R.generators
ONE = R.constant(1)


@st.composite
def polynomials(draw: Any, degree: int = 2) -> Polynomial:
    monomials = [m for m in product(range(degree + 1), repeat=3) if sum(m) <= degree]
    chosen = draw(st.lists(st.sampled_from(monomials), min_size=1, max_size=4, unique=True))
    return R.from_terms({m: draw(st.integers(-3, 3)) for m in chosen})


def random_polynomial(rng: random.Random) -> Polynomial:
    """Products of linear forms, shifted products and sparse polynomials: much that factors, little that is generic."""

    def linear() -> Polynomial:
        first, second = rng.choice(R.generators), rng.choice(R.generators)
        return rng.choice([first, first + rng.randint(-2, 2), first - second * rng.randint(-1, 1)])

    kind = rng.random()
    if kind < 0.45:
        result = linear()
        for _ in range(rng.randint(0, 2)):
            result = result * linear()
        return result
    if kind < 0.75:
        return linear() * linear() + rng.randint(-2, 2)
    terms = [tuple(rng.randint(0, 2) if rng.random() < 0.5 else 0 for _ in range(3)) for _ in range(3)]
    return sum((R.from_terms({t: rng.randint(-2, 2)}) for t in terms), R.constant(0))


class TestGroebner:
    @settings(max_examples=80, deadline=None)
    @given(st.lists(polynomials(), min_size=1, max_size=4))
    def test_reduced_basis_is_that_of_sympy(self, generators: list[Polynomial]) -> None:
        ours = groebner_basis(generators, cofactors=True)
        assert ours.verify()
        symbols = sympy.symbols("x y z")
        theirs = sympy.groebner([polynomial_to_sympy(p) for p in generators], *symbols, order="grevlex")
        monic = {sympy.Poly(e, *symbols).monic() for e in theirs.exprs if e != 0}
        assert {sympy.Poly(polynomial_to_sympy(p), *symbols).monic() for p in ours.basis} == monic

    @settings(max_examples=40, deadline=None)
    @given(st.lists(polynomials(), min_size=1, max_size=3), st.lists(polynomials(1), min_size=3, max_size=3))
    def test_members_reduce_to_zero(self, generators: list[Polynomial], factors: list[Polynomial]) -> None:
        basis = groebner_basis(generators)
        member = sum((f * g for f, g in zip(factors, generators)), R.constant(0))
        assert basis.contains(member) and not basis.reduce(member)
        assert basis.reduce(basis.reduce(x * y + z)) == basis.reduce(x * y + z)

    def test_edges(self) -> None:
        assert groebner_basis([], R).basis == () and groebner_basis([R.constant(0)]).basis == ()
        assert groebner_basis([x, x - 1]).is_unit and groebner_basis([x, x - 1]).basis == (ONE,)
        with pytest.raises(sf.InputError, match="ring"):
            groebner_basis([])
        with pytest.raises(sf.InputError, match="one ring"):
            groebner_basis([x, PolynomialRing(("t",)).generators[0]])
        hard = [x**2 + y * z - 1, y**2 + x * z - 2, z**2 + x * y - 3]
        with pytest.raises(sf.LimitExceededError, match="S-polynomials"):
            groebner_basis(hard, pair_limit=1)
        with pytest.raises(sf.LimitExceededError, match="terms"):
            groebner_basis(hard, work_limit=3)

    def test_wrong_bases_do_not_verify(self) -> None:
        good = groebner_basis([x * y - 1, x**2 - y], cofactors=True)
        assert good.cofactors is not None
        for bad in (
            type(good)(R, good.generators, good.basis[:2], good.leading[:2]),
            type(good)(R, (z,), good.basis, good.leading),
            type(good)(R, good.generators, good.basis, good.leading, good.cofactors[::-1]),
        ):
            with pytest.raises(sf.VerificationError):
                bad.verify()


class TestKrull:
    @pytest.mark.parametrize(
        ("equations", "nonzero", "expected"),
        [
            ([], [], 3),
            ([ONE], [], -1),
            ([R.constant(0)], [], 3),
            ([], [R.constant(0)], -1),
            ([x**2 + y**2], [], 2),
            ([x**2 + 1], [], 2),
            ([x * y], [], 2),
            ([x * z, y * z], [], 2),
            ([x * z, y * z], [z], 1),
            ([x * z, y * z], [x, z], -1),
            ([x**2 - y**2 * z], [], 2),
            ([x - 1, y * x - 2, z - x * y], [], 0),
            ([x * y - z, x * y - z + 1], [], -1),
            ([x * y, y * z, z * x], [], 1),
            ([x**3 - x * y**2], [], 2),
            ([(x - y) * (x - z), (x - y) * (y - z)], [], 2),
            ([(x - y) * (x - z), (x - y) * (y - z)], [x - y], -1),
            ([x * y * z - 1], [], 2),
            # Over the complex numbers an equation says nothing about signs.
            ([z**2 + z], [z], 2),
            ([z**2 + z, x, y], [z], 0),
            ([x * y - 2, x**2 + x], [], 1),
            ([x * y - 1, x * y**2 + y], [], -1),
            ([x * y - 1, y**2 + y], [], 1),
            ([x**2 + 1, y**2 + x * y], [y], 1),
        ],
    )
    def test_pins(self, equations: Any, nonzero: Any, expected: int) -> None:
        found = krull_dimension(equations, R, nonzero)
        assert found.value == expected and found.verify()

    @pytest.mark.parametrize("seed", range(4))
    def test_splitting_agrees_with_one_basis(self, seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(400):
            equations = [random_polynomial(rng) for _ in range(rng.randint(1, 3))]
            nonzero = [random_polynomial(rng) for _ in range(rng.randint(0, 2))]
            assert krull_dimension(equations, R, nonzero).verify(), (seed, equations, nonzero)

    @pytest.mark.parametrize("seed", range(3))
    def test_products_of_linear_forms(self, seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(250):
            forms = [tuple(rng.randint(-1, 1) for _ in range(4)) for _ in range(4)]
            if not all(any(f[:-1]) for f in forms):
                continue
            groups = [[random_product(rng) for _ in range(rng.randint(0, 3))] for _ in range(2)]
            expected = arrangements.krull_dimension(forms, *groups)
            polynomials = [[polynomial_of(forms, p) for p in group] for group in groups]
            assert krull_dimension(polynomials[0], R, polynomials[1]).value == expected, (forms, groups)

    def test_determinantal(self) -> None:
        ring = PolynomialRing(f"a{i}{j}" for i in range(3) for j in range(3))
        a = [ring.generators[3 * i : 3 * i + 3] for i in range(3)]
        minors = [a[0][i] * a[1][j] - a[0][j] * a[1][i] for i, j in combinations(range(3), 2)]
        assert krull_dimension(minors).value == 7 and krull_dimension(minors).verify()
        determinant = sum(
            (a[0][i] * (a[1][i - 2] * a[2][i - 1] - a[1][i - 1] * a[2][i - 2]) for i in range(3)), ring.constant(0)
        )
        assert krull_dimension([determinant]).value == 8

    @given(st.lists(st.lists(st.integers(0, 2), min_size=5, max_size=5), max_size=6))
    def test_monomial_ideals(self, monomials: list[list[int]]) -> None:
        supports = [{i for i, e in enumerate(m) if e} for m in monomials]
        chosen = [set(u) for k in range(6) for u in combinations(range(5), k)]
        sizes = [len(u) for u in chosen if not any(s <= u for s in supports)]
        assert monomial_dimension(monomials, 5) == max(sizes, default=-1)

    def test_refusals(self) -> None:
        with pytest.raises(sf.InputError, match="ring"):
            krull_dimension([])
        with pytest.raises(sf.InputError, match="method"):
            krull_dimension([x], method="magic")
        with pytest.raises(sf.InputError, match="one ring"):
            krull_dimension([x], PolynomialRing(("t",)))


def random_product(rng: random.Random) -> arrangements.Product:
    indices = rng.sample(range(4), rng.randint(1, 2))
    return rng.choice((-1, 1, 2)), tuple((i, rng.choice((1, 1, 1, 2))) for i in indices)


def polynomial_of(forms: Any, condition: arrangements.Product) -> Polynomial:
    result = R.constant(condition[0])
    for index, power in condition[1]:
        *slopes, constant = forms[index]
        result = result * (sum((g * a for g, a in zip(R.generators, slopes)), R.constant(0)) + constant) ** power
    return result


class TestConditions:
    @pytest.mark.parametrize("seed", range(4))
    def test_reduced_systems_have_the_same_points(self, seed: int) -> None:
        rng = random.Random(seed)
        grid = [tuple(Rational(rng.randint(-4, 4), rng.choice((1, 2))) for _ in range(3)) for _ in range(150)]
        for _ in range(300):
            groups = [[random_polynomial(rng) for _ in range(rng.randint(0, n))] for n in (2, 3, 3)]
            original = Conditions(R, *groups)
            normal, reduced = original.copy(), original.copy()
            normal.normalize()
            reduced.eliminate()
            for point in grid:
                inside = holds(original, point)
                assert holds(normal, point) == inside, (groups, point)
                values = {n: v for n, v in zip(R.names, point) if n in reduced.variables}
                lifted = None if reduced.contradiction else reduced.lift(values)
                if inside:
                    assert lifted == point and holds(reduced, point), (groups, point)
                elif lifted is not None and holds(reduced, lifted):
                    assert holds(original, lifted), (groups, point)

    @pytest.mark.parametrize(("seed", "size"), [(1, 1), (2, 1), (1, 2)])
    def test_every_cell_in_one_and_two_variables(self, seed: int, size: int) -> None:
        """All roots are small integers, so a grid meets every cell: here conditions often imply each other."""
        rng = random.Random(seed)
        ring = PolynomialRing(("x", "y")[:size])
        steps = [Rational(i, 4) for i in range(-14, 15)] if size == 1 else [Rational(i, 2) for i in range(-6, 7)]
        grid = list(product(steps, repeat=size))

        def polynomial() -> Polynomial:
            result = ring.constant(rng.choice((1, 1, -1)))
            for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
                v, w = rng.choice(ring.generators), rng.choice(ring.generators)
                result = result * rng.choice([v - rng.randint(-2, 2), v, v - w * rng.choice((-1, 1, 2)) + 1])
            return result + rng.choice((0, 0, 0, rng.randint(-2, 2)))

        for _ in range(3000 if size == 1 else 600):
            groups = [[polynomial() for _ in range(rng.randint(0, n))] for n in (1, 2, 3)]
            original = Conditions(ring, *groups)
            normal = original.copy()
            normal.normalize()
            for point in grid:
                assert holds(normal, point) == holds(original, point), (groups, point)

    @pytest.mark.parametrize(
        ("groups", "inside", "outside"),
        [
            # A condition must not be dropped because of a sign that only it gives.
            (([z**2 - z - 2], [], [z - 1]), 2, -1),
            (([z**2 - z - 2], [2 * z**2 + z], [z - 1]), 2, -1),
            (([z**2 + z - 2], [z**3 - z**2 + 13], [-z - 1]), -2, 1),
        ],
    )
    def test_no_circular_conclusions(self, groups: Any, inside: int, outside: int) -> None:
        system = Conditions(R, *groups)
        system.normalize()
        for value, expected in ((inside, True), (outside, False)):
            assert holds(system, (Rational(0), Rational(0), Rational(value))) == expected

    @given(polynomials(), polynomials(), st.lists(st.integers(-3, 3), min_size=3, max_size=3))
    def test_known_signs_hold(self, p: Polynomial, q: Polynomial, point: list[int]) -> None:
        values = tuple(map(Rational, point))
        facts = [f for f in (p, x, y - 1) if f(values) > 0] + [-f for f in (p, x, y - 1) if f(values) < 0]
        known = SignKnowledge(positive=facts).sign(q * p)
        value = (q * p)(values)
        if known is not None:
            assert (value != 0) if known == NONZERO else (value > 0) - (value < 0) == known

    def test_no_signs_over_the_complex_numbers(self) -> None:
        known = SignKnowledge(positive=[x, -y], real=False)
        assert set(known.signs.values()) == {NONZERO} and known.sign(x**2 + 1) is None and known.sign(x * y) == NONZERO

    @given(polynomials(), polynomials())
    def test_factorization(self, p: Polynomial, q: Polynomial) -> None:
        constant, factors = factorization(p * q)
        result = R.constant(constant)
        for factor, power in factors:
            result = result * factor**power
        assert result == p * q


def holds(system: Conditions, point: Any) -> bool:
    return (
        system.contradiction is None
        and all(not e(point) for e in system.equations)
        and all(p(point) > 0 for p in system.positive)
        and all(q(point) >= 0 for q in system.nonnegative)
        and all(f(point) != 0 for f in system.nonzero)
    )
