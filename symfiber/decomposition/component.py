"""One component of a fiber: a semi-algebraic set for one orientation choice or flip set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symfiber.dimension import DimensionCertificate
from symfiber.errors import InputError, UndecidedError
from symfiber.exact import shorten
from symfiber.genericity import check_generic
from symfiber.network import Network
from symfiber.semialgebraic import BasicSet, RationalMap, Union, closure


@dataclass(frozen=True, slots=True)
class Parametrization:
    """Rational maps that together cover a component, up to permutations of neurons.

    Attributes
    ----------
    charts : tuple of RationalMap
        One a stratum (r linear neurons, rank C = p); a single one when there are no linear neurons to choose.
    strata : tuple
        The stratum of every chart.
    """

    charts: tuple[RationalMap, ...]
    strata: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"<Parametrization with {len(self.charts)} chart{'s' if len(self.charts) != 1 else ''}>"


@dataclass(frozen=True, slots=True)
class Component:
    """A component of a fiber: one orientation choice, flip set or univariate label.

    A component is neither a connected component nor an irreducible one: it is the set of all members of the fiber with
    one combinatorial label, up to permutations of neurons.
    """

    case: Any
    label: Any

    @property
    def orientation(self) -> tuple[int, ...]:
        """±1 for every nonlinear neuron (visible, univariate), or the flipped first-layer neurons (hidden-single)."""
        return tuple(self.case.orientation(self.label))

    @property
    def description(self) -> str:
        """What distinguishes the component, in words."""
        return str(self.case.describe(self.label))

    @property
    def dimension(self) -> int:
        """The dimension as a semi-algebraic set, the largest over its strata; see ``dimension_certificate``."""
        return int(self.case.dimension(self.label))

    @property
    def dimension_certificate(self) -> DimensionCertificate:
        """A point where the Jacobian of a chart has this rank, and the reason why the dimension is not larger."""
        chart, point = self.case.chart(self.label, self.case.top_stratum(self.label), 0)
        upper = self.dimension
        return DimensionCertificate(
            chart.jacobian(point).rank(), upper, chart, point, self.case.dimension_reason(self.label)
        )

    @property
    def labelled_count(self) -> int:
        """How many different labelled copies the permutations of neurons make of this component."""
        return int(self.case.labelled_count(self.label))

    @property
    def set(self) -> Union:
        """The component in ambient parameter coordinates, one basic set for every number of linear neurons.

        Neurons keep fixed positions; permutations give the other copies.
        """
        result: Union = self.case.set(self.label)
        return result

    @property
    def closure(self) -> Union:
        """The topological closure of :attr:`set`, in closed form: all inequalities weakened.

        Scalings cannot leave the component, because products of them are fixed by equations; so most components are
        closed.  For n₁ = 1 the translation of b₁ stops where the first kink would be that of layer 1, and moving the
        biases back by any small amount leads from there into the component.
        """
        if self.case.name == "univariate":
            pieces = [
                BasicSet(piece.ring, piece.equations, (), piece.positive + piece.nonnegative)
                for piece in self.set.pieces
            ]
            return Union(self.set.ring, pieces)
        result = closure(self.set)
        assert isinstance(result, Union)
        return result

    @property
    def parametrization(self) -> Parametrization:
        """Rational maps onto the component, one a stratum."""
        strata = self.case.strata(self.label)
        return Parametrization(tuple(self.case.chart(self.label, s, 0)[0] for s in strata), tuple(strata))

    @property
    def generic_point_is_generic(self) -> bool:
        """Whether the generic point of the component satisfies (G2) and (G3), with proof.

        Raises
        ------
        UndecidedError
            When no mask is forced to fail and no sample is proved generic.
        """
        if self.case.nongeneric_mask(self.label) is not None:
            return False
        report = check_generic(self.sample(0))
        if report.status == "proved":
            return True
        raise UndecidedError(f"whether the generic point is generic is open, for a sample {report.status}: {report}")

    def sample(self, seed: int = 0) -> Network:
        """Return an exact member, the same for the same seed, in a stratum of the largest dimension.

        Examples
        --------
        >>> import symfiber as sf
        >>> F = sf.fiber(sf.Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])]))
        >>> net = F.components[1].sample(seed=4)
        >>> net in F.components[1], net in F.components[0], net([5, 7]) == F.network([5, 7])
        (True, False, True)
        """
        if not isinstance(seed, int):
            raise InputError(f"seed must be an int, got {shorten(seed)}")
        # Which stratum: mostly the largest one, at times another, so that samples see the whole component.
        strata = self.case.strata(self.label)
        chosen = self.case.top_stratum(self.label) if seed % 3 != 2 else strata[(seed // 3) % len(strata)]
        chart, point = self.case.chart(self.label, chosen, seed)
        return Network.from_parameters(self.case.bottleneck.network.architecture, chart(point))

    def __contains__(self, other: Network) -> bool:
        """Whether ``other`` lies in the component up to permutations of neurons, decided exactly."""
        if not isinstance(other, Network):
            raise InputError(f"a member of a component must be a Network, got {type(other).__name__}")
        if other.is_symbolic or other.architecture != self.case.bottleneck.network.architecture:
            return False
        return bool(self.case.locate(other) == self.label)

    def __repr__(self) -> str:
        return f"<Component {self.orientation}, dimension {self.dimension}>"
