"""Check a symfiber certificate by arithmetic alone: ``python checker.py CERT``; needs the standard library only.

Exit codes: 0 the claim is proved, 1 it is not, 2 the file is not a certificate that this program reads.  Why each check
suffices is written in docs/certificates.md, one lemma for each kind of step.  Limits, so that no file makes it crash or
run forever: 64 MiB, nesting depth 12, 4300 digits an integer, 20,000 steps or tree nodes, and 300,000,000 units of work,
where an operation on numbers of n bits together counts 1 + n/64 + n²/2²⁰.
"""
# ruff: noqa: D102, D103

import json
import re
import sys
from fractions import Fraction
from pathlib import Path

FORMAT = "symfiber-certificate/1"
MAX_BYTES, MAX_NESTING, MAX_DIGITS, MAX_STEPS, MAX_WORK = 1 << 26, 12, 4300, 20_000, 300_000_000
ZERO, ONE = Fraction(0), Fraction(1)
NUMBER = re.compile(rf"(-?[0-9]{{1,{MAX_DIGITS}}})(?:/([0-9]{{1,{MAX_DIGITS}}}))?", re.ASCII)


class Refusal(Exception):
    """Arguments: why, and the exit code 1 (the claim is not proved) or 2 (unreadable or beyond the limits)."""


def require(condition, message, code=1):
    if not condition:
        raise Refusal(message, code)


def items(value, size=None):
    require(isinstance(value, list) and size in (None, len(value)), "a list is missing or has a wrong length", 2)
    return value


def read(value, *shape):
    """Read a number, or nested lists of numbers of the given sizes (``None``: any)."""
    if shape:
        return [read(x, *shape[1:]) for x in items(value, shape[0])]
    match = NUMBER.fullmatch(value) if isinstance(value, str) else None
    require(match, f"a number must be a text such as -2/7 with at most {MAX_DIGITS} digits", 2)
    denominator = int(match[2] or 1)
    require(denominator, "a number has denominator 0", 2)
    return Fraction(int(match[1]), denominator)


def indices(value, bound, size=None):
    good = all(type(x) is int and 0 <= x < bound for x in items(value, size)) and len(set(value)) == len(value)
    require(good, "an index is out of range or repeated", 2)
    return value


def fields(data, required, optional=""):
    names, more = required.split(), optional.split()
    good = isinstance(data, dict) and set(names) <= set(data) <= {*names, *more}
    require(good, f"an object must have the fields {', '.join(names)} and no unknown ones", 2)
    return [data.get(name) for name in names + more]


def network(data):
    """Read a network as a list of layers, each a list of rows [w|b]."""
    layers, form = fields(data, "layers", "format")
    require(form in (None, "symfiber-network/1") and items(layers), "an unknown network format or no layers", 2)
    result, width = [], None
    for weight, bias in (fields(layer, "weight bias") for layer in layers):
        width = width or (items(weight) and len(items(weight[0])))
        require(width and weight, "a layer is empty", 2)
        result.append([[*w, b] for w, b in zip(read(weight, len(bias), width), read(bias, None))])
        width = len(weight)
    return result


