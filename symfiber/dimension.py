"""Certified dimensions: a lower bound with its witness, an upper bound with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symfiber.errors import InputError, LimitExceededError, UndecidedError, VerificationError
from symfiber.exact import Polynomial, Rational
from symfiber.exact.conditions import Conditions
from symfiber.exact.ideal import krull_dimension
from symfiber.exact.knowledge import factorization
from symfiber.exact.linear_certificates import Infeasible
from symfiber.exact.linearization import linear_consequence, with_products
from symfiber.semialgebraic import BasicSet, RationalMap, SemialgebraicSet
from symfiber.semialgebraic.positivstellensatz import prove_zero, refute
from symfiber.semialgebraic.search import search_system
from symfiber.semialgebraic.sign_change import SignChange, find_sign_change
from symfiber.semialgebraic.simplification import conditions_of
from symfiber.semialgebraic.smooth import smooth_dimension
from symfiber.semialgebraic.squares import quadratic_squares

_DEPTH = 8
_RADICAL_VARIABLES = 6


@dataclass(frozen=True, slots=True)
class DimensionCertificate:
    """Why a semi-algebraic set has dimension ``lower == upper``.

    Attributes
    ----------
    lower : int
        The rank of the Jacobian of ``chart`` at ``witness``, a point of the chart's domain where every inequality is
        strict: the image of a neighbourhood is a manifold of this dimension inside the set.
    upper : int
        A bound with the argument in ``reason``.
    chart : RationalMap
    witness : tuple of rationals
        In the chart's variables.
    reason : str
    """

    lower: int
    upper: int
    chart: RationalMap
    witness: tuple[Rational, ...]
    reason: str

    def verify(self) -> bool:
        """Recompute the lower bound from the witness; raise :class:`VerificationError` when it does not hold."""
        domain = self.chart.domain
        if domain.equations:
            raise VerificationError("the domain of the chart must be open, got equations")
        violation = domain.violation(self.witness)
        if violation is not None:
            raise VerificationError(f"the witness must lie in the chart's domain, but {violation} fails")
        for polynomial in domain.nonnegative:
            if not polynomial(self.witness):
                raise VerificationError(f"the witness must be interior, but {polynomial} vanishes")
        rank = self.chart.jacobian(self.witness).rank()
        if rank != self.lower:
            raise VerificationError(f"the Jacobian at the witness must have rank {self.lower}, got {rank}")
        if self.lower != self.upper:
            raise VerificationError(f"the lower bound {self.lower} must equal the upper bound {self.upper}")
        return True


@dataclass(frozen=True, slots=True)
class SetDimensionCertificate:
    """Why a set given by conditions has dimension ``lower == upper``; −1 for the empty set.

    Attributes
    ----------
    lower, upper : int
    source : BasicSet or Union
        The set.
    witness : tuple of rationals, SignChange or None
        A point near which ``witness_piece`` is a manifold of dimension ``lower``; or two points between which the only
        equation changes sign; ``None`` for the empty set.
    witness_piece : BasicSet or None
        A part of the set that contains the witness, with every inequality strict there.
    reason : str
        Why the dimension is not larger.
    """

    lower: int
    upper: int
    source: SemialgebraicSet
    witness: tuple[Rational, ...] | SignChange | None
    witness_piece: BasicSet | None
    reason: str

    def verify(self) -> bool:
        """Prove the lower bound again from the witness, and compute the upper bound again.

        Raises
        ------
        VerificationError
            When the witness does not lie in the set, proves less than ``lower``, or the upper bound is another one.
        """
        if self.lower != self.upper:
            raise VerificationError(f"the bounds must be equal, got {self.lower} and {self.upper}")
        if self.witness is not None and self.witness_piece is not None:
            self._verify_witness(self.witness_piece)
        elif self.lower >= 0:
            raise VerificationError("a nonempty set needs a witness")
        upper = max((_Bounds().of(piece, self.lower).upper for piece in self.source.pieces), default=-1)
        if upper != self.upper:
            raise VerificationError(f"the upper bound must be {self.upper}, got {upper}")
        return True

    def _verify_witness(self, piece: BasicSet) -> None:
        assert self.witness is not None
        if not any(_contained(piece, part, self.witness) for part in self.source.pieces):
            raise VerificationError("the witness piece must carry every condition of a piece of the set")
        if isinstance(self.witness, SignChange):
            self.witness.verify(piece)
            if _crossing_dimension(piece) < self.lower or piece.nonnegative:
                raise VerificationError("the sign change must be on an open set of the claimed dimension")
            return
        if not piece.contains(self.witness) or any(not q(self.witness) for q in piece.nonnegative):
            raise VerificationError("the witness must satisfy all inequalities strictly")
        found = smooth_dimension(piece.equations, self.witness, piece.ring)
        if (found or 0) < self.lower:
            raise VerificationError(f"the witness must prove dimension {self.lower}, got {found}")


def real_dimension(value: SemialgebraicSet, points: Sequence[Sequence[Rational]] = ()) -> SetDimensionCertificate:
    r"""Return the real dimension of a semi-algebraic set, with bounds from both sides; −1 for the empty set.

    Lower bound: a rational point with all inequalities strict near which the equations define a manifold (solved for
    variables, then the implicit function theorem), or a sign change of a single equation.  Upper bound: the Krull
    dimension of {equations = 0, strict polynomials ≠ 0} over ℂ, after equations that vanish on the *real* set were
    added (x = y = 0 for x² + y² = 0, by an identity −x² = Σ squares·positive + Σ h·e) and after splitting products and
    inequalities q ≥ 0 into q > 0 and q = 0 where that is needed.

    Parameters
    ----------
    points : sequence of points, optional
        Known points of the set, tried first for the lower bound.

    Raises
    ------
    UndecidedError
        When the bounds differ; ``known`` has both, ``lower`` = −1 when not even a point is known.

    Notes
    -----
    Cost: one elimination, a few point searches, and the Gröbner bases of what is left.  Proved.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> [real_dimension(BasicSet(R, [e])).lower for e in (x**2 + y**2, x * y, x**2 + 1, y**2 - x**3)]
    [0, 1, -1, 1]
    """
    known = [tuple(point) for point in points]
    if any(len(point) != len(value.ring.names) for point in known):
        raise InputError(f"points must have {len(value.ring.names)} coordinates")
    bounds = _Bounds(known)
    best = _Bound(-1, -1, None, None, "every piece is empty")
    upper, reason = -1, best.reason
    for piece in value.pieces:
        found = bounds.of(piece, best.lower)
        if found.lower > best.lower:
            best = found
        if found.upper > upper:
            upper, reason = found.upper, found.reason
    upper = max(upper, best.lower)
    if best.lower != upper:
        raise UndecidedError(
            f"the real dimension is between {best.lower} and {upper}: {reason}", {"lower": best.lower, "upper": upper}
        )
    return SetDimensionCertificate(best.lower, upper, value, best.witness, best.piece, reason)


def dimension(value: SemialgebraicSet) -> int:
    """Return the real dimension of a set, −1 when it is empty; see :func:`real_dimension`."""
    return real_dimension(value).lower


@dataclass(frozen=True, slots=True)
class _Bound:
    lower: int
    upper: int
    witness: tuple[Rational, ...] | SignChange | None
    piece: BasicSet | None
    reason: str


class _Bounds:
    """The recursion over cases; bounds in the coordinates of the original set."""

    def __init__(self, points: Sequence[tuple[Rational, ...]] = ()) -> None:
        self.points = list(points)

    def of(self, piece: BasicSet, floor: int = -1, depth: int = _DEPTH) -> _Bound:
        """Return bounds of one basic set; an upper bound ≤ floor is not improved further."""
        system = conditions_of(piece)
        system.eliminate()
        if system.contradiction is not None:
            return _empty(system.contradiction)
        for e in system.equations if depth else ():
            factors = [f for f, _ in factorization(e)[1]]
            if len(factors) > 1:
                cases = [piece & BasicSet(piece.ring, [f]) for f in factors]
                return self._union(cases, floor, depth, f"{e!r} = 0 splits")
        if isinstance(linear_consequence(system.equations, _strict(system), system.nonnegative), Infeasible):
            return _empty("the conditions contradict each other linearly")
        upper, reason = _krull(system)
        if upper <= floor:
            return _Bound(-1, upper, None, None, reason)
        best = self._lower(piece, system, upper, reason)
        if best.lower == upper or not depth:
            return best
        return self._refine(piece, system, best, floor, depth)

    def _lower(self, piece: BasicSet, system: Conditions, upper: int, reason: str) -> _Bound:
        """Look for points with strict inequalities near which the set is a manifold."""
        best = _Bound(-1, upper, None, None, reason)
        for budget, seeds in ((0, 0), (60, 1), (300, 3)):
            candidates = self.points if not seeds else [search_system(system, piece, budget, seeds)]
            for point in candidates:
                if point is None or not piece.contains(point):
                    continue
                found = self._at(piece, point)
                if found > best.lower:
                    best = _Bound(found, upper, point, _tight(piece, point), reason)
                if found == upper:
                    return best
        inner = BasicSet(piece.ring, piece.equations, piece.positive + piece.nonnegative)
        reduced = conditions_of(inner)
        reduced.eliminate()
        change = find_sign_change(reduced)
        if change is not None and _crossing_dimension(inner) > best.lower:
            return _Bound(_crossing_dimension(inner), upper, change, inner, reason)
        return best

    def _at(self, piece: BasicSet, point: tuple[Rational, ...]) -> int:
        """Return the proved local dimension at a point of the set, inequalities that vanish there made equations."""
        found = smooth_dimension(_tight(piece, point).equations, point, piece.ring)
        return 0 if found is None else found

    def _refine(self, piece: BasicSet, system: Conditions, best: _Bound, floor: int, depth: int) -> _Bound:
        """The bounds differ: add equations that hold on the real set, refute, or split an inequality."""
        implied = _implied_zero(system)
        if implied:
            found = self.of(piece & BasicSet(piece.ring, implied), floor, depth - 1)
            reason = f"{', '.join(map(str, implied))} vanish on the real set; {found.reason}"
            return _better(best, _Bound(found.lower, found.upper, found.witness, found.piece, reason))
        if best.lower < 0:
            products = with_products(system.equations, _strict(system), system.nonnegative)
            if isinstance(linear_consequence(*products), Infeasible):
                return _empty("products of two conditions contradict each other linearly")
        for degree, pairs in ((1, False), (1, True)):
            if best.lower < 0 and refute(system, degree, pairs) is not None:
                return _empty("an identity of small degree contradicts the conditions")
        for q in system.nonnegative:
            cases = [piece & BasicSet(piece.ring, [], [q]), piece & BasicSet(piece.ring, [q])]
            return _better(best, self._union(cases, max(floor, best.lower), depth, best.reason))
        return best

    def _union(self, cases: Sequence[BasicSet], floor: int, depth: int, reason: str) -> _Bound:
        best, upper = _empty(reason), -1
        for case in cases:
            found = self.of(case, max(floor, best.lower), depth - 1)
            if found.lower > best.lower:
                best = found
            if found.upper > upper:
                upper, reason = found.upper, found.reason
        return _Bound(best.lower, max(upper, best.lower), best.witness, best.piece, reason)


def _better(old: _Bound, new: _Bound) -> _Bound:
    """The larger lower bound, with the new upper one."""
    if old.lower >= new.lower:
        return _Bound(old.lower, max(new.upper, old.lower), old.witness, old.piece, new.reason)
    return new


def _empty(reason: str) -> _Bound:
    return _Bound(-1, -1, None, None, f"empty: {reason}")


def _strict(system: Conditions) -> list[Polynomial]:
    return [*system.positive, *(f * f for f in system.nonzero)]


def _tight(piece: BasicSet, point: tuple[Rational, ...]) -> BasicSet:
    """Return the part of the set where the inequalities that vanish at the point are equations."""
    active = [q for q in piece.nonnegative if not q(point)]
    weak = [q for q in piece.nonnegative if q(point)]
    return BasicSet(piece.ring, [*piece.equations, *active], piece.positive, weak)


def _contained(part: BasicSet, whole: BasicSet, witness: tuple[Rational, ...] | SignChange) -> bool:
    """Return whether ``part`` repeats the conditions of ``whole``: everywhere, or near a point of ``part``."""
    if not set(whole.equations) <= set(part.equations):
        return False
    if isinstance(witness, SignChange):
        return {*whole.positive, *whole.nonnegative} <= set(part.positive)
    tight = BasicSet(whole.ring, [q for q in whole.nonnegative if not q(witness)])
    return whole.contains(witness) and set(tight.equations) <= set(part.equations)


def _krull(system: Conditions) -> tuple[int, str]:
    variables = len(system.variables)
    try:
        found = krull_dimension(system.equations, system.ring, [*system.positive, *system.nonzero])
    except LimitExceededError:
        upper = variables - (1 if system.equations else 0)
        return upper, f"{len(system.solved)} coordinates are functions of the others, and {upper} of those are free"
    solved = len(system.solved)
    value = found.value if found.value < 0 else found.value - solved
    return value, (
        f"{solved} coordinates are functions of the others, and the {len(system.equations)} equations between those "
        f"have Krull dimension {value} where the strict conditions do not vanish"
    )


def _implied_zero(system: Conditions) -> list[Polynomial]:
    """Return polynomials that vanish on the real set by a sum of squares or another identity, but are not equations."""
    for e in system.equations:
        squares = quadratic_squares(e) or quadratic_squares(-e)
        if squares is not None and len(squares.roots) > 1:
            return [root.primitive() for root in squares.roots]
    names = system.occurring()
    if not system.equations or len(names) > _RADICAL_VARIABLES:
        return []
    found = []
    for name in names:
        x = system.ring.generator(name)
        if prove_zero(system, x) is not None or prove_zero(system, x * x, 2) is not None:
            found.append(x)
    return found


def _crossing_dimension(piece: BasicSet) -> int:
    """Return (variables left after elimination) − 1, the dimension of a zero set that separates an open set."""
    system = conditions_of(piece)
    system.eliminate()
    return len(system.variables) - 1


__all__ = [
    "DimensionCertificate",
    "SetDimensionCertificate",
    "dimension",
    "real_dimension",
]
