"""Semi-algebraic sets over ℚ: basic sets, unions, rational maps, operations, simplification."""

from symfiber.semialgebraic.operations import closure, preimage, product, project, rename
from symfiber.semialgebraic.rational_map import RationalMap
from symfiber.semialgebraic.sets import BasicSet, SemialgebraicSet, Union
from symfiber.semialgebraic.simplification import simplify

__all__ = [
    "BasicSet",
    "RationalMap",
    "SemialgebraicSet",
    "Union",
    "closure",
    "preimage",
    "product",
    "project",
    "rename",
    "simplify",
]