class Work:
    """Vector arithmetic that pays for every operation before it runs, from a limited budget."""

    left = MAX_WORK

    def pay(self, *vectors, units=0):
        self.left -= units
        for vector in vectors:
            for x in vector:
                bits = x.numerator.bit_length() + x.denominator.bit_length()
                self.left -= 1 + (bits >> 6) + (bits * bits >> 20)
            require(self.left >= 0, "the certificate needs more work than the limit allows", 2)

    def times(self, vector, q):
        self.pay(vector, [q] * len(vector))
        return [x * q if x else x for x in vector]

    def add(self, target, source, q):
        """Add q·source to the first entries and the last entry of a target that is at least as long, in place."""
        if q:
            end = len(source) - 1
            self.pay(target[:end], source, target[-1:], [q] * len(source))
            target[:end] = [x + q * y if y else x for x, y in zip(target, source[:-1])]
            target[-1] += q * source[-1]

    def combine(self, factors, vectors, size, constant=ZERO):
        """Return Σ factor·vector, a vector of the given size, with the constant added to its last entry."""
        total = [ZERO] * (size - 1) + [constant]
        for q, vector in zip(factors, vectors):
            self.add(total, vector, q)
        return total

    def require_empty(self, forms, multipliers):
        """Motzkin: forms that are all positive somewhere have no such nonnegative combination ≤ 0."""
        multipliers = read(multipliers, len(forms))
        *coefficients, constant = self.combine(multipliers, forms, len(forms[0]))
        good = any(multipliers) and min(multipliers) >= 0 and not any(coefficients) and constant <= 0
        require(good, "multipliers do not show that a region is empty")


