"""A fiber as LaTeX: a page with one theorem, its reason and the list of components.

Only amsmath and amsthm are needed.  Long equations stand in ragged paragraphs, where lines may break at signs, inside
products and inside long numbers, so that nothing sticks out of the margin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from symfiber.errors import InputError
from symfiber.exact import Rational, shorten
from symfiber.report.components import ComponentStatement, ConditionList, Piece, Quantity
from symfiber.report.notation import (
    Phrase,
    approximation_latex,
    condition_sign,
    integer_latex,
    is_short,
    number_latex,
    phrase_latex,
    polynomial_latex,
    prose_latex,
)
from symfiber.report.statement import FiberStatement, describe_fiber
from symfiber.report.text import (
    conditions_head,
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

_ROW_CUT = 16
_MATRIX_WIDTH = 62

_PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=28mm]{geometry}
\usepackage{amsmath,amsthm}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt plus 2pt}
"""

SOURCE = (
    r"J.~Gegenfurtner, M.~Grillo, G.~Mont\'ufar, \emph{The Symmetries of Three-Layer ReLU Networks}, arXiv:2605.18319."
)

STYLES = ("full", "theorem", "table")
DEFAULT_ENVIRONMENT = "fibertheorem"


def fiber_latex(
    fiber: Fiber,
    show_all: bool = False,
    standalone: bool = False,
    style: str = "full",
    environment: str | None = None,
    notation: Mapping[str, str] | None = None,
) -> str:
    r"""Return a fiber as LaTeX.

    Parameters
    ----------
    fiber : Fiber
    show_all : bool
        Print all components, conditions and digits; otherwise long lists are cut with an exact count.
    standalone : bool
        Whether to return a whole document that compiles as it stands, or a part for a document that loads amsmath and
        amsthm.
    style : {"full", "theorem", "table"}
        The whole report; one theorem about the network with its proof; a table of the components.
    environment : str, optional
        The theorem-like environment, for example ``"proposition"``, which the document defines.  By default an
        unnumbered theorem that the text defines itself.
    notation : {letter: symbol}, optional
        Other letters, see :func:`symfiber.report.rename.rename_letters`.

    Raises
    ------
    InputError
        For an unknown style, an environment or a symbol that is none.

    Examples
    --------
    >>> import symfiber as sf
    >>> net = sf.Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])])
    >>> r"\begin{fibertheorem}[H1: hypersurface 0 hidden, 1 live neuron]" in fiber_latex(sf.fiber(net))
    True
    """
    return statement_latex(
        describe_fiber(fiber, show_all, conditions=style == "full"), standalone, style, environment, notation
    )


def statement_latex(
    statement: FiberStatement,
    standalone: bool = False,
    style: str = "full",
    environment: str | None = None,
    notation: Mapping[str, str] | None = None,
) -> str:
    """Write a description as LaTeX; parameters as in :func:`fiber_latex`."""
    from symfiber.report.paper import check_environment, table_latex, theorem_latex
    from symfiber.report.rename import rename_letters

    check_style(style)
    named = DEFAULT_ENVIRONMENT if environment is None else check_environment(environment)
    if style == "theorem":
        body = theorem_latex(statement, named)
    elif style == "table":
        body = table_latex(statement)
    else:
        sections = (_setting, _hypotheses, _neurons, _theorem, _result, _components, _generators, _claims)
        body = "\n\n".join("\n".join(section(statement)) for section in sections)
        body = body.replace(f"{{{DEFAULT_ENVIRONMENT}}}", f"{{{named}}}")
    body = rename_letters(body, notation)
    shape = "-".join(map(str, statement.network.architecture))
    return framed(body, named, environment is None, standalone, f"The fiber of a {shape} ReLU network")


def check_style(style: str) -> None:
    """Raise unless a style exists."""
    if style not in STYLES:
        raise InputError(f"style must be one of {', '.join(STYLES)}, got {shorten(style)}")


def framed(body: str, environment: str, own: bool, standalone: bool, title: str) -> str:
    """Return a body as a part of a document, or as a document: define its environment, explain cut numbers."""
    if r"_{[" in body:
        body += "\n\n\\medskip\\noindent A number $12345{\\cdots}67890_{[17]}$ is an integer of 17 digits, cut."
    needed = rf"\begin{{{environment}}}" in body and (own or standalone)
    defined = _defined(environment) if needed else ""
    body = f"\\begingroup\\emergencystretch=4em\n{defined}{body}\n\\par\\endgroup\n"
    return document_latex(title, body) if standalone else body


