"""Is a semi-algebraic set empty?  A layered decision; every answer carries its evidence.

The layers, cheapest first: elimination of determined variables with sign contradictions; exact linear programming (it
decides linear sets); a search for a rational point; linear contradictions between monomials; a Gröbner basis equal
to 1; Positivstellensatz identities of small degree; a case split on factors; a sign change (it proves real points that
are not rational).  An optional engine comes last, and what only it says is marked as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from symfiber.errors import InputError, UndecidedError, VerificationError
from symfiber.exact import Polynomial, Rational
from symfiber.exact.conditions import Conditions
from symfiber.exact.knowledge import factorization
from symfiber.exact.linear_certificates import Infeasible
from symfiber.exact.linearization import linear_consequence, with_products
from symfiber.semialgebraic.positivstellensatz import COLUMN_LIMIT, Positivstellensatz, refute
from symfiber.semialgebraic.search import linear_point, search_system
from symfiber.semialgebraic.sets import BasicSet, SemialgebraicSet
from symfiber.semialgebraic.sign_change import SignChange, find_sign_change
from symfiber.semialgebraic.simplification import conditions_of, reduced_equations, set_of

_DEGREES = ((1, False), (1, True), (2, False))
_SPLIT_DEPTH = 6
_COLUMNS_A_NODE = 4


@dataclass(frozen=True, slots=True)
class Member:
    """A rational point of the set."""

    point: tuple[Rational, ...]

    def verify(self, piece: BasicSet) -> bool:
        """Evaluate all conditions."""
        violation = piece.violation(self.point)
        if violation is not None:
            raise VerificationError(f"the point must lie in the set, but {violation} fails")
        return True


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The conditions contradict each other after eliminating determined variables; ``reason`` says which."""

    reason: str

    def verify(self, piece: BasicSet) -> bool:
        """Eliminate again; the same contradiction must appear."""
        system = conditions_of(piece)
        system.eliminate()
        if system.contradiction is None:
            raise VerificationError("elimination must end with a contradiction")
        return True


@dataclass(frozen=True, slots=True)
class Refutation:
    """An identity that contradicts the conditions left after eliminating determined variables.

    ``certificate`` is a Farkas combination of the conditions (and products of two inequalities) with monomials as
    variables, a Positivstellensatz identity, or ``None`` when the equations generate the unit ideal.
    """

    certificate: Infeasible | Positivstellensatz | None

    def verify(self, piece: BasicSet) -> bool:
        """Eliminate again, compare the conditions with those of the certificate, and check that."""
        system = conditions_of(piece)
        system.eliminate()
        if self.certificate is None:
            basis = reduced_equations(system.equations)
            if basis is None or not basis.is_unit:
                raise VerificationError("the equations must generate the unit ideal")
            return basis.verify()
        if isinstance(self.certificate, Positivstellensatz):
            if set(self.certificate.equations) != set(system.equations):
                raise VerificationError("the certificate must be about the reduced equations of the set")
            return self.certificate.verify()
        conditions = system.equations, _strict(system), system.nonnegative
        for rows in (conditions, with_products(*conditions)):
            again = linear_consequence(*rows)
            if isinstance(again, Infeasible) and again.system == self.certificate.system:
                return self.certificate.verify()
        raise VerificationError("the certificate must be about the reduced conditions of the set")


@dataclass(frozen=True, slots=True)
class Cases:
    """After elimination an equation is a product: every factor gives a case, and each case is empty."""

    factors: tuple[Polynomial, ...]
    evidence: tuple[Evidence, ...]

    def verify(self, piece: BasicSet) -> bool:
        """Check that the factors are those of an equation, and every case."""
        cases = _cases_of(piece, self.factors)
        return all(evidence.verify(case) for evidence, case in zip(self.evidence, cases, strict=True))


@dataclass(frozen=True, slots=True)
class InCase:
    """After elimination an equation is a product, and the case of one factor has a real point."""

    factors: tuple[Polynomial, ...]
    index: int
    evidence: SignChange | InCase

    def verify(self, piece: BasicSet) -> bool:
        """Check that the factors are those of an equation, and the case."""
        return self.evidence.verify(_cases_of(piece, self.factors)[self.index])


