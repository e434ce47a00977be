"""Decide whether two networks compute the same function on all of ℝᵈ, with a proof either way (THEORY §3).

Why this way: equal canonical forms prove equality in polynomial time; different forms say where to look for a point
that separates the functions; and when neither settles it, the reduced difference f_a − f_b, where all that the networks
share has cancelled, goes to an exact search over cells.  Genericity plays no part in any answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Literal

from symfiber.canonical import freeze, reduce_state, reduced
from symfiber.equivalence.cell_search import CellTree, Progress, search_cells
from symfiber.equivalence.smt import ask_z3
from symfiber.equivalence.witness import Point, critical_points, simple_points, simplify
from symfiber.errors import InputError, LimitExceededError, UnsupportedError, VerificationError
from symfiber.exact import Rational, shorten, to_fraction
from symfiber.network import Network, shorten_text
from symfiber.reduction import State, Step, difference

if TYPE_CHECKING:
    from symfiber.certificate import Certificate

Engine = Literal["moves", "cells", "z3"]
_ENGINES = (None, "moves", "cells", "z3")


@dataclass(frozen=True, slots=True)
class EqualityProof:
    """Why two networks are equal: moves that bring both to one form, or to a difference that is zero.

    Attributes
    ----------
    steps_a, steps_b : tuples of moves from each network's state to its reduced state
    steps_difference : tuple of moves from the difference of the reduced states, empty when they are equal
    tree : CellTree or None
        The proof that the remaining difference is zero; ``None`` when nothing remains.
    """

    steps_a: tuple[Step, ...]
    steps_b: tuple[Step, ...]
    steps_difference: tuple[Step, ...] = ()
    tree: CellTree | None = None


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The answer to whether two networks compute the same function; its truth value is ``equivalent``.

    Attributes
    ----------
    a, b : Network
    equivalent : bool
    witness : tuple of fractions.Fraction or None
        A point with different values, when not equivalent.
    method : str
        "moves", "cells", "witness" or "z3": what the answer rests on.
    proof : EqualityProof or None
    """

    a: Network = field(repr=False)
    b: Network = field(repr=False)
    equivalent: bool
    witness: tuple[Fraction, ...] | None
    method: str
    proof: EqualityProof | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.equivalent

    def _repr_html_(self) -> str:
        from symfiber.report.display import equivalence_html

        return equivalence_html(self)

    @property
    def certificate(self) -> Certificate:
        """A self-contained proof as JSON data that the independent checker verifies; built when asked for.

        Raises
        ------
        UnsupportedError
            When equality rests on z3's word.
        """
        from symfiber.certificate import equivalence_certificate

        if self.equivalent and self.proof is None:
            raise UnsupportedError('an equality that rests on z3\'s word has no certificate, use engine "cells"')
        return equivalence_certificate(self)

    @property
    def chain(self) -> tuple[str, ...]:
        """The moves that lead from a to b in words: those that reduce a, then those that reduce b, undone backwards."""
        from symfiber.equivalence.words import describe_step

        if self.proof is None:
            return ()
        proof = self.proof
        middle = [describe_step(step, "of a - b") for step in proof.steps_difference]
        if proof.tree is not None:
            middle.append(f"a - b is zero on every cell, by a tree of {len(proof.tree.nodes)} nodes")
        return (
            *(describe_step(step, "of a") for step in proof.steps_a),
            *middle,
            *(describe_step(step, "of b", undo=True) for step in reversed(proof.steps_b)),
        )

    @property
    def explanation(self) -> str:
        """One sentence that says what the answer rests on."""
        if self.witness is not None:
            at = ", ".join(shorten_text(x) for x in self.witness[:6]) + (", …" if len(self.witness) > 6 else "")
            return f"different: the values at ({at}) differ"
        if self.proof is None:
            return "equal, says z3 (no proof that symfiber checked)"
        count = len(self.proof.steps_a) + len(self.proof.steps_b)
        if self.proof.tree is not None:
            return (
                f"equal: after {count} moves the difference is zero on every cell ({len(self.proof.tree.nodes)} nodes)"
            )
        if self.proof.steps_difference:
            return f"equal: {count} moves and {len(self.proof.steps_difference)} on the difference leave nothing"
        return f"equal: {count} moves bring both networks to the same form"


