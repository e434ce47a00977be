"""Certified dimensions: a lower bound with its witness, an upper bound with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from symfiber.errors import VerificationError
from symfiber.exact import Rational
from symfiber.semialgebraic import RationalMap


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
