"""Feasible orientation choices of the nonlinear neurons: lazy enumeration and exact counting (THEORY §1).

An orientation choice s ∈ {±1}^k is given by S = {j : s_j = −1}.  It is feasible iff rank⁺(M_S) ≤ f, where
M_S = M_∅ + Σ_{j ∈ S} c_j w_jᵀ is m × n and f is the number of free neurons.

rank⁺ never exceeds min(m + 1, n): a matrix whose columns are not pointed has rank at most n − 1.  Hence every choice is
feasible when f ≥ min(m + 1, n), and nothing has to be enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product
from math import comb

from symfiber.column_rank import NonnegativeColumnRank, nonnegative_column_rank
from symfiber.errors import InputError, LimitExceededError
from symfiber.exact import ONE, ZERO, Matrix, Rational, dot, primitive_integers
from symfiber.orthant import OrthantFunction

Orientation = tuple[int, ...]

SEARCH_LIMIT = 1 << 22
"""The number of blocks of the sign search after which counting gives up."""

MATRIX_LIMIT = 1 << 16
"""The number of (small) slopes whose rank is looked at, or of linear solutions tried, before giving up."""


class FeasibleOrientations:
    """The feasible orientation choices of k nonlinear neurons, in lexicographic order with +1 before −1.

    Parameters
    ----------
    rows, columns : sequences of k weight rows w_j (length n) and outgoing columns c_j (length m)
        The neurons that may be flipped.
    free : int
        f, the number of neurons that may be linear or dead.
    shape : (m, n)
    fixed_rows, fixed_columns : the same for the neurons that are always in the sum, M_∅ = Σ c w over these.

    Examples
    --------
    >>> from symfiber.exact import Matrix
    >>> W, C = Matrix([[1, -1], [1, 2]]).rows, Matrix([[1], [1]]).rows
    >>> one = FeasibleOrientations(W, C, free=1, shape=(1, 2))
    >>> one.count, list(one)
    (3, [(1, 1), (1, -1), (-1, -1)])
    """

    def __init__(
        self,
        rows: Sequence[Sequence[Rational]],
        columns: Sequence[Sequence[Rational]],
        free: int,
        shape: tuple[int, int],
        fixed_rows: Sequence[Sequence[Rational]] = (),
        fixed_columns: Sequence[Sequence[Rational]] = (),
    ) -> None:
        self.rows, self.columns, self.free = tuple(map(tuple, rows)), tuple(map(tuple, columns)), free
        self.fixed_rows, self.fixed_columns = tuple(map(tuple, fixed_rows)), tuple(map(tuple, fixed_columns))
        m, n = shape
        self.base = Matrix(
            [
                [dot((c[o] for c in self.fixed_columns), (w[i] for w in self.fixed_rows)) for i in range(n)]
                for o in range(m)
            ],
            n,
        )
        self._count: int | None = None
        self._found: list[Orientation] = []
        self._source: Iterator[Orientation] | None = None
        self._gave_up: LimitExceededError | None = None

    @classmethod
    def of(cls, g: OrthantFunction) -> FeasibleOrientations:
        """Return the orientation choices of g's nonlinear neurons, relative to g."""
        nonlinear, linear = g.neurons_of_type("nonlinear"), g.neurons_of_type("linear")
        return cls(
            [g.weight[j] for j in nonlinear],
            [g.outgoing[j] for j in nonlinear],
            len(g.bias) - len(nonlinear),
            (g.output_dimension, g.input_dimension),
            [g.weight[j] for j in linear],
            [g.outgoing[j] for j in linear],
        )

    @property
    def neuron_count(self) -> int:
        """k, the number of nonlinear neurons."""
        return len(self.rows)

    @property
    def all_feasible(self) -> bool:
        """Whether f ≥ min(m + 1, n), so that every choice is feasible."""
        m, n = self.base.shape
        return self.free >= min(m + 1, n)

    @property
    def immediate_count(self) -> int | None:
        """The count when it is known already or given by a formula, else ``None``."""
        return 1 << self.neuron_count if self.all_feasible else self._count

    @property
    def count(self) -> int:
        """The exact number of feasible choices; by a formula or a proof that prunes where there is one.

        Raises
        ------
        LimitExceededError
            When neither applies and the search is longer than the limit.
        """
        if self._count is None:
            if self.all_feasible:
                self._count = 1 << self.neuron_count
            elif self._by_signs():
                self._count = _SignSearch(self).count()
            else:
                self._count = sum(1 for _ in self)
        return self._count

    def slope(self, orientation: Orientation) -> Matrix:
        """Return M_S for the flipped neurons S of the orientation."""
        total = self.base
        for s, column, row in zip(orientation, self.columns, self.rows):
            if s < 0:
                total = _plus_rank_one(total, column, row)
        return total

    def column_rank(self, orientation: Orientation) -> NonnegativeColumnRank:
        """Return rank⁺(M_S) with its certificates."""
        return nonnegative_column_rank(self.slope(orientation))

    def is_feasible(self, orientation: Sequence[int]) -> bool:
        """Return whether the choice is feasible, with proof."""
        choice = tuple(orientation)
        if len(choice) != self.neuron_count or any(s not in (1, -1) for s in choice):
            raise InputError(f"orientation must be {self.neuron_count} entries 1 or -1, got {choice!r}")
        return self.all_feasible or self._carries(self.slope(choice))

    def __contains__(self, orientation: Sequence[int]) -> bool:
        return self.is_feasible(orientation)

    def __iter__(self) -> Iterator[Orientation]:
        if self.all_feasible:
            yield from product((1, -1), repeat=self.neuron_count)
            return
        if self._by_signs():
            # Cheap to search again; keeping 2^20 tuples would cost hundreds of megabytes.
            yield from _SignSearch(self)
            return
        position = 0
        while True:
            # Iterators share one search; another one may have advanced it meanwhile.
            while position < len(self._found):
                yield self._found[position]
                position += 1
            if not self._advance():
                return

    def _advance(self) -> bool:
        """Find one more choice; False at the end.  A search that gave up says so again, it never looks finished."""
        if self._gave_up is not None:
            raise self._gave_up
        if self._source is None:
            self._source = self._search()
        try:
            self._found.append(next(self._source))
        except StopIteration:
            return False
        except LimitExceededError as error:
            self._gave_up = error
            raise
        return True

    def __getitem__(self, index: int) -> Orientation:
        if index < 0:
            index += self.count
        if index < 0:
            raise IndexError("orientation index out of range")
        if self.all_feasible:
            if index >> self.neuron_count:
                raise IndexError("orientation index out of range")
            return tuple(-1 if index >> (self.neuron_count - 1 - j) & 1 else 1 for j in range(self.neuron_count))
        for item in islice(self, index, None):
            return item
        raise IndexError("orientation index out of range")

    def _largest_flip_set(self) -> int | None:
        """A size t such that |S| < t is feasible and |S| > t is not, when that is proved in polynomial time.

        Let C and W be the columns and rows of the fixed and the k nonlinear neurons, T = fixed ∪ S, and
        f < min(m, n).  When W has full row rank then rank M_S = rank C_T, and when moreover every f + 1 columns of C
        are independent this is min(|T|, m); so |T| > f forces rank M_S > f, while |T| < f gives rank⁺ ≤ |T| + 1 ≤ f.
        The same with C and W exchanged.  Sets with |T| = f must be looked at one by one.
        """
        m, n = self.base.shape
        if not 0 < self.free < min(m, n) or len(self.fixed_rows) > self.free:
            return None
        W = Matrix((*self.fixed_rows, *self.rows), n)
        C = Matrix((*self.fixed_columns, *self.columns), m)
        for independent, other in ((W, C), (C, W)):
            if independent.rank() == independent.row_count and _subsets_independent(other, self.free + 1):
                return self.free - len(self.fixed_rows)
        return None

    def _by_signs(self) -> bool:
        m, _ = self.base.shape
        return m == 1 and self.free == 1

    def _search(self) -> Iterator[Orientation]:
        if self.free == 0:
            yield from self._cancelling()
        elif (largest := self._largest_flip_set()) is not None:
            for choice in _small_flip_sets(self.neuron_count, largest):
                if choice.count(-1) < largest or self.is_feasible(choice):
                    yield choice
        else:
            yield from self._one_by_one()

    def _cancelling(self) -> Iterator[Orientation]:
        """f = 0: M_S = 0 is a linear system Σ ε_j c_j w_jᵀ = −M_∅ with ε ∈ {0, 1}^k.

        Solved from the right: the free unknowns of the echelon form are tried, the pivots follow.
        """
        m, n = self.base.shape
        k = self.neuron_count
        system = [
            [*(self.columns[j][o] * self.rows[j][i] for j in range(k)), -self.base.rows[o][i]]
            for o in range(m)
            for i in range(n)
        ]
        reduced, pivots = Matrix(system, k + 1).row_echelon()
        if k in pivots:
            return
        unknowns = [j for j in range(k) if j not in set(pivots)]
        if 1 << len(unknowns) > MATRIX_LIMIT:
            raise LimitExceededError(
                f"counting the orientations with M_S = 0 needs 2^{len(unknowns)} tries, the limit is {MATRIX_LIMIT}",
                {"lower": 0, "upper": 1 << len(unknowns)},
            )
        solutions = []
        for values in product((0, 1), repeat=len(unknowns)):
            choice = [0] * k
            for j, value in zip(unknowns, values):
                choice[j] = value
            for row, pivot in zip(reduced.rows, pivots):
                value = row[k] - sum((row[j] for j in unknowns if choice[j]), ZERO)
                if value not in (0, 1):
                    break
                choice[pivot] = int(value == ONE)
            else:
                solutions.append(tuple(1 - 2 * value for value in choice))
        yield from sorted(solutions, reverse=True)

    def _one_by_one(self) -> Iterator[Orientation]:
        """Look at every choice; M_S is updated along the search tree by one rank-one step a flip."""
        found = tried = 0
        m, n = self.base.shape
        limit = MATRIX_LIMIT // max(1, m * n // 32)
        stack: list[tuple[Orientation, Matrix]] = [((), self.base)]
        while stack:
            prefix, slope = stack.pop()
            depth = len(prefix)
            if depth < self.neuron_count:
                stack.append(((*prefix, -1), _plus_rank_one(slope, self.columns[depth], self.rows[depth])))
                stack.append(((*prefix, 1), slope))
                continue
            if tried >= limit:
                raise LimitExceededError(
                    f"the search over 2^{self.neuron_count} orientations stopped after {tried} of them",
                    {"lower": found, "upper": (1 << self.neuron_count) - tried + found},
                )
            tried += 1
            if self._carries(slope):
                found += 1
                yield prefix

    def _carries(self, slope: Matrix) -> bool:
        """Whether rank⁺ of a slope is at most f."""
        rank = slope.rank()
        return rank < self.free or (rank == self.free and nonnegative_column_rank(slope).pointed)


