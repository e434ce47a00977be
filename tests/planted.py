"""Planted pairs: networks pushed through random products of function-preserving moves, in plain Fractions.

Nothing here imports the package; every move is written out from its formula.  A network is a list of (weight, bias)
pairs as in ``tests/oracle``.
"""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction

from oracle.random_networks import random_network

KINDS = (
    "visible",
    "mixed",
    "hidden",
    "hidden-single",
    "linear",
    "dead",
    "duplicate",
    "univariate",
    "no bias",
    "sparse",
)


def base_network(rng, kind, widths):
    """Return a random network of one kind; ``widths`` = (d, n₁, n₂, m)."""
    d, n1, n2, m = widths
    if kind == "visible":
        return random_network(rng, d, n1, n2, m, types=["nonlinear"] * n2)
    if kind == "mixed":
        return random_network(rng, d, n1, n2, m)
    if kind == "hidden":
        return random_network(rng, d, n1, n2, m, hidden=rng.randrange(n1))
    if kind == "hidden-single":
        types = ["nonlinear"] + ["dead"] * (n2 - 1)
        rng.shuffle(types)
        return random_network(rng, d, n1, n2, m, types=types, hidden=rng.randrange(n1))
    if kind == "linear":
        return random_network(rng, d, n1, n2, m, types=[rng.choice(("linear", "nonlinear")) for _ in range(n2)])
    if kind == "dead":
        return random_network(rng, d, n1, n2, m, types=[rng.choice(("dead", "nonlinear")) for _ in range(n2)])
    if kind == "duplicate":
        return split(rng, split(rng, random_network(rng, d, n1, n2, m)))
    if kind == "univariate":
        return random_network(rng, d, 1, n2, m)
    net = random_network(rng, d, n1, n2, m)
    if kind == "no bias":
        return [(weight, [b * (index == 2) for b in bias]) for index, (weight, bias) in enumerate(net)]
    weight, bias = net[1]
    net[1] = ([[x * (rng.random() < 0.5) for x in row] for row in weight], [b * (rng.random() < 0.8) for b in bias])
    return net


def equal_partner(rng, net, count=8):
    """Return a network with the same function, made by ``count`` random moves and permutations and scalings."""
    moves = (permute, scale, reorient, split, add_dead, add_unused, drop_useless, translate, sign_flip)
    for _ in range(count):
        net = rng.choice(moves)(rng, deepcopy(net))
    return scale(rng, permute(rng, net))


def perturbed(rng, net, amount=Fraction(1, 10**9)):
    """Return the network with one entry changed that matters: not in a dead or unused second-layer neuron."""
    net = deepcopy(net)
    (W1, b1), (W2, b2), (W3, b3) = net
    useful = [j for j, (row, b) in enumerate(zip(W2, b2)) if max(*row, b) > 0 and any(out[j] for out in W3)]
    places = [(b3, rng.randrange(len(b3)))]
    if useful:
        j = rng.choice(useful)
        k = rng.choice([k for k, x in enumerate(W2[j]) if x] or [0])
        places += [(W3[rng.randrange(len(W3))], j), (b2, j)] + [(W2[j], k)] * 2
        if W2[j][k]:
            places += [(b1, k)] + [(W1[k], rng.randrange(len(W1[k])))] * 2
    values, index = rng.choice(places)
    values[index] += amount
    return net


def positive(rng):
    return Fraction(rng.randint(1, 9), rng.randint(1, 9))


def permute(rng, net):
    (W1, b1), (W2, b2), (W3, b3) = net
    first, second = list(range(len(b1))), list(range(len(b2)))
    rng.shuffle(first)
    rng.shuffle(second)
    return [
        ([W1[k] for k in first], [b1[k] for k in first]),
        ([[W2[j][k] for k in first] for j in second], [b2[j] for j in second]),
        ([[row[j] for j in second] for row in W3], b3),
    ]


