"""The safetensors format: an 8-byte length, a JSON header, raw little-endian numbers.  Read directly and strictly."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from symfiber.errors import InputError
from symfiber.exact import ZERO, Rational, shorten
from symfiber.network import Network
from symfiber.sources.arrays import exact_list
from symfiber.sources.json_format import parse_json
from symfiber.sources.naming import Pair, layer_names
from symfiber.sources.reading import read_bytes

_TYPES = {"F64": ("d", 8), "F32": ("f", 4), "F16": ("e", 2), "BF16": ("H", 2), "I64": ("q", 8), "I32": ("i", 4)}


class _Tensor(NamedTuple):
    kind: str
    shape: list[int]
    data: bytes


def load_safetensors(path: Any, layers: Sequence[str] | None = None) -> Network:
    """Read ``….weight`` and ``….bias`` tensors; a missing bias is zero.

    Parameters
    ----------
    path : path of the file
    layers : sequence of str, optional
        The prefixes of the layers in order (``["encoder", "head"]`` for ``encoder.weight, …``); tensors of other
        prefixes are left out.  Without it all tensors are read, in the order that their names determine.

    Raises
    ------
    InputError
        One sentence that names the file and what is wrong with it.
    """
    name, content = f"file {str(path)!r}", read_bytes(path)
    try:
        tensors = _tensors(content, name)
        if layers is None:
            pairs = layer_names({key: tensor.shape for key, tensor in tensors.items()}) if tensors else []
        else:
            pairs = [_pair(prefix, tensors) for prefix in layers]
        found = []
        for weight, bias in pairs:
            rows = _rows(weight, tensors[weight])
            found.append((rows, [ZERO] * len(rows) if bias is None else _vector(bias, tensors[bias])))
        return Network(found)
    except InputError as error:
        raise type(error)(str(error) if str(error).startswith(name) else f"{name}: {error}") from None


def _pair(prefix: str, tensors: dict[str, _Tensor]) -> Pair:
    stem = f"{prefix.removesuffix('.')}." if prefix else ""
    if f"{stem}weight" not in tensors:
        raise InputError(f"tensor {f'{stem}weight'!r} must exist, it does not")
    return f"{stem}weight", f"{stem}bias" if f"{stem}bias" in tensors else None


def _tensors(content: bytes, name: str) -> dict[str, _Tensor]:
    if len(content) < 8:
        raise InputError(f"{name} must be a safetensors file, it has only {len(content)} bytes")
    (length,) = struct.unpack("<Q", content[:8])
    if length > len(content) - 8:
        raise InputError(f"{name} must hold a header of {length} bytes, it has only {len(content) - 8} left")
    header, data = parse_json(content[8 : 8 + length], f"{name} header"), content[8 + length :]
    if not isinstance(header, dict):
        raise InputError(f"{name} header must be a JSON object")
    header.pop("__metadata__", None)
    result, places = {}, []
    for key, entry in header.items():
        result[key], begin, end = _tensor(key, entry, data)
        places.append((begin, end, key))
    # The format allows neither holes nor overlaps, so that a file cannot mean two things.
    position = 0
    for begin, end, key in sorted(places):
        if begin != position:
            raise InputError(
                f"tensor {shorten(key)} must begin at byte {position}, where the one before it ends, got {begin}"
            )
        position = end
    if position != len(data):
        raise InputError(f"{name} must end with its last tensor, it has {len(data) - position} bytes more")
    return result


def _tensor(key: str, entry: Any, data: bytes) -> tuple[_Tensor, int, int]:
    known = entry if isinstance(entry, dict) else {}
    kind, shape, offsets = known.get("dtype"), _sizes(known.get("shape")), _sizes(known.get("data_offsets"))
    if shape is None or offsets is None or len(offsets) != 2:
        raise InputError(f"tensor {shorten(key)} must have dtype, shape and two data_offsets, got {shorten(entry)}")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise InputError(f"tensor {shorten(key)} must have a dtype of {', '.join(_TYPES)}, got {shorten(kind)}")
    (begin, end), size = offsets, prod(shape) * _TYPES[kind][1]
    if end - begin != size or end > len(data):
        raise InputError(
            f"tensor {shorten(key)} must have {shorten(size)} bytes of data, "
            f"its offsets are {shorten(begin)}..{shorten(end)} of {len(data)}"
        )
    return _Tensor(kind, shape, data[begin:end]), begin, end


def _sizes(values: Any) -> list[int] | None:
    """A list of nonnegative integers; ``None`` for anything else.  JSON integers were parsed as rationals."""
    if not isinstance(values, list) or not all(isinstance(n, Rational) and n >= 0 for n in values):
        return None
    return [int(n) for n in values]


def _numbers(key: str, tensor: _Tensor) -> list[Rational]:
    code, size = _TYPES[tensor.kind]
    values: Any = struct.unpack(f"<{len(tensor.data) // size}{code}", tensor.data)
    if tensor.kind == "BF16":
        # A bfloat16 is the upper half of a float32.
        values = struct.unpack(f"<{len(values)}f", b"".join(struct.pack("<HH", 0, x) for x in values))
    return exact_list(list(values), f"tensor {key!r}")


def _rows(key: str, tensor: _Tensor) -> list[list[Rational]]:
    if len(tensor.shape) != 2:
        raise InputError(f"tensor {key!r} must have 2 dimensions, got shape {tensor.shape}")
    values, (rows, columns) = _numbers(key, tensor), tensor.shape
    if not values:
        raise InputError(f"tensor {key!r} must have at least one row and one column, got shape {tensor.shape}")
    return [values[i * columns : (i + 1) * columns] for i in range(rows)]


def _vector(key: str, tensor: _Tensor) -> list[Rational]:
    if len(tensor.shape) != 1:
        raise InputError(f"tensor {key!r} must have 1 dimension, got shape {tensor.shape}")
    return _numbers(key, tensor)
