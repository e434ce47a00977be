"""NumPy archives: ``.npz`` with ``W1, b1, W2, b2, …`` or arrays in the order weight, bias, weight, bias, …"""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from typing import Any

from symfiber.errors import InputError
from symfiber.network import Network
from symfiber.sources.arrays import exact_rows, exact_vector
from symfiber.sources.reading import read_bytes

_NAMES = (
    re.compile(r"(?P<kind>[Wb])_?(?P<number>\d+)"),
    re.compile(r"(?P<kind>weight|bias)_?(?P<number>\d+)"),
    re.compile(r"(?P<number>\d+)\.(?P<kind>weight|bias)"),
    re.compile(r"arr_(?P<number>\d+)"),
)


def load_npz(path: Any) -> Network:
    """Read a network from an ``.npz`` archive; floats are taken as the dyadic rationals they are.

    Pickled object arrays are refused, nothing is ever unpickled.

    Raises
    ------
    InputError
        One sentence that names the file and what is wrong with it.
    """
    import numpy as np

    name, content = f"file {str(path)!r}", read_bytes(path)
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            if not hasattr(archive, "files"):
                raise InputError(f"{name} must be an .npz archive, it is a single array")
            arrays = {key: archive[key] for key in archive.files}
    except InputError:
        raise
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile) as error:
        detail = "it holds pickled objects" if "pickle" in str(error).lower() else "it cannot be read as one"
        raise InputError(f"{name} must be an .npz archive of number arrays, {detail}") from None
    try:
        return Network(layers_from_arrays(arrays))
    except InputError as error:
        raise type(error)(f"{name}: {error}") from None


def layers_from_arrays(arrays: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Pair weights and biases by their names; raise :class:`InputError` for names that do not pair up."""
    known = ", ".join(sorted(arrays)) or "none"
    for pattern in _NAMES:
        matches = {key: pattern.fullmatch(key) for key in arrays}
        if not arrays or not all(matches.values()):
            continue
        found: dict[tuple[int, str], str] = {}
        for key, match in matches.items():
            assert match is not None
            number = int(match["number"])
            if "kind" in match.groupdict():
                place = number, "weight" if match["kind"] in ("W", "weight") else "bias"
            else:
                place = number // 2, "bias" if number % 2 else "weight"
            found[place] = key
        numbers = sorted({number for number, _ in found})
        missing = [f"{kind} {n}" for n in numbers for kind in ("weight", "bias") if (n, kind) not in found]
        if missing or len(found) != len(arrays):
            raise InputError(f"arrays must come in pairs of weight and bias, {missing[0]} is missing among {known}")
        return [
            (
                exact_rows(arrays[found[n, "weight"]], f"array {found[n, 'weight']!r}"),
                exact_vector(arrays[found[n, "bias"]], f"array {found[n, 'bias']!r}"),
            )
            for n in numbers
        ]
    raise InputError(f"arrays must be named W1, b1, W2, b2, ... (or weight_1, bias_1, ..., or arr_0, ...), got {known}")
