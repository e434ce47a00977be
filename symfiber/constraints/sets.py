"""Ready-made constraints on parameters, as basic sets in the coordinates of the parameter space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from symfiber.errors import InputError
from symfiber.exact import Polynomial, PolynomialRing, Rational, rational, shorten
from symfiber.network import Network
from symfiber.parameters import check_architecture, parameter_names
from symfiber.semialgebraic import BasicSet


def box(target: Network | Sequence[int], low: Any = -1, high: Any = 1, names: Iterable[str] | None = None) -> BasicSet:
    """Return {θ : low ≤ θ_p ≤ high for all p in names}; all parameters when no names are given.

    Parameters
    ----------
    target : Network or architecture
        Whose parameters are meant.
    low, high : rational numbers
    names : names of parameters (``"W1_0_0"``, ``"b2_1"``, …), or one name, optional

    Raises
    ------
    InputError
        When low > high, or a name is no parameter of the architecture.

    Examples
    --------
    >>> print(box((1, 1, 1), "-1/2", 2, ["b1_0"]))
    { -b1_0 + 2 ≥ 0,  2*b1_0 + 1 ≥ 0 }
    """
    coordinates = _Coordinates(target)
    lower, upper = rational(low, "low"), rational(high, "high")
    if lower > upper:
        raise InputError(f"the lower bound of a box must not exceed the upper one, got {low} and {high}")
    chosen = coordinates.all() if names is None else coordinates.named(names)
    return BasicSet(coordinates.ring, nonnegative=[q for x in chosen for q in (x - lower, upper - x)])


def fixed(target: Network | Sequence[int], values: Mapping[str, Any]) -> BasicSet:
    """Return {θ : θ_p = values[p] for all given p}.

    Examples
    --------
    >>> print(fixed((1, 1, 1), {"W2_0_0": "1/3"}))
    { 3*W2_0_0 - 1 = 0 }
    """
    coordinates = _Coordinates(target)
    if not isinstance(values, Mapping):
        raise InputError(f"fixed values must be a mapping from parameter names to numbers, got {shorten(values)}")
    symbols = coordinates.named(values)
    return BasicSet(coordinates.ring, [x - rational(v, f"value of {x}") for x, v in zip(symbols, values.values())])


def zeros(target: Network | Sequence[int], names: Iterable[str]) -> BasicSet:
    """Return {θ : θ_p = 0 for all p in names}, a sparsity pattern.

    Examples
    --------
    >>> print(zeros((1, 1, 1), ["b1_0"]))
    { b1_0 = 0 }
    """
    coordinates = _Coordinates(target)
    return BasicSet(coordinates.ring, coordinates.named(names))


def equal(target: Network | Sequence[int], *groups: Iterable[str]) -> BasicSet:
    """Return {θ : all parameters of a group are equal, for every group}, shared weights.

    Examples
    --------
    >>> print(equal((1, 1, 1), ["b1_0", "b2_0"]))
    { b1_0 - b2_0 = 0 }
    """
    coordinates = _Coordinates(target)
    equations: list[Polynomial] = []
    for group in groups:
        symbols = coordinates.named(group)
        if not symbols:
            raise InputError("a group of equal parameters must not be empty")
        equations += [symbols[0] - x for x in symbols[1:]]
    return BasicSet(coordinates.ring, equations)


def row_sum(target: Network | Sequence[int], names: Iterable[str], value: Any) -> BasicSet:
    """Return {θ : Σ_{p ∈ names} θ_p = value}.

    Examples
    --------
    >>> print(row_sum((2, 1, 1), ["W1_0_0", "W1_0_1"], 1))
    { W1_0_0 + W1_0_1 - 1 = 0 }
    """
    coordinates = _Coordinates(target)
    total = sum(coordinates.named(names), coordinates.ring.constant(-rational(value, "the sum")))
    return BasicSet(coordinates.ring, [total])


def fixed_norm(target: Network | Sequence[int], squared: Any, names: Iterable[str] | None = None) -> BasicSet:
    """Return {θ : Σ_{p ∈ names} θ_p² = squared}; all parameters when no names are given.

    Examples
    --------
    >>> print(fixed_norm((1, 1), 4))
    { W1_0_0^2 + b1_0^2 - 4 = 0 }
    """
    coordinates = _Coordinates(target)
    number = rational(squared, "the squared norm")
    if number < 0:
        raise InputError(f"a squared norm must not be negative, got {number}")
    chosen = coordinates.all() if names is None else coordinates.named(names)
    return BasicSet(coordinates.ring, [sum((x * x for x in chosen), coordinates.ring.constant(-number))])


class _Coordinates:
    """The parameter coordinates of a network or an architecture."""

    def __init__(self, target: Network | Sequence[int]) -> None:
        shape = target.architecture if isinstance(target, Network) else check_architecture(target)
        self.ring = PolynomialRing(parameter_names(shape))
        self._known = set(self.ring.names)

    def all(self) -> list[Polynomial]:
        return list(self.ring.generators)

    def named(self, names: Iterable[str]) -> list[Polynomial]:
        """Return the coordinates with these names (one name alone is allowed); raise for unknown ones."""
        chosen = [names] if isinstance(names, str) else list(names)
        for name in chosen:
            if name not in self._known:
                last = self.ring.names[-1]
                raise InputError(f"parameter names must be like 'W1_0_0', …, '{last}', got {shorten(name)}")
        return [self.ring.generator(name) for name in chosen]


def bounds_of(constraint: BasicSet) -> dict[str, tuple[Rational | None, Rational | None]]:
    """Return the bounds that the conditions on one parameter alone give: {name: (low, high)}, ``None`` for none.

    Strict conditions give the same bounds as the others (a relaxation); conditions of another form are left out.

    Examples
    --------
    >>> bounds_of(box((1, 1), 0, "1/2", ["b1_0"]))
    {'b1_0': (0, 1/2)}
    """
    bounds: dict[str, tuple[Rational | None, Rational | None]] = {}
    for p, relation in constraint.conditions():
        names = p.symbols()
        if len(names) != 1 or p.total_degree() != 1:
            continue
        slope = p.derivative(names[0]).constant_value()
        rest = (p - p.derivative(names[0]) * p.ring.generator(names[0])).constant_value()
        assert slope is not None and rest is not None
        low, high = bounds.get(names[0], (None, None))
        edge = -rest / slope
        if relation == "=" or slope > 0:
            low = edge if low is None else max(low, edge)
        if relation == "=" or slope < 0:
            high = edge if high is None else min(high, edge)
        bounds[names[0]] = low, high
    return bounds
