"""Whether a state is zero everywhere: exact branch and bound over the cells of its front layers, with a proof.

Why this way: only the front is split.  On a cell of the front the state is one layer of neurons of affine functions,
and such a sum is zero on an open region iff the jumps of every hyperplane that crosses the region cancel and the affine
rest is zero; so the top costs one linear program a hyperplane, not a factor of two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from time import monotonic
from typing import Any

from symfiber.errors import LimitExceededError, VerificationError
from symfiber.exact import ONE, ZERO, Infeasible, Rational, dot, solve_inequalities
from symfiber.reduction import State

Form = tuple[Rational, ...]
"""An affine form on ℝᵈ: its coefficients followed by its constant."""
Point = tuple[Rational, ...]
Progress = Callable[[int, float], None]


@dataclass(frozen=True, slots=True)
class CellTree:
    """A proof that a state is zero: the nodes of a tree over its front neurons, in preorder.

    ``"split"``: both sides follow, the active one first.  ``("active", λ)``, ``("inactive", λ)``: the other side is
    empty, by multipliers λ of the region's strict inequalities and of the other side.  ``("leaf", ((sign, λ), …))``: a
    cell; for every top hyperplane with a jump, its sign on the cell and the multipliers that show the other side empty.
    """

    nodes: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Region:
    """An open polyhedron {constraints > 0} with a point in it."""

    constraints: tuple[Form, ...]
    point: Point

    def value(self, form: Form) -> Rational:
        return dot(form, self.point) + form[-1]

    def cut(self, form: Form) -> _Region | Infeasible:
        """Return the part where the form is positive, or the proof that it is empty."""
        if self.value(form) > 0:
            return _Region((*self.constraints, form), self.point)
        found = solve_inequalities([], strict=[*self.constraints, form], dimension=len(self.point))
        if isinstance(found, Infeasible):
            return found
        return _Region((*self.constraints, form), tuple(found.coordinates))

    def moved(self, direction: Sequence[Rational]) -> Point:
        """Return a point of the region a short step along the direction."""
        step = ONE
        for form in self.constraints:
            rate = abs(dot(form, direction))
            if rate:
                step = min(step, self.value(form) / (2 * rate))
        return tuple(x + step * y for x, y in zip(self.point, direction))


@dataclass(frozen=True, slots=True)
class _Branch:
    """Work to do: the front neuron (layer, index) is next; ``below`` and ``done`` are forms of z in two layers."""

    layer: int
    below: tuple[Form, ...]
    done: tuple[Form, ...]
    region: _Region
    share: Fraction


def search_cells(
    state: State, limit: int = 20_000, seconds: float | None = None, progress: Progress | None = None
) -> CellTree | Point:
    """Return a proof that the state is zero on ℝᵈ, or a point where it is not.

    Parameters
    ----------
    state : State
    limit : int
        The largest number of nodes.
    seconds : float, optional
        The largest running time.
    progress : callable, optional
        Called with the number of nodes and the covered share of the tree (between 0 and 1) now and then.

    Raises
    ------
    LimitExceededError
        At a limit; ``known`` has the number of nodes and the covered share of the search.

    Notes
    -----
    Cost: two linear programs for each cell of the front and each of its neurons.  Proved, see
    docs/concepts/certificates.md.
    """
    d = state.input_dimension
    identity = tuple(tuple(ONE if q == i else ZERO for q in range(d + 1)) for i in range(d))
    stack = [_Branch(1, identity, (), _Region((), (ZERO,) * d), Fraction(1))]
    nodes: list[Any] = []
    covered, started = Fraction(0), monotonic()
    while stack:
        branch = stack.pop()
        if len(nodes) >= limit or (seconds is not None and monotonic() - started > seconds):
            raise LimitExceededError(
                f"the search over cells stopped after {len(nodes)} nodes, {float(covered):.1%} of it covered",
                {"nodes": len(nodes), "covered": covered},
            )
        if progress is not None and len(nodes) % 16 == 0:
            progress(len(nodes), float(covered))
        if branch.layer > state.depth:
            leaf = _leaf(state, branch.below, branch.region)
            if leaf is None or leaf[0] != "leaf":
                return _nonzero_point(state, branch.region, leaf)
            nodes.append(leaf)
            covered += branch.share
        else:
            stack.extend(_next_neuron(state, branch, nodes))
    return CellTree(tuple(nodes))


def compose(row: Sequence[Rational], forms: Sequence[Form], dimension: int) -> Form:
    """Return the form Σ_k row_k · form_k + last entry of the row."""
    total = [ZERO] * (dimension + 1)
    for w, form in zip(row[:-1], forms):
        if w:
            total = [t + w * x if x else t for t, x in zip(total, form)]
    total[-1] += row[-1]
    return tuple(total)


def _next_neuron(state: State, branch: _Branch, nodes: list[Any]) -> Iterator[_Branch]:
    """Decide the next front neuron, or split on it; the active side comes last, to be taken first."""
    rows = state.front[branch.layer - 1]
    if len(branch.done) == len(rows):
        yield _Branch(branch.layer + 1, branch.done, (), branch.region, branch.share)
        return
    d = state.input_dimension
    form = compose(rows[len(branch.done)], branch.below, d)
    none = (ZERO,) * (d + 1)
    if not any(form[:-1]):
        kept = form if form[-1] > 0 else none
        yield _Branch(branch.layer, branch.below, (*branch.done, kept), branch.region, branch.share)
        return
    region = branch.region
    if not region.value(form):
        region = _Region(region.constraints, region.moved(form[:-1]))
    active, inactive = region.cut(form), region.cut(_negated(form))
    share = branch.share
    if isinstance(active, Infeasible):
        nodes.append(("inactive", active.strict_multipliers))
    elif isinstance(inactive, Infeasible):
        nodes.append(("active", inactive.strict_multipliers))
    else:
        nodes.append("split")
        share = share / 2
    # A side that was proved empty does not restrict the other one, so its inequality is left out.
    for side, kept in ((inactive, none), (active, form)):
        if not isinstance(side, Infeasible):
            lone = isinstance(active, Infeasible) or isinstance(inactive, Infeasible)
            kept_region = _Region(region.constraints, side.point) if lone else side
            yield _Branch(branch.layer, branch.below, (*branch.done, kept), kept_region, share)


def _leaf(state: State, z: Sequence[Form], region: _Region) -> tuple[Any, ...] | None:
    """Return the leaf node, ("kink", point, hyperplane) at a bend, or ``None`` when the affine rest is not 0."""
    total, classes = cell_function(state, z)
    proofs = []
    for key, jump in classes.items():
        if not any(jump):
            continue
        value = region.value(key)
        sign = 1 if value > 0 else -1
        other = region.cut(_negated(key) if sign > 0 else key) if value else region
        if not isinstance(other, Infeasible):
            return ("kink", other.point, key)
        proofs.append((sign, other.strict_multipliers))
        if sign > 0:
            total = [tuple(t + c * x for t, x in zip(row, key)) for row, c in zip(total, jump)]
    return None if any(map(any, total)) else ("leaf", tuple(proofs))


def cell_function(state: State, z: Sequence[Form]) -> tuple[list[Form], dict[Form, list[Rational]]]:
    """Return the state on a cell as affine rows plus Σ jump·σ(key) over hyperplanes with first coefficient 1."""
    d = state.input_dimension
    none = [ZERO] * d
    total = []
    for o, constant in enumerate(state.constant):
        base = [*(state.affine[o] if state.affine else none), constant]
        total.append([x + y for x, y in zip(base, compose([*state.slope[o], ZERO], z, d))])
    classes: dict[Form, list[Rational]] = {}
    for n in state.top:
        form = [x + y for x, y in zip([*(n.skip or none), ZERO], compose(n.row, z, d))]
        pivot = next((x for x in form[:-1] if x), None)
        if pivot is None:
            value = max(form[-1], ZERO)
            for row, c in zip(total, n.out):
                row[-1] += c * value
            continue
        jump = classes.setdefault(tuple(x / pivot for x in form), [ZERO] * len(n.out))
        for o, c in enumerate(n.out):
            jump[o] += c * abs(pivot)
            if pivot < 0:
                total[o] = [t + c * x for t, x in zip(total[o], form)]
    return [tuple(row) for row in total], classes


def _nonzero_point(state: State, region: _Region, leaf: tuple[Any, ...] | None) -> Point:
    """Return a point of a region on which the state is not zero."""
    rng = Random(0)
    for attempt in range(200):
        direction = [Rational(rng.randint(-99, 99), 7 + attempt) for _ in region.point]
        base = region.moved(direction) if attempt else region.point
        candidates = [base]
        if leaf is not None:
            candidates += _across(state, base, leaf[1], leaf[2])
        for point in candidates:
            if any(state.evaluate(point)):
                return tuple(point)
    raise VerificationError("a state that is not zero on a cell must be nonzero at some point of it")


def _across(state: State, base: Point, other: Point, key: Form) -> Iterator[Point]:
    """Yield points closer and closer to where the segment from ``base`` to ``other`` crosses the hyperplane."""
    yield other
    here, there = dot(key, base) + key[-1], dot(key, other) + key[-1]
    if here == there:
        return
    crossing = here / (here - there)
    for bits in (1, 4, 10, 20, 40):
        for step in (-1, 0, 1):
            t = crossing + Rational(step, 1 << bits)
            if 0 <= t <= 1:
                yield tuple(x + t * (y - x) for x, y in zip(base, other))


def _negated(form: Form) -> Form:
    return tuple(-x for x in form)
