"""Conservation laws as text, LaTeX and JSON-ready data (format ``symfiber-laws/1``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from symfiber.errors import UndecidedError
from symfiber.exact import to_text
from symfiber.report.notation import polynomial_latex, polynomial_text, prose_latex, symbol_latex, symbol_text

if TYPE_CHECKING:
    from symfiber.conservation.result import ConservationLaws
    from symfiber.conservation.verdict import Symmetry

FORMAT = "symfiber-laws/1"
_CUT = 40

_PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=28mm]{geometry}
\usepackage{amsmath}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt plus 2pt}
\begin{document}
"""


def laws_text(laws: ConservationLaws, show_all: bool = False) -> str:
    """Return the laws, the proof of their number and the verdict on every symmetry as text."""
    lines = [
        _title(laws),
        f"parameters {laws.parameter_count}, fiber dimension {laws.fiber_dimension}, "
        f"dim Lie(W) = {laws.lie_dimension}, laws {laws.count}",
        _regularity(laws),
        f"proof: {_lower(laws)}; {_upper(laws)}",
    ]
    shown = laws.laws if show_all else laws.laws[:_CUT]
    if laws.laws:
        lines += ["", f"Laws (constant along gradient flow for every loss and all data), {len(laws.laws)}:"]
    lines += [
        f"  {number}. {law.name}:  {polynomial_text(law.polynomial, show_all)}"
        for number, law in enumerate(shown, start=1)
    ]
    lines += _cut_note(len(laws.laws) - len(shown), "laws")
    symmetries = laws.symmetries if show_all else _worth_showing(laws)
    if symmetries:
        lines += ["", f"What the symmetries of the fiber conserve, {_span(laws)}:"]
    numbers = {law.name: number for number, law in enumerate(laws.laws, start=1)}
    lines += [f"  {_verdict_text(symmetry, numbers.get(symmetry.name))}" for symmetry in symmetries]
    lines += _cut_note(len(laws.symmetries) - len(symmetries), "symmetries")
    return "\n".join(lines) + "\n"


def laws_latex(laws: ConservationLaws, standalone: bool = False, show_all: bool = False) -> str:
    """Return the same as LaTeX: a part for a document that loads amsmath, or a whole document."""
    body = "\n".join(_latex_lines(laws, show_all)) + "\n"
    return f"{_PREAMBLE}{body}\\end{{document}}\n" if standalone else body


def laws_notebook_latex(laws: ConservationLaws) -> str:
    r"""Return the laws and the fields without one as one display formula: MathJax knows no lists and sections.

    Examples
    --------
    >>> import symfiber as sf
    >>> laws = sf.conservation_laws(sf.Network([([[2]], [1]), ([[3]], [0])]))
    >>> text = laws_notebook_latex(laws)
    >>> text.splitlines()[1:4]
    ['\\text{parameters} & 4\\\\', '\\text{fiber dimension} & 1\\\\', '\\text{laws} & 1\\\\']
    """
    counts = (
        ("parameters", laws.parameter_count),
        ("fiber dimension", laws.fiber_dimension),
        ("laws", laws.count),
    )
    rows = [rf"\text{{{name}}} & {value}" for name, value in counts]
    for law in laws.laws[:_CUT]:
        rows.append(rf"\text{{{prose_latex(law.name)}}} & {polynomial_latex(law.polynomial)}")
    for symmetry in laws.non_integrable[:_CUT]:
        rows.append(rf"\text{{no law: {prose_latex(symmetry.name)}}} & {_field_latex(symmetry)}")
    missing = sum(max(0, len(found) - _CUT) for found in (laws.laws, laws.non_integrable))
    rows += [rf"\text{{{note}}} &" for note in _cut_note(missing, "rows")]
    inside = "\\\\\n".join(rows).replace(r"\allowbreak ", "")
    return f"$$\\begin{{array}}{{ll}}\n{inside}\n\\end{{array}}$$"


def laws_data(laws: ConservationLaws) -> dict[str, Any]:
    """Return the same as JSON-ready data: nothing is cut, numbers and polynomials are texts."""
    proof = laws.certificate
    least, most = proof.generic_bounds
    return {
        "format": FORMAT,
        "setting": laws.setting,
        "architecture": list(laws.architecture) if laws.architecture else None,
        "coordinates": list(laws.names_of_parameters),
        "parameters": [to_text(x) for x in laws.point],
        "parameter_count": laws.parameter_count,
        "fiber_dimension": laws.fiber_dimension,
        "explained_dimension": laws.explained_dimension,
        "lie_dimension": laws.lie_dimension,
        "count": laws.count,
        "generic_count": {"least": least, "most": most},
        "proof": {
            "lower": _lower(laws),
            "upper": _upper(laws),
            "prime": str(proof.prime),
            "bracket_depth": proof.depth,
        },
        "degree": laws.degree,
        "laws": [{"name": law.name, "kind": law.kind, "polynomial": str(law.polynomial)} for law in laws.laws],
        "symmetries": [_symmetry_data(symmetry) for symmetry in laws.symmetries],
    }


def _symmetry_data(symmetry: Symmetry) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": symmetry.name,
        "kind": symmetry.kind,
        "field": {name: str(part) for name, part in symmetry.field},
        "outcome": symmetry.outcome,
    }
    if symmetry.potential is not None:
        data["potential"] = str(symmetry.potential)
    if symmetry.refutation is not None:
        found = symmetry.refutation
        data["refutation"] = {
            "form": list(found.names),
            "polynomial": str(found.polynomial),
            "value": to_text(found.value),
        }
    return data


