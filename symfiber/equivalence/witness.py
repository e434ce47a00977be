"""Points where two networks may differ, and simpler ones: where a state that is not zero should be looked at.

Why this way: let D = f_a − f_b be reduced, so that what the networks share has cancelled.  A top neuron that is left
bends D along its hyperplane.  At a point p of it on no other surface of D, and ε so small that p ± εe meets no other
surface, D(p + εe) + D(p − εe) − 2D(p) = ε·|slope|·c ≠ 0, so D is not zero at one of three points — however small or far
away the region is on which D differs from zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from symfiber.exact import ONE, ZERO, Matrix, Rational, dot
from symfiber.reduction import Neuron, State

Point = tuple[Rational, ...]
_FACE_TRIES = 24
_BITS = 40


def simple_points(dimension: int, seed: int = 0) -> Iterator[Point]:
    """Yield points with small entries first, then random ones at several scales; the same for the same seed."""
    rng = Random(seed)
    yield (ZERO,) * dimension
    yield tuple(Rational(rng.choice((-1, 1))) for _ in range(dimension))
    for bound, divisor, count in ((2, 1, 4), (10, 1, 4), (100, 1, 3), (10, 97, 3), (10**4, 1, 2), (10**6, 1, 2)):
        for _ in range(count):
            yield tuple(Rational(rng.randint(-bound, bound), divisor) for _ in range(dimension))


def critical_points(state: State, seed: int = 0) -> Iterator[Point]:
    """Yield points next to the surfaces along which a reduced state with at most one front layer bends.

    For every kink of the state that is not covered by another one, the three points of the second difference come up,
    so a state that is not zero is nonzero at one of them.  Deterministic for the same seed.
    """
    d = state.input_dimension
    yield (ZERO,) * d
    if state.affine is not None and d <= 64:
        yield from (tuple(ONE if q == i else ZERO for q in range(d)) for i in range(d))
    if state.depth > 1:
        return
    rng = Random(seed)
    tops, fronts = [(2, j) for j in range(len(state.top))], [(1, k) for k in range(state.width)]
    rng.shuffle(tops)
    rng.shuffle(fronts)
    # A few surfaces in all ways first, as mostly any of them will do.
    for chosen in (tops[:4], fronts[:4], tops + fronts):
        for attempt in range(4):
            for which, index in chosen:
                layer = which + state.depth - 1
                if which == 2:
                    point = _point_on_top(state, index, rng, attempt)
                    points: Iterable[Point] = () if point is None else (point,)
                else:
                    points = _points_on_front(state, index, rng, attempt)
                for point in points:
                    yield from _straddle(state, point, layer, index)


def simplify(point: Sequence[Rational], differs: Callable[[Point], bool], budget: int) -> Point:
    """Return a point with shorter entries that still satisfies ``differs``, after at most ``budget`` tries."""
    best = tuple(point)

    def attempt(candidate: Point) -> bool:
        nonlocal best, budget
        budget -= 1
        if candidate != best and budget >= 0 and differs(candidate):
            best = candidate
            return True
        return False

    size = max((max(int(x.p.bit_length()), int(x.q.bit_length())) for x in best), default=0)
    bits = 0
    while bits < size and budget > 0 and not attempt(tuple(_rounded(x, bits) for x in point)):
        bits = 2 * bits + 1
    for q in range(len(best)):
        for value in (ZERO, _rounded(best[q], 0), _rounded(best[q], 4)):
            if budget <= 0 or _length(best[q]) <= _length(value) or attempt((*best[:q], value, *best[q + 1 :])):
                break
    return best


def _length(x: Rational) -> int:
    return int(abs(x.p).bit_length() + x.q.bit_length()) if x else 0


def _rounded(x: Rational, bits: int) -> Rational:
    scaled = x * (1 << bits) + Rational(1, 2)
    return Rational(scaled.p // scaled.q, 1 << bits)


def _random(rng: Random) -> Rational:
    return Rational(rng.randint(1, 997), rng.choice((1, 8, 64, 512)))


def _point_on_top(state: State, j: int, rng: Random, attempt: int) -> Point | None:
    """Return a point with T_j = 0 and its front neurons active (later attempts: some of them), or ``None``."""
    neuron = state.top[j]
    support = [k for k, w in enumerate(neuron.row[:-1]) if w]
    rows = _rows_for(state, neuron, support, ZERO, rng, attempt)
    return None if rows is None else _solution(rows, state.input_dimension, rng)


def _rows_for(
    state: State, neuron: Neuron, support: Sequence[int], target: Rational, rng: Random, attempt: int
) -> list[list[Rational]] | None:
    """Return equations of points where T_j has a given value, with random y for the given front neurons."""
    rows: list[list[Rational]] = []
    weights = [neuron.row[k] for k in support]
    if neuron.skip is None:
        z = _balanced(weights, neuron.row[-1], target, rng)
        if z is None:
            return None
    else:
        z = [_random(rng) * (1 if attempt % 2 == 0 else rng.choice((-1, 1))) for _ in support]
        shift = dot(weights, (max(y, ZERO) for y in z)) - target
        rows.append([*neuron.skip, neuron.row[-1] + shift])
    return rows + [[*state.front[0][k][:-1], state.front[0][k][-1] - y] for k, y in zip(support, z)]


def _balanced(weights: Sequence[Rational], bias: Rational, target: Rational, rng: Random) -> list[Rational] | None:
    """Return random z > 0 with weights·z + bias = target, ``None`` when the signs forbid it."""
    z = [_random(rng) for _ in weights]
    plus = sum((w * x for w, x in zip(weights, z) if w > 0), ZERO)
    minus = sum((w * x for w, x in zip(weights, z) if w < 0), ZERO)
    needed = target - bias
    up = down = ONE
    if plus and needed - minus > 0:
        up = (needed - minus) / plus
    elif minus and needed - plus < 0:
        down = (needed - plus) / minus
    elif plus + minus != needed:
        return None
    return [x * (up if w > 0 else down) for w, x in zip(weights, z)]


def _solution(rows: Sequence[Sequence[Rational]], dimension: int, rng: Random) -> Point | None:
    """Return a random x with a·x + b = 0 for all rows [a | b], ``None`` when there is none."""
    start = [_random(rng) * rng.choice((-1, 1)) for _ in range(dimension)]
    if not rows:
        return tuple(start)
    matrix = Matrix([row[:-1] for row in rows], dimension)
    step = matrix.solve([-dot(row, start) - row[-1] for row in rows])
    return None if step is None else tuple(x + y for x, y in zip(start, step))


def _points_on_front(state: State, k: int, rng: Random, attempt: int) -> Iterator[Point]:
    """Yield points of {y_k = 0}: random ones, and ones on both sides of a neuron that looks at z_k."""
    row = state.front[0][k]
    for scale in (ONE, Rational(1, 1000), Rational(1000)):
        start = [_random(rng) * rng.choice((-1, 1)) * scale for _ in range(state.input_dimension)]
        q = next(q for q, w in enumerate(row) if w)
        start[q] -= (dot(row, start) + row[-1]) / row[q]
        yield tuple(start)
    users = [n for n in state.top if n.row[k]]
    for n in rng.sample(users, min(len(users), _FACE_TRIES)):
        support = [i for i, w in enumerate(n.row[:-1]) if w and i != k]
        margin = Rational(1, 10 ** (3 * attempt))
        for target in (margin, -margin):
            rows = _rows_for(state, n, support, target, rng, attempt)
            point = None if rows is None else _solution([row, *rows], state.input_dimension, rng)
            if point is not None:
                yield point


@dataclass(frozen=True, slots=True)
class _Local:
    """A state at a point: preactivations of front and top, and the value and gradient of one surface's form."""

    front: tuple[Rational, ...]
    top: tuple[Rational, ...]
    value: Rational
    gradient: tuple[Rational, ...]

    @classmethod
    def at(cls, state: State, point: Point, layer: int, index: int) -> _Local:
        rows = state.front[0] if state.depth else []
        y = tuple(dot(row, point) + row[-1] for row in rows)
        z = [max(value, ZERO) for value in y]
        values = tuple(dot(n.skip or (), point) + dot(n.row, z) + n.row[-1] for n in state.top)
        if layer <= state.depth:
            return cls(y, values, y[index], tuple(rows[index][:-1]))
        own = state.top[index]
        active = [k for k, value in enumerate(y) if value > 0 and own.row[k]]
        gradient = own.skip or [ZERO] * len(point)
        slopes = [own.row[k] for k in active]
        gradient = [a + dot(slopes, (rows[k][q] for k in active)) for q, a in enumerate(gradient)]
        return cls(y, values, values[index], tuple(gradient))


