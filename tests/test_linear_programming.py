"""Linear programming: every answer against z3, vertex enumeration and a re-check in plain fractions."""

import dataclasses
import itertools
import pickle
import random
import subprocess
import sys
from fractions import Fraction

import pytest
import z3
from flint import fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from symfiber.errors import ExactnessError, InputError, VerificationError
from symfiber.exact import linear_programming
from symfiber.exact.linear_programming import (
    Infeasible,
    Optimum,
    Point,
    System,
    Unbounded,
    maximize,
    solve_inequalities,
)
from symfiber.exact.simplex import Program, Proposal, exact_basis

ENGINES = ("exact", "float-proposed")
HUGE = 10**3000 + 7
TINY = Fraction(1, 10**300)
PRIME = 2**62 - 57  # the modulus that finds independent rows


def fraction(x):
    return Fraction(int(x.p), int(x.q))


def fractions(values):
    return [fraction(x) for x in values]


def evaluate(row, point):
    return sum((Fraction(a) * x for a, x in zip(row, point)), Fraction(row[-1]))


def satisfies(point, inequalities, strict=(), equations=()):
    return (
        all(evaluate(row, point) >= 0 for row in inequalities)
        and all(evaluate(row, point) > 0 for row in strict)
        and all(evaluate(row, point) == 0 for row in equations)
    )


def combination(groups, multipliers, width):
    total = [Fraction(0)] * width
    for rows, weights in zip(groups, multipliers, strict=True):
        for row, weight in zip(rows, fractions(weights), strict=True):
            total = [t + weight * Fraction(a) for t, a in zip(total, row, strict=True)]
    return total


def check_answer(answer, inequalities, strict, equations, dimension):
    """Check the answer without using anything of the package but its fields."""
    if isinstance(answer, Point):
        assert len(answer.coordinates) == dimension
        assert satisfies(fractions(answer.coordinates), inequalities, strict, equations)
        return
    assert isinstance(answer, Infeasible)
    weak, positive = fractions(answer.inequality_multipliers), fractions(answer.strict_multipliers)
    assert min([*weak, *positive, 0]) >= 0
    *left, constant = combination(
        (inequalities, strict, equations),
        (answer.inequality_multipliers, answer.strict_multipliers, answer.equation_multipliers),
        dimension + 1,
    )
    assert not any(left)
    assert constant < 0 or (constant == 0 and any(positive))


def z3_row(row, variables):
    def number(x):
        return z3.Q(Fraction(x).numerator, Fraction(x).denominator)

    return z3.Sum([number(a) * x for a, x in zip(row, variables)] + [number(row[-1])])


def z3_constraints(variables, inequalities, strict, equations):
    return [
        *(z3_row(row, variables) >= 0 for row in inequalities),
        *(z3_row(row, variables) > 0 for row in strict),
        *(z3_row(row, variables) == 0 for row in equations),
    ]


def z3_feasible(inequalities, strict, equations, dimension):
    variables = [z3.Real(f"x{i}") for i in range(dimension)]
    solver = z3.Solver()
    solver.add(z3_constraints(variables, inequalities, strict, equations))
    verdict = solver.check()
    assert verdict != z3.unknown
    return verdict == z3.sat


ENTRY = st.one_of(st.integers(-2, 2), st.integers(-2, 2), st.fractions(min_value=-5, max_value=5, max_denominator=7))


@st.composite
def systems(draw, strict_rows=5):
    dimension = draw(st.integers(0, 4))
    entry = draw(st.sampled_from([st.integers(-2, 2), st.integers(-1, 1), ENTRY]))
    row = st.lists(entry, min_size=dimension + 1, max_size=dimension + 1)
    if draw(st.booleans()):
        row = row.map(lambda r: [*r[:-1], 0])  # homogeneous: the worst degeneracy

    def rows(count):
        return draw(st.lists(row, max_size=count))

    inequalities, strict, equations = rows(7), rows(strict_rows), rows(2)
    if inequalities and draw(st.booleans()):  # a pair of opposite rows: an implied equation
        inequalities.append([-a for a in inequalities[0]])
    return inequalities, strict, equations, dimension


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=200, deadline=None)
@given(system=systems())
def test_feasibility_agrees_with_z3(engine, system):
    inequalities, strict, equations, dimension = system
    answer = solve_inequalities(inequalities, strict=strict, equations=equations, dimension=dimension, engine=engine)
    assert bool(answer) == z3_feasible(*system)
    check_answer(answer, *system)
    assert answer.verify() is True


