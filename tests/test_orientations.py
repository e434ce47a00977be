"""Feasible orientations against brute force over all 2^k with an independent nonnegative column rank."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import z3
from oracle.random_networks import rank

import symfiber as sf
from symfiber.exact import Matrix
from symfiber.orientations import FeasibleOrientations


def pointed(matrix: list[list[Fraction]]) -> bool:
    solver = z3.Solver()
    u = [z3.Real(f"u{i}") for i in range(len(matrix))]
    for column in zip(*matrix):
        if any(column):
            solver.add(sum(a * z3.RealVal(str(b)) for a, b in zip(u, column)) > 0)
    return bool(solver.check() == z3.sat)


def brute_force(rows: Any, columns: Any, free: int, fixed: Any, m: int, n: int) -> list[tuple[int, ...]]:
    feasible = []
    for choice in product((1, -1), repeat=len(rows)):
        neurons = [*fixed, *((w, c) for w, c, s in zip(rows, columns, choice) if s < 0)]
        slope = [[sum((Fraction(c[o]) * w[i] for w, c in neurons), Fraction(0)) for i in range(n)] for o in range(m)]
        rho = rank(slope)
        if rho < free or (rho == free and pointed(slope)):
            feasible.append(choice)
    return feasible


def choices(rows: Any, columns: Any, free: int, m: int, n: int, fixed: Any = ()) -> FeasibleOrientations:
    return FeasibleOrientations(
        Matrix(rows, n).rows,
        Matrix(columns, m).rows,
        free,
        (m, n),
        Matrix([w for w, _ in fixed], n).rows,
        Matrix([c for _, c in fixed], m).rows,
    )


@pytest.mark.parametrize(("m", "n"), list(product((1, 2, 3), repeat=2)))
@pytest.mark.parametrize("free", range(5))
def test_against_brute_force(m: int, n: int, free: int) -> None:
    rng = random.Random(100 * m + 10 * n + free)
    for attempt in range(6):
        k = rng.randint(0, 5)
        # Few values make coincidences: equal rows, cancelling jumps, zero entries and columns.
        values = (-1, 1, 2) if attempt % 2 else (-2, -1, 0, 1, 2, 3)
        rows = [[rng.choice(values) for _ in range(n)] for _ in range(k)]
        columns = [[rng.choice(values) for _ in range(m)] for _ in range(k)]
        fixed = [
            ([rng.randint(0, 2) for _ in range(n)], [rng.choice(values) for _ in range(m)])
            for _ in range(rng.randint(0, min(free, 2)))
        ]
        expected = brute_force(rows, columns, free, fixed, m, n)
        found = choices(rows, columns, free, m, n, fixed)
        assert list(found) == expected and found.count == len(expected)
        assert [found[i] for i in range(len(expected))] == expected
        assert [c in found for c in product((1, -1), repeat=k)] == [
            c in set(expected) for c in product((1, -1), repeat=k)
        ]
        counted_first = choices(rows, columns, free, m, n, fixed)
        assert counted_first.count == len(expected)
        for index in (len(expected), -len(expected) - 1):
            with pytest.raises(IndexError):
                found[index]


@pytest.mark.parametrize(("m", "n", "k", "free"), [(3, 8, 7, 1), (3, 8, 6, 2), (4, 6, 5, 2), (2, 5, 4, 1)])
def test_independent_rows(m: int, n: int, k: int, free: int) -> None:
    """More inputs than neurons: the polynomial-time bound on |S| applies, and gives what brute force gives."""
    rng = random.Random(m * n * k)
    for linear in range(free + 1):
        rows = [[rng.randint(1, 99) * rng.choice((1, -1)) for _ in range(n)] for _ in range(k)]
        # A row of one sign (its bias makes it nonlinear) has a pointed slope.
        rows[0] = [abs(x) for x in rows[0]]
        columns = [[rng.randint(-99, 99) for _ in range(m)] for _ in range(k)]
        fixed = [
            ([rng.randint(1, 99) for _ in range(n)], [rng.randint(-99, 99) for _ in range(m)]) for _ in range(linear)
        ]
        found = choices(rows, columns, free, m, n, fixed)
        if k + linear <= n:
            assert found._largest_flip_set() == free - linear
        assert list(found) == brute_force(rows, columns, free, fixed, m, n)


def test_twenty_neurons_one_output() -> None:
    """All 2^20 choices for m = 1 against vectorised integer arithmetic."""
    rng = random.Random(4)
    for n in (2, 5):
        rows = [[rng.randint(1, 99) * rng.choice((1, -1)) for _ in range(n)] for _ in range(20)]
        columns = [[rng.choice((-3, -1, 1, 2))] for _ in range(20)]
        jumps = np.array(rows, dtype=np.int64) * np.array(columns, dtype=np.int64)
        sums = np.zeros((1, n), dtype=np.int64)
        for jump in jumps:
            sums = np.concatenate([sums, sums + jump])
        expected = int(((sums >= 0).all(axis=1) | (sums <= 0).all(axis=1)).sum())
        found = choices(rows, columns, 1, 1, n)
        assert found.count == expected
        assert sum(1 for _ in found) == expected


def test_dyadic_weights() -> None:
    """Entries as training leaves them: sums of numbers with many bits, near cancellation."""
    tiny = Fraction(1, 2**80)
    rows = [[1, 1], [-1, -1 + tiny], [1, 1 - tiny]]
    found = choices(rows, [[1], [1], [-1]], 1, 1, 2)
    assert list(found) == brute_force(rows, [[1], [1], [-1]], 1, [], 1, 2)


def test_order_and_formula_for_forty() -> None:
    found = choices([[1, -1]] * 40, [[1, 2]] * 40, 2, 2, 2)
    assert found.all_feasible and found.count == 2**40
    assert found[0] == (1,) * 40 and found[1] == (1,) * 39 + (-1,) and found[2**40 - 1] == (-1,) * 40
    assert next(iter(found)) == found[0]


def test_limits_say_what_is_known() -> None:
    """A search that gave up says so at every further question; it never passes off what it found as the count."""
    equal_rows = choices([[1, -1, 1, -1]] * 30, [[1, 1, 1]] * 30, 0, 3, 4)
    rng = random.Random(1)
    rows = [[rng.randint(1, 99) * rng.choice((1, -1)) for _ in range(4)] for _ in range(24)]
    columns = [[rng.randint(1, 99) for _ in range(3)] for _ in range(24)]
    for found in (equal_rows, choices(rows, columns, 1, 3, 4)):
        for question in (lambda f: f.count, lambda f: sum(1 for _ in f), lambda f: f[10**6], lambda f: f.count):
            with pytest.raises(sf.LimitExceededError) as error:
                question(found)
            assert "lower" in error.value.known and found.immediate_count is None
    wide = [[rng.randint(1, 99) * rng.choice((1, -1)) for _ in range(10)] for _ in range(30)]
    assert choices(wide, [[rng.randint(1, 99) for _ in range(3)] for _ in range(30)], 0, 3, 10).count == 1


def test_bad_orientation() -> None:
    found = choices([[1, -1]], [[1]], 1, 1, 2)
    for bad in ((1, 1), (0,), ()):
        with pytest.raises(sf.InputError, match="orientation"):
            found.is_feasible(bad)
