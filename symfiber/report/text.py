"""A fiber as readable text: a short theorem with its reasons."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from symfiber.exact import Rational
from symfiber.report.components import ComponentStatement, ConditionList, FreeBlock, Piece, Quantity
from symfiber.report.notation import (
    Formula,
    Phrase,
    approximation,
    condition_sign,
    integer_text,
    is_short,
    number_text,
    phrase_text,
    polynomial_text,
    was_cut,
)
from symfiber.report.statement import FiberStatement, NeuronStatement, describe_fiber
from symfiber.report.theorem import NOTATION, SIGMA

if TYPE_CHECKING:
    from symfiber.decomposition import Fiber

_WIDTH = 100
_UNBROKEN = 60
_HARD_SPACE = "\u00a0"
_NEURON_CUT = 16
_MATRIX_ROWS, _MATRIX_COLUMNS = 6, 8


def fiber_text(fiber: Fiber, show_all: bool = False) -> str:
    """Return the report of a fiber as text.

    Parameters
    ----------
    fiber : Fiber
    show_all : bool
        Print all components, conditions and digits; otherwise long lists are cut with an exact count.

    Examples
    --------
    >>> import symfiber as sf
    >>> net = sf.Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])])
    >>> print(fiber_text(sf.fiber(net)).splitlines()[0])
    Fiber of a ReLU network of architecture 2-2-1-1 (11 parameters)
    """
    return statement_text(describe_fiber(fiber, show_all))


def statement_text(statement: FiberStatement) -> str:
    """Write a description as text."""
    sections = (_head, _hypotheses, _neurons, _theorem, _summary, _components, _generators, _claims)
    text = "\n\n".join("\n".join(section(statement)) for section in sections) + "\n"
    if "…" in text:
        cut = "; 12345…67890{17} is an integer of 17 digits" if was_cut(text) else ""
        text += f"\n… Lists and numbers are cut{cut}. Nothing is cut with --all (show_all=True).\n"
    return text


def statement_summary(statement: FiberStatement) -> str:
    """Return a few lines: case, types, hypotheses, counts, dimensions and one line a component."""
    counts = dict.fromkeys(("nonlinear", "linear", "dead"), 0)
    for neuron in statement.neurons:
        counts[neuron.type] += 1
    types = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    status = ", ".join(f"{h.name} {h.status}" for h in statement.hypotheses if h.name)
    lines = [
        f"{statement.theorem.name} ({statement.theorem.title}); layer 2: {types}",
        f"hypotheses: {status}; completeness: {statement.completeness}",
        f"components: {count_text(statement)}; {phrase_text(statement.count_reason)}",
        f"dimension {dimension_text(statement)} of {statement.network.parameter_count}; "
        f"identifiable: {yes_no(statement.identifiable)}",
    ]
    for component in statement.components:
        own = ", contains the network" if component.is_home else ""
        number = "" if component.index is None else f" {component.index}"
        lines.append(f"  component{number} ({phrase_text(component.title)}): dimension {component.dimension}{own}")
    if statement.omitted:
        lines.append(f"  … and {integer_text(statement.omitted)} more components")
    return "\n".join(f"  {line}" for line in lines)


def _head(statement: FiberStatement) -> Iterator[str]:
    shape = statement.network.architecture
    title = (
        f"Fiber of a ReLU network of architecture {'-'.join(map(str, shape))} "
        f"({statement.network.parameter_count} parameters)"
    )
    yield title
    yield "=" * len(title)
    d, n1, n2, m = shape
    yield f"{SIGMA.text}, with d = {d}, n1 = {n1}, n2 = {n2}, m = {m}."
    yield from _wrap(_words(NOTATION), "")
    for layer in statement.layers:
        yield from _quantity(layer, statement.full)


def _hypotheses(statement: FiberStatement) -> Iterator[str]:
    yield "Hypotheses"
    for h in statement.hypotheses:
        words = f"{h.name + ': ' if h.name else ''}{_words(h.statement)}"
        detail = f" ({h.detail})" if h.detail else ""
        yield from _wrap(f"{h.status:<10}  {words}{detail}", "  ", " " * 14)


def _neurons(statement: FiberStatement) -> Iterator[str]:
    yield "Neurons of layer 2 (the signs of [w|b] decide)"
    shown = statement.neurons if statement.full else statement.neurons[:_NEURON_CUT]
    for neuron in shown:
        yield f"  {neuron.index:>3}  {neuron.type:<9}  [{signs_text(neuron)}]"
    if len(shown) < len(statement.neurons):
        yield f"  … and {len(statement.neurons) - len(shown)} more neurons"
    yield from _wrap(f"Hidden hypersurfaces: {_words(statement.hidden_reason)}", "")


def signs_text(neuron: NeuronStatement) -> str:
    """Return the signs of [w|b], long rows cut."""
    weights = "".join("-0+"[s + 1] for s in neuron.weight_signs)
    if len(weights) > 40:
        weights = f"{weights[:40]}… {len(weights) - 40} more"
    return f"{weights}|{'-0+'[neuron.bias_sign + 1]}"


def _theorem(statement: FiberStatement) -> Iterator[str]:
    theorem = statement.theorem
    yield f"{theorem.name} ({theorem.title})"
    yield from _wrap(_words(theorem.premise, statement.full), "  ")
    for number, condition in enumerate(theorem.conditions, start=1):
        yield from _wrap(f"({number}) {_words(condition, statement.full)}", "    ", "        ")
    for note in theorem.notes:
        yield from _wrap(_words(note, statement.full), "  ")
    yield from _wrap(f"Why: {_words(theorem.reason)}", "  ")


def _summary(statement: FiberStatement) -> Iterator[str]:
    yield "Result"
    yield from _wrap(f"Components: {count_text(statement)}; {_words(statement.count_reason)}.", "  ")
    if statement.labelled_count is not None:
        yield (
            "  They are counted up to permutations of neurons; with neurons labelled there are exactly "
            f"{integer_text(statement.labelled_count, statement.full)}."
        )
    yield from _wrap(f"Dimension of the fiber as described: {dimension_text(statement)}.", "  ")
    if statement.local_dimension is not None:
        yield f"  Local dimension at the network itself: {statement.local_dimension}."
    else:
        yield from _wrap(f"Local dimension at the network itself: not decided, {statement.local_note}.", "  ")
    yield f"  Identifiable up to permutations and scalings: {yes_no(statement.identifiable)}."


def count_text(statement: FiberStatement) -> str:
    """Return the number of components."""
    if statement.component_count is None:
        return "not counted"
    return f"exactly {integer_text(statement.component_count, statement.full)}"


def dimension_text(statement: FiberStatement) -> str:
    """Return the dimension, or why it is not decided."""
    if statement.dimension is None:
        return f"not decided, {statement.dimension_note}"
    return str(statement.dimension)


def yes_no(value: bool | None) -> str:
    """Return an answer in words."""
    return "not decided" if value is None else "yes" if value else "no"


def _components(statement: FiberStatement) -> Iterator[str]:
    yield "Components"
    for component in statement.components:
        yield from _component(component, statement.full)
    if statement.omitted:
        yield f"  … and {integer_text(statement.omitted)} more components"
    elif statement.omitted is None:
        yield "  … and more components, which were not counted"


def _component(component: ComponentStatement, full: bool) -> Iterator[str]:
    number = "" if component.index is None else f" {component.index}"
    own = ", contains the network itself" if component.is_home else ""
    yield from _wrap(f"Component{number} ({_words(component.title, full)}{own})", "  ")
    yield from _wrap(
        f"dimension {component.dimension} = "
        + " + ".join(f"{term.value} ({_words(term.meaning)})" for term in component.terms)
        + (strata_text(component.free) if component.free else ""),
        "    ",
        "      ",
    )
    if component.same_data:
        yield f"    {data_note(component)}"
    for quantity in () if component.same_data else component.quantities:
        yield from _quantity(quantity, full)
    if component.free is not None:
        yield from _quantity(component.free.slope, full)
        yield from _wrap(_words(rank_phrase(component.free, full), full), "      ")
        if component.free.constant not in component.quantities:
            yield from _quantity(component.free.constant, full)
    if component.generic_note:
        yield from _wrap(_words(component.generic_note), "    ")
    if not component.pieces:
        yield "    polynomial conditions: those above, coordinate by coordinate"
    for piece in component.pieces:
        yield from _piece(piece, full)
    if 0 < len(component.pieces) < component.pieces_total:
        more = counted(component.pieces_total - len(component.pieces), "more set")
        yield f"    … and {more}, with more linear neurons"


def data_note(component: ComponentStatement) -> str:
    """Say that the data of the component are those of the first one."""
    return f"data {', '.join(quantity.name.text for quantity in component.quantities)} as in the first component"


def strata_text(free: FreeBlock) -> str:
    """Say over which strata the dimension is the largest."""
    if free.most == 0:
        return ""
    if free.least == free.most:
        return f"; all {free.most} free neurons are linear" if free.most > 1 else "; the free neuron is linear"
    return f"; the largest over r = {free.least}..{free.most} linear neurons, at r = {free.least}"


def rank_phrase(free: FreeBlock, full: bool) -> Phrase:
    """Say why rank⁺(M) has its value."""
    value = f" = {free.rank} + 1 = {free.least}" if free.rank and not free.pointed else f" = {free.least}"
    head: Phrase = (Formula("rank+(M_s)", r"\operatorname{rank}^+(M_s)"), value)
    if free.rank == 0:
        return head
    vector = free.half_space if free.pointed else free.relation
    proof: Phrase = ()
    if vector is not None and (full or (len(vector) <= 8 and all(map(is_short, vector)))):
        name = (
            Formula("u", "u")
            if free.pointed
            else Formula("sum λ_i M_i = 0 for λ", r"\sum_i\lambda_iM_i=0\text{ for }\lambda")
        )
        entries: list[str | Rational] = [part for x in vector for part in (", ", x)]
        proof = (" (", name, " = (", *entries[1:], "))")
    kind = "the columns lie in an open half-space" if free.pointed else "the columns lie in no open half-space"
    return (*head, f" <= {free.most}: the rank is {free.rank}, and {kind}", *proof)


def _quantity(quantity: Quantity, full: bool) -> Iterator[str]:
    name, rows = quantity.name.text, quantity.rows
    if not rows or not rows[0]:
        return
    exact = full or all(is_short(x) for row in rows for x in row)
    shown = rows if full else [row[:_MATRIX_COLUMNS] for row in rows[:_MATRIX_ROWS]]
    cells = [[number_text(x, True) if exact else approximation(x) for x in row] for row in shown]
    if len(rows[0]) == 1 and len(rows) > 1:
        cells, shown, column = [[row[0] for row in cells]], [tuple(row[0] for row in shown)], True
    else:
        column = False
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    missing = len(rows) * len(rows[0]) - sum(map(len, cells))
    head = f"{name}{'^T' if column else ''} {'=' if exact else '≈'} "
    if sum(widths) > 400:
        yield f"    {head.rstrip()}"
        yield from (f"      [{i},{j}] {cell}" for i, row in enumerate(cells) for j, cell in enumerate(row))
    else:
        for i, row in enumerate(cells):
            line = "  ".join(cell.rjust(width) for cell, width in zip(row, widths))
            yield f"    {head if i == 0 else ' ' * len(head)}[ {line} ]"
    if missing:
        yield f"    {' ' * len(head)}… and {missing} more entries"


def _piece(piece: Piece, full: bool) -> Iterator[str]:
    if piece.linear_count is None:
        yield "    polynomial conditions on the coordinates of θ'"
    else:
        plural = "" if piece.linear_count == 1 else "s"
        yield f"    polynomial conditions on the coordinates of θ', with {piece.linear_count} linear neuron{plural}"
    for conditions, relation, kind in (
        (piece.equations, "=", "equation"),
        (piece.positive, ">", "strict inequality"),
        (piece.nonnegative, ">=", "non-strict inequality"),
    ):
        yield from _conditions(conditions, relation, kind, full)


def _conditions(conditions: ConditionList, relation: str, kind: str, full: bool) -> Iterator[str]:
    if not conditions.polynomials:
        return
    shown = conditions.shown(full)
    yield f"      {conditions_head(conditions, kind, full)}"
    for polynomial in shown:
        turn = relation != "=" and condition_sign(polynomial) < 0
        sides = polynomial_text(-polynomial if turn else polynomial, full), _TURNED[relation] if turn else relation
        yield f"        {sides[0]} {sides[1]} 0"
    omitted = len(conditions.polynomials if full else conditions.own) - len(shown)
    if omitted:
        yield f"        … and {omitted} more"


_TURNED = {">": "<", ">=": "<="}


def conditions_head(conditions: ConditionList, kind: str, full: bool) -> str:
    """Say how many conditions of a kind there are, and how many the first component has too."""
    head = counted(len(conditions.polynomials), kind)
    if full or not conditions.shared:
        return head
    if not conditions.own:
        return f"{head}, as in the first component"
    return f"{head}, {conditions.shared} of them as in the first component, and"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> counted(1, "equation"), counted(4, "strict inequality")
    ('1 equation', '4 strict inequalities')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def _generators(statement: FiberStatement) -> Iterator[str]:
    yield "Generators of the symmetries at this network"
    shown = statement.generators if statement.full else statement.generators[:_NEURON_CUT]
    for g in shown:
        kind = f"continuous, dimension {g.dimension}" if g.kind == "continuous" else g.kind
        yield from _wrap(f"{g.name} ({kind}), {g.domain}: {g.effect}; inverse: {g.inverse}.", "  - ", "    ")
    if len(shown) < len(statement.generators):
        yield f"  … and {len(statement.generators) - len(shown)} more generators"


def _claims(statement: FiberStatement) -> Iterator[str]:
    yield "Claimed"
    for phrase in statement.claimed:
        yield from _wrap(_words(phrase), "  - ", "    ")
    yield "Not claimed"
    for phrase in statement.not_claimed:
        yield from _wrap(_words(phrase), "  - ", "    ")


def _words(phrase: Phrase, full: bool = False) -> str:
    """A phrase whose short formulas are not broken at line ends."""
    return "".join(
        part.text.replace(" ", _HARD_SPACE)
        if isinstance(part, Formula) and len(part.text) <= _UNBROKEN
        else phrase_text((part,), full)
        for part in phrase
    )


def _wrap(text: str, first: str, rest: str | None = None) -> list[str]:
    lines = textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_HARD_SPACE, " ") for line in lines]
