"""Sets given by products of linear forms, by brute force over cells: no polynomial algebra at all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from symfiber.exact import Matrix, Rational, solve_inequalities

Form = tuple[int, ...]  # (a_1, ..., a_n, b) stands for a·x + b
Product = tuple[int, tuple[tuple[int, int], ...]]  # constant, ((index of a form, power), ...)


def real_dimension(
    forms: Sequence[Form], equations: Sequence[Product], positive: Sequence[Product], nonnegative: Sequence[Product]
) -> int:
    """Return the largest dimension of a cell of the arrangement that lies in the set, -1 when none does."""
    size = len(forms[0]) - 1
    best = -1
    for signs in product((-1, 0, 1), repeat=len(forms)):

        def sign(condition: Product, signs: Sequence[int] = signs) -> int:
            value = (condition[0] > 0) - (condition[0] < 0)
            for index, power in condition[1]:
                value *= signs[index] ** power
            return value

        if any(map(sign, equations)) or any(sign(p) <= 0 for p in positive) or any(sign(q) < 0 for q in nonnegative):
            continue
        zero = [f for f, s in zip(forms, signs) if s == 0]
        strict = [[x * s for x in f] for f, s in zip(forms, signs) if s]
        if solve_inequalities([], equations=zero, strict=strict, dimension=size):
            best = max(best, size - Matrix([f[:-1] for f in zero], size).rank())
    return best


def krull_dimension(forms: Sequence[Form], equations: Sequence[Product], nonzero: Sequence[Product]) -> int:
    """Return the largest dimension of an affine subspace, one vanishing factor an equation, outside the nonzero ones."""
    size = len(forms[0]) - 1
    best = -1
    if any(not constant for constant, _ in nonzero):
        return -1
    choices = [[None] if not c else [index for index, _ in factors] for c, factors in equations]
    for chosen in product(*choices):
        zero = [forms[index] for index in chosen if index is not None]
        gradients, full = Matrix([f[:-1] for f in zero], size), Matrix(zero, size + 1)
        if gradients.rank() != full.rank():
            continue

        def vanishes(form: Form, zero: Sequence[Form] = zero, rank: int = full.rank()) -> bool:
            return Matrix([*zero, form], size + 1).rank() == rank

        if not any(vanishes(forms[index]) for _, factors in nonzero for index, _ in factors):
            best = max(best, size - gradients.rank())
    return best


def value(forms: Sequence[Form], condition: Product, point: Sequence[Rational]) -> Rational:
    """Return the value of a product at a point."""
    result = Rational(condition[0])
    for index, power in condition[1]:
        *slopes, constant = forms[index]
        result *= (sum((a * x for a, x in zip(slopes, point)), Rational(0)) + constant) ** power
    return result
