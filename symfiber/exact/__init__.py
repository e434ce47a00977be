"""The exact base: the only part of symfiber that imports FLINT (and, lazily, a float LP solver that only proposes)."""

from symfiber.exact.integer_table import IntegerTable
from symfiber.exact.linear_programming import Infeasible, Optimum, Point, Unbounded, maximize, solve_inequalities
from symfiber.exact.matrix import Matrix
from symfiber.exact.modular import IndependentRows
from symfiber.exact.polyhedron import Polyhedron
from symfiber.exact.polynomial import Polynomial, PolynomialRing, Scalar
from symfiber.exact.scalars import (
    ONE,
    ZERO,
    Rational,
    common_denominator,
    dot,
    parse_rational,
    primitive_integers,
    rational,
    rational_from_float,
    shorten,
    sign,
    to_fraction,
    to_text,
)

__all__ = [
    "ONE",
    "ZERO",
    "IndependentRows",
    "Infeasible",
    "IntegerTable",
    "Matrix",
    "Optimum",
    "Point",
    "Polyhedron",
    "Polynomial",
    "PolynomialRing",
    "Rational",
    "Scalar",
    "Unbounded",
    "common_denominator",
    "dot",
    "maximize",
    "parse_rational",
    "primitive_integers",
    "rational",
    "rational_from_float",
    "shorten",
    "sign",
    "solve_inequalities",
    "to_fraction",
    "to_text",
]
