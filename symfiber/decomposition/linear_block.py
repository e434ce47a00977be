"""The linear and dead neurons of a fiber component: {(C, A) : C·A = M, A ≥ 0} and its dimension (THEORY §1).

f neurons are free.  In the *stratum* r of them are linear, with rows A ≥ 0 and columns C, and f − r are dead.  Inside a
stratum the piece with rank C = p has dimension (p−ρ)(m−p) + rp + (r−p)n for (C, A), plus r biases, plus (n+1+m) for
every dead neuron.

The maximum over all (r, p) has a closed form.  One more linear neuron at the same p changes the sum by p − m ≤ 0, so r
is the least possible: p when M is pointed, p + 1 when not.  With that r, one more p changes it by ρ − n ≤ 0 when
pointed and by ρ − n + 1 when not, where ρ ≤ n − 1 because n independent columns are pointed.  So p = ρ is optimal and

    dim = ρ² + ρ + (f − ρ)(n + 1 + m)  −  (0 if pointed else m − ρ).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from symfiber.column_rank import NonnegativeColumnRank
from symfiber.decomposition.charts import Ambient, ChartBuilder
from symfiber.errors import LimitExceededError
from symfiber.exact import ONE, ZERO, Matrix, Polynomial, Rational, dot

Fraction2 = tuple[Polynomial | Rational, Polynomial | Rational]

_LARGEST_ADJUGATE = 5


@dataclass(frozen=True, slots=True)
class LinearBlock:
    """f free neurons whose linear ones must sum to slope M: all strata, dimensions, equations and charts.

    Attributes
    ----------
    slope : NonnegativeColumnRank
        M (m × n) with its certificates; feasible iff ``slope.value <= free``.
    constant : tuple
        v, with e′ + Σ_lin c′_q b′_q = v.
    positions : tuple of int
        The indices of the free neurons in layer 2; in the stratum r the first r of them are linear.
    """

    slope: NonnegativeColumnRank
    constant: tuple[Rational, ...]
    positions: tuple[int, ...]

    @property
    def free(self) -> int:
        """f, the number of free neurons."""
        return len(self.positions)

    @property
    def linear_counts(self) -> range:
        """The possible numbers r of linear neurons."""
        return range(self.slope.value, self.free + 1)

    @property
    def strata(self) -> tuple[tuple[int, int], ...]:
        """All (r, p): p = rank C, p = r only if M is pointed."""
        m = self.slope.matrix.row_count
        return tuple(
            (r, p)
            for r in self.linear_counts
            for p in range(self.slope.rank, min(m, r) + 1)
            if p < r or self.slope.pointed
        )

    def stratum_dimension(self, r: int, p: int) -> int:
        """Return the dimension of the stratum with r linear neurons and rank C = p."""
        m, n = self.slope.matrix.shape
        rho = self.slope.rank
        return (p - rho) * (m - p) + r * p + (r - p) * n + r + (self.free - r) * (n + 1 + m)

    @property
    def top_stratum(self) -> tuple[int, int]:
        """A stratum (r, p) of the largest dimension: r = rank⁺(M), p = ρ."""
        return self.slope.value, self.slope.rank

    @property
    def dimension(self) -> int:
        """The largest dimension of a stratum, in closed form."""
        m, n = self.slope.matrix.shape
        rho = self.slope.rank
        return rho * (rho + 1) + (self.free - rho) * (n + 1 + m) - (0 if self.slope.pointed else m - rho)

    def local_dimension(self, C: Matrix, A: Matrix) -> int:
        """Return the dimension of {C·A = M} × biases × dead neurons near a point with all entries of A > 0.

        With p = rank C and a = rank A, the strata whose closure contains the point are those with
        p ≤ p′ ≤ min(m, ρ + r − a): C can be changed freely off the image of A (rank C rises to ρ + min(m − ρ, r − a)),
        and rank A′ ≤ r − p′ + ρ holds on stratum p′ while the rank of A cannot drop nearby.
        """
        m, _ = self.slope.matrix.shape
        r = A.row_count
        highest = min(m, self.slope.rank + r - A.rank())
        return max(self.stratum_dimension(r, p) for p in range(C.rank(), highest + 1))


def linear_block_conditions(
    ambient: Ambient,
    positions: Sequence[int],
    slope: Sequence[Sequence[Any]],
    constant: Sequence[Any],
    r: int,
    scale: Sequence[tuple[Polynomial, Any]],
) -> tuple[list[Polynomial], list[Polynomial]]:
    """Return (equations for C·A = M and the constant, nonnegative polynomials): the first r free neurons are linear.

    ``scale`` holds λ_i as (numerator, denominator): the row in the base network's coordinates is w′_i λ_i.  The entries
    of M = ``slope`` and v = ``constant`` are numbers, or polynomials in base symbols.
    """
    linear, dead = positions[:r], positions[r:]
    equations = []
    for o, row in enumerate(slope):
        for i, (top, bottom) in enumerate(scale):
            total = sum((ambient.W3[o][q] * ambient.W2[q][i] for q in linear), ambient.ring.constant(0))
            equations.append(total * top - row[i] * bottom)
        shift = sum((ambient.W3[o][q] * ambient.b2[q] for q in linear), ambient.b3[o])
        equations.append(shift - constant[o])
    nonnegative = [x for q in linear for x in (*ambient.W2[q], ambient.b2[q])]
    nonnegative += [-x for q in dead for x in (*ambient.W2[q], ambient.b2[q])]
    return equations, nonnegative


class LinearBlockChart:
    """The chart of one stratum (r, p): all (C, A, biases, dead neurons) of it, up to renumbering the linear neurons.

    With M = L·R a rank factorisation, p columns of C are independent, say the first: C_I = [L|Q]·g with g ∈ GL_p, the
    others are C_I·H; then A_I = g⁻¹[R; 0] − H·Y with Y ≥ 0 the rows of the other neurons.
    """

    def __init__(self, builder: ChartBuilder, block: LinearBlock, r: int, p: int) -> None:
        self.builder, self.block, self.r, self.p = builder, block, r, p
        if p > _LARGEST_ADJUGATE:
            raise LimitExceededError(
                f"a parametrisation with explicit {p} × {p} inverses is too long, the limit is {_LARGEST_ADJUGATE}"
            )
        m, n = block.slope.matrix.shape
        rho = block.slope.rank
        g, h, y = self._sample(m, n)
        declare = builder.declare
        self.g = [[declare(f"g_{a}_{b}", g.rows[a][b]) for b in range(p)] for a in range(p)]
        self.q = [[declare(f"q_{o}_{a}") for a in range(p - rho)] for o in range(m)]
        self.h = [[declare(f"h_{a}_{b}", h.rows[a][b]) for b in range(r - p)] for a in range(p)]
        self.y = [[declare(f"y_{a}_{i}", y.rows[a][i], "nonnegative") for i in range(n)] for a in range(r - p)]
        self.biases = [declare(f"beta_{a}", None, "nonnegative") for a in range(r)]
        dead = range(block.free - r)
        self.dead_rows = [[declare(f"dw_{a}_{i}", None, "nonpositive") for i in range(n)] for a in dead]
        self.dead_biases = [declare(f"db_{a}", None, "nonpositive") for a in dead]
        self.dead_columns = [[declare(f"dc_{a}_{o}") for o in range(m)] for a in dead]

    def _sample(self, m: int, n: int) -> tuple[Matrix, Matrix, Matrix]:
        """Sample g, H, Y such that A_I = g⁻¹[R; 0] − H·Y > 0 (columns of M that are zero may stay zero if r = p)."""
        builder, slope, r, p = self.builder, self.block.slope, self.r, self.p
        extended = Matrix([*slope.right.rows, *([ZERO] * n for _ in range(p - slope.rank))], n)
        if r == p:
            inverse = self._simplicial_inverse(extended)
            return inverse.inverse(), Matrix.zero(p, 0), Matrix.zero(0, n)
        while True:
            g = Matrix([[builder.draw("free") for _ in range(p)] for _ in range(p)], p)
            if g.determinant():
                break
        h = Matrix([[builder.draw("nonpositive") for _ in range(r - p)] for _ in range(p)], r - p)
        y = Matrix([[builder.draw() for _ in range(n)] for _ in range(r - p)], n)
        start = g.inverse() @ extended
        pushed = h @ y
        factor = ONE
        while any(s - factor * t <= 0 for a, b in zip(start.rows, pushed.rows) for s, t in zip(a, b)):
            factor *= 2
        return g, h, Matrix([[x * factor for x in row] for row in y.rows], n)

    def _simplicial_inverse(self, extended: Matrix) -> Matrix:
        """A nonsingular matrix whose rows are near the half-space vector: it maps the pointed columns to A > 0."""
        slope, p, builder = self.block.slope, self.p, self.builder
        assert slope.half_space is not None
        # u·L pairs with the columns of R as u does with those of M.
        direction = [dot(slope.half_space, column) for column in slope.left.columns()] + [ZERO] * (p - slope.rank)
        columns = [column for column in extended.columns() if any(column)]
        noise = [[builder.draw("free") for _ in range(p)] for _ in range(p)]
        size = ONE
        while True:
            rows = [[d + size * x for d, x in zip(direction, row)] for row in noise]
            candidate = Matrix(rows, p)
            if candidate.determinant() and all(dot(row, c) > 0 for row in rows for c in columns):
                scale = [builder.draw() for _ in range(p)]
                return Matrix([[s * x for x in row] for s, row in zip(scale, rows)], p)
            size /= 2
            noise = [[x + builder.draw("free") / 64 for x in row] for row in noise]

    def neurons(self) -> list[tuple[list[Fraction2], Fraction2, list[Fraction2]]]:
        """Return (row, bias, column) of every free neuron as (numerator, denominator) pairs, base coordinates.

        Adds det g ≠ 0 and A ≥ 0 to the domain of the chart.
        """
        builder, p, r = self.builder, self.p, self.r
        m, n = self.block.slope.matrix.shape
        left, right = self.block.slope.left, self.block.slope.right
        one = builder.ring.constant(1)
        g = [[builder[name] for name in row] for row in self.g]
        h = [[builder[name] for name in row] for row in self.h]
        y = [[builder[name] for name in row] for row in self.y]
        q = [[builder[name] for name in row] for row in self.q]
        determinant, adjugate = _adjugate(g, one)
        if p:
            builder.require_positive(determinant * determinant)
        spanning = [[*(one * x for x in left.rows[o]), *q[o]] for o in range(m)]
        first = [[dot(spanning[o], (g[a][b] for a in range(p))) for b in range(p)] for o in range(m)]
        rest = [[dot(first[o], (h[a][b] for a in range(p))) for b in range(r - p)] for o in range(m)]
        zero = one - 1
        neurons: list[tuple[list[Fraction2], Fraction2, list[Fraction2]]] = []
        for a in range(p):
            row: list[Fraction2] = []
            for i in range(n):
                solved = dot(adjugate[a], (x[i] for x in right.rows)) + zero
                numerator = solved - determinant * dot(h[a], (line[i] for line in y))
                builder.require_nonnegative(numerator * determinant)
                row.append((numerator, determinant))
            neurons.append((row, (builder[self.biases[a]], one), [(first[o][a] + zero, one) for o in range(m)]))
        for a in range(r - p):
            row = [(value, one) for value in y[a]]
            column: list[Fraction2] = [(rest[o][a] + zero, one) for o in range(m)]
            neurons.append((row, (builder[self.biases[p + a]], one), column))
        for names, bias, out in zip(self.dead_rows, self.dead_biases, self.dead_columns):
            neurons.append(([(builder[x], one) for x in names], (builder[bias], one), [(builder[x], one) for x in out]))
        return neurons


def _adjugate(g: list[list[Polynomial]], one: Polynomial) -> tuple[Polynomial, list[list[Polynomial]]]:
    """Return det g and adj g, with g·adj g = det g · identity."""
    size = len(g)
    indices = tuple(range(size))

    def minor(rows: tuple[int, ...], columns: tuple[int, ...]) -> Polynomial:
        total = one if not rows else one - 1
        for place, column in enumerate(columns if rows else ()):
            rest = columns[:place] + columns[place + 1 :]
            total = total + g[rows[0]][column] * minor(rows[1:], rest) * (-1) ** place
        return total

    def without(skipped: int) -> tuple[int, ...]:
        return indices[:skipped] + indices[skipped + 1 :]

    adjugate = [[minor(without(b), without(a)) * (-1) ** (a + b) for b in indices] for a in indices]
    return minor(indices, indices), adjugate
