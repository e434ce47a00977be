"""Hidden hypersurfaces, identifiability and genericity, against definitions checked by brute force."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any

import pytest
from oracle.random_networks import rank

import symfiber as sf
from symfiber import library
from symfiber.bottleneck import sign_pattern_case

IDENTITY = {1: [[1]], 2: [[1, 0], [0, 1]], 3: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}


def kink_across(net: sf.Network, i: int, rng: random.Random) -> bool:
    """Whether f kinks across {y_i = 0}, W₁ = 1 and b₁ = 0: one-sided slopes at many points of every face, exactly.

    The kinks of layer 2 on a face are finitely many hyperplanes with small integer coefficients; points with entries
    that are independent enough (large primes over a larger one) avoid them all.
    """
    n = net.architecture[1]
    primes = (10007, 20011, 30011, 50021, 70001, 90001, 110017, 130003)
    for signs in product((1, -1), repeat=n - 1):
        for _ in range(25):
            size = rng.choice((Fraction(1, 50), Fraction(1, 2), 1, 2, 9))
            others = [s * size * Fraction(rng.choice(primes), rng.choice((100003, 300007, 7919))) for s in signs]

            def at(t: Fraction, others: list[Fraction] = others) -> tuple[Fraction, ...]:
                return net([*others[:i], t, *others[i:]])

            step = Fraction(1, 10**9)
            if any(b != a for a, b in zip(at(Fraction(0)), at(step))):
                # f is constant in y_i < 0, so a nonzero slope on the positive side is a kink.
                return True
    return False


@pytest.mark.parametrize(
    ("n", "width", "m"), [(1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 2, 1), (2, 3, 2), (3, 2, 1), (3, 3, 1)]
)
def test_hidden_hypersurfaces_on_degenerate_grids(n: int, width: int, m: int) -> None:
    """Small integers with many zeros, cancellations and equal rows."""
    rng = random.Random(100 * n + 10 * width + m)
    found = 0
    for attempt in range(150):
        values = (-2, -1, 0, 1) if attempt % 2 else (-2, -1, 0, 0, 1, 2)
        rows = [[rng.choice(values) for _ in range(n)] for _ in range(width)]
        biases = [rng.choice(values) for _ in range(width)]
        if attempt % 3 == 0 and width > 1:
            # Opposite rows with equal jumps: kinks can cancel.
            rows[1], biases[1] = [-x for x in rows[0]], -biases[0]
        out = [[rng.choice((-1, 1, 1, 2, 0)) for _ in range(width)] for _ in range(m)]
        net = sf.Network([(IDENTITY[n], [0] * n), (rows, biases), (out, [0] * m)])
        hidden = sf.hidden_hypersurfaces(net)
        assert hidden == tuple(i for i in range(n) if not kink_across(net, i, rng)), net.layers
        found += bool(hidden)
    assert found > 5


def test_hidden_through_a_general_first_layer() -> None:
    """An affine change of the input does not matter."""
    net = sf.Network([([[1, 2, 0], [3, -1, 1]], [5, -7]), ([[-1, 2], [-3, 1]], [-1, -2]), ([[1, 1]], [0])])
    assert sf.hidden_hypersurfaces(net) == (1,)
    assert sf.hidden_hypersurfaces(library.get("constant-2-2-2-1")) == (0, 1)


def test_many_zero_weights_with_zero_bias_is_undecided() -> None:
    n = 20
    identity = [[int(i == j) for j in range(n)] for i in range(n)]
    net = sf.Network([(identity, [0] * n), ([[1, -1] + [0] * (n - 2)], [0]), ([[1]], [0])])
    with pytest.raises(sf.UndecidedError, match="zero bias"):
        sf.hidden_hypersurfaces(net)


@pytest.mark.parametrize("what", [sf.hidden_hypersurfaces, sf.is_identifiable])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wide-1-2-1-1", "n1 <= d"),
        ("rank-deficient-2-2-1-1", "rank W1"),
        ("not-localizable-2-2-1-1-1", "two hidden layers"),
    ],
)
def test_refusals(what: Any, name: str, words: str) -> None:
    with pytest.raises(sf.UnsupportedError, match=words):
        what(library.get(name))
    with pytest.raises(sf.UnsupportedError, match="numbers"):
        what(sf.Network.symbolic((2, 2, 2, 1)))


class TestIdentifiability:
    def test_library(self) -> None:
        yes = {"identifiable-2-2-2-1", "univariate-visible-2-1-2-1", "diabetes-10-8-6-1", "iris-4-2-3-3"}
        for name in library.names():
            try:
                answer = sf.is_identifiable(library.get(name))
            except sf.UnsupportedError:
                continue
            assert answer == (name in yes), name

    def test_generic_is_needed_for_yes(self) -> None:
        net = sf.Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1], [3, 0]], [3, -1]), ([[1, 1]], [0])])
        with pytest.raises(sf.UndecidedError, match="refuted"):
            sf.is_identifiable(net)

    @pytest.mark.parametrize(("n1", "n2"), list(product((1, 2, 3), repeat=2)))
    def test_probability_equals_enumeration(self, n1: int, n2: int) -> None:
        """All 2^((n₁+1) n₂) sign patterns, classified by the definitions."""
        rows = list(product((1, -1), repeat=n1 + 1))
        count = 0
        for pattern in product(rows, repeat=n2):
            mixed = all(1 in row and -1 in row for row in pattern)
            hides = any(
                all(row == tuple(1 if k == i else -1 for k in range(n1 + 1)) for row in pattern) for i in range(n1)
            )
            identifiable = mixed and not hides
            assert (sign_pattern_case(pattern) == "identifiable") == identifiable
            count += identifiable
        assert sf.identifiable_probability(n1, n2) == Fraction(count, len(rows) ** n2)

    def test_sign_patterns_agree_with_fibers(self) -> None:
        """A network with a sign pattern has the fiber case that the pattern says."""
        rng = random.Random(3)
        for pattern in product(product((1, -1), repeat=3), repeat=2):
            entries = [[s * rng.randint(100, 999) for s in row] for row in pattern]
            layer = [row[:-1] for row in entries], [row[-1] for row in entries]
            net = sf.Network([([[3, 1], [2, 5]], [1, 2]), layer, ([[rng.randint(1, 99), rng.randint(1, 99)]], [0])])
            case, fiber = sign_pattern_case(pattern), sf.fiber(net)
            expected = case if case in ("constant", "hidden", "hidden-single") else "visible"
            assert fiber.case == expected
            if fiber.completeness == "proved":
                assert sf.is_identifiable(net) == (case == "identifiable")

    @pytest.mark.parametrize("bad", [(0, 1), (1, 0), (1.5, 1), ("2", 2)])
    def test_bad_widths(self, bad: Any) -> None:
        with pytest.raises(sf.InputError, match="positive int"):
            sf.identifiable_probability(*bad)

    @pytest.mark.parametrize("bad", [[], [[1, 0]], [[1, -1], [1]], [[2, 1]]])
    def test_bad_patterns(self, bad: Any) -> None:
        with pytest.raises(sf.InputError, match="signs"):
            sign_pattern_case(bad)


def masks(size: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(size), k) for k in range(size + 1)))


class TestGenericity:
    """check_generic against the rank conditions of THEORY §2, all masks, plain fractions."""

    @pytest.mark.parametrize(("n1", "n2", "m"), [(1, 1, 1), (1, 2, 2), (2, 2, 1), (2, 3, 2), (3, 2, 2), (3, 3, 1)])
    def test_against_all_masks(self, n1: int, n2: int, m: int) -> None:
        rng = random.Random(n1 + 10 * n2 + 100 * m)
        statuses = set()
        for attempt in range(40):
            bound = 3 if attempt % 2 else 99
            W2 = [[rng.randint(-bound, bound) for _ in range(n1)] for _ in range(n2)]
            b2 = [rng.randint(-bound, bound) for _ in range(n2)]
            W3 = [[rng.randint(-bound, bound) for _ in range(n2)] for _ in range(m)]
            net = sf.Network([(IDENTITY[n1], [0] * n1), (W2, b2), (W3, [0] * m)])
            report = sf.check_generic(net)
            by_name = {h.name: h for h in report.hypotheses}
            for name, defect in (("G2", self.product_defect), ("G3", self.crossing_defect)):
                holds = all(defect(W2, b2, W3, S, T) == 0 for S in masks(n1) for T in masks(n2))
                hypothesis = by_name[name]
                assert hypothesis.status == ("proved" if holds else "refuted")
                if not holds:
                    T, S = hypothesis.neurons, hypothesis.inputs
                    assert T is not None and S is not None
                    inner = tuple(s for s in S if s < n1)
                    assert defect(W2, b2, W3, inner, T) > 0 or self.minor_vanishes(W2, b2, S, T)
            statuses.add(report.status)
        assert statuses == {"proved", "refuted"}

    @staticmethod
    def product_defect(W2: Any, b2: Any, W3: Any, S: Any, T: Any) -> int:
        m = len(W3)
        product_matrix = [[sum((Fraction(row[j] * W2[j][i]) for j in T), Fraction(0)) for i in S] for row in W3]
        return min(m, len(T), len(S)) - (rank(product_matrix) if S and T else 0)

    @staticmethod
    def crossing_defect(W2: Any, b2: Any, W3: Any, S: Any, T: Any) -> int:
        plain = [[Fraction(W2[j][i]) for i in S] for j in T]
        extended = [[*row, Fraction(b2[j])] for row, j in zip(plain, T)]
        first = min(len(T), len(S)) - (rank(plain) if S and T else 0)
        return first + min(len(T), len(S) + 1) - (rank(extended) if T else 0)

    @staticmethod
    def minor_vanishes(W2: Any, b2: Any, S: Any, T: Any) -> bool:
        extended = [[Fraction(x) for x in [*W2[j], b2[j]]] for j in T]
        minor = [[row[s] for s in S] for row in extended]
        return len(S) == len(T) and rank(minor) < len(T)

    def test_limit_says_what_was_covered(self) -> None:
        report = sf.check_generic(library.get("diabetes-10-8-6-1"), limit=200)
        assert report.status == "undecided"
        assert "holds for all" in str(report)
        refuted = sf.check_generic(sf.Network([([[1]], [0]), ([[0]], [1]), ([[1]], [0])]), limit=10)
        assert refuted.status == "refuted" and "zero weight" in str(refuted)

    def test_rank_of_the_first_layer(self) -> None:
        report = sf.check_generic(library.get("rank-deficient-2-2-1-1"))
        assert report.failures()[0].name == "G1"
        with pytest.raises(sf.UnsupportedError, match="symbols"):
            sf.check_generic(sf.Network.symbolic((2, 2, 2, 1)))
