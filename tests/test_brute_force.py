"""Fibers of degenerate networks and whole grids of small integer networks, against definitions written out here.

Zero entries, equal rows, cancelling columns and width 1 are the rule, not the exception: none of these networks is
generic, so whatever the package says about them must hold without genericity.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from oracle.cells import cells, evaluate
from oracle.functional_dimension import functional_dimension
from oracle.z3_equal import equal

import symfiber as sf
from symfiber.symmetry import Reversal, stabilizers_of

Layers = list[tuple[list[list[Fraction]], list[Fraction]]]
VALUES = ((-1, 0, 1), (-2, -1, 0, 1, 2), (-1, 1), (-3, -2, -1, 1, 2, 3))


def plain(net: sf.Network) -> Layers:
    return [([list(row) for row in layer.weight], list(layer.bias)) for layer in net.layers]


def same_function(first: sf.Network, second: sf.Network) -> bool:
    """Exact values at an interior point of every cell of both networks."""
    a, b = plain(first), plain(second)
    return all(evaluate(a, point) == evaluate(b, point) for base in (a, b) for _, point in cells(base))


def degenerate_network(rng: random.Random) -> sf.Network:
    """A network with small entries, many of them zero; rows of every type, or all hiding one neuron, or all dead."""
    n1, n2, m = rng.choice((1, 1, 2, 2, 3)), rng.randint(1, 4), rng.choice((1, 1, 2, 3))
    d, values = n1 + rng.choice((0, 0, 1)), rng.choice(VALUES)
    style, hidden = rng.choice(("mixed", "mixed", "hiding", "dead")), rng.randrange(n1)
    kinds = {"mixed": ("any", "any", "linear", "dead"), "hiding": ("hiding", "hiding", "dead"), "dead": ("dead",)}
    rows = []
    for _ in range(n2):
        kind, sizes = rng.choice(kinds[style]), [abs(rng.choice(values)) for _ in range(n1 + 1)]
        if kind == "any":
            sizes = [x * rng.choice((1, -1)) for x in sizes]
        elif kind == "dead":
            sizes = [-x for x in sizes]
        elif kind == "hiding":
            sizes = [(x or 1) if i == hidden else -x for i, x in enumerate(sizes)]
        rows.append(sizes)
    first = [[rng.choice(values) for _ in range(d)] for _ in range(n1)], [rng.choice(values) for _ in range(n1)]
    last = [[rng.choice(values) for _ in range(n2)] for _ in range(m)], [rng.choice(values) for _ in range(m)]
    return sf.Network([first, ([row[:-1] for row in rows], [row[-1] for row in rows]), last])


def degenerate_fibers(seed: int, count: int) -> list[sf.Fiber]:
    rng, found = random.Random(seed), []
    while len(found) < count:
        try:
            found.append(sf.fiber(degenerate_network(rng)))
        except sf.UnsupportedError:
            continue
    return found


class TestDegenerateNetworks:
    @pytest.mark.parametrize("seed", range(4))
    def test_every_stratum_of_every_component(self, seed: int) -> None:
        """Samples keep the function, lie in one component and its set; every chart has the dimension of its stratum."""
        rng = random.Random(100 + seed)
        for fiber in degenerate_fibers(seed, 14):
            net, components = fiber.network, list(fiber.components)
            assert len({c.label for c in components}) == len(components) == fiber.component_count
            assert net in fiber.home and fiber.dimension == max(c.dimension for c in components)
            for component in components[:5]:
                certificate = component.dimension_certificate
                assert certificate.verify() and certificate.lower == certificate.upper == component.dimension
                case = component.case
                for stratum in case.strata(component.label):
                    chart, point = case.chart(component.label, stratum, rng.randrange(100))
                    assert chart.domain.contains(point)
                    sample = sf.Network.from_parameters(net.architecture, chart(point))
                    self.check_member(fiber, components, component, sample)
                    if stratum is not None:
                        block = case.block(component.label)
                        rest = component.dimension - block.dimension
                        assert chart.jacobian(point).rank() == rest + block.stratum_dimension(*stratum)
                self.check_perturbed(fiber, components, component.sample(rng.randrange(30)), rng)

    @staticmethod
    def check_member(fiber: sf.Fiber, components: Any, component: sf.Component, sample: sf.Network) -> None:
        context = str(fiber.network), component, str(sample)
        assert same_function(fiber.network, sample), context
        assert [c.label for c in components if sample in c] == [component.label], context
        assert [c.label for c in components if c.set.contains(sample.parameters)] == [component.label], context

    @staticmethod
    def check_perturbed(fiber: sf.Fiber, components: Any, sample: sf.Network, rng: random.Random) -> None:
        values = list(sample.parameters)
        place = rng.randrange(len(values))
        values[place] = values[place] * 2 + 1
        changed = sf.Network.from_parameters(sample.architecture, values)
        inside = any(c.set.contains(changed.parameters) for c in components)
        if inside or fiber.component_of(changed) is not None:
            assert same_function(fiber.network, changed), (str(fiber.network), str(changed))

    @pytest.mark.parametrize("seed", range(4))
    def test_generators_and_stabilizers(self, seed: int) -> None:
        for fiber in degenerate_fibers(10 + seed, 14):
            net = fiber.network
            for generator in fiber.generators:
                value = generator.sample(net, seed)
                image = generator(net, value)
                assert same_function(net, image), (str(net), generator)
                assert fiber.component_of(image) is not None, (str(net), generator)
                back = generator.reversed() if isinstance(generator, Reversal) else generator
                assert back(image, generator.inverse(net, value)) == net
            for component in list(fiber.components)[:4]:
                member = component.sample(0)
                for generator in stabilizers_of(component):
                    assert generator(member, generator.sample(member, seed)) in component, (str(net), generator)

    @pytest.mark.parametrize("seed", range(3))
    def test_local_dimension_is_never_too_large(self, seed: int) -> None:
        """The tangent vectors that change nothing to first order are at least as many; as many when generic."""
        decided = 0
        for fiber in degenerate_fibers(20 + seed, 40):
            net = fiber.network
            try:
                dimension = fiber.local_dimension
            except sf.UndecidedError:
                continue
            decided += 1
            kernel = net.parameter_count - functional_dimension(plain(net))
            assert dimension <= kernel and dimension <= fiber.dimension, str(net)
            if sf.check_generic(net).status == "proved":
                assert dimension == kernel, str(net)
        assert decided > 4


@pytest.mark.parametrize("seed", range(3))
def test_hidden_hypersurfaces_cell_by_cell(seed: int) -> None:
    """H_i is hidden iff Σ c_j w_ji over the active neurons vanishes in every cell of the arrangement on H_i."""
    rng = random.Random(seed)
    for _ in range(120):
        n, width, m, values = rng.randint(1, 4), rng.randint(1, 4), rng.choice((1, 1, 2)), rng.choice(VALUES)
        rows = [[rng.choice(values) for _ in range(n)] for _ in range(width)]
        biases = [rng.choice((*values, 0)) for _ in range(width)]
        out = [[rng.choice(values) for _ in range(width)] for _ in range(m)]
        if width > 1 and rng.random() < 0.5:
            factor = rng.choice((1, 2, -1))
            rows[1], biases[1] = [factor * x for x in rows[0]], factor * biases[0]
        if width > 1 and rng.random() < 0.4:
            out = [[row[0], -row[0], *row[2:]] for row in out]
        identity = [[int(a == b) for b in range(n)] for a in range(n)]
        net = sf.Network([(identity, [0] * n), (rows, biases), (out, [0] * m)])
        expected = tuple(i for i in range(n) if hidden_by_cells(rows, biases, out, i))
        assert sf.hidden_hypersurfaces(net) == expected, (rows, biases, out)


def hidden_by_cells(rows: Any, biases: Any, out: Any, i: int) -> bool:
    n = len(rows[0])
    others = [k for k in range(n) if k != i]
    points: list[Any] = [()]
    if others:
        identity = [[Fraction(int(a == b)) for b in range(n - 1)] for a in range(n - 1)]
        restricted = [[Fraction(row[k]) for k in others] for row in rows], [Fraction(b) for b in biases]
        ending = [[Fraction(1)] * len(rows)], [Fraction(0)]
        points = [p for _, p in cells([(identity, [Fraction(0)] * (n - 1)), restricted, ending])]
    for point in points:
        z = [max(x, Fraction(0)) for x in point]
        values = [sum(row[k] * x for k, x in zip(others, z)) + b for row, b in zip(rows, biases)]
        # A neuron that vanishes on the whole cell is active beside it when its slope is positive.
        active = [j for j, v in enumerate(values) if v > 0 or (v == 0 and rows[j][i] > 0)]
        if any(sum(line[j] * rows[j][i] for j in active) for line in out):
            return False
    return True


Univariate = tuple[int, int, tuple[tuple[int, int], ...], tuple[tuple[int, ...], ...], tuple[int, ...]]


class TestUnivariateGrids:
    """n₁ = 1 needs no genericity: in a grid, exactly the reduced members of a function's class are located."""

    @pytest.mark.parametrize(
        ("width", "m", "W", "b", "w2", "b2", "c", "e", "bases"),
        [
            (1, 1, (-2, -1, 1, 2), (-1, 0, 1), (-2, -1, 0, 1, 2), (-2, -1, 0, 1, 2), (-2, -1, 0, 1), (-1, 0, 1), 400),
            (2, 1, (-1, 1), (-1, 0, 2), (-1, 1, 0), (-2, -1, 0, 1), (-1, 1, 2), (0, 1), 300),
            (3, 1, (-1, 1), (0, 1), (-1, 1), (-2, -1, 1), (-1, 1), (0, 1), 150),
            (2, 2, (-1, 1), (0, 1), (-1, 1), (-2, -1, 0, 1), (-1, 0, 1), (0,), 150),
        ],
    )
    def test_grid(self, width: int, m: int, W: Any, b: Any, w2: Any, b2: Any, c: Any, e: Any, bases: int) -> None:
        rng = random.Random(width * 10 + m)
        groups: dict[Any, list[Univariate]] = {}
        for entries in product(W, b, *[w2] * width, *[b2] * width, *[c] * (width * m), *[e] * m):
            if rng.random() < 0.5 and width > 1:
                continue
            rest = entries[2 + 2 * width :]
            rows = tuple(zip(entries[2 : 2 + width], entries[2 + width : 2 + 2 * width]))
            columns = tuple(rest[j * m : (j + 1) * m] for j in range(width))
            member = entries[0], entries[1], rows, columns, rest[width * m :]
            groups.setdefault(kinks_and_values(*member), []).append(member)
        keys = [key for key in groups if key[0]]
        located = 0
        for key in rng.sample(keys, min(bases, len(keys))):
            reduced = [p for p in groups[key] if is_reduced(p)]
            if not reduced:
                continue
            fiber = sf.fiber(as_network(rng.choice(reduced)))
            components = list(fiber.components)
            for other in rng.sample(groups[key], min(12, len(groups[key]))):
                net = as_network(other)
                found = fiber.component_of(net)
                assert (found is not None) == is_reduced(other), (fiber.network.layers, other)
                assert [net in component for component in components].count(True) == (found is not None)
                located += found is not None
            foreign = groups[rng.choice(keys)]
            if foreign is not groups[key]:
                assert fiber.component_of(as_network(rng.choice(foreign))) is None
        assert located > bases


