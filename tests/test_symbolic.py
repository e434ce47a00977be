"""Fibers of symbolic networks against the fibers of numeric specialisations, and conditions against numeric answers."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from oracle import z3_equal

import symfiber as sf
from symfiber.exact import Polynomial, PolynomialRing, Rational
from symfiber.semialgebraic import BasicSet, Union
from symfiber.symbolic import Assumptions, SymbolicFiber, feasible, pointed, split_fiber, symbolic_fiber

SMALL = [[r[:3], r[3:]] for r in product((1, -1), repeat=6)]
LARGE = random.Random(3).sample([[r[:4], r[4:]] for r in product((1, -1), repeat=8)], 28)
SPECIALISATIONS = 20


def text(signs: Any) -> str:
    return "/".join("".join("-0+"[s + 1] for s in row) for row in signs)


def random_values(net: sf.Network, rng: random.Random) -> dict[str, Rational]:
    assert net.ring is not None
    return {
        name: Rational(net.signs.get(name, rng.choice((1, -1))) * rng.randint(1, 60), rng.choice((1, 1, 2, 3)))
        for name in net.ring.names
    }


def check_specialisation(fiber: SymbolicFiber, values: dict[str, Rational], seed: int) -> bool:
    """Compare with the numeric fiber; return whether the hypotheses held."""
    assert fiber.network.ring is not None
    point = [values[name] for name in fiber.network.ring.names]
    if not fiber.hypothesis_set.contains(point):
        return False
    net = fiber.network.at(values)
    numeric = sf.fiber(net)
    assert (numeric.case, numeric.bottleneck.types, numeric.completeness) == (fiber.case, fiber.types, "proved")
    here = [c for c in fiber.components if c.condition.contains(point)]
    assert {c.orientation for c in here} == {c.orientation for c in numeric.components}
    by_label = {c.orientation: c for c in numeric.components}
    for component in here:
        part = by_label[component.orientation]
        found = [value for condition, value in component.dimensions if condition.contains(point)]
        assert found == [part.dimension]
        if seed % 5 == 0:
            special = component.set_at(values)
            members = [part.sample(seed + k) for k in range(3)]
            assert all(special.contains(member.parameters) for member in members)
            moved = list(members[0].parameters)
            moved[seed % len(moved)] += 1
            assert special.contains(moved) == part.set.contains(moved)
            assert component.at(values).dimension == part.dimension
    return True


class TestAgainstNumbers:
    @pytest.mark.parametrize("signs", SMALL, ids=text)
    def test_all_patterns_of_2_2_2_1(self, signs: Any) -> None:
        fiber = sf.fiber(sf.Network.symbolic((2, 2, 2, 1), signs=signs))
        rng = random.Random(text(signs))
        checked = sum(
            check_specialisation(fiber, random_values(fiber.network, rng), seed) for seed in range(SPECIALISATIONS + 4)
        )
        assert checked >= SPECIALISATIONS

    @pytest.mark.parametrize("signs", LARGE, ids=text)
    def test_a_sample_of_3_3_2_2(self, signs: Any) -> None:
        fiber = sf.fiber(sf.Network.symbolic((3, 3, 2, 2), signs=signs))
        rng = random.Random(text(signs))
        checked = sum(
            check_specialisation(fiber, random_values(fiber.network, rng), seed) for seed in range(SPECIALISATIONS + 4)
        )
        assert checked >= SPECIALISATIONS

    @pytest.mark.parametrize("seed", range(6))
    def test_wider_layers_and_more_outputs(self, seed: int) -> None:
        # Three free neurons, and slopes of rank 2: the dimension depends on whether the slope is pointed.
        rng = random.Random(seed)
        shape = rng.choice([(2, 2, 4, 1), (3, 3, 3, 2), (3, 3, 4, 3), (2, 2, 3, 3)])
        signs = [[rng.choice((1, -1)) for _ in range(shape[1] + 1)] for _ in range(shape[2])]
        fiber = sf.fiber(sf.Network.symbolic(shape, signs=signs))
        for k in range(3):
            values = random_values(fiber.network, rng)
            numeric = sf.fiber(fiber.network.at(values))
            if numeric.completeness != "proved":
                continue
            point = list(values.values())
            here = {c.orientation: c for c in fiber.components if c.condition.contains(point)}
            assert set(here) == {c.orientation for c in numeric.components}
            for part in numeric.components:
                cases = here[part.orientation].dimensions
                assert [value for condition, value in cases if condition.contains(point)] == [part.dimension]
                assert here[part.orientation].set_at(values).contains(part.sample(k).parameters)

    def test_some_entries_are_numbers(self) -> None:
        net = sf.Network(
            [
                ([[1, 2], [3, "s"]], [1, "s*t"]),
                ([["t", -1], ["t + 1", 2]], [1, "t^2"]),
                ([["s", 1]], [0]),
            ],
            symbols=["s", "t"],
            signs={"t": 1},
        )
        fiber = sf.fiber(net)
        assert fiber.types == ("nonlinear", "linear") and [c.orientation for c in fiber.components] == [(1,), (-1,)]
        rng, seen = random.Random(5), set()
        for seed in range(60):
            values = {"s": Rational(rng.randint(-9, 9), 2), "t": Rational(rng.randint(1, 9), 2)}
            if check_specialisation(fiber, values, seed):
                seen.add(fiber.components[1].condition.contains(list(values.values())))
        assert seen == {True, False}

    def test_members_compute_the_same_function(self) -> None:
        # Not through the fiber's own membership: a solver over the reals compares the functions.
        rng = random.Random(11)
        for signs in ([[1, -1, 1], [1, 1, 1]], [[1, -1, -1], [-1, -1, -1]], [[1, -1, -1], [1, -1, -1]]):
            fiber = sf.fiber(sf.Network.symbolic((2, 2, 2, 1), signs=signs))
            for _ in range(4):
                values = random_values(fiber.network, rng)
                assert fiber.hypothesis_set.contains(list(values.values()))
                net = fiber.network.at(values)
                for component in fiber.components:
                    if component.condition.contains(list(values.values())):
                        part = component.at(values)
                        assert z3_equal.equal(net.layers, part.sample(1).layers) is None


class TestConditions:
    @pytest.mark.parametrize(("m", "n"), [(1, 2), (1, 4), (2, 2), (2, 3), (3, 3), (3, 4), (4, 3)])
    def test_feasibility_against_numbers(self, m: int, n: int) -> None:
        ring = PolynomialRing([f"x{o}_{i}" for o in range(m) for i in range(n)])
        rows = [[ring.generator(f"x{o}_{i}") for i in range(n)] for o in range(m)]
        rng = random.Random(m * 10 + n)
        for free in range(4):
            if 3 <= free < min(m + 1, n):
                with pytest.raises(sf.LimitExceededError, match="ranks up to 2"):
                    feasible(rows, free, ring)
                continue
            condition = feasible(rows, free, ring)
            for _ in range(150):
                # Products of small matrices have small ranks often enough.
                inner = rng.randint(0, 3)
                left = [[rng.randint(-2, 2) for _ in range(inner)] for _ in range(m)]
                right = [[rng.randint(-1, 2) for _ in range(n)] for _ in range(inner)]
                matrix = [[sum(a * r[i] for a, r in zip(row, right)) for i in range(n)] for row in left]
                expected = sf.nonnegative_column_rank(matrix).value <= free
                assert condition.contains([x for row in matrix for x in row]) == expected

    @pytest.mark.parametrize(("m", "n", "rank"), [(1, 3, 1), (2, 3, 1), (2, 4, 2), (3, 3, 2)])
    def test_pointedness_against_linear_programming(self, m: int, n: int, rank: int) -> None:
        ring = PolynomialRing([f"x{o}_{i}" for o in range(m) for i in range(n)])
        rows = [[ring.generator(f"x{o}_{i}") for i in range(n)] for o in range(m)]
        condition = pointed(rows, rank, ring)
        rng, seen = random.Random(rank), set()
        for _ in range(300):
            left = [[rng.randint(-2, 2) for _ in range(rank)] for _ in range(m)]
            right = [[rng.randint(-1, 2) for _ in range(n)] for _ in range(rank)]
            matrix = [[sum(a * r[i] for a, r in zip(row, right)) for i in range(n)] for row in left]
            expected = sf.nonnegative_column_rank(matrix).pointed
            seen.add(expected)
            assert condition.contains([x for row in matrix for x in row]) == expected
        assert seen == {True, False}

    @pytest.mark.parametrize("shape", [(2, 2, 2, 1), (3, 3, 2, 2), (2, 2, 3, 2)])
    def test_hypotheses_against_the_numeric_check(self, shape: tuple[int, ...]) -> None:
        net = sf.Network.symbolic(shape, signs=[[1] * (shape[1] + 1)] * shape[2])
        hypotheses, rng, seen = symbolic_fiber(net).hypothesis_set, random.Random(1), set()
        for _ in range(80):
            values = {n: Rational(rng.randint(1, 3) if n in net.signs else rng.randint(-2, 2)) for n in net.ring.names}  # type: ignore[union-attr]
            expected = sf.check_generic(net.at(values)).status == "proved"
            seen.add(expected)
            assert hypotheses.contains(list(values.values())) == expected
        assert seen == {True, False}

    def test_reduction_keeps_conditions_on_the_assumed_set(self) -> None:
        ring = PolynomialRing(("a", "b", "c"))
        a, b, c = ring.generators
        assumed = Assumptions(BasicSet(ring, positive=[a, b - 1]))
        rng = random.Random(2)
        pool = [a, -a, b, a * b, b - 1, c, a * c, -(a * a) * c, c - a, (b - 1) * (c - 1), ring.constant(0), a * c * c]
        for _ in range(60):
            pieces = [BasicSet(ring, *[rng.sample(pool, rng.randint(0, 2)) for _ in range(3)]) for _ in range(2)]
            condition = Union(ring, pieces)
            reduced = assumed.reduce(condition)
            for _ in range(25):
                point = [Rational(rng.randint(1, 4)), Rational(rng.randint(2, 4)), Rational(rng.randint(-4, 4), 2)]
                assert condition.contains(point) == reduced.contains(point)


class TestGenerators:
    @pytest.mark.parametrize("signs", [SMALL[k] for k in (0, 5, 9, 14, 27, 36, 42, 63)], ids=text)
    def test_proofs_hold_for_the_sign_pattern(self, signs: Any) -> None:
        fiber = sf.fiber(sf.Network.symbolic((2, 2, 2, 1), signs=signs))
        for generator in fiber.generators:
            proof = generator.prove()
            assert proof.cells and proof.identities
        numeric = sf.fiber(fiber.network.at(random_values(fiber.network, random.Random(4))))
        assert {g.name for g in fiber.generators} <= {g.name for g in numeric.generators}


class TestSplits:
    def test_cases_cover_everything_but_the_boundary(self) -> None:
        net = sf.Network(
            [([[1, 2], [3, 1]], [1, 1]), ([["t", -1], ["t - 1", "s"]], ["t - 2", 1]), ([[1, 1]], [0])],
            symbols=["s", "t"],
        )
        split = sf.fiber(net, split=True)
        # t < 0, 0 < t < 1, 1 < t < 2, 2 < t, and two signs of s.
        assert len(split.cases) == 8
        rng = random.Random(6)
        for seed in range(80):
            values = {"s": Rational(rng.randint(-5, 5), 2), "t": Rational(rng.randint(-3, 8), 2)}
            point = list(values.values())
            inside = [case for case in split.cases if case.assumptions.set.contains(point)]
            assert len(inside) == (0 if split.boundary.contains(point) else 1)
            if inside:
                assert split.case_of(values) is inside[0]
                check_specialisation(inside[0], values, seed)
            else:
                with pytest.raises(sf.InputError, match="boundary"):
                    split.at(values)

    @pytest.mark.parametrize(
        ("row", "signs", "cases"),
        [
            (["s*t", -1, 1], {}, 4),
            (["(s + t)*u", -1, 1], {"s": 1, "t": 1}, 2),
            (["(s - t)*(u - s)", "s", 1], {"s": 1}, 4),
            (["(s - t)^2*u^3", "-u*(s - 1)^2", 1], {}, 2),
            (["-s^2 - t^2", "s^2*t^2 + u^2", 1], {}, 1),
        ],
    )
    def test_entries_that_are_products(self, row: list[Any], signs: dict[str, int], cases: int) -> None:
        # The sign of a product of two unknown factors says nothing about either: the factors are split.
        layers = [([[1, 2], [3, 1]], [1, 1]), ([row[:2]], row[2:]), ([[1]], [0])]
        net = sf.Network(layers, symbols=["s", "t", "u"], signs=signs)
        split = sf.fiber(net, split=True)
        assert len(split.cases) == cases
        rng = random.Random(8)
        for seed in range(60):
            values = {n: Rational(rng.randint(1, 4) * signs[n] if n in signs else rng.randint(-3, 3)) for n in "stu"}
            numeric = net.at(values)
            zero = not all((*numeric.layers[1].weight[0], *numeric.layers[1].bias))
            inside = [case for case in split.cases if case.assumptions.set.contains(list(values.values()))]
            assert len(inside) == (0 if zero else 1) and split.boundary.contains(list(values.values())) == zero
            if inside:
                check_specialisation(inside[0], values, seed)

    def test_a_missing_sign_is_named(self) -> None:
        net = sf.Network([([[1, 2], [3, 1]], [1, 1]), ([["a - b", -1]], [1]), ([[1]], [0])], symbols=["a", "b"])
        with pytest.raises(sf.UndecidedError, match="a - b") as caught:
            sf.fiber(net)
        assert isinstance(caught.value.known["polynomial"], Polynomial)
        assert len(sf.fiber(net, split=True).cases) == 2


class TestRefusals:
    @pytest.mark.parametrize(
        ("shape", "words"),
        [
            ((2, 1, 2, 1), "n1 = 1"),
            ((1, 2, 2, 1), "n1 = 2 and d = 1"),
            ((2, 2, 1), "two hidden layers"),
            ((2, 2, 2, 2, 1), "two hidden"),
        ],
    )
    def test_outside_the_theorems(self, shape: tuple[int, ...], words: str) -> None:
        with pytest.raises(sf.UnsupportedError, match=words):
            sf.fiber(sf.Network.symbolic(shape))

    def test_zero_entries(self) -> None:
        with pytest.raises(sf.UnsupportedError, match="W2_0_1 is 0"):
            sf.fiber(sf.Network.symbolic((2, 2, 2, 1), signs=["+0-", "+--"]))

    def test_values(self) -> None:
        fiber = sf.fiber(sf.Network.symbolic((2, 2, 1, 1), signs=["+-+"]))
        good = random_values(fiber.network, random.Random(1))
        assert fiber.at(good).case == "visible"
        for change, words in (
            ({"W2_0_0": -1}, "sign"),
            ({"nope": 1}, "nope"),
            ({"W2_0_0": 0.5}, "exact"),
            ({"W1_0_0": "x"}, "rational"),
        ):
            with pytest.raises(sf.InputError, match=words):
                fiber.at({**good, **change})
        with pytest.raises(sf.InputError, match="none for"):
            fiber.at({k: v for k, v in good.items() if k != "b1_0"})
        with pytest.raises(sf.InputError, match="map symbols"):
            fiber.at([1, 2])
        with pytest.raises(sf.UnsupportedError, match="rank W1"):
            fiber.at({**good, "W1_0_0": 0, "W1_0_1": 0})
        with pytest.raises(sf.InputError, match="network of numbers"):
            fiber.network.at(good).at({})

    def test_a_condition_that_does_not_hold(self) -> None:
        fiber = sf.fiber(sf.Network.symbolic((2, 2, 2, 1), signs=["+-+", "+++"]))
        values = {n: Rational(fiber.network.signs.get(n, 1)) for n in fiber.ring.names}
        values.update({"W1_0_1": Rational(2), "W3_0_0": Rational(5), "W2_1_0": Rational(2), "b2_0": Rational(3)})
        assert not fiber.components[1].condition.contains(list(values.values()))
        with pytest.raises(sf.InputError, match="must hold"):
            fiber.components[1].at(values)

    def test_wrong_assumptions(self) -> None:
        net = sf.Network.symbolic((2, 2, 1, 1), signs=["+-+"])
        other = PolynomialRing(("t",))
        with pytest.raises(sf.InputError, match="symbols of"):
            symbolic_fiber(net, Assumptions(BasicSet(other)))
        for wrong in ("W2_0_0 > 0", BasicSet(net.ring)):  # type: ignore[arg-type]
            with pytest.raises(sf.InputError, match="must be Assumptions"):
                symbolic_fiber(net, wrong)  # type: ignore[arg-type]
        with pytest.raises(sf.InputError, match="one of numbers"):
            symbolic_fiber(net.at(random_values(net, random.Random(0))))
        with pytest.raises(sf.InputError, match="one of numbers"):
            split_fiber(net.at(random_values(net, random.Random(0))))

    def test_long_polynomials_are_refused_quickly(self) -> None:
        import sympy

        a, b = sympy.symbols("a b")
        with pytest.raises(sf.InputError, match="moderate size"):
            sf.Network([([[(a + b + 1) ** 3000]], [0])])
        with pytest.raises(sf.InputError, match="exponents"):
            sf.Network([([[a ** (10**9)]], [0])])
        with pytest.raises(sf.ExactnessError):
            sf.Network([([[a * 0.5]], [0])])
        with pytest.raises(sf.InputError, match="polynomial"):
            sf.Network([([[sympy.sin(a)]], [0])])
        with pytest.raises(sf.InputError, match="polynomial"):
            sf.Network([([[1 / a]], [0])])
        for wrong in (sympy.Matrix([a]), a > 0, sympy.Poly(a), sympy.sqrt(2) * a):
            with pytest.raises(sf.InputError, match="polynomial"):
                sf.Network([([[wrong, a]], [0])])
        with pytest.raises(sf.InputError, match="sign of a must be -1"):
            sf.Network([([[sympy.Symbol("a", negative=True)]], [0])], signs={"a": 1})
        with pytest.raises(sf.InputError, match="must not begin with 'new_'"):
            sf.fiber(sf.Network([([["new_t", 1], [0, 1]], [1, 1]), ([[1, -1]], [1]), ([[1]], [0])], ["new_t"]))
        with pytest.raises(sf.InputError, match="True or False"):
            sf.fiber(sf.Network.symbolic((2, 2, 1, 1)), split="no")
        with pytest.raises(sf.InputError, match="two different ones named a"):
            sf.Network([([[a, sympy.Symbol("a", positive=True)]], [0])])


class TestText:
    def test_what_is_printed(self) -> None:
        shown = str(sf.fiber(sf.Network.symbolic((2, 2, 2, 1), signs=["+-+", "+++"])))
        assert "where W2[0,0]*W3[0,0]" in shown and "dimension 5" in shown and "G1: rank W1 = n1" in shown
        shown = str(sf.fiber(sf.Network.symbolic((3, 3, 2, 2), signs=["+---", "+---"])))
        assert "hypersurface of first-layer neuron 0 is hidden" in shown
        same = sf.Network([([["a", 2], [3, 1]], [1, 1]), ([[1, -1], [2, -2]], [1, 2]), ([[1, 1]], [0])], symbols=["a"])
        assert "(fails for all values)" in str(sf.fiber(same))
        wide = sf.Network.symbolic((7, 7, 2, 1), signs=["+-+-+-+-", "+" * 8])
        assert "not listed" in str(sf.fiber(wide))
        assert "2 cases" in repr(
            sf.fiber(sf.Network([([[1, 2], [3, 1]], [1, 1]), ([["t", -1]], [1]), ([[1]], [0])], ["t"]), split=True)
        )

    def test_every_format(self, tmp_path: Path) -> None:
        documents = []
        for signs in (["+-+", "+++"], ["+--", "---"], ["---", "---"], ["+-+", "-+-"], ["+--", "+--"]):
            fiber = sf.fiber(sf.Network.symbolic((2, 2, 2, 1), signs=signs))
            for style in ("full", "theorem", "table"):
                latex = fiber.to_latex(style)
                assert latex.isascii() and latex.count("$") % 2 == 0
                documents.append(latex)
            assert "A_1x" in fiber.to_latex("theorem", notation={"W": "A"}, environment="lemma")
            html = fiber._repr_html_()
            assert html.count("<li>") == html.count("</li>") and "<script" not in html
            data = json.loads(json.dumps(fiber.to_dict()))
            assert data["case"] == fiber.case and len(data["components"]) == len(fiber.components)
        assert fiber.to_latex(standalone=True).rstrip().endswith(r"\end{document}")
        pages = "\n".join(documents)
        source = fiber.to_latex(standalone=True).replace(r"\end{document}", pages + r"\end{document}")
        if shutil.which("pdflatex") is None:
            pytest.skip("pdflatex is not installed")
        (tmp_path / "t.tex").write_text(source)
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout[-2000:]
        assert "Overfull" not in run.stdout and "Underfull" not in run.stdout, run.stdout
