"""Equivalence: planted pairs, changed certificates, and times beside z3, file reading and a FLINT product.

    python tests/benchmarks/equivalence.py planted [COUNT] [SEED]
    python tests/benchmarks/equivalence.py mutations [COUNT] [SEED]
    python tests/benchmarks/equivalence.py speed

Prints counts and tables; asserts nothing.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from flint import fmpz_mat
from oracle.cells import evaluate, parse_layers
from oracle.z3_equal import equal
from planted import KINDS, base_network, equal_partner, far_cell_pair, permute, perturbed, reorient, scale

import symfiber as sf
from symfiber import checker

SIZES = ((2, 2, 2, 1), (3, 2, 3, 2), (3, 3, 4, 1), (5, 4, 6, 2), (8, 8, 8, 3), (16, 12, 20, 3), (32, 32, 32, 4))


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def separates(a, b, result):
    return result.witness is not None and evaluate(a, result.witness) != evaluate(b, result.witness)


def planted(count=1000, seed=0):
    """Planted equal pairs, the same with one entry changed by 10⁻⁹, and differences in a thin far cell."""
    rng, answers, slowest = random.Random(seed), Counter(), {}
    for number in range(count):
        kind, widths = KINDS[number % len(KINDS)], SIZES[number // len(KINDS) % len(SIZES)]
        a = base_network(rng, kind, widths)
        b = equal_partner(rng, a)
        changed = perturbed(rng, b)
        pairs = [("planted", a, b), ("changed by 1e-9", a, changed)]
        if number % 4 == 0:
            base, tent = far_cell_pair(rng, widths)
            pairs.append(("far cell", base, equal_partner(rng, tent)))
        for name, p, q in pairs:
            nets = sf.Network(p), sf.Network(q)
            seconds, result = timed(lambda nets=nets: sf.decide_equivalence(*nets))
            valid = result.certificate.verify()
            answer = "EQUAL" if result.equivalent else "DIFFERENT" if separates(p, q, result) else "WRONG WITNESS"
            if name != "planted" and result.equivalent:
                answer += " and z3 agrees" if equal(p, q) is None else " BUT Z3 FINDS A POINT"
            answers[name, answer, result.method, "certificate valid" if valid else "INVALID"] += 1
            slowest[name] = max(slowest.get(name, 0.0), seconds)
    for key, value in sorted(answers.items()):
        print(f"{value:6}  {', '.join(key)}")
    for name, seconds in slowest.items():
        print(f"slowest {name}: {seconds:.3f} s")


def mutations(count=10000, seed=0):
    """One digit changed anywhere in the steps or networks of an equality certificate; z3 says whether it stays true."""
    rng, outcome = random.Random(seed), Counter()
    texts = []
    for kind in KINDS * 3:
        a = base_network(rng, kind, (2, 2, 2, 1))
        result = sf.decide_equivalence(sf.Network(a), sf.Network(equal_partner(rng, a, 3)))
        texts.append(json.dumps(result.certificate.to_dict()))
    for _ in range(count):
        text = rng.choice(texts)
        place = rng.choice([i for i, c in enumerate(text) if c.isdigit()])
        digit = rng.choice([d for d in "0123456789" if d != text[place]])
        try:
            data = json.loads(text[:place] + digit + text[place + 1 :])
        except ValueError:
            outcome["not JSON"] += 1
            continue
        try:
            checker.check(data)
        except checker.Refusal as refusal:
            outcome[f"refused, code {refusal.args[1]}"] += 1
            continue
        true = equal(parse_layers(data["a"]), parse_layers(data["b"])) is None
        outcome["accepted, claim still true (z3)" if true else "ACCEPTED BUT FALSE"] += 1
    for key, value in sorted(outcome.items()):
        print(f"{value:6}  {key}")


def random_layers(rng, widths, digits):
    bound = 10**digits

    def entry():
        return Fraction(rng.choice((-1, 1)) * rng.randint(1, bound), bound)

    return [
        ([[entry() for _ in range(n)] for _ in range(m)], [entry() for _ in range(m)])
        for n, m in zip(widths, widths[1:])
    ]


def read_both(folder, nets):
    for name, net in zip("ab", nets):
        net.save(folder / f"{name}.json")
    return timed(lambda: [sf.load(folder / f"{name}.json") for name in "ab"])[0]


def product_time(width, digits):
    rng = random.Random(0)
    entries = [rng.randint(-(10**digits), 10**digits) for _ in range(2 * width * width)]
    left, right = fmpz_mat(width, width, entries[: width * width]), fmpz_mat(width, width, entries[width * width :])
    return timed(lambda: left * right)[0]


def z3_time(a, b, limit):
    try:
        return f"{timed(lambda: equal(a, b, limit))[0]:.3f}"
    except RuntimeError:
        return f"> {limit}"


def speed(limit=60):
    """Times in seconds for pairs (w, w, w, m): equal ones (permuted, scaled, re-oriented) and one entry changed."""
    print("width digits  read both  equal  different  z3 equal  z3 different  FLINT product")
    with tempfile.TemporaryDirectory() as name:
        for width, outputs, digits in (
            *((w, 1 if w < 8 else 4, 2) for w in (2, 4, 8, 16, 32, 64, 128)),
            (256, 10, 2),
            (64, 4, 20),
            (64, 4, 200),
        ):
            rng = random.Random(width)
            a = random_layers(rng, (width, width, width, outputs), digits)
            b = scale(rng, permute(rng, reorient(rng, a)))
            changed = perturbed(rng, b)
            nets = sf.Network(a), sf.Network(b)
            other = sf.Network(changed)
            reading = read_both(Path(name), nets)
            same = timed(lambda nets=nets: sf.decide_equivalence(*nets))[0]
            different = timed(lambda nets=nets, other=other: sf.decide_equivalence(nets[0], other))[0]
            z3_same = z3_time(a, b, limit) if width <= 8 else "-"
            z3_other = z3_time(a, changed, limit) if width <= 8 else "-"
            flint = product_time(width, digits)
            print(
                f"{width:5} {digits:6} {reading:10.4f} {same:6.4f} {different:10.4f} {z3_same:>9} {z3_other:>13} {flint:14.6f}",
                flush=True,
            )


if __name__ == "__main__":
    command, *numbers = sys.argv[1:] or ["speed"]
    {"planted": planted, "mutations": mutations, "speed": speed}[command](*map(int, numbers))
