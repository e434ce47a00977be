r"""Upper bounds of dim Lie(W)(θ) that do not come from laws near θ.

*Invariant affine subspace.*  If θ + D contains θ and every ∇p is tangent to it, all brackets are, so Lie(W)(θ) ⊂ D.  At
special points D is smaller than what the laws leave: zero neurons stay zero, equal neurons stay equal.

*Closed module.*  Let B₁, …, B_q be fields whose values at θ are independent.  If every bracket of a generator with a
B_k, and every generator, lies in the span of the B's over the rational functions, with denominators that do not vanish
at θ, then by induction so do all nested brackets (the derivative of a coefficient only multiplies another B), and
Lie(W)(θ) = span B_k(θ).  With R rows where the q × q minor of B is not 0 at θ, this says that the (q+1)-minors of
(B, Y) on R and one more row vanish identically.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from symfiber.conservation.brackets import Word
from symfiber.conservation.fields import Fields, PolynomialFields
from symfiber.conservation.sparse import gradient_rows, polynomial_from_sparse
from symfiber.exact import Matrix, Polynomial, PolynomialRing, Rational, dot

_AFFINE_LIMIT = 200_000
_MODULE_RANK = 4
_MODULE_SIZE = 16


def invariant_directions(fields: Fields, point: Sequence[Rational], seed: int = 0) -> Matrix | None:
    r"""Return D (rows) with θ + D invariant under all fields, the smallest one found; ``None`` beyond the limit.

    D starts as {0} and grows by values ∇p(u) at points u of θ + D; when it stops, ℓ·∇p(θ + Ds) ≡ 0 is proved for all
    generators p and all ℓ ⊥ D, as polynomials in s.
    """
    size = len(point)
    if not isinstance(fields, PolynomialFields) or size * sum(map(len, fields.generators)) > _AFFINE_LIMIT:
        return None
    draw = random.Random(seed)
    directions = Matrix([], size)
    for _ in range(size + 1):
        place = list(point)
        for row in directions.rows:
            factor = draw.randint(-9, 9)
            place = [x + factor * r for x, r in zip(place, row)]
        rows = gradient_rows(fields.generators, place)
        larger = Matrix([*directions.rows, *rows], size).row_echelon()[0]
        if larger.row_count == directions.row_count and is_invariant(fields, point, directions):
            return directions
        directions = larger
    return directions if is_invariant(fields, point, directions) else None


def is_invariant(fields: PolynomialFields, point: Sequence[Rational], directions: Matrix) -> bool:
    """Whether every ∇p is tangent to θ + D, proved by polynomial identities in the coordinates of D."""
    normals = directions.nullspace() if directions.row_count else Matrix.identity(len(point))
    if not normals.row_count:
        return True
    ring = PolynomialRing([f"s_{k}" for k in range(directions.row_count)])
    moved = [ring.constant(x) + dot((row[i] for row in directions.rows), ring.generators) for i, x in enumerate(point)]
    full = PolynomialRing(fields.names)
    for sparse in fields.generators:
        polynomial = polynomial_from_sparse(sparse, full)
        gradient = {i: polynomial.derivative(fields.names[i]).compose(moved) for i in {i for m in sparse for i in m}}
        for normal in normals.rows:
            if dot((normal[i] for i in gradient), gradient.values()) != 0:
                return False
    return True


def is_closed_module(fields: Fields, words: Sequence[Word], point: Sequence[Rational]) -> bool:
    """Whether the brackets ``words``, independent at the point, are proved to span a closed module there.

    False means "not proved": also when there are more than four words or sixteen variables.
    """
    if not isinstance(fields, PolynomialFields) or len(words) > _MODULE_RANK or len(fields.seen) > _MODULE_SIZE:
        return False
    ring = PolynomialRing(fields.names)
    generators = [_gradient(polynomial_from_sparse(p, ring)) for p in fields.generators]
    basis = [_word_field(word, generators) for word in words]
    values = Matrix([[component(point) for component in vector] for vector in basis], len(point))
    pivots = values.row_echelon()[1]
    if len(pivots) < len(words):
        return False
    others = [bracket(generator, vector) for generator in generators for vector in basis]
    return all(_depends(basis, vector, pivots) for vector in (*generators, *others))


def bracket(left: Sequence[Polynomial], right: Sequence[Polynomial]) -> tuple[Polynomial, ...]:
    """Return [X, Y] = DY·X − DX·Y of two polynomial vector fields.

    Examples
    --------
    >>> x, y = PolynomialRing(("x", "y")).generators
    >>> bracket((x, 0 * x), (y, x))
    (-y, x)
    """
    names = left[0].ring.names
    return tuple(
        dot((b.derivative(name) for name in names), left) - dot((a.derivative(name) for name in names), right)
        for a, b in zip(left, right)
    )


def _gradient(polynomial: Polynomial) -> tuple[Polynomial, ...]:
    return tuple(polynomial.derivative(name) for name in polynomial.ring.names)


def _word_field(word: Word, generators: Sequence[tuple[Polynomial, ...]]) -> tuple[Polynomial, ...]:
    letters = []
    for letter in word:
        parts = [(coefficient, generators[key]) for coefficient, key in letter if isinstance(key, int)]
        letters.append(
            tuple(sum((c * part[i] for c, part in parts), parts[0][1][i] * 0) for i in range(len(parts[0][1])))
        )
    result = letters[-1]
    for first in reversed(letters[:-1]):
        result = bracket(first, result)
    return result


def _depends(basis: Sequence[Sequence[Polynomial]], vector: Sequence[Polynomial], pivots: Sequence[int]) -> bool:
    """Whether the minors of (basis, vector) on the pivot rows and any one more row vanish identically."""
    columns = [*basis, vector]
    return all(
        not determinant([[column[i] for column in columns] for i in (*pivots, row)])
        for row in range(len(vector))
        if row not in pivots
    )


def determinant(matrix: Sequence[Sequence[Polynomial]]) -> Polynomial:
    """Return the determinant of a small matrix of polynomials by expansion along the first row.

    Examples
    --------
    >>> x, y = PolynomialRing(("x", "y")).generators
    >>> determinant([[x, y], [y, x]]) == x**2 - y**2
    True
    """
    first = matrix[0]
    if len(matrix) == 1:
        return first[0]
    total = first[0] * 0
    for j, entry in enumerate(first):
        if entry:
            minor = determinant([[*row[:j], *row[j + 1 :]] for row in matrix[1:]])
            total = total + (entry * minor if j % 2 == 0 else -entry * minor)
    return total
