"""Check a symfiber certificate by arithmetic alone: ``python checker.py CERT``; needs the standard library only.

Exit codes: 0 the claim is proved, 1 it is not, 2 the file is not a certificate that this program reads.  Why each check
suffices is written in docs/concepts/certificates.md, one lemma a kind of step.  Limits, so that no file makes it crash
or run forever: 64 MiB, 4300 digits an integer, and 100,000,000 units of work, where an operation on numbers of n bits
together counts 1 + n/64 + n²/2²⁰ and a step at least 100; nesting is limited by Python's recursion limit.
"""
# ruff: noqa: D102, D103, N818, RUF012

import json
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

FORMAT = "symfiber-certificate/1"
MAX_BYTES, MAX_DIGITS, MAX_WORK = 1 << 26, 4300, 100_000_000
ZERO, ONE = Fraction(0), Fraction(1)
NUMBER = re.compile(rf"(-?[0-9]{{1,{MAX_DIGITS}}})(?:/(?!0+$)([0-9]{{1,{MAX_DIGITS}}}))?", re.ASCII)


class Refusal(Exception):
    """Arguments: why, and the exit code 1 (the claim is not proved) or 2 (unreadable or beyond the limits)."""


def require(condition: Any, message: str, code: int = 1, value: Any = None) -> Any:
    if not condition:
        raise Refusal(message, code)
    return value


def items(value: Any, size: int | None = None) -> Any:
    return require(isinstance(value, list) and size in (None, len(value)), "a list of fit size is missing", 2, value)


def read(value: Any, *shape: int | None) -> Any:
    """Read a number, or nested lists of numbers of the given sizes (``None``: any)."""
    if shape:
        return [read(x, *shape[1:]) for x in items(value, shape[0])]
    match: Any = NUMBER.fullmatch(value) if isinstance(value, str) else None
    require(match, f"a number must be a text such as -2/7 with at most {MAX_DIGITS} digits", 2)
    return Fraction(int(match[1]), int(match[2] or 1))


def indices(value: Any, bound: int) -> Any:
    good = all(type(x) is int and 0 <= x < bound for x in items(value)) and len(set(value)) == len(value)
    return require(good, "an index is out of range or repeated", 2, value)


def fields(data: Any, required: str, optional: str = "") -> list[Any]:
    names, more = required.split(), optional.split()
    good = isinstance(data, dict) and set(names) <= set(data) <= {*names, *more}
    require(good, f"an object must have the fields {', '.join(names)} and no unknown ones", 2)
    return [data.get(name) for name in names + more]


def network(data: Any, like: Any = None) -> list[Any]:
    """Read a network, of the dimensions of another one, as a list of layers, each a list of rows [w|b]."""
    layers, form = fields(data, "layers", "format")
    require(form in (None, "symfiber-network/1") and items(layers), "an unknown network format or no layers", 2)
    result, width = [], None
    for weight, bias in (fields(layer, "weight bias") for layer in layers):
        width = width or (items(weight) and len(items(weight[0])))
        require(width and items(weight), "a layer is empty", 2)
        result.append([[*w, b] for w, b in zip(read(weight, None, width), read(bias, len(weight)))])
        width = len(weight)
    fits = like is None or (len(like[0][0]) == len(result[0][0]) and len(like[-1]) == len(result[-1]))
    require(fits, "the networks have different dimensions", 2)
    return result


