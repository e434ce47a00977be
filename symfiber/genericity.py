"""The genericity hypotheses of THEORY §2: each proved, refuted with the offending mask, or undecided with its coverage.

Why minors: supertransversality asks for the rank of every submatrix of [W₂|b₂].  All of them are as large as they can
be exactly when *every square minor of [W₂|b₂] is nonzero*: a square submatrix of full rank is a nonzero minor, and a
rectangular one contains a square one of the smaller size.  Minors of size t follow from those of size t − 1 by one
Laplace expansion, and the first that vanishes names the smallest offending face.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Literal

from symfiber.errors import UnsupportedError
from symfiber.exact import Matrix, dot, primitive_integers
from symfiber.network import Network

Status = Literal["proved", "refuted", "undecided"]

DEFAULT_LIMIT = 20_000
"""How many masked products (rank computations) and minors are looked at before giving up."""


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
        The offending mask when refuted: second-layer neurons T, and first-layer neurons S (for G3 the index n₁ stands
        for the bias column).
    coverage : str
        What was covered when undecided; what fails when refuted.
    """

    name: str
    statement: str
    status: Status
    neurons: tuple[int, ...] | None = None
    inputs: tuple[int, ...] | None = None
    coverage: str = ""

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

    def __str__(self) -> str:
        return "\n".join(map(str, self.hypotheses))


def check_generic(net: Network, limit: int = DEFAULT_LIMIT) -> GenericityReport:
    r"""Check rank W₁ = n₁ (G1), masked products (G2) and supertransversality (G3) of a two-hidden-layer network.

    G2: rank(W₃ D_T W₂ D_S) = min(m, |T|, |S|) for all masks S ⊆ [n₁], T ⊆ [n₂].
    G3: rank W₂[T,S] = min(|T|, |S|) and rank [W₂[T,S] | b₂[T]] = min(|T|, |S| + 1) for all S, T.

    Parameters
    ----------
    net : Network of numbers with two hidden layers
    limit : int
        Bound on the number of masked products and of minors looked at; small masks first.

    Returns
    -------
    GenericityReport
        Every outcome is proved; "undecided" says what was covered.

    Raises
    ------
    UnsupportedError
        For another depth or symbolic entries.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1]], [1, 1]), ([[1, 2], [2, 4]], [-1, -3]), ([[1, 1]], [0])])
    >>> report = check_generic(net)
    >>> report.status, report.failures()[0].name, report.failures()[0].neurons
    ('refuted', 'G3', (0, 1))
    """
    if len(net.hidden_widths) != 2 or net.is_symbolic:
        raise UnsupportedError(
            "genericity is checked for networks of numbers with two hidden layers, "
            f"got architecture {net.architecture}{' with symbols' if net.is_symbolic else ''}"
        )
    return GenericityReport((_full_rank(net), _masked_products(net, limit), _supertransversality(net, limit)))


def _full_rank(net: Network) -> Hypothesis:
    width, rank = net.hidden_widths[0], net.weight_matrix(1).rank()
    statement = "rank W1 = n1"
    if rank == width:
        return Hypothesis("G1", statement, "proved")
    return Hypothesis("G1", statement, "refuted", coverage=f"rank W1 is {rank}, n1 is {width}")


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
                    return Hypothesis(
                        "G2", statement, "refuted", T, S, f"rank {rank} instead of {needed} for T = {T}, S = {S}"
                    )
    return Hypothesis("G2", statement, "proved")


def _supertransversality(net: Network, limit: int) -> Hypothesis:
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
                    return Hypothesis("G3", statement, "refuted", T, S, _minor_text(T, S, width - 1))
                larger[T, S] = value
        minors = larger
    return Hypothesis("G3", statement, "proved")


def _minor_text(T: tuple[int, ...], S: tuple[int, ...], bias: int) -> str:
    columns = ", ".join("bias" if s == bias else str(s) for s in S)
    if len(T) == 1:
        return f"neuron {T[0]} of layer 2 has a zero {'bias' if S[0] == bias else f'weight from neuron {S[0]}'}"
    return f"the minor of rows {T} and columns ({columns}) vanishes"