def _title(laws: ConservationLaws) -> str:
    shape = f" of a {'-'.join(map(str, laws.architecture))} network" if laws.architecture else ""
    return f"Conservation laws of gradient flow{shape}, {laws.setting}"


def _regularity(laws: ConservationLaws) -> str:
    try:
        if laws.regular:
            return "the parameters are regular: generic ones have as many laws"
        return f"the parameters are special: generic ones have {laws.generic_count} laws, which also hold here"
    except UndecidedError as error:
        return f"whether the parameters are regular is open: {error}"


def _lower(laws: ConservationLaws) -> str:
    proof = laws.certificate
    brackets = sum(1 for word in proof.words if len(word) > 1)
    found = _counted(proof.lie_dimension - brackets, "gradient")
    if brackets:
        found += f" and {_counted(brackets, 'bracket')} of depth at most {proof.depth}"
    return f"{found} independent at the parameters, checked modulo a prime"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


def _upper(laws: ConservationLaws) -> str:
    proof = laws.certificate
    if proof.reason == "laws":
        return f"{_counted(laws.count, 'verified law')} with independent gradients"
    if proof.reason == "closed module":
        return "every further bracket depends on them, by vanishing minors"
    assert proof.directions is not None
    dimension = proof.directions.row_count
    return f"all fields stay in an affine subspace of dimension {dimension}, on which the laws leave no more"


def _worth_showing(laws: ConservationLaws) -> list[Symmetry]:
    """All that conserve nothing, and some of the others."""
    others = [symmetry for symmetry in laws.symmetries if symmetry.outcome != "no law"]
    return [*others[:_CUT], *laws.non_integrable[:_CUT]]


def _span(laws: ConservationLaws) -> str:
    if laws.explained_dimension == laws.fiber_dimension:
        return "in all its directions"
    return f"in {laws.explained_dimension} of its {laws.fiber_dimension} directions"


def _cut_note(missing: int, what: str) -> list[str]:
    return [f"  ... {missing} more {what}"] if missing > 0 else []


def _verdict_text(symmetry: Symmetry, number: int | None) -> str:
    if symmetry.outcome == "law":
        assert symmetry.potential is not None
        if number is not None:
            return f"{symmetry.name}: conserves law {number}"
        return f"{symmetry.name}: a law, the field is the gradient of {polynomial_text(symmetry.potential)}"
    if symmetry.outcome == "integrating factor":
        return f"{symmetry.name}: a law, the field is a multiple of a gradient"
    found = symmetry.refutation
    assert found is not None
    form = " ^ ".join(f"d{symbol_text(name)}" for name in found.names)
    return f"{symmetry.name}: no law, V^dV has the coefficient {polynomial_text(found.polynomial)} at {form}"


def _latex_lines(laws: ConservationLaws, show_all: bool) -> Iterator[str]:
    yield rf"\paragraph{{{prose_latex(_title(laws))}.}}"
    yield (
        rf"$N={laws.parameter_count}$ parameters, fiber dimension ${laws.fiber_dimension}$, "
        rf"$\dim\mathrm{{Lie}}(W)(\theta)={laws.lie_dimension}$, hence ${laws.count}$ laws: "
        f"{prose_latex(_lower(laws))}; {prose_latex(_upper(laws))}. "
        f"{prose_latex(_regularity(laws).capitalize())}."
    )
    shown = laws.laws if show_all else laws.laws[:_CUT]
    if shown:
        yield "\n" + r"Constant along $\dot\theta=-\nabla L(f_\theta)$, for every loss $L$ and all data:"
        yield r"\begin{enumerate}\raggedright"
        for law in shown:
            yield rf"\item {prose_latex(law.name)}: ${polynomial_latex(law.polynomial, show_all)}$"
        yield from (rf"\item {prose_latex(note)}" for note in _cut_note(len(laws.laws) - len(shown), "laws"))
        yield r"\end{enumerate}"
    fields = laws.non_integrable if show_all else laws.non_integrable[:_CUT]
    if fields:
        yield "\n" + r"Symmetries $V$ of the fiber that conserve nothing, because $V^\flat\wedge dV^\flat\ne0$:"
        yield r"\begin{itemize}\raggedright"
        for symmetry in fields:
            yield rf"\item {prose_latex(symmetry.name)}: ${_field_latex(symmetry)}$; {_refutation_latex(symmetry)}"
        yield r"\end{itemize}"


def _field_latex(symmetry: Symmetry) -> str:
    parts = []
    for name, component in symmetry.field:
        unit = rf"\partial_{{{symbol_latex(name)}}}"
        value = component.constant_value()
        if value == 1:
            parts.append(f"+{unit}")
        elif len(component.terms()) == 1:
            text = polynomial_latex(component)
            parts.append(f"{text if text.startswith('-') else '+' + text}\\,{unit}")
        else:
            parts.append(rf"+({polynomial_latex(component)})\,{unit}")
    return "V=" + r"\allowbreak ".join(parts).removeprefix("+")


def _refutation_latex(symmetry: Symmetry) -> str:
    found = symmetry.refutation
    assert found is not None
    form = r"\wedge ".join(rf"d{symbol_latex(name)}" for name in found.names)
    return rf"the coefficient at ${form}$ is ${polynomial_latex(found.polynomial)}$"