def _defined(environment: str) -> str:
    """Define a theorem-like environment unless the document does."""
    title = "Theorem" if environment == DEFAULT_ENVIRONMENT else environment.rstrip("*").capitalize()
    return rf"\ifcsname {environment}\endcsname\else\newtheorem*{{{environment}}}{{{title}}}\fi" + "\n"


def document_latex(title: str, body: str) -> str:
    """Return a whole document that compiles as it stands."""
    return f"{_PREAMBLE}\\begin{{document}}\n\\begin{{center}}\\Large {title}\\end{{center}}\n{body}\\end{{document}}\n"


def fiber_notebook_latex(fiber: Fiber) -> str:
    r"""Return a short summary in one display formula, for notebooks.

    Examples
    --------
    >>> import symfiber as sf
    >>> net = sf.Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])])
    >>> text = fiber_notebook_latex(sf.fiber(net))
    >>> text.startswith("$$") and text.endswith("$$"), r"\text{components} & 2" in text
    (True, True)
    """
    statement = describe_fiber(fiber, conditions=False)
    shape = r"\text{-}".join(map(str, statement.network.architecture))
    theorem, count = statement.theorem, statement.component_count
    rows = [
        ("network", rf"{shape},\ {statement.network.parameter_count}\text{{ parameters}}"),
        ("case", rf"\text{{{theorem.name}: {theorem.title}}}"),
        ("components", r"\text{not counted}" if count is None else integer_latex(count)),
        ("dimension", "?" if statement.dimension is None else str(statement.dimension)),
        ("completeness", rf"\text{{{statement.completeness}}}"),
    ]
    body = r" \\ ".join(rf"\text{{{name}}} & {value}" for name, value in rows)
    return rf"$$\begin{{array}}{{ll}} {body} \end{{array}}$$"


def _setting(statement: FiberStatement) -> Iterator[str]:
    d, n1, n2, m = statement.network.architecture
    yield r"\subsection*{Setting}"
    yield (
        rf"\[{SIGMA.latex},\qquad d={d},\ n_1={n1},\ n_2={n2},\ m={m},\]"
        f"\na point of a parameter space of dimension {statement.network.parameter_count}. " + sentence_latex(NOTATION)
    )
    yield from quantities_latex(statement.layers, statement.full)


def _hypotheses(statement: FiberStatement) -> Iterator[str]:
    yield r"\subsection*{Hypotheses}"
    yield r"\begin{tabular}{@{}lp{0.78\linewidth}@{}}"
    for h in statement.hypotheses:
        name = f"({h.name}) " if h.name else ""
        detail = f" ({prose_latex(h.detail)})" if h.detail else ""
        yield rf"{h.status} & \raggedright {name}{phrase_latex(h.statement)}{detail}\tabularnewline"
    yield r"\end{tabular}"


def _neurons(statement: FiberStatement) -> Iterator[str]:
    yield r"\subsection*{Neurons of layer 2}"
    shown = statement.neurons if statement.full else statement.neurons[:_ROW_CUT]
    yield r"The signs of $[w_j\mid b_j]$ decide the type."
    # Lines of a paragraph, not a table: a full list may be longer than a page.
    for neuron in shown:
        signs = signs_text(neuron).replace("|", r"\mid ").replace("… ", r"\cdots\ ").replace(" more", r"\text{ more}")
        name = rf"\makebox[2em][l]{{{neuron.index}}}\makebox[6em][l]{{{neuron.type}}}"
        yield rf"\par\noindent\hspace*{{1em}}{name}$[{signs}]$"
    if len(shown) < len(statement.neurons):
        yield rf"\par\noindent\hspace*{{1em}}\dots\ and {len(statement.neurons) - len(shown)} more neurons."
    yield rf"\par\noindent Hidden hypersurfaces: {sentence_latex(statement.hidden_reason)}"


def _theorem(statement: FiberStatement) -> Iterator[str]:
    theorem = statement.theorem
    yield rf"\begin{{fibertheorem}}[{theorem.name.removeprefix('Theorem ')}: {prose_latex(theorem.title)}]"
    yield phrase_latex(theorem.premise, statement.full)
    yield r"\begin{enumerate}\setlength{\itemsep}{0pt}"
    last = len(theorem.conditions) - 1
    for place, condition in enumerate(theorem.conditions):
        yield rf"\item {phrase_latex(condition, statement.full)}{'.' if place == last else ';'}"
    yield r"\end{enumerate}"
    for note in theorem.notes:
        yield sentence_latex(note, statement.full)
    yield r"\end{fibertheorem}"
    yield rf"\begin{{proof}}[Reason]{sentence_latex(theorem.reason)}\end{{proof}}"


