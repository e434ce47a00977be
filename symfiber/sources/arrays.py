"""Arrays of numbers into exact nested lists: floats become the dyadic rationals they are, integers stay integers."""

from __future__ import annotations

from typing import Any

from symfiber.errors import InputError
from symfiber.exact import Rational, rational_from_float, shorten


def exact_rows(array: Any, where: str) -> list[list[Rational]]:
    """Return a two-dimensional array (anything with ``ndim``, ``shape``, ``dtype``, ``tolist``) as exact rows."""
    _check(array, where, 2)
    rows = array.tolist()
    return [[exact_number(x, f"{where} entry ({i}, {j})") for j, x in enumerate(row)] for i, row in enumerate(rows)]


def exact_vector(array: Any, where: str) -> list[Rational]:
    """Return a one-dimensional array as exact numbers."""
    _check(array, where, 1)
    return [exact_number(x, f"{where} entry {i}") for i, x in enumerate(array.tolist())]


def exact_number(value: Any, where: str) -> Rational:
    """Return the exact value of a Python float or int; raise for NaN, infinity and anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{where} must be a number, got {shorten(value)}")
    return Rational(value) if isinstance(value, int) else rational_from_float(value, where)


def _check(array: Any, where: str, dimensions: int) -> None:
    kind = getattr(getattr(array, "dtype", None), "kind", "?")
    if kind not in "fiu":
        raise InputError(f"{where} must be an array of floats or integers, got dtype {getattr(array, 'dtype', None)}")
    if getattr(array.dtype, "itemsize", 8) > 8:
        # tolist would round extended precision to double.
        raise InputError(f"{where} must have at most 64-bit numbers, got dtype {array.dtype}")
    if array.ndim != dimensions:
        raise InputError(f"{where} must have {dimensions} dimension{'s' * (dimensions > 1)}, got shape {array.shape}")
