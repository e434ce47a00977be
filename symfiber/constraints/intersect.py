"""What is left of a fiber under constraints: for every component whether something is, a member, and the dimension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from math import factorial
from typing import TYPE_CHECKING, Literal

from symfiber.constraints.norm import MinimumNorm, minimum_norm_scaling
from symfiber.constraints.rigid import rigid_bounds
from symfiber.constraints.scaling import Bounds, ScalingIntoBounds, node_count, scale_into, scaled
from symfiber.constraints.sets import bounds_of
from symfiber.constraints.sparsest import sparse_representative
from symfiber.decomposition.component import Component
from symfiber.dimension import real_dimension
from symfiber.emptiness import Emptiness, Member, decide_emptiness
from symfiber.errors import InputError, LimitExceededError, UndecidedError, UnsupportedError, VerificationError
from symfiber.exact import ONE, Polynomial, Rational
from symfiber.network import Network
from symfiber.semialgebraic import BasicSet, RationalMap, Union, preimage
from symfiber.symmetry.neurons import Permutation

if TYPE_CHECKING:
    from symfiber.decomposition.fiber import Fiber

Status = Literal["nonempty", "empty", "undecided"]
Renumbering = tuple[tuple[int, ...], tuple[int, ...]]
_COMPONENT_LIMIT = 256
_RENUMBERING_LIMIT = 5040
_BITS = (2, 6, 20)
_SAMPLES = 3
_BUDGET = 60


@dataclass(frozen=True, slots=True)
class ScalingPath:
    """Two scalings of a member between which the only condition, an equation, changes sign.

    Scalings form a connected group and keep the component, so some scaling in between satisfies the equation; it need
    not be rational.
    """

    base: Network
    below: tuple[Rational, ...]
    above: tuple[Rational, ...]

    def verify(self, constraint: BasicSet, component: Component) -> bool:
        """Evaluate the equation at both ends, and look the base member up."""
        if len(constraint.equations) != 1 or constraint.positive or constraint.nonnegative:
            raise VerificationError("a scaling path needs a constraint of one equation")
        (equation,) = constraint.equations
        low, high = (equation(scaled(self.base, s).parameters) for s in (self.below, self.above))
        if not low < 0 < high:
            raise VerificationError("the equation must be negative and positive at the ends of the path")
        if not component.set.contains(self.base.parameters):
            raise VerificationError("the path must start at a member of the component")
        return True


@dataclass(frozen=True, slots=True)
class InteriorMember:
    """A member at which all constraints are strict: scalings of the image of an interior point of a chart.

    The component has its full dimension there, the rank of the chart's Jacobian at the point.
    """

    chart: RationalMap
    point: tuple[Rational, ...]
    scalings: tuple[Rational, ...]
    member: Network

    def verify(self, constraint: BasicSet, component: Component) -> bool:
        """Map and scale again; check that everything is strict, and that the chart is one of the component."""
        case, label = component.case, component.label
        if self.chart != case.chart(label, case.top_stratum(label), 0)[0]:
            raise VerificationError("the chart must be that of the largest stratum of the component")
        if self.chart.domain.equations or not _strict(self.chart.domain, self.point):
            raise VerificationError("the point must be an interior point of the chart's domain")
        start = Network.from_parameters(self.member.architecture, self.chart(self.point))
        if scaled(start, self.scalings) != self.member:
            raise VerificationError("the member must be the scaled image of the point")
        if constraint.equations or not _strict(constraint, self.member.parameters):
            raise VerificationError("the constraints must be strict at the member")
        if not component.set.contains(self.member.parameters):
            raise VerificationError("the member must lie in the component")
        return True


Evidence = ScalingPath | InteriorMember | Member | ScalingIntoBounds | MinimumNorm | Emptiness


@dataclass(frozen=True)
class ConstrainedComponent:
    """What is left of one component.

    Attributes
    ----------
    component : Component
    constraint : BasicSet
        In the parameter coordinates.
    renumbering : pair of permutations or None
        When the neurons were renumbered: new neuron i of a layer is the component's neuron order[i].
    status : {"nonempty", "empty", "undecided"}
    member : Network or None
        A member that satisfies the constraints, when a rational one is known.
    evidence : tuple
        Why: a member, two scalings between which an equation changes sign, a cycle of neurons whose bounds contradict
        each other, a lower bound for norms, or an emptiness proof; nothing when undecided.
    """

    component: Component
    constraint: BasicSet
    renumbering: Renumbering | None
    status: Status
    member: Network | None
    evidence: tuple[Evidence, ...]

    @property
    def set(self) -> Union:
        """The component's set and the constraints, in the parameter coordinates."""
        result: Union = self._component_set() & self.constraint
        return result

    @cached_property
    def dimension(self) -> int:
        """The real dimension of what is left, −1 when nothing is.

        Raises
        ------
        UndecidedError
            When the status is undecided, or only bounds are known (``known`` has them).
        """
        if self.status == "empty":
            return -1
        if self.status == "undecided":
            raise UndecidedError("whether anything is left of the component is undecided")
        (evidence,) = self.evidence
        if isinstance(evidence, InteriorMember):
            return evidence.chart.jacobian(evidence.point).rank()
        if isinstance(evidence, ScalingPath) and is_scaling_orbit(self.component):
            # An analytic function that changes sign on a connected manifold: its zeros have codimension 1.
            return self.component.dimension - 1
        points = [] if self.member is None else [self.member.parameters]
        return real_dimension(self.set, points).lower

    def verify(self) -> bool:
        """Check the evidence again; raise :class:`VerificationError` when it does not hold."""
        for evidence in self.evidence:
            if isinstance(evidence, (ScalingPath, InteriorMember)):
                evidence.verify(self._pulled(), self.component)
            elif isinstance(evidence, Member):
                if not (self.component.set & self._pulled()).contains(evidence.point):
                    raise VerificationError("the member must lie in the component and satisfy the constraints")
            elif isinstance(evidence, ScalingIntoBounds):
                self._verify_cycle(evidence)
            elif isinstance(evidence, MinimumNorm):
                self._verify_norm(evidence)
            else:
                if set(evidence.pieces) != set((self.component.set & self._pulled()).pieces) and evidence.empty:
                    raise VerificationError("the emptiness proof must be about what is left of the component")
                evidence.verify()
        if self.member is not None and not self.set.contains(self.member.parameters):
            raise VerificationError("the member must lie in the component and satisfy the constraints")
        return True

    def _pulled(self) -> BasicSet:
        """The constraints in the component's own numbering."""
        return (
            self.constraint
            if self.renumbering is None
            else _renumbered(self.constraint, self.component, self.renumbering)
        )

    def _component_set(self) -> Union:
        if self.renumbering is None:
            return self.component.set
        first, second = (tuple(sorted(range(len(o)), key=o.__getitem__)) for o in self.renumbering)
        result = preimage(self.component.set, _renumbering_map(self.component, (first, second)))
        assert isinstance(result, Union)
        return result

    def _verify_cycle(self, evidence: ScalingIntoBounds) -> None:
        if evidence.bounds != rigid_bounds(self.component, bounds_of(self._pulled())):
            raise VerificationError("the contradiction must be about the bounds on rigid parameters")
        if evidence or not self.component.set.contains(evidence.network.parameters):
            raise VerificationError("the contradiction must be about a member of the component")
        evidence.verify()

    def _verify_norm(self, evidence: MinimumNorm) -> None:
        limit = _norm_limit(self._pulled())
        if limit is None or not is_scaling_orbit(self.component) or evidence.lower_bound <= limit:
            raise VerificationError("the least norm of the component must exceed the norm that the constraint allows")
        if not self.component.set.contains(evidence.network.parameters):
            raise VerificationError("the least norm must be about a member of the component")
        evidence.verify()

    def __repr__(self) -> str:
        return f"<ConstrainedComponent {self.component.orientation}: {self.status}>"


