"""The description of one component: its data in matrix form, its dimension with reasons, explicit conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symfiber.exact import Polynomial, Rational
from symfiber.report.notation import Formula, Phrase, index_set

if TYPE_CHECKING:
    from symfiber.decomposition import Component
    from symfiber.decomposition.linear_block import LinearBlock
    from symfiber.semialgebraic import BasicSet

F = Formula

CONDITION_CUT = 3
"""How many conditions of each kind a short report lists for one piece."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact matrix of a component and its name; a column of numbers is a matrix with one column."""

    name: Formula
    rows: tuple[tuple[Rational, ...], ...]
    note: Phrase = ()


@dataclass(frozen=True, slots=True)
class DimensionTerm:
    """One summand of a dimension and what it counts."""

    value: int
    meaning: Phrase


@dataclass(frozen=True, slots=True)
class FreeBlock:
    """The linear and dead neurons of a component: C·A = M.

    Attributes
    ----------
    positions : tuple of int
        The free neurons of layer 2; when r of them are linear these are the first r.
    least, most : int
        r ranges over least..most, least = rank⁺(M).
    rank : int
    pointed : bool
    half_space, relation : tuple or None
        The certificate for ``pointed`` or against it.
    slope, constant : Quantity
    """

    positions: tuple[int, ...]
    least: int
    most: int
    rank: int
    pointed: bool
    half_space: tuple[Rational, ...] | None
    relation: tuple[Rational, ...] | None
    slope: Quantity
    constant: Quantity


@dataclass(frozen=True, slots=True)
class ConditionList:
    """Conditions of one kind.

    Attributes
    ----------
    polynomials : tuple of Polynomial
        All of them.
    own : tuple of Polynomial
        Those that the first component of the report does not have; all of them for the first component itself.
    """

    polynomials: tuple[Polynomial, ...]
    own: tuple[Polynomial, ...]

    @property
    def shared(self) -> int:
        """How many the first component has too."""
        return len(self.polynomials) - len(self.own)

    def shown(self, full: bool) -> tuple[Polynomial, ...]:
        """Return the ones that a report lists: all, or the first few of its own."""
        return self.polynomials if full else self.own[:CONDITION_CUT]


@dataclass(frozen=True, slots=True)
class Piece:
    """One basic set of a component: the members with this number of linear neurons (``None``: no free neurons)."""

    linear_count: int | None
    equations: ConditionList
    positive: ConditionList
    nonnegative: ConditionList


@dataclass(frozen=True, slots=True)
class ComponentStatement:
    """What is proved about one component.

    ``index`` is its place in ``fiber.components`` (``None`` when not searched for), ``pieces_total`` the exact number
    of basic sets, of which ``pieces`` lists some; ``same_data`` whether ``quantities`` are those of the first.
    """

    index: int | None
    is_home: bool
    title: Phrase
    orientation: tuple[int, ...]
    dimension: int
    terms: tuple[DimensionTerm, ...]
    reason: str
    labelled_count: int
    free: FreeBlock | None
    quantities: tuple[Quantity, ...]
    same_data: bool
    generic_note: Phrase
    pieces: tuple[Piece, ...]
    pieces_total: int


def describe_component(
    component: Component, index: int | None, first: ComponentStatement | None, show_all: bool, explicit: bool
) -> ComponentStatement:
    """Return the description of a component; polynomials only when ``explicit``.

    ``first`` is the component of the network itself, ``None`` when this is it.
    """
    case, label = component.case, component.label
    block = case.block(label) if case.name in ("visible", "univariate") else None
    free = _free_block(block, "v_s" if case.name == "visible" else "h_0") if block is not None else None
    quantities = _quantities(component)
    known = first.pieces[0] if first is not None and first.pieces else None
    pieces = _pieces(component, block, known, show_all) if explicit else ()
    return ComponentStatement(
        index=index,
        is_home=first is None,
        title=_title(component),
        orientation=component.orientation,
        dimension=component.dimension,
        terms=tuple(term for term in _terms(component, block) if term.value),
        reason=case.dimension_reason(label),
        labelled_count=component.labelled_count,
        free=free,
        quantities=quantities,
        same_data=bool(quantities) and first is not None and first.quantities == quantities,
        generic_note=_generic_note(component),
        pieces=pieces,
        pieces_total=len(block.linear_counts) if block is not None else 1,
    )


def _title(component: Component) -> Phrase:
    """What distinguishes the component."""
    case, label = component.case, component.label
    signs = ",".join("+" if s > 0 else "-" for s in component.orientation)
    choice: Phrase = (F(f"s = ({signs})", f"s=({signs})"), ": ") if 0 < len(component.orientation) <= 24 else ()
    if case.name == "visible":
        flipped = [j for j, s in zip(case.nonlinear, label) if s < 0]
        if not flipped:
            return (*choice, "all neurons oriented as given")
        return (*choice, _some("neuron", flipped), " of layer 2 turned around")
    if case.name == "univariate":
        return (*choice, component.description)
    if case.name == "hidden-single":
        flips: Phrase = (_some("row", label), " of ", F("[W1|b1]", r"[W_1\mid b_1]"), " turned around")
        return (F(f"S = {index_set(label).text}", f"S={index_set(label).latex}"), ": ", *(flips if label else _GIVEN))
    return ("the only one",)


