"""Certificates and their checker: valid ones pass, changed ones are refused unless the claim stays true."""

from __future__ import annotations

import ast
import copy
import json
import random
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest
import z3
from oracle.cells import evaluate, parse_layers
from oracle.random_networks import rank
from oracle.z3_equal import equal
from planted import KINDS, base_network, equal_partner, perturbed

import symfiber as sf
from symfiber import checker
from symfiber.certificate import Certificate, column_rank_certificate, membership_certificate
from symfiber.exact import Matrix

SEED = 20260503
CHECKER = Path(checker.__file__)
CASES = json.loads((Path(__file__).parent / "data" / "cases.json").read_text())


def certificate(a, b, **options):
    result = sf.decide_equivalence(sf.Network(a), sf.Network(b), **options)
    return json.loads(json.dumps(result.certificate.to_dict()))


def run(path):
    return subprocess.run([sys.executable, "-I", str(CHECKER), str(path)], capture_output=True, text=True, timeout=60)


def samples():
    """Certificates of every kind, small enough to decide their claims independently."""
    rng = random.Random(SEED)
    for kind in KINDS:
        a = base_network(rng, kind, (2, 2, 2, 1))
        yield certificate(a, equal_partner(rng, a, 3))
        yield certificate(a, perturbed(rng, a))
    a = base_network(rng, "mixed", (2, 2, 2, 1))
    yield certificate(a, equal_partner(rng, a, 2), engine="cells")
    a = [([[-1, -1], [0, -2]], [-2, -2]), ([[-2, 1], [-1, 1]], [0, 0]), ([[1, -1]], [-1])]
    b = [([[1, 0], [1, -1]], [1, 0]), ([[-2, 1], [-2, -1]], [0, -1]), ([[-1, -1]], [-1])]
    yield certificate(a, b)
    yield certificate([([[1]], [0]), ([[1]], [0]), ([[2]], [0])], [([[3]], [0]), ([[Fraction(2, 3)]], [0])])
    for rows in ([[1, -1, 2], [0, 3, 0]], [[1, 2], [2, 4]], [[0, 0]], [[1, 0, -1], [0, 1, -1]]):
        yield json.loads(json.dumps(column_rank_certificate(sf.nonnegative_column_rank(rows)).to_dict()))


SAMPLES = list(samples())


def is_true(data):
    """Decide the claim of a certificate without the checker."""
    if data["claim"] == "different":
        x = [Fraction(t) for t in data["point"]]
        return evaluate(parse_layers(data["a"]), x) != evaluate(parse_layers(data["b"]), x)
    if data["claim"] == "equal":
        return equal(parse_layers(data["a"]), parse_layers(data["b"])) is None
    rows = [[Fraction(x) for x in row] for row in data["matrix"]]
    columns = [column for column in zip(*rows) if any(column)]
    solver, u = z3.Solver(), [z3.Real(f"u{i}") for i in range(len(rows))]
    for column in columns:
        solver.add(z3.Sum([z3.Q(c.numerator, c.denominator) * x for c, x in zip(column, u)]) > 0)
    return data["value"] == rank(rows) + (solver.check() == z3.unsat)


def accepted(data):
    """Return whether the checker accepts; only a Refusal may refuse."""
    try:
        checker.check(data)
    except checker.Refusal as refusal:
        assert refusal.args[1] in (1, 2)
        return False
    return True


@pytest.mark.parametrize("index", range(len(SAMPLES)))
def test_certificates_are_valid_and_true(index, tmp_path):
    data = SAMPLES[index]
    assert accepted(data)
    assert is_true(data)
    assert Certificate(data).verify()
    if index % 6 == 0:
        Certificate(data).save(tmp_path / "proof.json")
        assert Certificate.load(tmp_path / "proof.json").data == data
        done = run(tmp_path / "proof.json")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("valid: ")


def test_the_checker_is_one_small_file_that_needs_the_standard_library_only():
    source = CHECKER.read_text()
    assert len(source.splitlines()) < 350
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module.split(".")[0])
    assert names <= set(sys.stdlib_module_names)


