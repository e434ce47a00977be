"""Sums of squares with rational coefficients: exact LDLᵀ of a quadratic polynomial."""

from __future__ import annotations

from dataclasses import dataclass

from symfiber.errors import VerificationError
from symfiber.exact import ONE, ZERO, Polynomial, Rational


@dataclass(frozen=True, slots=True)
class SumOfSquares:
    """polynomial = Σ weight · root² with positive rational weights."""

    polynomial: Polynomial
    weights: tuple[Rational, ...]
    roots: tuple[Polynomial, ...]

    def verify(self) -> bool:
        """Expand and compare; raise :class:`VerificationError` when it does not hold."""
        total = self.polynomial.ring.constant(0)
        for weight, root in zip(self.weights, self.roots):
            if weight <= 0:
                raise VerificationError(f"weights of squares must be positive, got {weight}")
            total = total + root * root * weight
        if total != self.polynomial:
            raise VerificationError(f"the squares must add up to {self.polynomial!r}")
        return True


def quadratic_squares(polynomial: Polynomial) -> SumOfSquares | None:
    """Return a polynomial of degree ≤ 2 as a positive combination of squares, ``None`` when it takes negative values.

    With v = (1, x₁, …, xₙ) it is vᵀQv for exactly one symmetric Q, and Q is positive semidefinite iff elimination
    Q = LDLᵀ, pivot by pivot, meets no negative pivot and no zero pivot with a nonzero row.

    Returns ``None`` also for degrees above 2, which are not looked at.

    Cost: O(n³) rational operations.  Proved.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> x, y = PolynomialRing(("x", "y")).generators
    >>> found = quadratic_squares(x**2 + 4 * x * y + 4 * y**2 + 1)
    >>> found.roots, found.verify()
    ((x + 2*y, 1), True)
    """
    if polynomial.total_degree() not in (0, 2):
        return None
    ring, names = polynomial.ring, polynomial.symbols()
    basis = [*(ring.generator(name) for name in names), ring.constant(1)]
    gram = _gram(polynomial, names)
    weights, roots = [], []
    for k, row in enumerate(gram):
        pivot = row[k]
        if pivot < 0 or (pivot == 0 and any(row[k + 1 :])):
            return None
        if pivot == 0:
            continue
        scaled = [x / pivot for x in row]
        root = ring.constant(0)
        for coefficient, element in zip(scaled[k:], basis[k:]):
            root = root + element * coefficient
        weights.append(pivot)
        roots.append(root)
        for i in range(k + 1, len(gram)):
            factor = row[i]
            if factor:
                gram[i] = [x - factor * y for x, y in zip(gram[i], scaled)]
    return SumOfSquares(polynomial, tuple(weights), tuple(roots))


def _gram(polynomial: Polynomial, names: tuple[str, ...]) -> list[list[Rational]]:
    """The symmetric matrix Q for the basis (names…, 1)."""
    place = {name: i for i, name in enumerate(names)}
    size = len(names) + 1
    gram = [[ZERO] * size for _ in range(size)]
    for exponents, coefficient in polynomial.terms().items():
        used = [place[n] for n, e in zip(polynomial.ring.names, exponents) for _ in range(int(e))]
        i, j = [*used, size - 1, size - 1][:2]
        if i == j:
            gram[i][i] = gram[i][i] + coefficient
        else:
            gram[i][j] = gram[i][j] + coefficient * ONE / 2
            gram[j][i] = gram[i][j]
    return gram
