"""Ctrl-C while the command is still importing ends it without a traceback.

Python imports the whole package before the command's own code runs.  Only a process that *is* the command is touched; a
program that imports symfiber keeps its signals.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_INTERRUPTED = 130


def end_quietly_while_importing() -> None:
    """Let an interrupt end the process with exit code 130 until :func:`restore` is called."""
    import signal
    import threading

    program = Path(sys.argv[0]).name if getattr(sys, "argv", None) else ""
    started_as_module = program == "-m" and "symfiber" in sys.orig_argv
    is_command = program in ("symfiber", "symfiber.exe") or started_as_module
    if is_command and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))


def restore() -> None:
    """Let interrupts raise KeyboardInterrupt again."""
    import signal
    import threading

    if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, signal.default_int_handler)
