"""Arrays of numbers into exact nested lists: floats become the dyadic rationals they are, integers stay integers."""

from __future__ import annotations

from typing import Any

from symfiber.errors import InputError
from symfiber.exact import Rational, rational_from_float, shorten


def exact_rows(array: Any, where: str) -> list[list[Rational]]:
    """Return a two-dimensional array (anything with ``ndim``, ``shape``, ``dtype``, ``tolist``) as exact rows."""
    _check(array, where, 2)
    return exact_lists(array.tolist(), where)


def exact_vector(array: Any, where: str) -> list[Rational]:
    """Return a one-dimensional array as exact numbers."""
    _check(array, where, 1)
    return exact_list(array.tolist(), where)


def exact_lists(rows: Any, where: str) -> list[list[Rational]]:
    """Return a list of rows of Python numbers as exact numbers.

    Examples
    --------
    >>> exact_lists([[0.5, 3]], "weight")
    [[1/2, 3]]
    """
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise InputError(f"{where} must have 2 dimensions")
    return [_numbers(row, where, i) for i, row in enumerate(rows)]


def exact_list(values: Any, where: str) -> list[Rational]:
    """Return a list of Python numbers as exact numbers."""
    if not isinstance(values, list):
        raise InputError(f"{where} must have 1 dimension")
    return _numbers(values, where, None)


def exact_number(value: Any, where: str) -> Rational:
    """Return the exact value of a Python float or int; raise for NaN, infinity and anything else."""
    if isinstance(value, list):
        raise InputError(f"{where} must be a number, got a list: the array has one dimension too many")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{where} must be a number, got {shorten(value)}")
    return Rational(value) if isinstance(value, int) else rational_from_float(value, where)


def _numbers(values: list[Any], where: str, row: int | None) -> list[Rational]:
    """Convert a row; the place of an entry is put into words only when the entry is bad (half the time of loading)."""
    result = []
    for j, value in enumerate(values):
        try:
            result.append(Rational(*value.as_integer_ratio()) if type(value) is float else exact_number(value, where))
        except (ValueError, OverflowError):
            place = str(j) if row is None else f"({row}, {j})"
            exact_number(value, f"{where} entry {place}")
            raise
    return result


def _check(array: Any, where: str, dimensions: int) -> None:
    kind = getattr(getattr(array, "dtype", None), "kind", "?")
    if kind not in "fiu":
        raise InputError(
            f"{where} must be an array of floats or integers, got {getattr(array, 'dtype', type(array).__name__)}"
        )
    if getattr(array.dtype, "itemsize", 8) > 8:
        # tolist would round extended precision to double.
        raise InputError(f"{where} must have at most 64-bit numbers, got dtype {array.dtype}")
    if array.ndim != dimensions:
        raise InputError(f"{where} must have {dimensions} dimension{'s' * (dimensions > 1)}, got shape {array.shape}")