def _cases_of(piece: BasicSet, factors: Sequence[Polynomial]) -> list[BasicSet]:
    """Return the reduced set with an equation replaced by each of its factors in turn."""
    system = conditions_of(piece)
    system.eliminate()
    product = piece.ring.constant(1)
    for factor in factors:
        product = product * factor
    others = [e for e in system.equations if e not in (product, -product)]
    if len(others) == len(system.equations):
        raise VerificationError("the factors must be those of a reduced equation of the set")
    system.equations = others
    rest = set_of(system)
    return [rest & BasicSet(piece.ring, [factor]) for factor in factors]


@dataclass(frozen=True, slots=True)
class EngineVerdict:
    """What an external solver said; not a proof of symfiber's own."""

    engine: str
    answer: str

    def verify(self, piece: BasicSet) -> bool:
        """Ask the engine again."""
        if self.engine != "z3" or _ask_z3(piece)[0] != self.answer:
            raise VerificationError(f"the engine {self.engine} must answer {self.answer} again")
        return True


Evidence = Member | SignChange | InCase | Contradiction | Refutation | Cases | EngineVerdict


@dataclass(frozen=True, slots=True)
class Emptiness:
    """The answer for a set: for every piece the evidence; ``point`` when a rational one was found.

    Attributes
    ----------
    empty : bool
    pieces : tuple of BasicSet
        The pieces that the evidence is about: all of them when empty, the one with a point otherwise.
    evidence : tuple
    """

    empty: bool
    pieces: tuple[BasicSet, ...]
    evidence: tuple[Evidence, ...]

    @property
    def point(self) -> tuple[Rational, ...] | None:
        """A rational point of the set; ``None`` for an empty set and when only real points are known."""
        return next((e.point for e in self.evidence if isinstance(e, Member)), None)

    @property
    def proved(self) -> bool:
        """Whether the answer is proved by symfiber itself, without trusting an external engine."""
        return not any(isinstance(e, EngineVerdict) for e in self.evidence)

    def verify(self) -> bool:
        """Check all evidence again; raise :class:`VerificationError` when it does not hold."""
        return all(evidence.verify(piece) for piece, evidence in zip(self.pieces, self.evidence, strict=True))

    def __bool__(self) -> bool:
        return self.empty


def decide_emptiness(value: SemialgebraicSet, engine: str | None = None, budget: int = 400) -> Emptiness:
    """Decide whether a set is empty over ℝ, with evidence.

    Parameters
    ----------
    engine : {None, "z3"}
        Who is asked when the own layers find nothing; its points are checked, its "unsatisfiable" is only reported.
    budget : int
        The number of nodes of one point search; identities are searched with up to four times as many unknowns.

    Raises
    ------
    UndecidedError
        When some piece is neither shown to have a point nor refuted.

    Notes
    -----
    Cost: linear sets one linear program; in general exponential at worst, bounded by the budgets.  Proved, unless
    ``proved`` is false.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> nothing = decide_emptiness(BasicSet(R, [x**2 + y**2 + 1]))
    >>> nothing.empty, nothing.verify()
    (True, True)
    >>> decide_emptiness(BasicSet(R, [x * y - 1], positive=[x - 2])).point
    (3, 1/3)
    """
    if engine not in (None, "z3"):
        raise InputError(f'engine must be None or "z3", got {engine!r}')
    found: list[Evidence] = []
    undecided: list[BasicSet] = []
    for piece in value.pieces:
        evidence = _decide(piece, engine, budget, _SPLIT_DEPTH)
        if isinstance(evidence, (Member, SignChange, InCase)) or _says(evidence, "sat"):
            assert evidence is not None
            return Emptiness(False, (piece,), (evidence,))
        if evidence is None:
            undecided.append(piece)
        else:
            found.append(evidence)
    if undecided:
        raise UndecidedError(
            f"whether the set is empty is open for {len(undecided)} of {len(value.pieces)} pieces: no point was found "
            "and no contradiction of small degree",
            {"refuted": len(found), "open": tuple(undecided)},
        )
    return Emptiness(True, tuple(value.pieces), tuple(found))


def is_empty(value: SemialgebraicSet, engine: str | None = None) -> bool:
    """Return whether a set has no real point, decided as in :func:`decide_emptiness`."""
    return decide_emptiness(value, engine).empty


def find_point(value: SemialgebraicSet, engine: str | None = None) -> tuple[Rational, ...] | None:
    """Return a rational point of the set, ``None`` when it is proved empty.

    Raises
    ------
    UndecidedError
        When neither is found, or only real points are known (for example √2).

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> R = PolynomialRing(("x",)); (x,) = R.generators
    >>> find_point(BasicSet(R, positive=[x - 3, 4 - x]))
    (7/2,)
    """
    answer = decide_emptiness(value, engine)
    if not answer.empty and answer.point is None:
        raise UndecidedError("the set has real points, but no rational one was found", {"empty": False})
    return answer.point


