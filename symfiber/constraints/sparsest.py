"""A member with the fewest nonzero parameters, with a proved lower bound.

Scalings keep the zero pattern of the rigid parameters, so only the free neurons and the hiding translation matter.

*Free neurons* (C·A = M, A ≥ 0, e + Σ c_q b_q = v).  Every nonzero column of M needs a nonzero entry of A.  Let Z be the
nonzero rows of M; C restricted to Z has a nonzero entry in each of these rows, and nonzero entries in at least rank⁺(M)
columns.  For o ∉ Z with v_o ≠ 0 an entry of row o of C, or e_o, is nonzero; if v_o ≠ 0 for some o ∈ Z, some e_o or some
bias is.  Altogether at least

    #{nonzero columns} + max(rank⁺(M), |Z|) + #{o ∉ Z : v_o ≠ 0} + [v_o ≠ 0 for some o ∈ Z].

For one output the positive and the negative part of M, with C = (1, −1), reach this bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symfiber.constraints.rigid import rigid_names
from symfiber.decomposition.component import Component
from symfiber.decomposition.linear_block import LinearBlock
from symfiber.errors import LimitExceededError, UnsupportedError, VerificationError
from symfiber.exact import ONE, ZERO, Rational, dot
from symfiber.network import Network
from symfiber.orthant import ray_key

if TYPE_CHECKING:
    from symfiber.decomposition.fiber import Fiber

_COMPONENT_LIMIT = 256
Row = Sequence[Rational]


@dataclass(frozen=True, slots=True)
class SparsestMember:
    """A member of a fiber with few nonzero parameters.

    Attributes
    ----------
    component : Component
    member : Network
    nonzero : int
        How many parameters of the member are not 0.
    lower_bound : int
        Every member of every component has at least so many.
    """

    fiber: Fiber
    component: Component
    member: Network
    nonzero: int
    lower_bound: int

    @property
    def optimal(self) -> bool:
        """Whether no member of a component has fewer nonzero parameters, proved."""
        return self.nonzero == self.lower_bound

    def verify(self) -> bool:
        """Count again, look the member up in its component, and compute the bound again."""
        if _count(self.member.parameters) != self.nonzero:
            raise VerificationError(f"the member must have {self.nonzero} nonzero parameters")
        if self.member not in self.component or self.member not in self.fiber:
            raise VerificationError("the member must lie in its component of the fiber")
        if min(map(_least_count, self.fiber.components)) != self.lower_bound:
            raise VerificationError(f"the lower bound must be {self.lower_bound}")
        return True


def sparsest_member(fiber: Fiber) -> SparsestMember:
    """Return a member of the fiber's components with few nonzero parameters, and a lower bound; n₁ ≥ 2.

    For one output, and wherever no neuron is linear, the two agree and no member is sparser.

    Raises
    ------
    UnsupportedError
        For n₁ = 1.
    LimitExceededError
        For more than 256 components.

    Examples
    --------
    >>> import symfiber as sf
    >>> from symfiber import library
    >>> found = sparsest_member(sf.fiber(library.get("dead-2-2-3-1")))
    >>> found.nonzero, found.optimal, found.member.parameter_count
    (15, True, 19)
    """
    if fiber.case == "univariate":
        raise UnsupportedError("the sparsest member needs n1 >= 2, got a network with n1 = 1")
    if fiber.component_count > _COMPONENT_LIMIT:
        raise LimitExceededError(
            f"the sparsest member looks at {_COMPONENT_LIMIT} components at most, got {fiber.component_count}"
        )
    candidates = [(component, sparse_representative(component)) for component in fiber.components]
    component, member = min(candidates, key=lambda pair: _count(pair[1].parameters))
    least = min(map(_least_count, fiber.components))
    return SparsestMember(fiber, component, member, _count(member.parameters), least)


def sparse_representative(component: Component) -> Network:
    """Return a member of one component with few nonzero parameters; for n₁ = 1 just a member.

    Examples
    --------
    >>> import symfiber as sf
    >>> from symfiber import library
    >>> component = sf.fiber(library.get("hidden-2-2-2-1")).components[0]
    >>> sparse_representative(component) in component
    True
    """
    case, label = component.case, component.label
    if case.name == "univariate":
        return component.sample(0)
    net = case.bottleneck.network
    values = dict(zip(net.parameter_names, net.parameters))
    if case.name == "constant":
        values = {name: value if name in rigid_names(component) else ZERO for name, value in values.items()}
    elif case.name == "visible":
        for j, s in zip(case.nonlinear, label):
            for name in (*(f"W2_{j}_{i}" for i in range(case.function.input_dimension)), f"b2_{j}"):
                values[name] *= s
        values.update(_sparsest(_blocks(case.block(label))))
    else:
        values.update(_sparsest(_translations(component)))
    return Network.from_parameters(net.architecture, [values[name] for name in net.parameter_names])


def _sparsest(candidates: Iterable[dict[str, Rational]]) -> dict[str, Rational]:
    return min(candidates, key=lambda values: _count(values.values()))


def _least_count(component: Component) -> int:
    """Return the proved least number of nonzero parameters of a component (n₁ ≥ 2)."""
    case, names = component.case, rigid_names(component)
    if case.name == "visible" and case.free:
        return _count(v for n, v in zip(*_named(component.sample(0))) if n in names) + _block_bound(
            case.block(component.label)
        )
    if case.name in ("visible", "constant"):
        return _count(v for n, v in zip(*_named(component.sample(0))) if n in names)
    # The counts of the translations can only drop where one of their own values becomes 0: those are all looked at.
    return _count(sparse_representative(component).parameters)


def _named(net: Network) -> tuple[Sequence[str], Sequence[Rational]]:
    return net.parameter_names, net.parameters


def _count(values: Iterable[Rational]) -> int:
    return sum(1 for value in values if value)


def _block_bound(block: LinearBlock) -> int:
    """Return the bound of the module's text for M and v of a block."""
    M, v = block.slope.matrix, block.constant
    touched = [any(row) for row in M.rows]
    outside = sum(1 for value, row in zip(v, touched) if value and not row)
    inside = any(value and row for value, row in zip(v, touched))
    return sum(1 for c in M.columns() if any(c)) + max(block.slope.value, sum(touched)) + outside + inside


