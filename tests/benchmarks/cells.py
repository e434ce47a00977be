"""Cells, faces and functional dimension: counts and times.  Run as a script; prints a table.

``python tests/benchmarks/cells.py NETWORKS.json`` also writes the networks for ``relucent_cells.py``.
"""

from __future__ import annotations

import json
import random
import sys
import time
from itertools import pairwise
from pathlib import Path

import symfiber as sf
from symfiber.complex import face_counts
from symfiber.functional_dimension import analyse_functional_dimension

SHAPES = (
    (2, 8, 8, 1),
    (2, 12, 12, 1),
    (2, 16, 16, 1),
    (2, 32, 32, 1),
    (2, 64, 64, 1),
    (3, 8, 6, 1),
    (3, 12, 8, 1),
    (4, 8, 6, 1),
    (2, 8, 8, 8, 8, 1),
)


def random_network(seed: int, shape: tuple[int, ...], bound: int) -> sf.Network:
    draw = random.Random(seed)
    layers = []
    for before, after in pairwise(shape):
        weight = [[draw.randint(-bound, bound) for _ in range(before)] for _ in range(after)]
        layers.append((weight, [draw.randint(-bound, bound) for _ in range(after)]))
    return sf.Network(layers)


def main() -> None:
    print(
        f"{'architecture':<14}{'cells':>7}{'seconds':>9}{'ms/cell':>9}{'us/cell/neuron':>16}"
        f"{'faces s':>9}{'functional dim':>16}{'seconds':>9}"
    )
    saved = []
    for shape in SHAPES:
        net = random_network(2, shape, 99)
        start = time.perf_counter()
        count = sum(1 for _ in sf.cells(net))
        seconds = time.perf_counter() - start
        saved.append({"shape": shape, "cells": count, "seconds": seconds, "network": net.to_dict()})
        start = time.perf_counter()
        assert face_counts(net)[-1] == count
        faces = time.perf_counter() - start
        line = f"{'-'.join(map(str, shape)):<14}{count:>7}{seconds:>9.3f}{1000 * seconds / count:>9.3f}"
        line += f"{10**6 * seconds / count / sum(shape[1:-1]):>16.1f}{faces:>9.2f}"
        if net.parameter_count <= 400:
            start = time.perf_counter()
            result = analyse_functional_dimension(net)
            text = f"{result.value} of {net.parameter_count}"
            line += f"{text:>16}{time.perf_counter() - start:>9.2f}"
        print(line, flush=True)
    net = random_network(6, (6, 50, 50, 50, 50, 50, 50, 5), 9)
    for size in (1000, 100, 20):
        start = time.perf_counter()
        sides = [f"{size - 1}/{size}"] * 6, [f"{size + 1}/{size}"] * 6
        count = sum(1 for _ in sf.cells(net, sf.box(*sides)))
        print(f"6-50x6-5 in a box of radius 1/{size}: {count} cells, {time.perf_counter() - start:.2f} s", flush=True)
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(saved))


if __name__ == "__main__":
    main()