class Work:
    """Vector arithmetic that pays for every operation before it runs, from a limited budget."""

    left = MAX_WORK

    def pay(self, *vectors: Any, units: int = 0) -> None:
        self.left -= units
        for vector in vectors:
            for x in vector:
                bits = x.numerator.bit_length() + x.denominator.bit_length()
                self.left -= 1 + (bits >> 6) + (bits * bits >> 20)
        require(self.left >= 0, "the certificate needs more work than the limit allows", 2)

    def times(self, vector: Any, q: Any) -> list[Any]:
        self.pay(vector, [q] * len(vector))
        return [x * q if x else x for x in vector]

    def add(self, target: Any, source: Any, q: Any) -> None:
        """Add q·source to the first entries and the last entry of a target that is at least as long, in place."""
        if q:
            end = len(source) - 1
            self.pay(target[:end], source, target[-1:], [q] * len(source))
            target[:end] = [x + q * y if y else x for x, y in zip(target, source[:-1])]
            target[-1] += q * source[-1]

    def combine(self, factors: Any, vectors: Any, size: int, constant: Any = ZERO) -> list[Any]:
        """Return Σ factor·vector, a vector of the given size, with the constant added to its last entry."""
        total = [ZERO] * (size - 1) + [constant]
        for q, vector in zip(factors, vectors):
            self.add(total, vector, q)
        return total

    def require_empty(self, forms: Any, multipliers: Any) -> None:
        """Motzkin: forms that are all positive somewhere have no such nonnegative combination ≤ 0."""
        multipliers = read(multipliers, len(forms))
        *coefficients, constant = self.combine(multipliers, forms, len(forms[0]))
        good = max(multipliers) > 0 <= min(multipliers) and not any(coefficients) and constant <= 0
        require(good, "multipliers do not show that a region is empty")


