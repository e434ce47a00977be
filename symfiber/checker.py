"""Check a symfiber certificate by arithmetic alone: ``python checker.py CERT``.

This file needs nothing but the standard library and trusts nothing but the networks and matrices inside the certificate.
Exit codes: 0 the claim is proved, 1 it is not, 2 the file is not a certificate that this program reads.  Why each check
suffices is written in docs/certificates.md, one lemma for each kind of step.

Limits, so that no file can make it crash or run forever: 64 MiB, nesting depth 16, 20,000 digits a number, 10,000 steps,
4,000,000 numbers in a state, and 200,000,000 units of work, where one operation on numbers of n bits counts
1 + n/64 + n²/2²⁰ units.  More is refused (exit code 2), never half believed.
"""

import json
import re
import sys
from fractions import Fraction

FORMAT = "symfiber-certificate/1"
MAX_BYTES, MAX_NESTING, MAX_DIGITS, MAX_STEPS, MAX_ENTRIES, MAX_WORK = 1 << 26, 16, 20_000, 10_000, 4_000_000, 200_000_000
ZERO, ONE = Fraction(0), Fraction(1)
NUMBER = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?", re.ASCII)


class Invalid(Exception):
    """The certificate does not prove its claim."""


class Unreadable(Exception):
    """The data is not a certificate within the limits."""


def require(condition, message):
    if not condition:
        raise Invalid(message)


def readable(condition, message):
    if not condition:
        raise Unreadable(message)


class Work:
    """The work that is left; every vector operation pays before it runs."""

    def __init__(self):
        self.left = MAX_WORK

    def pay(self, *vectors):
        for vector in vectors:
            for x in vector:
                bits = x.numerator.bit_length() + x.denominator.bit_length()
                self.left -= 1 + (bits >> 6) + (bits * bits >> 20)
            readable(self.left >= 0, "the certificate needs more work than the limit allows")

    def times(self, vector, q):
        self.pay(vector, [q] * len(vector))
        return [x * q if x else x for x in vector]

    def plus(self, u, v, q=ONE):
        """Return u + q·v."""
        self.pay(u, v, [q] * len(v))
        return [x + q * y if y else x for x, y in zip(u, v)] if q else list(u)

    def dot(self, u, v):
        total = ZERO
        for x, y in zip(u, v):
            if x and y:
                self.pay((x, y, total))
                total += x * y
        return total

    def compose(self, row, forms, size):
        """Return Σ row_k · form_k with the last entry of the row added to the constant."""
        total = [ZERO] * size
        for w, form in zip(row[:-1], forms):
            if w:
                total = self.plus(total, form, w)
        total[-1] += row[-1]
        return total


def whole(digits):
    """Convert digits in pieces, as Python refuses to convert more than 4300 at once."""
    result = 0
    for start in range(0, len(digits), 4000):
        piece = digits[start : start + 4000]
        result = result * 10 ** len(piece) + int(piece)
    return result


def number(value):
    if type(value) is int:
        return Fraction(value)
    readable(isinstance(value, str) and len(value) <= 2 * MAX_DIGITS + 2, "a number must be a text such as -2/7")
    match = NUMBER.fullmatch(value)
    readable(match is not None, "a number must be a text such as -2/7")
    top, bottom = match.groups()
    readable(max(len(top), len(bottom or "")) <= MAX_DIGITS, f"a number has more than {MAX_DIGITS} digits")
    denominator = whole(bottom) if bottom else 1
    readable(denominator != 0, "a number has denominator 0")
    return Fraction(-whole(top[1:]) if top[0] == "-" else whole(top), denominator)


def items(value, size=None):
    readable(isinstance(value, list), "a list is missing")
    readable(size is None or len(value) == size, "a list has the wrong length")
    return value


def vector(value, size=None):
    return [number(x) for x in items(value, size)]


def matrix(value, rows=None, columns=None):
    result = [vector(row, columns) for row in items(value, rows)]
    readable(len({len(row) for row in result}) <= 1, "a matrix has rows of different lengths")
    return result


def index(value, size):
    readable(type(value) is int and 0 <= value < size, "an index is out of range")
    return value


def indices(value, size):
    chosen = [index(x, size) for x in items(value)]
    readable(len(set(chosen)) == len(chosen), "an index is repeated")
    return chosen


def fields(data, required, optional=()):
    readable(isinstance(data, dict), "an object is missing")
    keys = set(data)
    readable(set(required) <= keys <= {*required, *optional}, f"an object must have the fields {', '.join(required)}")
    return [data[key] for key in required] + [data.get(key) for key in optional]