class State:
    """f(x) = Σ c σ(a·x + w·z + b) + A x + M z + v with z = σ(W_F … σ(W_1 x + b_1) … + b_F).

    ``layers`` has the F front layers of rows [w|b], then the top with rows [a|w|b]; ``out`` has the rows [A|M|C|v].
    """

    def __init__(self, net, work):
        *hidden, last = [[list(row) for row in layer] for layer in net]
        self.work, self.d, self.depth = work, len(net[0][0]) - 1, max(len(hidden) - 1, 0)
        self.layers, skip = hidden or [[]], [ZERO] * self.d
        if self.depth:
            self.layers[-1] = [skip + row for row in hidden[-1]]
        self.out = [skip + [ZERO] * self.n + row for row in last] if hidden else last

    @property
    def n(self):
        """The width of the last front layer."""
        return len(self.layers[-2]) if self.depth else 0

    def key(self):
        return [layer for layer in self.layers if layer], self.out

    def apply(self, steps):
        require(len(items(steps)) <= MAX_STEPS, f"more than {MAX_STEPS} steps", 2)
        for name, layer, argument in (items(step, 3) for step in steps):
            known = isinstance(name, str) and name in self.moves and type(layer) is int
            require(known and 1 <= layer <= self.depth + 1, "an unknown kind of step or layer", 2)
            self.moves[name](self, layer, self.layers[layer - 1], items(argument))
        return self

    def after(self, layer):
        """Return all vectors with a weight from each neuron of a layer, and the place of the first one in them."""
        if layer < self.depth:
            return self.layers[layer], 0
        return (self.layers[-1] + self.out, self.d) if layer == self.depth else (self.out, self.d + self.n)

    def plain(self, layer, rows, chosen):
        """Return the chosen rows without the weights of x, which must be zero: what is left looks at z ≥ 0 only."""
        skip = self.d if layer in (1, self.depth + 1) else 0
        chosen = [rows[j] for j in indices(chosen, len(rows))]
        require(not any(any(row[:skip]) for row in chosen), "a neuron must not look at the input")
        return [row[skip:] for row in chosen]

    def permute(self, layer, rows, order, complete=True):
        vectors, first = self.after(layer)
        indices(order, len(rows), len(rows) if complete else None)
        self.work.pay(units=len(rows) * (1 + len(vectors)))
        for vec in vectors:
            vec[first : first + len(rows)] = [vec[first + k] for k in order]
        self.layers[layer - 1] = [rows[k] for k in order]

    def scale(self, layer, rows, factors):
        factors, (vectors, first) = read(factors, len(rows)), self.after(layer)
        require(all(q > 0 for q in factors), "a scaling must be positive")
        self.layers[layer - 1] = [self.work.times(row, q) for q, row in zip(factors, rows)]
        for vec in vectors:
            self.work.pay(vec[first : first + len(rows)], factors)
            vec[first : first + len(rows)] = [x / q if x else x for x, q in zip(vec[first:], factors)]

    def merge(self, layer, rows, triples):
        gone, (vectors, first) = set(), self.after(layer)
        for triple in triples:
            (kept, dropped), q = indices(items(triple, 3)[:2], len(rows)), read(triple[2])
            require(q > 0 and not gone & {kept, dropped}, "a merge needs two neurons and a positive ratio")
            require(self.work.times(rows[kept], q) == rows[dropped], "merged rows must be positively proportional")
            gone.add(dropped)
            for vec in vectors:
                self.work.pay((vec[first + kept], vec[first + dropped], q))
                vec[first + kept] += q * vec[first + dropped]
        self.permute(layer, rows, [k for k in range(len(rows)) if k not in gone], False)

    def remove(self, layer, rows, chosen):
        vectors, first = self.after(layer)
        used = [j for j in indices(chosen, len(rows)) if any(vec[first + j] for vec in vectors)]
        dead = all(x <= 0 for row in self.plain(layer, rows, used) for x in row)
        require(dead, "a removed neuron has an outgoing weight and a positive entry")
        self.permute(layer, rows, sorted({*range(len(rows))} - {*chosen}), False)

    def flip(self, layer, rows, chosen):
        vectors, first = self.after(layer)
        for k in indices(chosen, len(rows)):
            good = layer > self.depth or layer == self.depth == 1 or not any(rows[k][:-1])
            require(good, "only the top, a single front layer and constant neurons can be flipped")
            for vec in vectors:
                self.work.add(vec, rows[k] if layer in (1, self.depth + 1) else rows[k][-1:], vec[first + k])
            rows[k] = [-x for x in rows[k]]

    def expose(self, layer, rows, pairs):
        require(layer == 2 and self.depth == 1, "expose needs a single front layer")
        for j, i in (items(pair, 2) for pair in pairs):
            ((row,), (i,)) = self.plain(2, rows, [j]), indices([i], self.n)
            hides = row[i] > 0 and all(x <= 0 for k, x in enumerate(row) if k != i)
            require(hides, "an exposed row must be positive at one neuron and nowhere else")
            rows[j][self.d + i] = ZERO
            self.work.add(rows[j], self.layers[0][i], row[i])

    def lift(self, layer, rows, chosen):
        require(layer == self.depth == 1, "lift needs a single front layer")
        for k in indices(chosen, self.n):
            self.work.pay(units=100 * len(self.out[0]) * len(self.out) + 100 * (self.d + self.n))
            self.layers[-1].append([*rows[k][:-1], *[ZERO] * self.n, rows[k][-1]])
            for vec in self.out:
                vec[-1:-1], vec[self.d + k] = [vec[self.d + k]], ZERO

    moves = {f.__name__: f for f in (permute, scale, merge, remove, flip, expose, lift)}

    def minus(self, other):
        """Return the state of the difference, fronts side by side; identity layers (z ≥ 0) make the depths equal."""
        depth, d = max(self.depth, other.depth), self.d
        for state in (self, other):
            state.work.pay(units=(depth - state.depth) * (state.n + 1) ** 2)
            while state.depth < depth:
                state.layers.insert(state.depth, [[*unit, ZERO] for unit in units(state.n)])
                state.depth += 1
        p, q, widths = self.n, other.n, [(0, 0), *zip(map(len, self.layers), map(len, other.layers))]
        for i, (above, below) in enumerate(zip(self.layers, other.layers)):
            (left, right), skip = widths[i], d if i == depth else 0
            self.layers[i] = [[*row[:-1], *[ZERO] * right, row[-1]] for row in above]
            self.layers[i] += [[*row[:skip], *[ZERO] * left, *row[skip:]] for row in below]
        for row, out in zip(self.out, ([-x for x in out] for out in other.out)):
            row[:d], row[-1] = [x + y for x, y in zip(row, out[:d])], row[-1] + out[-1]
            row[-1:-1], row[d + p : d + p] = out[d + q : -1], out[d : d + q]
        return self

    def require_zero_by_tree(self, nodes):
        """Check a tree over the front neurons, in preorder: the state is zero on every cell."""
        size, nodes = self.d + 1, iter(items(nodes))
        stack = [(0, [[*unit, ZERO] for unit in units(self.d)], [], [])]
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

    def require_zero_on_cell(self, z, region, proofs):
        """Check that hyperplanes that bend the state miss the cell, and that the affine rest is zero."""
        d, first, bends, add = self.d, self.d + self.n, {}, self.work.add
        rest = [self.work.combine([*row[d:first], ONE], [*z, [*row[:d], row[-1]]], d + 1) for row in self.out]
        for j, row in enumerate(self.layers[-1]):
            form = self.work.combine([*row[d:-1], ONE], [*z, [*row[:d], row[-1]]], d + 1)
            pivot = next((x for x in form[:-1] if x), ZERO)
            key = tuple(self.work.times(form, 1 / pivot)) if pivot else ()
            for o, c in enumerate(vec[first + j] for vec in self.out):
                # c σ(form) = c |pivot| σ(key), plus c · form when the pivot is negative.
                bends.setdefault(key, [ZERO] * len(self.out))[o] += c * abs(pivot)
                add(rest[o], form if pivot else [max(form[-1], ZERO)], c if pivot <= 0 else ZERO)
        bends = [(key, jump) for key, jump in bends.items() if any(jump)]
        for (key, jump), (side, proof) in zip(bends, (items(pair, 2) for pair in items(proofs, len(bends)))):
            require(side in ("active", "inactive"), "an unknown side", 2)
            self.work.require_empty([*region, [-x if side == "active" else x for x in key]], proof)
            for row, c in zip(rest, jump):
                add(row, key, c if side == "active" else ZERO)
        require(not any(map(any, rest)), "the difference is not zero on a cell")