def _blocks(block: LinearBlock) -> Iterator[dict[str, Rational]]:
    """Yield parameters of the free neurons and b₃, in a few sparse ways; what is not linear is 0."""
    M = block.slope.matrix
    for A, C in _factorizations(block):
        if len(A) > block.free:
            continue
        for biases in _biases(C, block.constant):
            values = {f"b3_{o}": v - dot(biases, (c[o] for c in C)) for o, v in enumerate(block.constant)}
            zero_row, zero_column = [ZERO] * M.column_count, [ZERO] * M.row_count
            for k, j in enumerate(block.positions):
                row, column, bias = (A[k], C[k], biases[k]) if k < len(A) else (zero_row, zero_column, ZERO)
                values.update({f"W2_{j}_{i}": x for i, x in enumerate(row)})
                values.update({f"W3_{o}_{j}": x for o, x in enumerate(column)})
                values[f"b2_{j}"] = bias
            yield values


def _factorizations(block: LinearBlock) -> Iterator[tuple[list[Row], list[Row]]]:
    """Yield (rows of A, columns of C) with C·A = M, A ≥ 0: by rays, by signs, by extreme columns, and by a chart."""
    M = block.slope.matrix
    columns = M.columns()
    rays = list(dict.fromkeys(ray_key(c) for c in columns if any(c)))
    yield (
        [[_multiple(c, ray) if any(c) and ray_key(c) == ray else ZERO for c in columns] for ray in rays],
        [list(map(Rational, ray)) for ray in rays],
    )
    A: list[Row] = []
    C: list[Row] = []
    for o, row in enumerate(M.rows):
        for s in (ONE, -ONE):
            if any(x * s > 0 for x in row):
                A.append([x * s if x * s > 0 else ZERO for x in row])
                C.append([s if p == o else ZERO for p in range(M.row_count)])
    yield A, C
    yield _by_chart(block)


def _multiple(column: Row, ray: Row) -> Rational:
    return next(x / y for x, y in zip(column, ray) if y)


def _by_chart(block: LinearBlock) -> tuple[list[Row], list[Row]]:
    """Return the factorisation in the sample point of the largest stratum, which always exists."""
    from symfiber.decomposition.charts import ChartBuilder
    from symfiber.decomposition.linear_block import LinearBlockChart

    builder = ChartBuilder(0)
    neurons = LinearBlockChart(builder, block, *block.top_stratum).neurons()[: block.slope.value]
    point = [builder.values[name] for name in builder.ring.names]

    def value(pair: tuple[object, object]) -> Rational:
        numerator, denominator = (builder.ring.coerce(x)(point) for x in pair)
        return numerator / denominator

    return [[value(x) for x in row] for row, _, _ in neurons], [[value(x) for x in column] for _, _, column in neurons]


def _biases(C: Sequence[Row], v: Row) -> Iterator[list[Rational]]:
    """Yield biases ≥ 0 of the linear neurons: all 0, or one of them such that an output bias becomes 0."""
    zero = [ZERO] * len(C)
    yield zero
    for k, column in enumerate(C):
        for value in dict.fromkeys(v[o] / c for o, c in enumerate(column) if c and v[o] / c > 0):
            yield [*zero[:k], value, *zero[k + 1 :]]


def _translations(component: Component) -> Iterator[dict[str, Rational]]:
    """Yield the parameters that the label and the translation decide, dead neurons 0, where one of them vanishes."""
    case, label = component.case, component.label
    net, i, g = case.bottleneck.network, case.hidden, case.function
    weight, bias = case.bottleneck.first_layer
    row, constant = case.hidden_row(label)
    values = {f"W1_{i}_{q}": x for q, x in enumerate(row)}
    for k in label:
        values.update({f"W1_{k}_{q}": -x for q, x in enumerate(weight[k])})
        values[f"b1_{k}"] = -bias[k]
    for j in case.dead:
        values.update(dict.fromkeys((*(f"W2_{j}_{k}" for k in range(g.input_dimension)), f"b2_{j}"), ZERO))
        values.update({f"W3_{o}_{j}": ZERO for o in range(net.architecture[-1])})
    least = max(g.bias[j] / g.weight[j][i] for j in case.live)
    for t in dict.fromkeys((least, max(least, -constant))):
        shifted = {f"b2_{j}": g.bias[j] - g.weight[j][i] * t for j in case.live}
        yield {**values, f"b1_{i}": constant + t, **shifted}


__all__ = ["SparsestMember", "sparse_representative", "sparsest_member"]