def network(data):
    """Return the layers (weight, bias), with checked shapes."""
    layers, form = fields(data, ("layers",), ("format",))
    readable(form in (None, "symfiber-network/1"), "a network has an unknown format")
    result, width = [], None
    for layer in items(layers):
        weight, bias = fields(layer, ("weight", "bias"))
        rows = matrix(weight, None, width)
        readable(bool(rows) and bool(rows[0]), "a layer is empty")
        result.append((rows, vector(bias, len(rows))))
        width = len(rows)
    readable(bool(result), "a network has no layers")
    return result


class State:
    """f(x) = Σ c σ(a·x + w·z + b) + A x + M z + v, z = σ(W_F … σ(W_1 x + b_1) … + b_F); top neurons are [a, [w|b], c]."""

    def __init__(self, layers, work):
        self.work, self.d, self.m = work, len(layers[0][0][0]), len(layers[-1][1])
        *hidden, (weight, bias) = layers
        self.A, self.v = [[ZERO] * self.d for _ in bias], list(bias)
        self.front = [[[*w, b] for w, b in zip(*layer)] for layer in hidden[:-1]]
        self.M = [[ZERO] * self.n for _ in bias]
        self.top = []
        if not hidden:
            self.A = weight
        for j, (w, b) in enumerate(zip(*hidden[-1]) if hidden else ()):
            a, row = ([ZERO] * self.d, [*w, b]) if self.front else (w, [b])
            self.top.append([a, row, [out[j] for out in weight]])

    @property
    def n(self):
        return len(self.front[-1]) if self.front else 0

    def key(self):
        return (self.front if any(self.front) else [], self.top, self.A, self.M, self.v)

    def is_zero(self):
        return not (self.top or any(self.v) or any(map(any, self.A + self.M)))

    def apply(self, steps):
        readable(len(items(steps)) <= MAX_STEPS, f"more than {MAX_STEPS} steps")
        for step in steps:
            name, *arguments = items(step) or [None]
            readable(isinstance(name, str) and name in self.moves, "an unknown kind of step")
            layered = name in ("permute", "scale", "merge", "drop", "dead", "constant", "flip")
            readable(len(arguments) == (2 if layered else 1), "a step has the wrong number of arguments")
            if layered:
                readable(type(arguments[0]) is int and 1 <= arguments[0] <= len(self.front) + 1, "an unknown layer")
            self.moves[name](self, *arguments)

    def size(self, layer):
        return len(self.top) if layer > len(self.front) else len(self.front[layer - 1])

    def after(self, layer):
        """All vectors whose entry k is a weight from neuron k of a front layer: rows of the next layer, rows of M."""
        rows = self.front[layer] if layer < len(self.front) else [n[1] for n in self.top]
        return rows + (self.M if layer == len(self.front) else [])

    def select(self, layer, order):
        self.work.left -= len(order) + (len(self.after(layer)) * self.size(layer) if layer <= len(self.front) else 0)
        readable(self.work.left >= 0, "the certificate needs more work than the limit allows")
        if layer > len(self.front):
            self.top = [self.top[j] for j in order]
            return
        size = self.size(layer)
        self.front[layer - 1] = [self.front[layer - 1][k] for k in order]
        for row in self.after(layer):
            row[:size] = [row[k] for k in order]

    def remove(self, layer, chosen):
        gone = set(chosen)
        self.select(layer, [k for k in range(self.size(layer)) if k not in gone])

    def row(self, layer, j):
        """[w|b] of a neuron that looks at z of the layer before only (at x for layer 1)."""
        if layer <= len(self.front):
            return self.front[layer - 1][j]
        require(not any(self.top[j][0]), "the neuron must not look at the input")
        return self.top[j][1]

    def add_affine(self, chosen):
        """Add c (a·x + w·z + b) to A, M and v."""
        for j in chosen:
            a, row, c = self.top[j]
            for o, q in enumerate(c):
                self.A[o] = self.work.plus(self.A[o], a, q) if any(a) else self.A[o]
                self.M[o] = self.work.plus(self.M[o], row[:-1], q)
                self.v[o] = self.work.plus([self.v[o]], [row[-1]], q)[0]

    def permute(self, layer, order):
        require(len(indices(order, self.size(layer))) == self.size(layer), "not a permutation")
        self.select(layer, order)

    def scale(self, layer, factors):
        factors, work = vector(factors, self.size(layer)), self.work
        require(all(q > 0 for q in factors), "a scaling must be positive")
        if layer > len(self.front):
            self.top = [[work.times(a, q), work.times(row, q), work.times(c, 1 / q)] for q, (a, row, c) in zip(factors, self.top)]
            return
        self.front[layer - 1] = [work.times(row, q) for q, row in zip(factors, self.front[layer - 1])]
        for row in self.after(layer):
            work.pay(row, factors)
            row[: len(factors)] = [x / q if x else x for x, q in zip(row, factors)]

    def merge(self, layer, triples):
        gone, top = [], layer > len(self.front)
        for triple in items(triples):
            kept, dropped = (index(k, self.size(layer)) for k in items(triple, 3)[:2])
            q = number(triple[2])
            require(q > 0 and kept != dropped and kept not in gone and dropped not in gone, "not a merge")
            gone.append(dropped)
            self.work.left -= len(gone)
            pair = [sum(self.top[k][:2], []) if top else self.front[layer - 1][k] for k in (kept, dropped)]
            require(self.work.times(pair[0], q) == pair[1], "merged rows must be positively proportional")
            if top:
                self.top[kept][2] = self.work.plus(self.top[kept][2], self.top[dropped][2], q)
            else:
                for row in self.after(layer):
                    row[kept] = self.work.plus([row[kept]], [row[dropped]], q)[0]
        self.remove(layer, gone)

    def drop(self, layer, chosen):
        chosen = indices(chosen, self.size(layer))
        if layer > len(self.front):
            unused = not any(any(self.top[j][2]) for j in chosen)
        else:
            unused = not any(row[k] for row in self.after(layer) for k in chosen)
        require(unused, "a dropped neuron has an outgoing weight")
        self.remove(layer, chosen)

    def dead(self, layer, chosen):
        chosen = indices(chosen, self.size(layer))
        require(layer > 1 and all(x <= 0 for j in chosen for x in self.row(layer, j)), "a dead neuron has a positive entry")
        self.remove(layer, chosen)

    def constant(self, layer, chosen):
        chosen = indices(chosen, self.size(layer))
        for j in chosen:
            row = self.row(layer, j)
            require(not any(row[:-1]), "a constant neuron has a weight")
            value = max(row[-1], ZERO)
            if layer > len(self.front):
                self.v = self.work.plus(self.v, self.top[j][2], value)
                continue
            for o, other in enumerate(self.after(layer)):
                if o < len(self.after(layer)) - self.m or layer < len(self.front):
                    other[-1] = self.work.plus([other[-1]], [other[j]], value)[0]
            if layer == len(self.front):
                self.v = self.work.plus(self.v, [row[j] for row in self.M], value)
        self.remove(layer, chosen)

    def absorb(self, chosen):
        chosen = indices(chosen, len(self.top))
        last = len(self.front) + 1
        require(all(x >= 0 for j in chosen for x in self.row(last, j)), "a linear neuron has a negative entry")
        self.add_affine(chosen)
        self.remove(last, chosen)

    def flip(self, layer, chosen):
        chosen = indices(chosen, self.size(layer))
        if layer > len(self.front):
            self.add_affine(chosen)
            for j in chosen:
                a, row, c = self.top[j]
                self.top[j] = [[-x for x in a], [-x for x in row], c]
            return
        require(len(self.front) == 1, "only the top and a single front layer can be flipped")
        plus = self.work.plus
        for k in chosen:
            *w, b = self.front[0][k]
            for neuron in self.top:
                q = neuron[1][k]
                neuron[0], neuron[1][-1:] = plus(neuron[0], w, q), plus(neuron[1][-1:], [b], q)
            self.A = [plus(a, w, row[k]) for a, row in zip(self.A, self.M)]
            self.v = plus(self.v, [row[k] for row in self.M], b)
            self.front[0][k] = [-x for x in (*w, b)]

    def expose(self, pairs):
        require(len(self.front) == 1, "expose needs one front layer")
        for pair in items(pairs):
            j, i = (index(k, size) for k, size in zip(items(pair, 2), (len(self.top), self.n)))
            row = self.row(2, j)
            require(row[i] > 0 and all(x <= 0 for k, x in enumerate(row) if k != i), "the row does not hide")
            *w, b = self.work.times(self.front[0][i], row[i])
            self.top[j] = [w, [ZERO if k == i else x for k, x in enumerate(row)], self.top[j][2]]
            self.top[j][1][-1] += b

    def lift(self, chosen):
        require(len(self.front) == 1, "lift needs one front layer")
        for k in indices(chosen, self.n):
            *w, b = self.front[0][k]
            self.work.left -= 50 * (self.d + self.n + self.m)
            readable(len(self.top) * (self.d + self.n + self.m) <= MAX_ENTRIES, "a state becomes too large")
            self.top.append([w, [ZERO] * self.n + [b], [row[k] for row in self.M]])
            for row in self.M:
                row[k] = ZERO

    moves = {f.__name__: f for f in (permute, scale, merge, drop, dead, constant, absorb, flip, expose, lift)}