def _result(statement: FiberStatement) -> Iterator[str]:
    yield r"\subsection*{Result}"
    yield rf"Components: {_count(statement)}; {phrase_latex(statement.count_reason)}."
    if statement.labelled_count is not None:
        yield (
            "They are counted up to permutations of neurons; with neurons labelled there are exactly "
            f"${integer_latex(statement.labelled_count, statement.full)}$."
        )
    yield rf"The dimension of the fiber as described is {prose_latex(dimension_text(statement))}."
    if statement.local_dimension is not None:
        yield f"The local dimension at the network itself is {statement.local_dimension}."
    else:
        yield f"The local dimension at the network itself is not decided: {prose_latex(statement.local_note)}."
    yield f"Identifiable up to permutations and scalings: {yes_no(statement.identifiable)}."


def _count(statement: FiberStatement) -> str:
    count = statement.component_count
    return "not counted" if count is None else f"exactly ${integer_latex(count, statement.full)}$"


def _components(statement: FiberStatement) -> Iterator[str]:
    yield r"\subsection*{Components}"
    for component in statement.components:
        yield from _component(component, statement.full)
    if statement.omitted:
        yield rf"\par\medskip\noindent\dots\ and ${integer_latex(statement.omitted)}$ more components."
    elif statement.omitted is None:
        yield r"\par\medskip\noindent\dots\ and more components, which were not counted."


def _component(component: ComponentStatement, full: bool) -> Iterator[str]:
    number = "" if component.index is None else f" {component.index}"
    own = " It contains the network itself." if component.is_home else ""
    terms = " + ".join(f"{term.value} ({phrase_latex(term.meaning)})" for term in component.terms)
    strata = prose_latex(strata_text(component.free)) if component.free else ""
    yield rf"\paragraph{{Component{number}.}} {phrase_latex(component.title, full)}.{own}"
    yield rf"Dimension {component.dimension} = {terms}{strata}."
    quantities = list(component.quantities)
    if component.free is not None:
        quantities += [x for x in (component.free.slope, component.free.constant) if x not in quantities]
    if component.same_data:
        quantities = quantities[len(component.quantities) :]
        names = [f"${quantity.name.latex}$" for quantity in component.quantities]
        yield f"\\par\\noindent Data {', '.join(names)} as in the first component."
    yield from quantities_latex(quantities, full)
    if component.free is not None:
        yield rf"{{\raggedright Here {phrase_latex(rank_phrase(component.free, full), full)}.\par}}"
    if component.generic_note:
        yield phrase_latex(component.generic_note)
    if not component.pieces:
        yield r"\par\noindent The polynomial conditions are those of the theorem, coordinate by coordinate."
    for piece in component.pieces:
        yield from _piece(piece, full)
    if 0 < len(component.pieces) < component.pieces_total:
        more = counted(component.pieces_total - len(component.pieces), "more set")
        yield rf"\par\noindent And {more}, with more linear neurons."


def quantities_latex(quantities: Iterable[Quantity], full: bool) -> Iterator[str]:
    """Matrices side by side in displays when they fit, otherwise entry by entry in ragged paragraphs."""
    line: list[str] = []
    used = 0
    for quantity in quantities:
        rows = quantity.rows
        if not rows or not rows[0]:
            continue
        exact = full or all(is_short(x) for row in rows for x in row)
        name = quantity.name.latex + ("=" if exact else r"\approx ")
        cells = [[number_latex(x, True) if exact else approximation_latex(x) for x in row] for row in rows]
        width = 10 + sum(max(map(len, column)) + 2 for column in zip(*cells))
        if width > _MATRIX_WIDTH or len(cells) > _ROW_CUT:
            yield rf"{{\par\raggedright\noindent${name}$ {_entries(cells, rows, full)}\par}}"
            continue
        if used + width > _MATRIX_WIDTH:
            yield _display(line)
            line, used = [], 0
        line.append(name + _array(cells))
        used += width + 4
    if line:
        yield _display(line)


def _array(cells: Sequence[Sequence[str]]) -> str:
    if len(cells) == len(cells[0]) == 1:
        return cells[0][0]
    body = r"\\ ".join(" & ".join(row) for row in cells)
    return rf"\left(\begin{{array}}{{{'r' * len(cells[0])}}}{body}\end{{array}}\right)"


