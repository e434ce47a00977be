"""Cells and functional dimension: counts and times.  Run as a script; prints a table."""

from __future__ import annotations

import random
import time

import symfiber as sf
from symfiber.functional_dimension import analyse_functional_dimension


def random_network(seed: int, shape: tuple[int, ...], bound: int) -> sf.Network:
    draw = random.Random(seed)
    layers = []
    for before, after in zip(shape, shape[1:]):
        weight = [[draw.randint(-bound, bound) for _ in range(before)] for _ in range(after)]
        layers.append((weight, [draw.randint(-bound, bound) for _ in range(after)]))
    return sf.Network(layers)


def main() -> None:
    print(f"{'architecture':<22}{'cells':>7}{'cells s':>9}{'ms/cell':>9}{'functional dim':>16}{'all s':>8}")
    for shape in ((2, 8, 8, 1), (2, 12, 12, 1), (2, 16, 16, 1), (3, 8, 6, 1), (3, 12, 8, 1)):
        net = random_network(2, shape, 99)
        start = time.perf_counter()
        count = sum(1 for _ in sf.cells(net))
        cells_time = time.perf_counter() - start
        start = time.perf_counter()
        result = analyse_functional_dimension(net)
        total = time.perf_counter() - start
        text = f"{result.value} of {net.parameter_count}"
        name = "-".join(map(str, shape))
        print(f"{name:<22}{count:>7}{cells_time:>9.2f}{1000 * cells_time / count:>9.1f}{text:>16}{total:>8.2f}")
    net = random_network(6, (6, 50, 50, 50, 50, 50, 50, 5), 9)
    start = time.perf_counter()
    count = sum(1 for _ in sf.cells(net, sf.box(["999/1000"] * 6, ["1001/1000"] * 6)))
    print(f"{'6-50x6-5 in a box':<22}{count:>7}{time.perf_counter() - start:>9.2f}")


if __name__ == "__main__":
    main()
