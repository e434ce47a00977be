"""How often each case occurs: exact shares of sign patterns, and sampled functional dimensions for any architecture."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import comb, exp, fsum, lgamma, log, log1p
from pathlib import Path
from typing import Any

from symfiber.bottleneck import identifiable_probability, sign_pattern_case
from symfiber.errors import InputError
from symfiber.exact import shorten
from symfiber.functional_dimension import functional_dimension
from symfiber.network import Network
from symfiber.parameters import check_architecture
from symfiber.sources.writing import write_atomically

ENUMERATION_LIMIT = 1 << 14
CASES = ("identifiable", "hidden", "hidden-single", "constant", "dead", "linear")
FORMULAS = {
    "identifiable": "(1 - 2q)^n2 - n1 q^n2",
    "reversible": "q^n2",
    "hidden": "n1 (2^n2 - n2 - 1) q^n2",
    "hidden-single": "n1 n2 q^n2",
    "constant": "q^n2",
    "dead": "1 - (1 - q)^n2 - q^n2 - n1 (2^n2 - 2) q^n2",
    "linear": "(1 - q)^n2 - (1 - 2q)^n2",
}
"""The closed forms, q = 2^-(n1 + 1); for n1 = 1 the reversible share is taken out of the identifiable one."""


@dataclass(frozen=True, slots=True)
class SignCensus:
    """Exact shares of the sign patterns of [W₂|b₂] by case.

    Attributes
    ----------
    n1, n2 : int
    shares : dict from case to Fraction
        The obstruction that comes first in the order of :func:`symfiber.bottleneck.sign_pattern_case`.
    enumerated : bool
        Whether the shares were also counted pattern by pattern; they come from closed forms in any case.
    """

    n1: int
    n2: int
    shares: dict[str, Fraction]
    enumerated: bool

    def __str__(self) -> str:
        lines = [f"sign patterns of [W2|b2], n1 = {self.n1}, n2 = {self.n2}: 2^{(self.n1 + 1) * self.n2}"]
        for case, share in self.shares.items():
            formula = FORMULAS[case] + (" - q^n2" if case == "identifiable" and self.n1 == 1 else "")
            lines.append(f"  {case:<14} {share}  (≈ {_decimal(share)})  = {formula}")
        checked = "confirmed by enumeration" if self.enumerated else "too many patterns to enumerate"
        lines.append(f"  closed forms with q = 2^-(n1 + 1), {checked}")
        return "\n".join(lines)


def sign_census(n1: int, n2: int) -> SignCensus:
    r"""Return the exact shares of all 2^{(n₁+1)n₂} sign patterns by case.

    With q = 2^{−(n₁+1)}, the probability that a row is dead, and the same for linear and for hiding a given neuron:
    constant q^{n₂}; hidden (exactly p live rows, all hiding the same one of n₁) n₁·C(n₂,p)·q^{n₂} for each p ≥ 1;
    identifiable (1 − 2q)^{n₂} − n₁q^{n₂}; some dead 1 − (1 − q)^{n₂} less the former with dead rows; the rest linear.
    For n₁ = 1 the pattern with all rows (−, +) is listed apart as reversible: its networks can be read in the other
    direction (docs/concepts/univariate.md).
    Up to 2¹⁴ patterns are also enumerated, and a disagreement would raise.

    Examples
    --------
    >>> sign_census(2, 2).shares["identifiable"]
    Fraction(17, 32)
    """
    identifiable = identifiable_probability(n1, n2)
    q = Fraction(1, 2 ** (n1 + 1))
    hidden = {p: n1 * comb(n2, p) * q**n2 for p in range(1, n2 + 1)}
    dead = 1 - (1 - q) ** n2 - q**n2 - sum((share for p, share in hidden.items() if p < n2), Fraction(0))
    shares = {
        "identifiable": identifiable - (q**n2 if n1 == 1 else 0),
        **({"reversible": q**n2} if n1 == 1 else {}),
        "hidden": sum((share for p, share in hidden.items() if p > 1), Fraction(0)),
        "hidden-single": hidden[1],
        "constant": q**n2,
        "dead": dead,
    }
    shares["linear"] = 1 - sum(shares.values(), Fraction(0))
    enumerated = (n1 + 1) * n2 <= ENUMERATION_LIMIT.bit_length() - 1
    if enumerated and _enumerate(n1, n2) != shares:
        raise AssertionError("the closed forms disagree with the enumeration of sign patterns")
    return SignCensus(n1, n2, shares, enumerated)


def _enumerate(n1: int, n2: int) -> dict[str, Fraction]:
    """Classify every pattern."""
    rows = list(product((1, -1), repeat=n1 + 1))
    reversible = ((-1, 1),) * n2
    counts = Counter(
        "reversible" if pattern == reversible else sign_pattern_case(pattern) for pattern in product(rows, repeat=n2)
    )
    total = len(rows) ** n2
    cases = ("identifiable", *(("reversible",) if n1 == 1 else ()), *CASES[1:])
    return {case: Fraction(counts[case], total) for case in cases}


@dataclass(frozen=True, slots=True)
class SampledCensus:
    """Functional dimensions of random networks of one architecture; exact for every sample.

    Attributes
    ----------
    architecture : tuple of int
    seed : int
    dimensions : dict from functional dimension to number of samples
    """

    architecture: tuple[int, ...]
    seed: int
    dimensions: dict[int, int]

    @property
    def samples(self) -> int:
        """The number of samples."""
        return sum(self.dimensions.values())

    def __str__(self) -> str:
        shape = "-".join(map(str, self.architecture))
        lines = [f"functional dimension of {self.samples} random {shape} networks, seed {self.seed}"]
        for value, count in sorted(self.dimensions.items()):
            low, high = binomial_interval(count, self.samples)
            lines.append(f"  {value:>5} {count:>7}  {count}/{self.samples}, 95 % interval {low:.4f} to {high:.4f}")
        return "\n".join(lines)


def binomial_interval(successes: int, total: int, error: float = 0.05) -> tuple[float, float]:
    """Return the Clopper–Pearson interval: it contains the true share with probability at least 1 − ``error``.

    Its ends are the shares p at which so many successes or more, or so many or fewer, have probability ``error``/2.
    In floats: this is statistics, not a proof.

    Examples
    --------
    >>> low, high = binomial_interval(5, 10)
    >>> round(low, 4), round(high, 4)
    (0.1871, 0.8129)
    """
    if not 0 <= successes <= total or total < 1 or not 0 < error < 1:
        raise InputError(f"successes must be between 0 and total, got {successes} of {total}, error {error}")
    low = 0.0 if not successes else _solve(lambda p: 1 - _at_most(successes - 1, total, p), error / 2)
    high = 1.0 if successes == total else _solve(lambda p: 1 - _at_most(successes, total, p), 1 - error / 2)
    return low, high


def _at_most(successes: int, total: int, share: float) -> float:
    """The probability of at most so many successes."""
    logs = (
        lgamma(total + 1) - lgamma(k + 1) - lgamma(total - k + 1) + k * log(share) + (total - k) * log1p(-share)
        for k in range(successes + 1)
    )
    return fsum(map(exp, logs))


def _solve(increasing: Callable[[float], float], wanted: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if increasing(middle) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def sample_census(
    architecture: Sequence[int],
    samples: int,
    seed: int = 0,
    executor: Executor | None = None,
    save: Any = None,
    progress: Callable[[int], None] | None = None,
) -> SampledCensus:
    """Return the functional dimensions of random networks with independent integer entries in ±999, none 0.

    Parameters
    ----------
    executor : concurrent.futures.Executor, optional
        Where the samples run: a process pool, or a cluster's (``dask.distributed.Client.get_executor()``).
    save : path, optional
        A JSON-lines file, one line a finished sample.  An interrupted census resumes from it; lines of another
        architecture or seed are refused.
    progress : callable, optional
        Called with the number of finished samples.

    Notes
    -----
    Sample k depends on (architecture, seed, k) only: the same result with any executor, interrupted or not.
    """
    shape = check_architecture(architecture)
    if not isinstance(samples, int) or samples < 1:
        raise InputError(f"samples must be a positive int, got {shorten(samples)}")
    known = _saved(save, shape, seed) if save is not None else {}
    wanted = [k for k in range(samples) if k not in known]
    results = {k: value for k, value in known.items() if k < samples}
    with _Log(save, shape, seed) as log:
        for k, value in _run(executor, shape, seed, wanted):
            results[k] = value
            log.write(k, value)
            if progress is not None:
                progress(len(results))
    return SampledCensus(shape, seed, dict(Counter(results.values())))


def random_integer_network(architecture: Sequence[int], seed: int, index: int) -> Network:
    """Return sample ``index`` of the census: integer entries in ±999, none 0."""
    draw = random.Random(f"{tuple(architecture)} {seed} {index}")
    layers = []
    for before, after in pairwise(architecture):
        entries = [[draw.choice((1, -1)) * draw.randint(1, 999) for _ in range(before + 1)] for _ in range(after)]
        layers.append(([row[:-1] for row in entries], [row[-1] for row in entries]))
    return Network(layers)


def _sample(architecture: tuple[int, ...], seed: int, index: int) -> int:
    return functional_dimension(random_integer_network(architecture, seed, index))


def _run(
    executor: Executor | None, shape: tuple[int, ...], seed: int, wanted: Sequence[int]
) -> Iterator[tuple[int, int]]:
    if executor is None:
        for k in wanted:
            yield k, _sample(shape, seed, k)
        return
    waiting: dict[Future[int], int] = {}
    queue = iter(wanted)
    try:
        for k in queue:
            waiting[executor.submit(_sample, shape, seed, k)] = k
            # A bounded number in flight keeps memory flat for millions of samples.
            if len(waiting) >= 256:
                yield from _finished(waiting)
        while waiting:
            yield from _finished(waiting)
    finally:
        for future in waiting:
            future.cancel()


def _finished(waiting: dict[Future[int], int]) -> Iterator[tuple[int, int]]:
    done, _ = wait(waiting, return_when="FIRST_COMPLETED")
    for future in done:
        yield waiting.pop(future), future.result()


class _Log:
    """Append finished samples to a JSON-lines file, one flushed line each, so that an interruption loses nothing."""

    def __init__(self, path: Any, shape: tuple[int, ...], seed: int) -> None:
        self.path, self.shape, self.seed = path, shape, seed
        self.stream: Any = None

    def __enter__(self) -> _Log:
        if self.path is not None:
            try:
                self.stream = Path(self.path).open("a", encoding="utf-8")
            except OSError as error:
                raise InputError(f"census file {str(self.path)!r} must be writable: {error.strerror}") from None
        return self

    def write(self, index: int, value: int) -> None:
        """Append one sample."""
        if self.stream is not None:
            line = {"architecture": self.shape, "seed": self.seed, "sample": index, "functional_dimension": value}
            self.stream.write(json.dumps(line) + "\n")
            self.stream.flush()

    def __exit__(self, *_: object) -> None:
        if self.stream is not None:
            self.stream.close()


def _saved(path: Any, shape: tuple[int, ...], seed: int) -> dict[int, int]:
    file = Path(path)
    if not file.exists():
        return {}
    found: dict[int, int] = {}
    lines = file.read_text(encoding="utf-8").splitlines()
    for number, text in enumerate(lines, start=1):
        try:
            line = json.loads(text)
            own = (tuple(line["architecture"]), line["seed"])
            index, value = line["sample"], line["functional_dimension"]
        except (ValueError, TypeError, KeyError):
            if number == len(lines):
                # The line that an interruption cut off: drop it, or the next line would be glued to it.
                write_atomically(file, "".join(f"{line}\n" for line in lines[:-1]))
                break
            raise InputError(f"census file {str(path)!r} line {number} must be a saved sample") from None
        if own != (shape, seed):
            raise InputError(f"census file {str(path)!r} must be for {shape}, seed {seed}, line {number} is for {own}")
        found[index] = value
    return found


def _decimal(share: Fraction) -> str:
    scaled = round(share * 10**6)
    return f"{scaled // 10**6}.{scaled % 10**6:06d}"