@dataclass(frozen=True)
class ConstrainedFiber:
    """What is left of the components of a fiber under constraints.

    Attributes
    ----------
    fiber : Fiber
    constraint : BasicSet
    parts : tuple of ConstrainedComponent
        One a component (and a renumbering of the neurons, if asked for).
    """

    fiber: Fiber
    constraint: BasicSet
    parts: tuple[ConstrainedComponent, ...]

    @property
    def left(self) -> tuple[ConstrainedComponent, ...]:
        """The parts that are proved to be nonempty."""
        return tuple(part for part in self.parts if part.status == "nonempty")

    @property
    def undecided(self) -> tuple[ConstrainedComponent, ...]:
        """The parts about which nothing is proved."""
        return tuple(part for part in self.parts if part.status == "undecided")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left of any component, with proof.

        Raises
        ------
        UndecidedError
            When nothing is proved to be left, and not every part is proved to be empty.
        """
        if self.left:
            return False
        self._require_decided("whether anything is left")
        return True

    @property
    def dimension(self) -> int:
        """The largest dimension of a part, −1 when nothing is left.

        Raises
        ------
        UndecidedError
            When an undecided part could have a larger dimension, or a dimension itself is undecided.
        """
        largest = max((part.dimension for part in self.left), default=-1)
        if any(part.component.dimension > largest for part in self.undecided):
            self._require_decided("the dimension")
        return largest

    @property
    def member(self) -> Network:
        """A member of the fiber that satisfies the constraints.

        Raises
        ------
        InputError
            When there is none.
        UndecidedError
            When none is known: parts are undecided, or have only real points that are not known to be rational.
        """
        for part in self.left:
            if part.member is not None:
                return part.member
        if self.left:
            raise UndecidedError("something real is left, but no rational member was found")
        if self.is_empty:
            raise InputError("the constraints leave no member of the fiber's components")
        raise AssertionError("is_empty raises when parts are undecided")

    def _require_decided(self, question: str) -> None:
        if self.undecided:
            raise UndecidedError(
                f"{question} is open for {len(self.undecided)} of {len(self.parts)} parts",
                {"undecided": self.undecided},
            )

    def _repr_html_(self) -> str:
        from symfiber.report.display import constrained_html

        return constrained_html(self)

    def __repr__(self) -> str:
        open_parts = f", {len(self.undecided)} undecided" if self.undecided else ""
        return f"<ConstrainedFiber: {len(self.left)} of {len(self.parts)} components left{open_parts}>"


def intersect(
    fiber: Fiber, constraint: BasicSet, renumber: bool = False, engine: Literal["z3"] | None = None
) -> ConstrainedFiber:
    """Return what is left of every component of a fiber under a constraint; see :meth:`Fiber.intersect`."""
    if fiber.component_count > _COMPONENT_LIMIT:
        raise LimitExceededError(
            f"constraints are put on {_COMPONENT_LIMIT} components at most, got {fiber.component_count}"
        )
    parts = []
    for component in fiber.components:
        for renumbering, pulled in _numberings(component, constraint, renumber):
            status, member, evidence = _decide(component, pulled, engine)
            if member is not None and renumbering is not None:
                for layer, order in enumerate(renumbering, start=1):
                    member = Permutation(layer, member.architecture)(member, order)
            parts.append(ConstrainedComponent(component, constraint, renumbering, status, member, evidence))
    return ConstrainedFiber(fiber, constraint, tuple(parts))


def is_scaling_orbit(component: Component) -> bool:
    """Return whether a component consists of the scalings of one member: visible, and no neuron is free."""
    return component.case.name == "visible" and not component.case.free


def _numberings(
    component: Component, constraint: BasicSet, renumber: bool
) -> Iterator[tuple[Renumbering | None, BasicSet]]:
    """Yield the constraint in the numberings of the neurons that make a difference."""
    if not renumber:
        yield None, constraint
        return
    n1, n2 = component.case.bottleneck.network.hidden_widths
    if factorial(n1) * factorial(n2) > _RENUMBERING_LIMIT:
        raise LimitExceededError(
            f"renumbering looks at {_RENUMBERING_LIMIT} permutations at most, "
            f"got {factorial(n1) * factorial(n2)} for layers of {n1} and {n2} neurons"
        )
    seen = set()
    for renumbering in product(permutations(range(n1)), permutations(range(n2))):
        pulled = _renumbered(constraint, component, renumbering)
        if pulled not in seen:
            seen.add(pulled)
            yield renumbering, pulled


def _renumbering_map(component: Component, renumbering: Renumbering) -> RationalMap:
    """Return the permutation of coordinates θ ↦ θ with its neurons renumbered."""
    shape = component.case.bottleneck.network.architecture
    layout: Network = Network.symbolic(shape)
    assert layout.ring is not None
    ring = layout.ring
    for layer, order in enumerate(renumbering, start=1):
        layout = Permutation(layer, shape)(layout, order)
    images = tuple(ring.coerce(x) for x in layout.parameters)
    return RationalMap(BasicSet.everything(ring), images, (ring.constant(1),) * len(images), layout.parameter_names)


def _renumbered(constraint: BasicSet, component: Component, renumbering: Renumbering) -> BasicSet:
    result = preimage(constraint, _renumbering_map(component, renumbering))
    assert isinstance(result, BasicSet)
    return result


def _decide(
    component: Component, constraint: BasicSet, engine: Literal["z3"] | None
) -> tuple[Status, Network | None, tuple[Evidence, ...]]:
    """Look for contradicting bounds, a scaled member, a scaling path; then ask the general decision."""
    bounds = bounds_of(constraint)
    base = sparse_representative(component)
    forced = scale_into(base, rigid_bounds(component, bounds))
    if not forced:
        return "empty", None, (forced,)
    interior = _interior_member(component, constraint, bounds)
    if interior is not None:
        return "nonempty", interior.member, (interior,)
    for start in _members(component, base):
        member = scale_into(start, bounds).member
        if member is not None and constraint.contains(member.parameters) and component.set.contains(member.parameters):
            return "nonempty", member, (Member(member.parameters),)
    path = _scaling_path(component, constraint, base)
    if path is not None:
        return ("empty", None, (path,)) if isinstance(path, MinimumNorm) else ("nonempty", None, (path,))
    try:
        answer = decide_emptiness(component.set & constraint, engine, _BUDGET)
    except (UndecidedError, LimitExceededError):
        return "undecided", None, ()
    if answer.empty:
        return "empty", None, (answer,)
    if answer.point is None:
        return "nonempty", None, (answer,)
    return "nonempty", Network.from_parameters(base.architecture, answer.point), (Member(answer.point),)


def _strict(domain: BasicSet, point: Sequence[Rational]) -> bool:
    return all(p(point) > 0 for p in (*domain.positive, *domain.nonnegative))


def _interior_member(component: Component, constraint: BasicSet, bounds: Bounds) -> InteriorMember | None:
    """Scale images of interior points of the largest chart into bounds that are a little narrower."""
    if constraint.equations:
        return None
    with_norm = _norm_limit(constraint) is not None
    for chart, point in _interior_points(component):
        start = Network.from_parameters(component.case.bottleneck.network.architecture, chart(point))
        candidates = [scale_into(start, {n: _narrowed(*b, bits) for n, b in bounds.items()}).scalings for bits in _BITS]
        if with_norm:
            least = _least_norm(start)
            candidates.append(None if least is None else least.scalings)
        for scalings in candidates:
            if scalings is None:
                continue
            member = scaled(start, scalings)
            if _strict(constraint, member.parameters) and component.set.contains(member.parameters):
                return InteriorMember(chart, point, scalings, member)
    return None


def _members(component: Component, base: Network) -> Iterator[Network]:
    """Yield members to be scaled: a sparse one, the given network in its own component, and samples."""
    yield base
    case = component.case
    if case.name == "visible" and component.label == case.home:
        # The component's set has the linear ones of the free neurons first.
        order = list(range(len(case.function.bias)))
        for place, j in zip(case.free, sorted(case.free, key=lambda j: j not in case.linear)):
            order[place] = j
        yield Permutation(2, base.architecture)(case.bottleneck.network, order)
    yield from map(component.sample, range(_SAMPLES))


def _least_norm(net: Network) -> MinimumNorm | None:
    """Return the scaling of least norm, ``None`` when it is not attained or its gap is not small."""
    try:
        return minimum_norm_scaling(net)
    except (UnsupportedError, LimitExceededError):
        return None


def _narrowed(low: Rational | None, high: Rational | None, bits: int) -> tuple[Rational | None, Rational | None]:
    """Move the bounds inwards, by a share 2^−bits of the width or of the size."""
    share = ONE / 2**bits
    if low is not None and high is not None:
        return low + (high - low) * share, high - (high - low) * share
    return (
        None if low is None else low + max(abs(low), ONE) * share,
        None if high is None else high - max(abs(high), ONE) * share,
    )


def _interior_points(component: Component) -> Iterator[tuple[RationalMap, tuple[Rational, ...]]]:
    """Yield interior points of the largest chart: the sample, then with small free neurons and near translations."""
    case, label = component.case, component.label
    for size, seed in product((ONE, ONE / 16, ONE / 256, ONE / 65536), range(_SAMPLES)):
        try:
            chart, sample = case.chart(label, case.top_stratum(label), seed)
        except LimitExceededError:
            return
        halves = {str(q).lstrip("-") for q in chart.domain.nonnegative if q.total_degree() == 1}
        point = []
        for name, value in zip(chart.variables, sample):
            if name in halves or name.startswith("dc_"):
                value = value * size
            elif name == "t":
                least = max(case.function.bias[j] / case.function.weight[j][case.hidden] for j in case.live)
                constant = case.hidden_row(label)[1]
                value = max(least + (value - least) * size, -constant)
            elif name == "beta":
                first = -case.oriented(label).kinks[0][0]
                value = first + (value - first) * size
            point.append(value)
        if _strict(chart.domain, point):
            yield chart, tuple(point)


def _scaling_path(component: Component, constraint: BasicSet, base: Network) -> ScalingPath | MinimumNorm | None:
    """Return two scalings between which the only equation changes sign, or a lower bound for norms that excludes it."""
    limit = _norm_limit(constraint)
    least = None if limit is None else _least_norm(base)
    if limit is not None and least is not None and least.lower_bound > limit and is_scaling_orbit(component):
        return least
    if len(constraint.equations) != 1 or constraint.positive or constraint.nonnegative:
        return None
    (equation,) = constraint.equations
    if equation.total_degree() < 2 or not component.set.contains(base.parameters):
        return None
    ends: dict[bool, tuple[Rational, ...]] = {}
    for scalings in _trial_scalings(base, least):
        value = equation(scaled(base, scalings).parameters)
        if value:
            ends.setdefault(bool(value > 0), scalings)
        if len(ends) == 2:
            return ScalingPath(base, ends[False], ends[True])
    return None


def _trial_scalings(base: Network, least: MinimumNorm | None) -> Iterator[tuple[Rational, ...]]:
    """Yield 1, the scalings of least norm, and every neuron alone scaled by powers of 2."""
    nodes = node_count(base)
    yield (ONE,) * nodes
    if least is not None:
        yield least.scalings
    for exponent in range(1, 13):
        for node in range(1, nodes):
            for factor in (Rational(2) ** exponent, Rational(2) ** -exponent):
                yield tuple(factor if k == node else ONE for k in range(nodes))


def _norm_limit(constraint: BasicSet) -> Rational | None:
    """Return c when a condition is Σ θ² = c or Σ θ² ≤ c over all parameters."""
    squares: Polynomial = sum((x * x for x in constraint.ring.generators), constraint.ring.constant(0))
    for p, relation in constraint.conditions():
        if p.total_degree() != 2:
            continue
        scale = next(c for e, c in p.terms().items() if sum(e) == 2)
        if scale > 0 and relation != "=":
            continue
        rest = (p / scale - squares).constant_value()
        if rest is not None:
            return -rest
    return None


__all__ = ["ConstrainedComponent", "ConstrainedFiber", "InteriorMember", "ScalingPath", "intersect"]
