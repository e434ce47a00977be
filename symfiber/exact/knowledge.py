"""What strict conditions say about signs: known signs of polynomials on a set, found by factors and by terms."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from symfiber.exact.polynomial import Polynomial
from symfiber.exact.scalars import ONE, Rational, sign

_LONGEST_FACTORED = 400

NONZERO = 2
"""Stands for "not zero, of unknown sign" beside the signs −1, 0 and 1."""


@lru_cache(maxsize=1 << 14)
def factorization(polynomial: Polynomial) -> tuple[Rational, tuple[tuple[Polynomial, int], ...]]:
    """Return (c, ((f₁, k₁), …)) with polynomial = c·∏ fᵢ^kᵢ, every fᵢ primitive with positive leading coefficient.

    The fᵢ are irreducible over ℚ, except that polynomials of more than 400 terms only lose their monomial content.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> x, y = PolynomialRing(("x", "y")).generators
    >>> factorization(-2 * x**3 + 2 * x * y**2)
    (-2, ((x, 1), (x + y, 1), (x - y, 1)))
    """
    if not polynomial or polynomial.constant_value() is not None:
        return polynomial.constant_value() or polynomial.leading_coefficient(), ()
    ring, value = polynomial.ring, polynomial._value
    factors: list[tuple[Polynomial, int]] = []
    if len(value) == 1:
        ((exponents, coefficient),) = polynomial.terms().items()
        powers = [(ring.generators[i], int(e)) for i, e in enumerate(exponents) if e]
        return coefficient, tuple(powers)
    if polynomial.total_degree() == 1:
        parts = [(value, 1)]
    elif len(value) <= _LONGEST_FACTORED:
        _, parts = value.factor()
    else:
        content = value.term_content()
        _, parts = content.factor()
        parts = [*parts, (divmod(value, content)[0], 1)]
    for part, power in parts:
        factor = Polynomial(ring, part)
        primitive = factor.primitive()
        if primitive.leading_coefficient() < 0:
            primitive = -primitive
        factors.append((primitive, int(power)))
    factors.sort(key=lambda item: (item[0].total_degree(), len(str(item[0])), str(item[0])))
    # All parts are proportional to the polynomial; leading coefficients give the constant.
    leading = ONE
    for factor, power in factors:
        leading = leading * factor.leading_coefficient() ** power
    return polynomial.leading_coefficient() / leading, tuple(factors)


class SignKnowledge:
    """Signs of irreducible polynomials that hold on a set: 1, −1, or :data:`NONZERO`.

    With ``real=False`` only "not zero" is known, and only for products of factors: this holds over ℂ as well.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> x, y = PolynomialRing(("x", "y")).generators
    >>> known = SignKnowledge(positive=[x, -y])
    >>> known.sign(x**2 * y), known.sign(x - y), known.sign(x + y)
    (-1, 1, None)
    """

    def __init__(
        self, positive: Iterable[Polynomial] = (), nonzero: Iterable[Polynomial] = (), real: bool = True
    ) -> None:
        self.real = real
        self.signs: dict[Polynomial, int] = {}
        self.variables: dict[str, int] = {}
        for polynomial in positive:
            self.learn(polynomial, 1)
        for polynomial in nonzero:
            self.learn(polynomial, NONZERO)

    def learn(self, polynomial: Polynomial, value: int) -> bool:
        """Record the sign of a polynomial as far as it determines that of one factor; return whether it was news.

        The factors of a nonzero product are all nonzero; when all but one of odd multiplicity have known signs, the
        sign of the last one follows.
        """
        if not self.real:
            value = NONZERO  # a sign has no meaning over ℂ, whoever concluded it
        constant, factors = factorization(polynomial)
        rest, news = sign(constant), False
        unknown: list[Polynomial] = []
        for factor, power in factors:
            if factor not in self.signs:
                news |= self._set(factor, NONZERO)
            found = self.signs[factor]
            if power % 2 and found == NONZERO:
                unknown.append(factor)
            elif power % 2:
                rest *= found
        if value != NONZERO and len(unknown) == 1:
            news |= self._set(unknown[0], value * rest)
        return news

    def _set(self, factor: Polynomial, value: int) -> bool:
        if self.signs.get(factor) == value:
            return False
        self.signs[factor] = value
        symbols = factor.symbols()
        if len(symbols) == 1 and len(factor._value) == 1:
            self.variables[symbols[0]] = value
        return True

    def sign(self, polynomial: Polynomial) -> int | None:
        """Return the sign on the set (−1, 0, 1), :data:`NONZERO`, or ``None`` when it is not known."""
        if not polynomial:
            return 0
        constant = polynomial.constant_value()
        if constant is not None:
            return sign(constant)
        return self.sign_of_terms(polynomial) or self.sign_of_factors(polynomial)

    def sign_of_factors(self, polynomial: Polynomial) -> int | None:
        """Return the sign as the product of the signs of the irreducible factors."""
        if not self.signs:
            return None
        constant, factors = factorization(polynomial)
        result, whole = sign(constant), True
        for factor, power in factors:
            found = self.signs.get(factor) or self.sign_of_terms(factor)
            if found is None:
                return None
            if found == NONZERO:
                whole &= power % 2 == 0
            elif power % 2:
                result *= found
        return result if whole else NONZERO

    def sign_of_terms(self, polynomial: Polynomial) -> int | None:
        """Return the sign when all terms are of one sign and one of them does not vanish."""
        if not self.real:
            return None
        if not self.variables and polynomial.constant_value() is None and len(polynomial._value) == 1:
            return None
        result, strict = 0, False
        names = polynomial.ring.names
        for exponents, coefficient in polynomial.terms().items():
            term, vanishing = sign(coefficient), False
            for index, exponent in enumerate(exponents):
                if not exponent:
                    continue
                known = self.variables.get(names[index])
                if exponent % 2:
                    if known is None or known == NONZERO:
                        return None
                    term *= known
                vanishing |= known is None
            if result and term != result:
                return None
            result, strict = term, strict or not vanishing
        return result if strict else None
