"""Fibers of networks with symbolic entries: for all parameters with given signs at once."""

from symfiber.symbolic.assumptions import Assumptions
from symfiber.symbolic.cases import CaseSplit, split_fiber
from symfiber.symbolic.feasibility import feasible, pointed
from symfiber.symbolic.fiber import SymbolicComponent, SymbolicFiber, symbolic_fiber
from symfiber.symbolic.hypotheses import SymbolicHypothesis, hypotheses_of

__all__ = [
    "Assumptions",
    "CaseSplit",
    "SymbolicComponent",
    "SymbolicFiber",
    "SymbolicHypothesis",
    "feasible",
    "hypotheses_of",
    "pointed",
    "split_fiber",
    "symbolic_fiber",
]
