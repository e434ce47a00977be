"""Operations that change the coordinates of a set, and the closure where it is known in closed form."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from symfiber.errors import InputError, UndecidedError, UnsupportedError
from symfiber.exact import Polynomial, PolynomialRing
from symfiber.exact.linear_programming import Infeasible
from symfiber.exact.linearization import linear_consequence
from symfiber.semialgebraic.rational_map import RationalMap
from symfiber.semialgebraic.sets import BasicSet, SemialgebraicSet, Union
from symfiber.semialgebraic.simplification import conditions_of, set_of


def product(first: SemialgebraicSet, second: SemialgebraicSet) -> SemialgebraicSet:
    """Return {(x, y) : x ∈ first, y ∈ second} in the coordinates of first, then those of second.

    Raises
    ------
    InputError
        When the two share a coordinate name (use :func:`rename` first).

    Examples
    --------
    >>> R, S = PolynomialRing(("x",)), PolynomialRing(("y",))
    >>> print(product(BasicSet(R, R.generators), BasicSet(S, positive=S.generators)))
    { x = 0,  y > 0 }
    """
    shared = [name for name in second.ring.names if name in first.ring.names]
    if shared:
        raise InputError(f"factors of a product must have different coordinates, got {shared[0]!r} in both")
    ring = PolynomialRing((*first.ring.names, *second.ring.names))
    left, right = _mapped(first, ring, ring.embed), _mapped(second, ring, ring.embed)
    result: SemialgebraicSet = left & right
    return result


def rename(value: SemialgebraicSet, names: Mapping[str, str] | Sequence[str]) -> SemialgebraicSet:
    """Return the same set with other coordinate names: all of them in order, or {old: new} for some.

    Examples
    --------
    >>> R = PolynomialRing(("x", "y"))
    >>> print(rename(BasicSet(R, positive=R.generators), {"y": "z"}))
    { x > 0,  z > 0 }
    """
    old = value.ring.names
    new = [names.get(name, name) for name in old] if isinstance(names, Mapping) else list(names)
    if isinstance(names, Mapping) and (unknown := [name for name in names if name not in old]):
        raise InputError(f"renamed symbol must be one of the set's coordinates, got {unknown[0]!r}")
    if len(new) != len(old):
        raise InputError(f"names must be {len(old)} symbols, got {len(new)}")
    ring = PolynomialRing(new)
    return _mapped(value, ring, lambda p: p.compose(ring.generators) if old else p)


def preimage(value: SemialgebraicSet, chart: RationalMap) -> SemialgebraicSet:
    """Return {x ∈ domain : chart(x) ∈ value}: the substitution of a rational map into the conditions.

    A condition p(N/D) ∘ 0 is multiplied by the even power of the denominators that clears it; a power that is odd for
    an equation is enough.  Denominators must not vanish on the domain (a property of every ``RationalMap``).

    Raises
    ------
    InputError
        When the target coordinates of the map are not those of the set.

    Examples
    --------
    >>> R, S = PolynomialRing(("t",)), PolynomialRing(("x", "y"))
    >>> (t,), (x, y) = R.generators, S.generators
    >>> hyperbola = RationalMap(BasicSet(R, positive=[-t]), (t, R.constant(1)), (R.constant(1), t), ("x", "y"))
    >>> print(preimage(BasicSet(S, positive=[1 - y]), hyperbola))
    { -t > 0,  t^2 - t > 0 }
    """
    if chart.target != value.ring.names:
        raise InputError(
            f"the map's target must be the {len(value.ring.names)} coordinates of the set, "
            f"got {len(chart.target)} others"
        )
    pull = _Pullback(chart)
    pieces = []
    for piece in value.pieces:
        pulled = BasicSet(
            chart.domain.ring,
            [pull(e, False) for e in piece.equations],
            [pull(p, True) for p in piece.positive],
            [pull(q, True) for q in piece.nonnegative],
        )
        pieces.append(chart.domain & pulled)
    return Union(chart.domain.ring, pieces) if isinstance(value, Union) else pieces[0]


class _Pullback:
    """p ↦ numerator of p(N/D), times denominators where the sign matters."""

    def __init__(self, chart: RationalMap) -> None:
        ring = chart.domain.ring
        self.ring = ring
        self.denominators: list[Polynomial] = []
        self.images: list[tuple[Polynomial, int]] = []
        for numerator, denominator in zip(chart.numerators, chart.denominators):
            constant = denominator.constant_value()
            if constant is not None:
                self.images.append((numerator / constant, -1))
                continue
            if denominator not in self.denominators:
                self.denominators.append(denominator)
            self.images.append((numerator, self.denominators.index(denominator)))

    def __call__(self, p: Polynomial, signed: bool) -> Polynomial:
        """Return Σ c·∏ Nᵢ^eᵢ · ∏ D_j^(M_j − used), M_j even when signs matter."""
        terms = []
        highest = [0] * len(self.denominators)
        for exponents, coefficient in p.terms().items():
            used = [0] * len(self.denominators)
            value = self.ring.constant(coefficient)
            for exponent, (numerator, place) in zip(exponents, self.images):
                if exponent:
                    value = value * numerator ** int(exponent)
                    if place >= 0:
                        used[place] += int(exponent)
            highest = list(map(max, highest, used))
            terms.append((value, used))
        if signed:
            highest = [h + h % 2 for h in highest]
        total = self.ring.constant(0)
        for value, used in terms:
            for denominator, top, spent in zip(self.denominators, highest, used):
                if top > spent:
                    value = value * denominator ** (top - spent)
            total = total + value
        return total


def project(value: SemialgebraicSet, coordinates: Collection[str]) -> SemialgebraicSet:
    """Return {(x_i)_{i ∈ coordinates} : x ∈ value}; the other coordinates must be determined rationally.

    A coordinate y is determined when it occurs in no condition, or when an equation a·y + b = 0 has a coefficient a
    that vanishes nowhere on the set (a number, or of a sign that follows from the strict conditions); then y = −b/a is
    substituted.

    Parameters
    ----------
    coordinates : collection of str
        The names that are kept, in the ring's order.

    Raises
    ------
    UnsupportedError
        Naming a coordinate that is not determined in this way: the projection would need quantifier elimination.

    Examples
    --------
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> print(project(BasicSet(R, [x * y - 1], positive=[y]), ["x"]))
    { x > 0 }
    """
    wanted = set(coordinates)
    unknown = sorted(wanted - set(value.ring.names))
    if unknown:
        raise InputError(f"coordinates must be among those of the set, got {unknown[0]!r}")
    ring = PolynomialRing(name for name in value.ring.names if name in wanted)
    removed = {name for name in value.ring.names if name not in wanted}
    pieces = [_projected(piece, ring, removed) for piece in value.pieces]
    if isinstance(value, BasicSet):
        return pieces[0] or BasicSet.nothing(ring)
    return Union(ring, [piece for piece in pieces if piece is not None])


def _projected(piece: BasicSet, ring: PolynomialRing, removed: Collection[str]) -> BasicSet | None:
    system = conditions_of(piece)
    system.eliminate(removed)
    if system.contradiction is not None:
        return None
    left = [name for name in system.occurring() if name in removed]
    if left:
        raise UnsupportedError(
            f"projection needs coordinates that the equations determine rationally, but {left[0]!r} is not"
        )
    result = _mapped(set_of(system), ring, ring.embed)
    assert isinstance(result, BasicSet)
    return result


def closure(value: SemialgebraicSet) -> SemialgebraicSet:
    """Return the topological closure where it has a closed form: nonempty polyhedra, and sets that are closed already.

    A set is closed when for every strict condition p > 0 the weak conditions together with p = 0 contradict each other;
    the components of fibers are of this kind (p is a factor in an equation p·c = constant ≠ 0).

    Raises
    ------
    UndecidedError
        When neither is proved for some piece.

    Examples
    --------
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> print(closure(BasicSet(R, [x * y - 1], positive=[x])))
    { x*y - 1 = 0,  x ≥ 0 }
    """
    pieces = [_closed(piece) for piece in value.pieces]
    return Union(value.ring, pieces) if isinstance(value, Union) else pieces[0]


def _closed(piece: BasicSet) -> BasicSet:
    weak = BasicSet(piece.ring, piece.equations, (), piece.positive + piece.nonnegative)
    for p in piece.positive:
        boundary = conditions_of(weak & BasicSet(piece.ring, [p]))
        boundary.eliminate()
        if boundary.contradiction is None:
            break
    else:
        return weak
    if piece.is_linear:
        if isinstance(linear_consequence(piece.equations, piece.positive, piece.nonnegative), Infeasible):
            return BasicSet.nothing(piece.ring)
        return weak
    raise UndecidedError(f"the closure is known for polyhedra and closed sets, but {p!r} = 0 is not excluded")


def _mapped(
    value: SemialgebraicSet, ring: PolynomialRing, change: Callable[[Polynomial], Polynomial]
) -> SemialgebraicSet:
    pieces = [
        BasicSet(ring, map(change, s.equations), map(change, s.positive), map(change, s.nonnegative))
        for s in value.pieces
    ]
    return Union(ring, pieces) if isinstance(value, Union) else pieces[0]
