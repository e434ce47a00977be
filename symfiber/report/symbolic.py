"""The fiber of a symbolic network as text, LaTeX, HTML and JSON-ready data: sections of phrases, written four ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from symfiber.bottleneck import Bottleneck
from symfiber.errors import LimitExceededError
from symfiber.exact import Rational
from symfiber.orthant import OrthantFunction
from symfiber.report.html import document_html, phrase_html
from symfiber.report.latex import DEFAULT_ENVIRONMENT, SOURCE, check_style, framed
from symfiber.report.notation import (
    Formula,
    Phrase,
    escape_latex,
    phrase_latex,
    phrase_text,
    polynomial_latex,
    polynomial_text,
    prose_latex,
)
from symfiber.report.paper import check_environment
from symfiber.report.rename import rename_letters
from symfiber.report.theorem import SIGMA, Theorem
from symfiber.report.theorem_hidden import hidden_theorem
from symfiber.report.theorem_visible import visible_theorem
from symfiber.report.theorems import constant_theorem
from symfiber.semialgebraic import BasicSet, Union

if TYPE_CHECKING:
    from symfiber.symbolic import SymbolicFiber

FORMAT = "symfiber-symbolic-fiber/1"
_SHOWN_CONDITIONS = 8
_SHOWN_LINES = 16


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it, one phrase a line; ``note`` comes before the lines."""

    title: str
    note: Phrase
    lines: tuple[Phrase, ...]


def symbolic_sections(fiber: SymbolicFiber, show_all: bool = False) -> tuple[Section, ...]:
    """Describe a symbolic fiber: setting, theorem, components with conditions, hypotheses."""
    theorem = _theorem(fiber)
    assumed = tuple((_condition(p, ">"),) for p in fiber.assumptions.set.positive)
    types = tuple((f"neuron {j} of layer 2 is {kind}",) for j, kind in enumerate(fiber.types))
    hidden: tuple[Phrase, ...] = ()
    if fiber.hidden is not None:
        hidden = ((f"the hypersurface of first-layer neuron {fiber.hidden} is hidden",),)
    return (
        Section("Setting", (SIGMA, ", for all values with"), assumed or (("no assumption",),)),
        Section("Neurons", ("They follow from the assumed signs:",), types + hidden),
        Section(f"{theorem.name}: {theorem.title}", theorem.premise, (*theorem.conditions, *theorem.notes)),
        _components(fiber, show_all),
        _hypotheses(fiber, show_all),
    )


def _theorem(fiber: SymbolicFiber) -> Theorem:
    """The theorem of the case, stated with the signs in place of the numbers."""
    sign = fiber.assumptions.sign
    g = fiber.function
    signs = OrthantFunction(
        tuple(tuple(Rational(sign(x)) for x in row) for row in g.weight),
        tuple(Rational(sign(b)) for b in g.bias),
        tuple(tuple(Rational(1) for _ in column) for column in g.outgoing),
        tuple(Rational(0) for _ in g.offset),
    )
    if fiber.case == "constant":
        return constant_theorem()
    hidden = () if fiber.hidden is None else (fiber.hidden,)
    bottleneck = Bottleneck(fiber.network, signs, fiber.types, hidden, fiber.case)
    return hidden_theorem(bottleneck, with_numbers=False) if hidden else visible_theorem(bottleneck)


def _components(fiber: SymbolicFiber, show_all: bool) -> Section:
    lines: list[Phrase] = []
    for component in fiber.components if show_all else fiber.components[:_SHOWN_LINES]:
        label = ", ".join(f"{s:+d}" if fiber.case == "visible" else str(s) for s in component.orientation)
        head: Phrase = (f"({label}), {component.description}: ",)
        where: Phrase = ("for all these values",) if component.always else _where(component.condition, show_all)
        sizes: list[Any] = []
        for part, value in component.dimensions:
            sizes.append(f"; dimension {value}")
            if len(component.dimensions) > 1:
                sizes += [" ", *_where(part, show_all)]
        lines.append((*head, *where, *sizes))
    missing = len(fiber.components) - len(lines)
    if missing:
        lines.append((f"and {missing} more components",))
    note = "Each is contained in the fiber wherever its condition holds."
    return Section("Components", (note,), tuple(lines))


def _hypotheses(fiber: SymbolicFiber, show_all: bool) -> Section:
    title = "Completeness"
    try:
        found = fiber.hypotheses
    except LimitExceededError as error:
        note = f"The components contain all generic members for values with G1, G2 and G3, not listed: {error}."
        return Section(title, (note,), ())
    if not found:
        return Section(title, ("The components contain all generic members, for all these values.",), ())
    lines: list[Phrase] = [(str(h),) for h in (found if show_all else found[:_SHOWN_LINES])]
    if len(lines) < len(found):
        lines.append((f"and {len(found) - len(lines)} more conditions",))
    return Section(title, ("The components contain all generic members for values with",), tuple(lines))


def _where(condition: Union, show_all: bool) -> Phrase:
    """Write "where A or B" with the conditions of the pieces."""
    parts: list[Any] = ["where "]
    for place, piece in enumerate(condition.pieces):
        parts += [", or " if place else "", *_piece(piece, show_all)]
    return tuple(parts)


def _piece(piece: BasicSet, show_all: bool) -> Iterator[Formula | str]:
    conditions = piece.conditions()
    shown = conditions if show_all else conditions[:_SHOWN_CONDITIONS]
    for place, (p, relation) in enumerate(shown):
        yield ", " if place else ""
        yield _condition(p, relation)
    if len(shown) < len(conditions):
        yield f", and {len(conditions) - len(shown)} more conditions"


