"""Bases of linear programs: by an exact simplex method that always ends, or proposed by a float solver.

Why two ways.  The exact dictionary is fraction-free: every entry is a minor of the input, stored over ℤ with
one common denominator, the basis determinant.  So a pivot is a few FLINT matrix operations, and small
programs take less than a millisecond.  Large programs need many pivots with large numbers; there a float
solver walks to the last basis and only the linear algebra at that basis is exact.  A basis from floats is a
guess: whoever uses it must check what it yields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpz, fmpz_mat, nmod_mat

_PRIME = 4611686018427387847  # 2^62 - 57
_FLOAT_BITS = 1000  # integers up to this size convert to a float without overflow

IntegerRow = Sequence[fmpz]


@dataclass(frozen=True, slots=True)
class Program:
    """Maximise c·z with aᵢ·z + bᵢ ≥ 0 for i < ``inequality_count`` and aᵢ·z + bᵢ = 0 after that; z is free.

    ``rows`` are integer rows (aᵢ, bᵢ) of length ``variable_count`` + 1.  Without an ``objective`` any
    feasible z will do; with ``stop_when_positive`` any feasible z with c·z > 0.
    """

    variable_count: int
    rows: Sequence[IntegerRow]
    inequality_count: int
    objective: IntegerRow | None = None
    stop_when_positive: bool = False


@dataclass(frozen=True, slots=True)
class Basis:
    """A nonsingular square submatrix A[rows, columns] and what it shows.

    The vertex of the basis has z = 0 outside ``columns`` and the rows in ``rows`` equal to zero.

    - ``"feasible"``: the vertex is feasible, and optimal when there is an objective (or positive, as asked).
    - ``"infeasible"``: row ``witness`` plus a combination of ``rows`` is a contradictory constant.
    - ``"unbounded"``: the vertex is feasible; the objective grows without bound where row ``witness`` leaves
      zero and the other ``rows`` stay there; without a ``witness``, in a direction that changes no row.
    """

    outcome: str
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    witness: int | None = None


@dataclass(slots=True)
class _Dictionary:
    """basic_i = (Σⱼ table[i, j]·nonbasic_j + table[i, -1]) / denominator; the objective row is last."""

    table: fmpz_mat
    denominator: fmpz
    basic: list[int]
    nonbasic: list[int]

    def pivot(self, r: int, s: int) -> None:
        """Exchange basic variable number ``r`` with nonbasic variable number ``s``."""
        width = len(self.nonbasic) + 1
        entries = self.table.entries()
        row, column = entries[r * width : (r + 1) * width], entries[s::width]
        pivot = row[s]
        if pivot < 0:
            pivot, row = -pivot, [-x for x in row]
            column_after = [-x for x in column]
        else:
            column_after = column
        outer = fmpz_mat(len(column), 1, column) * fmpz_mat(1, width, row)
        table = (self.table * pivot - outer) / self.denominator
        for j, x in enumerate(row):
            table[r, j] = -x
        for i, x in enumerate(column_after):
            table[i, s] = x
        table[r, s] = self.denominator if column_after is column else -self.denominator
        self.table, self.denominator = table, pivot
        self.basic[r], self.nonbasic[s] = self.nonbasic[s], self.basic[r]


def exact_basis(program: Program, preferred: Iterable[int] = ()) -> Basis:
    """Return a basis that settles the program, by a two-phase simplex method with Bland's rule.

    Free variables never enter the dictionary: a maximal independent set of rows (equations first, then
    ``preferred``, then the others) is solved for them, and the remaining rows become combinations of those.
    Phase one is the dual simplex method for the zero objective, phase two the primal one; both take the
    smallest index among the candidates, hence never cycle.

    Proved: all arithmetic is exact.  Cost: a pivot is O(rows · variables) integer operations; the number of
    pivots is exponential in the worst case, about linear in practice.

    Examples
    --------
    >>> segment = Program(1, [[fmpz(1), fmpz(0)], [fmpz(-1), fmpz(2)]], 2, objective=[fmpz(1)])
    >>> exact_basis(segment)
    Basis(outcome='feasible', rows=(1,), columns=(0,), witness=None)
    """
    start = _start(program, list(preferred))
    if isinstance(start, Basis):
        return start
    dictionary, equations, columns, bounded = start

    def found(outcome: str, witness: int | None = None) -> Basis:
        return Basis(outcome, (*equations, *dictionary.nonbasic), columns, witness)

    violated = _make_feasible(dictionary)
    if violated is not None:
        return found("infeasible", violated)
    if program.objective is None:
        return found("feasible")
    if not bounded:
        return found("unbounded")
    entering = _make_optimal(dictionary, program.stop_when_positive)
    return found("feasible") if entering is None else found("unbounded", entering)


def _make_feasible(dictionary: _Dictionary) -> int | None:
    """Pivot until all basic variables are nonnegative; return a basic variable that provably cannot be."""
    width, height = len(dictionary.nonbasic) + 1, len(dictionary.basic)
    while True:
        entries = dictionary.table.entries()
        rows = [entries[i * width : (i + 1) * width] for i in range(height)]
        violated = [i for i, row in enumerate(rows) if row[-1] < 0]
        for i in violated:
            if not any(x > 0 for x in rows[i]):
                return dictionary.basic[i]
        r = _smallest(dictionary.basic, violated)
        if r is None:
            return None
        s = _smallest(dictionary.nonbasic, (j for j in range(width - 1) if rows[r][j] > 0))
        assert s is not None
        dictionary.pivot(r, s)


def _make_optimal(dictionary: _Dictionary, stop_when_positive: bool) -> int | None:
    """Pivot until the objective is maximal; return a nonbasic variable along which it has no maximum."""
    width, height = len(dictionary.nonbasic) + 1, len(dictionary.basic)
    while True:
        table = dictionary.table
        if stop_when_positive and table[height, width - 1] > 0:
            return None
        s = _smallest(dictionary.nonbasic, (j for j in range(width - 1) if table[height, j] > 0))
        if s is None:
            return None
        entries = table.entries()
        slopes, constants = entries[s::width], entries[width - 1 :: width]
        r = None
        for i in range(height):
            if slopes[i] < 0:
                if r is not None:
                    # The ratio test constant / -slope, without divisions.
                    difference = constants[i] * slopes[r] - constants[r] * slopes[i]
                    if difference < 0 or (difference == 0 and dictionary.basic[i] > dictionary.basic[r]):
                        continue
                r = i
        if r is None:
            return dictionary.nonbasic[s]
        dictionary.pivot(r, s)


def _smallest(names: Sequence[int], positions: Iterable[int]) -> int | None:
    return min(positions, key=names.__getitem__, default=None)


def _start(
    program: Program, preferred: Sequence[int]
) -> Basis | tuple[_Dictionary, tuple[int, ...], tuple[int, ...], bool]:
    """Return the first dictionary, its equation rows, its columns, and whether c is in the row space.

    The independent rows are found modulo a prime; the result is checked and, should the prime have been
    unlucky, found again over ℤ.
    """
    equations = range(program.inequality_count, len(program.rows))
    order = list(dict.fromkeys([*equations, *preferred, *range(program.inequality_count)]))
    for modular in (True, False):
        chosen = [order[i] for i in _pivots(_transposed(program, order), modular)]
        columns = _pivots(_submatrix(program.rows, chosen, range(program.variable_count)), modular)
        if len(columns) != len(chosen):
            continue
        result = _dictionary(program, chosen, columns, check=modular)
        if result is not None:
            return result
    raise AssertionError("the row rank equals the column rank")


def _dictionary(
    program: Program, chosen: list[int], columns: tuple[int, ...], check: bool
) -> Basis | tuple[_Dictionary, tuple[int, ...], tuple[int, ...], bool] | None:
    """Solve the chosen rows for the chosen columns and insert; ``None`` when they do not span all rows."""
    taken, size = set(chosen), len(chosen)
    rest = [i for i in range(len(program.rows)) if i not in taken]
    rows = [program.rows[i] for i in rest]
    if program.objective is not None:
        rows.append([*program.objective, fmpz(0)])
    square = _submatrix(program.rows, chosen, columns)
    determinant = square.det() if size else fmpz(1)
    if size and rows:
        right = _submatrix(rows, range(len(rows)), columns).transpose()
        numerators, denominator = square.transpose().solve(right).numer_denom()
        combination = numerators.transpose() * (determinant // denominator)
    else:
        combination = fmpz_mat(len(rows), size)
    if determinant < 0:
        determinant, combination = -determinant, -combination
    others = [j for j in range(program.variable_count) if j not in set(columns)]
    spanned = combination * _submatrix(program.rows, chosen, others)
    wanted = _submatrix(rows, range(len(rows)), others) * determinant
    agrees = [spanned_row == wanted_row for spanned_row, wanted_row in zip(spanned.tolist(), wanted.tolist())]
    constants = _submatrix(rows, range(len(rows)), [program.variable_count]) * determinant
    constants = constants - combination * _submatrix(program.rows, chosen, [program.variable_count])

    first = sum(i >= program.inequality_count for i in chosen)  # equations lead in ``chosen``
    table = [[*row[first:], x] for row, x in zip(combination.tolist(), constants.entries())]
    equal = [i for i, name in enumerate(rest) if name >= program.inequality_count]
    if check and not (all(agrees[: len(rest)]) and not any(x for i in equal for x in table[i][:-1])):
        return None
    for i in equal:
        if table[i][-1] != 0:
            return Basis("infeasible", tuple(chosen), columns, rest[i])
    keep = [i for i in range(len(rows)) if i >= len(rest) or rest[i] < program.inequality_count]
    matrix = fmpz_mat(len(keep), size - first + 1, [x for i in keep for x in table[i]])
    basic = [rest[i] for i in keep if i < len(rest)]
    dictionary = _Dictionary(matrix, determinant, basic, chosen[first:])
    return dictionary, tuple(chosen[:first]), columns, all(agrees[len(rest) :])


def equation_basis(program: Program) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return independent equations and as many columns in which they can be solved.

    Proved independent; maximal unless a 62-bit prime divides a minor, so the solution is to be checked.
    """
    order = range(program.inequality_count, len(program.rows))
    rows = [order[i] for i in _pivots(_transposed(program, order), True)]
    return tuple(rows), _pivots(_submatrix(program.rows, rows, range(program.variable_count)), True)


