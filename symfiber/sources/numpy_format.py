"""NumPy archives: ``.npz`` with ``W1, b1, W2, b2, …`` or arrays in the order weight, bias, weight, bias, …"""

from __future__ import annotations

from io import BytesIO
from typing import Any

from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import ZERO
from symfiber.network import Network
from symfiber.sources.arrays import exact_rows, exact_vector
from symfiber.sources.naming import layer_names
from symfiber.sources.reading import read_bytes


def load_npz(path: Any) -> Network:
    """Read a network from an ``.npz`` archive; floats are taken as the dyadic rationals they are.

    Pickled object arrays are refused, nothing is ever unpickled.  The names of the arrays are those of
    :func:`symfiber.sources.naming.layer_names`.

    Raises
    ------
    InputError
        One sentence that names the file and what is wrong with it.
    UnsupportedError
        When NumPy is not installed.
    """
    name, content = f"file {str(path)!r}", read_bytes(path)
    try:
        return Network(layers_from_arrays(_arrays(content)))
    except InputError as error:
        raise type(error)(f"{name}: {error}") from None


def layers_from_arrays(arrays: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Pair weights and biases by their names; raise :class:`InputError` for names that do not pair up.

    Examples
    --------
    >>> import numpy as np
    >>> layers_from_arrays({"b1": np.array([2]), "W1": np.array([[0.5]])})
    [([[1/2]], [2])]
    """
    layers = []
    for weight, bias in layer_names({key: array.shape for key, array in arrays.items()}):
        rows = exact_rows(arrays[weight], f"array {weight!r}")
        layers.append((rows, [ZERO] * len(rows) if bias is None else exact_vector(arrays[bias], f"array {bias!r}")))
    return layers


def _arrays(content: bytes) -> dict[str, Any]:
    try:
        import numpy as np
    except ImportError:
        raise UnsupportedError("reading .npz files needs NumPy: pip install numpy") from None
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            if not hasattr(archive, "files"):
                raise InputError("an .npz archive is needed, it is a single array")
            if len(set(archive.files)) != len(archive.files):
                raise InputError("an .npz archive must not hold two arrays of one name")
            return {key: np.asarray(archive[key]) for key in archive.files}
    except InputError:
        raise
    except Exception as error:
        # Broken bytes lead NumPy and zipfile to a dozen unrelated errors (zlib.error, TokenError, MemoryError, ...).
        detail = "it holds pickled objects" if "pickle" in str(error).lower() else "it cannot be read as one"
        raise InputError(f"an .npz archive of number arrays is needed, {detail}") from None
