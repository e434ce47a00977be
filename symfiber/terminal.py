"""What the command line shows on a terminal besides its results: colours, timings, how much it says."""

from __future__ import annotations

import os
import sys
import time
from typing import Literal, TextIO

Color = Literal["auto", "always", "never"]
_CODES = {"bold": "1", "good": "32", "bad": "31", "dim": "2"}


class Terminal:
    """The manners of one run: set by the options of the command, read where something is shown.

    Attributes
    ----------
    color : {"auto", "always", "never"}
        "auto" colours a terminal, unless ``NO_COLOR`` is set; ``FORCE_COLOR`` colours everything.
    quiet, verbose : bool
        No progress; timings of the stages on stderr.
    """

    def __init__(self) -> None:
        self.color: Color = "auto"
        self.quiet = self.verbose = False
        self._start = self._last = time.monotonic()

    def paint(self, text: str, style: str, stream: TextIO | None = None) -> str:
        """Return the text in a style ("bold", "good", "bad", "dim") where colours are wanted.

        Examples
        --------
        >>> shown = Terminal(); shown.color = "never"
        >>> shown.paint("equal", "good")
        'equal'
        """
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.colors(sys.stdout if stream is None else stream) else text

    def colors(self, stream: TextIO | None) -> bool:
        """Whether a stream gets colours."""
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR"):
            return False
        if os.environ.get("FORCE_COLOR"):
            return True
        return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"

    def stage(self, name: str) -> None:
        """Say on stderr how long the stage that ends now took, when the run is verbose."""
        now = time.monotonic()
        if self.verbose and not self.quiet:
            text = f"symfiber: {name}: {now - self._last:.2f} s"
            print(self.paint(text, "dim", sys.stderr), file=sys.stderr)
        self._last = now

    def finish(self) -> None:
        """Say how long everything took, when the run is verbose."""
        self._last = self._start
        self.stage("in all")


terminal = Terminal()
"""The one of this process."""
