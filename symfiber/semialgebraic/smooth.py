"""Lower bounds of the local dimension at a point: solve for variables near it, then the implicit function theorem."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from symfiber.errors import LimitExceededError
from symfiber.exact import Matrix, Polynomial, PolynomialRing, Rational
from symfiber.exact.conditions import replace_by_quotient
from symfiber.exact.groebner import groebner_basis
from symfiber.exact.knowledge import factorization

_CHOICE_LIMIT = 32
_PAIR_LIMIT, _WORK_LIMIT = 500, 100_000


def smooth_dimension(equations: Sequence[Polynomial], point: Sequence[Rational], ring: PolynomialRing) -> int | None:
    """Return the dimension of a real manifold through the point inside V(equations), ``None`` when none is proved.

    Equations a·y + b = 0 with a(point) ≠ 0 are solved for y near the point.  If the k equations that are left have
    Jacobian rank k at the point, the implicit function theorem gives a manifold of dimension (variables left) − k.  If
    the rank r is smaller, r independent equations S give one, and the others vanish on it when some power of each lies
    in the ideal of S away from the zeros of the minor (a Gröbner basis that is 1).  Where an equation is a product,
    each choice of a vanishing factor is tried; every one gives a manifold inside the set.

    Cost: one substitution an equation, at most 32 choices of factors.  Proved.

    Examples
    --------
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> smooth_dimension([x * y], [Rational(0), Rational(1)], R), smooth_dimension([x**2 + y**2], [Rational(0)] * 2, R)
    (1, None)
    """
    values = tuple(point)
    if any(e(values) for e in equations):
        return None
    options = []
    for e in equations:
        vanishing = [f for f, _ in factorization(e)[1] if not f(values)]
        if e:
            options.append(vanishing)
    best: int | None = None
    for count, choice in enumerate(product(*options)):
        if count >= _CHOICE_LIMIT:
            break
        found = _on_branch(list(dict.fromkeys(choice)), values, ring)
        if found is not None:
            best = found if best is None else max(best, found)
    return best


def _on_branch(equations: list[Polynomial], values: tuple[Rational, ...], ring: PolynomialRing) -> int | None:
    left = set(ring.names)
    while (choice := _solvable(equations, values)) is not None:
        e, name, slope = choice
        rest = e - slope * ring.generator(name)
        left.discard(name)
        replaced = [replace_by_quotient(p, name, slope, rest)[0] for p in equations if p is not e]
        equations = list(dict.fromkeys(_local_radical(p, values) for p in replaced if p))
    if not equations:
        return len(left)
    names = [name for name in ring.names if name in left]
    jacobian = Matrix([[e.derivative(name)(values) for name in names] for e in equations], len(names))
    rank = jacobian.rank()
    if rank == len(equations):
        return len(left) - rank
    return _redundant(equations, jacobian, names, values, ring, rank)


def _solvable(equations: list[Polynomial], values: tuple[Rational, ...]) -> tuple[Polynomial, str, Polynomial] | None:
    best: tuple[tuple[int, int], Polynomial, str, Polynomial] | None = None
    for e in equations:
        for index, degree in enumerate(e._value.degrees()):
            if degree != 1:
                continue
            name = e.ring.names[index]
            slope = e.derivative(name)
            cost = (slope.total_degree(), len(e._value))
            if (best is None or cost < best[0]) and slope(values):
                best = cost, e, name, slope
    return best[1:] if best else None


def _local_radical(p: Polynomial, values: tuple[Rational, ...]) -> Polynomial:
    """Return the product of the different factors that vanish at the point; the others are units near it."""
    result = p.ring.constant(1)
    for factor, _ in factorization(p)[1]:
        if not factor(values):
            result = result * factor
    return result


def _redundant(
    equations: list[Polynomial],
    jacobian: Matrix,
    names: list[str],
    values: tuple[Rational, ...],
    ring: PolynomialRing,
    rank: int,
) -> int | None:
    """Return (variables) − rank when the dependent equations vanish near the point where the independent ones do."""
    _, chosen = jacobian.transpose().row_echelon()
    _, columns = jacobian.submatrix(chosen, range(len(names))).row_echelon()
    independent = [equations[i] for i in chosen]
    minor = _determinant([[e.derivative(names[j]) for j in columns] for e in independent], ring)
    extra = PolynomialRing((*ring.names, "unit_", "power_"))
    unit, power = extra.generator("unit_"), extra.generator("power_")
    base = [*map(extra.embed, independent), unit * extra.embed(minor) - 1]
    for i, e in enumerate(equations):
        if i in chosen:
            continue
        try:
            basis = groebner_basis(
                [*base, power * extra.embed(e) - 1], extra, pair_limit=_PAIR_LIMIT, work_limit=_WORK_LIMIT
            )
        except LimitExceededError:
            return None
        if not basis.is_unit:
            return None
    return len(names) - rank


def _determinant(rows: list[list[Polynomial]], ring: PolynomialRing) -> Polynomial:
    if not rows:
        return ring.constant(1)
    total = ring.constant(0)
    for j, entry in enumerate(rows[0]):
        if entry:
            total = total + entry * _determinant([[*r[:j], *r[j + 1 :]] for r in rows[1:]], ring) * (-1) ** j
    return total
