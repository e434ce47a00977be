"""Which weight goes with which bias, and in which order, told by the names of the arrays in a file.

The order inside a file means nothing: the writers of ``.safetensors`` sort by number type and then by text, which puts
``10.weight`` before ``2.weight``.  So the order comes from the numbers in the names, or else from the shapes when they
leave only one; otherwise the file is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from symfiber.errors import InputError
from symfiber.exact import shorten

_CONSECUTIVE = re.compile(r"(?P<kind>W|b|weight|bias)_?(?P<layer>[0-9]{1,9})", re.ASCII)
_DOTTED = re.compile(r"(?:(?P<layer>.+)\.)?(?P<kind>weight|bias)", re.DOTALL)
_UNNAMED = re.compile(r"arr_(?P<number>[0-9]{1,9})", re.ASCII)

Pair = tuple[str, str | None]


def layer_names(shapes: Mapping[str, Sequence[int]]) -> list[Pair]:
    """Return the names of (weight, bias) of every layer in order; the bias is ``None`` when the layer has none.

    Parameters
    ----------
    shapes : mapping from the name of an array to its shape
        Names ``W1, b1, …`` or ``weight_1, bias_1, …`` (numbered without gaps), ``0.weight, 0.bias, …`` (any prefixes;
        the bias may be missing, as in PyTorch's ``Linear(bias=False)``), or ``arr_0, arr_1, …`` that alternate.

    Raises
    ------
    InputError
        When an array is left over or missing, or the order is not determined.

    Examples
    --------
    >>> layer_names({"10.weight": (1, 2), "2.bias": (2,), "2.weight": (2, 3)})
    [('2.weight', '2.bias'), ('10.weight', None)]
    """
    if shapes and all(_UNNAMED.fullmatch(name) for name in shapes):
        return _alternating(shapes)
    for pattern, consecutive in ((_CONSECUTIVE, True), (_DOTTED, False)):
        matches = {name: pattern.fullmatch(name) for name in shapes}
        if shapes and all(matches.values()):
            layers: dict[str, dict[str, str]] = {}
            for name, match in matches.items():
                assert match is not None
                kind = "weight" if match["kind"] in ("W", "weight") else "bias"
                layer = layers.setdefault(match["layer"] or "", {})
                if kind in layer:
                    raise InputError(f"arrays must have different layers, got {layer[kind]!r} and {name!r}")
                layer[kind] = name
            return _pairs(layers, shapes, consecutive)
    raise InputError(
        "arrays must be named W1, b1, W2, b2, ... (or weight_1, bias_1, ..., or 0.weight, 0.bias, ..., or arr_0, ...), "
        f"got {_listing(shapes)}"
    )


def _alternating(shapes: Mapping[str, Sequence[int]]) -> list[Pair]:
    names = sorted(shapes, key=lambda name: int(name[len("arr_") :]))
    if names != [f"arr_{i}" for i in range(len(names))] or len(names) % 2:
        raise InputError(f"arrays must be arr_0, arr_1, ... in pairs of weight and bias, got {_listing(names)}")
    return list(zip(names[::2], names[1::2]))


def _pairs(
    layers: Mapping[str, Mapping[str, str]], shapes: Mapping[str, Sequence[int]], consecutive: bool
) -> list[Pair]:
    for found in layers.values():
        for kind, other in (("weight", "bias"), ("bias", "weight")):
            if kind not in found and (consecutive or kind == "weight"):
                raise InputError(
                    f"arrays must come in pairs of weight and bias, the {kind} of {found[other]!r} is missing among "
                    f"{_listing(shapes)}"
                )
    order = _by_numbers(layers)
    if consecutive:
        numbers = [int(layer) for layer in order or ()]
        if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            raise InputError(f"arrays must be numbered without gaps or repetition, got {_listing(shapes)}")
    if order is None:
        order = _by_shapes({layer: shapes[found["weight"]] for layer, found in layers.items()})
    if order is None:
        raise InputError(
            f"arrays must be named so that the order of the layers is known (0.weight, 2.weight, ... or fc1.weight, "
            f"fc2.weight, ...), got {_listing(shapes)}"
        )
    return [(layers[layer]["weight"], layers[layer].get("bias")) for layer in order]


def _by_numbers(layers: Iterable[str]) -> list[str] | None:
    """Sort names that differ in their numbers only; ``None`` for others."""
    keys = {layer: tuple(re.split(r"([0-9]{1,18})", layer)) for layer in layers}
    texts = {key[::2] for key in keys.values()}
    numbers = {layer: tuple(map(int, key[1::2])) for layer, key in keys.items()}
    if len(texts) != 1 or len(set(numbers.values())) != len(numbers):
        return None
    return sorted(numbers, key=lambda layer: numbers[layer])


def _by_shapes(shapes: Mapping[str, Sequence[int]]) -> list[str] | None:
    """Chain the layers by their widths when no two take the same number of inputs, so that only one chain is left."""
    if any(len(shape) != 2 for shape in shapes.values()):
        return None
    by_inputs = {shape[1]: layer for layer, shape in shapes.items()}
    outputs = {shape[0] for shape in shapes.values()}
    starts = [width for width in by_inputs if width not in outputs]
    if len(by_inputs) != len(shapes) or len(starts) != 1:
        return None
    order: list[str] = []
    width = starts[0]
    while width in by_inputs:
        order.append(by_inputs.pop(width))
        width = shapes[order[-1]][0]
    return None if by_inputs else order


def _listing(names: Iterable[str], limit: int = 8) -> str:
    known = [name if name.isprintable() and len(name) <= 40 else shorten(name, 40) for name in names]
    return ", ".join(known[:limit]) + (f" and {len(known) - limit} more" if len(known) > limit else "") or "none"
