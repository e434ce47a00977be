"""Manners of the command line, from outside: help with true examples, JSON everywhere, colours, signals, completion."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import symfiber as sf
from symfiber import library
from symfiber.cli import BAD_INPUT, DIFFERENT, DONE, UNDECIDED, make_parser
from symfiber.commands.completion import SHELLS, _options

COMMANDS = dict(_options(make_parser()))
PROGRAM = [sys.executable, "-m", "symfiber"]


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    paths = os.pathsep.join(filter(None, (str(Path(__file__).parent.parent), kept.get("PYTHONPATH"))))
    return {**kept, "PYTHONPATH": paths, "COLUMNS": "80", **more}


def run(*arguments: str, folder: Path | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, env=environment(), timeout=120, **options
    )


def help_of(command: str) -> str:
    parser = make_parser()
    choices = next(a for a in parser._actions if hasattr(a, "choices") and a.choices and "report" in a.choices).choices
    assert choices is not None
    return str(choices[command].format_help())


class TestHelp:
    def test_every_command_is_listed_with_its_purpose(self) -> None:
        shown = run("--help").stdout
        for command in COMMANDS:
            assert command in shown
        assert max(map(len, shown.splitlines())) <= 80 and "symfiber demo" in shown

    @pytest.mark.parametrize("command", COMMANDS)
    def test_examples_are_true(self, command: str, tmp_path: Path) -> None:
        examples = re.findall(r"^  symfiber (.*)$", help_of(command), re.M)
        assert examples, f"{command} has no example"
        for example in examples:
            words = example.split(" > ")[0].split()
            assert words[0] in COMMANDS
            done = run(*words, folder=tmp_path)
            assert done.returncode in (DONE, DIFFERENT), done.stderr
            assert done.stdout or any(tmp_path.iterdir())
            assert not done.stderr


class TestJson:
    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            (["report", "library:hidden-2-2-2-1", "--json"], DONE),
            (["equal", "library:hidden-2-2-2-1", "library:hidden-2-2-2-1", "--json", "--chain"], DONE),
            (["equal", "library:hidden-2-2-2-1", "library:identifiable-2-2-2-1", "--json"], DIFFERENT),
            (["check", "proof.json", "--json"], DONE),
            (["check", "no.json", "--json"], BAD_INPUT),
            (["canonical", "library:hidden-2-2-2-1", "--json"], DONE),
            (["constrain", "library:dead-2-2-3-1", "--zero", "W2_0_0", "--json"], DONE),
            (["constrain", "library:iris-4-2-3-3", "--box", "-1/2", "1/2", "--json"], DIFFERENT),
            (["constrain", "library:dead-2-2-3-1", "--sparsest", "--json"], DONE),
            (["convert", "library:iris-4-2-3-3", "-o", "x.json", "--json"], DONE),
            (["dimension", "library:hidden-2-2-2-1", "--json"], DONE),
            (["laws", "library:hidden-2-2-2-1", "--json"], DONE),
            (["plot", "library:hidden-2-2-2-1", "-o", "x.svg", "--json"], DONE),
            (["census", "2", "2", "--json"], DONE),
            (["census", "2", "2", "1", "--samples", "2", "--json"], DONE),
            (["smtlib", "library:hidden-2-2-2-1", "library:hidden-2-2-2-1", "--json"], DONE),
            (["library", "--json"], DONE),
            (["demo", "--json"], DONE),
        ],
    )
    def test_one_object_with_a_format(self, arguments: list[str], code: int, tmp_path: Path) -> None:
        pair = [library.get("hidden-2-2-2-1")] * 2
        sf.decide_equivalence(*pair).certificate.save(tmp_path / "proof.json")
        done = run(*arguments, folder=tmp_path)
        assert done.returncode == code, done.stderr
        data = json.loads(done.stdout)
        assert data["format"].startswith("symfiber-") and not done.stderr

    def test_every_command_has_it(self) -> None:
        assert {name for name, options in COMMANDS.items() if "--json" not in options} == {"completion"}
        for options in COMMANDS.values():
            assert {"--quiet", "--verbose", "--color", "--help"} <= set(options)


class TestConstrainAndConvert:
    def test_member_is_written_and_equal(self, tmp_path: Path) -> None:
        done = run("constrain", "library:diabetes-10-8-6-1", "--box", "-1", "1", "-o", "small.json", folder=tmp_path)
        assert done.returncode == DONE and "dimension 14" in done.stdout
        small = sf.load(tmp_path / "small.json")
        assert max(abs(x) for x in small.parameters) <= 1
        assert run("equal", "library:diabetes-10-8-6-1", "small.json", folder=tmp_path).returncode == DONE

    def test_all_constraints(self) -> None:
        name = "library:identifiable-2-2-2-1"
        assert run("constrain", name, "--equal", "b1_0", "b1_1").returncode == DONE
        assert run("constrain", name, "--fix", "b3_0=1", "W1_0_0=-1").returncode == DIFFERENT
        assert run("constrain", name, "--fix", "b3_0=1").returncode == DONE
        shown = run("constrain", name, "--norm-squared", "300")
        assert shown.returncode == DONE and "dimension 3" in shown.stdout
        for wrong in (
            ["--fix", "b3_0"],
            ["--names", "b3_0"],
            ["--box", "1", "0"],
            ["--zero", "x"],
            ["--box", "a", "b"],
        ):
            done = run("constrain", name, *wrong)
            assert done.returncode == BAD_INPUT and done.stderr.count("\n") == 1

    def test_convert(self, tmp_path: Path) -> None:
        pytest.importorskip("onnx")
        done = run("convert", "library:hidden-2-2-2-1", "-o", "h.onnx", folder=tmp_path)
        assert "nothing was rounded" in done.stdout
        assert run("convert", "h.onnx", "-o", "h.json", folder=tmp_path).returncode == DONE
        assert sf.load(tmp_path / "h.json") == library.get("hidden-2-2-2-1")
        for output, words in (("h.txt", "must end in .json or .onnx"), ("no/h.json", "folder")):
            done = run("convert", "h.json", "-o", output, folder=tmp_path)
            assert done.returncode == BAD_INPUT and words in done.stderr
        done = run("convert", "h.json", "-o", "h.json", folder=tmp_path)
        assert done.returncode == BAD_INPUT and "input" in done.stderr


class TestInput:
    def test_standard_input(self) -> None:
        text = json.dumps(library.get("hidden-2-2-2-1").to_dict())
        assert run("dimension", "-", input=text).stdout.startswith("functional dimension 10 of 15")
        done = run("dimension", "-", input="{")
        assert done.returncode == BAD_INPUT and "standard input" in done.stderr

    def test_did_you_mean(self) -> None:
        done = run("raport", "x")
        assert done.returncode == BAD_INPUT and "did you mean 'report'?" in done.stderr
        assert "did you mean 'hidden-2-2-2-1'?" in run("report", "library:hidden-2-2-2").stderr
        assert "did you mean 'latex'?" in run("report", "library:hidden-2-2-2-1", "--format", "latx").stderr
        assert "did you mean" not in run("xxxxxxxx").stderr


def on_a_terminal(*arguments: str, **variables: str) -> str:
    """Run with stdout and stderr on a terminal, and return what it shows."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *arguments], stdout=child, stderr=child, env=environment(TERM="xterm", **variables)
    )
    os.close(child)
    shown = b""
    while True:
        try:
            part = os.read(parent, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    process.wait(60)
    os.close(parent)
    return shown.decode()


class TestColours:
    PAIR = ("equal", "library:hidden-2-2-2-1", "library:identifiable-2-2-2-1")

    def test_only_on_a_terminal(self) -> None:
        assert "\x1b[31mdifferent\x1b[0m" in on_a_terminal(*self.PAIR)
        assert "\x1b" not in run(*self.PAIR).stdout
        assert "\x1b" not in on_a_terminal(*self.PAIR, NO_COLOR="1")
        assert "\x1b" not in on_a_terminal(*self.PAIR, "--color", "never")
        assert "\x1b[1m" in on_a_terminal("report", "library:constant-2-2-2-1")

    def test_on_request(self) -> None:
        assert "\x1b[31m" in run(*self.PAIR, "--color", "always").stdout
        done = subprocess.run([*PROGRAM, *self.PAIR], capture_output=True, text=True, env=environment(FORCE_COLOR="1"))
        assert "\x1b[31m" in done.stdout

    def test_verbose_and_quiet(self) -> None:
        done = run(*self.PAIR, "-v")
        assert re.search(r"symfiber: decide: \d+\.\d\d s\nsymfiber: in all: \d+\.\d\d s\n$", done.stderr)
        assert done.stdout == run(*self.PAIR).stdout and not run(*self.PAIR, "-v", "-q").stderr


class TestSignals:
    @pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6])
    def test_interrupted_at_any_time(self, delay: float, tmp_path: Path) -> None:
        slow = ["census", "3", "8", "8", "1", "--samples", "5000", "-o", "out.txt"]
        process = subprocess.Popen(
            [*PROGRAM, *slow], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
        )
        # Python itself must be up before anything of ours can be asked to behave.
        time.sleep(0.15 + delay)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode in (130, -signal.SIGINT) and not out
        assert b"Traceback" not in err
        assert not list(tmp_path.iterdir())

    def test_a_reader_that_leaves(self) -> None:
        done = subprocess.run(
            [
                "bash",
                "-c",
                f"set -o pipefail; {sys.executable} -m symfiber report library:wine-13-2-4-3-linear-dead --all | head -1",
            ],
            capture_output=True,
            text=True,
            env=environment(),
        )
        assert done.stdout.count("\n") == 1 and not done.stderr

    def test_a_program_that_imports_keeps_its_signals(self) -> None:
        code = "import signal; a = signal.getsignal(signal.SIGINT); import symfiber; print(signal.getsignal(signal.SIGINT) is a)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
        assert done.stdout == "True\n"


