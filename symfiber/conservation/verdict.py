r"""Does a symmetry conserve something?  Potentials, integrating factors, and the component that refutes both.

A symmetry field V is orthogonal to all ∇p.  If V = ∇Q then Q is a law; this is so iff DV is symmetric.  If V = h·∇Q
with h ≠ 0 then Q is a law as well; by Frobenius' theorem there are such h and Q near every point where V ≠ 0 iff
V♭∧dV♭ = 0, that is iff for all i < j < k

    V_i (∂_j V_k − ∂_k V_j) + V_j (∂_k V_i − ∂_i V_k) + V_k (∂_i V_j − ∂_j V_i) = 0.

One component that is not the zero polynomial refutes both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from symfiber.exact import Polynomial, PolynomialRing, Rational

Outcome = Literal["law", "integrating factor", "no law"]


@dataclass(frozen=True, slots=True)
class FrobeniusComponent:
    """The coefficient of dx∧dy∧dz in V♭∧dV♭.

    Attributes
    ----------
    names : (x, y, z)
        Three parameters.
    polynomial : Polynomial
        Not the zero polynomial.
    value : Rational
        At the network's parameters.
    """

    names: tuple[str, str, str]
    polynomial: Polynomial
    value: Rational

    def __str__(self) -> str:
        form = " ^ ".join(f"d{name}" for name in self.names)
        return f"the coefficient of {form} in V^dV is {self.polynomial}"


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A vector field tangent to the fiber, and what it says about conservation laws.

    Attributes
    ----------
    name : str
    kind : str
        "unseen", "scaling", "balance", "rotation", "kernel motion", "bias shift" or "hiding translation".
    field : tuple of (name, Polynomial)
        The nonzero components V_x.
    outcome : str
        "law": V = ∇Q; "integrating factor": V = h·∇Q for some h, Q near every point with V ≠ 0; "no law".
    potential : Polynomial or None
        Q, when the outcome is "law".
    refutation : FrobeniusComponent or None
        A nonzero component of V♭∧dV♭, when the outcome is "no law".
    """

    name: str
    kind: str
    field: tuple[tuple[str, Polynomial], ...]
    outcome: Outcome
    potential: Polynomial | None = None
    refutation: FrobeniusComponent | None = None

    def __str__(self) -> str:
        if self.outcome == "law":
            return f"{self.name}: the gradient of {self.potential}"
        if self.outcome == "integrating factor":
            return f"{self.name}: a multiple of a gradient, not a gradient"
        return f"{self.name}: no law, {self.refutation}"


def judge(
    name: str, kind: str, field: Mapping[str, Polynomial], ring: PolynomialRing, point: Sequence[Rational]
) -> Symmetry:
    """Return the verdict on a polynomial vector field.

    Parameters
    ----------
    field : mapping from names to polynomials
        The nonzero components.
    point : sequence of Rational
        Where the refuting component is evaluated; one that does not vanish there is preferred.

    Examples
    --------
    >>> R = PolynomialRing(("b1", "w", "b2"))
    >>> b1, w, b2 = R.generators
    >>> origin = (Rational(0),) * 3
    >>> judge("scaling", "scaling", {"b1": b1, "w": -w}, R, origin).potential == (b1**2 - w**2) / 2
    True
    >>> str(judge("translation", "hiding", {"b1": R.constant(1), "b2": -w}, R, origin).refutation)
    'the coefficient of db1 ^ dw ^ db2 in V^dV is -1'
    """
    components = {key: value for key, value in field.items() if value}
    ordered = tuple((key, components[key]) for key in ring.names if key in components)
    curl = _curl(components, ring)
    if not curl:
        return Symmetry(name, kind, ordered, "law", potential=_potential(components, ring))
    refutation = _frobenius(components, curl, ring, point)
    if refutation is None:
        return Symmetry(name, kind, ordered, "integrating factor")
    return Symmetry(name, kind, ordered, "no law", refutation=refutation)


def _curl(components: Mapping[str, Polynomial], ring: PolynomialRing) -> dict[tuple[str, str], Polynomial]:
    """The nonzero ∂_x V_y − ∂_y V_x, x before y in the ring."""
    order = {key: i for i, key in enumerate(ring.names)}
    curl: dict[tuple[str, str], Polynomial] = {}
    for y, component in components.items():
        for x in component.symbols():
            if x == y:
                continue
            pair, sign = ((x, y), 1) if order[x] < order[y] else ((y, x), -1)
            total = curl.get(pair, ring.constant(0)) + sign * component.derivative(x)
            curl[pair] = total
    return {pair: value for pair, value in curl.items() if value}


def _potential(components: Mapping[str, Polynomial], ring: PolynomialRing) -> Polynomial:
    """Q with ∇Q = V and Q(0) = 0: Σ_x x·V_x with every term divided by its degree."""
    total = ring.constant(0)
    for key, component in components.items():
        total = total + ring.generator(key) * component
    return ring.from_terms({exponents: value / sum(exponents) for exponents, value in total.terms().items()})


def _frobenius(
    components: Mapping[str, Polynomial],
    curl: Mapping[tuple[str, str], Polynomial],
    ring: PolynomialRing,
    point: Sequence[Rational],
) -> FrobeniusComponent | None:
    """A nonzero component of V♭∧dV♭, not vanishing at the point if there is one; ``None`` iff all are zero."""
    order = {key: i for i, key in enumerate(ring.names)}
    triples = {tuple(sorted({x, *pair}, key=order.__getitem__)) for pair in curl for x in components if x not in pair}
    zero, fallback = ring.constant(0), None
    for triple in sorted(triples, key=lambda t: [order[x] for x in t]):
        total = zero
        for x, (y, z), sign in zip(triple, reversed(list(combinations(triple, 2))), (1, -1, 1)):
            if x in components and (y, z) in curl:
                total = total + sign * components[x] * curl[(y, z)]
        if total:
            found = FrobeniusComponent((triple[0], triple[1], triple[2]), total, total(point))
            if found.value:
                return found
            fallback = fallback or found
    return fallback
