"""Signs of scalars: exact for numbers, by assumption for symbols."""

from __future__ import annotations

from collections.abc import Mapping

from symfiber.errors import UndecidedError
from symfiber.exact import Rational, Scalar, sign


def sign_of(value: Scalar, signs: Mapping[str, int]) -> int:
    """Return the sign of a scalar: exact for numbers, by the assumed signs of the symbols for polynomials.

    A polynomial has a proved sign when all its terms have the same sign under the assumptions.

    Raises
    ------
    UndecidedError
        Naming the polynomial whose sign is needed and not implied.
    """
    if isinstance(value, Rational):
        return sign(value)
    found: set[int] = set()
    for exponents, coefficient in value.terms().items():
        term = sign(coefficient)
        for name, exponent in zip(value.ring.names, exponents):
            if exponent % 2:
                if name not in signs:
                    found.add(0)
                    break
                term *= signs[name]
            elif exponent and name not in signs:
                found.add(0)
                break
        else:
            found.add(term)
    if not found:
        return 0
    if len(found) == 1 and found != {0}:
        return found.pop()
    raise UndecidedError(f"the sign of {_cut(str(value))} is needed and not implied by the assumed signs")


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:60]}…{text[-16:]}"
