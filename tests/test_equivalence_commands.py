"""The commands ``equal``, ``check``, ``canonical`` and ``smtlib``: answers, exit codes, files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import symfiber as sf
from symfiber import library
from symfiber.cli import main


@pytest.fixture
def models(tmp_path: Path) -> dict[str, str]:
    """a and b are equal, c differs by 10⁻⁹ in one entry, d has other dimensions."""
    net = library.get("hidden-single-3-3-1-1")
    entries = list(net.parameters)
    entries[0] = entries[0] + sf.Network([([["1/1000000000"]], [0])]).parameters[0]
    nets = {
        "a": net,
        "b": sf.fiber(net).components[3].sample(4),
        "c": sf.Network.from_parameters(net.architecture, entries),
        "d": library.get("wide-1-2-1-1"),
    }
    for name, value in nets.items():
        value.save(tmp_path / f"{name}.json")
    return {name: str(tmp_path / f"{name}.json") for name in nets}


def test_equal_and_check(models: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    certificate = tmp_path / "cert.json"
    assert main(["equal", models["a"], models["b"], "-o", str(certificate), "--chain"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("equal: ") and "permute layer 1 of a" in printed
    assert main(["check", str(certificate)]) == 0 and "valid" in capsys.readouterr().out
    checker = Path(sf.__file__).parent / "checker.py"
    alone = subprocess.run(
        [sys.executable, str(checker), str(certificate)], capture_output=True, text=True, cwd=tmp_path
    )
    assert alone.returncode == 0 and "valid" in alone.stdout
    broken = json.loads(certificate.read_text())
    broken["a"], broken["b"] = broken["b"], broken["a"]
    certificate.write_text(json.dumps(broken))
    assert main(["check", str(certificate)]) == 1


def test_different(models: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    certificate = tmp_path / "cert.json"
    assert main(["equal", models["a"], models["c"], "-o", str(certificate)]) == 1
    assert "x = (" in capsys.readouterr().out
    assert main(["check", str(certificate)]) == 0


def test_fiber_proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sf.fiber(library.get("one-linear-2-2-3-1")).proof().save(tmp_path / "proof.json")
    assert main(["check", str(tmp_path / "proof.json")]) == 0 and "orientations" in capsys.readouterr().out


def test_canonical(models: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["canonical", models["a"], models["b"], models["c"]]) == 0
    assert "3 networks, 2 canonical forms" in capsys.readouterr().out
    assert main(["canonical", models["a"], models["c"], "--json"]) == 0
    assert [group["models"] for group in json.loads(capsys.readouterr().out)["groups"]] == [
        [models["a"]],
        [models["c"]],
    ]


def test_smtlib_agrees_with_a_solver(models: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    import z3

    for other, answer in (("b", z3.unsat), ("c", z3.sat)):
        assert main(["smtlib", models["a"], models[other]]) == 0
        solver = z3.Solver()
        solver.from_string(capsys.readouterr().out)
        assert solver.check() == answer


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["equal", "{a}", "{d}"], 2, "input dimension"),
        (["equal", "{a}", "missing.json"], 2, "must exist"),
        (["equal", "{a}"], 2, "B"),
        (["equal", "{a}", "{b}", "--limit", "0"], 2, "--limit"),
        (["equal", "{a}", "{b}", "--seconds", "-3"], 2, "--seconds"),
        (["equal", "{a}", "{b}", "-o", "{a}"], 2, "must not be the input"),
        (["equal", "{a}", "{b}", "-o", "/no/such/folder/x.json"], 2, "folder"),
        (["check", "missing.json"], 2, "cannot be read"),
        (["check", "{a}"], 2, "format"),
        (["canonical"], 2, "MODEL"),
        (["smtlib", "{a}", "{d}"], 2, "same (inputs, outputs)"),
    ],
)
def test_bad_input(
    models: dict[str, str], arguments: Any, code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([argument.format(**models) for argument in arguments]) == code
    error = capsys.readouterr().err
    assert words in error and "Traceback" not in error
