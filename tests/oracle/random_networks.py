"""Random integer networks of architecture (d, n₁, n₂, m) with second-layer rows of chosen types.

Entries are nonzero integers, of absolute value at most 20 by default: generic with high probability, but not
checked to be (two given rows of width 2 are parallel once in 300 draws). A larger bound makes this rarer.
"""

from fractions import Fraction


def random_network(rng, d, n1, n2, m, types=None, hidden=None, bound=20):
    """Return a random network with rank W₁ = n₁.

    ``types`` lists 'linear', 'dead' or 'nonlinear' for every second-layer neuron; None leaves all signs of
    [W₂|b₂] to chance, or makes all rows nonlinear if ``hidden`` is given. ``hidden`` = i makes every live row
    positive at i and negative elsewhere; None does not exclude this (see ``hidden_neurons``).
    """
    if n1 > d:
        raise ValueError(f"rank W1 = n1 needs n1 <= d, got n1 = {n1}, d = {d}")
    if types is None:
        types = [None if hidden is None else "nonlinear"] * n2
    if len(types) != n2:
        raise ValueError(f"types must have length n2 = {n2}, got {len(types)}")
    if hidden is not None and (hidden not in range(n1) or "linear" in types):
        raise ValueError("hidden must be an index below n1, and no row may be linear then")
    first_weight = random_matrix(rng, n1, d, bound)
    while rank(first_weight) < n1:
        first_weight = random_matrix(rng, n1, d, bound)
    rows = [random_row(rng, n1, kind, hidden, bound) for kind in types]
    return [
        (first_weight, [random_entry(rng, bound) for _ in range(n1)]),
        ([row[:-1] for row in rows], [row[-1] for row in rows]),
        (random_matrix(rng, m, n2, bound), [random_entry(rng, bound) for _ in range(m)]),
    ]


def random_row(rng, n1, kind, hidden, bound):
    """Return a random row [w|b] of the given type (None: any)."""
    sizes = [abs(random_entry(rng, bound)) for _ in range(n1 + 1)]
    if kind == "linear":
        return sizes
    if kind == "dead":
        return [-size for size in sizes]
    if kind == "nonlinear" and hidden is not None:
        return [size if index == hidden else -size for index, size in enumerate(sizes)]
    if kind not in (None, "nonlinear"):
        raise ValueError(f"a type must be 'linear', 'dead' or 'nonlinear', got {kind!r}")
    signs = [rng.choice((-1, 1)) for _ in sizes]
    while kind == "nonlinear" and len(set(signs)) == 1:
        signs = [rng.choice((-1, 1)) for _ in sizes]
    return [sign * size for sign, size in zip(signs, sizes)]


def row_types(layers):
    """Return the type of every second-layer neuron by the signs of [w|b]."""
    weight, bias = layers[1]
    types = []
    for row in ([*row, b] for row, b in zip(weight, bias)):
        if max(row) <= 0:
            types.append("dead")
        else:
            types.append("linear" if min(row) >= 0 else "nonlinear")
    return types


def hidden_neurons(layers):
    """Return the first-layer neurons i such that every live row is positive at i and negative elsewhere."""
    weight, bias = layers[1]
    live = [[*row, b] for row, b in zip(weight, bias) if max(*row, b) > 0]
    return [
        i
        for i in range(len(weight[0]))
        if all((entry > 0) == (index == i) and entry != 0 for row in live for index, entry in enumerate(row))
    ]


def random_entry(rng, bound=20):
    """Return a random nonzero integer as a Fraction."""
    return Fraction(rng.choice((-1, 1)) * rng.randint(1, bound))


def random_matrix(rng, rows, columns, bound=20):
    """Return a matrix of random nonzero integers."""
    return [[random_entry(rng, bound) for _ in range(columns)] for _ in range(rows)]


def rank(matrix):
    """Return the rank of a rational matrix by Gaussian elimination."""
    rows = [list(row) for row in matrix]
    result = 0
    for column in range(len(rows[0])):
        pivot = next((row for row in range(result, len(rows)) if rows[row][column]), None)
        if pivot is None:
            continue
        rows[result], rows[pivot] = rows[pivot], rows[result]
        for row in range(result + 1, len(rows)):
            factor = rows[row][column] / rows[result][column]
            rows[row] = [a - factor * b for a, b in zip(rows[row], rows[result])]
        result += 1
    return result