def scale(rng, net):
    (W1, b1), (W2, b2), (W3, b3) = net
    lam, mu = [positive(rng) for _ in b1], [positive(rng) for _ in b2]
    return [
        ([[q * x for x in row] for q, row in zip(lam, W1)], [q * b for q, b in zip(lam, b1)]),
        ([[q * x / r for x, r in zip(row, lam)] for q, row in zip(mu, W2)], [q * b for q, b in zip(mu, b2)]),
        ([[x / q for x, q in zip(row, mu)] for row in W3], b3),
    ]


def reorient(rng, net):
    """Flip random nonlinear neurons; all affine terms then become new linear neurons, two an output or one an input."""
    (W1, b1), (W2, b2), (W3, b3) = net
    n1, m = len(b1), len(b3)
    slope, constant = [[Fraction(0)] * n1 for _ in range(m)], list(b3)
    rows, columns = [], []
    for j, (row, b) in enumerate(zip(W2, b2)):
        column = [out[j] for out in W3]
        linear = min(*row, b) >= 0
        flip = linear or (max(*row, b) > 0 and rng.random() < 0.5)
        if flip:
            for o, c in enumerate(column):
                slope[o] = [s + c * w for s, w in zip(slope[o], row)]
                constant[o] += c * b
        if not linear:
            rows.append([-x if flip else x for x in (*row, b)])
            columns.append(column)
    for row, column in linear_neurons(rng, slope):
        b = rng.choice((Fraction(0), positive(rng)))
        rows.append([*row, b])
        columns.append(column)
        constant = [v - c * b for v, c in zip(constant, column)]
    return from_neurons((W1, b1), rows, columns, constant)


def linear_neurons(rng, slope):
    """Return (row ≥ 0, column) pairs with Σ column·row = slope."""
    m, n = len(slope), len(slope[0])
    if rng.random() < 0.5:
        unit = [[Fraction(int(o == p)) for p in range(m)] for o in range(m)]
        pairs = [([max(x, Fraction(0)) for x in slope[o]], unit[o]) for o in range(m)]
        pairs += [([max(-x, Fraction(0)) for x in slope[o]], [-u for u in unit[o]]) for o in range(m)]
    else:
        # Row k is e_k + q e_{k−1}, q ≥ 0: columns C_k with C_k + q_{k+1} C_{k+1} = slope_k, from the last one down.
        pairs, after, q_after = [], [Fraction(0)] * m, Fraction(0)
        for k in reversed(range(n)):
            q = Fraction(rng.randint(0, 3)) if k else Fraction(0)
            column = [slope[o][k] - q_after * after[o] for o in range(m)]
            row = [Fraction(int(i == k)) for i in range(n)]
            if k:
                row[k - 1] = q
            pairs.append((row, column))
            after, q_after = column, q
    return [(row, column) for row, column in pairs if any(row)]


def split(rng, net):
    """Replace a second-layer neuron by two on the same hyperplane."""
    (W1, b1), (W2, b2), (W3, b3) = net
    rows, columns = [[*w, b] for w, b in zip(W2, b2)], [[out[j] for out in W3] for j in range(len(b2))]
    j, share, ratio = rng.randrange(len(rows)), [Fraction(rng.randint(-5, 5)) for _ in b3], positive(rng)
    rows.append([ratio * x for x in rows[j]])
    columns.append([(c - s) / ratio for c, s in zip(columns[j], share)])
    columns[j] = share
    return from_neurons((W1, b1), rows, columns, b3)


def add_dead(rng, net):
    (W1, b1), (W2, b2), (W3, b3) = net
    rows, columns = [[*w, b] for w, b in zip(W2, b2)], [[out[j] for out in W3] for j in range(len(b2))]
    rows.append([Fraction(-rng.randint(0, 5)) for _ in range(len(b1) + 1)])
    columns.append([Fraction(rng.randint(-5, 5)) for _ in b3])
    return from_neurons((W1, b1), rows, columns, b3)


def add_unused(rng, net):
    (W1, b1), (W2, b2), (W3, b3) = net
    rows, columns = [[*w, b] for w, b in zip(W2, b2)], [[out[j] for out in W3] for j in range(len(b2))]
    rows.append([Fraction(rng.randint(-5, 5)) for _ in range(len(b1) + 1)])
    columns.append([Fraction(0)] * len(b3))
    return from_neurons((W1, b1), rows, columns, b3)


