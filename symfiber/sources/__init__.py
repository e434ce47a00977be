"""Networks from files and from other libraries' models, exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from symfiber.errors import InputError, UnsupportedError
from symfiber.network import Network
from symfiber.sources.sklearn_model import from_sklearn
from symfiber.sources.torch_model import from_torch

EXTENSIONS = (".json", ".npz", ".pt", ".pth", ".safetensors")


def load(path: Any) -> Network:
    """Read a network from a file, by its extension: ``.json``, ``.npz``, ``.pt``/``.pth`` or ``.safetensors``.

    Floats in binary formats are taken as the dyadic rationals they are.

    Raises
    ------
    InputError
        One sentence that names the file, what it must be and what it was.
    UnsupportedError
        When the format needs a package that is not installed.

    Examples
    --------
    >>> import symfiber as sf
    >>> sf.load("model.h5")
    Traceback (most recent call last):
    ...
    symfiber.errors.InputError: file 'model.h5' must end in .json, .npz, .pt, .pth, .safetensors, got '.h5'
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

            return load_safetensors(path)
        case ".onnx":
            raise UnsupportedError(f"file {str(path)!r} is an ONNX model, which symfiber does not read yet")
    raise InputError(f"file {str(path)!r} must end in {', '.join(EXTENSIONS)}, got {extension!r}")


__all__ = ["from_sklearn", "from_torch", "load"]
