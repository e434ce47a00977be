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
    """
    source = Path(path)
    try:
        return source.read_bytes()
    except FileNotFoundError:
        raise InputError(f"file {str(source)!r} must exist, it does not") from None
    except IsADirectoryError:
        raise InputError(f"file {str(source)!r} must be a file, it is a folder") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"file {str(source)!r} must be readable: {reason}") from None
