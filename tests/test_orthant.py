"""One hidden layer on the orthant: types, normal form, nonnegative column rank, against brute force and z3."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import z3
from oracle.z3_equal import equal

import symfiber as sf
from symfiber.exact import Matrix
from symfiber.orthant import OrthantFunction, neuron_type, orthant_normal_form, reduced_failure

NUMBERS = (-2, -1, 0, 1, 2)


def orthant_function(rows: Any, columns: Any, offset: Any) -> OrthantFunction:
    net = sf.Network([([row[:-1] for row in rows], [row[-1] for row in rows]), (list(zip(*columns)), offset)])
    return OrthantFunction.from_layers(*net.scalar_layers)


def as_full_network(rows: Any, columns: Any, offset: Any) -> Any:
    """x ↦ g(σ(x)), a three-layer network that the oracle can compare on all of ℝⁿ."""
    n = len(rows[0]) - 1
    identity = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    hidden = ([[Fraction(x) for x in row[:-1]] for row in rows], [Fraction(row[-1]) for row in rows])
    out = ([[Fraction(x) for x in line] for line in zip(*columns)], [Fraction(x) for x in offset])
    return [(identity, [Fraction(0)] * n), hidden, out]


@pytest.mark.parametrize("row", list(product((-2, 0, 3), repeat=3)))
def test_types_by_sampling(row: tuple[int, ...]) -> None:
    """Dead: never active on the open orthant; linear: always; nonlinear: both signs occur."""
    *weights, bias = row
    values = [
        sum(w * z for w, z in zip(weights, point)) + bias for point in product((Fraction(1, 99), 1, 99), repeat=2)
    ]
    net = sf.Network([([list(weights)], [bias])])
    kind = neuron_type(net.scalar_layers[0].weight[0], net.scalar_layers[0].bias[0])
    if kind == "dead":
        assert all(v <= 0 for v in values)
    elif kind == "linear":
        assert all(v >= 0 for v in values) and any(v > 0 for v in values)
    else:
        assert any(v > 0 for v in values) and any(v < 0 for v in values)


def test_types_of_symbolic_rows() -> None:
    net = sf.Network.symbolic((2, 2, 4, 1), signs=["++-", "+++", "---", "0-0"])
    assert sf.neuron_types(net) == ("nonlinear", "linear", "dead", "dead")
    with pytest.raises(sf.UndecidedError, match="W2_0_0"):
        sf.neuron_types(sf.Network.symbolic((2, 2, 1, 1)))
    with pytest.raises(sf.UnsupportedError, match="second hidden layer"):
        sf.neuron_types(sf.Network([([[1]], [1]), ([[1]], [1])]))


@pytest.mark.parametrize(("n", "m", "width"), [(1, 1, 2), (1, 2, 2), (2, 1, 2), (2, 1, 3), (2, 2, 2)])
def test_normal_form_is_a_complete_invariant(n: int, m: int, width: int) -> None:
    """Equal normal forms ⇔ equal functions, decided by z3, for random parameters full of coincidences."""
    rng = random.Random(10 * n + m + width)
    equal_pairs = 0
    for _ in range(60):
        pair = []
        base = [[rng.choice(NUMBERS) for _ in range(n + 1)] for _ in range(width)]
        for _ in range(2):
            # Rows of the second function are multiples of those of the first, so that functions often agree.
            rows = [[rng.choice((1, 1, 2, -1)) * x for x in rng.choice(base)] for _ in range(width)]
            columns = [[rng.choice((-2, 0, 1, 2)) for _ in range(m)] for _ in range(width)]
            pair.append((rows, columns, [rng.choice((-1, 0, 1)) for _ in range(m)]))
        forms = [orthant_normal_form(orthant_function(*g)) for g in pair]
        same = equal(as_full_network(*pair[0]), as_full_network(*pair[1])) is None
        assert (forms[0] == forms[1]) == same, pair
        equal_pairs += same
    assert m * n * width > 2 or equal_pairs > 0


@pytest.mark.parametrize("seed", range(20))
def test_normal_form_invariances(seed: int) -> None:
    """Permutation, scaling, splitting a neuron, and a flip with its linear term leave the normal form alone."""
    rng = random.Random(seed)
    n, m, width = rng.choice(((1, 1, 3), (2, 2, 3), (3, 1, 4)))
    rows = [[rng.choice(NUMBERS) for _ in range(n + 1)] for _ in range(width)]
    columns = [[rng.choice(NUMBERS) for _ in range(m)] for _ in range(width)]
    offset = [rng.choice(NUMBERS) for _ in range(m)]
    form = orthant_normal_form(orthant_function(rows, columns, offset))
    order = list(range(width))
    rng.shuffle(order)
    moved = [[3 * x for x in rows[j]] for j in order], [[Fraction(c, 3) for c in columns[j]] for j in order], offset
    assert orthant_normal_form(orthant_function(*moved)) == form
    split = [*rows, rows[0]], [[c - 5 for c in columns[0]], *columns[1:], [5] * m], offset
    assert orthant_normal_form(orthant_function(*split)) == form
    # c σ(z) = c σ(−z) + c z, the affine term carried by neurons e_i and a constant one.
    axes = [[int(i == k) for k in range(n + 1)] for i in range(n + 1)]
    carried = [[c * rows[0][i] for c in columns[0]] for i in range(n + 1)]
    flipped = [[-x for x in rows[0]], *rows[1:], *axes], [*columns, *carried], offset
    assert orthant_normal_form(orthant_function(*flipped)) == form


def test_reduced_failure() -> None:
    assert reduced_failure(orthant_function([[1, -1], [2, -1]], [[1], [1]], [0])) is None
    assert "share" in str(reduced_failure(orthant_function([[1, -1], [-2, 2]], [[1], [1]], [0])))
    assert "outgoing" in str(reduced_failure(orthant_function([[1, -1]], [[0]], [0])))


def test_evaluation_on_the_orthant() -> None:
    g = orthant_function([[1, -1]], [[2]], [3])
    assert g.evaluate([4]) == (9,)
    for bad in ([-1], [1, 2], []):
        with pytest.raises(sf.InputError, match="nonnegative"):
            g.evaluate(bad)


# Matrix, rank, pointed.  Degenerate shapes included.
RANKS = [
    ([[0, 0], [0, 0]], 0, True),
    ([[0]], 0, True),
    ([[5]], 1, True),
    ([[-5]], 1, True),
    ([[1, -1]], 1, False),
    ([[1, 0, 2]], 1, True),
    ([[-1, 0, -2]], 1, True),
    ([[1], [-1], [0]], 1, True),
    ([[1, -1], [2, -2]], 1, False),
    ([[1, 0], [0, 1]], 2, True),
    ([[1, 0, -1], [0, 1, -1]], 2, False),
    ([[1, 0, -1], [0, 1, 1]], 2, True),
    ([[1, -1, 0, 0], [0, 0, 1, 1]], 2, False),
    ([[1, 0, 0, -1], [0, 1, 0, -1], [0, 0, 1, -1]], 3, False),
    ([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, -1]], 3, True),
    ([["1/3", "-2/7"], ["1/2", "5/9"]], 2, True),
    ([[10**40, -1], [0, 0]], 1, False),
]


class TestNonnegativeColumnRank:
    @pytest.mark.parametrize(("matrix", "rank", "pointed"), RANKS)
    def test_table(self, matrix: Any, rank: int, pointed: bool) -> None:
        result = sf.nonnegative_column_rank(matrix)
        assert (result.rank, result.pointed, result.value) == (rank, pointed, rank + (not pointed))
        assert result.verify()

    @pytest.mark.parametrize("seed", range(40))
    def test_value_against_z3(self, seed: int) -> None:
        """r = value is reached and r − 1 is not: nonlinear real arithmetic on small matrices."""
        rng = random.Random(seed)
        m, n = rng.choice(((1, 2), (1, 3), (2, 2), (2, 3)))
        matrix = [[rng.choice((-1, 0, 0, 1, 2)) for _ in range(n)] for _ in range(m)]
        if seed % 3 == 0 and m == 2:
            matrix[1] = [2 * x for x in matrix[0]]
        result = sf.nonnegative_column_rank(matrix)
        assert result.verify()
        assert factorisation_exists(matrix, result.value)
        if result.value:
            assert not factorisation_exists(matrix, result.value - 1)

    @pytest.mark.parametrize("seed", range(60))
    def test_pointedness_against_z3(self, seed: int) -> None:
        rng = random.Random(seed)
        m, n = rng.randint(1, 4), rng.randint(1, 6)
        matrix = [[rng.choice((-2, -1, 0, 1, 2)) for _ in range(n)] for _ in range(m)]
        result = sf.nonnegative_column_rank(matrix)
        solver = z3.Solver()
        u = z3.Reals(" ".join(f"u{i}" for i in range(m)))
        for column in zip(*matrix):
            if any(column):
                solver.add(sum(a * b for a, b in zip(u, column)) > 0)
        assert result.pointed == (solver.check() == z3.sat) and result.verify()

    def test_changed_certificates_fail(self) -> None:
        pointed = sf.nonnegative_column_rank([[1, 0, 2], [0, 1, 1]])
        line = sf.nonnegative_column_rank([[1, -1], [0, 0]])
        zero, one = line.relation[0] * 0, line.relation[0] / line.relation[0]  # type: ignore[index]
        changes = [
            (pointed, {"value": 3}),
            (pointed, {"rank": 1}),
            (pointed, {"half_space": (zero, one)}),
            (pointed, {"half_space": None}),
            (pointed, {"minor": ((0,), (0,))}),
            (pointed, {"minor": ((0, 0), (0, 1))}),
            (pointed, {"left": Matrix([[1, 1], [0, 1]])}),
            (pointed, {"pointed": False, "value": 3}),
            (line, {"relation": (zero, zero)}),
            (line, {"relation": (one, zero)}),
            (line, {"relation": (-one, -one)}),
            (line, {"relation": None}),
            (line, {"pointed": True, "value": 1, "half_space": (one, zero)}),
        ]
        for result, change in changes:
            with pytest.raises(sf.VerificationError):
                replace(result, **change).verify()

    def test_bad_input(self) -> None:
        with pytest.raises(sf.InputError, match="row 1"):
            sf.nonnegative_column_rank([[1, 2], [3]])
        with pytest.raises(TypeError, match="exact"):
            sf.nonnegative_column_rank([[0.5]])


def factorisation_exists(matrix: Any, r: int) -> bool:
    m, n = len(matrix), len(matrix[0])
    solver = z3.SolverFor("QF_NRA")
    C = [[z3.Real(f"c{o}_{q}") for q in range(r)] for o in range(m)]
    A = [[z3.Real(f"a{q}_{i}") for i in range(n)] for q in range(r)]
    solver.add(*(x >= 0 for row in A for x in row))
    for o in range(m):
        for i in range(n):
            solver.add(sum((C[o][q] * A[q][i] for q in range(r)), z3.RealVal(0)) == matrix[o][i])
    answer = solver.check()
    assert answer != z3.unknown
    return bool(answer == z3.sat)
