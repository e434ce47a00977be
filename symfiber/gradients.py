"""The gradients of all coefficients of a network on a cell, as integer vectors.

On a cell f_o(x) = Σ_q α_oq(θ) x_q + β_o(θ).  With the masked products F_l = D_l W_l ⋯ D_1 W_1 and
B_l = W_L D_{L−1} ⋯ W_{l+1} D_l, the gradient of α_oq in W_l is the outer product of row o of B_l and column q of
F_{l−1}; the one of β_o uses the constant part of F_{l−1}, and row o of B_l for the bias b_l.

Layer l times the least common denominator s_l of its parameters is integer.  So is every gradient times Π_l s_l, the
same factor for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from operator import mul

from symfiber.exact import IntegerTable
from symfiber.network import ActivationPattern, Network


class Gradients:
    """The coefficient gradients of a network of numbers, cell by cell.

    Parameters
    ----------
    net : Network
    """

    def __init__(self, net: Network) -> None:
        self.network = net
        self.space, self.outputs = net.architecture[0], net.architecture[-1]
        scaled = [IntegerTable.of([(*w, b) for w, b in zip(*layer)]) for layer in net.scalar_layers]
        self._layers = [table for table, _ in scaled]
        self._weights = [IntegerTable([row[:-1] for row in table.rows()]) for table in self._layers]
        self._factors = [factor for _, factor in scaled]
        self._before = [1, *accumulate(self._factors, mul)]

    def inputs(self, pattern: ActivationPattern) -> list[IntegerTable]:
        """Return for every layer its inputs as affine forms, the constant 1 last, all times one factor a layer.

        A shorter pattern gives the layers that it reaches.
        """
        d = self.space
        table = IntegerTable([[int(q == k) for k in range(d + 1)] for q in range(d + 1)])
        result = [table]
        for number, active in enumerate(pattern):
            one = [0] * d + [self._before[number + 1]]
            table = (self._layers[number] @ table).masked(active, one)
            result.append(table)
        return result

    def derivatives(self, pattern: ActivationPattern) -> list[IntegerTable]:
        """Return for every layer the derivatives B of all outputs (rows) by its preactivations, one factor a layer."""
        m = self.outputs
        table = IntegerTable([[int(o == k) for k in range(m)] for o in range(m)])
        result = [table]
        for number in range(len(pattern) - 1, -1, -1):
            table = (table @ self._weights[number + 1]).masked_columns(pattern[number])
            result.append(table)
        return result[::-1]

    def rows(self, pattern: ActivationPattern) -> list[list[int]]:
        """Return the gradients of α_o1, …, α_od, β_o for every output o, times a positive integer common to all cells.

        Cost: m·(d + 1)·N products.
        """
        forward = [table.columns() for table in self.inputs(pattern)]
        backward = [table.rows() for table in self.derivatives(pattern)]
        result = []
        for o in range(self.outputs):
            for q in range(self.space + 1):
                gradient: list[int] = []
                for columns, derivatives, factor in zip(forward, backward, self._factors):
                    *column, constant = columns[q]
                    scaled = [factor * b for b in derivatives[o]]
                    for b in scaled:
                        gradient += [b * x for x in column] if b else [0] * len(column)
                    gradient += [b * constant for b in scaled] if constant else [0] * len(scaled)
                result.append(gradient)
        return result


def positions(architecture: Sequence[int], layers: Sequence[int]) -> list[int]:
    """Return the positions of the parameters of some layers (one-based) in the flat parameter vector."""
    result: list[int] = []
    start = 0
    for number, (before, after) in enumerate(pairwise(architecture), start=1):
        end = start + (before + 1) * after
        if number in layers:
            result += range(start, end)
        start = end
    return result
