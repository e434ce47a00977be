"""Time the exact simplex method against float-proposed bases on dense random rational systems."""

from __future__ import annotations

import random
import time
from fractions import Fraction

from symfiber.exact.linear_programming import maximize, solve_inequalities

SIZES = ((4, 12), (6, 18), (8, 24), (10, 30), (20, 40), (30, 60), (100, 200))
LARGEST_EXACT = 30  # variables; beyond, single answers take minutes
ENGINES = ("exact", "float-proposed")


def random_rows(generator: random.Random, dimension: int, count: int) -> list[list[Fraction]]:
    return [
        [Fraction(generator.randint(-999, 999), generator.randint(1, 999)) for _ in range(dimension + 1)]
        for _ in range(count)
    ]


def problems(generator: random.Random, dimension: int, count: int):
    """Yield (name, call) for a feasible, an infeasible and a bounded optimisation problem."""
    rows = random_rows(generator, dimension, count)
    center = [Fraction(generator.randint(-9, 9)) for _ in range(dimension)]
    values = [sum(a * x for a, x in zip(row, center)) for row in rows]
    around = [[*row[:-1], abs(row[-1]) - value] for row, value in zip(rows, values)]
    yield "feasible, strict", lambda engine: solve_inequalities([], strict=around, engine=engine)
    yield "feasible, weak", lambda engine: solve_inequalities(around, engine=engine)
    weights = [generator.randint(1, 9) for _ in rows]
    whole = [[Fraction(generator.randint(-999, 999)) for _ in row] for row in rows[1:]]
    sums = [sum(w * row[j] for w, row in zip(weights, whole)) for j in range(dimension + 1)]
    nowhere = [*whole, [*(-x for x in sums[:-1]), -1 - sums[-1]]]
    yield "infeasible", lambda engine: solve_inequalities(nowhere, engine=engine)
    objective = [-sum(w * row[j] for w, row in zip(weights, around)) for j in range(dimension)]
    yield "maximize", lambda engine: maximize(objective, around, engine=engine)


def main() -> None:
    print(f"{'variables x rows':>18} {'problem':>17} " + " ".join(f"{engine:>15}" for engine in ENGINES))
    solve_inequalities([[1, 0]], engine="float-proposed")  # the import of the float solver is not timed
    for dimension, count in SIZES:
        for name, call in problems(random.Random(1), dimension, count):
            shown = []
            for engine in ENGINES:
                if engine == "exact" and dimension > LARGEST_EXACT:
                    shown.append(f"{'-':>15}")
                    continue
                times: list[float] = []
                while len(times) < 20 and sum(times) < 0.5:
                    start = time.perf_counter()
                    call(engine)
                    times.append(time.perf_counter() - start)
                shown.append(f"{1000 * min(times):>12.2f} ms")
            print(f"{f'{dimension} x {count}':>18} {name:>17} " + " ".join(shown), flush=True)


if __name__ == "__main__":
    main()
