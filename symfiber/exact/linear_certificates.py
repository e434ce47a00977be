"""Linear systems over ℚ and the certificates about them: points, multipliers, optima, rays.

Every certificate carries its system and verifies itself in exact integer arithmetic, whoever found it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq, fmpz, fmpz_mat

from symfiber.errors import InputError, VerificationError
from symfiber.exact.scalars import ONE, ZERO, common_denominator, dot, primitive_integers

Row = tuple[fmpq, ...]


@dataclass(frozen=True, slots=True, repr=False)
class System:
    """A system a·x + b ≥ 0 (``inequalities``), a·x + b > 0 (``strict``), a·x + b = 0 (``equations``), x ∈ ℚⁿ.

    Rows are (a₁, …, aₙ, b).  The primitive integer vectors on the rows' rays are kept beside them:
    row = scale · integer row with scale > 0.
    """

    dimension: int
    inequalities: tuple[Row, ...] = ()
    strict: tuple[Row, ...] = ()
    equations: tuple[Row, ...] = ()
    integer_rows: tuple[tuple[fmpz, ...], ...] = field(init=False, compare=False)
    scales: Row = field(init=False, compare=False)

    def __post_init__(self) -> None:
        rows = (*self.inequalities, *self.strict, *self.equations)
        for row in rows:
            if len(row) != self.dimension + 1:
                raise InputError(f"rows must have length dimension + 1 = {self.dimension + 1}, got length {len(row)}")
        integer_rows = tuple(primitive_integers(row) for row in rows)
        scales = tuple(ray_scale(row, integers) for row, integers in zip(rows, integer_rows))
        object.__setattr__(self, "integer_rows", integer_rows)
        object.__setattr__(self, "scales", scales)

    def __reduce__(self) -> tuple[Any, ...]:
        return System, (self.dimension, self.inequalities, self.strict, self.equations)

    def __repr__(self) -> str:
        return (
            f"<System in ℚ^{self.dimension}: {len(self.inequalities)} inequalities, "
            f"{len(self.strict)} strict, {len(self.equations)} equations>"
        )

    def first_violation(self, coordinates: Sequence[fmpq]) -> str | None:
        """Return the name of the first row that fails at the point, ``None`` when all hold (proved)."""
        denominator = common_denominator(coordinates)
        numerators = [(x * denominator).p for x in coordinates]
        values = times_vector(self.integer_rows, [*numerators, denominator])
        weak, strict = len(self.inequalities), len(self.inequalities) + len(self.strict)
        for i, value in enumerate(values):
            if i < weak and value < 0:
                return f"inequality {i}"
            if weak <= i < strict and value <= 0:
                return f"strict inequality {i - weak}"
            if i >= strict and value != 0:
                return f"equation {i - strict}"
        return None

    def combination(self, multipliers: Sequence[fmpq]) -> Row:
        """Return Σ multiplierᵢ · rowᵢ over inequalities, strict inequalities, equations in this order."""
        weights = [x * scale for x, scale in zip(multipliers, self.scales)]
        denominator = common_denominator(weights)
        numerators = [(x * denominator).p for x in weights]
        return tuple(fmpq(x, denominator) for x in _vector_times(numerators, self.integer_rows, self.dimension + 1))


@dataclass(frozen=True, slots=True, repr=False)
class Point:
    """A solution of a system; true as a truth value.

    Attributes
    ----------
    system : System
    coordinates : tuple of fmpq
    """

    system: System
    coordinates: Row

    def verify(self) -> bool:
        """Evaluate every row at the point; True, or :class:`VerificationError`."""
        _check_length("coordinates", self.coordinates, self.system.dimension)
        violated = self.system.first_violation(self.coordinates)
        if violated is not None:
            raise VerificationError(f"point must satisfy the system, but {violated} fails")
        return True

    def __repr__(self) -> str:
        return f"<Point of {self.system!r}>"


@dataclass(frozen=True, slots=True, repr=False)
class Infeasible:
    """A proof that a system has no solution (Motzkin's transposition theorem); false as a truth value.

    With λ = ``inequality_multipliers`` ≥ 0, μ = ``strict_multipliers`` ≥ 0, ν = ``equation_multipliers`` of
    any sign::

        Σ λᵢ·(aᵢ, bᵢ) + Σ μⱼ·(cⱼ, dⱼ) + Σ νₖ·(eₖ, fₖ) = (0, …, 0, β),    β < 0,  or  β = 0 and some μⱼ > 0.

    At a solution x the left side, applied to (x, 1), would be ≥ 0, and > 0 when some μⱼ > 0; the right side
    is β: a contradiction.  Such multipliers exist whenever there is no solution.
    """

    system: System
    inequality_multipliers: Row
    strict_multipliers: Row
    equation_multipliers: Row

    def verify(self) -> bool:
        """Check the displayed conditions; True, or :class:`VerificationError`."""
        system = self.system
        _check_length("inequality multipliers", self.inequality_multipliers, len(system.inequalities))
        _check_length("strict multipliers", self.strict_multipliers, len(system.strict))
        _check_length("equation multipliers", self.equation_multipliers, len(system.equations))
        if any(x < 0 for x in (*self.inequality_multipliers, *self.strict_multipliers)):
            raise VerificationError("multipliers of inequalities must not be negative")
        *coefficients, constant = system.combination(
            (*self.inequality_multipliers, *self.strict_multipliers, *self.equation_multipliers)
        )
        if any(coefficients):
            raise VerificationError("the combination of the rows must have no variable left")
        if constant > 0 or (constant == 0 and not any(self.strict_multipliers)):
            raise VerificationError("the combination of the rows must be a contradiction")
        return True

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<Infeasible {self.system!r}>"


@dataclass(frozen=True, slots=True, repr=False)
class Optimum:
    """A maximum of c·x over a system without strict inequalities, with its dual proof; true as a truth value.

    The point has c·x = ``value``, and with λ = ``inequality_multipliers`` ≥ 0, ν = ``equation_multipliers``::

        Σ λᵢ·(aᵢ, bᵢ) + Σ νₖ·(eₖ, fₖ) = (−c, value),

    so value − c·x = Σ λᵢ·(aᵢ·x + bᵢ) ≥ 0 at every solution x.
    """

    system: System
    objective: Row
    value: fmpq
    coordinates: Row
    inequality_multipliers: Row
    equation_multipliers: Row

    @property
    def multipliers(self) -> Row:
        """The multipliers of the inequalities, then of the equations."""
        return (*self.inequality_multipliers, *self.equation_multipliers)

    def verify(self) -> bool:
        """Check the point, the multipliers and the value; True, or :class:`VerificationError`."""
        system = self.system
        if system.strict:
            raise VerificationError("an optimum must belong to a system without strict inequalities")
        _check_length("objective", self.objective, system.dimension)
        _check_length("inequality multipliers", self.inequality_multipliers, len(system.inequalities))
        _check_length("equation multipliers", self.equation_multipliers, len(system.equations))
        Point(system, self.coordinates).verify()
        if dot(self.objective, self.coordinates) != self.value:
            raise VerificationError("the objective at the point must be the value")
        if any(x < 0 for x in self.inequality_multipliers):
            raise VerificationError("multipliers of inequalities must not be negative")
        if system.combination(self.multipliers) != (*(-x for x in self.objective), self.value):
            raise VerificationError("the combination of the rows must be value minus objective")
        return True

    def __repr__(self) -> str:
        return f"<Optimum over {self.system!r}>"


@dataclass(frozen=True, slots=True, repr=False)
class Unbounded:
    """A proof that c·x has no maximum: a point p and a ray r; true as a truth value (there is a solution).

    p solves the system, a·r ≥ 0 for its inequalities, e·r = 0 for its equations and c·r > 0; so p + t·r is a
    solution for all t ≥ 0 and c·(p + t·r) → ∞.
    """

    system: System
    objective: Row
    point: Row
    ray: Row

    def verify(self) -> bool:
        """Check the conditions on p and r; True, or :class:`VerificationError`."""
        system = self.system
        _check_length("objective", self.objective, system.dimension)
        _check_length("ray", self.ray, system.dimension)
        Point(system, self.point).verify()
        violated = recession_system(system).first_violation(self.ray)
        if violated is not None:
            raise VerificationError(f"the ray must not leave the system, but {violated} decreases along it")
        if dot(self.objective, self.ray) <= 0:
            raise VerificationError("the objective must increase along the ray")
        return True

    def __repr__(self) -> str:
        return f"<Unbounded over {self.system!r}>"


def recession_system(system: System, objective: Row | None = None) -> System:
    """Return the system of the rays r: a·r ≥ 0, e·r = 0, and c·r ≥ 1 when an objective is given."""
    growth = () if objective is None else ((*objective, -ONE),)
    return System(
        system.dimension,
        (*((*row[:-1], ZERO) for row in (*system.inequalities, *system.strict)), *growth),
        (),
        tuple((*row[:-1], ZERO) for row in system.equations),
    )


def ray_scale(row: Row, integers: Sequence[fmpz]) -> fmpq:
    """Return the positive number s with row = s · integers; 1 for a zero row."""
    return next((x / y for x, y in zip(row, integers) if y), ONE)


def times_vector(rows: Sequence[Sequence[fmpz]], vector: Sequence[fmpz]) -> list[fmpz]:
    """Return the integer matrix times the integer vector."""
    matrix = fmpz_mat(len(rows), len(vector), [x for row in rows for x in row])
    result: list[fmpz] = (matrix * fmpz_mat(len(vector), 1, list(vector))).entries()
    return result


def _vector_times(vector: Sequence[fmpz], rows: Sequence[Sequence[fmpz]], width: int) -> list[fmpz]:
    matrix = fmpz_mat(len(rows), width, [x for row in rows for x in row])
    result: list[fmpz] = (fmpz_mat(1, len(vector), list(vector)) * matrix).entries()
    return result


def _check_length(name: str, values: Sequence[Any], length: int) -> None:
    if len(values) != length:
        raise VerificationError(f"{name} must have length {length}, got {len(values)}")