# name: (inequalities, strict, equations, dimension, feasible)
TABLE = {
    "no rows": ([], [], [], 3, True),
    "dimension 0, no rows": ([], [], [], 0, True),
    "dimension 0, 0 >= 0": ([[0]], [], [[0]], None, True),
    "dimension 0, 0 > 0": ([], [[0]], [], None, False),
    "dimension 0, 1 > 0": ([[2]], [[1]], [], None, True),
    "dimension 0, -1 >= 0": ([[-1]], [], [], None, False),
    "dimension 0, 1 = 0": ([], [], [[1]], None, False),
    "zero row, -1 >= 0": ([[0, 0, -1]], [], [], None, False),
    "zero row, 0 >= 0": ([[0, 0, 0]], [], [], None, True),
    "zero row, 0 > 0": ([], [[0, 0, 0]], [], None, False),
    "zero row, 0 > 0 among others": ([[1, 0, 0]], [[0, 1, 3], [0, 0, 0]], [], None, False),
    "zero row, 2 > 0": ([], [[0, 0, 2]], [], None, True),
    "zero row, 3 = 0": ([[1, 0, 0]], [], [[0, 0, 3]], None, False),
    "duplicate rows": ([[1, 1, -1]] * 5, [[2, 2, -1]] * 3, [], None, True),
    "duplicate equations": ([], [], [[1, 2, 3], [2, 4, 6], [-1, -2, -3]], None, True),
    "contradictory equations": ([], [], [[1, 2, 3], [2, 4, 5]], None, False),
    "contradictory equations, other sign": ([[1, 0, 0]], [], [[1, 2, 3], [2, 4, 7]], None, False),
    "equations only": ([], [], [[1, 1, 0, -1], [0, 1, 1, -1]], None, True),
    "overdetermined, consistent": ([], [], [[1, 0, -1], [0, 1, -2], [1, 1, -3]], None, True),
    "overdetermined, not": ([], [], [[1, 0, -1], [0, 1, -2], [1, 1, -4]], None, False),
    "equation against strict": ([], [[1, 0]], [[1, 0]], None, False),
    "x > 0, x < 0": ([], [[1, 0], [-1, 0]], [], None, False),
    "x >= 0, x <= 0": ([[1, 0], [-1, 0]], [], [], None, True),
    "x >= 0, x < 0": ([[1, 0]], [[-1, 0]], [], None, False),
    "a line": ([[1, -1, 0], [-1, 1, 0]], [], [], None, True),
    "a line and off it": ([[1, -1, 0], [-1, 1, 0]], [[1, -1, 0]], [], None, False),
    "a line and a half-plane": ([[1, -1, 0], [-1, 1, 0]], [[1, 1, -5]], [], None, True),
    "unbounded": ([[1, 0, 0, -7]], [[0, 1, 0, -HUGE]], [], None, True),
    "strict cone": ([], [[1, 2, 0], [-1, 3, 0], [0, 1, 0]], [], None, True),
    "strict cone, empty": ([], [[1, 2, 0], [-1, 3, 0], [0, -1, 0]], [], None, False),
    "strict triangle around a point": ([], [[1, 0, 0], [0, 1, 0], [-1, -1, 0]], [], None, False),
    "weak triangle around a point": ([[1, 0, 0], [0, 1, 0], [-1, -1, 0]], [], [], None, True),
    "tiny interval": ([], [[1, -TINY], [-1, 2 * TINY]], [], None, True),
    "tiny gap": ([], [[1, -2 * TINY], [-1, TINY]], [], None, False),
    "tiny interval at 1": ([], [[1, -1 - TINY], [-1, 1 + 2 * TINY]], [], None, True),
    "tiny gap at 1": ([[1, -1 - TINY]], [], [[1, -1]], None, False),
    "tiny coefficients": ([[TINY, -1]], [[-TINY, 2]], [], None, True),
    "huge coefficients": ([], [[HUGE, 1, -1], [-1, HUGE, 3], [HUGE, HUGE, -7]], [], None, True),
    "huge point": ([[1, -HUGE], [-1, HUGE]], [[HUGE, 1 - HUGE**2]], [], None, True),
    "huge contradiction": ([[1, -HUGE], [-1, HUGE]], [[HUGE, -(HUGE**2)]], [], None, False),
    "modulus among the entries": (
        [[PRIME, 1, 0], [0, PRIME, -1], [-PRIME, 0, 1]],
        [],
        [[PRIME, PRIME, -1]],
        None,
        True,
    ),
    "equations that vanish modulo": ([], [], [[PRIME, 0, -1], [0, PRIME, 1], [PRIME, PRIME, 1]], None, False),
}


