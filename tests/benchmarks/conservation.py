"""Times of counting conservation laws exactly: random ReLU networks on all paths.  Run as a script; prints a table.

Times are CPU seconds of the one process, so other work on the machine hardly matters.  The family: depth 2–4 (weight matrices), widths 2–9, with and without biases in the hidden layers.  The published count
of laws for networks of this family, in floats, took almost two hours on 64 cores.
"""

from __future__ import annotations

import random
import resource
import sys
import time

from symfiber.conservation import conservation_laws, generic_conservation_laws
from symfiber.library import get

NAMED_RELU = (((9, 7, 2), "none"), ((8, 5, 8, 5, 5), "none"), ((2, 4, 5, 8, 5), "hidden"))
NAMED_LINEAR = ((5, 3, 2), (5, 5, 4, 4, 5), (3, 4, 2, 4), (4, 2, 4))
BUNDLED = ("iris-4-2-3-3", "wine-13-2-4-3-linear-dead", "wine-13-2-2-3-hidden", "diabetes-10-8-6-1")


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def row(label: str, expected: int | None, job) -> tuple[float, float]:
    start = time.process_time()
    laws = job()
    counted = time.process_time()
    laws.verify()
    verified = time.process_time()
    if expected is not None and laws.count != expected:
        sys.exit(f"{label}: {laws.count} laws, expected {expected}")
    print(
        f"{label:<44}{laws.parameter_count:>6}{laws.count:>6}{'yes' if laws.regular else 'no':>9}"
        f"{counted - start:>10.3f}{verified - counted:>10.3f}{memory():>9.0f}"
    )
    return counted - start, verified - counted


def main() -> None:
    print(f"{'network':<44}{'N':>6}{'laws':>6}{'regular':>9}{'count s':>10}{'verify s':>10}{'peak MB':>9}")
    draw = random.Random(2024)
    family = list(NAMED_RELU)
    while len(family) < 50:
        depth = draw.randint(2, 4)
        family.append((tuple(draw.randint(2, 9) for _ in range(depth + 1)), draw.choice(("none", "hidden"))))
    times = []
    for shape, biases in family:
        label = f"ReLU {'-'.join(map(str, shape))}, {'no' if biases == 'none' else 'hidden'} biases, all paths"
        job = lambda s=shape, b=biases: generic_conservation_laws(s, biases=b, seed=1)  # noqa: E731
        times.append(row(label, sum(shape[1:-1]), job))
    counting, checking = (sum(column) for column in zip(*times))
    print(
        f"50 ReLU networks: {counting:.1f} s to count, {checking:.1f} s to verify, CPU time on one core, {memory():.0f} MB\n"
    )
    for shape in NAMED_LINEAR:
        job = lambda s=shape: generic_conservation_laws(s, activation="linear", biases="none")  # noqa: E731
        row(f"linear {'-'.join(map(str, shape))}", None, job)
    for name in BUNDLED:
        row(f"{name}, realised cells", None, lambda n=name: conservation_laws(get(n)))
    row("ReLU 64-32-32-4, all biases, all paths", 64, lambda: generic_conservation_laws((64, 32, 32, 4)))


if __name__ == "__main__":
    main()
