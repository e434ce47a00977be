"""Genericity hypotheses: each proved, refuted with a witness a person can check, or undecided with its coverage.

For two hidden layers these are G1–G3 of THEORY §2.  Why minors: supertransversality asks for the rank of every
submatrix of [W₂|b₂].  All of them are as large as they can be exactly when *every square minor of [W₂|b₂] is nonzero*:
a square submatrix of full rank is a nonzero minor, and a rectangular one contains a square one of the smaller size.
Minors of size t follow from those of size t − 1 by one Laplace expansion, and the first that vanishes names the
smallest offending face.

For other depths the masks that occur are those of the cells, and supertransversality is asked of the complex itself:
every face of codimension k lies on the bent hyperplanes of exactly k neurons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Literal

from symfiber.cells import cells, pattern_text
from symfiber.complex import faces
from symfiber.errors import LimitExceededError, UnsupportedError
from symfiber.exact import Matrix, Rational, dot, primitive_integers, rational
from symfiber.network import Network, require_network

Status = Literal["proved", "refuted", "undecided"]

DEFAULT_LIMIT = 20_000
"""How many masked products (rank computations), minors, cells and faces are looked at before giving up."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One genericity hypothesis and what is known about it for one network.

    Attributes
    ----------
    name : str
        ``"G1"``, ``"G2"`` or ``"G3"``.
    statement : str
    status : "proved", "refuted" or "undecided"
    neurons, inputs : tuple of int or None
        The offending mask when refuted, for two hidden layers: second-layer neurons T, and first-layer neurons S (for
        G3 the index n₁ stands for the bias column).
    coverage : str
        What was covered when undecided; what fails when refuted.
    matrix : Matrix or None
        The matrix whose rank is too small, when refuted.
    relation : tuple of rationals
        A nonzero row vector u with u·matrix = 0: the witness.
    point : tuple of rationals
        A point of the offending face or cell, for other depths.
    entries : tuple of (name, value)
        The network's entries in that matrix.
    """

    name: str
    statement: str
    status: Status
    neurons: tuple[int, ...] | None = None
    inputs: tuple[int, ...] | None = None
    coverage: str = ""
    matrix: Matrix | None = None
    relation: tuple[Rational, ...] = ()
    point: tuple[Rational, ...] = ()
    entries: tuple[tuple[str, Rational], ...] = ()

    def explain(self) -> str:
        """Return the hypothesis with its witness: the entries involved and the relation that they satisfy."""
        lines = [str(self)]
        if self.entries:
            lines.append("  entries " + ", ".join(f"{name} = {value}" for name, value in self.entries))
        if self.matrix is not None:
            rows = " + ".join(f"({u})*({', '.join(map(str, row))})" for u, row in zip(self.relation, self.matrix.rows))
            lines.append(f"  relation {rows} = 0")
        if self.point:
            lines.append(f"  at the point ({', '.join(map(str, self.point))})")
        return "\n".join(lines)

    def __str__(self) -> str:
        detail = f" ({self.coverage})" if self.coverage else ""
        return f"{self.name}, {self.statement}: {self.status}{detail}"


@dataclass(frozen=True, slots=True)
class GenericityReport:
    """The outcome of :func:`check_generic`."""

    hypotheses: tuple[Hypothesis, ...]

    @property
    def status(self) -> Status:
        """ "refuted" when one hypothesis fails, "proved" when all hold, "undecided" otherwise."""
        statuses = {hypothesis.status for hypothesis in self.hypotheses}
        if "refuted" in statuses:
            return "refuted"
        return "undecided" if "undecided" in statuses else "proved"

    def failures(self) -> tuple[Hypothesis, ...]:
        """Return the refuted hypotheses."""
        return tuple(h for h in self.hypotheses if h.status == "refuted")

    def explain(self) -> str:
        """Return all hypotheses with their witnesses."""
        return "\n".join(h.explain() for h in self.hypotheses)

    def __str__(self) -> str:
        return "\n".join(map(str, self.hypotheses))


def check_generic(net: Network, limit: int = DEFAULT_LIMIT) -> GenericityReport:
    r"""Check whether the parameters of a network are generic, hypothesis by hypothesis.

    Two hidden layers: G1, rank W₁ = n₁; G2, rank(W₃ D_T W₂ D_S) = min(m, |T|, |S|) for all masks S ⊆ [n₁], T ⊆ [n₂];
    G3, rank W₂[T,S] = min(|T|, |S|) and rank [W₂[T,S] | b₂[T]] = min(|T|, |S| + 1) for all S, T.

    Other depths: G1, rank W₁ = min(d, n₁); G2, on every cell the Jacobian has rank min(d, active neurons of a layer,
    m); G3, every face of codimension k lies on the bent hyperplanes of exactly k neurons.

    Parameters
    ----------
    net : Network of numbers
    limit : int
        Bound on the number of masked products and of minors looked at, small masks first; of cells, and of faces.

    Returns
    -------
    GenericityReport
        Every outcome is proved; "undecided" says what was covered, "refuted" has a witness.

    Raises
    ------
    UnsupportedError
        For symbolic entries.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1]], [1, 1]), ([[1, 2], [2, 4]], [-1, -3]), ([[1, 1]], [0])])
    >>> report = check_generic(net)
    >>> report.status, report.failures()[0].name, report.failures()[0].neurons
    ('refuted', 'G3', (0, 1))
    >>> print(report.failures()[0].explain())
    G3, every square minor of [W2|b2] is nonzero: refuted (the minor of rows (0, 1) and columns (0, 1) vanishes)
      entries W2_0_0 = 1, W2_0_1 = 2, W2_1_0 = 2, W2_1_1 = 4
      relation (-2)*(1, 2) + (1)*(2, 4) = 0
    """
    require_network(net, "check_generic", numbers=False)
    if net.is_symbolic:
        raise UnsupportedError(f"genericity is checked for networks of numbers, got symbols {net.ring!r}")
    if len(net.hidden_widths) == 2:
        return GenericityReport((_full_rank(net), _masked_products(net, limit), _minors(net, limit)))
    return GenericityReport((_full_rank(net), _cell_ranks(net, limit), _transversality(net, limit)))


def _refuted(name: str, statement: str, coverage: str, rows: Sequence[Sequence[Any]], **details: Any) -> Hypothesis:
    """A refuted hypothesis; the rows are dependent."""
    matrix = Matrix(rows)
    relation = tuple(map(rational, primitive_integers(matrix.transpose().nullspace().rows[0])))
    return Hypothesis(name, statement, "refuted", coverage=coverage, matrix=matrix, relation=relation, **details)


def _full_rank(net: Network) -> Hypothesis:
    weight, width = net.weight_matrix(1), net.hidden_widths[0] if net.hidden_widths else net.architecture[-1]
    two = len(net.hidden_widths) == 2
    needed = width if two else min(width, net.architecture[0])
    statement = "rank W1 = n1" if two else "rank W1 = min(d, n1)"
    if weight.rank() == needed:
        return Hypothesis("G1", statement, "proved")
    text = f"rank W1 is {weight.rank()}, {'n1' if needed == width else 'd'} is {needed}"
    if needed < width:  # more neurons than inputs: the columns are dependent
        columns = weight.columns()
        entries = tuple((f"W1_{i}_{q}", x) for q, column in enumerate(columns) for i, x in enumerate(column))
        return _refuted("G1", statement, text, columns, entries=entries)
    # The rows up to the first that depends on those before it.
    size = next(k for k in range(1, width + 1) if Matrix(weight.rows[:k]).rank() < k)
    entries = tuple((f"W1_{i}_{q}", x) for i, row in enumerate(weight.rows[:size]) for q, x in enumerate(row))
    return _refuted("G1", statement, text, weight.rows[:size], entries=entries)


def _masked_products(net: Network, limit: int) -> Hypothesis:
    statement = "rank(W3 D_T W2 D_S) = min(m, |T|, |S|) for all masks S, T"
    (_, n1, n2, m), (_, hidden, output) = net.architecture, net.scalar_layers
    columns = tuple(zip(*output.weight))
    tried = 0
    for size in range(1, n2 + 1):
        needed = min(m, size, n1)
        batch = comb(n2, size) * comb(n1, needed)
        if tried + batch > limit:
            return Hypothesis("G2", statement, "undecided", coverage=f"holds for all |T| < {size}")
        tried += batch
        for T in combinations(range(n2), size):
            product = [
                [dot((columns[j][o] for j in T), (hidden.weight[j][i] for j in T)) for o in range(m)] for i in range(n1)
            ]
            for S in combinations(range(n1), needed):
                # Columns of the product are the rows here: full rank of every ``needed`` of them is the statement.
                chosen = [product[i] for i in S]
                rank = int(any(chosen[0])) if needed == 1 else Matrix(chosen, m).rank()
                if rank < needed:
                    text = f"rank {rank} instead of {needed} for T = {T}, S = {S}"
                    entries = [(f"W3_{o}_{j}", columns[j][o]) for j in T for o in range(m)]
                    entries += [(f"W2_{j}_{i}", hidden.weight[j][i]) for j in T for i in S]
                    return _refuted("G2", statement, text, chosen, neurons=T, inputs=S, entries=tuple(entries))
    return Hypothesis("G2", statement, "proved")


def _minors(net: Network, limit: int) -> Hypothesis:
    statement = "every square minor of [W2|b2] is nonzero"
    layer = net.scalar_layers[1]
    rows = [primitive_integers([*w, b]) for w, b in zip(layer.weight, layer.bias)]
    n2, width = len(rows), len(rows[0])
    minors: dict[tuple[tuple[int, ...], tuple[int, ...]], Any] = {((), ()): 1}
    tried = 0
    for size in range(1, min(n2, width) + 1):
        batch = comb(n2, size) * comb(width, size)
        if tried + batch > limit:
            return Hypothesis("G3", statement, "undecided", coverage=f"holds for all minors of size < {size}")
        tried += batch
        larger = {}
        for T in combinations(range(n2), size):
            head, row = T[:-1], rows[T[-1]]
            for S in combinations(range(width), size):
                value = sum(
                    (-1) ** (size - 1 - place) * row[s] * minors[head, S[:place] + S[place + 1 :]]
                    for place, s in enumerate(S)
                )
                if value == 0:
                    return _vanishing_minor(net, statement, T, S)
                larger[T, S] = value
        minors = larger
    return Hypothesis("G3", statement, "proved")


def _vanishing_minor(net: Network, statement: str, T: tuple[int, ...], S: tuple[int, ...]) -> Hypothesis:
    layer = net.scalar_layers[1]
    bias = len(layer.weight[0])
    rows = [[layer.bias[t] if s == bias else layer.weight[t][s] for s in S] for t in T]
    entries = tuple((f"b2_{t}" if s == bias else f"W2_{t}_{s}", x) for t, row in zip(T, rows) for s, x in zip(S, row))
    columns = ", ".join("bias" if s == bias else str(s) for s in S)
    text = f"the minor of rows {T} and columns ({columns}) vanishes"
    if len(T) == 1:
        what = "bias" if S[0] == bias else f"weight from neuron {S[0]}"
        text = f"neuron {T[0]} of layer 2 has a zero {what}"
    return _refuted("G3", statement, text, rows, neurons=T, inputs=S, entries=entries)


def _cell_ranks(net: Network, limit: int) -> Hypothesis:
    statement = "on every cell the Jacobian has rank min(d, active neurons of a layer, m)"
    try:
        for cell in cells(net, limit=limit):
            weight, _ = net.affine_map(cell.activation_pattern)
            jacobian = Matrix(weight, net.architecture[0])
            needed = min(net.architecture[0], net.architecture[-1], *map(sum, cell.activation_pattern))
            if jacobian.rank() < needed:
                text = f"rank {jacobian.rank()} instead of {needed} on the cell {pattern_text(cell.activation_pattern)}"
                rows = weight if len(weight) <= len(weight[0]) else tuple(zip(*weight))
                return _refuted("G2", statement, text, rows, point=tuple(map(rational, cell.interior_point)))
    except LimitExceededError:
        return Hypothesis("G2", statement, "undecided", coverage=f"holds on the first {limit} cells")
    return Hypothesis("G2", statement, "proved")


def _transversality(net: Network, limit: int) -> Hypothesis:
    statement = "every face of codimension k lies on the bent hyperplanes of exactly k neurons"
    d = net.architecture[0]
    try:
        for face in faces(net, limit=limit):
            if len(face.neurons) > d - face.dimension:
                names = ", ".join(f"{i} of layer {layer}" for layer, i in face.neurons)
                text = f"a face of dimension {face.dimension} lies on those of neurons {names}"
                point = tuple(map(rational, face.relative_interior_point))
                return Hypothesis("G3", statement, "refuted", coverage=text, point=point)
    except LimitExceededError:
        return Hypothesis("G3", statement, "undecided", coverage=f"holds on the first {limit} faces")
    return Hypothesis("G3", statement, "proved")
