"""Signs that are needed but not assumed: one case for every choice of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from symfiber.decomposition.fiber import Fiber
from symfiber.errors import InputError, LimitExceededError, UndecidedError
from symfiber.exact import Polynomial
from symfiber.network import Network
from symfiber.semialgebraic import BasicSet, Union
from symfiber.symbolic.assumptions import Assumptions
from symfiber.symbolic.fiber import SymbolicFiber, symbolic_fiber

_CASE_LIMIT = 256


@dataclass(frozen=True)
class CaseSplit:
    """The fibers of a symbolic network, one for every choice of the signs that are not assumed.

    Attributes
    ----------
    network : Network
    cases : tuple of SymbolicFiber
        With disjoint assumptions.
    boundary : Union
        The values that no case covers: some polynomial of [W₂|b₂] vanishes, and G3 fails.
    """

    network: Network
    cases: tuple[SymbolicFiber, ...]
    boundary: Union

    def case_of(self, values: Mapping[str, Any]) -> SymbolicFiber:
        """Return the case that covers the values.

        Raises
        ------
        InputError
            When they lie on the boundary.
        """
        numbers = self.network.values(values)
        point = list(numbers.values())
        for case in self.cases:
            if case.assumptions.set.contains(point):
                return case
        raise InputError("the values must make no entry of [W2|b2] zero, they lie on the boundary of the cases")

    def at(self, values: Mapping[str, Any]) -> Fiber:
        """Return the fiber for given values; see :meth:`SymbolicFiber.at`."""
        return self.case_of(values).at(values)

    def __str__(self) -> str:
        numbered = enumerate(self.cases, start=1)
        return "\n".join(f"Case {number} of {len(self.cases)}. {case}" for number, case in numbered)

    def __repr__(self) -> str:
        return f"<CaseSplit into {len(self.cases)} cases>"


def split_fiber(net: Network) -> CaseSplit:
    """Return one symbolic fiber for every choice of the signs of [W₂|b₂] that are not implied.

    Raises
    ------
    LimitExceededError
        For more than 256 cases.

    Examples
    --------
    >>> net = Network([([[1, 2], [3, 1]], [1, 1]), ([["t", -1]], ["t - 1"]), ([[1]], [0])], symbols=["t"])
    >>> split = split_fiber(net)
    >>> [(str(c.assumptions.set), c.case) for c in split.cases]
    [('{ t > 0,  t - 1 > 0 }', 'visible'), ('{ t > 0,  -t + 1 > 0 }', 'hidden-single'), ('{ -t > 0 }', 'constant')]
    """
    if net.ring is None:
        raise InputError("a case split needs a network with symbols, got one of numbers")
    cases: list[SymbolicFiber] = []
    for case in _cases(net, Assumptions.of_signs(net.ring, net.signs)):
        if len(cases) >= _CASE_LIMIT:
            raise LimitExceededError(f"a case split has {_CASE_LIMIT} cases at most, got more")
        cases.append(case)
    entries = [x for w, b in zip(*net.scalar_layers[1]) for x in (*w, b)]
    start = Assumptions.of_signs(net.ring, net.signs)
    zero = Union(net.ring, [BasicSet(net.ring, [x]) for x in entries if isinstance(x, Polynomial)])
    return CaseSplit(net, tuple(cases), start.reduce(zero))


def _cases(net: Network, assumptions: Assumptions) -> Iterator[SymbolicFiber]:
    try:
        yield symbolic_fiber(net, assumptions)
        return
    except UndecidedError as error:
        if "polynomial" not in error.known:
            raise
        polynomial = error.known["polynomial"]
    assert isinstance(polynomial, Polynomial)
    factor = assumptions.undecided_factor(polynomial)
    for value in (1, -1):
        more = assumptions.with_sign(factor, value)
        # Contradictory signs (t > 1 and t < 0) are no case.
        if more.reduce(Union(more.ring, [BasicSet.everything(more.ring)])).pieces and not _contradictory(more):
            yield from _cases(net, more)


def _contradictory(assumptions: Assumptions) -> bool:
    """Whether the conditions, with monomials as unknowns and squares ≥ 0, contradict each other linearly."""
    from symfiber.exact.linear_certificates import Infeasible
    from symfiber.exact.linearization import linear_consequence

    positive, ring = assumptions.set.positive, assumptions.ring
    monomials = {exponents for polynomial in positive for exponents in polynomial.terms()}
    squares = [ring.from_terms({e: 1}) for e in sorted(monomials) if any(e) and not any(k % 2 for k in e)]
    return isinstance(linear_consequence([], positive, squares), Infeasible)