def _display(formulas: Sequence[str]) -> str:
    """Short formulas in the text, the others in a display."""
    if all("array" not in formula for formula in formulas):
        return r"\par\noindent " + ", ".join(f"${formula}$" for formula in formulas) + "."
    return r"\[" + r",\qquad ".join(formulas) + r"\]"


def _entries(cells: Sequence[Sequence[str]], rows: Sequence[Sequence[Rational]], full: bool) -> str:
    """All entries row by row; a short report stops after some."""
    shown = cells if full else [row[:8] for row in cells[:4]]
    lines = ["$(" + r",\allowbreak\ ".join(row) + _more(row, rows[i]) for i, row in enumerate(shown)]
    text = ("the matrix with rows " if len(cells) > 1 else "") + ", ".join(lines)
    return text + ("." if len(shown) == len(cells) else rf", \dots\ ({len(cells)} rows).")


def _more(row: Sequence[str], whole: Sequence[Rational]) -> str:
    missing = len(whole) - len(row)
    return ")$" if not missing else rf",\allowbreak\ \dots)$ ({missing} more)"


def _piece(piece: Piece, full: bool) -> Iterator[str]:
    condition = ""
    if piece.linear_count is not None:
        condition = f", with {counted(piece.linear_count, 'linear neuron')}"
    yield rf"\par\noindent Polynomial conditions on the coordinates of $\theta'${condition}:"
    yield r"{\small\raggedright"
    for conditions, relation, kind in (
        (piece.equations, "=", "equation"),
        (piece.positive, ">", "strict inequality"),
        (piece.nonnegative, r"\ge", "non-strict inequality"),
    ):
        yield from _conditions(conditions, relation, kind, full)
    yield r"\par}"


def _conditions(conditions: ConditionList, relation: str, kind: str, full: bool) -> Iterator[str]:
    """One paragraph a kind; a full list has one line a condition."""
    if not conditions.polynomials:
        return
    shown = []
    for polynomial in conditions.shown(full):
        turn = relation != "=" and condition_sign(polynomial) < 0
        left = polynomial_latex(-polynomial if turn else polynomial, full)
        sign = {">": "<", r"\ge": r"\le"}[relation] if turn else relation
        shown.append(f"${left}{sign} 0$")
    omitted = len(conditions.polynomials if full else conditions.own) - len(shown)
    if omitted:
        shown.append(rf"\dots\ and {omitted} more")
    head = rf"\par\noindent\hangindent=4em\hspace*{{1em}}{conditions_head(conditions, kind, full)}"
    if not shown:
        yield f"{head}."
    elif full:
        yield f"{head}:"
        yield from (rf"\par\noindent\hangindent=4em\hspace*{{2em}}{condition}" for condition in shown)
    else:
        yield f"{head}: " + r",\quad ".join(shown) + "."


def _generators(statement: FiberStatement) -> Iterator[str]:
    yield r"\subsection*{Generators of the symmetries at this network}"
    shown = statement.generators if statement.full else statement.generators[:_ROW_CUT]
    yield r"\begin{itemize}\setlength{\itemsep}{0pt}"
    for g in shown:
        kind = f"continuous, dimension {g.dimension}" if g.kind == "continuous" else g.kind
        yield (
            rf"\item \emph{{{prose_latex(g.name)}}} ({kind}), {prose_latex(g.domain)}: {prose_latex(g.effect)}; "
            f"inverse: {prose_latex(g.inverse)}."
        )
    if len(shown) < len(statement.generators):
        yield rf"\item \dots\ and {len(statement.generators) - len(shown)} more."
    yield r"\end{itemize}"


def _claims(statement: FiberStatement) -> Iterator[str]:
    yield r"\subsection*{What is claimed}"
    yield from _list(statement.claimed)
    yield r"\subsection*{What is not claimed}"
    yield from _list(statement.not_claimed)
    yield rf"\par\noindent Source of the theorems: {SOURCE}"


def _list(phrases: Iterable[Phrase]) -> Iterator[str]:
    yield r"\begin{itemize}\setlength{\itemsep}{0pt}"
    yield from (rf"\item {phrase_latex(phrase)}" for phrase in phrases)
    yield r"\end{itemize}"


def sentence_latex(phrase: Phrase, full: bool = False) -> str:
    """A phrase that begins with a capital letter when it begins with a word."""
    text = phrase_latex(phrase, full)
    return text[:1].upper() + text[1:]
