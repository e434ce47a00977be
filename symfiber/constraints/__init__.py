"""Constraints on fibers: ready-made sets, scalings under bounds, sparse and small members, what is left of a fiber."""

from symfiber.constraints.intersect import ConstrainedComponent, ConstrainedFiber
from symfiber.constraints.norm import MinimumNorm, MinimumNormMember, minimum_norm_member, minimum_norm_scaling
from symfiber.constraints.scaling import IntegerScaling, ScalingIntoBounds, integer_scaling, scale_into, scaled
from symfiber.constraints.sets import box, equal, fixed, fixed_norm, row_sum, zeros
from symfiber.constraints.sparsest import SparsestMember, sparsest_member

__all__ = [
    "ConstrainedComponent",
    "ConstrainedFiber",
    "IntegerScaling",
    "MinimumNorm",
    "MinimumNormMember",
    "ScalingIntoBounds",
    "SparsestMember",
    "box",
    "equal",
    "fixed",
    "fixed_norm",
    "integer_scaling",
    "minimum_norm_member",
    "minimum_norm_scaling",
    "row_sum",
    "scale_into",
    "scaled",
    "sparsest_member",
    "zeros",
]
