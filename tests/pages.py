"""Markdown pages as tests: the sessions and commands that a page shows are run in order, in one folder.

A ``>>>`` block is a doctest; all of a page share their names.  A ``console`` block is run by a shell: lines that start
with ``$`` are commands, the rest is their whole output, in which ``...`` stands for anything.  A command that fails
must be followed by ``$ echo $?``.  A page that begins with ``requires: torch`` is skipped without that package.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROSE_LANGUAGES = {"text", "math", "toctree", "eval-rst", "figure", "image", "admonition", "note", "bibtex", "make"}
"""Languages of fenced blocks that hold nothing to run."""

_FENCE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{?(?P<language>[\w-]*)\}?[^\n]*\n(?P<body>.*?)^(?P=fence)\s*$", re.M | re.S
)
_SEPARATOR = "--- end of output ---"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its lines, and the number of the line before them."""

    language: str
    text: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    for found in _FENCE.finditer(text):
        yield Block(found["language"], found["body"], text.count("\n", 0, found.start("body")))


def requirements(text: str) -> list[str]:
    """Return the packages that a page needs besides symfiber's own."""
    found = re.match(r"---\nrequires: ([\w ,]+)\n---\n", text)
    return re.split(r"[ ,]+", found[1]) if found else []


def run_page(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run every block of a page in a folder, and return how many examples and commands there were."""
    text = path.read_text(encoding="utf-8")
    for package in requirements(text):
        pytest.importorskip(package)
    monkeypatch.chdir(folder)
    names: dict[str, object] = {"__name__": "__main__"}
    count = 0
    for block in blocks(text):
        place = f"{path.name}:{block.line}"
        if block.language in ("python", "pycon"):
            count += _run_session(block, names, place)
        elif block.language == "console":
            count += _run_console(block, folder, place)
        elif block.language == "json":
            json.loads(block.text)
        else:
            assert block.language in PROSE_LANGUAGES, f"{place}: a block of language {block.language!r} is never run"
    return count


def _run_session(block: Block, names: dict[str, object], place: str) -> int:
    test = doctest.DocTestParser().get_doctest(block.text, {}, place, place, block.line)
    assert test.examples, f"{place}: a Python block shows no session"
    test.globs = names
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    result = runner.run(test, out=report.append, clear_globs=False)
    assert result.failed == 0, "".join(report)
    return result.attempted


def _run_console(block: Block, folder: Path, place: str) -> int:
    pieces = re.split(r"^\$ ", block.text, flags=re.M)
    assert pieces[0] == "" and len(pieces) > 1, f"{place}: a console block starts with a command"
    commands, shown = zip(*(piece.split("\n", 1) for piece in pieces[1:]))
    script = "".join(f"{command}\n_code=$?\necho '{_SEPARATOR}' $_code\n(exit $_code)\n" for command in commands)
    run = subprocess.run(["bash", "-c", script], cwd=folder, env=_environment(folder), text=True, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=300)  # fmt: skip
    printed = re.split(rf"^{_SEPARATOR} (\d+)\n", run.stdout, flags=re.M)
    outputs, codes = printed[:-1:2], printed[1::2]
    checker = doctest.OutputChecker()
    for number, (command, expected, output, code) in enumerate(zip(commands, shown, outputs, codes, strict=True)):
        assert checker.check_output(expected, output, doctest.ELLIPSIS), (
            f"{place}: $ {command}\nshown:\n{expected}\nprinted:\n{output}"
        )
        followed = number + 1 < len(commands) and commands[number + 1] == "echo $?"
        assert code == "0" or followed, f"{place}: $ {command}\nends with exit code {code}"
    return len(commands)


def _environment(folder: Path) -> dict[str, str]:
    """Let ``symfiber`` and ``python`` be those that run the tests."""
    programs = folder / ".programs"
    programs.mkdir(exist_ok=True)
    for name, arguments in (("symfiber", "-m symfiber"), ("python", "")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        program.chmod(0o755)
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": paths}