@pytest.mark.parametrize("engine", ("auto", *ENGINES))
@pytest.mark.parametrize("name", TABLE)
def test_table(name, engine):
    inequalities, strict, equations, dimension, feasible = TABLE[name]
    answer = solve_inequalities(inequalities, strict=strict, equations=equations, dimension=dimension, engine=engine)
    assert bool(answer) is feasible
    if dimension is None:
        dimension = len(next(iter([*inequalities, *strict, *equations]))) - 1
    check_answer(answer, inequalities, strict, equations, dimension)
    assert answer.verify() is True


def z3_maximum(objective, inequalities, equations):
    """Return "empty", "unbounded" or the maximum."""
    variables = [z3.Real(f"x{i}") for i in range(len(objective))]
    optimizer = z3.Optimize()
    optimizer.add(z3_constraints(variables, inequalities, [], equations))
    handle = optimizer.maximize(z3_row([*objective, 0], variables))
    if optimizer.check() == z3.unsat:
        return "empty"
    upper = str(optimizer.upper(handle))
    return "unbounded" if "oo" in upper else Fraction(upper)


def check_maximum(answer, objective, inequalities, equations):
    """Check the certificate in plain fractions and return what :func:`z3_maximum` would."""
    dimension = len(objective)
    if isinstance(answer, Infeasible):
        check_answer(answer, inequalities, [], equations, dimension)
        return "empty"
    if isinstance(answer, Unbounded):
        ray = fractions(answer.ray)
        assert satisfies(fractions(answer.point), inequalities, [], equations)
        recession = [[[*row[:-1], 0] for row in rows] for rows in (inequalities, equations)]
        assert satisfies(ray, recession[0], [], recession[1])
        assert evaluate([*objective, 0], ray) > 0
        return "unbounded"
    value = fraction(answer.value)
    assert satisfies(fractions(answer.coordinates), inequalities, [], equations)
    assert evaluate([*objective, 0], fractions(answer.coordinates)) == value
    assert min([*fractions(answer.inequality_multipliers), 0]) >= 0
    total = combination(
        (inequalities, equations),
        (answer.inequality_multipliers, answer.equation_multipliers),
        dimension + 1,
    )
    assert total == [*(-Fraction(c) for c in objective), value]
    return value


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=120, deadline=None)
@given(system=systems(strict_rows=0), data=st.data())
def test_maximum_agrees_with_z3(engine, system, data):
    inequalities, _, equations, dimension = system
    objective = data.draw(st.lists(ENTRY, min_size=dimension, max_size=dimension))
    answer = maximize(objective, inequalities, equations=equations, engine=engine)
    assert answer.verify() is True
    assert check_maximum(answer, objective, inequalities, equations) == z3_maximum(objective, inequalities, equations)


def solve_fractions(matrix, right):
    """Return the solution of a nonsingular square system by Gaussian elimination, else None."""
    rows = [[*map(Fraction, row), Fraction(b)] for row, b in zip(matrix, right)]
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k])]
    return [row[-1] for row in rows]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(12))
