"""A progress bar on stderr for work that takes a while, and nothing at all otherwise.

It appears only when stderr is a terminal and the work has taken more than about two seconds, and is wiped when the work
is done, so that nothing remains on the screen or in a log.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import TextIO, TypeVar

from symfiber.terminal import terminal

Item = TypeVar("Item")

DELAY = 2.0
_REDRAW = 0.2
_BAR = 24


class Progress:
    """A progress bar as a context manager; call :meth:`advance` for every step done.

    Parameters
    ----------
    label : str
    total : int, optional
        The number of steps; without it the bar shows the steps done and the time.
    stream : text stream, optional
        stderr by default.
    delay : float
        Seconds before the bar appears.

    Examples
    --------
    >>> with Progress("cells", total=2) as bar:      # stderr is no terminal here: nothing is drawn
    ...     bar.advance(); bar.advance()
    >>> bar.done
    2
    """

    def __init__(
        self, label: str, total: int | None = None, stream: TextIO | None = None, delay: float = DELAY
    ) -> None:
        self.label, self.total, self.done = label, total, 0
        self._stream = sys.stderr if stream is None else stream
        self._delay = delay
        self._start = time.monotonic()
        self._finished = threading.Event()
        self._thread: threading.Thread | None = None
        self._drawn = False

    def advance(self, steps: int = 1) -> None:
        """Count steps as done."""
        self.done += steps

    def stage(self, label: str, total: int | None = None) -> None:
        """Begin the next part of the work."""
        self.label, self.total, self.done = label, total, 0

    def line(self) -> str:
        """Return what the bar shows now."""
        seconds = f"{time.monotonic() - self._start:.0f} s"
        if self.total:
            filled = min(_BAR, _BAR * self.done // self.total)
            bar = "#" * filled + "." * (_BAR - filled)
            return f"{self.label} [{bar}] {self.done}/{self.total}, {seconds}"
        return f"{self.label}: {f'{self.done}, ' if self.done else ''}{seconds}"

    def __enter__(self) -> Progress:
        self._start = time.monotonic()
        if self._stream is not None and self._stream.isatty() and not terminal.quiet:
            self._thread = threading.Thread(target=self._draw, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._finished.set()
        if self._thread is not None:
            self._thread.join()
        if self._drawn:
            self._write("\r\x1b[K")

    def _draw(self) -> None:
        wait = self._delay
        while not self._finished.wait(wait):
            wait = _REDRAW
            width = shutil.get_terminal_size().columns - 1
            self._drawn = True
            self._write(f"\r\x1b[K{self.line()[:width]}")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the terminal is gone: work goes on without the bar
            self._finished.set()


def track(items: Iterable[Item], label: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items and show how many have been dealt with.

    Parameters
    ----------
    items : iterable
    label : str
    total : int, optional
        Taken from ``len(items)`` when it has one.

    Examples
    --------
    >>> sum(track([1, 2, 3], "numbers"))
    6
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    with Progress(label, total) as bar:
        for item in items:
            yield item
            bar.advance()
