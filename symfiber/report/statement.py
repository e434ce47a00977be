"""The neutral description of a fiber: what is stated, before it is written in any notation.

Everything a report says is computed here, once; text, LaTeX, HTML and JSON only write it down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from symfiber.errors import LimitExceededError, UndecidedError
from symfiber.exact import Rational
from symfiber.progress import Progress
from symfiber.report.components import ComponentStatement, Quantity, describe_component
from symfiber.report.hypotheses import HypothesisStatement, claims, hypotheses
from symfiber.report.notation import Formula, Phrase, integer_text
from symfiber.report.theorem import Theorem
from symfiber.report.theorems import count_reason, hidden_reason, theorem

if TYPE_CHECKING:
    from symfiber.decomposition import Component, Fiber
    from symfiber.network import Network

COMPONENT_CUT = 6
"""How many components a short report lists."""

ALL_LIMIT = 4096
"""How many components a full report lists at most."""

EXPLICIT_LIMIT = 400
"""Up to this many parameters a short report lists explicit polynomial conditions."""


@dataclass(frozen=True, slots=True)
class NeuronStatement:
    """A neuron of layer 2: its type, and the signs of [w|b] that decide it."""

    index: int
    type: str
    weight_signs: tuple[int, ...]
    bias_sign: int


@dataclass(frozen=True, slots=True)
class GeneratorStatement:
    """A symmetry of the fiber in words."""

    name: str
    domain: str
    effect: str
    inverse: str
    kind: str
    dimension: int


@dataclass(frozen=True, slots=True)
class FiberStatement:
    """What is proved about a fiber.

    Attributes
    ----------
    network : Network
    layers : tuple of Quantity
        [W|b] of every layer.
    case : str
    theorem : Theorem
    hypotheses : tuple of HypothesisStatement
    completeness : "proved", "assumed" or "not claimed"
    claimed, not_claimed : tuples of phrases
    neurons : tuple of NeuronStatement
    hidden : tuple of int
    hidden_reason : phrase
    component_count : int or None
        ``None`` when counting reached its limit; ``count_reason`` says what is known.
    count_reason : phrase
    labelled_count : int or None
    dimension, local_dimension : int or None
    dimension_note, local_note : str
        Why a dimension is not given; empty when it is.
    identifiable : bool or None
    components : tuple of ComponentStatement
        The component of the network itself first.
    omitted : int or None
        How many components are not listed.
    generators : tuple of GeneratorStatement
    full : bool
        Whether nothing was cut.
    """

    network: Network
    layers: tuple[Quantity, ...]
    case: str
    theorem: Theorem
    hypotheses: tuple[HypothesisStatement, ...]
    completeness: str
    claimed: tuple[Phrase, ...]
    not_claimed: tuple[Phrase, ...]
    neurons: tuple[NeuronStatement, ...]
    hidden: tuple[int, ...]
    hidden_reason: Phrase
    component_count: int | None
    count_reason: Phrase
    labelled_count: int | None
    dimension: int | None
    dimension_note: str
    local_dimension: int | None
    local_note: str
    identifiable: bool | None
    components: tuple[ComponentStatement, ...]
    omitted: int | None
    generators: tuple[GeneratorStatement, ...]
    full: bool


def describe_fiber(
    fiber: Fiber, show_all: bool = False, conditions: bool = True, bar: Progress | None = None
) -> FiberStatement:
    """Return the description of a fiber from which all reports are written.

    Parameters
    ----------
    fiber : Fiber
    show_all : bool
        List everything; a short description cuts lists and counts what it leaves out.
    conditions : bool
        Whether to compute the polynomial conditions of the components.
    bar : Progress, optional
        Told what is being done.

    Raises
    ------
    LimitExceededError
        When everything is asked for and there are more than 4096 components.

    Examples
    --------
    >>> import symfiber as sf
    >>> net = sf.Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])])
    >>> statement = describe_fiber(sf.fiber(net))
    >>> statement.case, statement.component_count, [c.dimension for c in statement.components]
    ('hidden-single', 2, [4, 4])
    """
    bar = bar or Progress("report")
    bar.stage("counting components")
    count, count_note = _count(fiber)
    components = _describe_components(fiber, count, show_all, conditions, bar)
    bar.stage("hypotheses and dimension")
    dimension, dimension_note = _attempt(lambda: fiber.dimension)
    local, local_note = _attempt(lambda: fiber.local_dimension)
    claimed, not_claimed = claims(fiber)
    return FiberStatement(
        network=fiber.network,
        layers=_layers(fiber.network),
        case=fiber.case,
        theorem=theorem(fiber),
        hypotheses=hypotheses(fiber),
        completeness=fiber.completeness,
        claimed=claimed,
        not_claimed=not_claimed,
        neurons=_neurons(fiber),
        hidden=fiber.bottleneck.hidden,
        hidden_reason=hidden_reason(fiber),
        component_count=count,
        count_reason=(count_note,) if count is None else count_reason(fiber),
        labelled_count=None if count is None else fiber.labelled_component_count,
        dimension=dimension,
        dimension_note=dimension_note,
        local_dimension=local,
        local_note=local_note,
        identifiable=_identifiable(fiber, count),
        components=components,
        omitted=None if count is None else count - len(components),
        generators=_generators(fiber),
        full=show_all,
    )


def _describe_components(
    fiber: Fiber, count: int | None, show_all: bool, conditions: bool, bar: Progress
) -> tuple[ComponentStatement, ...]:
    """All components, or the first ones with that of the network itself in front."""
    if show_all and (count is None or count > ALL_LIMIT):
        known = "too many to count" if count is None else integer_text(count)
        raise LimitExceededError(
            f"a full report lists at most {ALL_LIMIT} components, this fiber has {known}; leave out --all (show_all)",
            {} if count is None else {"components": count},
        )
    shown = COMPONENT_CUT if count is None else count if show_all else min(count, COMPONENT_CUT)
    explicit = conditions and (show_all or fiber.network.parameter_count <= EXPLICIT_LIMIT)
    bar.stage("components", shown)
    found: list[ComponentStatement] = []
    for index, component in islice(_ordered(fiber), shown):
        found.append(describe_component(component, index, found[0] if found else None, show_all, explicit))
        bar.advance()
    return tuple(found)


def _generators(fiber: Fiber) -> tuple[GeneratorStatement, ...]:
    return tuple(
        GeneratorStatement(g.name, g.domain, g.effect, g.inverse_text, g.kind, g.dimension) for g in fiber.generators
    )


def _count(fiber: Fiber) -> tuple[int | None, str]:
    try:
        return fiber.component_count, ""
    except LimitExceededError as error:
        return None, str(error)


def _attempt(compute: Callable[[], int]) -> tuple[int | None, str]:
    try:
        return compute(), ""
    except UndecidedError as error:
        lower = error.known.get("lower")
        return None, f"{error}{f' (it is at least {lower})' if lower is not None else ''}"


def _ordered(fiber: Fiber) -> Iterator[tuple[int | None, Component]]:
    """The component of the network itself, then the others in their order, with their indices.

    The index of the first is found by looking at the first ones only, ``None`` when it is further away.
    """
    home = fiber.home
    try:
        beginning = enumerate(islice(fiber.components, ALL_LIMIT))
        index = next((i for i, component in beginning if component.label == home.label), None)
    except LimitExceededError:
        index = None
    yield index, home
    try:
        for i, component in enumerate(fiber.components):
            if component.label != home.label:
                yield i, component
    except LimitExceededError:
        return


def _neurons(fiber: Fiber) -> tuple[NeuronStatement, ...]:
    g = fiber.bottleneck.function
    return tuple(
        NeuronStatement(j, kind, tuple(map(_sign, weight)), _sign(bias))
        for j, (kind, weight, bias) in enumerate(zip(fiber.bottleneck.types, g.weight, g.bias))
    )


def _layers(net: Network) -> tuple[Quantity, ...]:
    return tuple(
        Quantity(
            Formula(f"[W{number}|b{number}]", rf"[W_{number}\mid b_{number}]"),
            tuple((*row, b) for row, b in zip(layer.weight, layer.bias)),
        )
        for number, layer in enumerate(net.scalar_layers, start=1)
    )


def _sign(value: Rational) -> int:
    return int(value > 0) - int(value < 0)


def _identifiable(fiber: Fiber, count: int | None) -> bool | None:
    """Whether permutations and scalings are all of the generic fiber, ``None`` when that is not proved."""
    if fiber.case == "univariate":
        return count == 1 and fiber.dimension == sum(fiber.network.hidden_widths)
    if fiber.case != "visible" or set(fiber.bottleneck.types) != {"nonlinear"}:
        return False
    return True if fiber.completeness == "proved" else None
