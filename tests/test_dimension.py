"""Real dimension with pins and traps, emptiness with evidence, arrangements by brute force, sets of components."""

from __future__ import annotations

import json
import random
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import arrangements
from test_ideal import polynomial_of, random_product

import symfiber as sf
from symfiber import library
from symfiber.dimension import SetDimensionCertificate, dimension, real_dimension
from symfiber.emptiness import EngineVerdict, Member, decide_emptiness, find_point, is_empty
from symfiber.exact import Polynomial, PolynomialRing, Rational
from symfiber.exact.conditions import Conditions
from symfiber.exact.ideal import krull_dimension
from symfiber.export import to_smtlib
from symfiber.semialgebraic import BasicSet, Union
from symfiber.semialgebraic.positivstellensatz import prove_zero, refute
from symfiber.semialgebraic.search import search_point
from symfiber.semialgebraic.sign_change import SignChange
from symfiber.semialgebraic.smooth import smooth_dimension
from symfiber.semialgebraic.squares import quadratic_squares

R = PolynomialRing(("x", "y", "z"))
x, y, z = R.generators
ONE = R.constant(1)
CASES = json.loads((Path(__file__).parent / "data" / "cases.json").read_text())["networks"]
NETWORKS = {
    name: library.get(name)
    for name in library.names()
    if len(library.get(name).hidden_widths) == 2 and not name.startswith(("wide", "rank"))
} | {
    f"case {case['name']}": sf.Network([(layer["weight"], layer["bias"]) for layer in case["network"]["layers"]])
    for case in CASES
}


@st.composite
def polynomials(draw: Any, degree: int = 2) -> Polynomial:
    monomials = [m for m in product(range(degree + 1), repeat=3) if sum(m) <= degree]
    chosen = draw(st.lists(st.sampled_from(monomials), min_size=1, max_size=4, unique=True))
    return R.from_terms({m: draw(st.integers(-3, 3)) for m in chosen})


REAL = [
    ("unit ideal", BasicSet(R, [ONE]), -1),
    ("zero ideal", BasicSet(R), 3),
    ("x²+y²=0", BasicSet(R, [x**2 + y**2, z]), 0),
    ("line x²+y²=0 in space", BasicSet(R, [x**2 + y**2]), 1),
    ("x²+1=0", BasicSet(R, [x**2 + 1]), -1),
    ("xy=0, x+y>0", BasicSet(R, [x * y, z], [x + y]), 1),
    ("Whitney umbrella", BasicSet(R, [x**2 - y**2 * z]), 2),
    ("its handle", BasicSet(R, [x**2 - y**2 * z], [-z]), 1),
    ("its closed handle", BasicSet(R, [x**2 - y**2 * z], [], [-z]), 1),
    ("cusp", BasicSet(R, [y**2 - x**3, z]), 1),
    ("left of the cusp", BasicSet(R, [y**2 - x**3], [-x]), -1),
    ("at the cusp", BasicSet(R, [y**2 - x**3, z], [], [-x]), 0),
    ("x³-xy²=0", BasicSet(R, [x**3 - x * y**2, z]), 1),
    ("x³+xy²=0", BasicSet(R, [x**3 + x * y**2, z]), 1),
    ("(x²+y²)z=0", BasicSet(R, [(x**2 + y**2) * z]), 2),
    ("(x²+y²)z=0, z>0", BasicSet(R, [(x**2 + y**2) * z], [z]), 1),
    ("x⁴+y²=0", BasicSet(R, [x**4 + y**2, z]), 0),
    ("shifted squares", BasicSet(R, [(x - 1) ** 2 + (y - 2) ** 2 + (z - x) ** 2]), 0),
    ("x²+y²+z²=xy+yz+zx", BasicSet(R, [x**2 + y**2 + z**2 - x * y - y * z - z * x]), 1),
    ("isolated point of a cubic", BasicSet(R, [y**2 - x**2 * (x - 1), z], [1 - 2 * x]), 0),
    ("sphere without rational points", BasicSet(R, [x**2 + y**2 + z**2 - 7]), 2),
    ("√2", BasicSet(R, [x**2 - 2, y, z]), 0),
    ("irrational lines", BasicSet(R, [x**2 - 2 * y**2, z]), 1),
    ("half line as inequalities", BasicSet(R, [], [], [x, -x, y, -y, z]), 1),
    ("point as inequalities", BasicSet(R, [], [], [x, y, z, -x - y - z]), 0),
    ("circle as an inequality", BasicSet(R, [z], [], [-((x**2 + y**2 - 1) ** 2)]), 1),
    ("open", BasicSet(R, [], [x * y * z]), 3),
    ("cone", BasicSet(R, [x * z - y**2], [], [-x]), 2),
    ("hyperbola, wrong side", BasicSet(R, [x * y - 1], [x, -y]), -1),
    ("disc, no point", BasicSet(R, [], [1 - x**2 - y**2, x - 1]), -1),
    ("a root that a strict condition takes away", BasicSet(R, [z**2 + z], [z]), -1),
    ("the other root", BasicSet(R, [z**2 + z], [-z]), 2),
    ("z ≠ 0 as a square", BasicSet(R, [z**2 + z], [z**2]), 2),
]


