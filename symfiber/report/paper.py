"""A fiber for a paper: a theorem with its proof, or a table of components."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from symfiber.errors import InputError
from symfiber.exact import shorten
from symfiber.report.components import ComponentStatement
from symfiber.report.latex import SOURCE, quantities_latex, sentence_latex
from symfiber.report.notation import integer_latex, phrase_latex, prose_latex
from symfiber.report.statement import FiberStatement
from symfiber.report.text import dimension_text
from symfiber.report.theorem import NOTATION, SIGMA

_ROWS_OF_A_TABLE = 40
_SHOWN_MOVES = 12
_ENVIRONMENT = re.compile(r"[A-Za-z]+\*?")


def check_environment(environment: str) -> str:
    """Return the name of a LaTeX environment, or raise."""
    if not isinstance(environment, str) or not _ENVIRONMENT.fullmatch(environment):
        raise InputError(f"environment must be the name of a LaTeX environment, got {shorten(environment)}")
    return environment


def theorem_latex(statement: FiberStatement, environment: str) -> str:
    """Write the description of a fiber as one theorem about the network, with its proof."""
    start, *paragraphs, end = _proof(statement)
    return "\n".join((*_theorem(statement, environment), start, "\n\n".join(paragraphs), end))


def _theorem(statement: FiberStatement, environment: str) -> Iterator[str]:
    full, theorem = statement.full, statement.theorem
    d, n1, n2, m = statement.network.architecture
    yield rf"\begin{{{environment}}}[{prose_latex(f'The fiber of a {d}-{n1}-{n2}-{m} network')}]"
    yield rf"Let ${SIGMA.latex}$ with $\sigma(z)=\max(0,z)$ and"
    yield from quantities_latex(statement.layers, full)
    yield sentence_latex(NOTATION)
    yield from _count(statement)
    yield phrase_latex(theorem.premise, full)
    yield r"\begin{enumerate}\setlength{\itemsep}{0pt}"
    last = len(theorem.conditions) - 1
    for place, condition in enumerate(theorem.conditions):
        yield rf"\item {phrase_latex(condition, full)}{'.' if place == last else ';'}"
    yield r"\end{enumerate}"
    for note in theorem.notes:
        yield sentence_latex(note, full)
    yield rf"\end{{{environment}}}"


def _count(statement: FiberStatement) -> Iterator[str]:
    """What is described, and what is claimed of it."""
    count = statement.component_count
    number = "components that are not counted" if count is None else f"exactly ${integer_latex(count)}$ components"
    if count == 1:
        number = "exactly one component"
    yield (
        "The set of parameters described below consists, up to renumbering the neurons of each hidden layer, of "
        f"{number}. Its dimension is {prose_latex(dimension_text(statement))}."
    )
    yield from (phrase_latex(claim) for claim in statement.claimed)
    if statement.completeness == "not claimed":
        yield from (phrase_latex(claim) for claim in statement.not_claimed[:1])


def _proof(statement: FiberStatement) -> Iterator[str]:
    yield r"\begin{proof}"
    checked = [h for h in statement.hypotheses if h.status == "proved"]
    texts = [f"{f'({h.name}) ' if h.name else ''}{phrase_latex(h.statement)}" for h in checked]
    yield f"The following was checked in exact arithmetic: {'; '.join(texts)}."
    yield f"Hidden hypersurfaces: {sentence_latex(statement.hidden_reason)}"
    yield f"{sentence_latex(statement.theorem.reason)} The description of these fibers is due to {SOURCE}"
    moves = [prose_latex(g.name) for g in statement.generators]
    shown = moves if statement.full else moves[:_SHOWN_MOVES]
    more = f" and {len(moves) - len(shown)} more" if len(shown) < len(moves) else ""
    yield (
        "Every component is contained in the fiber: substitute its conditions into $f$. "
        f"The symmetries at this network are {', '.join(shown)}{more}; each is an identity of polynomials on every "
        "cell."
    )
    reason = phrase_latex(statement.count_reason)
    yield f"The number of components: {reason}."
    for component in statement.components if statement.full else statement.components[:1]:
        terms = " + ".join(f"{term.value} ({phrase_latex(term.meaning)})" for term in component.terms)
        yield f"{_title(component)} has dimension {component.dimension} = {terms}."
    yield (
        r"Members of the components and the moves that link them are in a certificate (\texttt{fiber.proof()} of "
        r"symfiber), which an independent program checks."
    )
    yield r"\end{proof}"


def _title(component: ComponentStatement) -> str:
    number = "The component of the network itself" if component.is_home else f"Component {component.index}"
    return f"{number}, {_breakable_title(component, False)},"


def _breakable_title(component: ComponentStatement, full: bool) -> str:
    """The title, in which lines may break between signs."""
    return re.sub(r"(?<=[+-]),(?=[+-])", r",\\allowbreak ", phrase_latex(component.title, full))


def table_latex(statement: FiberStatement) -> str:
    """Write the components as a table; a long one is cut with a count, a full one has a table for every 40 rows."""
    rows = [
        rf"{'' if c.index is None else c.index} & \raggedright {_breakable_title(c, statement.full)}"
        rf"{', contains the network' if c.is_home else ''} & {c.dimension}\tabularnewline"
        for c in statement.components
    ]
    tables = [_table(rows[start : start + _ROWS_OF_A_TABLE]) for start in range(0, len(rows), _ROWS_OF_A_TABLE)]
    if statement.omitted:
        tables.append(rf"\par\noindent\dots\ and ${integer_latex(statement.omitted)}$ more components.")
    elif statement.omitted is None:
        tables.append(r"\par\noindent\dots\ and more components, which were not counted.")
    return "\n\n".join(tables)


def _table(rows: Sequence[str]) -> str:
    head = r"\begin{tabular}{@{}rp{0.7\linewidth}r@{}}"
    names = r"\hline & component & dimension\tabularnewline\hline"
    return "\n".join((r"\par\noindent", head, names, *rows, r"\hline", r"\end{tabular}"))
