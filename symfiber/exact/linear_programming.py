"""Linear programming with certificates: a point, or multipliers that show there is none.

Why this way: each answer carries the system and a short proof, and is returned only after that proof was
checked in exact integer arithmetic.  So it does not matter who found it: the exact simplex method (small
systems, and whenever floats fail) or a float solver that proposes a basis (large systems).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, log2
from typing import Any, TypeVar

from flint import fmpq, fmpz

from symfiber.errors import InputError, VerificationError
from symfiber.exact.linear_certificates import (
    Infeasible,
    Optimum,
    Point,
    Row,
    System,
    Unbounded,
    ray_scale,
    recession_system,
    times_vector,
)
from symfiber.exact.scalars import ONE, ZERO, common_denominator, dot, primitive_integers, rational
from symfiber.exact.simplex import (
    Basis,
    Program,
    equation_basis,
    exact_basis,
    propose_basis,
    solve_square,
)

__all__ = ["Infeasible", "Optimum", "Point", "System", "Unbounded", "maximize", "solve_inequalities"]

FLOAT_THRESHOLD = 200
"""Rows times variables from which a float solver proposes first.

Measured, time of the exact method over that of float proposals, rationals of three digits (small integers):
4 × 12: 0.4-0.7 (0.3-0.5); 6 × 18: 0.6-1.3 (0.5-0.9); 8 × 24: 1.1-2 (0.8-1.2); 10 × 30: 1.7-3.3 (1-1.6);
16 × 40: 6-13 (2.4-4.2); 30 × 60: 25-300.
"""

_SMALLEST_MARGIN = 1e-9  # what the float solver's tolerance cannot tell from zero

_Answer = TypeVar("_Answer", Point, Infeasible, Optimum, Unbounded)


def solve_inequalities(
    inequalities: Iterable[Iterable[Any]],
    *,
    equations: Iterable[Iterable[Any]] = (),
    strict: Iterable[Iterable[Any]] = (),
    dimension: int | None = None,
    engine: str = "auto",
) -> Point | Infeasible:
    """Find x with a·x + b ≥ 0, c·x + d > 0, e·x + f = 0 for all given rows, or prove that there is none.

    Parameters
    ----------
    inequalities, strict, equations : iterables of rows (a₁, …, aₙ, b) of exact numbers
        The rows of ≥ 0, > 0 and = 0.
    dimension : int, optional
        n; needed only when there are no rows.
    engine : {"auto", "exact", "float-proposed"}
        Who finds the answer; by default the size decides.  The answer is proved in any case, but the point
        and the multipliers found may differ.

    Returns
    -------
    Point or Infeasible
        Its truth value says whether the system is feasible; its ``verify()`` checks it again.

    Raises
    ------
    InputError
        For rows of different lengths or entries that are not exact rational numbers.

    Notes
    -----
    Proved: always.  Cost: see :func:`symfiber.exact.simplex.exact_basis`; with floats, about one solution of
    a linear system of size n over ℚ.

    Examples
    --------
    >>> point = solve_inequalities([[1, 0, 0], [0, 1, 0]], strict=[[-1, -2, 3]])  # x, y >= 0, x + 2y < 3
    >>> bool(point), point.verify()
    (True, True)
    >>> nothing = solve_inequalities([[1, -1]], strict=[[-1, 1]])  # x >= 1 and x < 1
    >>> nothing.inequality_multipliers, nothing.strict_multipliers, nothing.verify()
    ((1,), (1,), True)
    """
    system = _system(inequalities, strict, equations, dimension)
    return _solve(system, _by_floats(system, engine))


def maximize(
    objective: Iterable[Any],
    inequalities: Iterable[Iterable[Any]],
    *,
    equations: Iterable[Iterable[Any]] = (),
    dimension: int | None = None,
    engine: str = "auto",
) -> Optimum | Unbounded | Infeasible:
    """Maximise c·x over all x with a·x + b ≥ 0 and e·x + f = 0 for all given rows.

    Parameters
    ----------
    objective : iterable of exact numbers
        c₁, …, cₙ.
    inequalities, equations, dimension, engine
        As in :func:`solve_inequalities`.

    Returns
    -------
    Optimum, Unbounded or Infeasible
        The truth value says whether the system is feasible; ``verify()`` checks the answer again.

    Raises
    ------
    InputError
        As in :func:`solve_inequalities`, and for an objective of another length.

    Notes
    -----
    Proved: always.  Cost: as :func:`solve_inequalities`.

    Examples
    --------
    >>> best = maximize([1, 1], [[1, 0, 0], [0, 1, 0], [-1, -2, 3]])
    >>> best.value, best.coordinates, best.multipliers, best.verify()
    (3, (3, 0), (0, 1, 1), True)
    >>> maximize([1], [[1, 0]]).ray
    (1,)
    """
    costs = tuple(rational(x, "objective entry") for x in objective)
    system = _system(inequalities, (), equations, len(costs) if dimension is None else dimension)
    if len(costs) != system.dimension:
        raise InputError(f"objective must have length {system.dimension}, got {len(costs)}")
    return _maximize(system, costs, _by_floats(system, engine))


def _system(
    inequalities: Iterable[Iterable[Any]],
    strict: Iterable[Iterable[Any]],
    equations: Iterable[Iterable[Any]],
    dimension: int | None,
) -> System:
    converted = [
        tuple(tuple(rational(x, f"{name} entry") for x in row) for row in rows)
        for name, rows in (
            ("inequality", inequalities),
            ("strict inequality", strict),
            ("equation", equations),
        )
    ]
    first = next((row for rows in converted for row in rows), None)
    if dimension is None:
        if first is None:
            raise InputError("dimension must be given when there are no rows, got None")
        dimension = len(first) - 1
    if dimension < 0:
        raise InputError(f"dimension must not be negative, got {dimension}")
    return System(dimension, *converted)


def _by_floats(system: System, engine: str) -> bool:
    if engine == "auto":
        return len(system.integer_rows) * system.dimension >= FLOAT_THRESHOLD
    if engine not in ("exact", "float-proposed"):
        raise InputError(f'engine must be "auto", "exact" or "float-proposed", got {engine!r}')
    return engine == "float-proposed"


def _solve(system: System, by_floats: bool) -> Point | Infeasible:
    preferred: Sequence[int] = ()
    if by_floats:
        found, preferred = _propose_solution(system)
        if found is not None:
            return found
    program = _margin_program(system, [fmpz(0)] * len(system.inequalities), [fmpz(1)] * len(system.strict))
    margin_row = len(system.inequalities) + len(system.strict)
    if not system.strict:
        preferred = [i - (i > margin_row) for i in preferred if i != margin_row]
    else:
        preferred = preferred or [margin_row]
    basis = exact_basis(program, preferred)
    answer: Point | Infeasible | None
    if basis.outcome == "feasible":
        answer = _point(system, program, basis)
        if answer is None:  # the largest margin is not positive
            answer = _contradiction(system, program, basis)
    else:
        answer = _contradiction(system, program, basis)
    if answer is None:
        raise VerificationError("the exact simplex method must end with a point or with multipliers")
    return answer


def _maximize(system: System, objective: Row, by_floats: bool) -> Optimum | Unbounded | Infeasible:
    program = Program(
        system.dimension,
        system.integer_rows,
        len(system.inequalities),
        primitive_integers(objective),
    )
    preferred: Sequence[int] = ()
    if by_floats:
        proposal = propose_basis(program)
        if proposal is not None:
            preferred = proposal.rows
            optimum = _optimum(system, objective, program, Basis("feasible", proposal.rows, proposal.columns))
            if optimum is not None:
                return optimum
        feasible = _solve(system, by_floats)
        if isinstance(feasible, Infeasible):
            return feasible
        if proposal is None:
            ray = _solve(recession_system(system, objective), by_floats)
            if isinstance(ray, Point):
                found = _if_valid(Unbounded(system, objective, feasible.coordinates, ray.coordinates))
                if found is not None:
                    return found
    basis = exact_basis(program, preferred)
    answer: Optimum | Unbounded | Infeasible | None
    if basis.outcome == "infeasible":
        answer = _contradiction(system, program, basis)
    elif basis.outcome == "unbounded":
        answer = _unbounded(system, objective, program, basis)
    else:
        answer = _optimum(system, objective, program, basis)
    if answer is None:
        raise VerificationError("the exact simplex method must end with an optimum, a ray or multipliers")
    return answer


def _margin_program(system: System, weak: Sequence[fmpz], strict: Sequence[fmpz], bits: int = 0) -> Program:
    """Maximise the margin u ≤ 2^bits with a·x + b ≥ weight·u; without weights, just ask for a point.

    The rows are the system's inequalities, strict inequalities, u ≤ 2^bits, equations; u is the last
    variable.
    """
    rows = system.integer_rows
    weights = [*weak, *strict]
    if not any(weights):
        return Program(system.dimension, rows, len(weights))
    zero = [fmpz(0)] * system.dimension
    bounded = [(*row[:-1], -weight, row[-1]) for row, weight in zip(rows, weights)]
    margin = (*zero, -(fmpz(1) << max(-bits, 0)), fmpz(1) << max(bits, 0))
    equations = [(*row[:-1], fmpz(0), row[-1]) for row in rows[len(weights) :]]
    return Program(
        system.dimension + 1,
        [*bounded, margin, *equations],
        len(weights) + 1,
        objective=[*zero, fmpz(1)],
        stop_when_positive=True,
    )


def _propose_solution(system: System) -> tuple[Point | Infeasible | None, Sequence[int]]:
    """Let floats find an answer and check it; when it fails, return the rows of the last proposed basis.

    The first program asks for a margin in all inequalities: it has an optimum unless the equations contradict
    each other.  A positive one gives an interior point, which survives rounding to short numbers; a negative
    one gives multipliers.  Only when it is zero and there are strict inequalities, a second program asks for
    a margin in those alone.
    """
    weak = len(system.inequalities)
    rows = system.integer_rows[: weak + len(system.strict)]
    sizes = [max((int(x.bit_length()) for x in row[:-1]), default=0) for row in rows]
    bits = max((int(row[-1].bit_length()) - size for row, size in zip(rows, sizes) if row[-1]), default=0)
    weights = [fmpz(int(size > 0 or i >= weak)) << size for i, size in enumerate(sizes)]
    preferred: Sequence[int] = ()
    for weak_weights in (weights[:weak], [fmpz(0)] * weak):
        program = _margin_program(system, weak_weights, weights[weak:], bits)
        proposal = propose_basis(program)
        if proposal is None:
            continue
        preferred = proposal.rows
        margin = proposal.values[-1]
        if margin > _SMALLEST_MARGIN:
            needed = ceil(log2(program.variable_count / margin)) + 1
            for precision in (needed - 3, needed, needed + 20):
                point = _rounded_point(system, program, proposal.rounded(max(precision, 0)))
                if point is not None:
                    return point, preferred
        basis = Basis("feasible", proposal.rows, proposal.columns)
        nothing = _contradiction(system, program, basis)
        if nothing is not None:
            return nothing, preferred
        point = _point(system, program, basis)
        if point is not None:
            return point, preferred
    return None, preferred


def _rounded_point(system: System, program: Program, values: list[fmpq]) -> Point | None:
    """Solve the equations for some coordinates, keep the others, and check."""
    coordinates = values[: system.dimension]
    if system.equations:
        rows, columns = equation_basis(program)
        for j in columns:
            coordinates[j] = ZERO
        denominator = common_denominator(coordinates)
        numerators = [*((x * denominator).p for x in coordinates), fmpz(0), denominator]
        residual = times_vector([program.rows[i] for i in rows], numerators)
        solution = solve_square(program.rows, rows, columns, [-x for x in residual])
        if solution is None:
            return None
        for j, x in zip(columns, solution):
            coordinates[j] = x / denominator
    return _if_valid(Point(system, tuple(coordinates)))


def _vertex(program: Program, basis: Basis) -> list[fmpq] | None:
    """Return z with z = 0 outside the basis columns and the basis rows equal to zero."""
    right = [-program.rows[i][-1] for i in basis.rows]
    solution = solve_square(program.rows, basis.rows, basis.columns, right)
    return None if solution is None else _spread(program.variable_count, basis.columns, solution)


def _spread(size: int, positions: Sequence[int], values: Sequence[fmpq]) -> list[fmpq]:
    result = [ZERO] * size
    for position, value in zip(positions, values):
        result[position] = value
    return result


def _point(system: System, program: Program, basis: Basis) -> Point | None:
    vertex = _vertex(program, basis)
    return None if vertex is None else _if_valid(Point(system, tuple(vertex[: system.dimension])))


def _multipliers(program: Program, basis: Basis, target: Sequence[fmpz]) -> list[fmpq] | None:
    """Return λ, zero outside the basis rows, with Σ λᵢ·aᵢ = −target in the basis columns."""
    wanted = [-target[j] for j in basis.columns]
    solution = solve_square(program.rows, basis.rows, basis.columns, wanted, transpose=True)
    return None if solution is None else _spread(len(program.rows), basis.rows, solution)


def _contradiction(system: System, program: Program, basis: Basis) -> Infeasible | None:
    """Return multipliers from a violated row, or from the dual solution of a margin that is not positive."""
    margin = program.variable_count - system.dimension
    if basis.witness is not None:
        row = program.rows[basis.witness]
        multipliers = _multipliers(program, basis, row)
        if multipliers is not None:
            multipliers[basis.witness] += 1
            if sum((x * r[-1] for x, r in zip(multipliers, program.rows) if x), ZERO) > 0:
                multipliers = [-x for x in multipliers]  # the witness is an equation
    elif program.objective is not None:
        multipliers = _multipliers(program, basis, program.objective)
    else:
        return None
    if multipliers is None:
        return None
    weak, strict = len(system.inequalities), len(system.strict)
    if margin:
        del multipliers[weak + strict]
    scaled = [x / scale if x else ZERO for x, scale in zip(multipliers, system.scales)]
    return _if_valid(
        Infeasible(
            system,
            tuple(scaled[:weak]),
            tuple(scaled[weak : weak + strict]),
            tuple(scaled[weak + strict :]),
        )
    )


def _optimum(system: System, objective: Row, program: Program, basis: Basis) -> Optimum | None:
    assert program.objective is not None
    vertex = _vertex(program, basis)
    multipliers = _multipliers(program, basis, program.objective)
    if vertex is None or multipliers is None:
        return None
    factor = ray_scale(objective, program.objective)
    scaled = [x * factor / scale if x else ZERO for x, scale in zip(multipliers, system.scales)]
    weak = len(system.inequalities)
    return _if_valid(
        Optimum(
            system,
            objective,
            dot(objective, vertex),
            tuple(vertex),
            tuple(scaled[:weak]),
            tuple(scaled[weak:]),
        )
    )


def _unbounded(system: System, objective: Row, program: Program, basis: Basis) -> Unbounded | None:
    vertex = _vertex(program, basis)
    if vertex is None:
        return None
    if basis.witness is not None:
        right = [fmpz(int(i == basis.witness)) for i in basis.rows]
        solution = solve_square(program.rows, basis.rows, basis.columns, right)
        if solution is None:
            return None
        ray = _spread(program.variable_count, basis.columns, solution)
        return _if_valid(Unbounded(system, objective, tuple(vertex), tuple(ray)))
    for j in set(range(program.variable_count)) - set(basis.columns):
        right = [-program.rows[i][j] for i in basis.rows]
        solution = solve_square(program.rows, basis.rows, basis.columns, right)
        if solution is None:
            return None
        line = _spread(program.variable_count, (*basis.columns, j), (*solution, ONE))
        growth = dot(objective, line)
        if growth != 0:
            ray = line if growth > 0 else [-x for x in line]
            return _if_valid(Unbounded(system, objective, tuple(vertex), tuple(ray)))
    return None


def _if_valid(answer: _Answer) -> _Answer | None:
    try:
        answer.verify()
    except VerificationError:
        return None
    return answer
