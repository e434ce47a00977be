"""The README shows real output: its Python session and its commands are run."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import ROOT, run_page

README = ROOT / "README.md"


def test_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_page(README, tmp_path, monkeypatch) > 9


def test_the_commands_are_shown() -> None:
    text = README.read_text(encoding="utf-8")
    assert "make demo" in text and "make test" in text and "make docs" in text