def _condition(p: Any, relation: str) -> Formula:
    turned = len(p.terms()) == 1 and p.leading_coefficient() < 0 and relation != "="
    left = -p if turned else p
    sign = {"=": "=", ">": "<" if turned else ">", "≥": "≤" if turned else "≥"}[relation]
    latex = {"≤": r"\le", "≥": r"\ge"}.get(sign, sign)
    return Formula(f"{polynomial_text(left)} {sign} 0", f"{polynomial_latex(left)}{latex} 0")


def _title(fiber: SymbolicFiber) -> str:
    return f"The fiber of a symbolic {'-'.join(map(str, fiber.network.architecture))} ReLU network"


def symbolic_text(fiber: SymbolicFiber, show_all: bool = False) -> str:
    """Return a symbolic fiber as readable text.

    Examples
    --------
    >>> import symfiber as sf
    >>> print(symbolic_text(sf.fiber(sf.Network.symbolic((2, 2, 1, 1), signs=["+-+"]))).splitlines()[0])
    The fiber of a symbolic 2-2-1-1 ReLU network
    """
    lines = [_title(fiber)]
    for section in symbolic_sections(fiber, show_all):
        lines += ["", section.title, f"  {phrase_text(section.note)}"]
        lines += [f"    {phrase_text(line)}" for line in section.lines]
    return "\n".join(lines) + "\n"


def symbolic_latex(
    fiber: SymbolicFiber,
    show_all: bool = False,
    standalone: bool = False,
    style: str = "full",
    environment: str | None = None,
    notation: Mapping[str, str] | None = None,
) -> str:
    """Return a symbolic fiber as LaTeX; parameters as in :func:`symfiber.report.latex.fiber_latex`."""
    check_style(style)
    setting, neurons, theorem, components, completeness = symbolic_sections(fiber, show_all)
    named = DEFAULT_ENVIRONMENT if environment is None else check_environment(environment)
    if style == "table":
        body = _itemize(components.lines)
    elif style == "theorem":
        title = escape_latex(_title(fiber))
        head = rf"\begin{{{named}}}[{title}]"
        parts = [head, *_blocks(setting, theorem, components, completeness), rf"\end{{{named}}}", *_proof(fiber)]
        body = "\n".join(parts)
    else:
        parts = []
        for section in (setting, neurons, theorem, components, completeness):
            parts += [rf"\subsection*{{{escape_latex(section.title)}}}", *_blocks(section)]
        body = "\n".join((*parts, rf"\par\noindent Source of the theorems: {SOURCE}"))
    return framed(rename_letters(body, notation), named, environment is None, standalone, _title(fiber))


def _blocks(*sections: Section) -> Iterator[str]:
    for section in sections:
        yield rf"{{\raggedright {_sentence(section.note)}\par}}"
        yield from filter(None, [_itemize(section.lines)])


def _proof(fiber: SymbolicFiber) -> Iterator[str]:
    yield rf"\begin{{proof}}{_sentence(_theorem(fiber).reason)} The description of these fibers is due to {SOURCE}"
    moves = ", ".join(prose_latex(g.name) for g in fiber.generators)
    yield (
        f"\n\nThese moves keep the function for all these values: {moves}; each is an identity of polynomials on every "
        "cell."
    )
    yield r"\end{proof}"


def _sentence(note: Phrase) -> str:
    text = phrase_latex(note)
    return text[:1].upper() + text[1:]


def _itemize(lines: Sequence[Phrase]) -> str:
    if not lines:
        return ""
    items = "\n".join(rf"\item {phrase_latex(line)}" for line in lines)
    return f"\\begin{{itemize}}\\raggedright\\setlength{{\\itemsep}}{{0pt}}\n{items}\n\\end{{itemize}}"


def symbolic_html(fiber: SymbolicFiber, show_all: bool = False, standalone: bool = False) -> str:
    """Return a symbolic fiber as HTML, one ``div`` or a whole document."""
    parts = [f"<h2>{escape(_title(fiber))}</h2>"]
    for section in symbolic_sections(fiber, show_all):
        items = "".join(f"<li>{phrase_html(line)}</li>" for line in section.lines)
        parts.append(
            f"<details open><summary>{escape(section.title)}</summary><p>{phrase_html(section.note)}</p>"
            f"<ul>{items}</ul></details>"
        )
    return document_html(_title(fiber), "\n".join(parts), standalone)


def symbolic_data(fiber: SymbolicFiber) -> dict[str, Any]:
    """Return a symbolic fiber as JSON-ready data; polynomials are texts in the base symbols."""
    try:
        hypotheses: list[dict[str, Any]] | None = [
            {"name": h.name, "statement": h.statement, "positive": str(h.polynomial)} for h in fiber.hypotheses
        ]
    except LimitExceededError:
        hypotheses = None
    return {
        "format": FORMAT,
        "network": fiber.network.to_dict(),
        "symbols": list(fiber.ring.names),
        "assumed_positive": [str(p) for p in fiber.assumptions.set.positive],
        "types": list(fiber.types),
        "case": fiber.case,
        "hidden": fiber.hidden,
        "components": [
            {
                "orientation": list(c.orientation),
                "description": c.description,
                "condition": None if c.always else _union_data(c.condition),
                "dimensions": [
                    {"dimension": value, "condition": _union_data(part) if len(c.dimensions) > 1 else None}
                    for part, value in c.dimensions
                ],
            }
            for c in fiber.components
        ],
        "hypotheses": hypotheses,
    }


def _union_data(value: Union) -> list[dict[str, list[str]]]:
    return [
        {
            "equations": [str(p) for p in piece.equations],
            "positive": [str(p) for p in piece.positive],
            "nonnegative": [str(p) for p in piece.nonnegative],
        }
        for piece in value.pieces
    ]