def test_one_digit_changed_anywhere_is_refused_unless_the_claim_stays_true():
    rng = random.Random(SEED)
    texts = [json.dumps(data) for data in SAMPLES]
    places = [[i for i, c in enumerate(text) if c.isdigit()] for text in texts]
    counts = {True: 0, False: 0}
    for _ in range(4000):
        t = rng.randrange(len(texts))
        i = rng.choice(places[t])
        digit = rng.choice([d for d in "0123456789" if d != texts[t][i]])
        try:
            data = json.loads(texts[t][:i] + digit + texts[t][i + 1 :])
        except ValueError:  # a number such as 03
            continue
        passes = accepted(data)
        counts[passes] += 1
        if passes:
            assert is_true(data), (t, i, digit)
    assert counts[True] > 500 and counts[False] > 1500, counts


def test_one_step_left_out_repeated_or_moved_is_refused_unless_the_claim_stays_true():
    rng = random.Random(SEED)
    equal_ones = [data for data in SAMPLES if data["claim"] == "equal"]
    refused = 0
    for _ in range(600):
        data = copy.deepcopy(rng.choice(equal_ones))
        steps = rng.choice(
            [data[key] for key in ("steps_a", "steps_b", "steps_difference", "tree") if data.get(key)] or [[]]
        )
        if not steps:
            continue
        i = rng.randrange(len(steps))
        move = rng.choice(("drop", "repeat", "swap"))
        if move == "drop":
            del steps[i]
        elif move == "repeat":
            steps.insert(i, copy.deepcopy(steps[i]))
        else:
            k = rng.randrange(len(steps))
            steps[i], steps[k] = steps[k], steps[i]
        if accepted(data):
            assert is_true(data)
        else:
            refused += 1
    assert refused > 200


def test_steps_of_an_equal_pair_prove_nothing_about_a_different_one():
    rng = random.Random(SEED)
    for data in SAMPLES:
        if data["claim"] != "equal":
            continue
        changed = copy.deepcopy(data)
        layers = changed["b"]["layers"]
        layers[-1]["bias"][0] = str(Fraction(layers[-1]["bias"][0]) + Fraction(1, 10**9))
        assert not accepted(changed)
        mixed = {**data, "b": rng.choice([d for d in SAMPLES if d["claim"] == "equal"])["b"]}
        if accepted(mixed):
            assert is_true(mixed)


ODD = [
    None,
    True,
    [],
    {},
    "",
    "x",
    "1/0",
    "1/00",
    "-",
    "1e5",
    "1.5",
    "+1",
    " 1",
    "１",
    0,
    -1,
    7,
    1.5,
    10**30,
    "9" * 5000,
    [[]],
    [None],
    {"a": 1},
]


def replace_somewhere(rng, data):
    """Return a copy with one node anywhere replaced by something odd."""
    data = copy.deepcopy(data)
    nodes, stack = [], [data]
    while stack:
        node = stack.pop()
        for key in node if isinstance(node, dict) else range(len(node)):
            nodes.append((node, key))
            if isinstance(node[key], (dict, list)):
                stack.append(node[key])
    node, key = rng.choice(nodes)
    node[key] = rng.choice(ODD)
    return data


