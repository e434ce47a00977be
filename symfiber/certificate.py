"""Certificates: proofs as self-contained JSON that ``checker.py`` verifies by arithmetic alone.

Why this way: the writer may use everything that symfiber knows; the reader gets the networks, the moves and the
multipliers, and nothing else to believe.  The format and its soundness are described in docs/concepts/certificates.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symfiber import checker
from symfiber.column_rank import NonnegativeColumnRank
from symfiber.equivalence.cell_search import CellTree
from symfiber.equivalence.decide import Equivalence, decide_equivalence
from symfiber.errors import InputError, UnsupportedError, VerificationError
from symfiber.exact import ZERO, Matrix, Rational, dot, rational, shorten, to_text
from symfiber.network import Network
from symfiber.orthant import hyperplane_key
from symfiber.reduction import step_to_json
from symfiber.sources.json_format import network_to_dict
from symfiber.sources.writing import write_atomically

if TYPE_CHECKING:
    from symfiber.decomposition import Fiber


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """A proof as JSON data.

    Attributes
    ----------
    data : dict
        The JSON object, ``"format": "symfiber-certificate/1"``.

    Examples
    --------
    >>> net = Network([([[2]], [1]), ([[3]], [0])])
    >>> proof = decide_equivalence(net, Network([([[1]], ["1/2"]), ([[6]], [0])])).certificate
    >>> proof.claim, proof.verify()
    ('equal', True)
    """

    data: dict[str, Any]

    @property
    def claim(self) -> str:
        """What is claimed: "equal", "different", "nonnegative column rank", or "all" for several claims."""
        return str(self.data["claim"])

    def verify(self) -> bool:
        """Check the proof with the independent checker; True, or :class:`VerificationError` saying what fails."""
        try:
            checker.check(self.data)
        except checker.Refusal as refusal:
            raise VerificationError(f"the certificate does not check: {refusal.args[0]}") from None
        return True

    @property
    def statement(self) -> str:
        """What the checker says is proved.

        Raises
        ------
        VerificationError
            When nothing is.
        """
        try:
            return checker.check(self.data)
        except checker.Refusal as refusal:
            raise VerificationError(f"the certificate does not check: {refusal.args[0]}") from None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return self.data

    def save(self, path: Any) -> None:
        """Write the certificate as JSON; the file appears complete or not at all."""
        write_atomically(path, json.dumps(self.data) + "\n")

    @classmethod
    def load(cls, path: Any) -> Certificate:
        """Read a certificate, without checking its proof.

        Raises
        ------
        InputError
            When the file is not JSON or not a certificate of this version.
        """
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"certificate {str(path)!r} must be a readable JSON file: {error}") from None
        if not isinstance(data, dict) or data.get("format") != checker.FORMAT or "claim" not in data:
            version = shorten(data.get("format") if isinstance(data, dict) else data)
            raise InputError(f'certificate {str(path)!r} must have format "{checker.FORMAT}", got {version}')
        return cls(data)

    def __repr__(self) -> str:
        parts = f", {len(self.data['parts'])} parts" if "parts" in self.data else ""
        return f"<Certificate: {self.claim}{parts}>"


def equivalence_certificate(result: Equivalence) -> Certificate:
    """Return the certificate of an answer of ``decide_equivalence``."""
    return Certificate({"format": checker.FORMAT, **_equivalence_part(result)})


def column_rank_certificate(result: NonnegativeColumnRank) -> Certificate:
    """Return the certificate of a nonnegative column rank.

    rank M ≤ ρ by M = left·right, rank M ≥ ρ by before·M·after = 1 (ρ × ρ); the columns are pointed by a half-space, or
    not by a nonnegative relation.

    Examples
    --------
    >>> from symfiber import nonnegative_column_rank
    >>> column_rank_certificate(nonnegative_column_rank([[1, -1], [2, 0]])).statement
    'the nonnegative column rank is 2'
    """
    return Certificate({"format": checker.FORMAT, **_column_rank_part(result)})


def fiber_certificate(fiber: Fiber, limit: int = 64) -> Certificate:
    """Return proofs about a fiber: a member of each component (the first ``limit`` of them) and why it is one.

    For every component, "equal" parts prove that a sample computes the same function as the network, and their matches
    show how its rows are oriented relative to the network's: the label of the component.  So generators lead from each
    of these components to any other.  When nothing is hidden, a part for the nonnegative column rank of each slope M_s
    shows how many linear neurons the component needs.
    """
    parts: list[dict[str, Any]] = []
    for index, component in enumerate(fiber.components):
        if index == limit:
            break
        parts.append(_member_part(fiber.network, component.sample(0)))
        if fiber.case == "visible":
            parts.append(_column_rank_part(component.case.block(component.label).slope))
    return Certificate({"format": checker.FORMAT, "claim": "all", "parts": parts})


def membership_certificate(base: Network, member: Network) -> Certificate:
    """Return a proof that ``member`` computes the same function as ``base``, with the orientations of its rows.

    Raises
    ------
    InputError
        When it does not.
    """
    return Certificate({"format": checker.FORMAT, **_member_part(base, member)})


def _member_part(base: Network, member: Network) -> dict[str, Any]:
    result = decide_equivalence(base, member)
    if not result.equivalent:
        raise InputError(f"member must compute the same function as base, but {result.explanation}")
    matches = [[number, i, k, to_text(q)] for number, i, k, q in row_matches(base, member)]
    return {**_equivalence_part(result), "matches": matches}


def row_matches(base: Network, member: Network) -> Iterable[tuple[int, int, int, Rational]]:
    """Yield (layer, i, k, q) with row k of the member = q times row i of the base, for hidden layers 1 and 2.

    Rows of layer 2 count as functions of x where all of layer 1 is active, [w_j·W₁ | w_j·b₁ + b_j].  Rows that have no
    partner, or more than one, are left out.
    """
    for layer in range(1, min(len(base.hidden_widths), len(member.hidden_widths), 2) + 1):
        places: dict[tuple[Rational, ...], list[int]] = {}
        rows, others = _rows(base, layer), _rows(member, layer)
        for k, row in enumerate(others):
            if any(row):
                places.setdefault(hyperplane_key(row), []).append(k)
        keys = [hyperplane_key(row) for row in rows]
        for i, (key, row) in enumerate(zip(keys, rows)):
            found = places.get(key, ())
            if len(found) == 1 and keys.count(key) == 1 and any(row):
                pivot = next(t for t, x in enumerate(row) if x)
                yield layer, i, found[0], others[found[0]][pivot] / row[pivot]


def _rows(net: Network, layer: int) -> list[tuple[Rational, ...]]:
    first, *rest = net.scalar_layers[:layer]
    rows = [(*w, b) for w, b in zip(*first)]
    if not rest:
        return rows
    result = []
    for w, b in zip(*rest[0]):
        *slope, constant = (dot(w, (row[q] for row in rows)) for q in range(len(rows[0])))
        result.append((*slope, constant + b))
    return result


def _equivalence_part(result: Equivalence) -> dict[str, Any]:
    nets = {"a": network_to_dict(result.a), "b": network_to_dict(result.b)}
    if result.witness is not None:
        return {"claim": "different", **nets, "point": [to_text(rational(x)) for x in result.witness]}
    proof = result.proof
    if proof is None:
        raise UnsupportedError('an equality that rests on z3\'s word has no certificate, use engine "cells"')
    part: dict[str, Any] = {"claim": "equal", **nets}
    part["steps_a"] = [step_to_json(step) for step in proof.steps_a]
    part["steps_b"] = [step_to_json(step) for step in proof.steps_b]
    if proof.steps_difference or proof.tree is not None:
        part["steps_difference"] = [step_to_json(step) for step in proof.steps_difference]
    if proof.tree is not None:
        part["tree"] = _tree_to_json(proof.tree)
    return part


def _tree_to_json(tree: CellTree) -> list[Any]:
    def texts(values: Iterable[Rational]) -> list[str]:
        return [to_text(x) for x in values]

    result: list[Any] = []
    for node in tree.nodes:
        if node == "split":
            result.append(["split", []])
        elif node[0] == "leaf":
            result.append(["leaf", [["active" if sign > 0 else "inactive", texts(proof)] for sign, proof in node[1]]])
        else:
            result.append([node[0], texts(node[1])])
    return result


def _column_rank_part(result: NonnegativeColumnRank) -> dict[str, Any]:
    matrix, (rows, columns) = result.matrix, result.minor
    m, n, rho = matrix.row_count, matrix.column_count, result.rank
    inverse = matrix.submatrix(rows, columns).inverse()
    before = [[int(i == row) for i in range(m)] for row in rows]
    after: list[Sequence[Any]] = [[ZERO] * rho for _ in range(n)]
    for position, column in enumerate(columns):
        after[column] = inverse.rows[position]
    part: dict[str, Any] = {"claim": "nonnegative column rank", "value": result.value}
    tables = {"matrix": matrix, "left": result.left, "right": result.right}
    tables |= {"before": Matrix(before, m), "after": Matrix(after, rho)}
    for name, table in tables.items():
        part[name] = [[to_text(x) for x in row] for row in table.rows]
    for name, vector in (("half_space", result.half_space), ("relation", result.relation)):
        if vector is not None:
            part[name] = [to_text(x) for x in vector]
    return part
