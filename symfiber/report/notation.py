"""How numbers, polynomials and formulas are written, in text and in LaTeX.

Numbers with many digits (the weights of trained networks are dyadic) are cut in the middle: ``36028…63968{17}`` is an
integer of 17 digits.  A decimal approximation is always marked with ≈.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from typing import Any

from symfiber.exact import Polynomial, Rational, rational, to_text


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula in both notations: ``text`` for terminals, ``latex`` for math mode."""

    text: str
    latex: str


Phrase = tuple[str | Formula | Rational, ...]
"""A sentence: words, formulas and exact numbers."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_LONG_INTEGER = re.compile(r"[0-9]{15,}")
_SHORT_NUMBER = 20
_SYMBOL = re.compile(r"([Wb])(\d+)_(\d+)(?:_(\d+))?")


def phrase(template: str, **parts: Formula | Rational | str) -> Phrase:
    """Return the words of a template with its ``{name}`` places filled.

    Examples
    --------
    >>> phrase("for {t} only", t=Formula("t > 0", "t>0"))
    ('for ', Formula(text='t > 0', latex='t>0'), ' only')
    """
    pieces = _PLACEHOLDER.split(template)
    filled = (parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))
    return tuple(piece for piece in filled if piece != "")


def integer_text(value: Any, full: bool = False) -> str:
    """Return an integer of any length, cut in the middle unless ``full``.

    Examples
    --------
    >>> integer_text(12), integer_text(2**64), integer_text(2**64, full=True)
    ('12', '18446…51616{20}', '18446744073709551616')
    """
    text = to_text(rational(value))
    return text if full else cut_integers(text)


def integer_latex(value: Any, full: bool = False) -> str:
    """The same for math mode.

    Examples
    --------
    >>> print(integer_latex(12), integer_latex(2**64))
    12 18446{\\cdots}51616_{[20]}
    """
    text = to_text(rational(value))
    return _breakable(text) if full else cut_latex(text)


def was_cut(text: str) -> bool:
    """Whether a text contains a number that was cut in the middle."""
    return re.search(r"[0-9]…[0-9]{5}\{", text) is not None


def cut_integers(text: str) -> str:
    """Cut every integer of 15 or more digits in the middle and append its number of digits in braces."""
    return _LONG_INTEGER.sub(lambda m: f"{m[0][:5]}…{m[0][-5:]}{{{len(m[0])}}}", text)


def is_short(value: Rational) -> bool:
    """Whether a number is written whole."""
    return len(to_text(value)) <= _SHORT_NUMBER


def number_text(value: Rational, full: bool = False) -> str:
    """Return a rational number; a long one is cut and followed by an approximation.

    Examples
    --------
    >>> from symfiber.exact import rational, rational_from_float
    >>> number_text(rational("-2/7")), number_text(rational_from_float(0.1))
    ('-2/7', '36028…96397{16}/36028…63968{17} (≈ 0.1)')
    """
    text = to_text(value)
    if full or is_short(value):
        return text
    return f"{cut_integers(text)} (≈ {approximation(value)})"


def number_latex(value: Rational, full: bool = False) -> str:
    """Return a rational number for math mode, breakable when long."""
    text = to_text(value)
    if full or is_short(value):
        return _breakable(text).replace("/", "/\\allowbreak ") if len(text) > _SHORT_NUMBER else text
    return rf"{cut_latex(text)}\ (\approx {approximation_latex(value)})"


def approximation(value: Rational) -> str:
    """Return a decimal with five significant digits; the caller marks it with ≈.

    Examples
    --------
    >>> from symfiber.exact import rational
    >>> approximation(rational("-1/3")), approximation(rational("7" * 5000))
    ('-0.33333', '7.7778e+4999')
    """
    numerator, _, denominator = to_text(value).partition("/")
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 20, MAX_EMAX, MIN_EMIN
        ratio = _leading(numerator) / _leading(denominator or "1")
        context.prec = 5
        ratio = (+ratio).normalize(context)
        if -5 <= ratio.adjusted() < 7:
            return f"{ratio:f}"
        return f"{ratio:e}"


def approximation_latex(value: Rational) -> str:
    """The same for math mode."""
    mantissa, _, exponent = approximation(value).partition("e")
    return mantissa + (rf"\times 10^{{{int(exponent)}}}" if exponent else "")


def _leading(integer: str) -> Decimal:
    """The integer from its leading digits, in time linear in its length."""
    sign = integer.startswith("-")
    digits = integer[sign:]
    return Decimal((int(sign), tuple(map(int, digits[:19])), max(len(digits) - 19, 0)))


def polynomial_text(polynomial: Polynomial, full: bool = False) -> str:
    """Return a polynomial in the ambient coordinates, entries written ``W1[0,2]`` and ``b1[0]``."""
    text = polynomial.render(symbol_text)
    return text if full else cut_integers(text)


def condition_sign(polynomial: Polynomial) -> int:
    """Return −1 when the condition p > 0 or p ≥ 0 reads better as −p < 0 or −p ≤ 0: one term, negative."""
    return -1 if len(polynomial.terms()) == 1 and polynomial.leading_coefficient() < 0 else 1


def symbol_text(name: str) -> str:
    """Write ``W1_0_2`` as ``W1[0,2]``; other names stay.

    Examples
    --------
    >>> symbol_text("W1_0_2"), symbol_text("b2_1"), symbol_latex("W1_0_2"), symbol_latex("b2_1")
    ('W1[0,2]', 'b2[1]', 'w^{(1)}_{0,2}', 'b^{(2)}_{1}')
    """
    match = _SYMBOL.fullmatch(name)
    if match is None:
        return name
    letter, layer, row, column = match.groups()
    return f"{letter}{layer}[{row}{',' + column if column else ''}]"


def symbol_latex(name: str) -> str:
    """Write ``W1_0_2`` as ``w^{(1)}_{0,2}``; other names are set upright."""
    match = _SYMBOL.fullmatch(name)
    if match is None:
        return rf"\mathrm{{{escape_latex(name)}}}"
    letter, layer, row, column = match.groups()
    return f"{letter.lower()}^{{({layer})}}_{{{row}{',' + column if column else ''}}}"


def polynomial_latex(polynomial: Polynomial, full: bool = False) -> str:
    """Return a polynomial for math mode; lines may break at signs, and inside long products and numbers."""
    text = polynomial.render(symbol_latex, times=r"\,\allowbreak ", power=_power_latex)
    return _breakable(text) if full else cut_latex(text)


def _power_latex(symbol: str, exponent: int) -> str:
    """A symbol that has a superscript already stands in parentheses."""
    base = rf"\bigl({symbol}\bigr)" if "^" in symbol else symbol
    return rf"{base}^{{{exponent}}}"


def cut_latex(text: str) -> str:
    """Cut long integers for math mode; the number of digits is a subscript in brackets."""
    return _LONG_INTEGER.sub(lambda m: rf"{m[0][:5]}{{\cdots}}{m[0][-5:]}_{{[{len(m[0])}]}}", text)


def _breakable(text: str) -> str:
    def spread(match: re.Match[str]) -> str:
        digits = match[0]
        return r"\allowbreak ".join(digits[i : i + 8] for i in range(0, len(digits), 8))

    return _LONG_INTEGER.sub(spread, text)


def phrase_text(phrase: Phrase, full: bool = False) -> str:
    """Return a phrase as text."""
    return "".join(
        part if isinstance(part, str) else part.text if isinstance(part, Formula) else number_text(part, full)
        for part in phrase
    )


def phrase_latex(phrase: Phrase, full: bool = False) -> str:
    """Return a phrase as LaTeX, formulas in math mode."""
    parts = []
    for part in phrase:
        if isinstance(part, str):
            parts.append(prose_latex(part))
        else:
            parts.append(f"${part.latex if isinstance(part, Formula) else number_latex(part, full)}$")
    return "".join(parts)


def index_set(indices: Sequence[int]) -> Formula:
    """Return a set of indices, runs shortened.

    Examples
    --------
    >>> index_set((0, 1, 2, 3, 7)).text, index_set(()).latex
    ('{0..3, 7}', '\\\\emptyset')
    """
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    if not runs:
        return Formula("{}", r"\emptyset")
    text, latex = [], []
    for first, last in runs:
        if last - first < 2:
            numbers = [str(i) for i in range(first, last + 1)]
            text += numbers
            latex += numbers
        else:
            text.append(f"{first}..{last}")
            latex.append(rf"{first},\dots,{last}")
    return Formula("{" + ", ".join(text) + "}", r"\{" + ",".join(latex) + r"\}")


def member_of(letter: str, indices: Sequence[int], name: str = "") -> Formula:
    """Return "letter in {indices}", or "letter in name = {indices}".

    Examples
    --------
    >>> member_of("j", (1, 2), "N").text
    'j in N = {1, 2}'
    """
    content = index_set(indices)
    named = f"{name} = " if name else ""
    return Formula(f"{letter} in {named}{content.text}", rf"{letter}\in {name}{'=' if name else ''}{content.latex}")


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\^{}",
    "~": r"\~{}",
    "|": "$|$",
    "<": "$<$",
    ">": "$>$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "−": "$-$",
    "·": r"$\cdot$",
    "∈": r"$\in$",
    "σ": r"$\sigma$",
    "λ": r"$\lambda$",
    "μ": r"$\mu$",
    "Σ": r"$\sum$",
    "…": r"\dots{}",
    "≈": r"$\approx$",
    "ρ": r"$\rho$",
}

_GREEK = {"λ": r"\lambda", "μ": r"\mu"}

_MATH = re.compile(
    r"(?P<augmented>\[(?P<matrix>[Ww])(?P<layer>\d?)\|b\d?\])"
    r"|(?P<entry>(?P<bar>\|?)(?P<letter>[Wb])(?P<number>\d)\[(?P<place>[^\]]{1,12})\]\|?)"
    r"|(?P<symbol>\b[WbnyM]\d\b)"
    r"|(?P<indexed>(?:\b[a-zA-Z]|[λμ])_[a-zA-Z0-9]\b)"
    r"|(?P<bars>\[(?:[A-Z]|[a-z])\|b\])"
    r"|(?P<power>\b[a-zA-Z]\^-?\d+)"
    r"|(?P<single>(?<!')\b[b-zB-HJ-Z]\b)"
    r"|(?P<size>\|[A-Z]\|)"
    r"|(?P<relation><=|>=)"
    r"|(?P<minus>(?<=\s)-(?=\s|[a-z]\b))"
    r"|(?P<greek>\brho\b)"
    r"|(?P<rankplus>\brank\+)"
)


def escape_latex(text: str) -> str:
    """Escape LaTeX's special characters, and write the usual mathematical signs as commands."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def prose_latex(text: str) -> str:
    """Return words as LaTeX; the small formulas in them (``W2[j,i]``, ``[W2|b2]``, ``n1``, ``<=``) become math.

    Examples
    --------
    >>> prose_latex("row 0 of [W2|b2] is <= 0 & n1 = 2")
    'row 0 of $[W_2\\\\mid b_2]$ is $\\\\le$ 0 \\\\& $n_1$ = 2'
    """
    parts, end = [], 0
    for match in _MATH.finditer(text):
        parts += [escape_latex(text[end : match.start()]), f"${_math(match)}$"]
        end = match.end()
    parts.append(escape_latex(text[end:]))
    return "".join(parts)


def _math(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if match["augmented"]:
        layer = f"_{match['layer']}" if match["layer"] else ""
        return rf"[{match['matrix']}{layer}\mid b{layer}]"
    if match["entry"]:
        body = f"{match['letter'].lower()}^{{({match['number']})}}_{{{match['place'].replace(' ', '')}}}"
        return f"|{body}|" if match["bar"] else body
    if kind == "symbol":
        return f"{match[0][0]}_{match[0][1:]}"
    if kind == "indexed":
        return f"{_GREEK.get(match[0][0], match[0][0])}_{{{match[0][2:]}}}"
    if kind == "bars":
        return match[0].replace("|", r"\mid ")
    if kind == "power":
        return f"{match[0][0]}^{{{match[0][2:]}}}"
    if kind == "relation":
        return r"\le" if match[0] == "<=" else r"\ge"
    if match["greek"]:
        return r"\rho"
    return r"\operatorname{rank}^{+}" if match["rankplus"] else match[0]
