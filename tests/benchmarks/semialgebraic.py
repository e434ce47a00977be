"""Time the set engine: Krull and real dimension of component sets, disjointness, membership, SymPy beside ours.

Run: python tests/benchmarks/semialgebraic.py
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import sympy

import symfiber as sf
from symfiber import library
from symfiber.constraints import box, minimum_norm_scaling, scale_into
from symfiber.dimension import real_dimension
from symfiber.emptiness import decide_emptiness
from symfiber.exact import PolynomialRing, Rational
from symfiber.exact.groebner import groebner_basis
from symfiber.exact.ideal import krull_dimension
from symfiber.exact.parsing import polynomial_to_sympy

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text())["networks"]


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def networks() -> dict[str, sf.Network]:
    found = {n: library.get(n) for n in library.names() if len(library.get(n).hidden_widths) == 2}
    for case in CASES:
        layers = [(layer["weight"], layer["bias"]) for layer in case["network"]["layers"]]
        found[f"case {case['name']}"] = sf.Network(layers)
    return {n: net for n, net in found.items() if not n.startswith(("wide", "rank"))}


def components() -> None:
    small = large = real = disjoint = 0.0
    for name, net in networks().items():
        parts = list(sf.fiber(net).components)
        for component in parts:
            for piece in component.set.pieces:
                seconds, _ = timed(lambda piece=piece: krull_dimension(piece.equations, piece.ring))
                if net.parameter_count <= 30:
                    small = max(small, seconds)
                else:
                    large = max(large, seconds)
            seconds, found = timed(lambda component=component: real_dimension(component.set))
            assert found.lower == component.dimension, name
            real = max(real, seconds)
        for a, b in combinations(parts, 2):
            seconds, answer = timed(lambda a=a, b=b: decide_emptiness(a.set & b.set))
            assert answer.empty and answer.proved, name
            disjoint = max(disjoint, seconds)
    print(f"Krull dimension of a component ideal, at most 30 variables: at most {small:.3f} s (target 30 s)")
    print(f"                                      31 to 149 variables: at most {large:.3f} s")
    print(f"real dimension of a component: at most {real:.3f} s; two components disjoint: at most {disjoint:.3f} s")


def membership() -> None:
    rng = random.Random(64)
    shape = (64, 32, 32, 4)
    count = sf.Network.symbolic(shape).parameter_count
    net = sf.Network.from_parameters(shape, [rng.choice([-1, 1]) * rng.randint(1, 997) for _ in range(count)])
    seconds, fiber = timed(lambda: sf.fiber(net))
    member = fiber.home.sample(1)
    inside, answer = timed(lambda: member in fiber)
    assert answer
    print(f"64-32-32-4: fiber {seconds:.2f} s, membership of another member {inside:.2f} s (target 2 s)")


def constraints() -> None:
    net = library.get("diabetes-10-8-6-1")
    seconds, left = timed(lambda: sf.fiber(net).intersect(box(net)))
    assert left.member in sf.fiber(net) and left.dimension == 14
    refuted, nothing = timed(lambda: sf.fiber(net).intersect(box(net, "-1/50", "1/50")))
    assert nothing.is_empty
    print(f"10-8-6-1: a box and a member in it {seconds:.2f} s, a smaller box refuted {refuted:.2f} s (target 10 s)")
    rng = random.Random(32)
    shape = (64, 32, 32, 4)
    count = sf.Network.symbolic(shape).parameter_count
    large = sf.Network.from_parameters(shape, [rng.choice([-1, 1]) * rng.randint(1, 997) for _ in range(count)])
    bounds = dict.fromkeys(large.parameter_names, (-Rational(2000), Rational(2000)))
    into, _ = timed(lambda: scale_into(large, bounds))
    least, found = timed(lambda: minimum_norm_scaling(large))
    print(f"64-32-32-4: scaling into a box decided in {into:.2f} s, least norm within 1e-9 in {least:.2f} s")
    assert found.verify()


def symbolic() -> None:
    for shape in ((2, 2, 2, 1), (3, 3, 2, 2), (3, 3, 4, 3)):
        signs = [["+-"[(i + j) % 2] for i in range(shape[1] + 1)] for j in range(shape[2])]
        seconds, fiber = timed(lambda shape=shape, signs=signs: sf.fiber(sf.Network.symbolic(shape, signs=signs)))
        more, parts = timed(lambda fiber=fiber: fiber.components)
        print(f"symbolic {shape}: {len(parts)} components with conditions in {seconds + more:.2f} s")


def katsura(n: int) -> list[Any]:
    ring = PolynomialRing([f"u{i}" for i in range(n + 1)])
    u = ring.generators

    def at(i: int) -> Any:
        return u[abs(i)] if abs(i) <= n else ring.constant(0)

    sums = [sum((at(k) * at(m - k) for k in range(-n, n + 1)), ring.constant(0)) - at(m) for m in range(n)]
    return [*sums, at(0) + sum((at(k) * 2 for k in range(1, n + 1)), ring.constant(0)) - 1]


def against_sympy() -> None:
    for n in (4, 5):
        generators = katsura(n)
        ours, basis = timed(lambda generators=generators: groebner_basis(generators))
        symbols = [sympy.Symbol(name) for name in basis.ring.names]
        converted = [polynomial_to_sympy(p) for p in generators]
        arguments = (converted, *symbols)
        theirs, other = timed(lambda arguments=arguments: sympy.groebner(*arguments, order="grevlex"))
        assert len(other.exprs) == len(basis.basis)
        print(f"Groebner basis of katsura-{n}: {ours:.2f} s, SymPy {theirs:.2f} s")


if __name__ == "__main__":
    components()
    membership()
    constraints()
    symbolic()
    against_sympy()
