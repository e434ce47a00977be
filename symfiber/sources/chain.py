"""A chain of affine maps and ReLUs, folded exactly into the layers of a network."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from symfiber.errors import InputError
from symfiber.exact import ZERO, Rational, dot
from symfiber.network import Network

Affine = tuple[list[list[Rational]], list[Rational]]
Diagonal = tuple[list[Rational], list[Rational]]


class Chain:
    """Collects the steps of a model; affine steps that follow each other become one layer.

    Parameters
    ----------
    step : str
        What a step is called in messages: "module", "node" or "layer".

    Examples
    --------
    >>> chain = Chain("module")
    >>> chain.diagonal([Rational(2)], [Rational(1)], "scaler")          # 2x + 1
    >>> chain.affine([[Rational(3)], [Rational(5)]], [ZERO, ZERO], "first")
    >>> chain.relu("relu")
    >>> chain.affine([[Rational(1), Rational(-1)]], [ZERO], "last")
    >>> chain.network().parameters
    (6, 10, 3, 5, 1, -1, 0)
    """

    def __init__(self, step: str) -> None:
        self.step = step
        self.layers: list[Affine] = []
        self.before: Diagonal | None = None
        self.last_relu = ""

    @property
    def width(self) -> int | None:
        """How many numbers leave the chain so far, ``None`` when nothing has fixed it."""
        if self.before is not None:
            return len(self.before[0])
        return len(self.layers[-1][1]) if self.layers else None

    def affine(self, weight: list[list[Rational]], bias: list[Rational], name: str) -> None:
        """Add x ↦ weight·x + bias."""
        inputs = len(weight[0]) if weight else 0
        if len(bias) != len(weight) or any(len(row) != inputs for row in weight):
            raise InputError(f"{self.step} {name} must have a rectangular weight and a bias of its height")
        self._check_width(inputs, name)
        if self.before is not None:
            scale, shift = self.before
            bias = [b + dot(row, shift) for row, b in zip(weight, bias)]
            weight = [[x * s for x, s in zip(row, scale)] for row in weight]
            self.before = None
        if self.layers and not self.last_relu:
            first, offset = self.layers.pop()
            columns = list(zip(*first))
            bias = [dot(row, offset) + b for row, b in zip(weight, bias)]
            weight = [[dot(row, column) for column in columns] for row in weight]
        self.layers.append((weight, bias))
        self.last_relu = ""

    def diagonal(self, scale: Sequence[Rational], shift: Sequence[Rational], name: str) -> None:
        """Add x ↦ scale·x + shift, entry by entry."""
        self._check_width(len(scale), name)
        if self.layers and not self.last_relu:
            weight, bias = self.layers[-1]
            self.layers[-1] = (
                [[x * s for x in row] for row, s in zip(weight, scale)],
                [b * s + t for b, s, t in zip(bias, scale, shift)],
            )
        elif self.before is not None:
            old, offset = self.before
            combined = [b * s + t for b, s, t in zip(offset, scale, shift)]
            self.before = [x * s for x, s in zip(old, scale)], combined
        else:
            self.before = list(scale), list(shift)

    def relu(self, name: str) -> None:
        """Add σ."""
        if self.before is not None and self.layers:
            self._settle()
        if not self.layers:
            raise InputError(f"{self.step} {name} must come after an affine {self.step}, it is a ReLU on the input")
        self.last_relu = name

    def network(self) -> Network:
        """Return the network of all steps.

        Raises
        ------
        InputError
            When there is no affine step, or the last one is a ReLU.
        """
        if self.before is not None and self.layers:
            self._settle()
        if not self.layers:
            raise InputError(f"model must have at least one affine {self.step}, got none")
        if self.last_relu:
            raise InputError(
                f"model must end with an affine {self.step}, it ends with a ReLU ({self.step} {self.last_relu})"
            )
        return Network(self.layers)

    def _settle(self) -> None:
        """Make a diagonal step that follows a ReLU a layer of its own."""
        assert self.before is not None
        scale, shift = self.before
        self.before = None
        size = len(scale)
        weight = [[scale[i] if i == k else ZERO for k in range(size)] for i in range(size)]
        self.affine(weight, shift, "diagonal")

    def _check_width(self, inputs: int, name: str) -> None:
        if self.width is not None and inputs != self.width:
            raise InputError(f"{self.step} {name} must take {self.width} inputs, it takes {inputs}")


def batch_norm(
    chain: Chain,
    name: str,
    scale: Sequence[Rational],
    shift: Sequence[Rational],
    mean: Sequence[Rational],
    variance: Sequence[Rational],
    epsilon: Rational,
    square_root_bits: int | None,
) -> None:
    """Add batch normalisation in inference mode, x ↦ scale·(x − mean)/√(variance + ε) + shift.

    The square root is irrational for most numbers, and then no network over ℚ is the same function.  It is folded when
    all square roots are rational, or with ``square_root_bits`` = k, where 1/√v is replaced by a rational number with
    relative error at most 2^−k, on request only.

    Raises
    ------
    InputError
        When a square root is irrational and no rounding was asked for, or variance + ε is not positive.
    """
    factors = []
    for value in variance:
        inner = value + epsilon
        if inner <= 0:
            raise InputError(f"{chain.step} {name} must have positive variance + epsilon, got {inner}")
        root = inverse_square_root(inner, square_root_bits)
        if root is None:
            raise InputError(
                f"{chain.step} {name} must have rational square roots of variance + epsilon to be folded exactly, "
                f"√({inner}) is irrational; square_root_bits= rounds 1/√ to a rational number on request"
            )
        factors.append(root)
    scales = [g * r for g, r in zip(scale, factors)]
    chain.diagonal(scales, [b - m * s for b, m, s in zip(shift, mean, scales)], name)


def inverse_square_root(value: Rational, bits: int | None) -> Rational | None:
    """Return 1/√value when it is rational, a rational r with |r√value − 1| ≤ 2^−bits when bits are given, or ``None``.

    Examples
    --------
    >>> inverse_square_root(Rational(4, 9), None), inverse_square_root(Rational(2), None)
    (3/2, None)
    >>> r = inverse_square_root(Rational(2), 10)
    >>> abs(r * r * 2 - 1) < Rational(1, 2**9)
    True
    """
    p, q = int(value.p), int(value.q)
    top, bottom = isqrt(q), isqrt(p)
    if top * top == q and bottom * bottom == p:
        return Rational(top, bottom)
    if bits is None:
        return None
    if type(bits) is not int or bits < 1:
        raise InputError(f"square_root_bits must be a positive int or None, got {bits!r}")
    # 1/√(p/q) = √(pq)/p; the integer square root of pq·4^k is off by less than 1, and at least 2^bits.
    k = max(0, bits + 1 - (p * q).bit_length() // 2)
    return Rational(isqrt(p * q << 2 * k), p << k)


__all__ = ["Chain", "batch_norm", "inverse_square_root"]
