"""Cells and faces against known counts, brute force over all patterns, Euler characteristic and areas."""

from __future__ import annotations

import random
import sys
import tracemalloc
from fractions import Fraction
from itertools import islice, product
from math import comb
from typing import Any

import networkx as nx
import pytest
import z3
from oracle import cells as oracle

import symfiber as sf
from symfiber import library
from symfiber.cells import HalfSpaces, box, cells, emptiness_proofs
from symfiber.complex import area, face_counts, faces, neighbour_graph, volume
from symfiber.exact import Matrix, solve_inequalities


def random_network(rng: random.Random, shape: tuple[int, ...], bound: int) -> sf.Network:
    layers = []
    for before, after in zip(shape, shape[1:]):
        weight = [[rng.randint(-bound, bound) for _ in range(before)] for _ in range(after)]
        layers.append((weight, [rng.randint(-bound, bound) for _ in range(after)]))
    return sf.Network(layers)


def oracle_layers(net: sf.Network) -> Any:
    return [([list(row) for row in weight], list(bias)) for weight, bias in net.layers]


SHAPES = [(1, 1, 1), (1, 3, 2, 1), (2, 3, 2, 1), (2, 2, 2, 2, 1), (3, 3, 2, 1), (2, 4, 1), (3, 4, 2)]


class TestCells:
    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("bound", [1, 2, 9])
    def test_against_the_oracle(self, shape: tuple[int, ...], bound: int) -> None:
        """Small entries make parallel, equal, vanishing and concurrent hyperplanes."""
        rng = random.Random(bound)
        for _ in range(4):
            net = random_network(rng, shape, bound)
            found = list(cells(net))
            patterns = [cell.activation_pattern for cell in found]
            assert sorted(patterns) == sorted(pattern for pattern, _ in oracle.cells(oracle_layers(net)))
            assert patterns == [cell.activation_pattern for cell in cells(net)]
            for cell in found:
                x = cell.interior_point
                assert net.activation_pattern(x) == cell.activation_pattern and cell.contains(x)
                alpha, beta = cell.affine_map
                assert net(x) == tuple(sum(a * v for a, v in zip(row, x)) + b for row, b in zip(alpha, beta))

    def test_against_all_patterns(self) -> None:
        """z3 says for each of the 2^n patterns whether its interior is empty."""
        rng = random.Random(4)
        for bound in (1, 3):
            net = random_network(rng, (2, 2, 2, 1), bound)
            found = {cell.activation_pattern for cell in cells(net)}
            for bits in product((False, True), repeat=4):
                assert ((bits[:2], bits[2:]) in found) == open_cell_exists(net, (bits[:2], bits[2:]))

    @pytest.mark.parametrize(("n", "m", "count"), [(2, 4, 11), (2, 6, 22), (3, 5, 26), (3, 7, 64), (4, 6, 57)])
    def test_generic_arrangements(self, n: int, m: int, count: int) -> None:
        """Points on the moment curve give hyperplanes in general position: Σ_{i≤n} C(m, i) cells."""
        rows = [[Fraction(t) ** (k + 1) for k in range(n)] for t in range(1, m + 1)]
        net = sf.Network([(rows, [Fraction(t) ** (n + 1) + 1 for t in range(1, m + 1)]), ([[1] * m], [0])])
        assert sum(1 for _ in cells(net)) == sum(comb(m, i) for i in range(n + 1)) == count

    def test_irredundant_inequalities(self) -> None:
        """Leaving out any one of them enlarges the cell; facets and neighbours agree."""
        net = random_network(random.Random(3), (2, 4, 3, 1), 9)
        graph = neighbour_graph(net)
        for cell in cells(net):
            forms = cell.inequalities
            for dropped in range(len(forms)):
                kept = [*forms[:dropped], *forms[dropped + 1 :]]
                solver, x = z3.Solver(), z3.Reals("x y")
                for form in kept:
                    solver.add(sum(a * v for a, v in zip(map(as_z3, form), x)) + as_z3(form[-1]) >= 0)
                solver.add(sum(a * v for a, v in zip(map(as_z3, forms[dropped]), x)) + as_z3(forms[dropped][-1]) < 0)
                assert solver.check() == z3.sat
            assert graph.degree(cell.activation_pattern) <= len(forms)

    def test_boundedness(self) -> None:
        triangle = sf.Network([([[1, 0], [0, 1], [-1, -1]], [0, 0, 1]), ([[1, 1, 1]], [0])])
        bounded = [cell.activation_pattern for cell in cells(triangle) if cell.bounded]
        assert bounded == [((True, True, True),)]
        strip = sf.Network([([[1, 0], [-1, 0]], [0, 1]), ([[1, 1]], [0])])
        assert not any(cell.bounded for cell in cells(strip))

    def test_region(self) -> None:
        net = random_network(random.Random(5), (2, 4, 3, 1), 9)
        small = list(cells(net, box([-1, -2], [3, "1/2"])))
        assert sum(area(cell) for cell in small) == 10 and all(cell.bounded for cell in small)
        assert {c.activation_pattern for c in small} <= {c.activation_pattern for c in cells(net)}
        with pytest.raises(sf.InputError, match="interior"):
            list(cells(net, [[1, 0, 0], [-1, 0, 0]]))
        with pytest.raises(sf.InputError, match="length 3"):
            list(cells(net, [[1, 0]]))
        for bad in (([0], [0]), ([0, 0], [1])):
            with pytest.raises(sf.InputError, match="lower < upper"):
                box(*bad)

    def test_deep_network_in_a_small_box(self) -> None:
        net = random_network(random.Random(6), (6, 50, 50, 50, 5), 9)
        size = Fraction(1, 10**5)
        found = list(cells(net, box([1 - size] * 6, [1 + size] * 6)))
        assert found and len({cell.activation_pattern for cell in found}) == len(found)

    def test_lazy_and_limited(self) -> None:
        net = random_network(random.Random(7), (4, 30, 30, 1), 99)
        assert len(list(islice(cells(net), 3))) == 3
        with pytest.raises(sf.LimitExceededError) as error:
            list(cells(net, limit=5))
        assert error.value.known == {"cells": 5}

    def test_memory_stays_bounded(self) -> None:
        """Only one path of the tree is kept: thousands of cells pass through less memory than a hundred bytes each."""
        net = random_network(random.Random(8), (3, 24, 24, 1), 99)
        tracemalloc.start()
        for _ in islice(cells(net), 10_000):
            pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 10_000 * 100

    def test_degenerate(self) -> None:
        assert len(list(cells(sf.Network([([[1, 2]], [0])])))) == 1
        zero = sf.Network([([[0], [0], [0]], [0, 1, -1]), ([[1, 1, 1]], [0])])
        (only,) = cells(zero)
        assert only.activation_pattern == ((False, True, False),) and not only.bounded
        with pytest.raises(sf.InputError, match="coordinates"):
            only.contains([1, 2])


