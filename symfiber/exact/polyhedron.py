"""Polyhedra by rows *and* generators: splitting one by a hyperplane is counting signs, without linear programming.

Why this way: in few dimensions a cell has few corners.  An affine form is positive somewhere inside a polyhedron
exactly when it is positive at one of its corners or along one of its rays, so corners and rays decide at once whether a
neuron cuts a cell, and they are a proof.  When it does, the new corners lie on the edges that cross the hyperplane (the
double description method).  In many dimensions there may be too many corners; :mod:`symfiber.cells` then changes to
linear programs.

Everything is homogeneous and integer: (v, t) with t > 0 is the corner v/t, (v, 0) the ray v; a form (a, b) has the
value a·v + b·t there, with the right sign.  Behind these d + 1 entries a vector carries the values of further forms,
its *tail*: they are linear, so those of a new corner are combined, not computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd

from flint import fmpz_mat

Vector = tuple[int, ...]
"""Integers: an affine form (a, b), or a homogeneous point (v, t), possibly with a tail."""

_MATRIX_SIZE = 4000  # entries times length from which FLINT's product beats Python's
_BITS = (0, 1, 2, 4, 8, 16, 32, 64)


class Polyhedron:
    """A nonempty polyhedron {x : a·x + b ≥ 0 for all rows} = conv(corners) + cone(rays) + span(lines).

    Attributes
    ----------
    space : int
        d, the dimension of the surrounding space.
    dimension : int
        The dimension of the polyhedron itself.
    rows : tuple of forms
        Rows that describe it in its affine hull; some may be redundant, see :meth:`facets`.
    lines : tuple of vectors
        A basis of the directions in which it is a cylinder.
    generators : tuple of vectors
        Corners and rays, one for each, modulo the lines.
    tight : tuple of int
        For every generator the set of rows that vanish at it: bit i + 1 for row i, bit 0 for a ray.
    """

    __slots__ = ("dimension", "generators", "lines", "rows", "space", "tight")

    def __init__(
        self,
        space: int,
        dimension: int,
        rows: tuple[Vector, ...],
        lines: tuple[Vector, ...],
        generators: tuple[Vector, ...],
        tight: tuple[int, ...],
    ) -> None:
        self.space, self.dimension = space, dimension
        self.rows, self.lines = rows, lines
        self.generators, self.tight = generators, tight

    @classmethod
    def whole(cls, space: int) -> Polyhedron:
        """Return ℚᵈ: the origin, and a line along every axis."""
        lines = tuple(tuple(int(q == k) for k in range(space + 1)) for q in range(space))
        return cls(space, space, (), lines, ((*(0,) * space, 1),), (0,))

    def with_forms(self, forms: Sequence[Vector]) -> Polyhedron:
        """Return the same polyhedron with the values of these forms as tails: form k at place d + 1 + k."""
        size = self.space + 1
        vectors = [vector[:size] for vector in (*self.lines, *self.generators)]
        tails: list[Sequence[int]]
        if len(vectors) * len(forms) * size < _MATRIX_SIZE:
            tails = [[sum(map(int.__mul__, form, vector)) for form in forms] for vector in vectors]
        else:
            left = fmpz_mat(len(vectors), size, [x for vector in vectors for x in vector])
            right = fmpz_mat(len(forms), size, [x for form in forms for x in form])
            tails = [list(map(int, row)) for row in (left * right.transpose()).tolist()]
        extended = [(*vector, *tail) for vector, tail in zip(vectors, tails)]
        count = len(self.lines)
        lines, generators = tuple(extended[:count]), tuple(extended[count:])
        return Polyhedron(self.space, self.dimension, self.rows, lines, generators, self.tight)

    def split(self, place: int, form: Vector) -> tuple[Polyhedron | None, Polyhedron | None, Polyhedron | None]:
        """Return the parts of the relative interior where a form is > 0, = 0, < 0; ``None`` where there is none.

        Parameters
        ----------
        place : int
            Where the vectors carry the form's values.
        form : vector (a, b)
            The form itself, which becomes a row.

        Notes
        -----
        Proved: always.  Cost: (corners on one side) × (corners on the other) comparisons of bit sets.

        Examples
        --------
        >>> half, line, other = Polyhedron.whole(2).with_forms([(1, 0, -3)]).split(3, (1, 0, -3))
        >>> half.generators[0][:3], half.generators[1][:3], line.dimension
        ((3, 0, 1), (1, 0, 0), 1)
        """
        for index, line in enumerate(self.lines):
            if line[place]:
                return self._split_along(index, place, form)
        signs = [(v > 0) - (v < 0) for v in (generator[place] for generator in self.generators)]
        if 1 not in signs:
            return (None, None, self) if -1 in signs else (None, self, None)
        if -1 not in signs:
            return self, None, None
        return self._split_between(signs, place, form)

    def _split_along(self, index: int, place: int, form: Vector) -> tuple[Polyhedron, Polyhedron, Polyhedron]:
        """Split where the form changes along a line: all other vectors are moved along it into the hyperplane."""
        line = self.lines[index]
        if line[place] < 0:
            line = tuple(-x for x in line)
        slope, size = line[place], self.space + 1

        def moved(vector: Vector) -> Vector:
            value = vector[place]
            return _primitive([slope * x - value * y for x, y in zip(vector, line)], size) if value else vector

        lines = tuple(moved(other) for k, other in enumerate(self.lines) if k != index)
        generators = tuple(map(moved, self.generators))
        bit = 1 << (len(self.rows) + 1)
        tight = (*(old | bit for old in self.tight), bit - 1)
        backward = tuple(-x for x in line)
        positive = Polyhedron(
            self.space, self.dimension, (*self.rows, form), lines, (*generators, _primitive(line, size)), tight
        )
        negative = Polyhedron(
            self.space,
            self.dimension,
            (*self.rows, tuple(-x for x in form)),
            lines,
            (*generators, _primitive(backward, size)),
            tight,
        )
        return positive, Polyhedron(self.space, self.dimension - 1, self.rows, lines, generators, self.tight), negative

    def _split_between(
        self, signs: Sequence[int], place: int, form: Vector
    ) -> tuple[Polyhedron, Polyhedron, Polyhedron]:
        """Split where generators lie on both sides: new ones arise on the edges from one side to the other."""
        bit = 1 << (len(self.rows) + 1)
        sides: dict[int, tuple[list[Vector], list[int]]] = {1: ([], []), 0: ([], []), -1: ([], [])}
        for generator, tight, sign in zip(self.generators, self.tight, signs):
            vectors, sets = sides[sign]
            vectors.append(generator)
            sets.append(tight)
        common = list(zip(*sides[0]))
        common += self._crossings(sides[1], sides[-1], place)
        on_plane = tuple(vector for vector, _ in common)
        both = tuple(tight | bit for _, tight in common)

        def part(sign: int) -> Polyhedron:
            vectors, sets = sides[sign]
            row = form if sign > 0 else tuple(-x for x in form)
            return Polyhedron(
                self.space, self.dimension, (*self.rows, row), self.lines, (*vectors, *on_plane), (*sets, *both)
            )

        tight_there = tuple(tight for _, tight in common)
        zero = Polyhedron(self.space, self.dimension - 1, self.rows, self.lines, on_plane, tight_there)
        return part(1), zero, part(-1)

    def _crossings(
        self, above: tuple[list[Vector], list[int]], below: tuple[list[Vector], list[int]], place: int
    ) -> Iterator[tuple[Vector, int]]:
        """Yield the points where edges cross the hyperplane, with their tight rows.

        Two generators span an edge iff no third one is tight wherever both are; then at least
        dim − 1 − (number of lines) rows are tight at both.
        """
        needed = self.dimension - 1 - len(self.lines)
        size = self.space + 1
        for p, tight_p in zip(*above):
            value_p = p[place]
            for n, tight_n in zip(*below):
                shared = tight_p & tight_n
                if shared.bit_count() < needed or not self._is_edge(shared):
                    continue
                value_n = n[place]
                yield _primitive([value_p * y - value_n * x for x, y in zip(p, n)], size), shared

    def _is_edge(self, shared: int) -> bool:
        """Whether only two generators are tight at all these rows."""
        count = 0
        for tight in self.tight:
            if tight & shared == shared:
                count += 1
                if count > 2:
                    return False
        return True

    def facets(self) -> tuple[tuple[Vector, int], ...]:
        """Return the irredundant rows with the sets of their generators (bit k for generator k).

        A row is a facet iff the set of generators on it is maximal; of rows with one set the first is taken.
        """
        sets = [0] * (len(self.rows) + 1)
        for k, tight in enumerate(self.tight):
            for i in _bits(tight):
                sets[i] |= 1 << k
        found: dict[int, Vector] = {}
        for row, members in zip(self.rows, sets[1:]):
            maximal = not any(members != other and members & other == members for other in sets)
            if members and members != sets[0] and maximal:
                found.setdefault(members, row)
        return tuple((row, members) for members, row in found.items())

    @property
    def bounded(self) -> bool:
        """Whether there is neither a line nor a ray."""
        return not self.lines and all(generator[self.space] for generator in self.generators)

    def corners(self) -> tuple[tuple[Fraction, ...], ...]:
        """Return the corners; when there are lines, one point of every minimal face."""
        d = self.space
        return tuple(tuple(Fraction(x, g[d]) for x in g[:d]) for g in self.generators if g[d])

    def interior_point(self) -> tuple[Fraction, ...]:
        """Return a point of the relative interior, with few binary digits where the polyhedron has full dimension."""
        d = self.space
        total = [sum(g[q] for g in self.generators) for q in range(d + 1)]
        exact = tuple(Fraction(x, total[d]) for x in total[:d])
        if self.dimension < d:
            return exact
        centre = self._centre()
        for bits in _BITS:
            scaled = [round(x * (1 << bits)) for x in centre]
            vector = (*scaled, 1 << bits)
            if all(sum(map(int.__mul__, row, vector)) > 0 for row in self.rows):
                return tuple(Fraction(x, 1 << bits) for x in scaled)
        return exact

    def _centre(self) -> list[Fraction]:
        """The mean of the corners, moved one step along every ray."""
        d = self.space
        points = [g for g in self.generators if g[d]]
        centre = [sum((Fraction(g[q], g[d]) for g in points), Fraction(0)) / len(points) for q in range(d)]
        for ray in self.generators:
            if not ray[d]:
                length = max(map(abs, ray[:d]))
                centre = [x + Fraction(y, length) for x, y in zip(centre, ray)]
        return centre

    def face_key(self, members: int) -> frozenset[Vector]:
        """Return the generators of a face, the same for every polyhedron of a complex that has this face."""
        return frozenset(self._reduced(g) for k, g in enumerate(self.generators) if members >> k & 1)

    def _reduced(self, vector: Vector) -> Vector:
        """The representative of a generator modulo the lines that vanishes at their pivots."""
        size = self.space + 1
        vector = vector[:size]
        for line in _echelon([line[:size] for line in self.lines]):
            pivot = next(q for q, x in enumerate(line) if x)
            if vector[pivot]:
                scale, value = abs(line[pivot]), vector[pivot] * (1 if line[pivot] > 0 else -1)
                vector = tuple(scale * x - value * y for x, y in zip(vector, line))
        return _primitive(vector, size)

    def __repr__(self) -> str:
        return f"<Polyhedron of dimension {self.dimension} in ℚ^{self.space}, {len(self.generators)} generators>"


def _primitive(vector: Sequence[int], size: int) -> Vector:
    """Divide by the common factor of the first ``size`` entries; it divides the tail, too."""
    factor = gcd(*vector[:size])
    return tuple(x // factor for x in vector) if factor > 1 else tuple(vector)


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _echelon(lines: Sequence[Vector]) -> list[Vector]:
    """A reduced echelon basis of the span, of coprime integers."""
    basis: list[Vector] = []
    for line in lines:
        for other in basis:
            line = _eliminate(line, other)
        if any(line):
            line = _primitive(line, len(line))
            basis = [_eliminate(other, line) for other in basis]
            basis.append(line)
    return sorted(basis, key=lambda line: next(q for q, x in enumerate(line) if x))


def _eliminate(vector: Vector, by: Vector) -> Vector:
    pivot = next(q for q, x in enumerate(by) if x)
    if not vector[pivot]:
        return vector
    return _primitive([by[pivot] * x - vector[pivot] * y for x, y in zip(vector, by)], len(vector))