class State:
    """f(x) = Σ c σ(a·x + w·z + b) + A x + M z + v with z = σ(W_F … σ(W_1 x + b_1) … + b_F).

    ``layers`` has the F front layers of rows [w|b], then the top with rows [a|w|b]; ``out`` has the rows [A|M|C|v].
    """

    def __init__(self, net: Any, work: Work) -> None:
        *hidden, last = [[list(row) for row in layer] for layer in net]
        self.work, self.d, self.depth = work, len(net[0][0]) - 1, max(len(hidden) - 1, 0)
        self.n = len(hidden[-2]) if self.depth else 0  # the width of the last front layer
        self.layers, skip = hidden or [[]], [ZERO] * self.d
        if self.depth:
            self.layers[-1] = [skip + row for row in hidden[-1]]
        self.out = [skip + [ZERO] * self.n + row for row in last] if hidden else last

    def apply(self, steps: Any) -> "State":
        """Make all steps; a move gets all vectors with weights from its layer and the place of the first weight."""
        for name, layer, argument in (items(step, 3) for step in items(steps)):
            known = isinstance(name, str) and name in self.moves and type(layer) is int
            require(known and 1 <= layer <= self.depth + 1, "an unknown kind of step or layer", 2)
            vectors, first = self.layers[layer] if layer < self.depth else self.out, 0
            if layer >= self.depth:
                vectors, first = (self.layers[-1], self.d) if layer == self.depth else ([], self.d + self.n)
                vectors = vectors + self.out
            rows = self.layers[layer - 1]
            self.work.pay(units=100 + (len(rows) + 1) * (len(vectors) + 1))
            self.moves[name](self, layer, rows, vectors, first, items(argument))
        return self

    def select(self, layer: int, rows: Any, vectors: Any, first: int, order: Any) -> None:
        """Put neurons in a new order; those left out must be unused or dead."""
        skip = self.d if layer in (1, self.depth + 1) else 0  # how many weights look at x, not at some z ≥ 0
        gone = set(range(len(rows))) - set(indices(order, len(rows)))
        used = [rows[k] for k in gone if any(vec[first + k] for vec in vectors)]
        require(not any(any(row[:skip]) or max(row[skip:]) > 0 for row in used), "a neuron left out is not dead")
        for vec in vectors:
            vec[first : first + len(rows)] = [vec[first + k] for k in order]
        self.layers[layer - 1] = [rows[k] for k in order]
        self.n = len(self.layers[-2]) if self.depth else 0

    def scale(self, layer: int, rows: Any, vectors: Any, first: int, factors: Any) -> None:
        factors = read(factors, len(rows))
        require(all(q > 0 for q in factors), "a scaling must be positive")
        self.layers[layer - 1] = [self.work.times(row, q) for q, row in zip(factors, rows)]
        for vec in vectors:
            self.work.pay(vec[first : first + len(rows)], factors)
            vec[first : first + len(rows)] = [x / q if x else x for x, q in zip(vec[first:], factors)]

    def merge(self, layer: int, rows: Any, vectors: Any, first: int, triples: Any) -> None:
        """Move the outgoing weights of a neuron to one whose row is a positive multiple."""
        for triple in triples:
            (kept, other), q = indices(items(triple, 3)[:2], len(rows)), read(triple[2])
            require(q > 0 and self.work.times(rows[kept], q) == rows[other], "merged rows must be positive multiples")
            for vec in vectors:
                self.work.pay((vec[first + kept], vec[first + other], q))
                vec[first + kept], vec[first + other] = vec[first + kept] + q * vec[first + other], ZERO

    def flip(self, layer: int, rows: Any, vectors: Any, first: int, chosen: Any) -> None:
        """σ(t) = σ(−t) + t, where t is affine in x and z."""
        require(layer > self.depth or layer == self.depth == 1, "only the top or a single front layer can be flipped")
        for k in indices(chosen, len(rows)):
            for vec in vectors:
                self.work.add(vec, rows[k], vec[first + k])
            rows[k] = [-x for x in rows[k]]

    def expose(self, layer: int, rows: Any, vectors: Any, first: int, pairs: Any) -> None:
        """σ(w_i σ(y_i) + rest) = σ(w_i y_i + rest) when w_i > 0 and the rest is never positive."""
        require(layer == 2 and self.depth == 1, "expose needs a single front layer")
        for j, i in (items(pair, 2) for pair in pairs):
            (j,), (i,) = indices([j], len(rows)), indices([i], self.n)
            weight, rows[j][self.d + i] = rows[j][self.d + i], ZERO
            require(weight > 0 and not any(rows[j][: self.d]) and max(rows[j]) <= 0, "the row does not hide its neuron")
            self.work.add(rows[j], self.layers[0][i], weight)

    def lift(self, layer: int, rows: Any, vectors: Any, first: int, chosen: Any) -> None:
        require(layer == self.depth == 1, "lift needs a single front layer")
        for k in indices(chosen, self.n):
            self.work.pay(units=100 * (len(self.out[0]) * len(self.out) + self.d + self.n))
            self.layers[-1].append([*rows[k][:-1], *[ZERO] * self.n, rows[k][-1]])
            for vec in self.out:
                vec[-1:-1], vec[self.d + k] = [vec[self.d + k]], ZERO

    moves = {f.__name__: f for f in (select, scale, merge, flip, expose, lift)}

    def minus(self, other: "State") -> "State":
        """Return the state of the difference, fronts side by side; identity layers (z ≥ 0) make the depths equal."""
        depth, d = max(self.depth, other.depth), self.d
        for state in (self, other):
            state.work.pay(units=(depth - state.depth) * (state.n + 1) ** 2)
            identity = [[Fraction(int(i == k)) for i in range(state.n + 1)] for k in range(state.n)]
            state.layers[-1:-1], state.depth = [identity] * (depth - state.depth), depth
        widths = [(0, 0), *zip(map(len, self.layers), map(len, other.layers))]
        p, q, self.n = self.n, other.n, self.n + other.n
        for i, (above, below) in enumerate(zip(self.layers, other.layers)):
            (left, right), skip = widths[i], d if i == depth else 0
            self.layers[i] = [[*row[:-1], *[ZERO] * right, row[-1]] for row in above]
            self.layers[i] += [[*row[:skip], *[ZERO] * left, *row[skip:]] for row in below]
        for row, out in zip(self.out, ([-x for x in out] for out in other.out)):
            row[:d], row[-1] = [x + y for x, y in zip(row, out[:d])], row[-1] + out[-1]
            row[-1:-1], row[d + p : d + p] = out[d + q : -1], out[d : d + q]
        return self

    def require_zero(self, nodes: Any) -> None:
        """Check a tree over the front neurons, in preorder: the state is zero on every cell."""
        size, nodes = self.d + 1, iter(items(nodes))
        stack: Any = [(0, [[Fraction(int(i == k)) for i in range(size)] for k in range(self.d)], [], [])]
        while stack:
            layer, z, done, region = stack.pop()
            while layer < self.depth:
                if len(done) == len(self.layers[layer]):
                    layer, z, done = layer + 1, done, []
                    continue
                row = self.layers[layer][len(done)]
                form = self.work.combine(row[:-1], z, size, row[-1])
                active, opposite = form[-1] > 0, [-x for x in form]
                if any(form[:-1]):
                    kind, proof = items(next(nodes, None), 2)
                    require(kind in ("split", "active", "inactive"), "an unknown kind of node", 2)
                    active = kind != "inactive"
                    if kind == "split":
                        stack.append((layer, z, [*done, [ZERO] * size], [*region, opposite]))
                        region = [*region, form]
                    else:
                        self.work.require_empty([*region, opposite if active else form], proof)
                done = [*done, form if active else [ZERO] * size]
            kind, proofs = items(next(nodes, None), 2)
            require(kind == "leaf", "a leaf is missing", 2)
            self.require_zero_on_cell(z[: self.n], region, proofs)
        require(next(nodes, None) is None, "nodes are left over", 2)

    def require_zero_on_cell(self, z: Any, region: Any, proofs: Any) -> None:
        """Check that hyperplanes that bend the state miss the cell and that the affine rest (c·t for flips) is 0."""
        d, first, add, bends = self.d, self.d + self.n, self.work.add, dict[Any, Any]()
        rest = [self.work.combine([*row[d:first], ONE], [*z, [*row[:d], row[-1]]], d + 1) for row in self.out]
        for j, row in enumerate(self.layers[-1]):
            form = self.work.combine([*row[d:-1], ONE], [*z, [*row[:d], row[-1]]], d + 1)
            pivot = next((x for x in form[:-1] if x), ZERO)
            key = tuple(self.work.times(form, 1 / pivot)) if pivot else ()
            for o, c in enumerate(vec[first + j] for vec in self.out):
                bends.setdefault(key, [ZERO] * len(self.out))[o] += c * abs(pivot)
                add(rest[o], form if pivot else [max(form[-1], ZERO)], c if pivot <= 0 else ZERO)
        bent = [(key, jump) for key, jump in bends.items() if any(jump)]
        for (key, jump), (side, proof) in zip(bent, (items(pair, 2) for pair in items(proofs, len(bent)))):
            require(side in ("active", "inactive"), "an unknown side", 2)
            self.work.require_empty([*region, [-x if side == "active" else x for x in key]], proof)
            for row, c in zip(rest, jump):
                add(row, key, c if side == "active" else ZERO)
        require(not any(map(any, rest)), "the difference is not zero on a cell")


