"""LaTeX of all library networks in every style: it compiles, nothing sticks out, letters can be renamed."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import symfiber as sf
from symfiber import library
from symfiber.exact import Rational
from symfiber.report.rename import LETTERS, rename_letters

NETWORKS = {
    n: library.get(n)
    for n in library.names()
    if len(library.get(n).hidden_widths) == 2 and not n.startswith(("wide", "rank"))
}
STYLES = ("full", "theorem", "table")
needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")


def random_network(shape: tuple[int, ...], seed: int, digits: int) -> sf.Network:
    rng = random.Random(seed)
    count = sf.Network.symbolic(shape).parameter_count
    size = 10**digits
    return sf.Network.from_parameters(
        shape, [Rational(rng.choice((1, -1)) * rng.randint(1, size), rng.choice((1, size + 1))) for _ in range(count)]
    )


HARD = {
    "long numbers": random_network((3, 2, 3, 2), 1, 200),
    "24 neurons": random_network((3, 3, 24, 2), 2, 3),
    "wide": random_network((24, 16, 16, 4), 3, 2),
    "many components": random_network((2, 2, 14, 1), 4, 2),
}


def compiled(body: str, folder: Path) -> str:
    """Compile a document twice as a user would, and return the log."""
    (folder / "t.tex").write_text(body)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    assert run.returncode == 0, run.stdout[-3000:]
    return (folder / "t.log").read_text(errors="replace")


def document(parts: list[str], definitions: str = "") -> str:
    head = "\\documentclass[11pt]{article}\n\\usepackage[a4paper,margin=28mm]{geometry}\n\\usepackage{amsmath,amsthm}\n"
    return f"{head}{definitions}\\begin{{document}}\n" + "\n\\clearpage\n".join(parts) + "\n\\end{document}\n"


@needs_latex
@pytest.mark.parametrize("style", STYLES)
def test_all_library_networks(style: str, tmp_path: Path) -> None:
    log = compiled(document([sf.fiber(net).to_latex(style) for net in NETWORKS.values()]), tmp_path)
    assert not re.findall(r"^(?:Over|Under)full.*|.*undefined.*", log, re.M)


@needs_latex
@pytest.mark.parametrize("name", HARD)
def test_hard_networks(name: str, tmp_path: Path) -> None:
    fiber = sf.fiber(HARD[name])
    log = compiled(document([fiber.to_latex(style) for style in STYLES]), tmp_path)
    assert not re.findall(r"^Overfull.*|.*undefined.*", log, re.M)


@needs_latex
@pytest.mark.parametrize("style", STYLES)
def test_standalone_and_own_environments(style: str, tmp_path: Path) -> None:
    fiber = sf.fiber(NETWORKS["hidden-single-3-3-1-1"])
    notation = {"W": r"\mathsf{A}", r"\sigma": r"\rho", "d": "p"}
    alone = fiber.to_latex(style, standalone=True, environment="proposition", notation=notation)
    log = compiled(alone, tmp_path)
    part = fiber.to_latex(style, environment="proposition")
    assert r"\newtheorem" not in part
    log += compiled(document([part], "\\newtheorem{proposition}{Proposition}[section]\n"), tmp_path)
    assert "Overfull" not in log and "undefined" not in log


@pytest.mark.parametrize("name", NETWORKS)
def test_a_theorem_says_what_the_fiber_says(name: str) -> None:
    fiber = sf.fiber(NETWORKS[name])
    text = fiber.to_latex("theorem")
    count = fiber.component_count
    assert ("exactly one component" if count == 1 else f"exactly ${count}$ components") in text
    assert f"Its dimension is {fiber.dimension}" in text and "arXiv:2605.18319" in text
    assert text.count(r"\begin{fibertheorem}") == text.count(r"\end{fibertheorem}") == text.count(r"\end{proof}") == 1
    assert text.isascii() and text.count("$") % 2 == 0
    table = fiber.to_latex("table", show_all=True)
    assert table.count(r"\tabularnewline") == count + table.count(r"\begin{tabular}")


def test_what_is_not_proved_is_not_claimed() -> None:
    net = sf.Network([([[1, 0], [0, 1]], [1, 1]), ([[1, -2], [2, -4]], [-1, 3]), ([[1, 1]], [0])])
    fiber = sf.fiber(net)
    assert fiber.completeness == "not claimed"
    text = fiber.to_latex("theorem")
    assert "not claimed to be complete, because G3 fails" in text.replace("$", "")
    assert "Every generic member" not in text


def test_long_lists_are_cut_with_a_count() -> None:
    fiber = sf.fiber(HARD["many components"])
    table = fiber.to_latex("table")
    shown = table.count(r"\tabularnewline") - 1
    omitted = fiber.component_count - shown
    assert omitted > 0 and f"${omitted}$ more components" in table


class TestNotation:
    def test_only_formulas_change(self) -> None:
        assert rename_letters("Words with W, b and $W_1b$.", {"W": "A", "b": "a"}) == "Words with W, b and $A_1a$."
        assert (
            rename_letters(r"$\operatorname{diag}(d)\text{ d }$", {"d": "p"}) == r"$\operatorname{diag}(p)\text{ d }$"
        )
        assert rename_letters(r"\[\sigma x\]", {r"\sigma": r"\rho"}) == r"\[{\rho} x\]"
        assert rename_letters("$ab$", {"b": "c", "c": "b"}) == "$ac$" and rename_letters("$W$", None) == "$W$"

    def test_every_letter_can_be_renamed(self) -> None:
        text = sf.fiber(NETWORKS["one-linear-2-2-3-1"]).to_latex("theorem")
        for letter in LETTERS:
            changed = rename_letters(text, {letter: r"\mathsf{Q}"})
            assert (r"\mathsf{Q}" in changed) == (changed != text)
            assert rename_letters(changed.replace(r"{\mathsf{Q}}", letter), None) == text

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"style": "poem"}, "style must be one of full, theorem, table"),
            ({"environment": "a b"}, "name of a LaTeX environment"),
            ({"environment": 3}, "name of a LaTeX environment"),
            ({"notation": {"W": "b"}}, "would become b"),
            ({"notation": {"WW": "b"}}, "must rename letters"),
            ({"notation": {"W": "$"}}, "a letter or a command"),
            ({"notation": ["W"]}, "must map letters"),
        ],
    )
    def test_refusals(self, options: dict[str, object], words: str) -> None:
        with pytest.raises(sf.InputError, match=words):
            sf.fiber(NETWORKS["one-linear-2-2-3-1"]).to_latex(**options)