class TestRepresentations:
    """The same cells by corners and rays, by linear programs, and by proofs of emptiness."""

    @pytest.mark.parametrize("shape", [(1, 3, 2, 1), (2, 3, 3, 1), (3, 3, 2, 1), (2, 2, 2, 2, 1), (4, 4, 2, 1)])
    @pytest.mark.parametrize("bound", [1, 3, 99])
    def test_linear_programs_give_the_same_cells(
        self, shape: tuple[int, ...], bound: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        net = random_network(random.Random(bound), shape, bound)
        by_corners = {cell.activation_pattern: cell for cell in cells(net)}
        monkeypatch.setattr(sys.modules["symfiber.cells"], "CORNER_LIMIT", 0)
        by_programs = {cell.activation_pattern: cell for cell in cells(net)}
        assert by_corners.keys() == by_programs.keys()
        for pattern, cell in by_corners.items():
            other = by_programs[pattern]
            assert isinstance(other.region, HalfSpaces) or not any(shape[1:-1])
            assert set(cell.inequalities) == set(other.inequalities) and cell.bounded == other.bounded
            assert net.activation_pattern(other.interior_point) == pattern
            with pytest.raises(sf.UnsupportedError, match="corners"):
                other.corners()

    def test_large_boxes_use_linear_programs(self) -> None:
        net = random_network(random.Random(1), (12, 2, 2, 1), 9)
        found = list(cells(net, box([-1] * 12, [1] * 12)))
        assert all(isinstance(cell.region, HalfSpaces) and cell.bounded for cell in found)
        assert {cell.activation_pattern for cell in found} <= {cell.activation_pattern for cell in cells(net)}

    @pytest.mark.parametrize("shape", [(1, 3, 2, 1), (2, 3, 2, 1), (3, 3, 2, 1)])
    def test_emptiness_proofs(self, shape: tuple[int, ...]) -> None:
        """Every part left out is proved empty: cells and proofs are the leaves of one binary tree."""
        for bound in (2, 99):
            net = random_network(random.Random(bound), shape, bound)
            prefixes = set()
            for cell in cells(net):
                flat = [on for layer in cell.activation_pattern for on in layer]
                prefixes |= {tuple(flat[:k]) for k in range(len(flat) + 1)}
            left_out = set()
            for part in emptiness_proofs(net):
                assert part.verify() and "nowhere" in str(part)
                prefix = tuple(on for layer in part.pattern for on in layer)
                assert prefix in prefixes
                left_out.add((*prefix, part.active))
            assert not left_out & prefixes
            total = sum(shape[1:-1])
            for prefix in prefixes:
                if len(prefix) < total:
                    for on in (True, False):
                        known = (*prefix, on) in prefixes or (*prefix, on) in left_out
                        assert known or identically_zero(net, prefix)

    @pytest.mark.parametrize("d", [1, 2, 3, 4])
    def test_volumes_of_a_box_add_up(self, d: int) -> None:
        net = random_network(random.Random(d), (d, 4, 3, 1), 9)
        found = list(cells(net, box([-1] * d, [2] * (d - 1) + ["1/2"])))
        assert len(found) > 1 and sum(volume(cell) for cell in found) == 3 ** (d - 1) * Fraction(3, 2)

    def test_corners_satisfy_their_cell(self) -> None:
        net = random_network(random.Random(5), (3, 4, 3, 1), 9)
        for cell in cells(net, box([-2] * 3, [2] * 3)):
            assert len(set(cell.corners())) == len(cell.corners()) >= 4
            for corner in cell.corners():
                values = [sum(a * x for a, x in zip(row, corner)) + row[-1] for row in cell.inequalities]
                assert cell.contains(corner) and values.count(0) >= 3


def identically_zero(net: sf.Network, prefix: tuple[bool, ...]) -> bool:
    """Whether the next neuron's preactivation is the zero polynomial on the region with these activities."""
    forms = [[Fraction(int(q == k)) for k in range(net.architecture[0] + 1)] for q in range(net.architecture[0])]
    for layer in net.layers:
        forms = oracle.apply_layer(*layer, forms)
        if len(prefix) < len(forms):
            return not any(forms[len(prefix)])
        forms, prefix = oracle.mask(forms, prefix[: len(forms)]), prefix[len(forms) :]
    raise AssertionError


class TestFaces:
    @pytest.mark.parametrize("shape", SHAPES)
    def test_euler_characteristic(self, shape: tuple[int, ...]) -> None:
        rng = random.Random(8)
        for bound in (1, 2, 9):
            net = random_network(rng, shape, bound)
            counts = face_counts(net)
            assert sum((-1) ** k * n for k, n in enumerate(counts)) == (-1) ** shape[0]
            assert counts[-1] == sum(1 for _ in cells(net))

    def test_points_have_their_signs(self) -> None:
        net = random_network(random.Random(2), (2, 3, 2, 1), 3)
        seen = set()
        for face in faces(net):
            values, signs = face.relative_interior_point, []
            for weight, bias in net.layers[:-1]:
                before = [sum(w * v for w, v in zip(row, values)) + b for row, b in zip(weight, bias)]
                signs.append(tuple((x > 0) - (x < 0) for x in before))
                values = tuple(max(x, Fraction(0)) for x in before)
            assert tuple(signs) == face.signs
            seen.add(face.signs)
        assert len(seen) == sum(face_counts(net))

    @pytest.mark.parametrize("shape", [(1, 3, 1), (2, 2, 2, 1), (2, 3, 2, 1), (3, 2, 2, 1)])
    @pytest.mark.parametrize("bound", [1, 9])
    def test_against_signs_by_linear_programs(self, shape: tuple[int, ...], bound: int) -> None:
        net = random_network(random.Random(bound), shape, bound)
        assert sorted((face.signs, face.dimension) for face in faces(net)) == sorted(sign_patterns(net))

    def test_neighbours_are_the_facets(self) -> None:
        """Every facet of the complex lies between two cells: as many edges as faces of codimension 1."""
        for d, seed in ((1, 1), (2, 2), (3, 3)):
            net = random_network(random.Random(seed), (d, 4, 3, 1), 9)
            graph = neighbour_graph(net)
            assert graph.number_of_edges() == face_counts(net)[d - 1] and nx.is_connected(graph)
            for first, second, data in graph.edges(data=True):
                assert data["neurons"]
                for pattern in (first, second):
                    forms = {max(row, tuple(-v for v in row)) for row in graph.nodes[pattern]["cell"].inequalities}
                    assert max(data["facet"], tuple(-v for v in data["facet"])) in forms

    def test_neighbours(self) -> None:
        """Three lines in general position: a triangle with three edge and three corner neighbours."""
        net = sf.Network([([[1, 0], [0, 1], [-1, -1]], [0, 0, 1]), ([[1, 1, 1]], [0])])
        graph = neighbour_graph(net)
        assert sorted(d for _, d in graph.degree()) == [2, 2, 2, 3, 3, 3, 3]
        assert nx.is_connected(graph) and face_counts(net) == (3, 9, 7)
        for _, _, data in graph.edges(data=True):
            assert len(data["neurons"]) == 1

    def test_limit_and_area_refusals(self) -> None:
        net = library.get("identifiable-2-2-2-1")
        with pytest.raises(sf.LimitExceededError):
            face_counts(net, limit=3)
        with pytest.raises(sf.UnsupportedError, match="bounded"):
            area(next(cells(net)))


def sign_patterns(net: sf.Network) -> list[tuple[Any, int]]:
    """All sign patterns that occur, with the dimension of their set: one linear program for each sign and neuron."""
    d = net.architecture[0]
    inputs = [[Fraction(int(q == k)) for k in range(d + 1)] for q in range(d)]
    partial: list[Any] = [((), [], [], inputs)]
    for layer in net.layers[:-1]:
        following = []
        for signs, strict, equations, forms in partial:
            before = oracle.apply_layer(*layer, forms)
            parts: list[Any] = [((), strict, equations)]
            for form in before:
                parts = [
                    ((*own, s), more, fixed)
                    for own, inside, on in parts
                    for s in (-1, 0, 1)
                    for more, fixed in [([*inside, [s * x for x in form]], on) if s else (inside, [*on, form])]
                    if solve_inequalities([], strict=more, equations=fixed, dimension=d)
                ]
            for own, inside, on in parts:
                following.append(((*signs, own), inside, on, oracle.mask(before, [s > 0 for s in own])))
        partial = following
    return [(signs, d - Matrix([form[:-1] for form in on], d).rank()) for signs, _, on, _ in partial]


def as_z3(value: Fraction) -> Any:
    return z3.RealVal(str(value))


def open_cell_exists(net: sf.Network, pattern: Any) -> bool:
    """Whether the preactivations have strictly these signs somewhere; inactive ones may also vanish identically."""
    solver, forms = z3.Solver(), [z3.Real("x"), z3.Real("y")]
    for (weight, bias), active in zip(net.layers, pattern):
        before = [sum((as_z3(w) * f for w, f in zip(row, forms)), as_z3(b)) for row, b in zip(weight, bias)]
        for value, on in zip(before, active):
            identically_zero = z3.Solver()
            identically_zero.add(value != 0)
            if on:
                solver.add(value > 0)
            elif identically_zero.check() == z3.sat:
                solver.add(value < 0)
        forms = [value if on else as_z3(Fraction(0)) for value, on in zip(before, active)]
    return bool(solver.check() == z3.sat)