def test_odd_values_anywhere_end_with_a_refusal():
    rng = random.Random(SEED)
    for _ in range(6000):
        data = replace_somewhere(rng, rng.choice(SAMPLES))
        if accepted(data):
            assert is_true(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be read"),
        ("[" * 10**6, "cannot be read"),
        ('{"a":' * 10**5, "cannot be read"),
        ("null", "format"),
        ("{}", "format"),
        ('{"format": "symfiber-certificate/2", "claim": "equal"}', "format"),
        ('{"format": "symfiber-certificate/1"}', "claim"),
        ('{"format": "symfiber-certificate/1", "claim": "fine"}', "claim"),
        ('{"format": "symfiber-certificate/1", "claim": "equal", "claim": "different"}', "repeated"),
        ('{"format": "symfiber-certificate/1", "claim": "all", "parts": {}}', "list"),
        ('{"format": "symfiber-certificate/1", "claim": "equal", "a": ' + "9" * 10**6 + "}", "cannot be read"),
        ('{"format": "symfiber-certificate/1", "claim": "equal"}', "fields"),
    ],
)
def test_unreadable_files_get_one_sentence_and_exit_code_2(text, message, tmp_path):
    path = tmp_path / "proof.json"
    path.write_text(text)
    done = run(path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr


def test_missing_files_folders_and_bytes(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "none.json", tmp_path, tmp_path / "bytes"):
        assert run(path).returncode == 2
        with pytest.raises(sf.InputError):
            Certificate.load(path)
    assert subprocess.run([sys.executable, str(CHECKER)], capture_output=True, timeout=60).returncode == 2


def test_a_false_claim_has_exit_code_1(tmp_path):
    data = copy.deepcopy(SAMPLES[0])
    data["steps_a"] = data["steps_b"] = []
    Certificate(data).save(tmp_path / "proof.json")
    assert run(tmp_path / "proof.json").returncode == 1
    with pytest.raises(sf.VerificationError, match="does not check"):
        Certificate(data).verify()


def network(*layers):
    return {"layers": [{"weight": w, "bias": b} for w, b in layers]}


def refused_for_work(data, monkeypatch, budget=2_000_000):
    monkeypatch.setattr(checker.Work, "left", budget)
    started = time.monotonic()
    with pytest.raises(checker.Refusal, match="work") as refusal:
        checker.check(data)
    assert refusal.value.args[1] == 2
    assert time.monotonic() - started < 20


def equal_claim(a, b, **more):
    return {"format": checker.FORMAT, "claim": "equal", "a": a, "b": b, "steps_a": [], "steps_b": [], **more}


def test_bombs_end_at_the_limits(monkeypatch):
    small = network(([["1"]], ["0"]), ([["1"]], ["0"]), ([["1"]], ["0"]))
    long = "7" * 4300
    growing = [["scale", 1, [long]]] * 10**5
    refused_for_work(equal_claim(small, small, steps_a=growing), monkeypatch)
    refused_for_work(equal_claim(small, small, steps_a=[["lift", 1, [0]]] * 10**6), monkeypatch)
    refused_for_work(equal_claim(small, small, steps_a=[["flip", 1, []]] * 10**6), monkeypatch)
    refused_for_work(equal_claim(small, small, steps_a=[["flip", 2, [0]]] * 10**6), monkeypatch)
    deep = network(([["1"]], ["0"]), *[([["1"]], ["0"])] * 500, ([["1"]], ["0"]))
    ones, zeros = [["1"] for _ in range(2000)], ["0"] * 2000
    wide = network((ones, zeros), ([["0"] * 2000], ["0"]), ([["1"]], ["0"]))
    refused_for_work(equal_claim(deep, wide, tree=[]), monkeypatch)


def test_files_beyond_the_size_limit_are_not_read(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(checker, "MAX_BYTES", 100)
    (tmp_path / "proof.json").write_text(" " * 101)
    assert checker.main([str(tmp_path / "proof.json")]) == 2
    assert "too large" in capsys.readouterr().err


@pytest.mark.parametrize("name", [case["name"] for case in CASES["networks"]])
def test_fibers_prove_their_components(name):
    case = next(case for case in CASES["networks"] if case["name"] == name)
    fiber = sf.fiber(sf.Network(parse_layers(case["network"])))
    proof = fiber.proof()
    assert proof.verify()
    members = [part for part in proof.data["parts"] if part["claim"] == "equal"]
    assert len(members) == fiber.component_count
    labels = {tuple((i, t, q.startswith("-")) for i, t, _, q in part["matches"]) for part in members}
    assert len(labels) == fiber.component_count
    for part in members:
        assert parse_layers(part["a"]) == parse_layers(case["network"])
        assert equal(parse_layers(part["a"]), parse_layers(part["b"])) is None


def test_matches_are_checked():
    case = next(case for case in CASES["networks"] if case["name"] == "five-free")
    fiber = sf.fiber(sf.Network(parse_layers(case["network"])))
    data = membership_certificate(fiber.network, fiber.components[1].sample(0)).data
    assert any(match[3].startswith("-") for match in data["matches"])
    for position in range(len(data["matches"])):
        changed = copy.deepcopy(data)
        changed["matches"][position][3] = str(-Fraction(changed["matches"][position][3]))
        assert not accepted(changed)
    with pytest.raises(sf.InputError, match="same function"):
        membership_certificate(fiber.network, sf.Network([([[1, 1]], [0]), ([[1], [1]], [0, 0])]))


@pytest.mark.parametrize("seed", range(20))
def test_random_column_ranks(seed):
    rng = random.Random(f"{SEED} {seed}")
    m, n = rng.randint(1, 3), rng.randint(1, 4)
    rows = [[rng.randint(-1, 2) for _ in range(n)] for _ in range(m)]
    proof = column_rank_certificate(sf.nonnegative_column_rank(Matrix(rows)))
    assert proof.verify()
    assert is_true(proof.data)
    assert not accepted({**proof.data, "value": proof.data["value"] + 1})
    assert not accepted({**proof.data, "value": float(proof.data["value"])})