class TestCompletion:
    @pytest.mark.parametrize("shell", SHELLS)
    def test_script_is_valid(self, shell: str, tmp_path: Path) -> None:
        script = run("completion", shell).stdout
        assert all(command in script for command in COMMANDS) and "library:hidden-2-2-2-1" in script
        if shutil.which(shell) is None:
            pytest.skip(f"{shell} is not installed")
        (tmp_path / "script").write_text(script)
        done = subprocess.run([shell, "-n", str(tmp_path / "script")], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            (["rep"], ["report"]),
            (["constrain", "--le"], ["--least-norm"]),
            (["c"], ["check", "canonical", "constrain", "convert", "census", "completion"]),
            (["report", "fil"], ["file.json"]),
        ],
    )
    def test_bash_completes(self, words: list[str], expected: list[str], tmp_path: Path) -> None:
        (tmp_path / "file.json").write_text("{}")
        script = run("completion", "bash").stdout
        line = " ".join(f"'{word}'" for word in ["symfiber", *words])
        ask = f'COMP_WORDS=({line}); COMP_CWORD={len(words)}; _symfiber; printf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", f"{script}\n{ask}"], cwd=tmp_path, capture_output=True, text=True)
        assert sorted(done.stdout.split()) == sorted(expected), done.stderr


def test_undecided_is_its_own_code(tmp_path: Path) -> None:
    done = run("constrain", "library:univariate-reversible-1-1-2-1", "--sparsest")
    assert done.returncode == UNDECIDED and "outside the theorems" in done.stderr