def test_maximum_agrees_with_all_vertices(seed, engine):
    generator = random.Random(seed)
    dimension = generator.randint(1, 3)
    box = [[*(sign * int(i == j) for j in range(dimension)), 2] for i in range(dimension) for sign in (1, -1)]
    rows = box + [[generator.randint(-3, 3) for _ in range(dimension + 1)] for _ in range(5)]
    objective = [generator.randint(-3, 3) for _ in range(dimension)]
    values = [
        evaluate([*objective, 0], vertex)
        for chosen in itertools.combinations(rows, dimension)
        if (vertex := solve_fractions([r[:-1] for r in chosen], [-r[-1] for r in chosen])) is not None
        and satisfies(vertex, rows)
    ]
    answer = maximize(objective, rows, engine=engine)
    assert check_maximum(answer, objective, rows, []) == max(values, default="empty")


@pytest.mark.parametrize("engine", ("auto", *ENGINES))
@pytest.mark.parametrize(
    ("objective", "inequalities", "equations", "expected"),
    [
        ([], [], [], 0),
        ([], [[-1]], [], "empty"),
        ([0, 0], [], [], 0),
        ([1, 0], [], [], "unbounded"),
        ([1, 0], [], [[1, 0, -5]], 5),
        ([1, 1], [], [[1, 0, -5]], "unbounded"),
        ([1, -1], [[-1, 1, 3]], [], 3),  # a line of optima
        ([1], [[1, 0]], [], "unbounded"),
        ([-1], [[1, 0]], [], 0),
        ([1], [[1, 0], [-1, -1]], [], "empty"),
        ([TINY], [[-TINY, HUGE]], [], HUGE),
        ([HUGE, 1], [[-1, 0, TINY], [0, -1, 1]], [], HUGE * TINY + 1),
        (["1/3"], [["-2/7", "1/2"], [0, 0]], [], Fraction(7, 12)),
        ([1, 1], [[-1, 0, 1], [0, -1, 1]], [[1, 1, -1], [2, 2, -2]], 1),
        # Beale's example, on which the largest-coefficient rule cycles.
        (
            ["3/4", -150, "1/50", -6],
            [
                ["-1/4", 60, "1/25", -9, 0],
                ["-1/2", 90, "1/50", -3, 0],
                [0, 0, -1, 0, 1],
                *([*(int(i == j) for j in range(4)), 0] for i in range(4)),
            ],
            [],
            Fraction(1, 20),
        ),
    ],
)
def test_maximum_table(objective, inequalities, equations, expected, engine):
    answer = maximize(objective, inequalities, equations=equations, engine=engine)
    assert answer.verify() is True
    assert bool(answer) is (expected != "empty")
    assert check_maximum(answer, objective, inequalities, equations) == expected


def random_system(seed, dimension, count, feasible):
    generator = random.Random(seed)
    center = [Fraction(generator.randint(-9, 9), generator.randint(1, 9)) for _ in range(dimension)]
    rows = []
    for _ in range(count):
        row = [Fraction(generator.randint(-99, 99), generator.randint(1, 9)) for _ in range(dimension)]
        rows.append([*row, generator.randint(1, 5) - evaluate([*row, 0], center)])
    if not feasible:
        weights = [generator.randint(1, 5) for _ in rows]
        total = [sum(w * row[j] for w, row in zip(weights, rows)) for j in range(dimension + 1)]
        rows.append([*(-x for x in total[:-1]), -total[-1] - 1])
    return rows