def as_network(member: Univariate) -> sf.Network:
    w, b, rows, columns, offset = member
    return sf.Network([([[w]], [b]), ([[r] for r, _ in rows], [s for _, s in rows]), (list(zip(*columns)), offset)])


def kinks_and_values(w: int, b: int, rows: Any, columns: Any, offset: Any) -> Any:
    """The kinks of the function with the slopes beside them, its value at 0 and its first slope: a normal form."""

    def value(x: Fraction) -> tuple[Fraction, ...]:
        z = max(w * x + b, Fraction(0))
        active = [max(r * z + s, Fraction(0)) for r, s in rows]
        return tuple(sum(c[o] * a for c, a in zip(columns, active)) + e for o, e in enumerate(offset))

    bends = [Fraction(0), *(Fraction(-s, r) for r, s in rows if r * s < 0)]
    places = sorted({(z - b) / Fraction(w) for z in bends})
    places = [places[0] - 1, *places, places[-1] + 1]
    values = [value(x) for x in places]
    slopes = [
        tuple((q - p) / (right - left) for p, q in zip(before, after))
        for left, right, before, after in zip(places, places[1:], values, values[1:])
    ]
    kinks = [(x, left, right) for x, left, right in zip(places[1:], slopes, slopes[1:]) if left != right]
    return tuple(kinks), value(Fraction(0)), slopes[0]


