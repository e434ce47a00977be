"""Proofs of f∘g = f for symbolic parameters, cell by cell.

A generator g maps parameters to parameters.  To prove that it keeps the function for *all* parameters of a sign
pattern, it is applied to a network whose entries are indeterminates.  On the cell with activation pattern P of the base
network, the image network has a pattern P′ that the sign pattern determines; the two affine maps are compared
coefficient by coefficient, as polynomials.  Where a generator divides, the indeterminates are chosen so that the
division is exact (a weight that is divided by t is written t·v): that covers all parameters because the divisor is
never zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from symfiber.errors import LimitExceededError, VerificationError
from symfiber.exact import Polynomial, PolynomialRing, dot
from symfiber.network import ActivationPattern, Network

CELL_LIMIT = 4096


@dataclass(frozen=True, slots=True)
class InvarianceProof:
    """The outcome of a symbolic proof: which map, on which parameters, and how many identities were compared.

    Attributes
    ----------
    statement : str
    cells : int
        The number of pairs of activation patterns.
    identities : int
        The number of polynomial coefficients compared.
    """

    statement: str
    cells: int
    identities: int

    def __str__(self) -> str:
        return f"{self.statement}: {self.identities} polynomial identities on {self.cells} cells"


def compare_cells(
    statement: str,
    base: Network,
    image: Network,
    patterns: Iterable[tuple[ActivationPattern, ActivationPattern]],
    defect: Callable[[ActivationPattern], tuple[Sequence[Sequence[Any]], Sequence[Any]]] | None = None,
) -> InvarianceProof:
    """Compare the affine maps of base and image on all given pattern pairs, as polynomials.

    Parameters
    ----------
    defect : callable, optional
        Returns (matrix, vector) of polynomials in the ideal of relations between the parameters of base and image,
        written with explicit cofactors; the identity must hold after adding them to the base.

    Raises
    ------
    VerificationError
        When one coefficient differs.
    """
    cells = identities = 0
    for before, after in patterns:
        cells += 1
        alpha, beta = base.affine_map(before)
        target_alpha, target_beta = image.affine_map(after)
        extra = defect(before) if defect else None
        for o, (row, target_row) in enumerate(zip(alpha, target_alpha)):
            pairs = [*zip(row, target_row), (beta[o], target_beta[o])]
            corrections = [*extra[0][o], extra[1][o]] if extra else [0] * len(pairs)
            for (left, right), correction in zip(pairs, corrections):
                identities += 1
                if left + correction != right:
                    raise VerificationError(f"{statement}: coefficients differ on the cell {before}")
    return InvarianceProof(statement, cells, identities)


def symbolic_network(architecture: Sequence[int], extra: Sequence[str] = ()) -> tuple[Network, list[Polynomial]]:
    """Return the network of indeterminates, over a ring with extra indeterminates, and the latter."""
    plain = Network.symbolic(architecture)
    assert plain.ring is not None
    if not extra:
        return plain, []
    ring = PolynomialRing((*plain.ring.names, *extra))
    layers = [
        (tuple(tuple(ring.embed(x) for x in row) for row in weight), tuple(ring.embed(x) for x in bias))
        for weight, bias in plain.scalar_layers
    ]
    return Network(layers, ring.names), [ring.generator(name) for name in extra]


def all_patterns(widths: Sequence[int], limit: int = CELL_LIMIT) -> Iterator[ActivationPattern]:
    """Yield every activation pattern; raise :class:`LimitExceededError` when there are too many."""
    total = 1 << sum(widths)
    if total > limit:
        raise LimitExceededError(
            f"a symbolic proof for hidden widths {tuple(widths)} needs {total} cells, the limit is {limit}; "
            "prove the same generator on a smaller architecture",
            {"cells": total},
        )
    return _patterns(widths)


def _patterns(widths: Sequence[int]) -> Iterator[ActivationPattern]:
    layers = [list(product((False, True), repeat=width)) for width in widths]
    return (tuple(choice) for choice in product(*layers))


def relation_defect(
    relation: Sequence[Sequence[Polynomial]], first_layer: tuple[Any, Any]
) -> Callable[[ActivationPattern], tuple[list[list[Any]], list[Any]]]:
    """Return the defect R·D_S·(W₁x + b₁) of a relation matrix R (m × n₁) that vanishes on the parameters."""
    weight, bias = first_layer

    def defect(pattern: ActivationPattern) -> tuple[list[list[Any]], list[Any]]:
        active = [i for i, on in enumerate(pattern[0]) if on]
        matrix = [
            [dot((row[i] for i in active), (weight[i][q] for i in active)) for q in range(len(weight[0]))]
            for row in relation
        ]
        return matrix, [dot((row[i] for i in active), (bias[i] for i in active)) for row in relation]

    return defect
