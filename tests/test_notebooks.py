"""The notebooks: committed without outputs, of one shape, and true - their cells assert what they claim.

Every notebook is executed with sliders and, where it has some, without; its exercise accepts the answer that is printed
under it and no wrong one.
"""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
nbclient = pytest.importorskip("nbclient")

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
WITH_SLIDERS = ("2_nonnegative_column_rank", "3_hidden_hypersurfaces", "6_not_localizable")
WRONG_ANSWERS = {
    "1_weighted_arrangements": "(1, 1), (-1, 1), (-1, -1)",
    "2_nonnegative_column_rank": "(1, 1), (1, -1), (0, 0)",
    "3_hidden_hypersurfaces": "(0, 0, 9), (1, 1, -2), (1, 0, 1)",
    "4_sign_flips": "[2, 1, -3, 1], [9, '16/5', '-22/5', '-37/5']",
    "5_same_function": "[[0, 1], [2, 3], [4]], [[0], [1], [2], [3], [4]], []",
    "6_not_localizable": "1, 0, 7",
    "7_conservation_laws": "10, 8, 6",
    "8_from_model_to_paragraph": "((0,), 1, 5), ((1,), 1, 4), ((1,), 2, 5)",
}
WITHOUT_SLIDERS = "import sys; sys.modules['ipywidgets'] = None"
MOVE_SLIDERS = """
import ipywidgets
from ipywidgets.widgets.widget import _instances

_raised, _count = [], 0
get_ipython().showtraceback = lambda *_, **__: _raised.append(sys.exc_info())
for _slider in [_widget for _widget in _instances.values() if isinstance(_widget, ipywidgets.SelectionSlider)]:
    for _, _value in _slider.options:
        _slider.value = _value
        _count += 1
assert not _raised, _raised
for _function, _positions in [("show", "values"), ("show_plane", "steps")]:
    for _value in globals().get(_positions, ()) if _function in globals() else ():
        globals()[_function](_value)
print("moved", _count)
"""


def name_of(path: Path) -> str:
    return path.stem


def cells_of(notebook: Any, kind: str) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == kind]


@cache
def read(path: Path) -> Any:
    return nbformat.read(path, 4)


def printed_answer(notebook: Any) -> str:
    """Return the code under "Answer" at the end of a notebook."""
    found = re.search(
        r"<summary>Answer</summary>.*```python\n(.*?)```\n.*</details>\Z", notebook.cells[-1].source, re.S
    )
    assert found, "a notebook ends with the folded answer to its exercise"
    return found[1]


def execute(path: Path, before: str = "", after: str = "") -> Any:
    """Run a notebook in a kernel of its own, with a cell before and one after it; an error in a cell is an error here."""
    notebook = nbformat.read(path, 4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(before or "pass"))
    notebook.cells.append(nbformat.v4.new_code_cell(after or "pass"))
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return notebook


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in cells_of(notebook, "code") for output in cell.outputs]


def pictures(notebook: Any) -> int:
    return sum("image/png" in output.get("data", {}) for output in outputs(notebook))


def test_the_eight_notebooks_are_numbered() -> None:
    assert [path.stem.partition("_")[0] for path in NOTEBOOKS] == [str(number) for number in range(1, 9)]
    assert set(WRONG_ANSWERS) == {path.stem for path in NOTEBOOKS} >= set(WITH_SLIDERS)
    assert all(("ipywidgets" in path.read_text(encoding="utf-8")) == (path.stem in WITH_SLIDERS) for path in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_structure(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec == {"display_name": "Python 3", "language": "python", "name": "python3"}
    assert notebook.metadata.language_info == {"name": "python"}
    assert all(not cell.outputs and cell.execution_count is None for cell in cells_of(notebook, "code"))
    assert 15 <= len(notebook.cells) <= 25
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    markdown = "\n".join(cell.source for cell in cells_of(notebook, "markdown"))
    assert notebook.cells[0].cell_type == "markdown" and notebook.cells[0].source.startswith("# ")
    assert len(re.findall(r"^# ", markdown, re.M)) == 1, "one title"
    assert "**Question.**" in markdown and "**What to keep.**" in markdown
    assert len(re.findall(r"^## Exercise$", markdown, re.M)) == 1
    assert markdown.count("$") % 2 == 0, "formulas are closed"
    ast.parse(printed_answer(notebook))
    # The file is as a notebook program writes it, so that saving it again changes nothing.
    text = path.read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_only_public_names_and_claims_are_asserted(path: Path) -> None:
    tree = ast.parse("\n".join(cell.source for cell in cells_of(read(path), "code")))
    private = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and re.match("_[^_]", node.attr)]
    assert not private
    assert sum(isinstance(node, ast.Assert) for node in ast.walk(tree)) >= 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_notebook_runs_and_its_exercise_is_checked(path: Path) -> None:
    answer = f"{printed_answer(read(path))}\nassert check(answer)\n"
    wrong = f"for answer in [{WRONG_ANSWERS[path.stem]}]:\n    assert not check(answer), answer\n"
    if path.stem not in WITH_SLIDERS:
        done = execute(path, after=answer + wrong)
        assert pictures(done) >= 1
        return
    done = execute(path, WITHOUT_SLIDERS, answer + wrong)
    assert pictures(done) >= 1
    assert not any("application/vnd.jupyter.widget-view+json" in output.get("data", {}) for output in outputs(done))


@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path.stem in WITH_SLIDERS], ids=name_of)
def test_sliders(path: Path) -> None:
    """Every position of every slider draws a picture and raises nothing."""
    pytest.importorskip("ipywidgets")
    done = execute(path, "import sys", MOVE_SLIDERS)
    assert any("application/vnd.jupyter.widget-view+json" in output.get("data", {}) for output in outputs(done))
    last = done.cells[-1]
    moved = [output.text for output in last.outputs if output.output_type == "stream" and "moved" in output.text]
    positions = int(moved[-1].split()[-1])
    assert positions >= 8
    assert sum("image/png" in output.get("data", {}) for output in last.outputs) >= positions
