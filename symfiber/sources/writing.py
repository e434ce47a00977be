"""Writing files: complete or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from symfiber.errors import InputError


def write_atomically(path: Any, content: str | bytes) -> None:
    """Write to a temporary file beside the target, flush it to disk and rename it over the target.

    Raises
    ------
    InputError
        When the folder does not exist or cannot be written; the target is untouched and nothing is left behind.
    """
    target = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    if target.is_dir():
        raise InputError(f"output {str(target)!r} must be a file, it is a folder")
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise InputError(f"output folder {str(target.parent)!r} must be writable: {error.strerror}") from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes private files; give the result the permissions that an ordinary open would.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InputError(f"output {str(target)!r} could not be written: {error.strerror}") from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