def units(size):
    return [[Fraction(int(i == k)) for i in range(size)] for k in range(size)]


def value(work, net, x):
    for i, layer in enumerate(net):
        x = [[max(y, ZERO)] if i else [y] for y in x]
        x = [work.combine(row[:-1], x, 1, row[-1])[0] for row in layer]
    return x


def two_networks(a, b):
    a, b = network(a), network(b)
    require(len(a[0][0]) == len(b[0][0]) and len(a[-1]) == len(b[-1]), "the networks have different dimensions", 2)
    return a, b


def check_equal(work, data):
    """Moves make both networks the same, or their difference zero; matched rows are multiples of each other."""
    names = "steps_difference tree first second"
    a, b, steps_a, steps_b, steps, tree, first, second = fields(data, "a b steps_a steps_b", names)
    a, b = two_networks(a, b)
    left, right = State(a, work).apply(steps_a), State(b, work).apply(steps_b)
    if steps is None and tree is None:
        require(left.key() == right.key(), "the steps do not lead to the same form")
    elif left.minus(right).apply(steps or []) and tree is not None:
        left.require_zero_by_tree(tree)
    else:
        require(not left.layers[-1] and not any(map(any, left.out)), "the steps do not lead to zero")
    found = []
    for triples, layer in ((first, 0), (second, 1)):
        # Rows of layer 2 are compared as functions of x where all of layer 1 is active.
        p, q = ([work.combine(r[:-1], n[0], len(n[0][0]), r[-1]) for r in n[1]] if layer else n[0] for n in (a, b))
        for triple in items(triples or []):
            (i,), (k,), factor = indices(items(triple, 3)[:1], len(p)), indices(triple[1:2], len(q)), read(triple[2])
            require(factor and work.times(p[i], factor) == q[k], "matched rows are not multiples of each other")
            found.append(f"{'+-'[factor < 0]}{i}")
    return "the networks compute the same function" + f" (rows {' '.join(found)})" * bool(found)


