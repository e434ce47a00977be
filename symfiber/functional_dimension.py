"""The functional dimension of a network of any depth: the rank of all coefficient gradients over all cells (THEORY §4).

On a cell f_o(x) = Σ_q α_oq(θ) x_q + β_o(θ).  With the masked products F_l = D_l W_l ⋯ D_1 W_1 and
B_l = W_L D_{L−1} ⋯ W_{l+1} D_l, the gradient of α_oq in W_l is the outer product of row o of B_l and column q of
F_{l−1}; the one of β_o uses the constant part of F_{l−1}, and row o of B_l for the bias b_l.

The rank modulo a prime is a lower bound of the rank over ℚ.  The known symmetries' tangent vectors annihilate every
gradient and bound the rank from above.  When the two do not meet, the nullspace of the rows that are independent
modulo the prime is computed over ℚ and multiplied with every gradient: products that all vanish prove the rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from symfiber.cells import cells
from symfiber.errors import UnsupportedError, VerificationError
from symfiber.exact import ONE, ZERO, IndependentRows, Matrix, Rational, dot
from symfiber.local_symmetries import LocalSymmetry, local_symmetries
from symfiber.network import ActivationPattern, Network

_BATCH = 32


@dataclass(frozen=True, slots=True)
class FunctionalDimension:
    """The functional dimension with both of its proofs.

    Attributes
    ----------
    network : Network
    patterns : tuple of activation patterns of all cells
    value : int
    symmetries : tuple of LocalSymmetry
        The known infinitesimal symmetries; their tangent vectors bound the value from above.
    explained : int
        The dimension of the span of their tangent vectors.
    unexplained : tuple of vectors
        A basis, modulo that span, of the tangent directions that no known symmetry explains; each is a dict from
        parameter names to fractions.
    upper : "known symmetries" or "exact nullspace"
        How the upper bound is proved.
    """

    network: Network
    patterns: tuple[ActivationPattern, ...]
    value: int
    symmetries: tuple[LocalSymmetry, ...]
    explained: int
    unexplained: tuple[dict[str, Any], ...]
    upper: str

    @property
    def local_fiber_dimension(self) -> int:
        """N − functional dimension: the dimension of the fiber's tangent space; of the fiber, where θ is generic."""
        return self.network.parameter_count - self.value

    @property
    def unexplained_dimension(self) -> int:
        """How many independent tangent directions no known symmetry explains."""
        return len(self.unexplained)

    def verify(self) -> bool:
        """Multiply every tangent vector with every gradient and recompute the rank, exactly."""
        count = self.network.parameter_count
        vectors = [_dense(vector, count) for symmetry in self.symmetries for vector in symmetry.vectors]
        positions = {name: place for place, name in enumerate(self.network.parameter_names)}
        vectors += [_dense({positions[name]: x for name, x in v.items()}, count) for v in self.unexplained]
        kept = IndependentRows(count)
        for pattern in self.patterns:
            rows = list(coefficient_gradients(self.network, pattern))
            kept.extend(rows)
            if any(dot(row, vector) for row in rows for vector in vectors):
                raise VerificationError(f"a tangent vector changes a coefficient on the cell {pattern}")
        if kept.rank != self.value or Matrix(vectors, count).rank() != count - self.value:
            raise VerificationError(f"the rank must be {self.value}, the gradients give {kept.rank}")
        return True

    def __int__(self) -> int:
        return self.value

    def __str__(self) -> str:
        lines = [
            f"functional dimension {self.value} of {self.network.parameter_count}, {len(self.patterns)} cells",
            f"tangent space of the fiber: dimension {self.local_fiber_dimension}, explained {self.explained}, "
            f"unexplained {self.unexplained_dimension} (upper bound by {self.upper})",
            *(f"  {symmetry}" for symmetry in self.symmetries),
        ]
        for vector in self.unexplained:
            lines.append("  unexplained: " + ", ".join(f"{name}: {value}" for name, value in vector.items()))
        return "\n".join(lines)


def functional_dimension(net: Network) -> int:
    r"""Return the rank at θ of the gradients of all coefficients α_oq, β_o over all cells, exactly; any depth.

    Proved from below and above, see :func:`analyse_functional_dimension`.

    Examples
    --------
    >>> functional_dimension(Network([([[8, 15], [9, 8]], [12, 17]), ([[8, -9]], [2])]))
    7
    """
    return analyse_functional_dimension(net).value


