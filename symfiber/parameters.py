"""The layout of the parameter vector: W₁ row by row, b₁, W₂ row by row, b₂, … and the names of its coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from symfiber.errors import InputError
from symfiber.exact import shorten


class Layer(NamedTuple):
    """One affine layer z ↦ weight·z + bias; ``weight`` is a tuple of rows."""

    weight: tuple[tuple[Any, ...], ...]
    bias: tuple[Any, ...]


def check_architecture(architecture: Iterable[Any]) -> tuple[int, ...]:
    """Return the architecture as a tuple of positive ints with at least an input and an output, or raise."""
    if not isinstance(architecture, Iterable):
        raise InputError(f"architecture must be a sequence (d, n1, ..., m), got {shorten(architecture)}")
    shape = tuple(architecture)
    if len(shape) < 2 or not all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in shape):
        raise InputError(f"architecture must be at least two positive ints (d, n1, ..., m), got {shorten(shape)}")
    return shape


def count_parameters(architecture: Sequence[int]) -> int:
    """Return N = Σ (n_{l−1} + 1)·n_l."""
    return sum((before + 1) * after for before, after in pairwise(architecture))


def parameter_names(architecture: Sequence[int]) -> tuple[str, ...]:
    """Return ``W1_0_0, …, b1_0, …`` for every layer, in the order of the flat parameter vector."""
    names: list[str] = []
    for number, (before, after) in enumerate(pairwise(architecture), start=1):
        names += [f"W{number}_{i}_{j}" for i in range(after) for j in range(before)]
        names += [f"b{number}_{i}" for i in range(after)]
    return tuple(names)


def flatten(layers: Iterable[Any]) -> Iterator[Any]:
    """Yield the entries of (weight, bias) pairs in the order of the flat parameter vector."""
    for weight, bias in layers:
        for row in weight:
            yield from row
        yield from bias


def split(values: Sequence[Any], architecture: Sequence[int]) -> list[Layer]:
    """Return the layers of a flat parameter vector; the inverse of :func:`flatten`."""
    layers, position = [], 0
    for before, after in pairwise(architecture):
        rows = tuple(tuple(values[position + i * before : position + (i + 1) * before]) for i in range(after))
        position += before * after
        layers.append(Layer(rows, tuple(values[position : position + after])))
        position += after
    return layers
