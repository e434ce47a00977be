"""Simplification that keeps the set: signs of factors, Gröbner bases of the equations, implied linear inequalities."""

from __future__ import annotations

from collections.abc import Sequence

from symfiber.errors import LimitExceededError
from symfiber.exact import Polynomial
from symfiber.exact.conditions import Conditions
from symfiber.exact.groebner import GroebnerBasis, groebner_basis
from symfiber.exact.linear_programming import Infeasible
from symfiber.exact.linearization import linear_consequence
from symfiber.semialgebraic.sets import BasicSet, SemialgebraicSet, Union

_REDUNDANCY_LIMIT = 300
_PAIR_LIMIT, _WORK_LIMIT = 300, 100_000


def conditions_of(piece: BasicSet) -> Conditions:
    """Return the conditions of a basic set as a system that can be rewritten."""
    return Conditions(piece.ring, piece.equations, piece.positive, piece.nonnegative)


def set_of(system: Conditions) -> BasicSet:
    """Return the basic set of a system, without what was solved; f ≠ 0 is written f² > 0."""
    if system.contradiction is not None:
        return BasicSet.nothing(system.ring)
    positive = [*system.positive, *(f * f for f in system.nonzero)]
    return BasicSet(system.ring, system.equations, positive, system.nonnegative)


def simplify(value: SemialgebraicSet) -> SemialgebraicSet:
    """Return the same set with fewer or simpler conditions; a union without its empty-looking and repeated pieces.

    Factors of known sign are removed, equations become the reduced Gröbner basis of their radical-like normal form,
    inequalities are reduced modulo it, and those implied by the others linearly (in the monomials) are dropped.

    Returns
    -------
    BasicSet or Union
        The type of the argument.  An empty set that was recognised is ``BasicSet.nothing(ring)`` or a union of no
        pieces; emptiness is not *decided* here (see :func:`symfiber.emptiness.is_empty`).

    Notes
    -----
    Cost: at most two Gröbner bases within a small limit (left out beyond it) and one linear program an inequality.
    Proved: every step keeps the set.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> print(simplify(BasicSet(R, [x * y - x], [x], [x + 1, x - y - 2, x - y - 3])))
    { y - 1 = 0,  x - 4 ≥ 0 }
    """
    if isinstance(value, Union):
        pieces = [_simplified(piece) for piece in value.pieces]
        return Union(value.ring, [p for p in pieces if p != BasicSet.nothing(p.ring)])
    return _simplified(value)


def _simplified(piece: BasicSet) -> BasicSet:
    system = conditions_of(piece)
    for _ in range(4):
        before = system.all()
        system.normalize()
        if system.contradiction is not None:
            break
        basis = reduced_equations(system.equations)
        if basis is not None:
            if basis.is_unit:
                return BasicSet.nothing(piece.ring)
            system.equations = list(basis.basis)
            system.positive = [basis.reduce(p) for p in system.positive]
            system.nonnegative = [basis.reduce(q) for q in system.nonnegative]
            system.nonzero = [basis.reduce(f) for f in system.nonzero]
        if system.all() == before:
            break
    else:
        system.normalize()
    return drop_implied(set_of(system))


def reduced_equations(equations: Sequence[Polynomial]) -> GroebnerBasis | None:
    """Return the reduced Gröbner basis when it is found within a small limit, else ``None``."""
    if not equations:
        return None
    try:
        return groebner_basis(equations, pair_limit=_PAIR_LIMIT, work_limit=_WORK_LIMIT)
    except LimitExceededError:
        return None


def drop_implied(piece: BasicSet) -> BasicSet:
    """Return the set without the inequalities that follow linearly from the others; empty if they contradict."""
    equations = list(piece.equations)
    strict, weak = list(piece.positive), list(piece.nonnegative)
    if not strict and not weak:
        return piece
    if isinstance(linear_consequence(equations, strict, weak), Infeasible):
        return BasicSet.nothing(piece.ring)
    if len(strict) + len(weak) > _REDUNDANCY_LIMIT:
        return piece
    for q in sorted(weak, key=lambda q: (-q.total_degree(), -len(str(q)), str(q))):
        others = [other for other in weak if other is not q]
        if isinstance(linear_consequence(equations, [*strict, -q], others), Infeasible):
            weak = others
    for p in sorted(strict, key=lambda p: (-p.total_degree(), -len(str(p)), str(p))):
        rest = [other for other in strict if other is not p]
        if isinstance(linear_consequence(equations, rest, [*weak, -p]), Infeasible):
            strict = rest
    return BasicSet(piece.ring, equations, strict, weak)
