r"""Nested Lie brackets of gradient fields at a point, without expanding them.

For fields X, Y the bracket is [X, Y](θ) = DY(θ)·X(θ) − DX(θ)·Y(θ), two derivatives along a vector.  A derivative along a
vector is the ε-part of a value at θ + εv with ε² = 0, so a bracket nested k deep needs the *gradients* of its
polynomials at points whose coordinates are in 𝔽_p[ε₁, …, ε_{k−1}]/(ε_i²): 2^{k−1} numbers each.

The words [g₁, [g₂, […, g_k]]] of generators span the Lie algebra (Jacobi), so the ranks of their values modulo a prime
bound dim Lie(W)(θ) from below, with proof: independent modulo p is independent over ℚ.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from symfiber.conservation.fields import Fields, Key
from symfiber.conservation.sparse import Monomial, evaluate_modulo, partial_derivatives
from symfiber.exact import Rational
from symfiber.exact.modular import independent_rows, residue, suitable_prime

Word = tuple[Key, ...]
"""g₁ … g_k, for the nested bracket [g₁, [g₂, […, g_k]]]; a single letter is the field itself."""

Jet = list[int]
"""An element of 𝔽_p[ε₁, …, ε_k]/(ε_i²): the coefficients of the products of the ε, indexed by subsets in binary."""

_EXHAUSTIVE = 400
_FRUITLESS_ROUNDS = 2


def multiply_jets(x: Jet, y: Jet, prime: int) -> Jet:
    """Return the product of two jets of the same length.

    Examples
    --------
    >>> multiply_jets([1, 2], [3, 4], 101)  # (1 + 2ε)(3 + 4ε)
    [3, 10]
    """
    size = len(x)
    if size == 1:
        return [x[0] * y[0] % prime]
    if size == 2:
        return [x[0] * y[0] % prime, (x[0] * y[1] + x[1] * y[0]) % prime]
    half = size // 2
    low = multiply_jets(x[:half], y[:half], prime)
    left = multiply_jets(x[:half], y[half:], prime)
    right = multiply_jets(x[half:], y[:half], prime)
    return low + [(a + b) % prime for a, b in zip(left, right)]


def gradient_jet(polynomial: Mapping[Monomial, int], point: Sequence[Jet], prime: int) -> dict[int, Jet]:
    """Return the nonzero components of ∇p at a point with jet coordinates."""
    result: dict[int, Jet] = {}
    size = len(point[0])
    for monomial, coefficient in polynomial.items():
        after: list[Jet | None] = [None] * len(monomial)
        for place in range(len(monomial) - 2, -1, -1):
            factor, rest = point[monomial[place + 1]], after[place + 1]
            after[place] = factor if rest is None else multiply_jets(factor, rest, prime)
        before: Jet | None = None
        for place, variable in enumerate(monomial):
            tail = after[place]
            value = before if tail is None else tail if before is None else multiply_jets(before, tail, prime)
            value = [1, *[0] * (size - 1)] if value is None else value
            total = result.get(variable)
            if total is None:
                result[variable] = [coefficient * v % prime for v in value]
            else:
                result[variable] = [(t + coefficient * v) % prime for t, v in zip(total, value)]
            before = point[variable] if before is None else multiply_jets(before, point[variable], prime)
    return result


def bracket_jet(
    polynomials: Sequence[Mapping[Monomial, int]], point: Sequence[Jet], prime: int
) -> dict[int, Jet]:
    """Return the nonzero components of [∇p₁, [∇p₂, […, ∇p_k]]] at a point with jet coordinates.

    With X = ∇p₁ and Y the rest, Y is evaluated at θ + εX: its ε-part is DY·X and the other part is Y itself.  Then X is
    evaluated at θ + εY.  Cost: about 3ᵏ gradients.
    """
    first = gradient_jet(polynomials[0], point, prime)
    if len(polynomials) == 1:
        return first
    size = len(point[0])
    zero = [0] * size
    moved = [x + first.get(i, zero) for i, x in enumerate(point)]
    rest = bracket_jet(polynomials[1:], moved, prime)
    moved = [x + (rest[i][:size] if i in rest else zero) for i, x in enumerate(point)]
    back = gradient_jet(polynomials[0], moved, prime)
    result = {i: jet[size:] for i, jet in rest.items()}
    for i, jet in back.items():
        result[i] = [(a - b) % prime for a, b in zip(result.get(i, zero), jet[size:])]
    return result


@dataclass(eq=False)
class BracketSpan:
    """A growing set of words whose brackets are independent at a point of 𝔽_pᴺ.

    Attributes
    ----------
    fields : PolynomialFields or PathFields
    point : tuple of int
        Residues modulo ``prime``.
    prime : int
    words : list of Word
    rows : list of list of int
        The values of the brackets.
    """

    fields: Fields
    point: tuple[int, ...]
    prime: int
    words: list[Word] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)

    @classmethod
    def at(cls, fields: Fields, point: Sequence[Rational]) -> BracketSpan:
        """Start with no word at a rational point, modulo a prime that divides no denominator."""
        prime = suitable_prime(point)
        return cls(fields, tuple(residue(x, prime) for x in point), prime)

    @classmethod
    def at_random(cls, fields: Fields, prime: int, seed: int) -> BracketSpan:
        """Start with no word at a random point of 𝔽_pᴺ: ranks there bound the *generic* ranks from below."""
        draw = random.Random(seed)
        return cls(fields, tuple(draw.randrange(1, prime) for _ in fields.names), prime)

    @property
    def dimension(self) -> int:
        """The number of independent brackets found."""
        return len(self.words)

    def value(self, word: Word) -> list[int]:
        """Return the bracket of a word at the point."""
        row = [0] * len(self.point)
        if len(word) == 1:
            for i, part in partial_derivatives(self.fields.polynomial(word[0])).items():
                row[i] = evaluate_modulo(part, self.point, self.prime)
            return row
        polynomials = [self.fields.polynomial(key) for key in word]
        for i, jet in bracket_jet(polynomials, [[x] for x in self.point], self.prime).items():
            row[i] = jet[0]
        return row

    def extend(self, words: Sequence[Word]) -> int:
        """Add those words that are independent of the earlier ones; return how many."""
        rows = [*self.rows, *(self.value(word) for word in words)]
        candidates = [*self.words, *words]
        chosen = independent_rows(rows, len(self.point), self.prime)
        gained = len(chosen) - len(self.words)
        if gained:
            self.words = [candidates[i] for i in chosen]
            self.rows = [rows[i] for i in chosen]
        return gained

    def extend_by_fields(self, target: int) -> None:
        """Add the generators themselves, spanning ones first, until the dimension is ``target`` or all were seen."""
        for seed in range(3):
            self.extend([(key,) for key in self.fields.spanning_keys(seed)])
            if self.dimension >= target or isinstance(self.fields.spanning_keys(seed), range):
                return
        chunk: list[Word] = []
        for key in self.fields.keys():
            chunk.append((key,))
            if len(chunk) == 2 * len(self.point):
                self.extend(chunk)
                chunk = []
                if self.dimension >= target:
                    return
        self.extend(chunk)

    def extend_by_brackets(self, target: int, deepest: int, seed: int = 0) -> int:
        """Add brackets of depth 2 … ``deepest`` until the dimension is ``target``; return the depth reached.

        All words of a depth are tried when they are few, otherwise random ones until two rounds in a row add nothing.
        A round without growth proves nothing and is not taken as a proof.
        """
        letters = list(self.fields.keys())
        for depth in range(2, deepest + 1):
            fruitless = 0
            for words in _rounds(letters, depth, target - self.dimension, seed + depth):
                if self.dimension >= target:
                    return depth
                fruitless = 0 if self.extend(words) else fruitless + 1
                if fruitless == _FRUITLESS_ROUNDS:
                    break
            if self.dimension >= target:
                return depth
        return deepest


def _rounds(letters: Sequence[Key], depth: int, missing: int, seed: int) -> Iterator[list[Word]]:
    """Yield batches of words: all of them once when they are few, random ones without end otherwise."""
    if len(letters) < 2:
        return
    if len(letters) ** depth <= _EXHAUSTIVE:
        yield [word for word in product(letters, repeat=depth) if word[-2] != word[-1]]
        return
    draw = random.Random(seed)
    while True:
        batch = []
        for _ in range(missing + 8):
            ends = draw.sample(letters, 2)
            batch.append((*(draw.choice(letters) for _ in range(depth - 2)), *ends))
        yield batch
