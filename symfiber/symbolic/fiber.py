"""The fiber of a network with symbolic entries: components with the conditions under which they exist (THEORY §2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, product
from typing import Any, Literal

from symfiber.bottleneck import Case, analyse, hiding_neuron
from symfiber.decomposition.charts import Ambient
from symfiber.decomposition.component import Component
from symfiber.decomposition.constant import constant_set
from symfiber.decomposition.fiber import Fiber
from symfiber.decomposition.hidden import hidden_set
from symfiber.decomposition.visible import visible_set
from symfiber.errors import InputError, LimitExceededError, UndecidedError, UnsupportedError
from symfiber.exact import Polynomial, PolynomialRing, Rational, dot
from symfiber.network import Network
from symfiber.orthant import NeuronType, OrthantFunction
from symfiber.semialgebraic import BasicSet, Union
from symfiber.symbolic.assumptions import Assumptions
from symfiber.symbolic.feasibility import feasible, pointed
from symfiber.symbolic.hypotheses import SymbolicHypothesis, hypotheses_of
from symfiber.symmetry import Generator, HidingTranslation, Reorientation, SignFlip, stabilizers
from symfiber.symmetry.neurons import FirstLayerMotion

_LABEL_LIMIT = 4096
PREFIX = "new_"
"""The coordinates of members are the parameter names with this prefix; the base symbols keep their names."""


@dataclass(frozen=True)
class SymbolicComponent:
    """A component of a symbolic fiber.

    Attributes
    ----------
    fiber : SymbolicFiber
    orientation : tuple of int
        ±1 for every nonlinear neuron (visible), the flipped first-layer neurons (hidden-single).
    condition : Union
        The values of the base symbols, among the assumed ones, for which the component exists.
    dimensions : tuple of (Union, int)
        The dimension for values that satisfy the hypotheses, and on which part of the condition it is this one.
    """

    fiber: SymbolicFiber
    orientation: tuple[int, ...]
    condition: Union
    dimensions: tuple[tuple[Union, int], ...]

    @property
    def always(self) -> bool:
        """Whether the component exists for all values with the assumed signs."""
        return BasicSet.everything(self.condition.ring) in self.condition.pieces

    @property
    def dimension(self) -> int:
        """The dimension under the hypotheses.

        Raises
        ------
        UndecidedError
            When it depends on the values; ``dimensions`` has the cases.
        """
        values = {value for _, value in self.dimensions}
        if len(values) > 1:
            raise UndecidedError(
                f"the dimension of component {self.orientation} is one of {sorted(values)}, depending on the values",
                {"dimensions": tuple(sorted(values))},
            )
        return values.pop()

    @property
    def description(self) -> str:
        """What distinguishes the component, in words."""
        if self.fiber.case == "visible":
            flipped = [str(j) for j, s in zip(self.fiber.neurons_of_type("nonlinear"), self.orientation) if s < 0]
            return f"layer 2: {_listed('neuron', flipped)} turned around" if flipped else "all orientations as given"
        if self.fiber.case == "constant":
            return "all neurons of layer 2 dead"
        flipped = list(map(str, self.orientation))
        return f"layer 1: {_listed('row', flipped)} flipped" if flipped else "first-layer rows as given"

    @cached_property
    def set(self) -> Union:
        """{(t, θ′)}: base symbols, and members θ′ of the component in coordinates with the prefix ``new_``.

        The condition and the assumed signs are not repeated in it.
        """
        return self.fiber._set(self.orientation)

    def set_at(self, values: Mapping[str, Any]) -> Union:
        """Return the component for given values, in the parameter coordinates; empty pieces may occur."""
        numbers = self.fiber.network.values(values)
        target = PolynomialRing(self.fiber.network.parameter_names)
        ring = self.set.ring
        images = [
            target.constant(numbers[name]) if name in numbers else target.generator(name.removeprefix(PREFIX))
            for name in ring.names
        ]
        pieces = []
        for piece in self.set.pieces:
            groups = (piece.equations, piece.positive, piece.nonnegative)
            pieces.append(BasicSet(target, *([p.compose(images) for p in group] for group in groups)))
        return Union(target, pieces)

    def at(self, values: Mapping[str, Any]) -> Component:
        """Return the component for given values, computed from the numbers.

        Raises
        ------
        InputError
            When the condition does not hold for the values.
        """
        numeric = self.fiber.at(values)
        if not self.condition.contains(list(self.fiber.network.values(values).values())):
            raise InputError(f"the condition of component {self.orientation} must hold for the values, but it does not")
        return next(c for c in numeric.components if c.orientation == self.orientation)

    def __repr__(self) -> str:
        return f"<SymbolicComponent {self.orientation}{'' if self.always else ', under a condition'}>"


class SymbolicFiber:
    r"""The fibers of all networks that a symbolic one stands for, as far as they have the same signs.

    For every value of the base symbols with the assumed signs, a component whose condition holds is contained in the
    fiber; no hypothesis is needed for that.  For values that satisfy the hypotheses G1–G3, the components whose
    conditions hold contain all generic members.

    Attributes
    ----------
    network : Network
    assumptions : Assumptions
    types : tuple of str
        The types of the second-layer neurons.
    case : {"visible", "hidden", "hidden-single", "constant"}
        Under the hypotheses.

    Examples
    --------
    >>> net = Network.symbolic((2, 2, 2, 1), signs=["++-", "++-"])
    >>> F = symbolic_fiber(net)
    >>> F.types, F.case, [(c.orientation, c.always, c.dimension) for c in F.components]
    (('nonlinear', 'nonlinear'), 'visible', [((1, 1), True, 4)])
    >>> a, b = symbolic_fiber(Network.symbolic((2, 2, 2, 1), signs=["+-+", "+++"])).components
    >>> a.always, [len(piece.nonnegative) for piece in b.condition.pieces]
    (True, [2, 2])
    """

    def __init__(self, network: Network, assumptions: Assumptions) -> None:
        assert network.ring is not None
        _, hidden, output = network.scalar_layers
        self.network, self.assumptions = network, assumptions
        self.function = OrthantFunction.from_layers(hidden, output)
        signs = [tuple(map(assumptions.sign, row)) for row in self.function.rows]
        _require_nonzero(signs)
        self.types: tuple[NeuronType, ...] = tuple(map(_type_of, signs))
        live = tuple(j for j, kind in enumerate(self.types) if kind != "dead")
        hiding = hiding_neuron([tuple(map(Rational, row)) for row in signs], live) if live else None
        self.live, self.hidden = live, hiding
        self.case: Case = "visible"
        if not live:
            self.case = "constant"
        elif hiding is not None:
            self.case = "hidden" if len(live) > 1 else "hidden-single"

    @property
    def ring(self) -> PolynomialRing:
        """The ring of the base symbols."""
        return self.assumptions.ring

    def neurons_of_type(self, kind: NeuronType) -> tuple[int, ...]:
        """Return the second-layer neurons of one type."""
        return tuple(j for j, found in enumerate(self.types) if found == kind)

    @cached_property
    def hypotheses(self) -> tuple[SymbolicHypothesis, ...]:
        """G1–G3 as far as they do not follow from the assumed signs: each a polynomial that must be positive.

        Raises
        ------
        LimitExceededError
            When there are too many masks; the components and their conditions do not need this list.
        """
        known = self.assumptions.knowledge
        unique: dict[Polynomial, SymbolicHypothesis] = {}
        for hypothesis in hypotheses_of(self.network):
            if len(hypothesis.minors) == 1 and known.sign(hypothesis.minors[0]) in (1, -1):
                continue
            polynomial = hypothesis.polynomial
            if known.sign(polynomial) != 1:
                unique.setdefault(polynomial.primitive(), hypothesis)
        return tuple(unique.values())

    @cached_property
    def hypothesis_set(self) -> BasicSet:
        """The values of the base symbols with the assumed signs that satisfy the hypotheses."""
        result: BasicSet = self.assumptions.set & BasicSet(self.ring, positive=[h.polynomial for h in self.hypotheses])
        return result

    @cached_property
    def components(self) -> tuple[SymbolicComponent, ...]:
        """The components whose conditions do not contradict the hypotheses.

        Raises
        ------
        LimitExceededError
            For more than 4096 orientation choices, or when a condition is not written out.
        """
        return tuple(self._components())

    @property
    def generators(self) -> tuple[Generator, ...]:
        """The symmetries that apply for all values with the assumed signs; ``prove()`` of each is for all of them.

        Re-orientations are those of single neurons that are possible for all values.
        """
        shape = self.network.architecture
        linear, dead = self.neurons_of_type("linear"), self.neurons_of_type("dead")
        found: list[Generator] = list(stabilizers(shape, linear, dead))
        if self.case == "constant":
            found.append(FirstLayerMotion(shape))
        elif self.hidden is not None:
            found.append(HidingTranslation(self.hidden, self.live, shape))
            others = [k for k in range(shape[1]) if k != self.hidden] if self.case == "hidden-single" else []
            found += [SignFlip(k, self.hidden, self.live[0], shape) for k in others]
        else:
            free = tuple(sorted((*linear, *dead)))
            if linear and len(linear) < len(free):
                found.append(Reorientation((), free, linear, shape))
            for component in self.components:
                flipped = self._flipped(component.orientation)
                if component.always and len(flipped) == 1:
                    found.append(Reorientation(flipped, free, linear, shape))
        return tuple(found)

    def at(self, values: Mapping[str, Any]) -> Fiber:
        """Return the fiber of the network with numbers for the symbols, computed from the numbers.

        For values that satisfy the hypotheses its components are those whose conditions hold.

        Raises
        ------
        InputError
            When a symbol has no value, or the values do not have the assumed signs.
        UnsupportedError
            When the values violate a hypothesis such that the theorems do not apply, naming it.
        """
        numbers = self.network.values(values)
        point = [numbers[name] for name in self.ring.names]
        violation = self.assumptions.set.violation(point)
        if violation is not None:
            raise InputError(f"the values must have the assumed signs, but {violation} fails")
        return Fiber(analyse(self.network.at(numbers)))

    def _flipped(self, label: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(j for j, s in zip(self.neurons_of_type("nonlinear"), label) if s < 0)

    def _components(self) -> Iterator[SymbolicComponent]:
        everything = Union(self.ring, [BasicSet.everything(self.ring)])
        n1, m = self.network.architecture[1], self.network.architecture[-1]
        dead = len(self.types) - len(self.live)
        if self.case == "constant":
            yield SymbolicComponent(self, (), everything, ((everything, self.network.parameter_count - m),))
        elif self.hidden is not None:
            dimension = n1 + len(self.live) + 1 + dead * (n1 + 1 + m)
            others = [k for k in range(n1) if k != self.hidden] if self.case == "hidden-single" else []
            sizes = range(len(others) + 1)
            for flips in chain.from_iterable(combinations(others, size) for size in sizes):
                yield SymbolicComponent(self, flips, everything, ((everything, dimension),))
        else:
            yield from self._visible_components()

    def _visible_components(self) -> Iterator[SymbolicComponent]:
        nonlinear = self.neurons_of_type("nonlinear")
        if 1 << len(nonlinear) > _LABEL_LIMIT:
            raise LimitExceededError(
                f"{len(nonlinear)} nonlinear neurons have 2^{len(nonlinear)} orientations, the limit is {_LABEL_LIMIT}"
            )
        free = len(self.types) - len(nonlinear)
        n1, m = self.network.architecture[1], self.network.architecture[-1]
        linear = self.neurons_of_type("linear")
        for label in product((1, -1), repeat=len(nonlinear)):
            moved = (*linear, *self._flipped(label))
            # G2 makes the rank of M_s min(m, n, |T|), T = lin ∪ S.
            rank = min(m, n1, len(moved))
            if rank > free:
                continue
            condition = Union(self.ring, [BasicSet.everything(self.ring)])
            if len(moved) > len(linear) and len(moved) >= free:
                condition = self.assumptions.reduce(feasible(self._slope(moved), free, self.ring), self._nonzero(moved))
            if condition.pieces:
                yield SymbolicComponent(self, label, condition, self._dimensions(moved, rank, free, len(nonlinear)))

    def _nonzero(self, moved: tuple[int, ...]) -> tuple[Polynomial, ...]:
        """Polynomials that G2 makes nonzero and that decide conditions on one flipped neuron: c_j ≠ 0."""
        if len(moved) != 1 or self.network.architecture[-1] != 1:
            return ()
        return (self.ring.coerce(self.function.outgoing[moved[0]][0]),)

    def _dimensions(
        self, moved: tuple[int, ...], rank: int, free: int, nonlinear: int
    ) -> tuple[tuple[Union, int], ...]:
        """n₁ + k + ρ² + ρ + (f − ρ)(n₁ + 1 + m) − [M_s not pointed](m − ρ), by cases of pointedness."""
        n1, m = self.network.architecture[1], self.network.architecture[-1]
        everything = Union(self.ring, [BasicSet.everything(self.ring)])
        largest = n1 + nonlinear + rank * (rank + 1) + (free - rank) * (n1 + 1 + m)
        if rank in (m, n1, free) or all(self.types[j] == "linear" for j in moved):
            # No difference; n independent columns; pointed by feasibility; u = the sum of the coordinates.
            return ((everything, largest),)
        # Here ρ = |T| < m, so the columns c_j, j ∈ T, are independent: M_s is pointed when W restricted to T is.
        rows = [[self.ring.coerce(x) for x in self.function.weight[j]] for j in moved]
        inside = self.assumptions.reduce(pointed(rows, rank, self.ring))
        outside = self.assumptions.reduce(~pointed(rows, rank, self.ring))
        cases = ((inside, largest), (outside, largest - (m - rank)))
        return tuple(case for case in cases if case[0].pieces)

    def _slope(self, moved: tuple[int, ...]) -> list[list[Polynomial]]:
        """M_s = Σ_{j ∈ lin ∪ S} c_j w_jᵀ."""
        g = self.function
        return [
            [
                self.ring.coerce(dot((g.outgoing[j][o] for j in moved), (g.weight[j][i] for j in moved)))
                for i in range(g.input_dimension)
            ]
            for o in range(g.output_dimension)
        ]

    def _set(self, label: tuple[int, ...]) -> Union:
        ambient = Ambient(self.network.architecture, self.ring.names, PREFIX)
        ring = ambient.ring

        def lift(value: Any) -> Polynomial:
            return ring.embed(value) if isinstance(value, Polynomial) else ring.constant(value)

        first = [[lift(x) for x in (*w, b)] for w, b in zip(*self.network.scalar_layers[0])]
        _, hidden, output = self.network.scalar_layers
        g = OrthantFunction(
            tuple(tuple(map(lift, row)) for row in hidden.weight),
            tuple(map(lift, hidden.bias)),
            tuple(tuple(map(lift, column)) for column in zip(*output.weight)),
            tuple(map(lift, output.bias)),
        )
        pivots = [self._pivot(row) for row in self.network.scalar_layers[0].weight]
        if self.case == "constant":
            return constant_set(ambient, g.offset)
        if self.hidden is not None:
            i, (w, *_) = self.hidden, [g.weight[j] for j in self.live]
            target, factor = first[i], ring.constant(1)
            if label:
                # w_i times the row (W₁,b₁)_i − Σ (|w_k|/w_i)(W₁,b₁)_k, with w_k < 0.
                factor = w[i]
                shift = [dot((w[k] for k in label), (first[k][q] for k in label)) for q in range(len(target))]
                target = [x * w[i] + y for x, y in zip(target, shift)]
                pivots[i] = None
            first[i] = target
            return hidden_set(ambient, first, pivots, g, i, self.live, label, factor)
        nonlinear, linear = self.neurons_of_type("nonlinear"), self.neurons_of_type("linear")
        moved = (*linear, *self._flipped(label))
        positions = tuple(j for j, kind in enumerate(self.types) if kind != "nonlinear")
        slope = [[lift(x) for x in row] for row in self._slope(moved)]
        constant = [
            e + dot((g.outgoing[j][o] for j in moved), (g.bias[j] for j in moved)) for o, e in enumerate(g.offset)
        ]
        least = 0 if not moved else 1
        return visible_set(
            ambient,
            first,
            pivots,
            g,
            dict(zip(nonlinear, label)),
            positions,
            slope,
            constant,
            range(min(least, len(positions)), len(positions) + 1),
        )

    def _pivot(self, row: tuple[Any, ...]) -> int | None:
        """An entry whose sign is known and not 0."""
        known = self.assumptions.knowledge
        for q, value in enumerate(row):
            if (known.sign(value) if isinstance(value, Polynomial) else int(value != 0)) in (1, -1):
                return q
        return None

    def to_text(self, show_all: bool = False) -> str:
        """Return the fiber as readable text."""
        from symfiber.report.symbolic import symbolic_text

        return symbolic_text(self, show_all)

    def to_latex(
        self,
        style: Literal["full", "theorem", "table"] = "full",
        *,
        show_all: bool = False,
        environment: str | None = None,
        notation: Mapping[str, str] | None = None,
        standalone: bool = False,
    ) -> str:
        """Return the fiber as LaTeX; parameters as in :meth:`symfiber.Fiber.to_latex`."""
        from symfiber.report.symbolic import symbolic_latex

        return symbolic_latex(self, show_all, standalone, style, environment, notation)

    def to_dict(self) -> dict[str, Any]:
        """Return the fiber as JSON-ready data, format ``symfiber-symbolic-fiber/1``."""
        from symfiber.report.symbolic import symbolic_data

        return symbolic_data(self)

    def _repr_html_(self) -> str:
        from symfiber.report.symbolic import symbolic_html

        return symbolic_html(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        shape = "-".join(map(str, self.network.architecture))
        return f"<SymbolicFiber of a {shape} network over {self.ring!r}: {self.case}>"


def _listed(noun: str, items: list[str]) -> str:
    return f"{noun}{'s' if len(items) > 1 else ''} {', '.join(items)}"


def _type_of(signs: tuple[int, ...]) -> NeuronType:
    if 1 not in signs:
        return "dead"
    return "linear" if -1 not in signs else "nonlinear"


def _require_nonzero(signs: list[tuple[int, ...]]) -> None:
    for j, row in enumerate(signs):
        for place, value in enumerate(row):
            if value == 0:
                name = f"b2_{j}" if place == len(row) - 1 else f"W2_{j}_{place}"
                raise UnsupportedError(
                    f"a symbolic fiber needs nonzero entries of [W2|b2], but {name} is 0 and G3 fails for all values; "
                    "the fibers of single networks are computed from numbers"
                )


def symbolic_fiber(net: Network, assumptions: Assumptions | None = None) -> SymbolicFiber:
    r"""Return the fiber of a network with symbolic entries, with two hidden layers and 2 ≤ n₁ ≤ d.

    Parameters
    ----------
    net : Network
        Some entries are polynomials in base symbols.
    assumptions : Assumptions, optional
        By default the signs that the network assumes.

    Raises
    ------
    UnsupportedError
        For another architecture, or zero entries of [W₂|b₂].
    UndecidedError
        Naming a polynomial of [W₂|b₂] whose sign does not follow; see :func:`symfiber.symbolic.split_fiber`.

    Notes
    -----
    Cost: 2^k orientation choices for k nonlinear neurons, each with minors of M_s.  Proved: THEORY §1–§2.
    """
    if net.ring is None:
        raise InputError("a symbolic fiber needs a network with symbols, got one of numbers")
    if len(net.hidden_widths) != 2:
        raise UnsupportedError(
            f"a symbolic fiber needs exactly two hidden layers, got {len(net.hidden_widths)} "
            f"(architecture {net.architecture})"
        )
    d, n1 = net.architecture[:2]
    if not 2 <= n1 <= d:
        raise UnsupportedError(f"a symbolic fiber needs 2 <= n1 <= d, got n1 = {n1} and d = {d}")
    given = assumptions if assumptions is not None else Assumptions.of_signs(net.ring, net.signs)
    if not isinstance(given, Assumptions):
        raise InputError(f"assumptions must be Assumptions, got {type(given).__name__}")
    if given.ring is not net.ring:
        raise InputError(f"assumptions must be about the symbols of {net.ring!r}, got {given.ring!r}")
    taken = [name for name in net.ring.names if name.startswith(PREFIX)]
    if taken:
        raise InputError(f"symbols must not begin with {PREFIX!r}, the members' coordinates do, got {taken[0]!r}")
    return SymbolicFiber(net, given)


__all__ = ["SymbolicComponent", "SymbolicFiber", "symbolic_fiber"]
