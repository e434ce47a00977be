r"""Conservation laws of gradient flow: the public functions.

Reference: Marcotte, Gribonval, Peyré, "Abide by the law and follow the flow: conservation laws for gradient flows",
which counts them in floats, on all paths.  Here the count is exact, on the paths that the network uses, and comes with
the laws and a proof.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from symfiber.conservation.candidates import Activity, Candidate, suggested_symmetries
from symfiber.conservation.count import Count
from symfiber.conservation.fields import (
    Fields,
    PathFields,
    PolynomialFields,
    cell_fields,
    exact_rank,
)
from symfiber.conservation.layout import Layout, make_layout
from symfiber.conservation.result import ConservationLaws, Law
from symfiber.conservation.sparse import evaluate_modulo, polynomial_from_sparse, sparse_from_polynomial
from symfiber.conservation.verdict import Symmetry, judge
from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import Polynomial, PolynomialRing, Rational, rational, shorten
from symfiber.exact.modular import independent_rows
from symfiber.network import ActivationPattern, Network

Paths = Literal["realised", "all"]
Activation = Literal["relu", "linear"]


def conservation_laws(
    net: Network,
    *,
    paths: Paths = "realised",
    activation: Activation = "relu",
    biases: str | Sequence[bool] = "all",
    degree: int = 2,
    depth: int = 4,
    patterns: Iterable[ActivationPattern] | None = None,
) -> ConservationLaws:
    r"""Return the conservation laws of gradient flow at a network's parameters, exactly counted.

    A law is a function Q of the parameters with ∇Q ⊥ W near θ, W = span{∇p} over the polynomials p that f depends on:
    the coefficients α_oq, β_o of f_o(x) = Σ_q α_oq x_q + β_o on the realised cells, or all path products.  The number
    of independent laws is N − dim Lie(W)(θ), with Lie(W) the closure of W under [X, Y] = DY·X − DX·Y.

    Parameters
    ----------
    net : Network of numbers
    paths : "realised" or "all"
        The cells that occur, or every path (as in the literature; realised at best by large widths and generic biases).
    activation : "relu" or "linear"
        Whether there is a ReLU between the layers at all.
    biases : "all", "hidden", "none" or a bool for every layer
        Which layers have a bias; the others' biases must be 0 and are no parameters.
    degree : int
        The degree up to which *all* polynomial laws are computed when the named ones do not complete the proof.
    depth : int
        The depth up to which nested brackets are tried.
    patterns : iterable of activation patterns, optional
        The cells, when they are known already; by default ``symfiber.cells`` enumerates them.

    Returns
    -------
    ConservationLaws
        ``count``, ``potentials``, ``names``, ``fiber_dimension``, ``symmetries``, ``non_integrable``, ``regular``,
        ``certificate``, ``verify()``.

    Raises
    ------
    UndecidedError
        When the bounds do not meet; ``known`` has "lower" and "upper".
    InputError
        For wrong options, or a nonzero bias in a layer without.
    UnsupportedError
        For a network with symbols.

    Notes
    -----
    Cost: the cells, then ranks modulo a prime and linear algebra over ℚ.  Proved: every number returned.  The realised
    cells are those of θ itself; the laws hold as long as the flow keeps them.

    Examples
    --------
    >>> net = Network([([[1, 2], [3, 1]], [0, 0]), ([[2, -1], [1, 4]], [0, 0])])
    >>> laws = conservation_laws(net, activation="linear", biases="none")
    >>> laws.count, laws.names[-1]
    (3, 'balance of neurons 0 and 1 in layer 1')
    >>> laws.verify()
    True
    """
    if not isinstance(net, Network):
        raise InputError(f"conservation_laws needs a Network, got {type(net).__name__}")
    if net.is_symbolic:
        raise UnsupportedError(f"conservation_laws needs a network of numbers, got {net!r}")
    layout = make_layout(net.architecture, biases)
    point = layout.parameters_of(net)
    if _choice("paths", paths, ("realised", "all")) == "realised" and activation == "relu" and patterns is None:
        from symfiber.cells import cells

        patterns = (cell.activation_pattern for cell in cells(net))
    return _laws_of_layout(layout, point, paths, activation, patterns, degree, depth)


def generic_conservation_laws(
    architecture: Sequence[int],
    *,
    activation: Activation = "relu",
    biases: str | Sequence[bool] = "all",
    degree: int = 2,
    depth: int = 4,
    seed: int = 0,
) -> ConservationLaws:
    """Return the conservation laws of an architecture at a random integer parameter: on all paths, or linear.

    The count is exact at that parameter; ``generic_count`` and ``regular`` say what holds generically.

    Examples
    --------
    >>> laws = generic_conservation_laws((9, 7, 2), biases="none")
    >>> laws.parameter_count, laws.generic_count
    (77, 7)
    """
    layout = make_layout(architecture, biases)
    draw = random.Random(seed)
    point = tuple(Rational(draw.choice((-1, 1)) * draw.randint(1, 999)) for _ in layout.names)
    return _laws_of_layout(layout, point, "all", activation, None, degree, depth)


def polynomial_conservation_laws(
    polynomials: Sequence[Polynomial], point: Sequence[Any], *, degree: int = 2, depth: int = 4
) -> ConservationLaws:
    """Return the functions that stay constant along all combinations of the gradients of some polynomials.

    Examples
    --------
    >>> x, y, z = PolynomialRing(("x", "y", "z")).generators
    >>> laws = polynomial_conservation_laws([x * y * z], (1, 2, 3))
    >>> laws.count, laws.potentials
    (2, (x^2 - y^2, x^2 - z^2))
    """
    items = list(polynomials)
    if not items or not all(isinstance(p, Polynomial) for p in items):
        raise InputError(f"polynomials must be a nonempty sequence of Polynomial, got {shorten(items)}")
    names = items[0].ring.names
    values = tuple(rational(x, f"point coordinate {i}") for i, x in enumerate(point))
    if len(values) != len(names) or any(p.ring is not items[0].ring for p in items):
        raise InputError(f"point must have {len(names)} coordinates and all polynomials one ring, got {len(values)}")
    fields = PolynomialFields(names, tuple(sparse_from_polynomial(p) for p in items))
    return _assemble("given polynomials", fields, values, None, Activity(), degree, depth)


def _choice(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}, got {shorten(value)}")
    return value


def _laws_of_layout(
    layout: Layout,
    point: tuple[Rational, ...],
    paths: str,
    activation: str,
    patterns: Iterable[ActivationPattern] | None,
    degree: int,
    depth: int,
) -> ConservationLaws:
    for name, value in (("degree", degree), ("depth", depth)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InputError(f"{name} must be a positive int, got {shorten(value)}")
    if _choice("activation", activation, ("relu", "linear")) == "linear":
        every = tuple((True,) * width for width in layout.hidden_widths)
        fields = cell_fields(layout, [every])
        return _assemble("linear network", fields, point, layout, Activity.of([every]), degree, depth)
    if paths == "all":
        return _assemble("all paths", PathFields(layout), point, layout, Activity(), degree, depth)
    read: list[ActivationPattern] = []
    fields = cell_fields(layout, _recorded(layout, patterns or (), read))
    if not read:
        raise InputError("patterns must hold at least one activation pattern, got none")
    return _assemble("realised cells", fields, point, layout, Activity.of(read), degree, depth)


def _recorded(
    layout: Layout, patterns: Iterable[ActivationPattern], read: list[ActivationPattern]
) -> Iterator[ActivationPattern]:
    for pattern in patterns:
        if tuple(map(len, pattern)) != layout.hidden_widths:
            raise InputError(
                f"activation pattern must have widths {layout.hidden_widths}, got {tuple(map(len, pattern))}"
            )
        read.append(pattern)
        yield pattern


def _assemble(
    setting: str,
    fields: Fields,
    point: tuple[Rational, ...],
    layout: Layout | None,
    activity: Activity,
    degree: int,
    depth: int,
) -> ConservationLaws:
    search = Count(fields, point, layout, activity, degree, depth)
    proof = search.run()
    extra = list(suggested_symmetries(fields, layout, activity)) if layout and setting != "all paths" else []
    motions = [law for law in search.laws if law.kind != "polynomial"]
    motions += [motion for motion in extra if fields.annihilated_by(motion.field)]
    ring = PolynomialRing(fields.names)
    laws = tuple(
        Law(law.name, law.kind, polynomial_from_sparse(law.potential or {}, ring)) for law in search.independent_laws()
    )
    return ConservationLaws(
        setting,
        fields,
        point,
        degree,
        laws,
        tuple(_verdict(motion, ring, point) for motion in motions),
        proof,
        _fiber_dimension(search, motions),
        layout.architecture if layout else None,
    )


def _verdict(motion: Candidate, ring: PolynomialRing, point: Sequence[Rational]) -> Symmetry:
    scale = Rational(1, 2) if motion.kind == "scaling" else Rational(1)
    components = {ring.names[i]: polynomial_from_sparse(part, ring) * scale for i, part in motion.field.items() if part}
    return judge(motion.name, motion.kind, components, ring, point)


def _fiber_dimension(search: Count, motions: Sequence[Candidate]) -> int:
    """N − rank W(θ): by matching the rank mod p with that of the symmetry fields, or by the exact rank."""
    span, size = search.span, search.size
    lower = sum(1 for word in span.words if len(word) == 1)
    rows = []
    for motion in motions:
        row = [0] * size
        for i, part in motion.field.items():
            row[i] = evaluate_modulo(part, span.point, span.prime)
        rows.append(row)
    if lower + len(independent_rows(rows, size, span.prime)) == size:
        return size - lower
    return size - exact_rank(search.fields, search.point)
