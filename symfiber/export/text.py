"""Sets as text for Singular, Macaulay2, Sage and Mathematica.

Singular, Macaulay2 and Sage compute with the equations; the inequalities of a set are written beside them, as comments
(Singular, Macaulay2) or as a list of polynomials (Sage).  Mathematica gets the whole formula.
"""

from __future__ import annotations

from collections.abc import Callable

from symfiber.errors import InputError
from symfiber.exact import Polynomial
from symfiber.semialgebraic import BasicSet, SemialgebraicSet

_ASCII = {"=": "=", ">": ">", "≥": ">="}


def _same(name: str) -> str:
    return name


def _equations(value: BasicSet, name: Callable[[str], str] = _same) -> str:
    return ", ".join(e.render(name) for e in value.equations) or "0"


def _comments(value: BasicSet, mark: str, name: Callable[[str], str] = _same) -> list[str]:
    return [f"{mark} {p.render(name)} {_ASCII[r]} 0" for p, r in value.conditions() if r != "="]


def _basic(value: SemialgebraicSet, system: str) -> BasicSet:
    if not isinstance(value, BasicSet):
        raise InputError(f"{system} text needs a BasicSet, got {value!r}; write its pieces one by one")
    return value


def to_singular(value: SemialgebraicSet) -> str:
    """Return Singular code that defines ``ring R`` and ``ideal I`` of the equations; inequalities as comments.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> print(to_singular(BasicSet(R, [x**2 - 2 * y], positive=[y])))
    ring R = 0, (x, y), dp;
    ideal I = x^2 - 2*y;
    // y > 0
    <BLANKLINE>
    """
    piece = _basic(value, "Singular")
    lines = [f"ring R = 0, ({', '.join(piece.ring.names)}), dp;", f"ideal I = {_equations(piece)};"]
    return "\n".join(lines + _comments(piece, "//")) + "\n"


def to_macaulay2(value: SemialgebraicSet) -> str:
    """Return Macaulay2 code that defines the ring ``R`` and ``I`` of the equations; inequalities as comments.

    Underscores are operators there, so the coordinates are called x1, x2, …, with the names beside them as comments.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> R = PolynomialRing(("W1_0_0", "b")); x, y = R.generators
    >>> print(to_macaulay2(BasicSet(R, [x**2 - 2 * y], positive=[y])))
    R = QQ[x1, x2]  -- W1_0_0, b
    I = ideal(x1^2 - 2*x2)
    -- x2 > 0
    <BLANKLINE>
    """
    piece = _basic(value, "Macaulay2")
    short = {name: f"x{i}" for i, name in enumerate(piece.ring.names, start=1)}
    # ideal(0) would live in ℤ; 0_R is the zero of the ring.
    equations = _equations(piece, short.__getitem__) if piece.equations else "0_R"
    lines = [f"R = QQ[{', '.join(short.values())}]  -- {', '.join(short)}", f"I = ideal({equations})"]
    return "\n".join(lines + _comments(piece, "--", short.__getitem__)) + "\n"


def to_sage(value: SemialgebraicSet) -> str:
    """Return Sage code: the ring ``R``, the ideal ``I``, and the lists ``positive`` (> 0) and ``nonnegative`` (≥ 0).

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> print(to_sage(BasicSet(R, [x**2 - 2 * y], positive=[y])))
    R = PolynomialRing(QQ, ['x', 'y'], order='degrevlex')
    R.inject_variables()
    I = R.ideal([x^2 - 2*y])
    positive, nonnegative = [y], []
    <BLANKLINE>
    """
    piece = _basic(value, "Sage")

    def listed(polynomials: tuple[Polynomial, ...]) -> str:
        return "[" + ", ".join(map(str, polynomials)) + "]"

    lines = [
        f"R = PolynomialRing(QQ, {list(piece.ring.names)}, order='degrevlex')",
        "R.inject_variables()",
        f"I = R.ideal({listed(piece.equations)})",
        f"positive, nonnegative = {listed(piece.positive)}, {listed(piece.nonnegative)}",
    ]
    return "\n".join(lines) + "\n"


def to_mathematica(value: SemialgebraicSet) -> str:
    """Return a Mathematica formula for ``Reduce``, ``FindInstance``, …; underscores in names become ``$``.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> R = PolynomialRing(("W1_0_0", "b")); x, y = R.generators
    >>> to_mathematica(BasicSet(R, [x**2 - 2 * y], positive=[y]))
    'W1$0$0^2 - 2*b == 0 && b > 0'
    """
    relations = {"=": "==", ">": ">", "≥": ">="}

    def formula(piece: BasicSet) -> str:
        parts = [f"{p.render(lambda n: n.replace('_', '$'))} {relations[r]} 0" for p, r in piece.conditions()]
        return " && ".join(parts) or "True"

    if isinstance(value, BasicSet):
        return formula(value)
    return " || ".join(f"({formula(piece)})" for piece in value.pieces) or "False"