class TestRealDimension:
    @pytest.mark.parametrize(("name", "value", "expected"), REAL, ids=[name for name, _, _ in REAL])
    def test_pins_and_traps(self, name: str, value: BasicSet, expected: int) -> None:
        found = real_dimension(value)
        assert found.lower == found.upper == expected and found.reason and found.verify()
        assert (decide_emptiness(value).empty) == (expected == -1)

    def test_never_one_for_a_point(self) -> None:
        plane = PolynomialRing(("x", "y"))
        a, b = plane.generators
        assert krull_dimension([a**2 + b**2]).value == 1
        assert dimension(BasicSet(plane, [a**2 + b**2])) == 0

    @pytest.mark.parametrize("seed", range(4))
    def test_products_of_linear_forms(self, seed: int) -> None:
        rng = random.Random(seed)
        decided = wanted = 0
        for _ in range(60):
            forms = [tuple(rng.randint(-1, 1) for _ in range(4)) for _ in range(4)]
            if not all(any(f[:-1]) for f in forms):
                continue
            groups = [[random_product(rng) for _ in range(rng.randint(0, n))] for n in (2, 2, 2)]
            expected = arrangements.real_dimension(forms, *groups)
            value = BasicSet(R, *([polynomial_of(forms, p) for p in group] for group in groups))
            wanted += 2
            try:
                found = real_dimension(value)
                assert found.lower == expected and found.verify(), (forms, groups)
                decided += 1
            except sf.UndecidedError as error:
                assert error.known["lower"] <= expected <= error.known["upper"], (forms, groups)
            try:
                assert is_empty(value) == (expected == -1), (forms, groups)
                decided += 1
            except sf.UndecidedError:
                pass
        assert decided >= 0.9 * wanted

    def test_undecided_has_both_bounds(self) -> None:
        motzkin = x**4 * y**2 + x**2 * y**4 - 3 * x**2 * y**2 * z**2 + z**6
        for points in ((), [(Rational(1),) * 3]):
            with pytest.raises(sf.UndecidedError, match="between 0 and 2") as caught:
                real_dimension(BasicSet(R, [motzkin]), points)
            assert caught.value.known == {"lower": 0, "upper": 2}

    def test_unions_and_intersections(self) -> None:
        parts = [BasicSet(R, [x]), BasicSet(R, [x, y], [z]), BasicSet(R, [x**2 + 1])]
        assert dimension(Union(R, parts)) == 2 and dimension(Union(R, parts[1:])) == 1
        assert dimension(Union(R, [])) == -1 and dimension(Union(R, parts[2:])) == -1
        for (_, a, first), (_, b, second) in combinations(REAL[:16], 2):
            try:
                assert dimension(a & b) <= min(first, second)
            except sf.UndecidedError as error:
                assert error.known["lower"] <= min(first, second)

    def test_wrong_certificates_do_not_verify(self) -> None:
        found = real_dimension(BasicSet(R, [x * y, z], [x + y]))
        kind, elsewhere = type(found), (Rational(5),) * 3
        for lower, upper, witness in ((2, 2, found.witness), (1, 1, elsewhere), (1, 2, found.witness), (1, 1, None)):
            piece = None if witness is None else found.witness_piece
            with pytest.raises(sf.VerificationError):
                kind(lower, upper, found.source, witness, piece, "").verify()

    def test_the_witness_piece_must_be_a_part_of_the_set(self) -> None:
        # The whole space is a manifold of dimension 3 near the witness, but not a part of the plane x = 0.
        plane, origin = BasicSet(R, [x]), (Rational(0),) * 3
        change = real_dimension(BasicSet(R, [x**2 + y**2 - 3])).witness
        assert isinstance(change, SignChange)
        for kind, witness in ((3, origin), (2, change)):
            with pytest.raises(sf.VerificationError, match="carry every condition"):
                SetDimensionCertificate(kind, kind, plane, witness, BasicSet(R), "").verify()
        with pytest.raises(sf.VerificationError, match="upper bound"):
            SetDimensionCertificate(1, 1, plane, origin, BasicSet(R, [x, y]), "").verify()

    def test_smooth_dimension_is_not_fooled(self) -> None:
        origin, one = (Rational(0),) * 3, (Rational(1), Rational(0), Rational(0))
        assert smooth_dimension([x**2 + y**2], origin, R) is None
        assert smooth_dimension([x * y, x * z], one, R) == 1 and smooth_dimension([x * y, x * z], origin, R) in (1, 2)
        # A line and an isolated double point whose tangent space is a line: rank 1 there, dimension 0.
        fat = [y * (x - 1) ** 2 + y * y, y * (y - 1), (x - 1) ** 2 * (y - 1), z]
        assert smooth_dimension(fat, (Rational(1), Rational(1), Rational(0)), R) in (None, 0)
        with pytest.raises(sf.InputError, match="3 coordinates"):
            real_dimension(BasicSet(R), points=[(Rational(1),)])


