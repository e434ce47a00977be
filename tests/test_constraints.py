"""Constraints on fibers: boxes, patterns, equal weights, norms, integer scalings, the sparsest and smallest members."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import log
from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

import symfiber as sf
from symfiber import library
from symfiber.constraints import (
    box,
    equal,
    fixed,
    fixed_norm,
    integer_scaling,
    minimum_norm_member,
    minimum_norm_scaling,
    row_sum,
    scale_into,
    scaled,
    sparsest_member,
    zeros,
)
from symfiber.constraints.intersect import ScalingPath
from symfiber.constraints.norm import MinimumNorm
from symfiber.constraints.rigid import rigid_names
from symfiber.constraints.scaling import entries, node_count
from symfiber.decomposition.univariate import UnivariateLabel
from symfiber.exact import PolynomialRing, Rational, rational
from symfiber.export import to_smtlib
from symfiber.semialgebraic import BasicSet, RationalMap, Union

BOTTLENECK = [
    n for n in library.names() if len(library.get(n).hidden_widths) == 2 and not n.startswith(("wide", "rank"))
]
SMALL = [n for n in BOTTLENECK if library.get(n).parameter_count < 24]
# With |b3_0| ≤ 3 the linear neuron must supply a constant (b3_0 + b2_1·W3_0_1 = 5), so W3_0_1 ≠ 0 and W2_1_0 = 0.
DROPPED = {("univariate-reversible-1-1-2-1", 3, UnivariateLabel(-1, True, (-1,))): 4}
WIDE = [n for n in SMALL if library.get(n).architecture[1] > 1]


@st.composite
def networks(draw: Any, low: int = -6, high: int = 6) -> sf.Network:
    shape = draw(st.sampled_from([(1, 1, 1), (2, 2, 1), (1, 2, 2, 1), (2, 2, 2, 1), (1, 2, 1, 2, 1)]))
    numbers = st.fractions(low, high, max_denominator=6)
    count = sf.Network.symbolic(shape).parameter_count
    return sf.Network.from_parameters(shape, [draw(numbers) for _ in range(count)])


def bounds_of(net: sf.Network, size: Rational) -> dict[str, tuple[Rational, Rational]]:
    return dict.fromkeys(net.parameter_names, (-size, size))


class TestScalings:
    @settings(max_examples=80, deadline=None)
    @given(networks(), st.fractions(Fraction(1, 4), 6, max_denominator=4), st.sampled_from(["any", "small", "large"]))
    def test_boxes_against_linear_programming_in_logarithms(self, net: sf.Network, size: Fraction, prefer: Any) -> None:
        from scipy.optimize import linprog

        answer = scale_into(net, bounds_of(net, rational(size)), prefer)
        assert answer.verify()
        rows, sides = [], []
        possible = True
        for e in entries(net):
            if e.value:
                row = [0.0] * node_count(net)
                row[e.up] += 1
                row[e.down] -= 1
                rows.append(row[1:])
                sides.append(log(float(size)) - log(abs(float(Fraction(int(e.value.p), int(e.value.q))))))
        if rows:
            slack = [[*row, 1.0] for row in rows]
            result = linprog(
                [0.0] * (node_count(net) - 1) + [-1.0], slack, sides, bounds=[(None, None)] * node_count(net)
            )
            margin = 1.0 if result.status == 3 else -result.fun
            possible = margin > 0
            if abs(margin) < 1e-9:
                return
        assert bool(answer) == possible
        if answer:
            assert answer.member is not None and all(abs(v) <= rational(size) for v in answer.member.parameters)
            for point in product([-2, Fraction(1, 3), 5], repeat=net.architecture[0]):
                assert net(point) == answer.member(point)

    def test_bounds_of_every_kind(self) -> None:
        net = sf.Network([([[2], [-3]], [1, 0]), ([[1, 4]], [-1])])
        assert scale_into(net, {"W1_0_0": (rational(5), rational(5))}).member.parameters[0] == 5  # type: ignore[union-attr]
        for impossible in (
            {"W1_0_0": (None, rational(0))},
            {"W1_1_0": (rational(1), None)},
            {"b1_1": (rational(1), None)},
        ):
            answer = scale_into(net, impossible)
            assert not answer and answer.member is None and answer.verify()
        assert scale_into(net, {"b1_1": (rational(0), rational(0)), "W1_0_0": (rational(1), None)})
        with pytest.raises(sf.InputError, match="scalings"):
            scaled(net, (rational(1), rational(-1), rational(1)))
        broken = scale_into(net, {"b2_0": (rational(0), None)})
        with pytest.raises(sf.VerificationError):
            type(broken)(net, broken.bounds, None, ()).verify()

    @settings(max_examples=80, deadline=None)
    @given(networks())
    def test_integer_scalings(self, net: sf.Network) -> None:
        answer = integer_scaling(net)
        assert answer.verify()
        if answer.member is not None:
            assert all(v.q == 1 for v in answer.member.parameters)
        else:
            # Nothing in a grid of scalings with this prime works.
            powers = [rational(answer.prime) ** k for k in range(-3, 4)]
            for chosen in product(powers, repeat=min(node_count(net) - 1, 3)):
                scalings = (rational(1), *chosen, *([rational(1)] * (node_count(net) - 1 - len(chosen))))
                assert any(v.q != 1 for v in scaled(net, scalings).parameters)

    @settings(max_examples=60, deadline=None)
    @given(networks(1, 6), st.integers(0, 10_000))
    def test_least_norm(self, net: sf.Network, seed: int) -> None:
        found = minimum_norm_scaling(net)
        assert found.verify() and found.relative_gap <= Rational(1, 10**9)
        rng = random.Random(seed)
        for spread in (30, 1000):
            jitter = [Rational(spread + rng.randint(-9, 9), spread) for _ in range(node_count(net) - 1)]
            other = scaled(found.member, (rational(1), *jitter))
            assert sum(v * v for v in other.parameters) >= found.lower_bound
        for point in ([1] * net.architecture[0], [-2] * net.architecture[0]):
            assert net(point) == found.member(point)

    def test_least_norm_refusals(self) -> None:
        with pytest.raises(sf.UnsupportedError, match="hidden neuron 0 has only outgoing"):
            minimum_norm_scaling(sf.Network([([[0]], [0]), ([[1]], [1])]))
        with pytest.raises(sf.ExactnessError):
            minimum_norm_scaling(sf.Network([([[1]], [0]), ([[1]], [1])]), 0.1)
        zero = minimum_norm_scaling(sf.Network([([[0]], [0]), ([[0]], [0])]))
        assert zero.squared_norm == zero.relative_gap == 0 and zero.verify()
        with pytest.raises(sf.LimitExceededError, match="gap"):
            minimum_norm_scaling(sf.Network([([[3]], [1]), ([[7]], [1])]), 0)
        good = minimum_norm_scaling(sf.Network([([[3]], [1]), ([[7]], [1])]))
        cheat = type(good)(good.network, good.scalings, good.member, good.squared_norm, good.squared_norm, good.weights)
        with pytest.raises(sf.VerificationError):
            cheat.verify()


class TestConstraintSets:
    def test_worked(self) -> None:
        net = library.get("identifiable-2-2-2-1")
        values = net.parameters
        assert box(net, -11, 11).contains(values) and not box(net, -10, 10).contains(values)
        assert fixed(net, {"b3_0": 1}).contains(values) and zeros(net, []).contains(values)
        assert not zeros(net, ["b3_0"]).contains(values) and fixed_norm(net, sum(v * v for v in values)).contains(
            values
        )
        assert row_sum(net, ["W1_0_0", "W1_0_1"], 4).contains(values)
        assert not equal(net, ["b1_0", "b1_1"]).contains(values) and equal(net, ["b1_0"]).contains(values)
        assert box((2, 2, 2, 1), names="b1_0") == box(net, -1, 1, ["b1_0"])

    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (lambda n: box(n, 1, -1), "must not exceed"),
            (lambda n: box(n, 0, 1, ["W9_0_0"]), "'W9_0_0'"),
            (lambda n: zeros(n, ["nope"]), "'nope'"),
            (lambda n: fixed_norm(n, -1), "negative"),
            (lambda n: equal(n, []), "empty"),
            (lambda n: box((2, 0)), "architecture"),
        ],
    )
    def test_refusals(self, make: Any, words: str) -> None:
        with pytest.raises(sf.InputError, match=words):
            make(library.get("identifiable-2-2-2-1"))

    def test_floats(self) -> None:
        with pytest.raises(sf.ExactnessError):
            box((1, 1, 1), -0.5, 0.5)


class TestIntersections:
    @pytest.mark.parametrize("name", BOTTLENECK)
    def test_rigid_parameters_are_scaled_ones(self, name: str) -> None:
        for component in list(sf.fiber(library.get(name)).components)[:4]:
            base = component.sample(0)
            names = rigid_names(component)
            for seed in (1, 2, 4, 5):
                other = component.sample(seed)
                values = dict(zip(other.parameter_names, other.parameters))
                wanted = {n: (values[n], values[n]) for n in names}
                assert scale_into(base, wanted)

    @pytest.mark.parametrize("name", SMALL)
    @pytest.mark.parametrize("size", [1, 3, 12])
    def test_boxes_agree_with_nlsat(self, name: str, size: int) -> None:
        net = library.get(name)
        left = sf.fiber(net).intersect(box(net, -size, size))
        for part in left.parts:
            assert part.verify()
            solver = z3.SolverFor("QF_NRA")
            solver.set("timeout", 3000)
            solver.from_string(to_smtlib(part.set))
            theirs = str(solver.check())
            assert theirs == "unknown" or part.status == "undecided" or (theirs == "sat") == (part.status == "nonempty")
            if part.status == "nonempty":
                assert part.member is not None and all(abs(v) <= size for v in part.member.parameters)
                assert part.dimension == DROPPED.get((name, size, part.component.label), part.component.dimension)
                assert part.member in part.component
            elif part.status == "empty":
                assert part.dimension == -1

    def test_wide_network(self) -> None:
        net = library.get("diabetes-10-8-6-1")
        left = sf.fiber(net).intersect(box(net))
        assert not left.is_empty and left.dimension == 14 and left.member in sf.fiber(net)
        assert sf.fiber(net).intersect(box(net, "-1/50", "1/50")).is_empty

    def test_patterns(self) -> None:
        net = library.get("dead-2-2-3-1")
        fiber = sf.fiber(net)
        # The dead neuron may be zero, a weight of a nonlinear one may not.
        some = fiber.intersect(zeros(net, ["W2_0_0", "W2_0_1", "b2_0", "W3_0_0"]))
        assert len(some.left) == 1 and some.left[0].dimension == 4 and some.member.parameters.count(0) == 4
        assert fiber.intersect(zeros(net, ["W2_1_0"])).is_empty
        with pytest.raises(sf.InputError, match="no member"):
            _ = fiber.intersect(zeros(net, ["W2_1_0"])).member
        # Renumbering: another neuron is the dead one.
        moved = zeros(net, ["W2_2_0", "W2_2_1", "b2_2", "W3_0_2"])
        assert fiber.intersect(moved).is_empty
        found = fiber.intersect(moved, renumber=True)
        assert not found.is_empty

    def test_linear_and_quadratic_constraints(self) -> None:
        net = library.get("identifiable-2-2-2-1")
        fiber = sf.fiber(net)
        same = fiber.intersect(equal(net, ["b1_0", "b1_1"], ["b2_0", "b2_1"]))
        assert same.dimension == 2 and same.parts[0].verify()
        values = dict(zip(net.parameter_names, same.member.parameters))
        assert values["b1_0"] == values["b1_1"] and values["b2_0"] == values["b2_1"]
        assert fiber.intersect(equal(net, ["W1_0_0", "W1_0_1"])).is_empty  # the ratio is 3
        least = minimum_norm_scaling(net)
        above = fiber.intersect(fixed_norm(net, 300))
        assert above.left and isinstance(above.left[0].evidence[0], ScalingPath) and above.left[0].verify()
        assert least.lower_bound > 278
        summed = fiber.intersect(row_sum(net, ["W1_0_0", "W1_0_1"], 8), row_sum(net, ["b2_0"], 1))
        assert summed.dimension == 2
        assert fiber.intersect(fixed(net, {"b3_0": 2})).is_empty and fiber.intersect().dimension == 4

    def test_sampled_members_and_samples_outside(self) -> None:
        # Every sample that satisfies the constraint shows that the component is not empty under it.
        for name in SMALL:
            net = library.get(name)
            constraint = box(net, -6, 9)
            statuses = {p.component.label: p.status for p in sf.fiber(net).intersect(constraint).parts}
            for component in sf.fiber(net).components:
                inside = any(constraint.contains(component.sample(seed).parameters) for seed in range(12))
                assert not inside or statuses[component.label] != "empty"

    def test_renumbered_parts_verify(self) -> None:
        net = library.get("dead-2-2-3-1")
        wanted = zeros(net, ["W2_2_0", "W2_2_1"])
        found = sf.fiber(net).intersect(wanted, renumber=True)
        assert len({part.renumbering for part in found.parts}) > 1
        for part in found.left:
            assert part.verify() and part.set.contains(part.member.parameters) and part.member in part.component
            for point in ((1, 2), (-3, 5), (0, -1)):
                assert part.member(point) == net(point)

    def test_norm_bounds(self) -> None:
        net = library.get("identifiable-2-2-2-1")
        small = sf.fiber(net).intersect(fixed_norm(net, 200))
        assert small.is_empty and isinstance(small.parts[0].evidence[0], MinimumNorm) and small.parts[0].verify()
        ring = PolynomialRing(net.parameter_names)
        ball = BasicSet(ring, nonnegative=[279 - sum((x * x for x in ring.generators), ring.constant(0))])
        assert not sf.fiber(net).intersect(ball).is_empty

    def test_wrong_evidence_does_not_verify(self) -> None:
        net = library.get("identifiable-2-2-2-1")
        fiber = sf.fiber(net)
        (empty,) = fiber.intersect(box(net, -1, 1)).parts
        (inside,) = fiber.intersect(box(net, -20, 20)).parts
        (above,) = fiber.intersect(fixed_norm(net, 300)).parts
        (small,) = fiber.intersect(fixed_norm(net, 100)).parts
        assert [p.status for p in (empty, inside, above, small)] == ["empty", "nonempty", "nonempty", "empty"]
        for honest, other in product((empty, inside, above, small), repeat=2):
            if honest is other:
                continue
            forged = replace(honest, constraint=other.constraint)
            with pytest.raises(sf.VerificationError):
                forged.verify()

    def test_a_chart_of_something_else_proves_no_dimension(self) -> None:
        net = library.get("identifiable-2-2-2-1")
        (inside,) = sf.fiber(net).intersect(box(net, -20, 20)).parts
        evidence = inside.evidence[0]
        ring = PolynomialRing(net.parameter_names)
        ones = (ring.constant(1),) * net.parameter_count
        everything = RationalMap(BasicSet.everything(ring), ring.generators, ones, net.parameter_names)
        point = evidence.member.parameters
        trivial = (rational(1),) * len(evidence.scalings)
        forged = replace(evidence, chart=everything, point=point, scalings=trivial)
        with pytest.raises(sf.VerificationError, match="chart"):
            replace(inside, evidence=(forged,)).verify()

    def test_refusals(self) -> None:
        fiber = sf.fiber(library.get("identifiable-2-2-2-1"))
        ring = PolynomialRing(fiber.network.parameter_names)
        with pytest.raises(sf.InputError, match="basic sets"):
            fiber.intersect(Union(ring, []))  # type: ignore[arg-type]
        with pytest.raises(sf.InputError, match="one ring"):
            fiber.intersect(BasicSet(PolynomialRing(("x",))))


class TestExtremeMembers:
    @pytest.mark.parametrize("name", WIDE)
    def test_sparsest(self, name: str) -> None:
        fiber = sf.fiber(library.get(name))
        found = sparsest_member(fiber)
        assert found.verify() and found.member in fiber and found.lower_bound <= found.nonzero
        assert found.optimal == (found.nonzero == found.lower_bound)
        for component in fiber.components:
            for seed in range(6):
                assert sum(1 for v in component.sample(seed).parameters if v) >= found.lower_bound
        if fiber.network.architecture[-1] == 1:
            assert found.optimal

    def test_sparsest_refusals(self) -> None:
        with pytest.raises(sf.UnsupportedError, match="n1"):
            sparsest_member(sf.fiber(library.get("univariate-visible-2-1-2-1")))

    @pytest.mark.parametrize("name", BOTTLENECK)
    def test_smallest(self, name: str) -> None:
        fiber = sf.fiber(library.get(name))
        found = minimum_norm_member(fiber)
        assert found.result.verify() and found.result.member in fiber
        assert found.complete == (fiber.case == "visible" and set(fiber.bottleneck.types) == {"nonlinear"})
        if found.complete:
            for seed in range(6):
                sample = found.component.sample(seed)
                assert sum(v * v for v in sample.parameters) >= found.result.lower_bound
