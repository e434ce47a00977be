"""Rich display in notebooks: networks, components, sets, verdicts and graphs.

Numbers carry their signs, so colours only repeat what is written; long output is cut with a count.  The HTML follows
the colours of the page and loads nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

from symfiber.exact import Polynomial, Rational, sign
from symfiber.report.html import document_html, phrase_html
from symfiber.report.notation import (
    Formula,
    approximation,
    condition_sign,
    is_short,
    number_text,
    polynomial_latex,
    polynomial_text,
)

if TYPE_CHECKING:
    from symfiber.constraints import ConstrainedFiber
    from symfiber.decomposition import Component
    from symfiber.equivalence import Equivalence
    from symfiber.network import Network
    from symfiber.semialgebraic import BasicSet, SemialgebraicSet

_ROWS, _COLUMNS = 12, 12
_SHOWN_COMPONENTS = 24
_SHOWN_CONDITIONS = 12
_COLORS = {1: "#2f7fc8", -1: "#d1404f", 0: "inherit"}


def network_html(net: Network) -> str:
    """Return the layers [W|b] as matrices; entries are blue when positive and red when negative.

    Examples
    --------
    >>> from symfiber import Network
    >>> net = Network([([[1, "-1/2"]], [0])])
    >>> "−1/2" in network_html(net), network_html(net).count("<tr>")
    (True, 1)
    """
    shape = "–".join(map(str, net.architecture))
    over = f" over {escape(repr(net.ring))}" if net.ring is not None else ""
    parts = [f"<p><b>ReLU network {shape}</b>, {net.parameter_count} parameters{over}</p>"]
    for number, layer in enumerate(net.scalar_layers, start=1):
        rows = [(*row, b) for row, b in zip(layer.weight, layer.bias)]
        name = phrase_html((Formula(f"[W{number}|b{number}]", ""),))
        parts.append(_matrix(name, rows, net))
    return document_html("", "\n".join(parts), standalone=False)


def _matrix(name: str, rows: Sequence[Sequence[Any]], net: Network) -> str:
    exact = all(is_short(x) for row in rows for x in row if isinstance(x, Rational))
    columns = len(rows[0])
    shown = [row if columns <= _COLUMNS else (*row[: _COLUMNS - 1], None, row[-1]) for row in rows[:_ROWS]]
    body = "".join(f"<tr>{''.join(_cell(x, net, exact, last) for last, x in _marked(row))}</tr>" for row in shown)
    missing = len(rows) * columns - sum(sum(x is not None for x in row) for row in shown)
    more = f" … {missing} more entries" if missing else ""
    relation = "=" if exact else "≈"
    return f'<div class="quantity">{name} {relation} <table class="matrix">{body}</table>{more}</div>'


def _marked(row: Sequence[Any]) -> Iterable[tuple[bool, Any]]:
    return ((place == len(row) - 1, x) for place, x in enumerate(row))


def _cell(value: Any, net: Network, exact: bool, is_bias: bool) -> str:
    border = ' class="bias"' if is_bias else ""
    if value is None:
        return f"<td{border}>…</td>"
    if isinstance(value, Polynomial):
        found = net.signs.get(str(value), 0)
        mark = {1: " (&gt; 0)", -1: " (&lt; 0)", 0: ""}[found]
        text = escape(polynomial_text(value)) + mark
    else:
        found = sign(value)
        text = (number_text(value) if exact else approximation(value)).replace("-", "−")
    return f'<td{border} style="color:{_COLORS[found]}">{text}</td>'


def components_html(components: Iterable[Component], count: int | None) -> str:
    """Return components as a table: index, orientation, dimension, description; the first 24 and a count."""
    shown = list(islice(components, _SHOWN_COMPONENTS))
    rows = "".join(
        f"<tr><td>{index}</td><td><code>{escape(str(c.orientation))}</code></td><td>{c.dimension}</td>"
        f"<td>{escape(c.description)}</td></tr>"
        for index, c in enumerate(shown)
    )
    head = "<tr><th></th><th>orientation</th><th>dimension</th><th></th></tr>"
    more = ""
    if count is None:
        more = "<p>… and more components, which were not counted.</p>"
    elif count > len(shown):
        more = f"<p>… and {count - len(shown)} more components.</p>"
    return document_html("", f'<table class="words">{head}{rows}</table>{more}', standalone=False)


def set_latex(value: SemialgebraicSet) -> str:
    r"""Return a set in one display formula; long ones are cut with a count.

    Examples
    --------
    >>> from symfiber.exact import PolynomialRing
    >>> from symfiber.semialgebraic import BasicSet
    >>> R = PolynomialRing(("x", "y")); x, y = R.generators
    >>> print(set_latex(BasicSet(R, [x - y])))
    $$\left\{\begin{aligned} \mathrm{x} - \mathrm{y} &= 0 \end{aligned}\right\}$$
    """
    pieces = [_piece_latex(piece) for piece in value.pieces[:4]]
    more = len(value.pieces) - len(pieces)
    if more > 0:
        pieces.append(rf"\text{{{more} more sets}}")
    body = r" \cup ".join(pieces) or r"\varnothing"
    return f"$${body}$$"


def _piece_latex(piece: BasicSet) -> str:
    conditions = piece.conditions()
    lines = []
    for p, relation in conditions[:_SHOWN_CONDITIONS]:
        turned = relation != "=" and condition_sign(p) < 0
        symbol = {"=": "=", ">": "<" if turned else ">", "≥": r"\le" if turned else r"\ge"}[relation]
        lines.append(f"{polynomial_latex(-p if turned else p)} &{symbol} 0".replace(r"\allowbreak ", ""))
    if len(conditions) > len(lines):
        lines.append(rf"&\text{{{len(conditions) - len(lines)} more conditions}}")
    if not lines:
        return rf"\mathbb{{R}}^{{{len(piece.ring.names)}}}"
    body = r"\\ ".join(lines)
    return rf"\left\{{\begin{{aligned}} {body} \end{{aligned}}\right\}}"


def equivalence_html(verdict: Equivalence) -> str:
    """Return a verdict: equal with its moves, or different with a point and both values."""
    if verdict.equivalent:
        steps = "".join(f"<li>{escape(step)}</li>" for step in verdict.chain[:_SHOWN_CONDITIONS])
        more = len(verdict.chain) - _SHOWN_CONDITIONS
        cut = f"<li>… and {more} more</li>" if more > 0 else ""
        body = f"<p><b>The same function</b>, proved by {escape(verdict.method)}.</p>"
        if steps:
            body += f"<details><summary>{len(verdict.chain)} steps</summary><ol>{steps}{cut}</ol></details>"
        return document_html("", body, standalone=False)
    assert verdict.witness is not None
    values = "".join(
        f"<tr><td>{name}</td><td><code>{escape(_point(net(verdict.witness)))}</code></td></tr>"
        for name, net in (("first network", verdict.a), ("second network", verdict.b))
    )
    body = (
        f"<p><b>Different functions</b>, at x = <code>{escape(_point(verdict.witness))}</code>:</p>"
        f'<table class="words">{values}</table>'
    )
    return document_html("", body, standalone=False)


def _point(values: Sequence[Any]) -> str:
    shown = [number_text(Rational(v.numerator, v.denominator)) for v in values[:_COLUMNS]]
    more = f", … ({len(values) - _COLUMNS} more)" if len(values) > _COLUMNS else ""
    return f"({', '.join(shown)}{more})"


def constrained_html(left: ConstrainedFiber) -> str:
    """Return what is left of every component as a table."""
    rows = "".join(
        f"<tr><td><code>{escape(str(part.component.orientation))}</code></td><td>{part.status}</td>"
        f"<td>{escape(', '.join(type(e).__name__ for e in part.evidence))}</td></tr>"
        for part in left.parts[:_SHOWN_COMPONENTS]
    )
    more = len(left.parts) - _SHOWN_COMPONENTS
    cut = f"<p>… and {more} more.</p>" if more > 0 else ""
    head = "<tr><th>component</th><th>status</th><th>evidence</th></tr>"
    title = f"<p>{len(left.left)} of {len(left.parts)} components left</p>"
    return document_html("", f'{title}<table class="words">{head}{rows}</table>{cut}', standalone=False)
