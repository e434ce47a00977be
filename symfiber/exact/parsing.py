"""Text and SymPy expressions into polynomials, without evaluating anything."""

from __future__ import annotations

import ast
from math import comb
from typing import Any

from symfiber.errors import ExactnessError, InputError
from symfiber.exact.polynomial import Polynomial, PolynomialRing
from symfiber.exact.scalars import is_rational_text, parse_rational, shorten

_MAXIMAL_EXPONENT = 10_000
_MAXIMAL_LENGTH = 100_000
_MAXIMAL_BITS = 1 << 28
"""Bound on (number of terms) · (bits of a coefficient) of a power or product, before it is computed."""


def parse_polynomial(text: str, ring: PolynomialRing, where: str = "entry") -> Polynomial:
    """Read ``+ - * / ** ^`` , integers, parentheses and the ring's symbols; division only by numbers.

    Raises
    ------
    InputError
        When the text is anything else.

    Examples
    --------
    >>> R = PolynomialRing(("s", "t"))
    >>> parse_polynomial("(s - t/2)^2", R) == parse_polynomial("s**2 - s*t + t*t/4", R)
    True
    """
    if is_rational_text(text):
        return ring.constant(parse_rational(text, where))
    if len(text) > _MAXIMAL_LENGTH:
        raise InputError(f"{where} must have at most {_MAXIMAL_LENGTH} characters, got {len(text)}")
    try:
        tree = ast.parse(text.strip().replace("^", "**"), mode="eval")
        return _polynomial(tree.body, ring, where)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f'{where} must be a polynomial such as "s^2 - 2/3*t", got {shorten(text)}') from None


def _polynomial(node: ast.expr, ring: PolynomialRing, where: str) -> Polynomial:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() as number):
            return ring.constant(number)
        case ast.Constant(value=float() as number):
            raise ExactnessError(f'{where} must be exact, got the float {number}; write it as "p/q"')
        case ast.Name(id=name):
            return ring.generator(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_polynomial(operand, ring, where)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _polynomial(operand, ring, where)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as exponent)) if not isinstance(
            exponent, bool
        ):
            if not 0 <= exponent <= _MAXIMAL_EXPONENT:
                raise InputError(f"{where} must have exponents from 0 to {_MAXIMAL_EXPONENT}, got {exponent}")
            base = _polynomial(left, ring, where)
            _check_power(base, exponent, where)
            return base**exponent
        case ast.BinOp(left=left, op=operation, right=right):
            a, b = _polynomial(left, ring, where), _polynomial(right, ring, where)
            match operation:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    _check_product(a, b, where)
                    return a * b
                case ast.Div() if b.constant_value():
                    return a / b
    raise InputError(f"{where} must be a polynomial in {', '.join(ring.names)}, got {shorten(ast.unparse(node))}")


def _check_power(base: Polynomial, exponent: int, where: str) -> None:
    terms, bits = _size(base)
    if terms > 1:
        symbols, degree = len(base.symbols()), base.total_degree()
        terms_after = min(comb(terms + exponent - 1, terms - 1), comb(degree * exponent + symbols, symbols))
    else:
        terms_after = terms
    _check_bits(terms_after * exponent * (bits + terms.bit_length()), where)


def _check_product(a: Polynomial, b: Polynomial, where: str) -> None:
    (terms, bits), (more_terms, more_bits) = _size(a), _size(b)
    _check_bits(terms * more_terms * (bits + more_bits), where)


def _check_bits(bits: int, where: str) -> None:
    if bits > _MAXIMAL_BITS:
        raise InputError(f"{where} must be a polynomial of moderate size, got a power or product that is too long")


def _size(polynomial: Polynomial) -> tuple[int, int]:
    """The number of terms, and the bits of the longest coefficient."""
    coefficients = polynomial.terms().values()
    return len(coefficients), max((c.p.bit_length() + c.q.bit_length() for c in coefficients), default=0)


def polynomial_from_sympy(expression: Any, ring: PolynomialRing, where: str = "entry") -> Polynomial:
    """Convert a SymPy expression whose free symbols are named in the ring; sizes are checked before expanding.

    Examples
    --------
    >>> from sympy.abc import s, t
    >>> polynomial_from_sympy((s - t / 2) ** 2, PolynomialRing(("s", "t")))
    s^2 - s*t + 1/4*t^2
    """
    from sympy import Expr

    known = isinstance(expression, Expr)
    if known and any(atom.is_Float for atom in expression.atoms()):
        raise ExactnessError(f"{where} must be exact, got the expression {shorten(expression)} with a float")
    try:
        result = _from_sympy(expression, ring, where) if known else None
    except RecursionError:
        result = None
    if result is None:
        raise InputError(
            f"{where} must be a polynomial with rational coefficients in {', '.join(ring.names)}, "
            f"got {shorten(expression)}"
        )
    return result


def _from_sympy(node: Any, ring: PolynomialRing, where: str) -> Polynomial | None:
    """Convert a node of a SymPy expression, ``None`` when it is not polynomial."""
    if node.is_Symbol:
        return ring.generator(node.name) if node.name in ring.names else None
    if node.is_Rational:
        return ring.constant(node)
    if node.is_Pow:
        base, exponent = node.args
        inner = _from_sympy(base, ring, where)
        if inner is None or not exponent.is_Integer:
            return None
        power = int(exponent)
        if abs(power) > _MAXIMAL_EXPONENT:
            raise InputError(f"{where} must have exponents from 0 to {_MAXIMAL_EXPONENT}, got {power}")
        if power < 0 and not inner.constant_value():
            return None
        _check_power(inner, abs(power), where)
        return inner**power if power >= 0 else ring.constant(1 / (inner**-power).leading_coefficient())
    if not (node.is_Add or node.is_Mul):
        return None
    total = ring.constant(0 if node.is_Add else 1)
    for argument in node.args:
        part = _from_sympy(argument, ring, where)
        if part is None:
            return None
        if node.is_Add:
            total = total + part
        else:
            _check_product(total, part, where)
            total = total * part
    return total


def polynomial_to_sympy(polynomial: Polynomial) -> Any:
    """Return the polynomial as a SymPy expression."""
    from sympy import Add, Integer, Mul, Pow, Rational, Symbol

    symbols = [Symbol(name) for name in polynomial.ring.names]
    return Add(
        *(
            Mul(Rational(int(c.p), int(c.q)), *(Pow(s, Integer(int(e))) for s, e in zip(symbols, exponents) if e))
            for exponents, c in polynomial.terms().items()
        )
    )
