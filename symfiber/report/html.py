"""A fiber as one piece of HTML without outside references; details fold away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from symfiber.report.components import ComponentStatement, ConditionList, Piece, Quantity
from symfiber.report.notation import (
    Formula,
    Phrase,
    approximation,
    condition_sign,
    integer_text,
    is_short,
    number_text,
    polynomial_text,
    was_cut,
)
from symfiber.report.statement import FiberStatement, describe_fiber
from symfiber.report.text import (
    conditions_head,
    count_text,
    counted,
    dimension_text,
    rank_phrase,
    signs_text,
    strata_text,
    yes_no,
)
from symfiber.report.theorem import NOTATION, SIGMA

if TYPE_CHECKING:
    from symfiber.decomposition import Fiber

_STYLE = """
.symfiber { font-family: Georgia, serif; max-width: 60em; line-height: 1.45; }
.symfiber h2 { font-size: 1.25em; margin: 0.2em 0; } .symfiber h3 { font-size: 1.05em; margin: 1em 0 0.2em; }
.symfiber table { border-collapse: collapse; margin: 0.3em 0; }
.symfiber td { padding: 0.1em 0.7em; text-align: right; }
.symfiber .words td { text-align: left; } .symfiber .bias { border-left: 1px dotted; }
.symfiber .matrix { border-left: 1px solid; border-right: 1px solid; }
.symfiber .m { font-style: italic; } .symfiber code { white-space: pre-wrap; overflow-wrap: anywhere; }
.symfiber .theorem { border-left: 3px solid #888; padding-left: 1em; } .symfiber details { margin: 0.4em 0 0.4em 1em; }
.symfiber .quantity { display: inline-flex; align-items: center; margin-right: 2em; max-width: 100%; overflow-x: auto; }
.symfiber th { padding: 0.1em 0.7em; text-align: left; }
"""


def fiber_html(fiber: Fiber, show_all: bool = False, standalone: bool = False) -> str:
    """Return the report of a fiber as HTML.

    Parameters
    ----------
    fiber : Fiber
    show_all : bool
        Print all components, conditions and digits; otherwise long lists are cut with an exact count.
    standalone : bool
        Whether to return a whole document, or one ``div`` for a notebook.

    Examples
    --------
    >>> import symfiber as sf
    >>> net = sf.Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])])
    >>> fiber_html(sf.fiber(net)).startswith('<div class="symfiber">')
    True
    """
    return statement_html(describe_fiber(fiber, show_all), standalone)


def statement_html(statement: FiberStatement, standalone: bool = False) -> str:
    """Write a description as HTML."""
    sections = (_head, _hypotheses, _neurons, _theorem, _result, _components, _generators, _claims)
    body = "\n".join(line for section in sections for line in section(statement))
    if was_cut(body):
        body += "\n<p>12345…67890{17} is an integer of 17 digits, cut in the middle.</p>"
    return document_html(_title(statement), body, standalone)


def document_html(title: str, body: str, standalone: bool) -> str:
    """Return a body with its style as one ``div``, or as a whole document."""
    part = f'<div class="symfiber">\n<style>{_STYLE}</style>\n{body}\n</div>'
    if not standalone:
        return part
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escape(title)}</title></head>\n'
        f"<body>\n{part}\n</body>\n</html>\n"
    )


def _title(statement: FiberStatement) -> str:
    return f"The fiber of a {'-'.join(map(str, statement.network.architecture))} ReLU network"


def _head(statement: FiberStatement) -> Iterator[str]:
    d, n1, n2, m = statement.network.architecture
    yield f"<h2>{escape(_title(statement))}</h2>"
    yield (
        f"<p>{_formula(SIGMA)}, with d = {d}, n<sub>1</sub> = {n1}, n<sub>2</sub> = {n2}, m = {m}; "
        f"{statement.network.parameter_count} parameters. {phrase_html(NOTATION)}</p>"
    )
    yield f"<details><summary>The network</summary>{_matrices(statement.layers, statement.full)}</details>"


def _hypotheses(statement: FiberStatement) -> Iterator[str]:
    yield '<h3>Hypotheses</h3><table class="words">'
    for h in statement.hypotheses:
        name = f"({escape(h.name)}) " if h.name else ""
        detail = f" ({escape(h.detail)})" if h.detail else ""
        yield f"<tr><td>{escape(h.status)}</td><td>{name}{phrase_html(h.statement)}{detail}</td></tr>"
    yield "</table>"


def _neurons(statement: FiberStatement) -> Iterator[str]:
    yield '<h3>Neurons of layer 2</h3><table class="words">'
    shown = statement.neurons if statement.full else statement.neurons[:16]
    for neuron in shown:
        signs = escape(signs_text(neuron))
        yield f"<tr><td>{neuron.index}</td><td>{escape(neuron.type)}</td><td><code>[{signs}]</code></td></tr>"
    yield "</table>"
    if len(shown) < len(statement.neurons):
        yield f"<p>… and {len(statement.neurons) - len(shown)} more neurons.</p>"
    yield f"<p>Hidden hypersurfaces: {phrase_html(statement.hidden_reason)}</p>"


def _theorem(statement: FiberStatement) -> Iterator[str]:
    theorem, full = statement.theorem, statement.full
    yield f'<div class="theorem"><p><b>{escape(theorem.name)}</b> ({escape(theorem.title)}). '
    yield f"{phrase_html(theorem.premise, full)}</p><ol>"
    yield from (f"<li>{phrase_html(condition, full)};</li>" for condition in theorem.conditions)
    yield "</ol>"
    yield from (f"<p>{phrase_html(note, full)}</p>" for note in theorem.notes)
    yield f"<p><i>Reason.</i> {phrase_html(theorem.reason)}</p></div>"


def _result(statement: FiberStatement) -> Iterator[str]:
    yield '<h3>Result</h3><table class="words">'
    labelled = statement.labelled_count
    copies = "not counted" if labelled is None else f"exactly {integer_text(labelled, statement.full)}"
    local = statement.local_note if statement.local_dimension is None else str(statement.local_dimension)
    rows = [
        ("components", f"{escape(count_text(statement))}; {phrase_html(statement.count_reason)}"),
        ("with neurons labelled", copies),
        ("dimension as described", escape(dimension_text(statement))),
        ("local dimension", escape(local)),
        ("identifiable", yes_no(statement.identifiable)),
        ("completeness", escape(statement.completeness)),
    ]
    yield from (f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in rows)
    yield "</table>"


def _components(statement: FiberStatement) -> Iterator[str]:
    yield "<h3>Components</h3>"
    for component in statement.components:
        yield from _component(component, statement.full)
    if statement.omitted:
        yield f"<p>… and {escape(integer_text(statement.omitted))} more components.</p>"
    elif statement.omitted is None:
        yield "<p>… and more components, which were not counted.</p>"


def _component(component: ComponentStatement, full: bool) -> Iterator[str]:
    number = "" if component.index is None else f" {component.index}"
    own = ", contains the network itself" if component.is_home else ""
    opened = " open" if component.is_home else ""
    yield f"<details{opened}><summary>Component{number}: {phrase_html(component.title, full)}{own}, dimension "
    yield f"{component.dimension}</summary>"
    terms = " + ".join(f"{term.value} ({phrase_html(term.meaning)})" for term in component.terms)
    strata = escape(strata_text(component.free)) if component.free else ""
    yield f"<p>Dimension {component.dimension} = {terms}{strata}.</p>"
    quantities = list(component.quantities)
    if component.free is not None:
        quantities += [x for x in (component.free.slope, component.free.constant) if x not in quantities]
    if component.same_data:
        quantities = quantities[len(component.quantities) :]
        names = [_formula(quantity.name) for quantity in component.quantities]
        yield f"<p>Data {', '.join(names)} as in the first component.</p>"
    yield _matrices(quantities, full)
    if component.free is not None:
        yield f"<p>{phrase_html(rank_phrase(component.free, full), full)}.</p>"
    if component.generic_note:
        yield f"<p>{phrase_html(component.generic_note)}</p>"
    if not component.pieces:
        yield "<p>The polynomial conditions are those of the theorem, coordinate by coordinate.</p>"
    for piece in component.pieces:
        yield from _piece(piece, full)
    if 0 < len(component.pieces) < component.pieces_total:
        more = counted(component.pieces_total - len(component.pieces), "more set")
        yield f"<p>… and {more}, with more linear neurons.</p>"
    yield "</details>"


def _matrices(quantities: Iterable[Quantity], full: bool) -> str:
    return "".join(_matrix(quantity, full) for quantity in quantities if quantity.rows and quantity.rows[0])


def _matrix(quantity: Quantity, full: bool) -> str:
    exact = full or all(is_short(x) for row in quantity.rows for x in row)
    shown = quantity.rows if full else [row[:12] for row in quantity.rows[:12]]
    rows = "".join(
        "<tr>" + "".join(f"<td>{number_text(x, True) if exact else approximation(x)}</td>" for x in row) + "</tr>"
        for row in shown
    )
    missing = sum(map(len, quantity.rows)) - sum(map(len, shown))
    more = f" … and {missing} more entries" if missing else ""
    relation = "=" if exact else "≈"
    return (
        f'<div class="quantity">{_formula(quantity.name)} {relation} <table class="matrix">{rows}</table>{more}</div>'
    )


def _piece(piece: Piece, full: bool) -> Iterator[str]:
    condition = ""
    if piece.linear_count is not None:
        condition = f", with {counted(piece.linear_count, 'linear neuron')}"
    yield f"<details><summary>polynomial conditions{condition}</summary>"
    for conditions, relation, kind in (
        (piece.equations, "=", "equation"),
        (piece.positive, ">", "strict inequality"),
        (piece.nonnegative, "≥", "non-strict inequality"),
    ):
        yield from _conditions(conditions, relation, kind, full)
    yield "</details>"


def _conditions(conditions: ConditionList, relation: str, kind: str, full: bool) -> Iterator[str]:
    if not conditions.polynomials:
        return
    lines = []
    shown = conditions.shown(full)
    for polynomial in shown:
        turn = relation != "=" and condition_sign(polynomial) < 0
        left = polynomial_text(-polynomial if turn else polynomial, full)
        lines.append(escape(f"{left} { {'>': '<', '≥': '≤'}[relation] if turn else relation } 0"))
    omitted = len(conditions.polynomials if full else conditions.own) - len(shown)
    if omitted:
        lines.append(f"… and {omitted} more")
    body = "\n".join(lines)
    yield f"<p>{escape(conditions_head(conditions, kind, full))}<br><code>{body}</code></p>"


def _generators(statement: FiberStatement) -> Iterator[str]:
    yield "<h3>Generators of the symmetries at this network</h3><ul>"
    shown = statement.generators if statement.full else statement.generators[:16]
    for g in shown:
        kind = f"continuous, dimension {g.dimension}" if g.kind == "continuous" else g.kind
        words = escape(f" ({kind}), {g.domain}: {g.effect}; inverse: {g.inverse}.")
        yield f"<li><b>{escape(g.name)}</b>{words}</li>"
    yield "</ul>"
    if len(shown) < len(statement.generators):
        yield f"<p>… and {len(statement.generators) - len(shown)} more generators.</p>"


def _claims(statement: FiberStatement) -> Iterator[str]:
    for head, phrases in (("Claimed", statement.claimed), ("Not claimed", statement.not_claimed)):
        yield f"<h3>{head}</h3><ul>"
        yield from (f"<li>{phrase_html(phrase)}</li>" for phrase in phrases)
        yield "</ul>"


def phrase_html(phrase: Phrase, full: bool = False) -> str:
    """Return a phrase as HTML, everything escaped, formulas with lowered indices."""
    return "".join(
        escape(part)
        if isinstance(part, str)
        else _formula(part)
        if isinstance(part, Formula)
        else escape(number_text(part, full))
        for part in phrase
    )


_SUBSCRIPT = re.compile(r"_(?:\{([^{}]*)\}|(\w))")
_LAYER = re.compile(r"\b([WbnM])(\d)")


def _formula(formula: Formula) -> str:
    """The text form, with indices lowered and exponents raised."""
    text = escape(formula.text.replace("<=", "≤").replace(">=", "≥"), quote=False).replace("'", "′")
    text = _LAYER.sub(r"\1<sub>\2</sub>", text)
    text = _SUBSCRIPT.sub(lambda m: f"<sub>{m[1] if m[1] is not None else m[2]}</sub>", text)
    text = re.sub(r"\^(-?\w+)", r"<sup>\1</sup>", text).replace("rank+", "rank<sup>+</sup>").replace("sum", "Σ")
    return f'<span class="m">{text}</span>'