def check_different(work, data):
    """The networks have different values at a point."""
    a, b, point, values = fields(data, "a b point values")
    a, b = two_networks(a, b)
    point = read(point, len(a[0][0]) - 1)
    found = [value(work, net, point) for net in (a, b)]
    require(found == read(values, 2, len(a[-1])), "the values at the point are not those given")
    require(found[0] != found[1], "the values at the point are equal")
    return "the networks have different values at the point"


def check_rank(work, data):
    """matrix = left·right and before·matrix·after = 1 give the rank; rank⁺ is one more unless the columns are pointed."""
    names = "matrix rank value left right before after"
    M, rank, claimed, L, R, P, Q, u, weights = fields(data, names, "half_space relation")
    n, one = len(items(M) and items(M[0])), units(len(items(R)))
    M, L, R, P, Q = (read(x, None, k) for x, k in ((M, n), (L, len(R)), (R, n), (P, len(M)), (Q, len(R))))
    require([work.combine(row, R, n) for row in L] == M and rank == len(R), "the factors do not give the matrix")
    inner = [work.combine(work.combine(row, M, n), Q, len(R)) for row in P] if R else []
    require(len(Q) == n and inner == one, "the matrix has a smaller rank")
    columns = [column for column in zip(*M) if any(column)]
    if weights is None:
        inside = [sum(map(lambda x, y: x * y, read(u, len(M)), column)) > 0 for column in columns]
        require(all(inside), "the columns are not in the half-space")
    else:
        weights = [w for w, column in zip(read(weights, n), zip(*M)) if any(column)]
        total = work.combine(weights, columns, len(M))
        require(any(weights) and min(weights) >= 0 and not any(total), "the relation is not one of nonzero columns")
    require(claimed == rank + (weights is not None), "the value is wrong")
    return f"the nonnegative column rank is {len(R) + (weights is not None)}"


def check_all(work, data):
    (parts,) = fields(data, "parts")
    return "; ".join(check_part(work, part) for part in items(parts))


CLAIMS = {"equal": check_equal, "different": check_different, "nonnegative column rank": check_rank, "all": check_all}


def check_part(work, data):
    require(isinstance(data, dict) and isinstance(data.get("claim"), str), "a claim is missing", 2)
    require(data["claim"] in CLAIMS, "the claim is of an unknown kind", 2)
    return CLAIMS[data["claim"]](work, {key: value for key, value in data.items() if key != "claim"})


def check(data):
    """Return what a certificate, given as JSON data, proves; raise :class:`Refusal` when it proves nothing."""
    require(isinstance(data, dict) and data.get("format") == FORMAT, f'the format must be "{FORMAT}"', 2)
    return check_part(Work(), {key: value for key, value in data.items() if key != "format"})


def unique(pairs):
    require(len(dict(pairs)) == len(pairs), "a field is repeated", 2)
    return dict(pairs)


def refuse_number(text):
    raise Refusal("numbers must be texts, apart from short integers", 2)


def load(path):
    """Read JSON from a file, within the limits."""
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        require(len(raw) <= MAX_BYTES, "the file is too large", 2)
        depth = 0
        for bracket in re.findall(rb"[][{}]", re.sub(rb'"(?:[^"\\]|\\.)*"', b"", raw)):
            depth += 1 if bracket in b"[{" else -1
            require(depth <= MAX_NESTING, "the data is nested too deeply", 2)
        return json.loads(
            raw.decode(), parse_float=refuse_number, parse_constant=refuse_number, object_pairs_hook=unique
        )
    except (OSError, ValueError, RecursionError) as error:
        raise Refusal(f"the file cannot be read as JSON ({type(error).__name__})", 2) from None


def main(arguments):
    try:
        require(len(arguments) == 1, "usage: checker.py CERT", 2)
        print("valid:", check(load(arguments[0])))
        return 0
    except Refusal as refusal:
        print("not valid:", refusal.args[0], file=sys.stderr)
        return refusal.args[1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