def check_equal(work: Work, data: Any) -> str:
    """Moves make both networks the same, or their difference zero; matched rows (layer 1 active) are multiples."""
    a, b, *steps, more, tree, matches = fields(data, "a b steps_a steps_b", "steps_difference tree matches")
    a, b = (a := network(a)), network(b, a)
    left, right = (State(net, work).apply(moves) for net, moves in zip((a, b), steps))
    if more is None and tree is None:
        forms = [([layer for layer in state.layers if layer], state.out) for state in (left, right)]
        require(forms[0] == forms[1], "the steps do not lead to the same form")
    elif left.minus(right).apply(more or []) and tree is not None:
        left.require_zero(tree)
    else:
        require(not left.layers[-1] and not any(map(any, left.out)), "the steps do not lead to zero")
    found = []
    for layer, i, k, factor in (items(match, 4) for match in items(matches or [])):
        require(layer in (1, 2) and min(len(a), len(b)) > layer, "only rows of hidden layers 1 and 2 are matched", 2)
        pair, factor = [], read(factor)
        for net, t in ((a, i), (b, k)):
            (row,) = (net[layer - 1][t] for t in indices([t], len(net[layer - 1])))
            pair.append(row if layer == 1 else work.combine(row[:-1], net[0], len(net[0][0]), row[-1]))
        require(factor and work.times(pair[0], factor) == pair[1], "matched rows are not multiples of each other")
        found.append(f"{'+-'[factor < 0]}{layer}.{i}")
    return "the networks compute the same function" + bool(found) * f", orientations {' '.join(found)}"