class _SignSearch:
    """m = 1 and f = 1: M_S must not have entries of both signs.  Depth first with bounds on what is still possible.

    Every column of M may be scaled by a positive number, so all sums are sums of integers.  A subtree where two columns
    have opposite certain signs is skipped, a subtree where no column can take the other sign is taken whole.
    """

    def __init__(self, choices: FeasibleOrientations) -> None:
        k, (_, n) = choices.neuron_count, choices.base.shape
        scaled = []
        for i in range(n):
            jumps = [choices.columns[j][0] * choices.rows[j][i] for j in range(k)]
            scaled.append([int(x) for x in primitive_integers([choices.base.rows[0][i], *jumps])])
        self.size = k
        self.start = [column[0] for column in scaled]
        self.jumps = [[column[j + 1] for column in scaled] for j in range(k)]
        # below[j][i], above[j][i]: least and largest value that neurons j, j+1, … can still add to column i.
        self.below = [[0] * n for _ in range(k + 1)]
        self.above = [[0] * n for _ in range(k + 1)]
        for j in reversed(range(k)):
            self.below[j] = [x + min(jump, 0) for x, jump in zip(self.below[j + 1], self.jumps[j])]
            self.above[j] = [x + max(jump, 0) for x, jump in zip(self.above[j + 1], self.jumps[j])]

    def blocks(self) -> Iterator[tuple[Orientation, int]]:
        """Yield (prefix, number of neurons below it that are arbitrary), in lexicographic order."""
        stack: list[tuple[Orientation, list[int], list[int], int]] = [((), self.start, list(range(len(self.start))), 0)]
        while stack:
            prefix, sums, open_columns, certain = stack.pop()
            depth = len(prefix)
            below, above = self.below[depth], self.above[depth]
            undecided = []
            can_be_negative = can_be_positive = False
            clash = False
            for i in open_columns:
                low, high = sums[i] + below[i], sums[i] + above[i]
                if low > 0 or high < 0:
                    found = 1 if low > 0 else -1
                    if certain == -found:
                        clash = True
                        break
                    certain = found
                elif low or high:
                    undecided.append(i)
                    can_be_negative = can_be_negative or low < 0
                    can_be_positive = can_be_positive or high > 0
            if clash:
                continue
            if not (certain >= 0 and not can_be_negative) and not (certain <= 0 and not can_be_positive):
                jump = self.jumps[depth]
                flipped = list(sums)
                for i in undecided:
                    flipped[i] += jump[i]
                stack.append(((*prefix, -1), flipped, undecided, certain))
                stack.append(((*prefix, 1), sums, undecided, certain))
            else:
                yield prefix, self.size - depth

    def __iter__(self) -> Iterator[Orientation]:
        for prefix, rest in self.blocks():
            for tail in product((1, -1), repeat=rest):
                yield prefix + tail

    def count(self) -> int:
        """Return the number of feasible choices without listing the subtrees that are taken whole."""
        total = 0
        for blocks, (_, rest) in enumerate(self.blocks()):
            if blocks >= SEARCH_LIMIT:
                raise LimitExceededError(
                    f"counting the feasible orientations stopped after {blocks} blocks", {"lower": total}
                )
            total += 1 << rest
        return total


def _plus_rank_one(matrix: Matrix, column: Sequence[Rational], row: Sequence[Rational]) -> Matrix:
    rows = [[x + c * w for x, w in zip(line, row)] for line, c in zip(matrix.rows, column)]
    return Matrix(rows, matrix.column_count)


def _small_flip_sets(size: int, largest: int) -> Iterator[Orientation]:
    """All orientations with at most ``largest`` entries −1, lexicographic with +1 first."""
    if largest <= 0 or size == 0:
        yield (1,) * size
        return
    if largest >= size:
        yield from product((1, -1), repeat=size)
        return
    for rest in _small_flip_sets(size - 1, largest):
        yield (1, *rest)
    for rest in _small_flip_sets(size - 1, largest - 1):
        yield (-1, *rest)


def _subsets_independent(matrix: Matrix, size: int, limit: int = 100_000) -> bool:
    """Whether every ``size`` rows are linearly independent; False also when that is too long to check."""
    if size > matrix.column_count or comb(matrix.row_count, size) > limit:
        return False
    columns = range(matrix.column_count)
    return all(
        matrix.submatrix(chosen, columns).rank() == size for chosen in combinations(range(matrix.row_count), size)
    )
