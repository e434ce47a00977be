r"""Nested Lie brackets of gradient fields at a point, without expanding them.

For fields X, Y the bracket is [X, Y](θ) = DY(θ)·X(θ) − DX(θ)·Y(θ), two derivatives along a vector.  Such a derivative
is the ε-part of a value at θ + εv with ε² = 0, so a bracket nested k deep needs the *gradients* of its polynomials at
points whose coordinates are in 𝔽_p[ε₁, …, ε_{k−1}]/(ε_i²): 2^{k−1} numbers each.

The words [X₁, [X₂, […, X_k]]] in elements X_i of W span the Lie algebra (Jacobi), so the ranks of their values modulo
a prime bound dim Lie(W)(θ) from below, with proof: independent modulo p is independent over ℚ.  The X_i are random
integer combinations of generators: when some bracket of generators leads out of the span found so far, so does almost
every bracket of combinations.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symfiber.conservation.fields import Fields, Key
from symfiber.conservation.sparse import (
    Monomial,
    SparsePolynomial,
    add_term,
    evaluate_modulo,
    partial_derivatives,
)
from symfiber.exact import Rational
from symfiber.exact.modular import independent_rows, residue, suitable_prime

Letter = tuple[tuple[int, Key], ...]
"""(c, g), …: the field Σ c·∇g, an element of W."""

Word = tuple[Letter, ...]
"""X₁ … X_k, for the nested bracket [X₁, [X₂, […, X_k]]]; a word of one letter is that field itself."""

Jet = list[int]
"""An element of 𝔽_p[ε₁, …, ε_k]/(ε_i²): the coefficients of the products of the ε, indexed by subsets in binary."""

_FRUITLESS_ROUNDS = 2
_TERMS = 2000
_SPARE_WORDS = 4


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


def bracket_jet(polynomials: Sequence[Mapping[Monomial, int]], point: Sequence[Jet], prime: int) -> dict[int, Jet]:
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
        polynomials = [self.combination(letter) for letter in word]
        if len(word) == 1:
            for i, part in partial_derivatives(polynomials[0]).items():
                row[i] = evaluate_modulo(part, self.point, self.prime)
            return row
        for i, jet in bracket_jet(polynomials, [[x] for x in self.point], self.prime).items():
            row[i] = jet[0]
        return row

    def combination(self, letter: Letter) -> SparsePolynomial:
        """Return Σ c·g, whose gradient the letter stands for."""
        total: SparsePolynomial = {}
        for coefficient, key in letter:
            for monomial, value in self.fields.polynomial(key).items():
                add_term(total, monomial, coefficient * value)
        return total

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
            self.extend([(((1, key),),) for key in self.fields.spanning_keys(seed)])
            if self.dimension >= target or isinstance(self.fields.spanning_keys(seed), range):
                return
        chunk: list[Word] = []
        for key in self.fields.generator_keys():
            chunk.append((((1, key),),))
            if len(chunk) == 2 * len(self.point):
                self.extend(chunk)
                chunk = []
                if self.dimension >= target:
                    return
        self.extend(chunk)

    def extend_by_brackets(self, target: int, shallowest: int, deepest: int, seed: int = 0) -> None:
        """Add random brackets of growing depth until the dimension is ``target``.

        The depth grows when two rounds in a row add nothing.  That is no proof, and it is not taken as one.
        """
        keys: list[Key] = list(self.fields.generator_keys())
        if len(keys) < 2:
            return
        for depth in range(shallowest, deepest + 1):
            draw, fruitless = random.Random(1000 * seed + depth), 0
            while self.dimension < target and fruitless < _FRUITLESS_ROUNDS:
                count = target - self.dimension + _SPARE_WORDS
                words = [tuple(self._random_letter(keys, draw) for _ in range(depth)) for _ in range(count)]
                fruitless = 0 if self.extend(words) else fruitless + 1

    def _random_letter(self, keys: Sequence[Key], draw: random.Random) -> Letter:
        """A combination of random generators with together at most 2000 terms, at least of one."""
        letter: list[tuple[int, Key]] = []
        terms = 0
        for key in draw.sample(keys, min(len(keys), _TERMS)):
            terms += len(self.fields.polynomial(key))
            if letter and terms > _TERMS:
                break
            letter.append((draw.randint(1, 99), key))
        return tuple(letter)
