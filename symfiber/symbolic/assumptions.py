"""What is assumed about the base symbols, and which signs follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from symfiber.errors import UndecidedError
from symfiber.exact import Polynomial, PolynomialRing, Rational, shorten, sign
from symfiber.exact.conditions import Conditions
from symfiber.exact.knowledge import NONZERO, SignKnowledge, factorization
from symfiber.semialgebraic import BasicSet, Union


@dataclass(frozen=True)
class Assumptions:
    """The set of base symbols that is looked at: {p > 0 for all p in positive}.

    Attributes
    ----------
    set : BasicSet
        With strict conditions only.
    """

    set: BasicSet

    @classmethod
    def of_signs(cls, ring: PolynomialRing, signs: Mapping[str, int]) -> Assumptions:
        """Return the assumption that symbols have the given signs ±1."""
        return cls(BasicSet(ring, positive=[ring.generator(name) * s for name, s in signs.items()]))

    @property
    def ring(self) -> PolynomialRing:
        """The ring of the base symbols."""
        return self.set.ring

    @property
    def knowledge(self) -> SignKnowledge:
        """The signs that follow."""
        return SignKnowledge(positive=self.set.positive)

    def sign(self, value: Any) -> int:
        """Return the sign of a number or polynomial, −1, 0 or 1.

        Raises
        ------
        UndecidedError
            Naming the polynomial (``known["polynomial"]``) whose sign does not follow.
        """
        if isinstance(value, Rational):
            return sign(value)
        found = self.knowledge.sign(value)
        if found is None or found == NONZERO:
            raise UndecidedError(
                f"the sign of {shorten(value)} is needed and does not follow from the assumed signs",
                {"polynomial": value},
            )
        return found

    def with_sign(self, polynomial: Polynomial, value: int) -> Assumptions:
        """Return the assumption that moreover a polynomial has the sign ±1."""
        return Assumptions(self.set & BasicSet(self.ring, positive=[polynomial * value]))

    def undecided_factor(self, polynomial: Polynomial) -> Polynomial:
        """Return an irreducible factor of odd multiplicity whose sign does not follow, else the polynomial itself.

        The sign of a product says nothing about the factors when two of them are unknown; that of a factor does.
        """
        for factor, power in factorization(polynomial)[1]:
            if power % 2 and self.knowledge.sign(factor) in (None, NONZERO):
                return factor
        return polynomial

    def reduce(self, condition: Union, nonzero: tuple[Polynomial, ...] = ()) -> Union:
        """Return a condition that is equivalent under the assumption, without what follows from it.

        Pieces that contradict the assumption, or that no ``nonzero`` polynomial vanishes, are left out.  Sound; a piece
        that is left may still be empty.
        """
        known, pieces = self.knowledge, []
        for piece in condition.pieces:
            system = Conditions(
                self.ring,
                piece.equations,
                (*self.set.positive, *piece.positive),
                piece.nonnegative,
                nonzero,
            )
            system.normalize()
            if system.contradiction is not None:
                continue
            reduced = BasicSet(
                self.ring,
                piece.equations,
                [p for p in (_without_known(p, known) for p in piece.positive) if known.sign(p) != 1],
                [q for q in (_without_known(q, known) for q in piece.nonnegative) if known.sign(q) not in (0, 1)],
            )
            if reduced == BasicSet.everything(self.ring):
                return Union(self.ring, [reduced])
            pieces.append(reduced)
        return Union(self.ring, pieces)


def _without_known(polynomial: Polynomial, known: SignKnowledge) -> Polynomial:
    """Return ± the factors of a polynomial whose signs are not known; the same sign on the assumed set."""
    constant, factors = factorization(polynomial)
    result = polynomial.ring.constant(sign(constant))
    for factor, power in factors:
        found = known.sign(factor)
        if found is None or found == NONZERO:
            # Even powers matter only by vanishing: kept, the condition may be strict.
            result = result * (factor if power % 2 else factor * factor)
        elif power % 2:
            result = result * found
    return result