def check_different(work: Work, data: Any) -> str:
    """The networks have different values at a point."""
    (a, b, point), values = fields(data, "a b point"), []
    for net in (network(a), network(b, network(a))):
        x = read(point, len(net[0][0]) - 1)
        for i, layer in enumerate(net):
            x = [[max(y, ZERO)] if i else [y] for y in x]
            x = [work.combine(row[:-1], x, 1, row[-1])[0] for row in layer]
        values.append(x)
    require(values[0] != values[1], "the values at the point are equal")
    return "the networks have different values at the point"


def check_rank(work: Work, data: Any) -> str:
    """The rank by two factorisations; the nonnegative column rank is one more unless the columns are pointed."""
    M, claimed, L, R, P, Q, u, weights = fields(data, "matrix value left right before after", "half_space relation")
    n, m, r = len(items(items(M) and M[0])), len(M), len(items(R))
    M, L, R, P, Q = read(M, m, n), read(L, m, r), read(R, r, n), read(P, r, m), read(Q, n, r)
    require(n > 0 and [work.combine(row, R, n) for row in L] == M, "the factors do not multiply to the matrix")
    one = [[int(i == k) for i in range(r)] for k in range(r)]
    require([work.combine(work.combine(p, M, n), Q, r) for p in P] == one, "the matrix has a smaller rank")
    columns = [column for column in zip(*M) if any(column)]
    if weights is None:
        require(all(work.combine(c, [[x] for x in read(u, m)], 1)[0] > 0 for c in columns), "a column is outside")
    else:
        weights = [x for x, column in zip(read(weights, n), zip(*M)) if any(column)]
        good = any(weights) and min(weights) >= 0 and not any(work.combine(weights, columns, m))
        require(good, "not a relation of the nonzero columns")
    require([type(claimed), claimed] == [int, r + (weights is not None)], "the value is not the proved one")
    return f"the nonnegative column rank is {claimed}"


CLAIMS: Any = {"equal": check_equal, "different": check_different, "nonnegative column rank": check_rank}


def check(data: Any) -> str:
    """Return what a certificate, given as JSON data, proves; raise :class:`Refusal` when it proves nothing."""
    require(isinstance(data, dict) and data.get("format") == FORMAT, f'the format must be "{FORMAT}"', 2)
    parts = fields(data, "format claim parts")[2] if data.get("claim") == "all" else [data]
    work, proved = Work(), []
    for part in items(parts):
        claim = part.get("claim") if isinstance(part, dict) else None
        require(isinstance(claim, str) and claim in CLAIMS, "a claim is missing or of an unknown kind", 2)
        proved.append(CLAIMS[claim](work, {key: part[key] for key in part if key not in ("format", "claim")}))
    return "; ".join(proved)


def main(arguments: list[str]) -> int:
    try:
        with Path(*arguments[:1]).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        require(len(raw) <= MAX_BYTES, "the file is too large", 2)
        once: Any = {"object_pairs_hook": lambda p: require(len(dict(p)) == len(p), "a field is repeated", 2, dict(p))}
        print("valid:", check(json.loads(raw.decode(), **once)))
        return 0
    except (Refusal, OSError, ValueError, RecursionError) as error:
        message, code = error.args if isinstance(error, Refusal) else ("the file cannot be read as JSON", 2)
    print("not valid:", message, file=sys.stderr)
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
