"""Sets as SMT-LIB 2 scripts over the reals."""

from __future__ import annotations

from symfiber.exact import Polynomial, Rational
from symfiber.semialgebraic import BasicSet, SemialgebraicSet

_RELATIONS = {"=": "=", ">": ">", "≥": ">="}


def to_smtlib(value: SemialgebraicSet, logic: str | None = None, model: bool = False) -> str:
    """Return an SMT-LIB 2 script that asserts that the point lies in the set and asks whether there is one.

    Parameters
    ----------
    logic : str, optional
        ``"QF_LRA"`` for linear sets and ``"QF_NRA"`` otherwise, unless given.
    model : bool
        Whether the script asks for a point as well.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> print(to_smtlib(BasicSet(R, [x**2 - 2 * y], positive=[y])))
    (set-logic QF_NRA)
    (declare-const x Real)
    (declare-const y Real)
    (assert (and (= (+ (* x x) (* (- 2) y)) 0) (> y 0)))
    (check-sat)
    <BLANKLINE>
    """
    linear = all(piece.is_linear for piece in value.pieces)
    lines = [f"(set-logic {logic or ('QF_LRA' if linear else 'QF_NRA')})"]
    lines += [f"(declare-const {name} Real)" for name in value.ring.names]
    pieces = [_piece(piece) for piece in value.pieces]
    lines.append(f"(assert {_joined('or', pieces, 'false')})")
    lines.append("(check-sat)")
    if model:
        lines.append("(get-model)")
    return "\n".join(lines) + "\n"


def _piece(piece: BasicSet) -> str:
    parts = [f"({_RELATIONS[relation]} {polynomial_to_smtlib(p)} 0)" for p, relation in piece.conditions()]
    return _joined("and", parts, "true")


def _joined(operator: str, parts: list[str], empty: str) -> str:
    if not parts:
        return empty
    return parts[0] if len(parts) == 1 else f"({operator} {' '.join(parts)})"


def polynomial_to_smtlib(polynomial: Polynomial) -> str:
    """Return a polynomial as a prefix term; powers are written as repeated products."""
    terms = []
    for exponents, coefficient in polynomial.terms().items():
        factors = [name for name, e in zip(polynomial.ring.names, exponents) for _ in range(int(e))]
        if coefficient != 1 or not factors:
            factors.insert(0, _number(coefficient))
        terms.append(_joined("*", factors, "1"))
    return _joined("+", terms, "0")


def _number(value: Rational) -> str:
    size = abs(value)
    text = str(size.p) if size.q == 1 else f"(/ {size.p} {size.q})"
    return text if value >= 0 else f"(- {text})"