def _says(evidence: Evidence | None, answer: str) -> bool:
    return isinstance(evidence, EngineVerdict) and evidence.answer == answer


def _decide(piece: BasicSet, engine: str | None, budget: int, depth: int) -> Evidence | None:
    system = conditions_of(piece)
    system.eliminate()
    if system.contradiction is not None:
        return Contradiction(system.contradiction)
    evidence = _quick(piece, system) or _by_identity(system, budget) or _by_cases(piece, system, budget, depth)
    if evidence is not None:
        return evidence
    point = search_system(system, piece, budget)
    if point is not None:
        return Member(point)
    change = find_sign_change(system)
    if change is not None:
        return change
    return _by_engine(piece) if engine == "z3" else None


def _quick(piece: BasicSet, system: Conditions) -> Evidence | None:
    """Linear programming, and a short search."""
    linear = linear_consequence(system.equations, _strict(system), system.nonnegative)
    if isinstance(linear, Infeasible):
        return Refutation(linear)
    if all(p.total_degree() <= 1 for p in system.all()):
        for weak in ([], system.nonnegative):
            strict = system.positive + (system.nonnegative if not weak else [])
            values = None if system.nonzero else linear_point(system.equations, strict, weak)
            point = None if values is None else system.lift(values)
            if point is not None and piece.contains(point):
                return Member(point)
    found = search_system(system, piece, 40, 1)
    if found is not None:
        return Member(found)
    products = linear_consequence(*with_products(system.equations, _strict(system), system.nonnegative))
    return Refutation(products) if isinstance(products, Infeasible) else None


def _by_identity(system: Conditions, budget: int) -> Evidence | None:
    basis = reduced_equations(system.equations)
    if basis is not None and basis.is_unit:
        return Refutation(None)
    for degree, pairs in _DEGREES:
        proof = refute(system, degree, pairs, min(COLUMN_LIMIT, _COLUMNS_A_NODE * budget))
        if proof is not None:
            return Refutation(proof)
    return None


def _by_cases(piece: BasicSet, system: Conditions, budget: int, depth: int) -> Evidence | None:
    """Split on a reduced equation that is a product."""
    for e in system.equations if depth else ():
        factors = tuple(f for f, _ in factorization(e)[1])
        if len(factors) < 2:
            continue
        found: list[Evidence] = []
        for index, case in enumerate(_cases_of(piece, factors)):
            evidence = _decide(case, None, budget, depth - 1)
            if isinstance(evidence, Member):
                values = dict(zip(piece.ring.names, evidence.point))
                point = system.lift({name: values[name] for name in system.variables})
                return Member(point) if point is not None and piece.contains(point) else None
            if isinstance(evidence, (SignChange, InCase)):
                return InCase(factors, index, evidence)
            if evidence is None:
                return None
            found.append(evidence)
        return Cases(factors, tuple(found))
    return None


def _strict(system: Conditions) -> list[Polynomial]:
    return [*system.positive, *(f * f for f in system.nonzero)]


def _by_engine(piece: BasicSet) -> Evidence | None:
    answer, point = _ask_z3(piece)
    if point is not None and piece.contains(point):
        return Member(point)
    return EngineVerdict("z3", answer) if answer in ("sat", "unsat") else None


def _ask_z3(piece: BasicSet, timeout_ms: int = 20_000) -> tuple[str, tuple[Rational, ...] | None]:
    """Return z3's answer, and its model when that is rational."""
    try:
        import z3
    except ImportError:
        raise InputError('engine "z3" needs the package z3-solver, which is not installed') from None
    from symfiber.export.smtlib import to_smtlib

    solver: Any = z3.SolverFor("QF_NRA")
    solver.set("timeout", timeout_ms)
    solver.from_string(to_smtlib(piece))
    answer = str(solver.check())
    if answer != "sat":
        return answer, None
    model = solver.model()
    point = []
    for name in piece.ring.names:
        value = model.eval(z3.Real(name), model_completion=True)
        if not z3.is_rational_value(value):
            return answer, None
        point.append(Rational(value.numerator_as_long(), value.denominator_as_long()))
    return answer, tuple(point)