@pytest.mark.parametrize("feasible", (True, False))
@pytest.mark.parametrize("dimension", (9, 30))
def test_both_engines_on_larger_systems(dimension, feasible):
    rows = random_system(dimension, dimension, 2 * dimension, feasible)
    engines = ENGINES if dimension < 20 else ("auto",)
    for engine in engines:
        for weak in (len(rows), len(rows) // 2, 0):
            answer = solve_inequalities(rows[:weak], strict=rows[weak:], engine=engine)
            assert bool(answer) is feasible
            check_answer(answer, rows[:weak], rows[weak:], [], dimension)
        objective = [-sum(row[j] for row in rows) for j in range(dimension)]
        answer = maximize(objective, rows, engine=engine)
        check_maximum(answer, objective, rows, [])
        assert isinstance(answer, Optimum) is feasible


WRONG_PROPOSALS = {
    "nothing": lambda program: None,
    "empty basis": lambda program: Proposal((), (), (0.0,) * program.variable_count, (0,) * program.variable_count),
    "first rows": lambda program: Proposal(
        tuple(range(min(program.variable_count, len(program.rows)))),
        tuple(range(min(program.variable_count, len(program.rows)))),
        (1e300,) * program.variable_count,
        (-7,) * program.variable_count,
    ),
    "repeated row": lambda program: Proposal(
        (0, 0), (0, 1), (5e-324,) * program.variable_count, (9,) * program.variable_count
    ),
}


@pytest.mark.parametrize("name", WRONG_PROPOSALS)
@settings(max_examples=60, deadline=None)
@given(system=systems())
def test_wrong_proposals_do_no_harm(name, system):
    inequalities, strict, equations, dimension = system
    if dimension < 2 or not inequalities:
        return
    objective = [1] * dimension
    expected = solve_inequalities(inequalities, strict=strict, equations=equations, dimension=dimension, engine="exact")
    best = maximize(objective, inequalities, equations=equations, engine="exact")
    with pytest.MonkeyPatch.context() as patch:
        propose = WRONG_PROPOSALS[name]
        patch.setattr(linear_programming, "propose_basis", lambda p: p.objective and propose(p))
        answer = solve_inequalities(
            inequalities, strict=strict, equations=equations, dimension=dimension, engine="float-proposed"
        )
        other = maximize(objective, inequalities, equations=equations, engine="float-proposed")
    assert bool(answer) == bool(expected)
    check_answer(answer, *system)
    assert check_maximum(other, objective, inequalities, equations) == check_maximum(
        best, objective, inequalities, equations
    )


@settings(max_examples=100, deadline=None)
@given(system=systems(strict_rows=0), data=st.data())
def test_exact_basis_from_any_start(system, data):
    inequalities, _, equations, dimension = system
    whole = [[fmpz(int(60 * 7 * x)) for x in row] for row in (*inequalities, *equations)]
    program = Program(dimension, whole, len(inequalities), objective=[fmpz(1)] * dimension)
    order = data.draw(st.permutations(range(len(inequalities))))
    first, second = exact_basis(program), exact_basis(program, order)
    assert first.outcome == second.outcome
    assert len(second.rows) == len(second.columns) == len(set(second.rows))


def mutations(values):
    for i in range(len(values)):
        yield (*values[:i], values[i] + fmpq(1, 10**50), *values[i + 1 :])
        yield (*values[:i], values[i] - 7, *values[i + 1 :])
    if values:
        yield values[:-1]


def assert_rejected(answer, **changes):
    with pytest.raises(VerificationError):
        dataclasses.replace(answer, **changes).verify()


def test_changed_certificates_fail():
    point = solve_inequalities([[1, 0, -1], [-1, 0, 1]], strict=[[0, 1, 0]], equations=[[1, -1, 0]])
    for coordinates in mutations(point.coordinates):
        assert_rejected(point, coordinates=coordinates)

    nothing = solve_inequalities([[1, 0, -1]], strict=[[-1, 1, 0]], equations=[[0, 2, -1]])
    assert nothing.strict_multipliers and nothing.equation_multipliers
    for name in ("inequality_multipliers", "strict_multipliers", "equation_multipliers"):
        for changed in mutations(getattr(nothing, name)):
            assert_rejected(nothing, **{name: changed})
    zero = fmpq(0)
    assert_rejected(nothing, inequality_multipliers=(zero,), strict_multipliers=(zero,), equation_multipliers=(zero,))

    best = maximize([2, 1], [[-1, 0, 1], [0, -1, 1]], equations=[[1, -1, 0]])
    for name in ("coordinates", "inequality_multipliers", "equation_multipliers", "objective"):
        for changed in mutations(getattr(best, name)):
            assert_rejected(best, **{name: changed})
    assert_rejected(best, value=best.value + 1)

    endless = maximize([1, 0], [[1, 0, 0], [-1, 1, 0]])
    assert isinstance(endless, Unbounded)
    assert_rejected(endless, point=(fmpq(-1), fmpq(0)))
    assert_rejected(endless, ray=(fmpq(1), fmpq(0)))
    assert_rejected(endless, ray=(fmpq(0), fmpq(1)))
    assert_rejected(endless, ray=endless.ray[:-1])


@pytest.mark.parametrize(
    ("inequality", "strict", "valid"),
    [((1, 1), (0,), False), ((0, 1), (1,), True), ((0, 0), (0,), False), ((1, 0), (-1,), False)],
)
def test_constant_zero_needs_a_strict_multiplier(inequality, strict, valid):
    row = (fmpq(1), fmpq(0))
    opposite = (fmpq(-1), fmpq(0))
    system = System(1, (row, opposite), (row,), ())
    answer = Infeasible(system, tuple(map(fmpq, inequality)), tuple(map(fmpq, strict)), ())
    if valid:
        assert answer.verify() is True
    else:
        with pytest.raises(VerificationError):
            answer.verify()


def test_negative_multipliers_fail_even_when_the_sum_contradicts():
    system = System(1, ((fmpq(1), fmpq(1)), (fmpq(1), fmpq(0))), (), ())  # x >= -1, x >= 0
    with pytest.raises(VerificationError, match="must not be negative"):
        Infeasible(system, (fmpq(-1), fmpq(1)), (), ()).verify()


def test_values_are_hashable_equal_and_picklable():
    rows = [[1, 0, 0], [0, 1, 0], [-1, -1, 5]]
    answers = [
        solve_inequalities(rows),
        solve_inequalities(rows, strict=[[-1, -1, 0]]),
        maximize([1, 2], rows),
        maximize([-1, 2], rows[:2]),
    ]
    again = [
        solve_inequalities(rows),
        solve_inequalities(rows, strict=[[-1, -1, 0]]),
        maximize([1, 2], rows),
        maximize([-1, 2], rows[:2]),
    ]
    assert answers == again
    assert len({*answers, *again}) == 4
    assert [type(a).__name__ for a in answers] == ["Point", "Infeasible", "Optimum", "Unbounded"]
    for answer in answers:
        assert pickle.loads(pickle.dumps(answer)) == answer
        assert pickle.loads(pickle.dumps(answer)).verify() is True
        assert "\n" not in repr(answer) and len(repr(answer)) < 100
        with pytest.raises(dataclasses.FrozenInstanceError):
            answer.system = None


def test_entries_of_every_exact_kind():
    answer = solve_inequalities([["1/2", Fraction(-1, 3)], [fmpq(-1), fmpz(1)]], strict=[[1, 0]])
    assert answer.verify() and Fraction(2, 3) <= fraction(answer.coordinates[0]) <= 1


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: solve_inequalities([]), InputError),
        (lambda: solve_inequalities([[1, 0], [1, 0, 0]]), InputError),
        (lambda: solve_inequalities([[1, 0]], dimension=2), InputError),
        (lambda: solve_inequalities([[1, 0]], strict=[[1]]), InputError),
        (lambda: solve_inequalities([[]]), InputError),
        (lambda: solve_inequalities([[0.5, 1]]), ExactnessError),
        (lambda: solve_inequalities([[1, 0]], engine="fast"), InputError),
        (lambda: maximize([1], [[1, 0, 0]]), InputError),
        (lambda: maximize([1, 1], [], dimension=3), InputError),
        (lambda: maximize([1.0], []), ExactnessError),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()


def test_float_solver_is_silent(capfd):
    solve_inequalities([[1, -1]], strict=[[-1, 5]], engine="float-proposed")
    maximize([1], [[-1, 5]], engine="float-proposed")
    assert capfd.readouterr() == ("", "")


def test_float_solver_is_silent_and_lazy_in_a_fresh_process():
    code = (
        "import sys\n"
        "from symfiber.exact.linear_programming import solve_inequalities\n"
        "solve_inequalities([[1, 0]])\n"
        "assert 'highspy' not in sys.modules\n"
        "solve_inequalities([[1, 0]], engine='float-proposed')\n"
        "assert 'highspy' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
