"""The README shows real output: its Python session is run, and its console blocks are parts of real output."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_python_session() -> None:
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted > 8 and result.failed == 0


def test_console_blocks() -> None:
    blocks = re.findall(r"```console\n\$ symfiber (.*?)\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for command, shown in blocks:
        run = subprocess.run(
            [sys.executable, "-m", "symfiber", *command.split()], capture_output=True, text=True, check=True
        )
        assert shown.strip() in run.stdout


def test_the_two_commands_are_shown() -> None:
    text = README.read_text(encoding="utf-8")
    assert "make demo" in text and "make test" in text
