"""Sets as SymPy formulas, and sets from SymPy formulas in polynomial relations."""

from __future__ import annotations

from typing import Any

from symfiber.errors import ExactnessError, InputError
from symfiber.exact import Polynomial, PolynomialRing, shorten
from symfiber.exact.parsing import polynomial_from_sympy, polynomial_to_sympy
from symfiber.semialgebraic import BasicSet, SemialgebraicSet, Union

_LARGEST_EXPONENT = 1000


def to_sympy(value: SemialgebraicSet) -> Any:
    """Return ``And`` of relations for a basic set, ``Or`` of those for a union; the symbols are real.

    Examples
    --------
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> to_sympy(BasicSet(R, [x**2 - 2 * y], positive=[y]))
    (y > 0) & Eq(x**2 - 2*y, 0)
    """
    from sympy import And, Eq, Ge, Gt, Or

    relations = {"=": Eq, ">": Gt, "≥": Ge}

    def relation(p: Polynomial, kind: str) -> Any:
        # Unevaluated: SymPy would move terms and lose the order of the conditions.
        return relations[kind](polynomial_to_sympy(p), 0, evaluate=p.constant_value() is not None)

    pieces = [And(*(relation(p, r) for p, r in piece.conditions()), evaluate=False) for piece in value.pieces]
    return pieces[0] if isinstance(value, BasicSet) else Or(*pieces, evaluate=False)


def from_sympy(formula: Any, ring: PolynomialRing | None = None) -> SemialgebraicSet:
    """Return the set of a SymPy formula: And, Or, Not of polynomial relations with rational coefficients.

    Parameters
    ----------
    formula : sympy Boolean
    ring : PolynomialRing, optional
        By default the ring of the free symbols, sorted by name.

    Returns
    -------
    BasicSet or Union
        A union when the formula contains Or, Ne or a negation that needs one.

    Raises
    ------
    InputError
        For a relation that is not polynomial, another kind of formula, a symbol outside the ring, or an exponent above
        1000; ``ExactnessError`` for floats.

    Examples
    --------
    >>> from sympy import symbols
    >>> x, y = symbols("x y")
    >>> print(from_sympy((x**2 >= 2 * y) & (y > 0)))
    { y > 0,  x^2 - 2*y ≥ 0 }
    """
    from sympy import sympify
    from sympy.logic.boolalg import Boolean

    expression = sympify(formula) if isinstance(formula, bool) else formula
    if not isinstance(expression, Boolean):
        raise InputError(f"formula must be a SymPy relation or And, Or, Not of them, got {shorten(formula)}")
    if ring is None:
        ring = PolynomialRing(sorted({symbol.name for symbol in expression.free_symbols}))
    return _set(expression, ring)


def _set(formula: Any, ring: PolynomialRing) -> SemialgebraicSet:
    from sympy import And, Not, Or
    from sympy.core.relational import Relational
    from sympy.logic.boolalg import BooleanFalse, BooleanTrue

    match formula:
        case BooleanTrue():
            return BasicSet.everything(ring)
        case BooleanFalse():
            return BasicSet.nothing(ring)
        case Relational():
            return _relation(formula, ring)
        case And() | Or():
            parts = [_set(part, ring) for part in sorted(formula.args, key=str)]
            result = parts[0]
            for part in parts[1:]:
                result = result & part if isinstance(formula, And) else result | part
            return result
        case Not():
            return ~_set(formula.args[0], ring)
    raise InputError(f"formula must consist of And, Or, Not and relations, got {shorten(formula)}")


def _relation(relation: Any, ring: PolynomialRing) -> SemialgebraicSet:
    from sympy import Eq, Ge, Gt, Le, Lt

    left, right = relation.lhs, relation.rhs
    p = _polynomial(left, ring) - _polynomial(right, ring)
    match relation:
        case Eq():
            return BasicSet(ring, equations=[p])
        case Gt():
            return BasicSet(ring, positive=[p])
        case Ge():
            return BasicSet(ring, nonnegative=[p])
        case Lt():
            return BasicSet(ring, positive=[-p])
        case Le():
            return BasicSet(ring, nonnegative=[-p])
    return Union(ring, [BasicSet(ring, positive=[p]), BasicSet(ring, positive=[-p])])


def _polynomial(expression: Any, ring: PolynomialRing) -> Polynomial:
    from sympy import Pow

    unknown = sorted(symbol.name for symbol in expression.free_symbols if symbol.name not in ring.names)
    if unknown:
        raise InputError(f"symbols must be among {', '.join(ring.names)}, got {unknown[0]!r}")
    if any(atom.is_Float for atom in expression.atoms()):
        raise ExactnessError(f"relation must be exact, got the float in {shorten(expression)}; use sympy.Rational")
    for power in expression.atoms(Pow):
        if power.exp.is_Integer and abs(int(power.exp)) > _LARGEST_EXPONENT:
            raise InputError(f"relation must have exponents up to {_LARGEST_EXPONENT}, got {power.exp}")
    return polynomial_from_sympy(expression, ring, "relation")
