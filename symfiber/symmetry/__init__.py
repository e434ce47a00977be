"""Symmetry generators as exact maps on parameters, each with a symbolic proof that it keeps the function.

Every generator ``g`` has ``name``, ``domain`` (where it applies), ``effect``, ``inverse_text``, ``kind`` ("discrete" or
"continuous") and ``dimension``; ``g(net, value)`` applies it, ``g.inverse(net, value)`` is the value that undoes it,
``g.sample(net, seed)`` an allowed value, and ``g.prove()`` proves f∘g = f for all parameters of the sign pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from symfiber.network import Network
from symfiber.orientations import FeasibleOrientations
from symfiber.orthant import OrthantFunction
from symfiber.symmetry.hiding import HidingTranslation, SignFlip
from symfiber.symmetry.invariance import InvarianceProof
from symfiber.symmetry.linear import BiasShift, FactorizationAction, Reorientation
from symfiber.symmetry.neurons import DeadMotion, FirstLayerMotion, Permutation, PositiveScaling
from symfiber.symmetry.univariate import EndExchange, KinkTranslation, Reversal, Sides
from symfiber.univariate import UnivariateFunction

if TYPE_CHECKING:
    from symfiber.bottleneck import Bottleneck
    from symfiber.decomposition import Component, Fiber


class Generator(Protocol):
    """What every symmetry generator offers."""

    @property
    def name(self) -> str:
        """A short name."""

    @property
    def domain(self) -> str:
        """Where it applies."""

    @property
    def effect(self) -> str:
        """What it does to the parameters."""

    @property
    def inverse_text(self) -> str:
        """What undoes it."""

    @property
    def kind(self) -> str:
        """ "discrete" or "continuous"."""

    @property
    def dimension(self) -> int:
        """How many parameters the motion has; 0 when discrete."""

    def __call__(self, net: Network, value: Any) -> Network:
        """Apply to a network."""

    def inverse(self, net: Network, value: Any) -> Any:
        """Return the value that undoes ``value``."""

    def sample(self, net: Network, seed: int = 0) -> Any:
        """Return an allowed value at ``net``."""

    def prove(self) -> InvarianceProof:
        """Prove f∘g = f symbolically."""


def generators_of(fiber: Fiber) -> tuple[Generator, ...]:
    """Return the generators that apply at the fiber's own network.

    Examples
    --------
    >>> import symfiber as sf
    >>> F = sf.fiber(sf.Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])]))
    >>> [g.name for g in F.generators][-2:]
    ['hiding translation of first-layer neuron 0', 'sign flip of first-layer neuron 1']
    """
    return tuple(_generators(fiber.bottleneck))


def stabilizers_of(component: Component) -> tuple[Generator, ...]:
    """Return the generators that keep a component, for a member in its largest stratum with the fiber's positions."""
    case, label = component.case, component.label
    shape = case.bottleneck.network.architecture
    if case.name == "constant":
        return (*stabilizers(shape, (), tuple(range(shape[2]))), FirstLayerMotion(shape))
    if case.name in ("hidden", "hidden-single"):
        translation = HidingTranslation(case.hidden, case.live, shape)
        return (*stabilizers(shape, (), case.dead), translation)
    block = case.block(label)
    r, _ = block.top_stratum
    common = tuple(stabilizers(shape, block.positions[:r], block.positions[r:]))
    if case.name == "univariate" and not label.visible:
        right = tuple(j for j, s in enumerate(label.orientation) if s > 0)
        left = tuple(j for j, s in enumerate(label.orientation) if s < 0)
        return (*common, KinkTranslation(Sides(right, left, block.positions[:r]), shape))
    return common


def stabilizers(shape: tuple[int, ...], linear: tuple[int, ...], dead: tuple[int, ...]) -> Iterator[Generator]:
    """Yield the generators that exist for every case: neurons renumbered and scaled, dead and linear ones moved."""
    for layer in (1, 2):
        if shape[layer] > 1:
            yield Permutation(layer, shape)
    for layer in (1, 2):
        yield PositiveScaling(layer, shape)
    for j in dead:
        yield DeadMotion(j, shape)
    if linear:
        yield FactorizationAction(linear, shape)
    for j in linear:
        yield BiasShift(j, shape)


def _generators(bottleneck: Bottleneck) -> Iterator[Generator]:
    net, shape = bottleneck.network, bottleneck.network.architecture
    g = bottleneck.function
    yield from stabilizers(shape, g.neurons_of_type("linear"), g.neurons_of_type("dead"))
    if bottleneck.case == "constant":
        yield FirstLayerMotion(shape)
    if bottleneck.case in ("visible", "univariate"):
        yield from _reorientations(bottleneck)
    if bottleneck.case in ("hidden", "hidden-single"):
        (hidden,) = bottleneck.hidden
        yield HidingTranslation(hidden, bottleneck.live, shape)
        if bottleneck.case == "hidden-single":
            for k in range(shape[1]):
                if k != hidden:
                    yield SignFlip(k, hidden, bottleneck.live[0], shape)
    if bottleneck.case == "univariate":
        yield from _univariate(net, bool(bottleneck.hidden))


def _reorientations(bottleneck: Bottleneck) -> Iterator[Generator]:
    """The refactorisation of the free neurons, and the flips of single neurons whose slope can be carried."""
    g = bottleneck.function
    choices = FeasibleOrientations.of(g)
    nonlinear = g.neurons_of_type("nonlinear")
    free = tuple(j for j in range(len(g.bias)) if j not in set(nonlinear))
    linear, shape = g.neurons_of_type("linear"), bottleneck.network.architecture
    if linear and len(linear) < len(free):
        yield Reorientation((), free, linear, shape)
    for j in nonlinear:
        if choices.is_feasible(tuple(-1 if other == j else 1 for other in nonlinear)):
            yield Reorientation((j,), free, linear, shape)


def _univariate(net: Network, hidden: bool) -> Iterator[Generator]:
    sides, shape = Sides.of(net), net.architecture
    form = UnivariateFunction.from_layers(net.scalar_layers[0], OrthantFunction.from_layers(*net.scalar_layers[1:]))
    if hidden:
        yield KinkTranslation(sides, shape)
        if form.reversible:
            yield Reversal(sides, shape)
    elif len(sides.left) == shape[2]:
        yield EndExchange(shape)


__all__ = [
    "BiasShift",
    "DeadMotion",
    "EndExchange",
    "FactorizationAction",
    "FirstLayerMotion",
    "Generator",
    "HidingTranslation",
    "InvarianceProof",
    "KinkTranslation",
    "Permutation",
    "PositiveScaling",
    "Reorientation",
    "Reversal",
    "SignFlip",
    "generators_of",
    "stabilizers",
    "stabilizers_of",
]