def is_reduced(member: Univariate) -> bool:
    bends = [Fraction(-s, r) for r, s in member[2] if r * s < 0]
    used = all(any(c) for (r, s), c in zip(member[2], member[3]) if r * s < 0)
    return used and len(set(bends)) == len(bends)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_identifiable_univariate_sign_patterns(width: int) -> None:
    """n₁ = 1: of the patterns without a dead, linear or hiding row, the one with all rows (−, +) can be reversed."""
    rng = random.Random(width)
    identifiable = 0
    for pattern in product(product((1, -1), repeat=2), repeat=width):
        rows = [[s * rng.randint(100, 999) for s in row] for row in pattern]
        last = [[rng.randint(100, 999) for _ in range(width)]], [0]
        net = sf.Network([([[3]], [1]), ([[w] for w, _ in rows], [b for _, b in rows]), last])
        identifiable += sf.is_identifiable(net)
    share = sf.identifiable_probability(1, width) - Fraction(1, 4**width)
    assert Fraction(identifiable, 4**width) == share


class TestTwoInputGrids:
    """n₁ = 2: generic networks of a random grid with equal values everywhere we look are located, or z3 tells them apart."""

    @pytest.mark.parametrize(("width", "m", "count"), [(1, 1, 30_000), (1, 2, 20_000), (2, 1, 90_000)])
    def test_generic_members(self, width: int, m: int, count: int) -> None:
        rng = np.random.default_rng(10 * width + m)
        groups = grid_groups(rng, width, m, count)
        picked, cases, members = random.Random(1), set(), 0
        for group in picked.sample(groups, min(250, len(groups))):
            generic = [net for p in group if sf.check_generic(net := sf.Network(p)).status == "proved"]
            if len(generic) < 2:
                continue
            base, *others = picked.sample(generic, min(6, len(generic)))
            fiber = sf.fiber(base)
            cases.add(fiber.case)
            for other in others:
                found = fiber.component_of(other)
                same = same_function(base, other) if found is not None else equal(plain(base), plain(other)) is None
                assert same == (found is not None), (base.layers, other.layers)
                members += same
        assert members > 60 and "visible" in cases


