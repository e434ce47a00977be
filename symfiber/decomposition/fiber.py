"""The fiber of a three-layer bottleneck network: its components and what is proved about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from symfiber.bottleneck import Bottleneck, analyse
from symfiber.decomposition.component import Component
from symfiber.decomposition.constant import ConstantCase
from symfiber.decomposition.hidden import HiddenCase
from symfiber.decomposition.univariate import UnivariateCase
from symfiber.decomposition.visible import VisibleCase
from symfiber.errors import InputError, LimitExceededError, UndecidedError
from symfiber.exact import PolynomialRing
from symfiber.genericity import GenericityReport
from symfiber.network import Network

if TYPE_CHECKING:
    from networkx import MultiDiGraph

    from symfiber.certificate import Certificate
    from symfiber.constraints import ConstrainedFiber
    from symfiber.semialgebraic import BasicSet
    from symfiber.symmetry import Generator

Completeness = Literal["proved", "assumed", "not claimed"]
_ENUMERATION_LIMIT = 4096


class Components:
    """The components of a fiber: lazy, indexable, in a fixed order.  ``len`` works while the count fits an int64."""

    __slots__ = ("_case",)

    def __init__(self, case: Any) -> None:
        self._case = case

    @property
    def count(self) -> int:
        """The exact number of components, of any size."""
        return int(self._case.labels.count)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Component]:
        return (Component(self._case, label) for label in self._case.labels)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self.count))]
        return Component(self._case, self._case.labels[index])

    def _repr_html_(self) -> str:
        from symfiber.report.display import components_html

        try:
            count = self.count
        except LimitExceededError:
            count = None
        return components_html(self, count)

    def __repr__(self) -> str:
        return f"<Components of a {self._case.name} fiber>"


class Fiber:
    r"""All parameters that compute the same function as a bottleneck network: a union of components.

    The union is taken up to permutations of neurons.  Every component is contained in the fiber, always.  That every
    *generic* parameter of the fiber lies in one of them is claimed as far as :attr:`completeness` says.

    Attributes
    ----------
    network : Network
    bottleneck : Bottleneck
        Types, hidden hypersurfaces and the orthant function.

    Examples
    --------
    >>> from symfiber import Network
    >>> net = Network([([[1, 2], [3, 1]], [1, -1]), ([[2, -1], [3, 5], [-1, -2]], [3, 7, -2]), ([[1, 4, 3]], [0])])
    >>> F = fiber(net)
    >>> F
    <Fiber of a 2-2-3-1 network: visible, 2 components>
    >>> F.dimension, [(c.orientation, c.dimension) for c in F.components]
    (9, [((1,), 9), ((-1,), 9)])
    >>> F.components[1].sample(seed=1) in F
    True
    """

    def __init__(self, bottleneck: Bottleneck) -> None:
        self.bottleneck = bottleneck
        self.network = bottleneck.network
        factory: Any = {
            "visible": VisibleCase,
            "hidden": HiddenCase,
            "hidden-single": HiddenCase,
            "constant": ConstantCase,
            "univariate": UnivariateCase,
        }[bottleneck.case]
        self._case = factory(bottleneck)

    @property
    def case(self) -> str:
        """ "visible", "hidden", "hidden-single", "constant" or "univariate"."""
        return self.bottleneck.case

    @property
    def components(self) -> Components:
        """The components, lazily."""
        return Components(self._case)

    @property
    def component_count(self) -> int:
        """The exact number of components, up to permutations of neurons."""
        return self.components.count

    @property
    def labelled_component_count(self) -> int:
        """The exact number of components when neurons are labelled (all permutations counted)."""
        return int(self._case.labelled_total())

    @property
    def home(self) -> Component:
        """The component that contains the network itself."""
        return Component(self._case, self._case.home)

    @cached_property
    def hypotheses(self) -> GenericityReport:
        """The genericity hypotheses, each proved, refuted or undecided."""
        return self.bottleneck.genericity()

    @property
    def completeness(self) -> Completeness:
        """Whether every generic parameter of the fiber is proved to lie in a component.

        "proved" when all hypotheses are (or none is needed, n₁ = 1), "assumed" when some are undecided and must be
        named as assumed, "not claimed" when one is refuted: then the components are still part of the fiber.
        """
        if self.case in ("univariate", "constant"):
            return "proved"
        return {"proved": "proved", "undecided": "assumed", "refuted": "not claimed"}[self.hypotheses.status]  # type: ignore[return-value]

    @cached_property
    def dimension(self) -> int:
        """The largest dimension of a component.

        Raises
        ------
        LimitExceededError
            When genericity is refuted and there are too many components to look at.
        """
        if self.case != "visible" or self.completeness == "proved":
            return int(self._case.largest_dimension_under_genericity())
        largest, looked = 0, 0
        for looked, component in enumerate(self.components, start=1):
            largest = max(largest, component.dimension)
            if looked > _ENUMERATION_LIMIT:
                break
        if looked <= _ENUMERATION_LIMIT:
            return largest
        if self.completeness == "assumed":
            return int(self._case.largest_dimension_under_genericity())
        raise LimitExceededError(
            f"the dimension needs all components, only {_ENUMERATION_LIMIT} of them were looked at", {"lower": largest}
        )

    @property
    def local_dimension(self) -> int:
        """The dimension of the fiber near the network itself.

        Raises
        ------
        UndecidedError
            When a genericity hypothesis is refuted, or a free neuron has zero entries; ``known`` has a lower bound.
        """
        if self.completeness == "not claimed":
            failure = self.hypotheses.failures()[0]
            raise UndecidedError(f"the local dimension needs a generic network, but {failure}")
        return int(self._case.local_dimension())

    def component_of(self, other: Network) -> Component | None:
        """Return the component that contains ``other`` up to permutations of neurons, ``None`` if none does."""
        if not isinstance(other, Network):
            raise InputError(f"a member of a fiber must be a Network, got {type(other).__name__}")
        if other.architecture != self.network.architecture or other.is_symbolic:
            return None
        label = self._case.locate(other)
        return None if label is None else Component(self._case, label)

    def __contains__(self, other: Network) -> bool:
        """Whether ``other`` has this architecture and computes the same function, with proof.

        Raises
        ------
        UndecidedError
            When neither membership of a component nor a point with different values is found.
        """
        if self.component_of(other) is not None:
            return True
        if other.architecture != self.network.architecture:
            return False
        from symfiber.equivalence import decide_equivalence

        return bool(decide_equivalence(self.network, other).equivalent)

    def intersect(
        self, *constraints: BasicSet, renumber: bool = False, engine: Literal["z3"] | None = None
    ) -> ConstrainedFiber:
        """Return what is left of every component under constraints, with members and dimensions.

        Parameters
        ----------
        constraints : BasicSet
            In the parameter coordinates, for example from :mod:`symfiber.constraints`.
        renumber : bool
            Neurons keep their positions, unless this is true: then all permutations of neurons are looked at.
        engine : {None, "z3"}
            Who is asked last, see :func:`symfiber.emptiness.decide_emptiness`.

        Examples
        --------
        >>> from symfiber.constraints import box
        >>> net = Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [3]), ([[1]], [0])])
        >>> left = fiber(net).intersect(box(net, -2, 2))
        >>> left, left.dimension, max(abs(x) for x in left.member.parameters) <= 2
        (<ConstrainedFiber: 1 of 1 components left>, 3, True)
        """
        from symfiber.constraints.intersect import intersect
        from symfiber.semialgebraic import BasicSet

        combined = BasicSet.everything(PolynomialRing(self.network.parameter_names))
        for constraint in constraints:
            if not isinstance(constraint, BasicSet):
                raise InputError(
                    f"constraints must be basic sets, got {constraint!r}; take the pieces of a union one by one"
                )
            combined = combined & constraint
        return intersect(self, combined, renumber, engine)

    @cached_property
    def generators(self) -> tuple[Generator, ...]:
        """The symmetries of this fiber as exact maps on parameters."""
        from symfiber.symmetry import generators_of

        return generators_of(self)

    def graph(self, limit: int = 1024) -> MultiDiGraph:
        """Return components and generators as a networkx MultiDiGraph (see :mod:`symfiber.graph`)."""
        from symfiber.graph import component_graph

        return component_graph(self, limit)

    def proof(self, limit: int = 64) -> Certificate:
        """Return a certificate: members of the first ``limit`` components compute the same function, with their labels.

        ``proof().verify()`` runs the independent checker; ``proof().save(path)`` writes JSON for ``checker.py``.
        """
        from symfiber.certificate import fiber_certificate

        return fiber_certificate(self, limit)

    def to_text(self, show_all: bool = False) -> str:
        """Return the report as readable text."""
        from symfiber.report.text import fiber_text

        return fiber_text(self, show_all)

    def to_latex(
        self,
        style: Literal["full", "theorem", "table"] = "full",
        *,
        show_all: bool = False,
        environment: str | None = None,
        notation: Mapping[str, str] | None = None,
        standalone: bool = False,
    ) -> str:
        r"""Return LaTeX that compiles inside a document with amsmath and amsthm, or as a document of its own.

        Parameters
        ----------
        style : {"full", "theorem", "table"}
            The whole report; one theorem about the network with its proof; a table of the components.
        show_all : bool
            Cut no list and no number.
        environment : str, optional
            The theorem-like environment, for example ``"proposition"``; by default an unnumbered theorem.
        notation : {letter: symbol}, optional
            Other letters, for example ``{"W": "A", r"\sigma": r"\rho"}``.
        standalone : bool
            Whether to return a whole document.

        Examples
        --------
        >>> net = Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])])
        >>> text = fiber(net).to_latex("theorem", environment="proposition", notation={"W": "A"})
        >>> text.count(r"\begin{proposition}"), "A_1x" in text, "W_1" in text
        (1, True, False)
        """
        from symfiber.report.latex import fiber_latex

        return fiber_latex(self, show_all, standalone, style, environment, notation)

    def to_dict(self, show_all: bool = False) -> dict[str, Any]:
        """Return the report as JSON-ready data."""
        from symfiber.report.data import fiber_data

        return fiber_data(self, show_all)

    def _repr_latex_(self) -> str:
        from symfiber.report.latex import fiber_notebook_latex

        return fiber_notebook_latex(self)

    def _repr_html_(self) -> str:
        from symfiber.report.html import fiber_html

        return fiber_html(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        shape = "-".join(map(str, self.network.architecture))
        # Printing never computes: the count is shown when a formula gives it or it was asked for before.
        count = self._case.labels.immediate_count
        counted = "" if count is None else f", {count} component" + ("s" if count != 1 else "")
        return f"<Fiber of a {shape} network: {self.case}{counted}>"


def fiber(net: Network, split: bool = False) -> Any:
    r"""Return the fiber {θ′ : f_θ′ = f_θ} of a bottleneck network with two hidden layers, n₁ ≤ d and rank W₁ = n₁.

    Parameters
    ----------
    net : Network
        Of numbers, or with symbolic entries.
    split : bool
        For symbolic entries: whether signs of [W₂|b₂] that are not implied are split into cases.

    Returns
    -------
    Fiber
        For numbers; for symbolic entries a :class:`~symfiber.symbolic.SymbolicFiber`, or a
        :class:`~symfiber.symbolic.CaseSplit` when ``split`` is true.

    Raises
    ------
    UnsupportedError
        Outside the hypotheses of THEORY §2, naming the one that fails.
    UndecidedError
        For symbolic entries, naming a polynomial whose sign is needed and not implied.

    Notes
    -----
    Cost: one rank and n₁²·n₂ operations; components are computed when asked for.  Proved: THEORY §2, under the
    hypotheses that :attr:`Fiber.hypotheses` lists.  Source: arXiv 2605.18319.
    """
    if not isinstance(net, Network):
        raise InputError(f"fiber needs a Network, got {type(net).__name__}")
    if not isinstance(split, bool):
        raise InputError(f"split must be True or False, got {split!r}")
    if net.is_symbolic:
        from symfiber.symbolic import split_fiber, symbolic_fiber

        return split_fiber(net) if split else symbolic_fiber(net)
    return Fiber(analyse(net))