def analyse_functional_dimension(net: Network) -> FunctionalDimension:
    """Return the functional dimension with its proofs and what the known symmetries explain.

    Cost: the enumeration of the cells, and one gradient of length N for each coefficient of each cell until the bounds
    meet; a nullspace of an N-column matrix over ℚ when they do not.

    Raises
    ------
    UnsupportedError
        For symbolic networks.
    """
    if net.is_symbolic:
        raise UnsupportedError("the functional dimension needs a network of numbers, got symbols")
    patterns = tuple(cell.activation_pattern for cell in cells(net))
    symmetries = local_symmetries(net, patterns)
    count = net.parameter_count
    known = [_dense(vector, count) for symmetry in symmetries for vector in symmetry.vectors]
    explained = Matrix(known, count).rank()
    kept = IndependentRows(count)
    for batch in _batches(net, patterns):
        kept.extend(batch)
        if kept.rank == count - explained:
            return FunctionalDimension(net, patterns, kept.rank, symmetries, explained, (), "known symmetries")
    return _by_nullspace(net, patterns, symmetries, known, explained, kept)


def coefficient_gradients(net: Network, pattern: ActivationPattern) -> Iterator[tuple[Rational, ...]]:
    """Yield the gradients of α_o1, …, α_od, β_o for every output o on one cell, each of length N."""
    depth, d = len(net.scalar_layers), net.architecture[0]
    forward = _forward_products(net, pattern)
    for o in range(net.architecture[-1]):
        rows = _backward_rows(net, pattern, o)
        for q in range(d + 1):
            gradient: list[Rational] = []
            for layer in range(depth):
                inputs, back = forward[layer], rows[layer]
                column = [form[q] for form in inputs]
                for b in back:
                    gradient += [b * x for x in column] if b else [ZERO] * len(column)
                gradient += list(back) if q == d else [ZERO] * len(back)
            yield tuple(gradient)


def _forward_products(net: Network, pattern: ActivationPattern) -> list[list[tuple[Rational, ...]]]:
    """For every layer the affine forms (length d + 1) of its inputs on the cell."""
    d = net.architecture[0]
    forms = [tuple(ONE if q == k else ZERO for k in range(d + 1)) for q in range(d)]
    result = [forms]
    for layer, active in zip(net.scalar_layers, pattern):
        columns = list(zip(*forms))
        forms = [
            (*(dot(row, column) for column in columns[:-1]), dot(row, columns[-1]) + bias) if on else (ZERO,) * (d + 1)
            for row, bias, on in zip(layer.weight, layer.bias, active)
        ]
        result.append(forms)
    return result


def _backward_rows(net: Network, pattern: ActivationPattern, output: int) -> list[tuple[Rational, ...]]:
    """For every layer, the derivative of the output by each of its preactivations on the cell."""
    row = tuple(ONE if k == output else ZERO for k in range(net.architecture[-1]))
    result = [row]
    for layer, active in zip(reversed(net.scalar_layers[1:]), reversed(pattern)):
        columns = zip(*layer.weight)
        row = tuple(dot(row, column) if on else ZERO for column, on in zip(columns, active))
        result.append(row)
    return result[::-1]


def _batches(net: Network, patterns: Sequence[ActivationPattern]) -> Iterator[list[tuple[Rational, ...]]]:
    for start in range(0, len(patterns), _BATCH):
        yield [row for pattern in patterns[start : start + _BATCH] for row in coefficient_gradients(net, pattern)]


def _by_nullspace(
    net: Network,
    patterns: tuple[ActivationPattern, ...],
    symmetries: tuple[LocalSymmetry, ...],
    known: list[tuple[Rational, ...]],
    explained: int,
    kept: IndependentRows,
) -> FunctionalDimension:
    """Prove the rank by the exact nullspace of independent rows; rows that it does not annihilate join them."""
    count = net.parameter_count
    while True:
        kernel = Matrix(kept.rows, count).nullspace()
        missed = [
            row for batch in _batches(net, patterns) for row in batch if any(dot(row, vector) for vector in kernel.rows)
        ]
        if not missed:
            break
        # Independent over ℚ although dependent modulo the prime.
        kept.rows.append(missed[0])
    span = IndependentRows(count)
    span.extend(known)
    fresh = [kernel.rows[index] for index in span.extend(kernel.rows)]
    names = net.parameter_names
    unexplained = tuple({name: value for name, value in zip(names, vector) if value} for vector in fresh)
    return FunctionalDimension(net, patterns, len(kept.rows), symmetries, explained, unexplained, "exact nullspace")


def _dense(vector: dict[int, Rational], length: int) -> tuple[Rational, ...]:
    return tuple(vector.get(position, ZERO) for position in range(length))
