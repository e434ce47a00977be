"""Writing files: complete or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from typing import Any

from symfiber.errors import InputError


def write_atomically(path: Any, content: str | bytes) -> None:
    """Write to a temporary file beside the target, flush it to disk and rename it over the target.

    A link is followed, and a device or pipe (``/dev/stdout``) is written to directly: renaming would replace it.

    Raises
    ------
    InputError
        When the folder does not exist or cannot be written; the target is untouched and nothing is left behind.

    Examples
    --------
    >>> write_atomically("no/such/folder/net.json", "{}")
    Traceback (most recent call last):
    ...
    symfiber.errors.InputError: output 'no/such/folder/net.json' must be in an existing folder, it is not
    """
    # A file name that is not UTF-8 can be part of a text; it is escaped rather than the whole text lost.
    data = content.encode("utf-8", errors="backslashreplace") if isinstance(content, str) else content
    name = f"output {str(path)!r}"
    try:
        target = Path(os.path.realpath(os.fspath(path)))
        existing = target.exists()
        if target.is_dir():
            raise InputError(f"{name} must be a file, it is a folder")
        if not target.parent.is_dir():
            raise InputError(f"{name} must be in an existing folder, it is not")
        if existing and not os.access(target, os.W_OK):
            raise InputError(f"{name} must be writable, it is not")
        if existing and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data, existing)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{name} could not be written: {error.strerror or error}") from None
    except (TypeError, ValueError):
        raise InputError(f"{name} must be the name of a file, it is not") from None


def _replace(target: Path, data: bytes, existing: bool) -> None:
    # A short name: the target's own may already be as long as the file system allows.
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with temporary.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if existing:
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
