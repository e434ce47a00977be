"""Deciding functional equivalence with proofs (THEORY §3)."""

from symfiber.equivalence.decide import EqualityProof, Equivalence, decide_equivalence
from symfiber.equivalence.smt import smtlib

__all__ = ["EqualityProof", "Equivalence", "decide_equivalence", "smtlib"]
