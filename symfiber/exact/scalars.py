"""Rational numbers: conversion into FLINT's ``fmpq`` and back, never through floats."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpz

from symfiber.errors import ExactnessError, InputError

Rational = fmpq
"""The scalar type of exact computations: an immutable, hashable rational number."""

ZERO = fmpq(0)
ONE = fmpq(1)

_RATIONAL_TEXT = re.compile(r"\s*([+-]?[0-9]+)(?:\s*/\s*([0-9]+))?\s*", re.ASCII)


def shorten(value: object, limit: int = 60) -> str:
    """Return ``repr(value)`` cut to ``limit`` characters, for error messages."""
    # Python refuses to print integers of more than 4300 digits; FLINT does not.
    text = str(fmpz(value)) if type(value) is int else repr(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def is_rational_text(text: str) -> bool:
    """Return whether the text has the form ``"p"`` or ``"p/q"``."""
    return _RATIONAL_TEXT.fullmatch(text) is not None


def parse_rational(text: str, where: str = "entry") -> fmpq:
    """Return the rational number written as ``"p"`` or ``"p/q"``, of any length.

    Raises
    ------
    InputError
        When the text has another form or the denominator is zero.

    Examples
    --------
    >>> parse_rational("-6/4")
    -3/2
    """
    match = _RATIONAL_TEXT.fullmatch(text)
    if match is None:
        raise InputError(f'{where} must be a rational number such as "3" or "-2/7", got {shorten(text)}')
    numerator = fmpz(match.group(1).lstrip("+"))
    if match.group(2) is None:
        return fmpq(numerator)
    denominator = fmpz(match.group(2))
    if denominator == 0:
        raise InputError(f"{where} must have a nonzero denominator, got {shorten(text)}")
    return fmpq(numerator, denominator)


def rational(value: Any, where: str = "entry") -> fmpq:
    """Convert an exact number to ``fmpq``: int, Fraction, ``"p/q"``, sympy.Rational, flint, numpy integer.

    Raises
    ------
    ExactnessError
        For floats and decimals, which must be converted on purpose.
    InputError
        For anything else that is not a rational number.

    Examples
    --------
    >>> rational("2/6") == rational(Fraction(1, 3))
    True
    """
    if isinstance(value, fmpq):
        return value
    if isinstance(value, bool):
        raise InputError(f"{where} must be a rational number, got the truth value {value}")
    if isinstance(value, (int, fmpz)):
        return fmpq(value)
    if isinstance(value, Fraction):
        return fmpq(value.numerator, value.denominator)
    if isinstance(value, str):
        return parse_rational(value, where)
    kind = getattr(getattr(value, "dtype", None), "kind", "")  # numpy scalars
    if isinstance(value, (float, Decimal)) or kind == "f" or getattr(value, "is_Float", False):
        raise ExactnessError(
            f"{where} must be exact, got the {type(value).__name__} {value!r}; "
            "use Network.from_floats, which takes every float as the dyadic rational it is"
        )
    if getattr(value, "is_Rational", False):  # sympy
        return fmpq(int(value.p), int(value.q))
    try:
        return fmpq(operator.index(value))
    except TypeError:
        raise InputError(
            f"{where} must be a rational number (int, Fraction, 'p/q', sympy.Rational or flint), "
            f"got {shorten(value)} of type {type(value).__name__}"
        ) from None


def rational_from_float(value: Any, where: str = "entry") -> fmpq:
    """Return the rational that a finite float of any precision *is*; exact numbers stay what they are.

    Examples
    --------
    >>> rational_from_float(0.1), rational_from_float(2**53 + 1)
    (3602879701896397/36028797018963968, 9007199254740993)
    """
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if isinstance(value, (float, Decimal)) or kind == "f":
        try:
            return fmpq(*map(int, value.as_integer_ratio()))
        except (OverflowError, ValueError):
            raise InputError(f"{where} must be a finite number, got {value}") from None
    if getattr(value, "is_Float", False):  # sympy
        return rational_from_float(_sympy_float(value), where)
    return rational(value, where)


def _sympy_float(value: Any) -> Any:
    from sympy import Rational as SympyRational

    return SympyRational(value) if value.is_finite else float(value)


def to_fraction(value: fmpq) -> Fraction:
    """Return the same number as ``fractions.Fraction``."""
    return Fraction(int(value.p), int(value.q))


def to_text(value: fmpq) -> str:
    """Return ``"p"`` or ``"p/q"``, of any length (Python's own ``str`` stops at 4300 digits)."""
    return str(value)


def sign(value: fmpq) -> int:
    """Return −1, 0 or 1."""
    return int(value > 0) - int(value < 0)


def dot(a: Iterable[Any], b: Iterable[Any]) -> Any:
    """Return Σ aᵢbᵢ in any ring; the empty sum is the rational 0."""
    total: Any = ZERO
    for x, y in zip(a, b):
        total = total + x * y
    return total


def common_denominator(values: Iterable[fmpq]) -> fmpz:
    """Return the least positive integer that clears the denominators of all values."""
    result = fmpz(1)
    for value in values:
        result = result.lcm(value.q)
    return result


def primitive_integers(values: Iterable[fmpq]) -> tuple[fmpz, ...]:
    """Return the integer vector without common factor on the same ray (a zero vector stays zero).

    Examples
    --------
    >>> [int(x) for x in primitive_integers([rational("1/2"), rational("-3/4")])]
    [2, -3]
    """
    row = tuple(values)
    denominator = common_denominator(row)
    integers = [(value * denominator).p for value in row]
    content = fmpz(0)
    for integer in integers:
        content = content.gcd(integer)
    return tuple(integers) if content in (0, 1) else tuple(integer // content for integer in integers)
