"""Sets written for other systems: SMT-LIB 2, SymPy, Singular, Macaulay2, Sage, Mathematica; sets read from SymPy."""

from symfiber.export.smtlib import to_smtlib
from symfiber.export.sympy_relations import from_sympy, to_sympy
from symfiber.export.text import to_macaulay2, to_mathematica, to_sage, to_singular

__all__ = ["from_sympy", "to_macaulay2", "to_mathematica", "to_sage", "to_singular", "to_smtlib", "to_sympy"]