class TestEmptiness:
    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(polynomials(), max_size=1), st.lists(polynomials(), max_size=2), st.lists(polynomials(1), max_size=2)
    )
    def test_nlsat_agrees(self, equations: Any, positive: Any, nonnegative: Any) -> None:
        value = BasicSet(R, equations, positive, nonnegative)
        try:
            answer = decide_emptiness(value)
        except sf.UndecidedError:
            return
        assert answer.verify() and answer.proved
        solver = z3.SolverFor("QF_NRA")
        solver.set("timeout", 2000)
        solver.from_string(to_smtlib(value))
        assert str(solver.check()) in ("unknown", "unsat" if answer.empty else "sat")
        if answer.point is not None:
            assert value.contains(answer.point)

    def test_linear_sets_are_always_decided(self) -> None:
        rng = random.Random(11)
        for _ in range(60):
            rows = [[rng.randint(-2, 2) for _ in range(4)] for _ in range(rng.randint(1, 7))]
            forms = [a * x + b * y + c * z + d for a, b, c, d in rows]
            cut = rng.randint(0, len(forms))
            value = BasicSet(R, forms[:1] if rng.random() < 0.3 else [], forms[1:cut], forms[max(cut, 1) :])
            answer = decide_emptiness(value)
            assert answer.verify() and answer.empty == (answer.point is None)

    def test_evidence_of_every_kind(self) -> None:
        kinds = {
            "Contradiction": BasicSet(R, [], [x, -x]),
            "Refutation": BasicSet(R, [x**2 + 3 * x * y + 3 * y**2 + z**2 + 1]),
            "Member": BasicSet(R, [x * y - 6], [x - 2, y - 2]),
            "SignChange": BasicSet(R, [x**3 - 2]),
            "Cases": BasicSet(R, [(x**2 * y**2 + x * y + 1) * (x**2 + x * y + y**2 + 1)]),
            "InCase": BasicSet(R, [(x**2 - 2) * (x**2 + y**2 + 1)]),
        }
        for kind, value in kinds.items():
            answer = decide_emptiness(value)
            assert type(answer.evidence[0]).__name__ == kind and answer.verify() and bool(answer) == answer.empty
        with pytest.raises(sf.UndecidedError, match="no rational one"):
            find_point(kinds["SignChange"])
        assert find_point(BasicSet(R, [ONE])) is None and is_empty(Union(R, []))

    def test_engine_is_only_evidence(self) -> None:
        # The Motzkin polynomial plus a constant: positive, but no sum of squares of this degree.
        hard = x**4 * y**2 + x**2 * y**4 - 3 * x**2 * y**2 + 2
        with pytest.raises(sf.UndecidedError) as caught:
            decide_emptiness(BasicSet(R, [hard]))
        assert caught.value.known["refuted"] == 0
        answer = decide_emptiness(BasicSet(R, [hard]), engine="z3")
        assert answer.empty and not answer.proved and isinstance(answer.evidence[0], EngineVerdict)
        with pytest.raises(sf.InputError, match="engine"):
            decide_emptiness(BasicSet(R), engine="oracle")

    def test_wrong_evidence_does_not_verify(self) -> None:
        with pytest.raises(sf.VerificationError):
            Member((Rational(1),) * 3).verify(BasicSet(R, [x]))
        proof = refute(Conditions(R, [x**2 + 1]))
        assert proof is not None and proof.verify()
        other = type(proof)((x**2 - 1,), *(getattr(proof, n) for n in proof.__slots__[1:]))
        with pytest.raises(sf.VerificationError):
            other.verify()

    def test_identities(self) -> None:
        zero = prove_zero(Conditions(R, [x**2 - y**2 * z], [-z]), y)
        assert zero is not None and zero.verify() and "y = 0" in repr(zero)
        assert prove_zero(Conditions(R, [x * y]), x) is None and refute(Conditions(R, [x * y - 1])) is None
        assert quadratic_squares(x * y) is None and quadratic_squares(x**3) is None and quadratic_squares(-ONE) is None

    def test_search_finds_only_members(self) -> None:
        for _, value, expected in REAL:
            point = search_point(value)
            assert point is None or (value.contains(point) and expected >= 0)


