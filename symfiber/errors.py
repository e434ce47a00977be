"""The error tree: bad input, unsupported hypotheses, undecided questions, failed verification.

Every message is one sentence that names the thing, what it must be and what it was.
"""

from __future__ import annotations


class SymfiberError(Exception):
    """The root of every error that symfiber raises on purpose."""


class InputError(SymfiberError, ValueError):
    """An argument or file is not what it must be."""


class ExactnessError(InputError, TypeError):
    """A float came in where an exact value is needed; the message names the exact conversion."""


class UnsupportedError(SymfiberError):
    """The question is well posed but outside the hypotheses of the implemented theorems.

    The message names the hypothesis that fails.
    """


class UndecidedError(SymfiberError):
    """No answer was proved.

    Attributes
    ----------
    known : dict
        What is known all the same, for example ``{"lower": 3, "upper": 5}``.
    """

    def __init__(self, message: str, known: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.known = dict(known or {})


class LimitExceededError(UndecidedError):
    """A search stopped at its limit; ``known`` says what was covered."""


class VerificationError(SymfiberError):
    """A proof or certificate does not check."""
