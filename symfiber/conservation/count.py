r"""The number of conservation laws, N − dim Lie(W)(θ), squeezed between two proved bounds.

From below: brackets with independent values at θ (:mod:`symfiber.conservation.brackets`).  From above: the gradient of
a law is orthogonal to every ∇p near θ, hence to every bracket, so dim Lie(W)(θ) ≤ N − rank{∇Q(θ) : Q verified laws}.
No bracket is ever assumed to be the last one: the search stops when the bounds meet, and then the count is proved.

When they meet through laws, θ is *regular*: dim Lie(W) is lower semicontinuous, so its generic value is at least the
value at θ, and the laws, being independent near θ, bound it by the same number.  At special points laws do not suffice;
then the bound comes from a closed module or from an invariant affine subspace (:mod:`symfiber.conservation.closure`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from symfiber.conservation.ansatz import polynomial_laws
from symfiber.conservation.brackets import BracketSpan, Word
from symfiber.conservation.candidates import Activity, Candidate, suggested_laws
from symfiber.conservation.closure import invariant_directions, is_closed_module
from symfiber.conservation.fields import Fields
from symfiber.conservation.layout import Layout
from symfiber.conservation.sparse import SparsePolynomial, gradient_rows_modulo, partial_derivatives
from symfiber.errors import LimitExceededError, UndecidedError
from symfiber.exact import Matrix, Rational
from symfiber.exact.modular import independent_rows, residue

Reason = Literal["laws", "closed module", "invariant subspace"]
_SEED = 20_240_229


@dataclass(frozen=True)
class CountProof:
    """Why dim Lie(W)(θ) is what it is.

    Attributes
    ----------
    lie_dimension : int
        dim Lie(W)(θ).
    words : tuple of Word
        As many words of generators, whose brackets at θ are independent modulo ``prime``: the lower bound.
    prime : int
    reason : str
        The upper bound: "laws", "closed module" or "invariant subspace".
    directions : Matrix or None
        D, when the reason is "invariant subspace".
    generic_bounds : (int, int)
        Least and largest possible number of laws at a generic parameter of the same cells.
    """

    lie_dimension: int
    words: tuple[Word, ...]
    prime: int
    reason: Reason
    directions: Matrix | None
    generic_bounds: tuple[int, int]

    @property
    def depth(self) -> int:
        """The depth of the deepest bracket used; 1 when the generators alone suffice."""
        return max(map(len, self.words), default=0)


class Count:
    """The search for the two bounds at one point; :meth:`run` ends with a proof or an :class:`UndecidedError`."""

    def __init__(
        self,
        fields: Fields,
        point: Sequence[Rational],
        layout: Layout | None,
        activity: Activity,
        degree: int,
        depth: int,
    ) -> None:
        self.fields, self.point, self.degree, self.depth = fields, tuple(point), degree, depth
        self.size = len(fields.names)
        self.span = BracketSpan.at(fields, point)
        self.laws = [law for law in suggested_laws(fields, layout, activity) if fields.annihilated_by(law.field)]
        self.skipped: str | None = None
        self._set_target()

    def _law_rank(self, point: Sequence[int], prime: int) -> tuple[int, ...]:
        rows = gradient_rows_modulo((law.potential or {} for law in self.laws), point, prime)
        return independent_rows(rows, self.size, prime)

    def _set_target(self) -> None:
        """The upper bound that the laws known so far give."""
        self.target = self.size - len(self._law_rank(self.span.point, self.span.prime))

    @property
    def open(self) -> bool:
        """Whether the bounds have not met."""
        return self.span.dimension < self.target

    def run(self) -> CountProof:
        """Return the proof."""
        self.span.extend_by_fields(self.target)
        if self.open:
            self.span.extend_by_brackets(self.target, 2, min(2, self.depth))
        if self.open:
            self._ansatz()
        if self.open:
            self.span.extend_by_brackets(self.target, 3, self.depth)
        if not self.open:
            laws = self.size - self.target
            return self._proof("laws", None, (laws, laws))
        if is_closed_module(self.fields, self.span.words, self.point):
            laws = self.size - self.span.dimension
            return self._proof("closed module", None, (laws, laws))
        return self._special_point()

    def _ansatz(self) -> None:
        """Add all polynomial laws up to the degree that are independent of the known ones at θ or generically."""
        try:
            found = list(polynomial_laws(self.fields, self.degree))
        except LimitExceededError as error:
            self.skipped = str(error)
            return
        for polynomial in sorted(found, key=lambda p: (max(map(len, p)), len(p))):
            self.laws.append(_unnamed(polynomial))
        kept = set(self._law_rank(self.span.point, self.span.prime)) | set(self._generic_law_rank())
        self.laws = [law for i, law in enumerate(self.laws) if i in kept]
        self._set_target()

    def _generic_law_rank(self) -> tuple[int, ...]:
        generic = BracketSpan.at_random(self.fields, self.span.prime, _SEED)
        return self._law_rank(generic.point, generic.prime)

    def _special_point(self) -> CountProof:
        """Try the bound by an invariant affine subspace; the generic count then needs a search of its own."""
        directions = invariant_directions(self.fields, self.point)
        if directions is not None:
            prime, laws = self.span.prime, (law.potential or {} for law in self.laws)
            normals = directions.nullspace().rows if directions.row_count else Matrix.identity(self.size).rows
            rows = [[residue(x, prime) for x in normal] for normal in normals]
            rows += gradient_rows_modulo(laws, self.span.point, prime)
            if self.size - len(independent_rows(rows, self.size, prime)) == self.span.dimension:
                return self._proof("invariant subspace", directions, self._generic_bounds())
        raise UndecidedError(
            f"the number of conservation laws is between {self.size - self.target} and "
            f"{self.size - self.span.dimension}: brackets of depth {self.depth} and polynomial laws of degree "
            f"{self.degree} do not decide" + (f" ({self.skipped})" if self.skipped else ""),
            {
                "lower": self.size - self.target,
                "upper": self.size - self.span.dimension,
                "laws": tuple(law.name for law in self.laws),
                "brackets": tuple(self.span.words),
            },
        )

    def _generic_bounds(self) -> tuple[int, int]:
        """Bounds of the number of laws at generic parameters, from a random rational point."""
        draw = random.Random(_SEED)
        point = [Rational(draw.randint(1, 9999)) for _ in range(self.size)]
        generic = BracketSpan.at(self.fields, point)
        least = len(self._law_rank(generic.point, generic.prime))
        generic.extend_by_fields(self.size - least)
        generic.extend_by_brackets(self.size - least, 2, self.depth)
        most = self.size - generic.dimension
        return (most, most) if is_closed_module(self.fields, generic.words, point) else (least, most)

    def _proof(self, reason: Reason, directions: Matrix | None, generic: tuple[int, int]) -> CountProof:
        return CountProof(self.span.dimension, tuple(self.span.words), self.span.prime, reason, directions, generic)

    def independent_laws(self) -> list[Candidate]:
        """Return a maximal set of functionally independent laws among those found, independent at θ first."""
        at_point = self._law_rank(self.span.point, self.span.prime)
        order = [*at_point, *(i for i in range(len(self.laws)) if i not in set(at_point))]
        self.laws = [self.laws[i] for i in order]
        chosen = sorted({*range(len(at_point)), *self._generic_law_rank()})
        return [self.laws[i] for i in chosen]


def _unnamed(polynomial: SparsePolynomial) -> Candidate:
    degree = max(map(len, polynomial))
    return Candidate(f"polynomial law of degree {degree}", "polynomial", partial_derivatives(polynomial), polynomial)
