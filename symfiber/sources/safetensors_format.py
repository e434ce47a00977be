"""The safetensors format: an 8-byte length, a JSON header, raw little-endian numbers.  Read directly and strictly."""

from __future__ import annotations

import struct
from typing import Any

from symfiber.errors import InputError
from symfiber.exact import Rational, shorten
from symfiber.network import Network
from symfiber.sources.arrays import exact_number
from symfiber.sources.json_format import parse_json
from symfiber.sources.reading import read_bytes

_TYPES = {"F64": ("d", 8), "F32": ("f", 4), "F16": ("e", 2), "BF16": ("H", 2), "I64": ("q", 8), "I32": ("i", 4)}


def load_safetensors(path: Any, layers: list[str] | None = None) -> Network:
    """Read ``….weight`` and ``….bias`` tensors, in the order of ``layers`` (prefixes) or of the file's data.

    Raises
    ------
    InputError
        One sentence that names the file and what is wrong with it.
    """
    name, content = f"file {str(path)!r}", read_bytes(path)
    try:
        tensors = _tensors(content, name)
        prefixes = layers if layers is not None else _prefixes(tensors)
        found = []
        for prefix in prefixes:
            weight = tensors.get(f"{prefix}weight", tensors.get(f"{prefix}.weight"))
            bias = tensors.get(f"{prefix}bias", tensors.get(f"{prefix}.bias"))
            if weight is None or bias is None:
                raise InputError(f"tensors {prefix!r} must have a weight and a bias, known are {', '.join(tensors)}")
            found.append((_matrix(*weight), _vector(*bias)))
        return Network(found)
    except InputError as error:
        raise type(error)(str(error) if name in str(error) else f"{name}: {error}") from None


def _tensors(content: bytes, name: str) -> dict[str, tuple[list[Rational], list[int], str]]:
    if len(content) < 8:
        raise InputError(f"{name} must be a safetensors file, it has only {len(content)} bytes")
    (length,) = struct.unpack("<Q", content[:8])
    if length > len(content) - 8:
        raise InputError(f"{name} must hold a header of {length} bytes, it has only {len(content) - 8} left")
    header, data = parse_json(content[8 : 8 + length], f"{name} header"), content[8 + length :]
    if not isinstance(header, dict):
        raise InputError(f"{name} header must be a JSON object")
    entries = [(key, value) for key, value in header.items() if key != "__metadata__"]
    result = {}
    for key, value in sorted(entries, key=lambda item: _begin(item[1])):
        result[key] = _tensor(key, value, data)
    return result


def _begin(entry: Any) -> int:
    try:
        return int(entry["data_offsets"][0])
    except (TypeError, KeyError, IndexError, ValueError):
        return -1


def _tensor(key: str, entry: Any, data: bytes) -> tuple[list[Rational], list[int], str]:
    try:
        kind, shape = entry["dtype"], [int(n) for n in entry["shape"]]
        begin, end = (int(n) for n in entry["data_offsets"])
    except (TypeError, KeyError, ValueError):
        raise InputError(f"tensor {key!r} must have dtype, shape and two data_offsets, got {shorten(entry)}") from None
    if kind not in _TYPES:
        raise InputError(f"tensor {key!r} must have a dtype of {', '.join(_TYPES)}, got {shorten(kind)}")
    code, size = _TYPES[kind]
    count = 1
    for n in shape:
        count *= n
    if min([*shape, begin]) < 0 or end - begin != count * size or end > len(data):
        raise InputError(f"tensor {key!r} must have {count * size} bytes of data, its offsets are {begin}..{end}")
    raw: Any = struct.unpack(f"<{count}{code}", data[begin:end])
    if kind == "BF16":
        # A bfloat16 is the upper half of a float32.
        raw = struct.unpack(f"<{count}f", b"".join(struct.pack("<HH", 0, x) for x in raw))
    return [exact_number(x, f"tensor {key!r} entry {i}") for i, x in enumerate(raw)], shape, key


def _prefixes(tensors: dict[str, Any]) -> list[str]:
    return [key[: -len("weight")] for key in tensors if key.endswith("weight")]


def _matrix(values: list[Rational], shape: list[int], key: str) -> list[list[Rational]]:
    if len(shape) != 2:
        raise InputError(f"tensor {key!r} must have 2 dimensions, got shape {shape}")
    return [values[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0])]


def _vector(values: list[Rational], shape: list[int], key: str) -> list[Rational]:
    if len(shape) != 1:
        raise InputError(f"tensor {key!r} must have 1 dimension, got shape {shape}")
    return values