def _submatrix(rows: Sequence[IntegerRow], chosen: Sequence[int], columns: Sequence[int]) -> fmpz_mat:
    return fmpz_mat(len(chosen), len(columns), [rows[i][j] for i in chosen for j in columns])


def _transposed(program: Program, order: Sequence[int]) -> fmpz_mat:
    return _submatrix(program.rows, order, range(program.variable_count)).transpose()


def _pivots(matrix: fmpz_mat, modular: bool) -> tuple[int, ...]:
    """Return the pivot columns of the echelon form, modulo the prime or over ℚ."""
    if not matrix.nrows() or not matrix.ncols():
        return ()
    echelon = nmod_mat(matrix, _PRIME).rref()[0] if modular else matrix.rref()[0]
    found: list[int] = []
    row = 0
    for column in range(matrix.ncols()):
        if row < matrix.nrows() and echelon[row, column] != 0:
            found.append(column)
            row += 1
    return tuple(found)


def solve_square(
    rows: Sequence[IntegerRow],
    chosen: Sequence[int],
    columns: Sequence[int],
    right_side: Sequence[fmpz],
    transpose: bool = False,
) -> list[fmpq] | None:
    """Return x with A[chosen, columns]·x = right_side (or with Aᵀ), ``None`` when that matrix is singular."""
    if len(chosen) != len(columns):
        return None
    if not chosen:
        return []
    square = _submatrix(rows, chosen, columns)
    try:
        solution = (square.transpose() if transpose else square).solve(fmpz_mat(len(chosen), 1, list(right_side)))
    except ZeroDivisionError:
        return None
    return [solution[i, 0] for i in range(len(chosen))]


