"""All subsets of a finite set, lazily and by index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class Subsets:
    """The 2^k subsets of k items as ascending tuples; the empty set first, then in binary counting order.

    Examples
    --------
    >>> list(Subsets((4, 7))), Subsets(range(50)).count
    ([(), (7,), (4,), (4, 7)], 1125899906842624)
    """

    def __init__(self, items: Sequence[int]) -> None:
        self.items = tuple(items)

    @property
    def count(self) -> int:
        """2^k."""
        return 1 << len(self.items)

    @property
    def immediate_count(self) -> int:
        """2^k."""
        return self.count

    def __getitem__(self, index: int) -> tuple[int, ...]:
        if index < 0:
            index += self.count
        if not 0 <= index < self.count:
            raise IndexError("subset index out of range")
        last = len(self.items) - 1
        return tuple(item for place, item in enumerate(self.items) if index >> (last - place) & 1)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (self[index] for index in range(self.count))

    def __contains__(self, subset: object) -> bool:
        return isinstance(subset, tuple) and subset == tuple(item for item in self.items if item in set(subset))
