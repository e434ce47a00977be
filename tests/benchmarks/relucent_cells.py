"""The same networks with relucent (floats; PyPI), counts compared.  Needs its own environment, and nothing of symfiber.

``python tests/benchmarks/relucent_cells.py NETWORKS.json`` with the file that ``cells.py`` wrote.
"""

from __future__ import annotations

import json
import sys
import time
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    if find_spec("relucent") is None or len(sys.argv) < 2:
        print("skipped: needs relucent and a file of networks")
        return
    import numpy as np
    import relucent

    print(f"{'architecture':<14}{'symfiber':>9}{'seconds':>9}{'relucent':>9}{'seconds':>9}")
    for item in json.loads(Path(sys.argv[1]).read_text()):
        shape = item["shape"]
        if sum(shape[1:-1]) > 32:
            continue
        net = relucent.mlp(shape)
        linear = [layer for name, layer in net.layers.items() if name.startswith("fc")]
        for layer, exact in zip(linear, item["network"]["layers"]):
            layer.weight = np.array([[float(Fraction(x)) for x in row] for row in exact["weight"]])
            layer.bias = np.array([float(Fraction(x)) for x in exact["bias"]])
        found = relucent.Complex(net)
        start = time.perf_counter()
        found.bfs(nworkers=1, verbose=0)
        seconds = time.perf_counter() - start
        name = "-".join(map(str, shape))
        print(f"{name:<14}{item['cells']:>9}{item['seconds']:>9.3f}{len(found):>9}{seconds:>9.2f}", flush=True)


if __name__ == "__main__":
    main()
