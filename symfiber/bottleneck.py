"""Three-layer bottleneck networks: hypotheses, hidden hypersurfaces, the case, identifiability (THEORY §2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from typing import Literal

from symfiber.errors import InputError, UndecidedError, UnsupportedError
from symfiber.exact import ZERO, Rational, shorten
from symfiber.genericity import GenericityReport, check_generic
from symfiber.network import Network, require_network
from symfiber.orthant import NeuronType, OrthantFunction, hyperplane_key, reduced_failure
from symfiber.parameters import Layer
from symfiber.univariate import UnivariateFunction

Case = Literal["visible", "hidden", "hidden-single", "constant", "univariate"]

_FACE_LIMIT = 1 << 16


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """A network with two hidden layers, n₁ ≤ d and rank W₁ = n₁, and what its signs say.

    Attributes
    ----------
    network : Network
    function : OrthantFunction
        g with f(x) = g(σ(W₁x + b₁)).
    types : tuple of str
        The types of the second-layer neurons.
    hidden : tuple of int
        The first-layer neurons whose hypersurface {y_i = 0} carries no kink of f, proved.
    case : str
    """

    network: Network
    function: OrthantFunction
    types: tuple[NeuronType, ...]
    hidden: tuple[int, ...]
    case: Case

    @property
    def first_layer(self) -> Layer:
        """(W₁, b₁)."""
        return self.network.scalar_layers[0]

    @property
    def live(self) -> tuple[int, ...]:
        """J, the second-layer neurons that are not dead."""
        return tuple(j for j, kind in enumerate(self.types) if kind != "dead")

    def genericity(self) -> GenericityReport:
        """Check the hypotheses under which the description of the fiber is complete."""
        return check_generic(self.network)


def require_bottleneck(net: Network, what: str) -> OrthantFunction:
    """Return g with f(x) = g(σ(W₁x + b₁)), or raise naming the failed hypothesis."""
    require_network(net, what)
    if len(net.hidden_widths) != 2:
        raise UnsupportedError(
            f"{what} needs exactly two hidden layers, got {len(net.hidden_widths)} (architecture {net.architecture})"
        )
    d, n1 = net.architecture[:2]
    if n1 > d:
        raise UnsupportedError(f"{what} needs a bottleneck n1 <= d, got n1 = {n1} > d = {d}")
    rank = net.weight_matrix(1).rank()
    if rank < n1:
        raise UnsupportedError(f"{what} needs rank W1 = n1 = {n1}, got rank {rank}")
    return OrthantFunction.from_layers(*net.scalar_layers[1:])


def hidden_hypersurfaces(net: Network) -> tuple[int, ...]:
    r"""Return the first-layer neurons i whose hypersurface {y_i = 0} is hidden: f has no kink across any point of it.

    Decided exactly for every bottleneck network, generic or not.  With y = W₁x + b₁ onto ℝ^{n₁}, H_i is hidden iff the
    one-sided derivative ∂g/∂z_i, which is Σ_j c_j w_ji [w_j·z + b_j > 0], vanishes almost everywhere on the face
    z_i = 0 and on those of its subfaces on which some neuron vanishes identically.

    Returns
    -------
    tuple of int
        Zero-based, ascending; all of them when every neuron is dead.

    Raises
    ------
    UnsupportedError
        Outside the bottleneck hypotheses.
    UndecidedError
        When a neuron with zero bias has more than 16 zero weights.

    Notes
    -----
    Cost: n₁·n₂·(n₁ + m) when no bias b₂ is zero.

    Examples
    --------
    >>> net = Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])])
    >>> hidden_hypersurfaces(net)
    (0,)
    """
    return _hidden(require_bottleneck(net, "hidden_hypersurfaces"))


def _hidden(g: OrthantFunction) -> tuple[int, ...]:
    return tuple(i for i in range(g.input_dimension) if _is_hidden(g, i))


def _is_hidden(g: OrthantFunction, i: int) -> bool:
    others = [k for k in range(g.input_dimension) if k != i]
    return _flat_on_face(g, i, others) and all(_flat_on_face(g, i, face) for face in _special_faces(g, others))


def _special_faces(g: OrthantFunction, others: Sequence[int]) -> Iterable[tuple[int, ...]]:
    """The proper subfaces on which a neuron vanishes identically; elsewhere the larger face decides."""
    faces: set[tuple[int, ...]] = set()
    for weight, bias in zip(g.weight, g.bias):
        if bias:
            continue
        zeros = [k for k in others if not weight[k]]
        if 1 << len(zeros) > _FACE_LIMIT:
            raise UndecidedError(
                f"a second-layer neuron with zero bias has {len(zeros)} zero weights, "
                "too many faces to decide which hypersurfaces are hidden"
            )
        faces.update(chain.from_iterable(combinations(zeros, size) for size in range(len(zeros) + 1)))
    return sorted(faces - {tuple(others)})


def _flat_on_face(g: OrthantFunction, i: int, face: Sequence[int]) -> bool:
    """Whether Σ_j c_j w_ji [ℓ_j > 0] = 0 almost everywhere on the open face {z_k > 0 for k in face, else 0}."""
    constant = [ZERO] * g.output_dimension
    bends: dict[tuple[Rational, ...], list[Rational]] = {}
    for weight, bias, outgoing in zip(g.weight, g.bias, g.outgoing):
        row = [*(weight[k] for k in face), bias]
        slope = weight[i]
        if not any(row):
            # The neuron vanishes on the face and is active beside it exactly when its slope is positive.
            always, jump = max(slope, ZERO), ZERO
        elif all(x >= 0 for x in row):
            always, jump = slope, ZERO
        elif all(x <= 0 for x in row):
            continue
        else:
            first = next(x for x in row if x)
            # [−ℓ > 0] = 1 − [ℓ > 0] almost everywhere.
            always, jump = (slope, -slope) if first < 0 else (ZERO, slope)
            bend = bends.setdefault(hyperplane_key(row), [ZERO] * g.output_dimension)
            for o, c in enumerate(outgoing):
                bend[o] += c * jump
        for o, c in enumerate(outgoing):
            constant[o] += c * always
    return not any(constant) and not any(any(bend) for bend in bends.values())


def hiding_neuron(rows: Iterable[Sequence[Rational]], live: Sequence[int]) -> int | None:
    """Return i when every live row [w|b] hides neuron i by its signs: w_i > 0 and every other entry ≤ 0."""
    table = list(rows)
    candidates = {tuple(k for k, x in enumerate(table[j][:-1]) if x > 0) for j in live}
    if len(candidates) != 1 or len(next(iter(candidates))) != 1:
        return None
    (i,) = candidates.pop()
    clean = all(x <= 0 for j in live for k, x in enumerate(table[j]) if k != i)
    return i if clean else None


def analyse(net: Network, what: str = "fiber") -> Bottleneck:
    """Return the case of THEORY §2 that a network falls into.

    Raises
    ------
    UnsupportedError
        Outside the hypotheses: depth, n₁ > d, rank W₁ < n₁, a parameter that is not reduced (nonlinear neurons that
        share a hyperplane or have no outgoing weight), or a hidden hypersurface that the signs do not explain.
    """
    g = require_bottleneck(net, what)
    types = g.types
    hidden = _hidden(g)
    live = tuple(j for j, kind in enumerate(types) if kind != "dead")
    case: Case
    if not live:
        case = "constant"
    else:
        failure = reduced_failure(g)
        if failure is not None:
            raise UnsupportedError(f"{what} needs a reduced parameter, but {failure}")
        if g.input_dimension == 1:
            if not UnivariateFunction.from_layers(net.scalar_layers[0], g).kinks:
                raise UnsupportedError(
                    f"{what} of a constant function needs all neurons of layer 2 dead, but neurons {live} are not"
                )
            case = "univariate"
        elif not hidden:
            case = "visible"
        elif hidden == (hiding_neuron(g.rows, live),):
            case = "hidden" if len(live) > 1 else "hidden-single"
        else:
            raise UnsupportedError(
                f"{what} needs generic parameters (G2, G3), but the hypersurfaces of first-layer neurons {hidden} are "
                "hidden although the signs of the live rows do not hide exactly one neuron"
            )
    return Bottleneck(net, g, types, hidden, case)


def is_identifiable(net: Network) -> bool:
    """Return whether the generic fiber of the network consists of permutations and positive scalings only.

    For n₁ ≥ 2: iff no neuron of layer 2 is dead or linear and no hypersurface is hidden.  "No" is proved by the motion
    that the offending neuron allows; "yes" needs the genericity hypotheses proved.

    Raises
    ------
    UnsupportedError
        Outside the bottleneck hypotheses.
    UndecidedError
        When nothing speaks against it but genericity is refuted or undecided.

    Examples
    --------
    >>> net = Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [3]), ([[1]], [0])])
    >>> is_identifiable(net)
    True
    """
    bottleneck = analyse(net, "is_identifiable")
    if bottleneck.case in ("hidden", "hidden-single", "constant") or set(bottleneck.types) != {"nonlinear"}:
        return False
    if bottleneck.case == "univariate":
        from symfiber.decomposition import fiber

        description = fiber(net)
        return bool(description.component_count == 1 and description.dimension == sum(net.hidden_widths))
    report = bottleneck.genericity()
    if report.status == "proved":
        return True
    raise UndecidedError(
        f"no neuron is dead, linear or hidden, so the network is identifiable if it is generic, but genericity is "
        f"{report.status}: {next(str(h) for h in report.hypotheses if h.status == report.status)}"
    )


def sign_pattern_case(signs: Sequence[Sequence[int]]) -> str:
    """Return what a sign pattern of [W₂|b₂] (entries ±1) says: ``"identifiable"`` or the first obstruction.

    Obstructions, in this order: ``"constant"`` (all rows dead), ``"hidden"`` (all live rows hide one neuron, at least
    two of them), ``"hidden-single"``, ``"dead"``, ``"linear"``.  For n₁ ≥ 2 a generic network is identifiable exactly
    when its pattern is; for n₁ = 1 the pattern with all rows (−, +) is named identifiable here, but its networks can be
    reversed (docs/concepts/univariate.md), so that :func:`is_identifiable` says no.

    Examples
    --------
    >>> sign_pattern_case([[1, -1, -1], [1, -1, -1]]), sign_pattern_case([[1, -1, 1]])
    ('hidden', 'identifiable')
    """
    rows = [tuple(map(Rational, row)) for row in signs]
    if not rows or any(len(row) != len(rows[0]) or not all(x in (1, -1) for x in row) for row in rows):
        raise InputError(f"signs must be rows of equal length with entries 1 or -1, got {shorten(list(signs))}")
    live = [j for j, row in enumerate(rows) if any(x > 0 for x in row)]
    if not live:
        return "constant"
    if hiding_neuron(rows, live) is not None:
        return "hidden" if len(live) > 1 else "hidden-single"
    if len(live) < len(rows):
        return "dead"
    return "linear" if any(all(x > 0 for x in row) for row in rows) else "identifiable"


def identifiable_probability(n1: int, n2: int) -> Fraction:
    """Return (1 − 2^{−n₁})^{n₂} − n₁·2^{−(n₁+1)n₂}: the share of sign patterns of [W₂|b₂] that are identifiable.

    A row is neither dead nor linear with probability 1 − 2·2^{−(n₁+1)}; all n₂ rows hide the same one of n₁ neurons
    with probability n₁·2^{−(n₁+1)n₂}.  Proved by counting; the tests enumerate.  For n₁ ≥ 2 it is the probability that
    a generic network is identifiable; for n₁ = 1 that one is smaller by 4^{−n₂}, see :func:`sign_pattern_case`.

    Examples
    --------
    >>> identifiable_probability(2, 2)
    Fraction(17, 32)
    """
    for name, value in (("n1", n1), ("n2", n2)):
        if not isinstance(value, int) or value < 1:
            raise InputError(f"{name} must be a positive int, got {shorten(value)}")
    return (1 - Fraction(1, 2**n1)) ** n2 - n1 * Fraction(1, 2 ** ((n1 + 1) * n2))
