"""Networks whose conservation laws are tested: worked cases, random bottleneck networks, small deep ones with zeros."""

from __future__ import annotations

import random
from fractions import Fraction

from oracle import cells as oracle_cells
from oracle.random_networks import random_network

import symfiber as sf


def network_of(case):
    return sf.Network([(layer["weight"], layer["bias"]) for layer in case["network"]["layers"]])


def oracle_patterns(layers):
    return [pattern for pattern, _ in oracle_cells.cells(layers)]


def bottleneck(seed, bound=200):
    """A random bottleneck network, all row types and hidden ones among them."""
    rng = random.Random(seed)
    n1, n2, m = rng.randint(1, 3), rng.randint(1, 4), rng.randint(1, 3)
    d = rng.randint(n1, 4)
    kind = rng.choice(("any", "hidden", "free"))
    types, hidden = None, None
    if kind == "hidden":
        types, hidden = [rng.choice(("nonlinear", "dead")) for _ in range(n2)], rng.randrange(n1)
    elif kind == "free":
        types = [rng.choice(("linear", "nonlinear", "dead")) for _ in range(n2)]
    return random_network(rng, d, n1, n2, m, types=types, hidden=hidden, bound=bound)


def deep_network(seed, biased=True):
    rng = random.Random(seed)
    shape = [rng.randint(1, 2), *(rng.randint(1, 3) for _ in range(rng.randint(1, 3))), rng.randint(1, 2)]
    return [
        (
            [[Fraction(rng.randint(-9, 9)) for _ in range(before)] for _ in range(after)],
            [Fraction(rng.randint(-9, 9) if biased else 0) for _ in range(after)],
        )
        for before, after in zip(shape, shape[1:])
    ]


def linear_laws(first, second):
    net = sf.Network([(first, [0] * len(first)), (second, [0] * len(second))])
    return sf.conservation_laws(net, activation="linear", biases="none")
