"""The functional dimension of a network of any depth: the rank of all coefficient gradients over all cells (THEORY §4).

The rank modulo a prime is a lower bound of the rank over ℚ.  The known symmetries' tangent vectors annihilate every
gradient and bound the rank from above.  When the two do not meet, the nullspace of the rows that are independent
modulo the prime is computed over ℚ and multiplied with every gradient: products that all vanish prove the rank.

Neighbouring cells share most of their gradients, so cells are taken in a shuffled order: a few of them already have the
full rank, as a rule, and when the bounds meet the others need not be looked at.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from symfiber.cells import cells
from symfiber.errors import InputError, VerificationError
from symfiber.exact import (
    ZERO,
    IndependentRows,
    IntegerTable,
    Matrix,
    Rational,
    primitive_integers,
    to_fraction,
)
from symfiber.gradients import Gradients, positions
from symfiber.local_symmetries import LocalSymmetry, TangentVector, local_symmetries
from symfiber.network import ActivationPattern, Network, require_network

Witness = tuple[ActivationPattern, int, int]
"""A coefficient: the cell's activation pattern, the output o, and q; q = d stands for the constant β_o."""

_BATCH = 8
_SEED = 1


@dataclass(frozen=True, slots=True)
class FunctionalDimension:
    """The functional dimension with both of its proofs.

    Attributes
    ----------
    network : Network
    patterns : tuple of activation patterns of all cells
    free_positions : tuple of int
        The parameters that count, as positions in ``net.parameters``: all but those of fixed layers.
    value : int
    witnesses : tuple of (activation pattern, output, coefficient)
        As many coefficients with independent gradients: the lower bound.
    symmetries : tuple of LocalSymmetry
        The known infinitesimal symmetries; their tangent vectors bound the value from above.
    explained : int
        The dimension of the span of their tangent vectors, of those that keep the fixed layers.
    unexplained : tuple of vectors
        A basis, modulo that span, of the tangent directions that no known symmetry explains; each is a dict from
        parameter names to fractions.
    upper : "known symmetries" or "exact nullspace"
        How the upper bound is proved.
    """

    network: Network
    patterns: tuple[ActivationPattern, ...]
    free_positions: tuple[int, ...]
    value: int
    witnesses: tuple[Witness, ...]
    symmetries: tuple[LocalSymmetry, ...]
    explained: int
    unexplained: tuple[dict[str, Fraction], ...]
    upper: str

    @property
    def local_fiber_dimension(self) -> int:
        """N − functional dimension: the dimension of the fiber's tangent space; of the fiber, where θ is generic."""
        return len(self.free_positions) - self.value

    @property
    def unexplained_dimension(self) -> int:
        """How many independent tangent directions no known symmetry explains."""
        return len(self.unexplained)

    def tangent_vectors(self) -> list[tuple[Rational, ...]]:
        """Return vectors that span the tangent space of the fiber, the known ones first."""
        count = self.network.parameter_count
        places = {name: place for place, name in enumerate(self.network.parameter_names)}
        named = [
            {places[name]: Rational(x.numerator, x.denominator) for name, x in v.items()} for v in self.unexplained
        ]
        known = known_tangent_vectors(self.symmetries, count, self.free_positions)
        return [*known, *(_dense(vector, count) for vector in named)]

    def verify(self) -> bool:
        """Multiply every tangent vector with every gradient of every cell, and recompute the witnesses' rank, exactly.

        The list of cells is taken as it is; :func:`symfiber.cells.emptiness_proofs` proves it complete.
        """
        gradients, count = Gradients(self.network), len(self.free_positions)
        vectors = self.tangent_vectors()
        if Matrix(vectors, self.network.parameter_count).rank() != count - self.value:
            raise VerificationError(f"the tangent vectors must span dimension {count - self.value}")
        changing = _first_change(gradients, self.patterns, vectors)
        if changing is not None:
            raise VerificationError(f"a tangent vector changes a coefficient on the cell {changing}")
        rows = []
        for pattern, output, coefficient in self.witnesses:
            if pattern not in self.patterns:
                raise VerificationError(f"a witness must lie on a cell, got {pattern}")
            row = gradients.rows(pattern)[output * (gradients.space + 1) + coefficient]
            rows.append([row[k] for k in self.free_positions])
        if len(rows) != self.value or Matrix(rows, count).rank() != self.value:
            raise VerificationError(f"the rank must be {self.value}, the witnesses give {Matrix(rows, count).rank()}")
        return True

    def __int__(self) -> int:
        return self.value

    def __str__(self) -> str:
        fixed = self.network.parameter_count - len(self.free_positions)
        lines = [
            f"functional dimension {self.value} of {len(self.free_positions)}, {len(self.patterns)} cells"
            + (f", {fixed} parameters held fixed" if fixed else ""),
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


def local_fiber_dimension(net: Network) -> int:
    """Return N − functional dimension: the dimension of the fiber near θ where θ is generic, of its tangent space else.

    Examples
    --------
    >>> local_fiber_dimension(Network([([[8, 15], [9, 8]], [12, 17]), ([[8, -9]], [2])]))
    2
    """
    return analyse_functional_dimension(net).local_fiber_dimension


def unexplained_dimension(net: Network) -> int:
    """Return how many independent tangent directions of the fiber no known symmetry explains; see ``unexplained`` of
    :func:`analyse_functional_dimension` for a basis.

    Examples
    --------
    >>> unexplained_dimension(Network([([[8, 15], [9, 8]], [12, 17]), ([[8, -9]], [2])]))
    0
    """
    return analyse_functional_dimension(net).unexplained_dimension


def analyse_functional_dimension(net: Network, fixed_layers: Sequence[int] = ()) -> FunctionalDimension:
    """Return the functional dimension with its proofs and what the known symmetries explain.

    Parameters
    ----------
    net : Network of numbers
    fixed_layers : sequence of int
        Layers (one-based) whose parameters are constants.  With an identity as fixed last layer, a network is the
        composition of its hidden layers, ReLU at the end.

    Returns
    -------
    FunctionalDimension

    Raises
    ------
    UnsupportedError
        For symbolic networks.

    Notes
    -----
    Proved: always.  Cost: the enumeration of the cells, and one gradient of length N for each coefficient of each cell
    until the bounds meet; a nullspace of an N-column matrix over ℚ when they do not.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1]], [0, 0]), ([[1, 1]], [1]), ([[1]], [0])])
    >>> found = analyse_functional_dimension(net)                  # the second layer is linear
    >>> found.value, found.local_fiber_dimension, found.upper, found.verify()
    (7, 4, 'known symmetries', True)
    >>> analyse_functional_dimension(net, fixed_layers=(3,)).local_fiber_dimension
    2
    """
    require_network(net, "the functional dimension")
    depth = len(net.scalar_layers)
    if any(number not in range(1, depth + 1) for number in fixed_layers):
        raise InputError(f"fixed_layers must be among the layers 1..{depth}, got {tuple(fixed_layers)}")
    free = tuple(positions(net.architecture, [k for k in range(1, depth + 1) if k not in fixed_layers]))
    patterns = tuple(cell.activation_pattern for cell in cells(net))
    symmetries = local_symmetries(net, patterns)
    known = known_tangent_vectors(symmetries, net.parameter_count, free)
    explained = Matrix(known, net.parameter_count).rank()
    search = _Search(Gradients(net), patterns, free)
    search.extend(len(free) - explained)
    unexplained: tuple[dict[str, Fraction], ...] = ()
    upper = "known symmetries"
    if search.rank < len(free) - explained:
        upper = "exact nullspace"
        unexplained = tuple(
            {name: to_fraction(x) for name, x in zip(net.parameter_names, vector) if x}
            for vector in search.unexplained(known)
        )
    return FunctionalDimension(
        net, patterns, free, search.rank, tuple(search.witnesses), symmetries, explained, unexplained, upper
    )


def known_tangent_vectors(
    symmetries: Sequence[LocalSymmetry], count: int, free: Sequence[int]
) -> list[tuple[Rational, ...]]:
    """Return vectors that span the known symmetries' tangent vectors with entries at free positions only."""
    vectors = [_dense(vector, count) for symmetry in symmetries for vector in symmetry.vectors]
    fixed = sorted(set(range(count)) - set(free))
    moving = [vector for vector in vectors if any(vector[k] for k in fixed)]
    result = [vector for vector in vectors if not any(vector[k] for k in fixed)]
    combinations = Matrix([[vector[k] for vector in moving] for k in fixed], len(moving)).nullspace()
    return result + list((combinations @ Matrix(moving, count)).rows)


class _Search:
    """The search for independent gradients among all cells."""

    def __init__(self, gradients: Gradients, patterns: Sequence[ActivationPattern], free: Sequence[int]) -> None:
        self.gradients, self.patterns = gradients, patterns
        self.free = list(free)
        self.kept = IndependentRows(len(self.free))
        self.witnesses: list[Witness] = []

    @property
    def rank(self) -> int:
        """How many independent rows have been found."""
        return len(self.witnesses)

    def extend(self, target: int) -> None:
        """Look at cell after cell until ``target`` independent rows are found, or at all cells."""
        order = list(self.patterns)
        random.Random(_SEED).shuffle(order)
        per_cell = self.gradients.outputs * (self.gradients.space + 1)
        size = max(_BATCH, len(self.free) // per_cell)
        for start in range(0, len(order), size):
            if self.rank == target:
                return
            self._look_at(order[start : start + size])

    def _look_at(self, patterns: Sequence[ActivationPattern]) -> None:
        width = self.gradients.space + 1
        rows, names = [], []
        for pattern in patterns:
            for number, row in enumerate(self.gradients.rows(pattern)):
                rows.append([row[k] for k in self.free])
                names.append((pattern, *divmod(number, width)))
        self.witnesses += [names[index] for index in self.kept.extend(rows)]

    def unexplained(self, known: Sequence[Sequence[Rational]]) -> list[tuple[Rational, ...]]:
        """Return a basis of the common nullspace of all gradients modulo the known vectors.

        A vector of the independent rows' nullspace that changes some coefficient shows a row that is independent over
        ℚ although it was not modulo the prime; it joins them.
        """
        count = self.gradients.network.parameter_count
        while True:
            kernel = [
                _dense(dict(zip(self.free, vector)), count)
                for vector in Matrix(self.kept.rows, len(self.free)).nullspace().rows
            ]
            # Short vectors first: they say the most.
            kernel.sort(key=lambda vector: sum(1 for x in vector if x))
            span = IndependentRows(count)
            span.extend([_integers(vector) for vector in known])
            fresh = [kernel[index] for index in span.extend([_integers(vector) for vector in kernel])]
            changing = _first_change(self.gradients, self.patterns, fresh)
            if changing is None and len(fresh) == len(self.free) - self.rank - Matrix(known, count).rank():
                return fresh
            assert changing is not None, "independent modulo a prime, but not over the rationals"
            self._add_exactly(changing)

    def _add_exactly(self, pattern: ActivationPattern) -> None:
        for number, row in enumerate(self.gradients.rows(pattern)):
            chosen = [row[k] for k in self.free]
            if Matrix([*self.kept.rows, chosen], len(self.free)).rank() > self.rank:
                self.kept.rows.append(chosen)
                self.witnesses.append((pattern, *divmod(number, self.gradients.space + 1)))


def _first_change(
    gradients: Gradients, patterns: Sequence[ActivationPattern], vectors: Sequence[Sequence[Rational]]
) -> ActivationPattern | None:
    """Return the first cell with a coefficient that some vector changes to first order, ``None`` if there is none."""
    if not vectors:
        return None
    columns = IntegerTable([_integers(vector) for vector in vectors]).transpose()
    for pattern in patterns:
        if not (IntegerTable(gradients.rows(pattern)) @ columns).is_zero():
            return pattern
    return None


def _integers(vector: Sequence[Rational]) -> list[int]:
    return list(map(int, primitive_integers(vector)))


def _dense(vector: TangentVector, length: int) -> tuple[Rational, ...]:
    return tuple(vector.get(position, ZERO) for position in range(length))