@dataclass(frozen=True, slots=True)
class Proposal:
    """The rows and columns of a float solver's last basis, and its point z_j = values_j · 2^exponents_j."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    values: tuple[float, ...]
    exponents: tuple[int, ...]

    def rounded(self, bits: int) -> list[fmpq]:
        """Return z with every value rounded to a multiple of 2^-bits (before the exponents are applied)."""
        result = []
        for value, exponent in zip(self.values, self.exponents):
            integer = fmpz(round(Fraction(value) * (1 << bits)))
            shift = exponent - bits
            result.append(fmpq(integer << shift) if shift >= 0 else fmpq(integer, fmpz(1) << -shift))
        return result


def propose_basis(program: Program) -> Proposal | None:
    """Return a float solver's last basis for a program with an objective, ``None`` when it finds no optimum.

    Rows, columns, constants and objective are first scaled by powers of two, which changes no basis.  Nothing
    here is proved.
    """
    import numpy

    if not program.rows or not program.variable_count or program.objective is None:
        return None
    matrix = numpy.array([_to_floats(row) for row in program.rows])
    constants, matrix = matrix[:, -1], matrix[:, :-1]
    row_exponents = _exponents(numpy.abs(matrix).max(axis=1))
    lost = numpy.array([any(row[:-1]) for row in program.rows]) & (numpy.abs(matrix).max(axis=1) == 0)
    if lost.any():
        return None
    matrix = numpy.ldexp(matrix, -row_exponents[:, None])
    column_exponents = _exponents(numpy.abs(matrix).max(axis=0))
    matrix = numpy.ldexp(matrix, -column_exponents[None, :])
    constants = numpy.ldexp(constants, -row_exponents)
    size = int(_exponents(numpy.abs(constants).max(keepdims=True))[0])
    constants = numpy.ldexp(constants, -size)
    cost = numpy.ldexp(numpy.array(_to_floats(program.objective)), -column_exponents)
    cost = numpy.ldexp(cost, -int(_exponents(numpy.abs(cost).max(keepdims=True))[0]))
    solved = _run_solver(matrix, constants, cost, program.inequality_count)
    if solved is None:
        return None
    rows, columns, values = solved
    return Proposal(rows, columns, values, tuple(size - int(e) for e in column_exponents))


def _to_floats(row: IntegerRow) -> list[float]:
    """Return the row divided by a power of two that makes every entry a finite float."""
    excess = max(max(int(x.bit_length()) for x in row) - _FLOAT_BITS, 0)
    return [float(int(x >> excess)) for x in row] if excess else [float(int(x)) for x in row]


def _exponents(sizes: Any) -> Any:
    import numpy

    return numpy.frexp(sizes)[1]


def _run_solver(
    matrix: Any, constants: Any, cost: Any, inequality_count: int
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[float, ...]] | None:
    import highspy
    import numpy

    height, width = matrix.shape
    upper = numpy.full(height, highspy.kHighsInf)
    upper[inequality_count:] = -constants[inequality_count:]
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = height, width
    model.col_cost_ = -cost
    model.col_lower_ = numpy.full(width, -highspy.kHighsInf)
    model.col_upper_ = numpy.full(width, highspy.kHighsInf)
    model.row_lower_, model.row_upper_ = -constants, upper
    nonzero = matrix != 0
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = numpy.concatenate(([0], numpy.cumsum(nonzero.sum(axis=1)))).astype(numpy.int32)
    model.a_matrix_.index_ = numpy.nonzero(nonzero)[1].astype(numpy.int32)
    model.a_matrix_.value_ = matrix[nonzero]
    # The compiled class: its Python subclass prints a banner before it can be told not to.
    solver = highspy.Highs.__bases__[0]()
    for name, value in _SOLVER_OPTIONS.items():
        solver.setOptionValue(name, value)
    solver.setOptionValue("simplex_iteration_limit", 50 * (height + width) + 1000)
    solver.passModel(model)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    basis, basic = solver.getBasis(), highspy.HighsBasisStatus.kBasic
    values = tuple(solver.getSolution().col_value)
    if not basis.valid or not numpy.isfinite(values).all():
        return None
    rows = tuple(i for i, status in enumerate(basis.row_status) if status != basic)
    columns = tuple(j for j, status in enumerate(basis.col_status) if status == basic)
    return rows, columns, values


_SOLVER_OPTIONS = {
    "output_flag": False,
    "solver": "simplex",
    "presolve": "off",
    "parallel": "off",
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
}
