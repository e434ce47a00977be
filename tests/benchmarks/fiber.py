"""Times of the main job: report, component counts, enumeration, import.  Run as a script; prints a table."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import symfiber as sf
from symfiber.exact import Matrix
from symfiber.orientations import FeasibleOrientations


def random_network(seed: int, d: int, n1: int, n2: int, m: int, free: int = 0) -> sf.Network:
    """Random integers; the first ``free`` rows of layer 2 are alternately dead and linear."""
    draw = random.Random(seed)

    def entry() -> int:
        return draw.randint(-999, 999) or 1

    layers = []
    for before, after in ((d, n1), (n1, n2), (n2, m)):
        layers.append(([[entry() for _ in range(before)] for _ in range(after)], [entry() for _ in range(after)]))
    for j in range(free):
        sign = 1 if j % 2 else -1
        weight, bias = layers[1]
        weight[j], bias[j] = [sign * abs(x) for x in weight[j]], sign * abs(bias[j])
    return sf.Network(layers)


def timed(label: str, job: Callable[[], object]) -> None:
    start = time.perf_counter()
    result = job()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{label:<62}{time.perf_counter() - start:9.3f} s {memory:8.0f} MB   {str(result)[:60]}")


def subprocess_run(*arguments: str) -> str:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    return "finished"


def main() -> None:
    timed("python -c 'import symfiber'", lambda: subprocess_run("-c", "import symfiber"))
    timed("python -c 'pass'", lambda: subprocess_run("-c", "pass"))
    timed(
        "symfiber report, trained 10-8-6-1, from start of the process",
        lambda: subprocess_run("-m", "symfiber", "report", "library:diabetes-10-8-6-1"),
    )
    for free in (0, 1, 2, 3, 5):
        net = random_network(1, 64, 32, 32, 4, free)
        timed(f"fiber and component count, 64-32-32-4, {free} free neurons", lambda n=net: sf.fiber(n).component_count)
    net = random_network(1, 64, 32, 32, 4, 2)
    timed("sample and membership, 64-32-32-4", lambda: (c := sf.fiber(net).components[0]).sample(1) in c)
    draw = random.Random(7)
    for n in (2, 3, 6, 12):
        rows = Matrix([[draw.randint(-99, 99) or 1 for _ in range(n)] for _ in range(20)]).rows
        columns = Matrix([[draw.randint(-9, 9) or 1] for _ in range(20)]).rows
        choices = FeasibleOrientations(rows, columns, 1, (1, n))
        timed(f"2^20 orientations, m = 1, n1 = {n}, count", lambda c=choices: c.count)
        timed(f"2^20 orientations, m = 1, n1 = {n}, enumerate", lambda c=choices: sum(1 for _ in c))
    rows = Matrix([[draw.randint(-99, 99) or 1 for _ in range(8)] for _ in range(40)]).rows
    columns = Matrix([[draw.randint(-9, 9) or 1 for _ in range(2)] for _ in range(40)]).rows
    choices = FeasibleOrientations(rows, columns, 3, (2, 8))
    timed("2^40 orientations by formula", lambda: choices.count)


if __name__ == "__main__":
    main()
