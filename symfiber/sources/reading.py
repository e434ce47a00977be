"""Reading files: whole, with one sentence for everything that can go wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from symfiber.errors import InputError


def read_bytes(path: Any) -> bytes:
    """Return the content of a file.

    Raises
    ------
    InputError
        When it is missing, a folder or unreadable.

    Examples
    --------
    >>> read_bytes("missing.json")
    Traceback (most recent call last):
    ...
    symfiber.errors.InputError: file 'missing.json' must exist, it does not
    """
    name = f"file {str(path)!r}"
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{name} must exist, it does not") from None
    except IsADirectoryError:
        raise InputError(f"{name} must be a file, it is a folder") from None
    except TypeError:
        raise InputError(f"path must be a text or path, got {type(path).__name__}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{name} must be readable: {reason}") from None
