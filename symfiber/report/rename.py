"""Other letters for the formulas of a report: {"W": "A", r"\\sigma": r"\\rho"} in math mode only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from symfiber.errors import InputError
from symfiber.exact import shorten

LETTERS = (*"WwbcMvfxyzthsLNSHdmnegiujkqpro", r"\sigma", r"\theta", r"\lambda", r"\mu", r"\varepsilon")
"""The letters of the reports that can be renamed."""

_MATH = re.compile(r"\$[^$]*\$|\\\[.*?\\\]", re.S)
_VERBATIM = ("operatorname", "text", "mathrm", "mathbf", "begin", "end", "hspace", "makebox")
_TOKEN = re.compile(rf"\\(?:{'|'.join(_VERBATIM)})\{{[^{{}}]*\}}|\\[A-Za-z]+|\\.|[A-Za-z]", re.S)
_NEW = re.compile(r"\\?[A-Za-z]+(?:\{[A-Za-z]+\})?")


def rename_letters(latex: str, notation: Mapping[str, Any] | None) -> str:
    r"""Return LaTeX with letters of its formulas exchanged; words stay.

    Parameters
    ----------
    notation : {old: new}
        Old letters are single letters or one of ``\sigma``, ``\theta``, ``\lambda``, ``\mu``, ``\varepsilon``; new ones
        a letter or a command such as ``\rho`` or ``\mathsf{A}``.

    Raises
    ------
    InputError
        For an unknown old letter, a new one that is no symbol, or two letters that would become the same.

    Examples
    --------
    >>> rename_letters(r"rank $W_1=n_1$, \[\sigma(W_1x+b_1)\]", {"W": "A", r"\sigma": r"\rho"})
    'rank $A_1=n_1$, \\[{\\rho}(A_1x+b_1)\\]'
    """
    if notation is None:
        return latex
    if not isinstance(notation, Mapping):
        raise InputError(f"notation must map letters to symbols, got {shorten(notation)}")
    for old, new in notation.items():
        if old not in LETTERS:
            raise InputError(f"notation must rename letters such as 'W' or '\\\\sigma', got {shorten(old)}")
        if not isinstance(new, str) or not _NEW.fullmatch(new):
            raise InputError(f"the new symbol for {old} must be a letter or a command, got {shorten(new)}")
    used = {token for formula in _MATH.findall(latex) for token in _TOKEN.findall(formula)} & set(LETTERS)
    images: dict[str, str] = {}
    for letter in sorted(used):
        image = notation.get(letter, letter)
        if image in images:
            raise InputError(f"notation must keep letters apart, but {images[image]} and {letter} would become {image}")
        images[image] = letter
    return _MATH.sub(lambda m: _TOKEN.sub(lambda t: _image(t[0], notation), m[0]), latex)


def _image(token: str, notation: Mapping[str, str]) -> str:
    new = notation.get(token, token)
    # A command must not run into a letter that follows it.
    return f"{{{new}}}" if new != token and new.startswith("\\") else new