_GIVEN: Phrase = ("rows of ", F("[W1|b1]", r"[W_1\mid b_1]"), " oriented as given")


def _some(noun: str, indices: Sequence[int]) -> str:
    return f"{noun}{'s' if len(indices) > 1 else ''} {index_set(indices).text[1:-1]}"


def _terms(component: Component, block: LinearBlock | None) -> list[DimensionTerm]:
    """The summands of the dimension; they add up to it."""
    case, g = component.case, component.case.function
    n, m = g.input_dimension, g.output_dimension
    if case.name == "constant":
        fixed = component.case.bottleneck.network.parameter_count - m
        return [DimensionTerm(fixed, (f"all parameters except the {m} output bias{'es' if m > 1 else ''}",))]
    terms = [DimensionTerm(n, (_noun(n, "positive scaling"), " of layer 1"))]
    if block is None:
        live, dead = len(case.live), len(case.dead)
        terms.append(DimensionTerm(live, (_noun(live, "positive scaling"), " of live neurons")))
        terms.append(DimensionTerm(1, ("hiding translation ", F("t", "t"))))
        terms.append(DimensionTerm(dead * (n + 1 + m), (_dead(dead),)))
        return terms
    if case.name == "univariate" and not component.label.visible:
        terms.append(DimensionTerm(1, ("translation ", F("β", r"\beta"))))
    k = len(component.orientation)
    terms.append(DimensionTerm(k, (_noun(k, "positive scaling"), " of nonlinear neurons")))
    return terms + _block_terms(block, n, m)


def _block_terms(block: LinearBlock, n: int, m: int) -> list[DimensionTerm]:
    (r, p), rho = block.top_stratum, block.slope.rank
    dead = block.free - r
    return [
        DimensionTerm(
            (p - rho) * (m - p) + r * p + (r - p) * n,
            (f"linear neuron{'s' if r > 1 else ''} with ", F("sum_q c_q' w_q' = M_s", r"\sum_q c_q'w_q'=M_s")),
        ),
        DimensionTerm(r, ("bias of the linear neuron" if r == 1 else "biases of the linear neurons",)),
        DimensionTerm(dead * (n + 1 + m), (_dead(dead),)),
    ]


def _noun(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def _dead(count: int) -> str:
    return "entries of the dead neuron" if count == 1 else f"entries of {count} dead neurons"


def _free_block(block: LinearBlock, constant: str) -> FreeBlock:
    slope = block.slope
    return FreeBlock(
        block.positions,
        slope.value,
        block.free,
        slope.rank,
        slope.pointed,
        slope.half_space,
        slope.relation,
        Quantity(F("M_s", "M_s"), slope.matrix.rows),
        Quantity(F(constant, constant), tuple((x,) for x in block.constant)),
    )


def _quantities(component: Component) -> tuple[Quantity, ...]:
    case, label = component.case, component.label
    if case.name == "hidden-single" and label:
        row, constant = case.hidden_row(label)
        return (Quantity(F("[ŵ|ĉ]", r"[\hat w\mid\hat c]"), ((*row, constant),)),)
    if case.name == "univariate":
        form = case.oriented(label)
        return (
            Quantity(F("r", "r"), (form.direction,)),
            Quantity(F("(u_j)", "(u_j)"), (tuple(u for u, _ in form.kinks),)),
            Quantity(F("(δ_j)", r"(\delta_j)"), tuple(zip(*(jump for _, jump in form.kinks)))),
            Quantity(F("h_0", "h_0"), tuple((x,) for x in form.left_value)),
        )
    return ()


def _generic_note(component: Component) -> Phrase:
    mask = component.case.nongeneric_mask(component.label)
    if mask is None:
        return ()
    return (
        "No point of this component is generic: where the neurons ",
        index_set(sorted(mask)),
        " of layer 2 are all active the product of the weights has too small a rank (G2).",
    )


def _pieces(component: Component, block: LinearBlock | None, known: Piece | None, show_all: bool) -> tuple[Piece, ...]:
    """The basic sets with their conditions; a short description has the one with the fewest linear neurons."""
    counts: Sequence[int | None] = block.linear_counts if block is not None and block.free else (None,)
    sets = _basic_sets(component, counts)
    if not show_all:
        sets = sets[:1]
    return tuple(
        Piece(
            r,
            _listed(basic.equations, known.equations if known else None),
            _listed(basic.positive, known.positive if known else None),
            _listed(basic.nonnegative, known.nonnegative if known else None),
        )
        for r, basic in zip(counts, sets)
    )


def _listed(polynomials: tuple[Polynomial, ...], known: ConditionList | None) -> ConditionList:
    if known is None:
        return ConditionList(polynomials, polynomials)
    earlier = set(known.polynomials)
    return ConditionList(polynomials, tuple(p for p in polynomials if p not in earlier))


def _basic_sets(component: Component, counts: Sequence[int | None]) -> tuple[BasicSet, ...]:
    """The pieces of the component's set, one for every count of linear neurons."""
    pieces: tuple[BasicSet, ...] = component.set.pieces
    # A union drops repeated pieces; different counts give different sets because the signs differ.
    assert len(pieces) == len(counts)
    return pieces
