"""Networks from files and from other libraries' models, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from symfiber.errors import InputError
from symfiber.network import Network
from symfiber.sources.sklearn_model import from_sklearn
from symfiber.sources.torch_model import from_torch

EXTENSIONS = (".json", ".npz", ".pt", ".pth", ".safetensors", ".onnx", ".keras", ".h5", ".hdf5")


def load(
    path: Any,
    *,
    layers: Sequence[str] | None = None,
    output: str | None = None,
    square_root_bits: int | None = None,
) -> Network:
    """Read a network from a file, by its extension.

    ``.json``, ``.npz``, ``.pt``/``.pth``, ``.safetensors``, ``.onnx``, ``.keras`` and ``.h5``/``.hdf5``.  Floats in
    binary formats are taken as the dyadic rationals they are.

    Parameters
    ----------
    layers : sequence of str, optional
        safetensors: the prefixes of the layers in order, ``["encoder", "head"]`` for ``encoder.weight, …``.
    output : str, optional
        ONNX: the tensor to stop at.
    square_root_bits : int, optional
        ONNX and Keras: round the square roots of batch normalisations, see
        :func:`symfiber.sources.chain.batch_norm`.

    Raises
    ------
    InputError
        One sentence that names the file, what it must be and what it was.
    UnsupportedError
        When the format needs a package that is not installed.

    Examples
    --------
    >>> import symfiber as sf
    >>> sf.load("model.txt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    symfiber.errors.InputError: file 'model.txt' must end in .json, .npz, ..., got '.txt'
    """
    try:
        extension = Path(path).suffix.lower()
    except TypeError:
        raise InputError(f"path must be a text or path, got {type(path).__name__}") from None
    match extension:
        case ".json":
            from symfiber.sources.json_format import load_json

            return load_json(path)
        case ".npz":
            from symfiber.sources.numpy_format import load_npz

            return load_npz(path)
        case ".pt" | ".pth":
            from symfiber.sources.torch_model import load_pt

            return load_pt(path)
        case ".safetensors":
            from symfiber.sources.safetensors_format import load_safetensors

            return load_safetensors(path, layers)
        case ".onnx":
            from symfiber.sources.onnx_model import load_onnx

            return load_onnx(path, output, square_root_bits)
        case ".keras" | ".h5" | ".hdf5":
            from symfiber.sources.keras_model import load_keras

            return load_keras(path, square_root_bits)
    raise InputError(f"file {str(path)!r} must end in {', '.join(EXTENSIONS)}, got {extension!r}")


__all__ = ["from_sklearn", "from_torch", "load"]