def _with_short_entries(state: State, point: Point, layer: int, index: int) -> tuple[Point, _Local]:
    """Return a point of the same surface near the given one, with short entries if possible, and the state there."""
    rounded = tuple(_rounded(x, _BITS) for x in point)
    local = _Local.at(state, rounded, layer, index)
    q = next((q for q, g in enumerate(local.gradient) if g), None)
    if q is not None:
        rounded = (*rounded[:q], rounded[q] - local.value / local.gradient[q], *rounded[q + 1 :])
        local = _Local.at(state, rounded, layer, index)
        if not local.value:
            return rounded, local
    return point, _Local.at(state, point, layer, index)


def _straddle(state: State, point: Point, layer: int, index: int) -> Iterator[Point]:
    """Yield p − εe, p + εe, p for a unit vector e across the surface, unless another surface passes through p."""
    point, local = _with_short_entries(state, point, layer, index)
    in_front = layer <= state.depth
    zeros = sum(not v for v in local.front) + sum(not v for v in local.top)
    direction = next((q for q, g in enumerate(local.gradient) if g), None)
    if local.value or zeros > 1 or direction is None:
        return
    if in_front:
        jump = [row[index] for row in state.slope]
        for n, value in zip(state.top, local.top):
            if value > 0:
                jump = [x + c * n.row[index] for x, c in zip(jump, n.out)]
        if not any(jump):
            return
    epsilon = _clearance(state, local.front, local.top, index if in_front else None, direction)
    for step in (-epsilon, epsilon, ZERO):
        yield (*point[:direction], point[direction] + step, *point[direction + 1 :])


def _clearance(
    state: State, y: Sequence[Rational], values: Sequence[Rational], own_front: int | None, direction: int
) -> Rational:
    """Return ε > 0 such that no surface but the own one meets the open segment p ± εe."""
    bound = ONE
    slopes = [row[direction] for row in state.front[0]] if state.depth else []
    for value, slope in zip(y, slopes):
        if value and slope:
            bound = min(bound, abs(value / slope))
    for n, value in zip(state.top, values):
        slope = n.skip[direction] if n.skip else ZERO
        slope += dot((w for w, v in zip(n.row, y) if v > 0), (s for s, v in zip(slopes, y) if v > 0))
        both = (slope, slope + n.row[own_front] * slopes[own_front]) if own_front is not None else (slope,)
        for rate in both:
            if value and rate:
                bound = min(bound, abs(value / rate))
    shift = max(int(bound.q.bit_length()) - int(bound.p.bit_length()), 0) + 2
    return Rational(1, 1 << shift)
