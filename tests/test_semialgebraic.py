"""Set operations, simplification, projection, closure: laws on random points, worked examples, refusals."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symfiber as sf
from symfiber import library
from symfiber.exact import Polynomial, PolynomialRing
from symfiber.exact.conditions import Conditions
from symfiber.semialgebraic import (
    BasicSet,
    RationalMap,
    Union,
    closure,
    preimage,
    product,
    project,
    rename,
    simplify,
)

R = PolynomialRing(("x", "y", "z"))
x, y, z = R.generators
LINE = PolynomialRing(("t",))
(t,) = LINE.generators
SMALL = st.integers(-3, 3)
MONOMIALS = [(a, b, c) for a in range(3) for b in range(3) for c in range(2) if a + b + c <= 2]


@st.composite
def polynomials(draw: Any) -> Polynomial:
    chosen = draw(st.lists(st.sampled_from(MONOMIALS), min_size=1, max_size=3))
    return R.from_terms({m: draw(SMALL) for m in chosen})


@st.composite
def basic_sets(draw: Any) -> BasicSet:
    lists = [draw(st.lists(polynomials(), max_size=n)) for n in (1, 2, 2)]
    return BasicSet(R, *lists)


POINTS = st.tuples(*[st.fractions(-2, 2, max_denominator=2)] * 3)


def grid() -> list[tuple[Fraction, ...]]:
    rng = random.Random(7)
    return [tuple(Fraction(rng.randint(-4, 4), 2) for _ in range(3)) for _ in range(60)]


class TestLaws:
    @given(basic_sets(), basic_sets(), basic_sets(), POINTS)
    def test_boolean_operations(self, a: BasicSet, b: BasicSet, c: BasicSet, p: Any) -> None:
        assert (a & b).contains(p) == (a.contains(p) and b.contains(p))
        assert (a | b).contains(p) == (a.contains(p) or b.contains(p))
        assert (~a).contains(p) != a.contains(p)
        # De Morgan and distributivity, on membership.
        assert (~(a | b)).contains(p) == (~a & ~b).contains(p)
        assert (~(a & b)).contains(p) == (~a | ~b).contains(p)
        assert ((a | b) & c).contains(p) == ((a & c) | (b & c)).contains(p)
        assert a & b == b & a and a | b == b | a and a & a == a

    @settings(max_examples=60, deadline=None)
    @given(basic_sets())
    def test_simplification_keeps_the_set(self, a: BasicSet) -> None:
        b = simplify(a)
        assert isinstance(b, BasicSet) and simplify(b) == b
        for p in grid():
            assert a.contains(p) == b.contains(p), (str(a), str(b), p)

    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(polynomials(), max_size=3), st.lists(polynomials(), max_size=2), st.lists(polynomials(), max_size=2)
    )
    def test_elimination_keeps_the_set(self, e: Any, p: Any, q: Any) -> None:
        system = Conditions(R, e, p, q)
        system.eliminate()
        full = BasicSet(R, e, p, q)
        rest = BasicSet(R, system.equations, [*system.positive, *(f * f for f in system.nonzero)], system.nonnegative)
        for point in grid():
            values = dict(zip(R.names, full_point(point)))
            lifted = None if system.contradiction else system.lift({n: values[n] for n in system.variables})
            if full.contains(point):
                # A point of the set satisfies the reduced conditions, and its other coordinates are determined.
                assert system.contradiction is None and lifted == full_point(point)
                assert rest.contains(point)
            elif lifted is not None and rest.contains(lifted):
                assert full.contains(lifted)


def full_point(point: Any) -> tuple[Any, ...]:
    from symfiber.exact import rational

    return tuple(map(rational, point))


class TestSimplify:
    @pytest.mark.parametrize(
        ("given_set", "expected"),
        [
            (BasicSet(R, [x * y], [x]), BasicSet(R, [y], [x])),
            (BasicSet(R, [], [x, -x]), BasicSet.nothing(R)),
            (BasicSet(R, [x**2 + 1]), BasicSet.nothing(R)),
            (BasicSet(R, [x * y - 1, x]), BasicSet.nothing(R)),
            (BasicSet(R, [], [], [x - y, y - x]), BasicSet(R, [x - y])),
            (BasicSet(R, [], [x], [x, x + 1]), BasicSet(R, [], [x])),
            (BasicSet(R, [], [], [-(x**2)]), BasicSet(R, [x])),
            (BasicSet(R, [(x - y) ** 2 * (x - y)]), BasicSet(R, [x - y])),
            (BasicSet(R, [x - 1], [], [x * y - y - z]), BasicSet(R, [x - 1], [], [-z])),
            (BasicSet(R, [], [], [x, 1 - x, 2 - x, x + y + 5, y]), BasicSet(R, [], [], [x, 1 - x, y])),
            (BasicSet(R, [], [x * y, y]), BasicSet(R, [], [x, y])),
            (BasicSet(R, [x + y, x - y]), BasicSet(R, [x, y])),
            (BasicSet(R, [], [x**2 + y**2 + 1]), BasicSet.everything(R)),
            (BasicSet(R, [], [-1 - x**2]), BasicSet.nothing(R)),
        ],
    )
    def test_worked(self, given_set: BasicSet, expected: BasicSet) -> None:
        assert simplify(given_set) == expected

    def test_unions_lose_empty_pieces(self) -> None:
        union = Union(R, [BasicSet(R, [x]), BasicSet(R, [], [x, -x]), BasicSet(R, [2 * x])])
        assert simplify(union) == Union(R, [BasicSet(R, [x])])

    def test_component_sets_stay_the_same_set(self) -> None:
        fiber = sf.fiber(library.get("one-linear-2-2-3-1"))
        for component in fiber.components:
            (piece,) = component.set.pieces
            short = simplify(piece)
            assert isinstance(short, BasicSet) and short != BasicSet.nothing(piece.ring)
            for seed in range(4):
                assert short.contains(component.sample(seed).parameters)
            others = [c for c in fiber.components if c.label != component.label]
            assert not any(short.contains(other.sample(1).parameters) for other in others)


class TestCoordinates:
    def test_product_and_rename(self) -> None:
        a, b = BasicSet(LINE, [t]), BasicSet(R, [], [x])
        both = product(a, b)
        assert (
            both.ring.names == ("t", "x", "y", "z") and both.contains([0, 1, 5, 5]) and not both.contains([1, 1, 0, 0])
        )
        assert isinstance(product(Union(LINE, [a]), b), Union)
        with pytest.raises(sf.InputError, match="'x' in both"):
            product(b, b)
        assert rename(b, ["a", "b", "c"]).ring.names == ("a", "b", "c")
        assert rename(rename(b, {"x": "u"}), {"u": "x"}) == b
        with pytest.raises(sf.InputError, match="'w'"):
            rename(b, {"w": "u"})
        with pytest.raises(sf.InputError, match="3 symbols"):
            rename(b, ["a"])

    @settings(max_examples=60, deadline=None)
    @given(basic_sets(), st.fractions(-3, 3, max_denominator=3))
    def test_preimage_is_membership_of_the_image(self, a: BasicSet, value: Fraction) -> None:
        chart = RationalMap(BasicSet(LINE, [], [t + 4]), (t, t - 1, 2 * t), (t + 4, -t - 4, LINE.constant(3)), R.names)
        assert preimage(a, chart).contains([value]) == a.contains(chart([value]))

    def test_preimage_refuses_other_coordinates(self) -> None:
        chart = RationalMap(BasicSet(LINE), (t,), (LINE.constant(1),), ("u",))
        with pytest.raises(sf.InputError, match="target"):
            preimage(BasicSet(R, [x]), chart)

    def test_projection(self) -> None:
        hyperbola = BasicSet(R, [x * y - 1, z - x], [y])
        assert project(hyperbola, ["x"]) == BasicSet(PolynomialRing(("x",)), [], PolynomialRing(("x",)).generators)
        assert project(BasicSet(R, [], [x, -x]), ["y"]) == BasicSet.nothing(PolynomialRing(("y",)))
        with pytest.raises(sf.UnsupportedError, match="'y'"):
            project(BasicSet(R, [x - y**2]), ["x", "z"])
        with pytest.raises(sf.InputError, match="'w'"):
            project(hyperbola, ["w"])

    def test_projection_contains_projected_samples(self) -> None:
        for name in ("identifiable-2-2-2-1", "hidden-2-2-2-1", "dead-2-2-3-1", "univariate-reversible-1-1-2-1"):
            net = library.get(name)
            for component in sf.fiber(net).components:
                # W3 and b3 are determined by the rest, up to the columns of free neurons.
                kept = [n for n in net.parameter_names if not n.startswith("b3")]
                below = project(component.set, kept)
                places = [net.parameter_names.index(n) for n in kept]
                for seed in range(4):
                    member = component.sample(seed).parameters
                    assert below.contains([member[i] for i in places])

    def test_closure(self) -> None:
        assert closure(BasicSet(R, [], [x - y], [z])) == BasicSet(R, [], [], [x - y, z])
        assert closure(BasicSet(R, [], [x, -x])) == BasicSet.nothing(R)
        with pytest.raises(sf.UndecidedError, match="closure"):
            closure(BasicSet(R, [], [x * y]))
        # The components of fibers are closed: scalings cannot reach 0.
        for name in ("identifiable-2-2-2-1", "one-linear-2-2-3-1", "hidden-2-2-2-1", "constant-2-2-2-1"):
            for component in sf.fiber(library.get(name)).components:
                closed = closure(component.set)
                assert all(not piece.positive for piece in closed.pieces)
                assert closed.contains(component.sample(0).parameters)


class TestPrintingAndRefusals:
    def test_text(self) -> None:
        many = BasicSet(R, [], [x + i for i in range(40)])
        assert "16 more conditions" in str(many) and "more" not in many.to_text()
        assert str(Union(R, [])) == "{ }" and "∪" in str(Union(R, [BasicSet(R, [x]), BasicSet(R, [y])]))
        assert "1 equations" in repr(BasicSet(R, [x]))

    def test_refusals(self) -> None:
        with pytest.raises(sf.InputError, match="one ring"):
            BasicSet(R, [x]) & BasicSet(LINE, [t])
        with pytest.raises(sf.InputError, match="BasicSet or a Union"):
            BasicSet(R) & 3  # type: ignore[operator]
        with pytest.raises(sf.ExactnessError):
            BasicSet(R, [0.5])
        with pytest.raises(sf.ExactnessError):
            BasicSet(R, [x]).contains([0.5, 0, 0])
        with pytest.raises(sf.InputError, match="symbol"):
            R.generator("w")
        with pytest.raises(sf.LimitExceededError, match="pieces"):
            big = Union(R, [BasicSet(R, [], [], [x - i for i in range(9)]) for _ in range(1)])
            union = big
            for k in range(1, 5):
                union = union | BasicSet(R, [], [], [y - i - 100 * k for i in range(9)])
            _ = ~union