def grid_groups(rng: Any, width: int, m: int, count: int) -> list[list[Any]]:
    """Random networks over unit first-layer rows, grouped by their values at many integer points (times 4)."""
    near = [(a, b) for a in range(-22, 23, 4) for b in range(-21, 22, 4)]
    far = [(200, 28), (-200, 28), (36, 200), (36, -200), (-124, -120), (124, -120), (-124, 120), (124, 120)]
    points = np.array(near + far)
    units = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    firsts = np.array([(a, b) for a, b in product(units, repeat=2) if a[0] * b[1] != a[1] * b[0]])
    small = (-2, -1, 1, 2)
    groups: dict[bytes, dict[Any, None]] = {}
    for _ in range(count // 2000):
        W1 = firsts[rng.integers(len(firsts), size=2000)]
        b1 = rng.choice((-2, -1, 0, 1, 2), size=(2000, 2))
        W2, b2 = rng.choice(small, size=(2000, width, 2)), rng.choice(small, size=(2000, width))
        W3 = rng.choice(small, size=(2000, m, width))
        z = np.maximum(np.einsum("bij,pj->bpi", W1, points) + 4 * b1[:, None, :], 0)
        h = np.maximum(np.einsum("bki,bpi->bpk", W2, z) + 4 * b2[:, None, :], 0)
        y = np.einsum("bmk,bpk->bpm", W3, h)
        rows = np.concatenate([W2, b2[:, :, None]], axis=2)
        generic = np.ones(2000, bool)
        for i, j in combinations(range(width), 2):
            for s, t in combinations(range(3), 2):
                generic &= rows[:, i, s] * rows[:, j, t] != rows[:, i, t] * rows[:, j, s]
        for index in np.nonzero(generic)[0]:
            member = [(W1[index], b1[index]), (W2[index], b2[index]), (W3[index], np.zeros(m, int))]
            key = tuple((tuple(map(tuple, weight.tolist())), tuple(bias.tolist())) for weight, bias in member)
            groups.setdefault(y[index].tobytes(), {})[key] = None
    return [list(members) for members in groups.values() if len(members) > 1]