def drop_useless(rng, net):
    """Drop dead and unused second-layer neurons, all but one neuron at most."""
    (W1, b1), (W2, b2), (W3, b3) = net
    rows, columns = [[*w, b] for w, b in zip(W2, b2)], [[out[j] for out in W3] for j in range(len(b2))]
    kept = [j for j in range(len(rows)) if max(rows[j]) > 0 and any(columns[j])] or [0]
    return from_neurons((W1, b1), [rows[j] for j in kept], [columns[j] for j in kept], b3)


def from_neurons(first, rows, columns, constant):
    """Return the network with these second-layer rows [w|b] and outgoing columns, at least one (dead) neuron."""
    if not rows:
        rows, columns = [[Fraction(0)] * (len(first[1]) + 1)], [[Fraction(0)] * len(constant)]
    return [
        first,
        ([row[:-1] for row in rows], [row[-1] for row in rows]),
        ([list(x) for x in zip(*columns)], list(constant)),
    ]


def live_and_hidden(net):
    """Return (live neurons, i) when all live rows are positive at i only, i a first-layer neuron; else (live, None)."""
    (_, b1), (W2, b2), _ = net
    live = [j for j, (row, b) in enumerate(zip(W2, b2)) if max(*row, b) > 0]
    for i in range(len(b1)):
        if live and all(
            W2[j][i] > 0 and max([0, b2[j], *(x for k, x in enumerate(W2[j]) if k != i)]) <= 0 for j in live
        ):
            return live, i
    return live, None


def translate(rng, net):
    """b₁,i += t, b₂,j −= w_ji t for the live j, as long as b₂,j − w_ji t ≤ 0."""
    live, i = live_and_hidden(net)
    if i is None:
        return net
    (W1, b1), (W2, b2), W3 = net
    t = max(b2[j] / W2[j][i] for j in live) + Fraction(rng.randint(0, 9), rng.randint(1, 9))
    b1 = [b + t * (k == i) for k, b in enumerate(b1)]
    b2 = [b - W2[j][i] * t if j in live else b for j, b in enumerate(b2)]
    dead = [[-abs(x) for x in row] if j not in live else row for j, row in enumerate(W2)]
    return [(W1, b1), (dead, b2), W3]


def sign_flip(rng, net):
    """Flip a first-layer row k ≠ i of a network with a single live neuron, then translate to stay hidden."""
    live, i = live_and_hidden(net)
    if i is None or len(live) != 1 or len(net[0][1]) == 1:
        return net
    (W1, b1), (W2, b2), W3 = net
    w = W2[live[0]]
    k = rng.choice([k for k in range(len(b1)) if k != i])
    ratio = -w[k] / w[i]
    W1, b1 = [list(row) for row in W1], list(b1)
    W1[i] = [x - ratio * y for x, y in zip(W1[i], W1[k])]
    b1[i] -= ratio * b1[k]
    W1[k], b1[k] = [-x for x in W1[k]], -b1[k]
    return translate(rng, [(W1, b1), (W2, b2), W3])


def far_cell_pair(rng, widths):
    """Return two networks that differ only in a thin slab far away: three more neurons, a tent of width 2ε."""
    net = base_network(rng, "mixed", widths)
    first, (W2, b2), (W3, b3) = net
    n1, m = len(first[1]), len(b3)
    i, position, epsilon = rng.randrange(n1), Fraction(rng.randint(10**5, 10**7)), Fraction(1, 10 ** rng.randint(6, 12))
    slopes = [Fraction(1) if k == i else -Fraction(rng.randint(10**3, 10**5)) for k in range(n1)]
    rows, columns = [[*w, b] for w, b in zip(W2, b2)], [[out[j] for out in W3] for j in range(len(b2))]
    for step, c in ((0, 1), (1, -2), (2, 1)):
        rows.append([*slopes, -position - step * epsilon])
        columns.append([Fraction(c)] + [Fraction(0)] * (m - 1))
    return net, from_neurons(first, rows, columns, b3)