def decide_equivalence(
    a: Network,
    b: Network,
    *,
    engine: Engine | None = None,
    limit: int = 20_000,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> Equivalence:
    r"""Decide whether f_a(x) = f_b(x) for all x ∈ ℝᵈ.

    Parameters
    ----------
    a, b : Networks of numbers with the same input dimension d and output dimension m, of any depths and hidden widths
    engine : {None, "moves", "cells", "z3"}
        By default everything below is tried in turn; "moves" leaves out the exponential search, "cells" uses nothing
        but it, "z3" asks the SMT solver (equality is then its word only; a witness is checked all the same).
    limit : int
        The largest number of nodes of the search over cells.
    seconds : float, optional
        The largest running time of the search over cells, or of z3.
    progress : callable, optional
        Called with (nodes, covered share) during the search over cells.

    Returns
    -------
    Equivalence
        ``.equivalent``; a ``.witness`` (re-evaluated exactly) when not; ``.certificate`` for the independent checker.

    Raises
    ------
    InputError
        When the dimensions differ.
    UnsupportedError
        For symbolic networks.
    LimitExceededError
        When the search stops at a limit; ``known`` says what was covered.

    Notes
    -----
    Cost: for generic bottleneck networks (n₁ ≤ d, two hidden layers) and all networks with one hidden layer, a constant
    number of operations per weight and a few evaluations.  Otherwise exponential in the front neurons that are left in
    the reduced difference, at worst.  Proved: always.

    Examples
    --------
    >>> a = Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])])
    >>> b = Network([([[3, 1], [2, 4]], [1, 3]), ([[-2, 2]], [-8]), ([["1/2"]], [0])])
    >>> c = Network([([[3, 1], [2, 4]], [1, 3]), ([[-2, 2]], [-7]), ([["1/2"]], [0])])
    >>> bool(decide_equivalence(a, b)), decide_equivalence(a, c).witness
    (True, (Fraction(0, 1), Fraction(1, 1)))
    """
    _check_arguments(a, b, engine)
    if engine == "z3":
        point = ask_z3(a, b, seconds)
        return Equivalence(a, b, True, None, "z3") if point is None else _different(a, b, point)
    if engine == "cells":
        D = difference(State.from_network(a), State.from_network(b))
        return _by_cells(a, b, EqualityProof((), ()), D, limit, seconds, progress)
    points = simple_points(a.architecture[0])
    separating = _first_separating(a, b, islice(points, 2))
    if separating is not None:
        return _different(a, b, separating)
    reduced_a, reduced_b = reduced(a), reduced(b)
    steps = tuple(reduced_a.steps), tuple(reduced_b.steps)
    if freeze(reduced_a) == freeze(reduced_b):
        return Equivalence(a, b, True, None, "moves", EqualityProof(*steps))
    separating = _first_separating(a, b, points)
    if separating is not None:
        return _different(a, b, separating)
    return _by_difference(a, b, (reduced_a, reduced_b), None if engine == "moves" else (limit, seconds, progress))


def _check_arguments(a: Network, b: Network, engine: str | None) -> None:
    for name, net in (("a", a), ("b", b)):
        if not isinstance(net, Network):
            raise InputError(f"{name} must be a Network, got {type(net).__name__}")
        if net.is_symbolic:
            raise UnsupportedError(f"decide_equivalence needs networks of numbers, got {name} = {net!r}")
    for end, what in ((0, "input"), (-1, "output")):
        if a.architecture[end] != b.architecture[end]:
            raise InputError(
                f"networks must have the same {what} dimension, got {a.architecture[end]} and {b.architecture[end]}"
            )
    if engine not in _ENGINES:
        raise InputError(f'engine must be None, "moves", "cells" or "z3", got {shorten(engine)}')


def _by_difference(
    a: Network,
    b: Network,
    states: tuple[State, State],
    search: tuple[int, float | None, Progress | None] | None,
) -> Equivalence:
    """Reduce the difference of two reduced states and look at its kinks, then at its cells."""
    D = difference(*states)
    reduce_state(D)
    proof = EqualityProof(tuple(states[0].steps), tuple(states[1].steps), tuple(D.steps))
    if D.is_zero():
        return Equivalence(a, b, True, None, "moves", proof)
    separating = _first_separating(a, b, critical_points(D))
    if separating is not None:
        return _different(a, b, separating)
    if search is None:
        raise LimitExceededError(
            "neither moves nor critical points decide whether the networks are equal, and the search was left out",
            {"front neurons left": sum(map(len, D.front)), "top neurons left": len(D.top)},
        )
    return _by_cells(a, b, proof, D, *search)


def _first_separating(a: Network, b: Network, points: Iterable[Point]) -> Point | None:
    return next((x for x in points if a.evaluate(x) != b.evaluate(x)), None)


def _by_cells(
    a: Network,
    b: Network,
    proof: EqualityProof,
    D: State,
    limit: int,
    seconds: float | None,
    progress: Progress | None,
) -> Equivalence:
    found = search_cells(D, limit, seconds, progress)
    if not isinstance(found, CellTree):
        return _different(a, b, found)
    proved = EqualityProof(proof.steps_a, proof.steps_b, proof.steps_difference, found)
    return _checked(Equivalence(a, b, True, None, "cells", proved))


def _checked(result: Equivalence) -> Equivalence:
    """Let the independent checker read the proof by cells; proofs beyond its limits pass unread."""
    from symfiber import checker

    try:
        checker.check(result.certificate.data)
    except checker.Refusal as refusal:
        if refusal.args[1] == 1:
            raise VerificationError(f"a proof of equality must check, but {refusal.args[0]}") from None
    return result


def _different(a: Network, b: Network, point: Sequence[Rational]) -> Equivalence:
    """Return the answer "different" after making the witness simpler and evaluating it once more."""

    def differs(x: Point) -> bool:
        return a.evaluate(x) != b.evaluate(x)

    budget = max(6, 100_000 // (a.parameter_count + b.parameter_count))
    simple = simplify(point, differs, min(budget, 400))
    witness = tuple(to_fraction(x) for x in simple)
    if a(witness) == b(witness):
        raise VerificationError("a witness must separate the networks")
    return Equivalence(a, b, False, witness, "witness")
