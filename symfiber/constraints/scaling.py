"""Scalings of hidden neurons under bounds: a linear problem in logarithms, decided with exact products.

Hidden neuron u carries a scaling s_u > 0, inputs and outputs carry 1.  A parameter from neuron ``down`` to neuron
``up`` becomes value·s_up/s_down, and the function stays the same.  Bounds on parameters are bounds on quotients
s_up/s_down: they have a solution exactly if no cycle of them multiplies to less than 1 (shortest paths with products
instead of sums).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from flint import fmpz

from symfiber.errors import InputError, LimitExceededError, UnsupportedError, VerificationError
from symfiber.exact import ONE, Rational, common_denominator
from symfiber.network import Network
from symfiber.parameters import flatten

Bounds = Mapping[str, tuple[Rational | None, Rational | None]]
_LONGEST_DENOMINATOR = 4096


class Entry(NamedTuple):
    """A parameter with the two nodes of its weight: node 0 is the outside, then the hidden neurons layer by layer."""

    name: str
    value: Rational
    up: int
    down: int


def node_count(net: Network) -> int:
    """Return 1 + the number of hidden neurons."""
    return 1 + sum(net.architecture[1:-1])


def entries(net: Network) -> list[Entry]:
    """Return all parameters with their nodes, in the order of the parameter vector; biases come from node 0.

    Examples
    --------
    >>> [tuple(e) for e in entries(Network([([[2]], [3]), ([[5]], [7])]))]
    [('W1_0_0', 2, 1, 0), ('b1_0', 3, 1, 0), ('W2_0_0', 5, 0, 1), ('b2_0', 7, 0, 0)]
    """
    if net.is_symbolic:
        raise UnsupportedError("scalings under bounds need a network of numbers, got symbols")
    nodes: list[list[int]] = [[0] * net.architecture[0]]
    first = 1
    for width in net.architecture[1:-1]:
        nodes.append(list(range(first, first + width)))
        first += width
    nodes.append([0] * net.architecture[-1])
    ends = flatten(
        ([[(up, down) for down in below] for up in above], [(up, 0) for up in above])
        for below, above in pairwise(nodes)
    )
    return [Entry(n, v, *pair) for n, v, pair in zip(net.parameter_names, net.parameters, ends)]


def scaled(net: Network, scalings: Sequence[Rational]) -> Network:
    """Return the network with every hidden neuron scaled; ``scalings[0]`` = 1 is the outside.

    Raises
    ------
    InputError
        Unless there is one positive number for every node, the first of them 1.
    """
    if len(scalings) != node_count(net) or scalings[0] != 1 or not all(s > 0 for s in scalings):
        raise InputError(f"scalings must be 1 and {node_count(net) - 1} positive numbers, got {list(scalings)}")
    return Network.from_parameters(
        net.architecture, [e.value * scalings[e.up] / scalings[e.down] for e in entries(net)]
    )


class _Quotient(NamedTuple):
    """s_target ≤ factor · s_source, from one side of the bounds on a parameter."""

    source: int
    target: int
    factor: Rational
    name: str


@dataclass(frozen=True, slots=True)
class ScalingIntoBounds:
    """Whether positive scalings bring all parameters between their bounds.

    Attributes
    ----------
    network : Network
    bounds : mapping from names to (low, high), ``None`` for no bound
    scalings : tuple of rationals or None
        One a node, when there is a solution.
    cycle : tuple of str
        Otherwise the parameters whose bounds contradict each other: around a cycle of neurons the largest allowed
        quotients multiply to less than 1; a single parameter when its sign alone contradicts its bounds.
    """

    network: Network
    bounds: Bounds
    scalings: tuple[Rational, ...] | None
    cycle: tuple[str, ...]

    @property
    def member(self) -> Network | None:
        """The scaled network."""
        return None if self.scalings is None else scaled(self.network, self.scalings)

    def __bool__(self) -> bool:
        return self.scalings is not None

    def verify(self) -> bool:
        """Check the member against the bounds, or multiply around the cycle again."""
        if self.member is not None:
            for name, value in zip(self.member.parameter_names, self.member.parameters):
                low, high = self.bounds.get(name, (None, None))
                if (low is not None and value < low) or (high is not None and value > high):
                    raise VerificationError(f"the scaled {name} must lie between {low} and {high}, got {value}")
            return True
        quotients, impossible = _quotients(self.network, self.bounds)
        if len(self.cycle) == 1 and self.cycle[0] in impossible:
            return True
        around = [[q for q in quotients if q.name == name] for name in self.cycle]
        if not any(_multiplies_below_one(around, choice) for choice in (q.source for q in (around or [[]])[0])):
            raise VerificationError("the bounds must contradict each other around a cycle of neurons")
        return True


def _multiplies_below_one(around: Sequence[Sequence[_Quotient]], start: int) -> bool:
    """Follow the cycle from a node, at every parameter the quotient that continues it."""
    node, product = start, ONE
    for choices in around:
        here = [q for q in choices if q.source == node]
        if not here:
            return False
        step = min(here, key=lambda q: q.factor)
        node, product = step.target, product * step.factor
    return node == start and bool(product < 1)


def _quotients(net: Network, bounds: Bounds) -> tuple[list[_Quotient], list[str]]:
    """Return the bounds as quotients, and the parameters whose sign alone contradicts theirs."""
    quotients: list[_Quotient] = []
    impossible: list[str] = []
    for e in entries(net):
        low, high = bounds.get(e.name, (None, None))
        if e.value < 0:
            low, high = None if high is None else -high, None if low is None else -low
        size = abs(e.value)
        if not size:
            if (low is not None and low > 0) or (high is not None and high < 0):
                impossible.append(e.name)
            continue
        if high is not None:
            if high <= 0:
                impossible.append(e.name)
                continue
            quotients.append(_Quotient(e.down, e.up, high / size, e.name))
        if low is not None and low > 0:
            quotients.append(_Quotient(e.up, e.down, size / low, e.name))
    return quotients, impossible


def scale_into(net: Network, bounds: Bounds, prefer: Literal["any", "small", "large"] = "any") -> ScalingIntoBounds:
    """Decide whether scalings of the hidden neurons bring the parameters between bounds.

    Parameters
    ----------
    bounds : {name: (low, high)}
        ``None`` for no bound.
    prefer : {"any", "small", "large"}
        Which solution: scalings near 1, as small as the bounds allow, or as large as they allow.

    Notes
    -----
    Cost: (neurons)·(bounds) exact multiplications, usually far fewer.  Proved both ways.

    Examples
    --------
    >>> net = Network([([[4]], [1]), ([[3]], [0])])
    >>> box = lambda size: {name: (-size, size) for name in net.parameter_names}
    >>> scale_into(net, box(Rational(4))).member.parameters
    (4, 1, 3, 0)
    >>> scale_into(net, box(Rational(3))).cycle
    ('W1_0_0', 'W2_0_0')
    """
    quotients, impossible = _quotients(net, bounds)
    unknown = sorted(set(bounds) - set(net.parameter_names))
    if unknown:
        raise InputError(f"bounds must be on parameters of the network, got {unknown[0]!r}")
    if impossible:
        return ScalingIntoBounds(net, bounds, None, (impossible[0],))
    if prefer == "small":
        # The smallest solution is 1/(the largest one of the reversed problem).
        quotients = [_Quotient(q.target, q.source, q.factor, q.name) for q in quotients]
    height = ONE
    while True:
        start = [ONE] + [height] * (node_count(net) - 1)
        potentials, cycle = _shortest_products(start, quotients)
        if cycle:
            names = tuple(q.name for q in cycle)
            return ScalingIntoBounds(net, bounds, None, names[::-1] if prefer == "small" else names)
        if prefer == "any" or potentials[0] == 1:
            break
        height = height / potentials[0] * 2
    found = [p / potentials[0] for p in potentials]
    return ScalingIntoBounds(net, bounds, tuple(1 / s for s in found) if prefer == "small" else tuple(found), ())


def _shortest_products(
    start: Sequence[Rational], quotients: Sequence[_Quotient]
) -> tuple[list[Rational], list[_Quotient]]:
    """Return potentials with p_target ≤ factor·p_source, at most ``start``; or a cycle with product < 1.

    Bellman and Ford's algorithm with products: after as many rounds as there are nodes only a cycle still improves.
    """
    potentials = list(start)
    reached: list[_Quotient | None] = [None] * len(potentials)
    for _ in range(len(potentials) + 1):
        last: _Quotient | None = None
        for q in quotients:
            reach = potentials[q.source] * q.factor
            if reach < potentials[q.target]:
                potentials[q.target], reached[q.target], last = reach, q, q
        if last is None:
            return potentials, []
    assert last is not None
    node = last.target
    for _ in potentials:
        step = reached[node]
        assert step is not None, "a node that improves after all rounds hangs on a cycle"
        node = step.source
    cycle: list[_Quotient] = []
    while not cycle or node != cycle[0].target:
        step = reached[node]
        assert step is not None
        cycle.append(step)
        node = step.source
    return potentials, cycle[::-1]


@dataclass(frozen=True, slots=True)
class IntegerScaling:
    """Whether positive scalings make all parameters integers.

    Attributes
    ----------
    scalings : tuple of rationals or None
    prime : int or None
        Otherwise a prime for which the exponents around a cycle of neurons add to less than 0.
    cycle : tuple of str
        The parameters of that cycle.
    """

    network: Network
    scalings: tuple[Rational, ...] | None
    prime: int | None
    cycle: tuple[str, ...]

    @property
    def member(self) -> Network | None:
        """The scaled network, all its parameters integers."""
        return None if self.scalings is None else scaled(self.network, self.scalings)

    def __bool__(self) -> bool:
        return self.scalings is not None

    def verify(self) -> bool:
        """Check that all parameters are integers, or add the exponents around the cycle again."""
        if self.member is not None:
            if any(v.q != 1 for v in self.member.parameters):
                raise VerificationError("the scaled parameters must be integers")
            return True
        by_name = {e.name: e for e in entries(self.network)}
        around = [by_name[name] for name in self.cycle]
        closed = all(a.up == b.down for a, b in zip(around, around[1:] + around[:1]))
        assert self.prime is not None
        prime = fmpz(self.prime)
        if not (around and closed and prime.is_prime() and sum(_valuation(e.value, prime) for e in around) < 0):
            raise VerificationError("the exponents of the prime around a closed cycle must add to less than 0")
        return True


def integer_scaling(net: Network) -> IntegerScaling:
    """Decide whether scalings of the hidden neurons make all parameters integers.

    For every prime p the exponents satisfy v_p(value) + e_up − e_down ≥ 0: they can be chosen exactly if along every
    cycle of neurons the exponents of the parameters add to at least 0.

    Raises
    ------
    LimitExceededError
        When the common denominator has more than 4096 bits (it is factored).

    Notes
    -----
    Cost: factoring the common denominator, then for each prime (neurons)·(parameters) steps.  Proved both ways.

    Examples
    --------
    >>> integer_scaling(Network([([["1/6"]], [1]), ([[12]], [0])])).member.parameters
    (1, 6, 2, 0)
    >>> integer_scaling(Network([([["1/6"]], [1]), ([[2]], [0])])).prime
    3
    """
    listed = entries(net)
    denominator = common_denominator(e.value for e in listed)
    bits = int(denominator).bit_length()
    if bits > _LONGEST_DENOMINATOR:
        raise LimitExceededError(
            f"integer scalings factor the common denominator: it may have {_LONGEST_DENOMINATOR} bits, got {bits}"
        )
    scalings = [ONE] * node_count(net)
    for prime, _ in denominator.factor():
        exponents, cycle = _exponents(listed, prime, len(scalings))
        if cycle:
            return IntegerScaling(net, None, int(prime), cycle)
        scalings = [s * Rational(prime) ** e for s, e in zip(scalings, exponents)]
    return IntegerScaling(net, tuple(scalings), None, ())


def _exponents(listed: Sequence[Entry], prime: fmpz, nodes: int) -> tuple[list[int], tuple[str, ...]]:
    """Return e ≥ … with v_p(value) + e_up − e_down ≥ 0 and e_0 = 0; or the parameters of a cycle that forbids it."""
    # p^(−e) are the potentials of the same shortest-path problem: p^(−e_up) ≤ p^(v)·p^(−e_down).
    quotients = [
        _Quotient(e.down, e.up, Rational(prime) ** _valuation(e.value, prime), e.name) for e in listed if e.value
    ]
    potentials, cycle = _shortest_products([ONE] * nodes, quotients)
    if cycle:
        return [], tuple(q.name for q in cycle)
    return [_valuation(potentials[0] / p, prime) for p in potentials], ()


def _valuation(value: Rational, prime: fmpz) -> int:
    """Return the exponent of the prime in a nonzero rational; raise for 0 only through its misuse."""
    exponent, top, bottom = 0, fmpz(value.p), fmpz(value.q)
    while top and top % prime == 0:
        top, exponent = top // prime, exponent + 1
    while bottom % prime == 0:
        bottom, exponent = bottom // prime, exponent - 1
    return exponent