class TestComponents:
    @pytest.mark.parametrize("name", NETWORKS)
    def test_dimension_without_the_formula(self, name: str) -> None:
        for component in sf.fiber(NETWORKS[name]).components:
            found = real_dimension(component.set)
            assert found.lower == component.dimension
            if NETWORKS[name].parameter_count < 25:
                assert found.verify()
            for piece in component.set.pieces:
                assert krull_dimension(piece.equations, piece.ring, piece.positive).value <= component.dimension

    @pytest.mark.parametrize("name", [n for n in NETWORKS if NETWORKS[n].parameter_count < 30])
    def test_closures(self, name: str) -> None:
        for component in list(sf.fiber(NETWORKS[name]).components)[:4]:
            closed = component.closure
            assert all(not piece.positive for piece in closed.pieces)
            assert all(closed.contains(component.sample(seed).parameters) for seed in range(4))
            # A limit point that is missing in the set: it is approached by members.
            label = component.label
            if component.case.name != "univariate" or label.visible:
                continue
            edge = dict(zip(component.case.bottleneck.network.parameter_names, component.sample(1).parameters))
            form = component.case.oriented(label)
            lam = max(abs(edge[f"W1_0_{q}"]) for q in range(len(form.direction)) if form.direction[q] in (1, -1))
            for step in (Rational(0), Rational(1, 10), Rational(1, 1000)):
                moved = dict(edge)
                moved["b1_0"] = lam * (step - form.kinks[0][0])
                for j, (position, _) in enumerate(component.case.kinks(label)):
                    moved[f"b2_{j}"] = -moved[f"W2_{j}_0"] * (moved["b1_0"] + lam * position)
                for o in range(len(form.left_value)):
                    moved[f"b3_{o}"] += sum(
                        edge[f"W3_{o}_{j}"] * (edge[f"b2_{j}"] - moved[f"b2_{j}"])
                        for j, s in enumerate(label.orientation)
                        if s < 0
                    )
                point = list(moved.values())
                assert closed.contains(point) and component.set.contains(point) == (step > 0)

    @pytest.mark.parametrize("name", NETWORKS)
    def test_different_components_are_disjoint(self, name: str) -> None:
        for first, second in combinations(list(sf.fiber(NETWORKS[name]).components), 2):
            answer = decide_emptiness(first.set & second.set)
            assert answer.empty and answer.proved and answer.verify()

    @pytest.mark.parametrize("name", ["hidden-single-dead-2-2-2-2", "univariate-reversible-1-1-2-1", "dead-2-2-3-1"])
    def test_nlsat_agrees_on_small_ones(self, name: str) -> None:
        for first, second in combinations(list(sf.fiber(NETWORKS[name]).components), 2):
            solver = z3.SolverFor("QF_NRA")
            solver.from_string(to_smtlib(first.set & second.set))
            assert solver.check() == z3.unsat
            assert decide_emptiness(first.set).point is not None
