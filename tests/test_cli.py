"""The command line: results, exit codes, and bad input that gets one sentence."""

import io
import json
import os
import re
import subprocess
import sys
import time
from html.parser import HTMLParser

import pytest

import symfiber as sf
from symfiber import library
from symfiber.cli import BAD_INPUT, DONE, UNDECIDED, main
from symfiber.progress import Progress, track

GOOD = {
    "format": "symfiber-network/1",
    "layers": [
        {"weight": [["1", "2"], ["3", "1"]], "bias": ["1", "1"]},
        {"weight": [["2", "-1"]], "bias": ["-3"]},
        {"weight": [["1"]], "bias": ["0"]},
    ],
}


def changed(*path, value):
    data = json.loads(json.dumps(GOOD))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(data)


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(GOOD))
    return path


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_report_prints_text(capsys, model):
    code, out, err = run(capsys, "report", model)
    assert (code, err) == (DONE, "")
    assert out == sf.fiber(sf.load(model)).to_text()


@pytest.mark.parametrize(
    ("options", "name", "start"),
    [
        ([], "report.txt", "Fiber of a ReLU network"),
        ([], "report.tex", r"\documentclass"),
        ([], "report.json", "{"),
        ([], "report.html", "<!DOCTYPE html>"),
        (["--format", "latex"], "report.json", r"\documentclass"),
        (["--format", "text", "--all"], "report", "Fiber of a ReLU network"),
    ],
)
def test_report_writes_a_file_in_the_format_asked_for(capsys, model, tmp_path, options, name, start):
    code, out, err = run(capsys, "report", model, "-o", tmp_path / name, *options)
    assert (code, out, err) == (DONE, "", "")
    assert (tmp_path / name).read_text().startswith(start)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["model.json", name])


def test_report_json_is_the_data(capsys, model):
    code, out, _ = run(capsys, "report", model, "--format", "json", "--all")
    assert code == DONE and json.loads(out) == sf.fiber(sf.load(model)).to_dict(show_all=True)


def test_report_html_parses(capsys):
    code, out, _ = run(capsys, "report", "library:constant-2-2-2-1", "--format", "html")
    HTMLParser().feed(out)
    assert code == DONE and "</html>" in out


@pytest.mark.parametrize("name", library.names())
def test_report_of_every_bundled_network(capsys, name):
    code, out, err = run(capsys, "report", f"library:{name}")
    outside = name.startswith(("wide", "rank-deficient", "not-localizable", "hiding-in", "hiding-only"))
    if outside:
        assert code == UNDECIDED and out == ""
        assert err.startswith("symfiber: outside the theorems: fiber needs") and err.count("\n") == 1
    else:
        assert code == DONE and "Components: exactly" in out


def test_demo_describes_every_trained_network(capsys):
    code, out, err = run(capsys, "demo")
    assert (code, err) == (DONE, "")
    for name in library.trained_names():
        assert f"library:{name}\n" in out
    assert out.count("components: exactly") == len(library.trained_names())


def test_library_lists_every_network(capsys):
    code, out, _ = run(capsys, "library")
    assert code == DONE
    assert [line.split()[0] for line in out.splitlines()] == [f"library:{name}" for name in library.names()]


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_options_without_a_command(capsys, option):
    code, out, err = run(capsys, option)
    assert (code, err) == (DONE, "") and out.startswith(("symfiber 0", "usage: symfiber"))


BAD_FILES = {
    "not JSON": ("{", "must be JSON"),
    "empty": ("", "is empty"),
    "not text": (b"\xff\xfe\x00", "must be UTF-8"),
    "no layers": ("[]", "JSON object"),
    "layers no list": ('{"layers": 3}', "list of layers"),
    "no layer at all": ('{"layers": []}', "at least one"),
    "wrong shape": (changed("layers", 1, "weight", value=[["1", "2", "3"]]), "rows of length 2"),
    "wrong bias": (changed("layers", 0, "bias", value=["1"]), "must have length 2"),
    "ragged": (changed("layers", 0, "weight", value=[["1"], ["1", "2"]]), "rows of length 1"),
    "zero width": (changed("layers", 1, "weight", value=[]), "layer 2"),
    "empty row": (changed("layers", 0, "weight", value=[[], []]), "layer 1"),
    "float": (changed("layers", 0, "bias", 0, value=0.5), "must be exact"),
    "NaN": (changed("layers", 0, "bias", 0, value="X").replace('"X"', "NaN"), "must be exact"),
    "infinity": (changed("layers", 0, "bias", 0, value="X").replace('"X"', "-Infinity"), "must be exact"),
    "text NaN": (changed("layers", 0, "bias", 0, value="nan"), "rational number"),
    "zero denominator": (changed("layers", 0, "bias", 0, value="1/0"), "denominator"),
    "null": (changed("layers", 0, "bias", 0, value=None), "layer 1"),
    "truth value": (changed("layers", 0, "bias", 0, value=True), "layer 1"),
    "activation": (changed("layers", 0, value={**GOOD["layers"][0], "activation": "tanh"}), "activation"),
    "format": (changed("format", value="other/7"), "format"),
    "repeated symbols": (changed("symbols", value=["a", "a"]), "distinct"),
    "deep": ("[" * 100_000, "nested"),
    "deep inside": (changed("layers", value="X").replace('"X"', "[" * 100_000 + "]" * 100_000), "nested"),
}


@pytest.mark.parametrize(("content", "word"), BAD_FILES.values(), ids=list(BAD_FILES))
def test_bad_files_get_one_sentence(capsys, tmp_path, content, word):
    path = tmp_path / "model.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    code, out, err = run(capsys, "report", path, "-o", tmp_path / "report.tex")
    check_refusal(code, out, err, word)
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


def check_refusal(code, out, err, word):
    assert code == BAD_INPUT and out == ""
    assert err.startswith("symfiber: ") and err.count("\n") == 1 and err.endswith("\n")
    assert word in err and "Traceback" not in err and len(err) < 600


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "COMMAND"),
        (["nonsense"], "nonsense"),
        (["report"], "MODEL"),
        (["report", "missing.json"], "must exist"),
        (["report", "model.txt"], "must end in"),
        (["report", "no-extension"], "must end in"),
        (["report", "model.onnx"], "must exist"),
        (["report", "."], "must end in"),
        (["report", ""], "must end in"),
        (["report", "nul\0.json"], "must be readable"),
        (["report", "library:nothing"], "must be one of"),
        (["report", "library:constant-2-2-2-1", "--format", "pdf"], "pdf"),
        (["report", "library:constant-2-2-2-1", "-o", "no/such/folder/report.tex"], "folder"),
        (["report", "library:constant-2-2-2-1", "--nonsense"], "--nonsense"),
        (["report", "library:constant-2-2-2-1", "more"], "more"),
        (["demo", "more"], "more"),
    ],
)
def test_bad_arguments_get_one_sentence(capsys, tmp_path, monkeypatch, arguments, word):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    check_refusal(code, out, err, word)
    assert not list(tmp_path.iterdir())


def test_output_may_not_be_the_input_or_a_folder(capsys, model, tmp_path):
    before = model.read_bytes()
    check_refusal(*run(capsys, "report", model, "-o", model), "must not be the input")
    check_refusal(*run(capsys, "report", model, "-o", tmp_path), "folder")
    assert model.read_bytes() == before and [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_an_existing_output_survives_a_failure(capsys, tmp_path):
    target = tmp_path / "report.tex"
    target.write_text("old")
    code, _, _ = run(capsys, "report", tmp_path / "missing.json", "-o", target)
    assert code == BAD_INPUT and target.read_text() == "old"


def test_gigantic_numbers_work(capsys, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(changed("layers", 0, "bias", 0, value="9" * 100_000))
    code, out, err = run(capsys, "report", path)
    assert (code, err) == (DONE, "") and "e+100000" in out and max(map(len, out.splitlines())) < 400
    code, out, _ = run(capsys, "report", path, "--all")
    assert code == DONE and "9" * 100_000 in out


def test_outside_the_theorems_is_undecided_and_names_the_hypothesis(capsys, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(changed("layers", 0, "weight", value=[["1", "2"], ["2", "4"]]))
    code, out, err = run(capsys, "report", path, "-o", tmp_path / "report.tex")
    assert code == UNDECIDED and out == "" and "needs rank W1 = n1 = 2, got rank 1" in err and err.count("\n") == 1
    path.write_text(changed("symbols", value=["a"]))
    code, out, err = run(capsys, "laws", path)
    assert code == UNDECIDED and "needs a network of numbers" in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


def test_full_report_beyond_the_limit_is_undecided(capsys, tmp_path):
    rows = [[str(3 + 7 * j % 11), str(-(5 + j * j % 17))] for j in range(14)]
    hidden = {"weight": [["1", "1"], ["2", "1"], *rows], "bias": ["1", "1", *(str(j + 1) for j in range(14))]}
    output = {"weight": [["1"] * 16], "bias": ["0"]}
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"layers": [{"weight": [["1", "0"], ["0", "1"]], "bias": ["0", "0"]}, hidden, output]}))
    code, out, err = run(capsys, "report", path, "--all", "-o", tmp_path / "report.tex")
    assert code == UNDECIDED and out == "" and "at most 4096 components, this fiber has 16384" in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


@pytest.mark.parametrize(
    ("error", "code", "word"),
    [
        (KeyboardInterrupt(), 130, ""),
        (MemoryError(), UNDECIDED, "memory"),
        (RecursionError("deep"), BAD_INPUT, "nested"),
        (sf.UndecidedError("open\nquestion"), UNDECIDED, "undecided: open question"),
        (sf.VerificationError("broken"), 1, "not valid: broken"),
        (OSError(28, "No space left on device"), BAD_INPUT, "No space left"),
    ],
)
def test_every_error_has_its_code(capsys, monkeypatch, error, code, word):
    def fail(name):
        raise error

    monkeypatch.setattr(library, "get", fail)
    found, out, err = run(capsys, "report", "library:x")
    assert found == code and out == "" and word in err and err.count("\n") == bool(word)


# as a process


def start(*arguments, **options):
    command = [sys.executable, "-m", "symfiber", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_process_returns_the_code_and_leaves_stderr_empty():
    result = start("report", "library:one-linear-2-2-3-1")
    assert result.returncode == DONE and result.stderr == "" and "Theorem V" in result.stdout
    result = start("report", "missing.json")
    assert result.returncode == BAD_INPUT and result.stdout == "" and result.stderr.count("\n") == 1


def test_process_survives_a_terminal_without_unicode():
    result = start("report", "library:one-linear-2-2-3-1", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert result.returncode == DONE and result.stderr == "" and "\\u03bb" in result.stdout


def test_process_is_quiet_when_the_reader_leaves():
    command = f"{sys.executable} -m symfiber report library:diabetes-10-8-6-1 --format json --all | head -n 1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert result.stdout == "{\n" and result.stderr == ""


def test_light_start():
    """Neither the version nor a bad argument loads the heavy libraries."""
    code = "import sys; from symfiber.cli import main; main(['--version']); main(['x']); " + (
        "print([name for name in ('sympy', 'numpy', 'highspy', 'networkx', 'torch', 'sklearn') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


# progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_appears_late_and_is_wiped():
    stream = Terminal()
    with Progress("cells", total=4, stream=stream, delay=0.01) as bar:
        bar.advance(2)
        for _ in range(300):
            if "2/4" in stream.getvalue():
                break
            time.sleep(0.01)
    assert re.search(r"cells \[#{12}\.{12}\] 2/4, \d+ s", stream.getvalue())
    assert stream.getvalue().endswith("\r\x1b[K") and "\n" not in stream.getvalue()


def test_progress_is_silent_when_quick_or_without_a_terminal():
    quick, pipe = Terminal(), io.StringIO()
    with Progress("quick", stream=quick):
        pass
    with Progress("pipe", stream=pipe, delay=0.0):
        time.sleep(0.05)
    assert quick.getvalue() == "" and pipe.getvalue() == ""


def test_progress_without_total_and_stages():
    bar = Progress("search")
    bar.advance(5)
    assert bar.line() == "search: 5, 0 s"
    bar.stage("components", 10)
    assert bar.line() == f"components [{'.' * 24}] 0/10, 0 s"
    bar.advance(20)
    assert "#" * 24 in bar.line()


def test_progress_survives_a_closed_stream():
    stream = Terminal()
    with Progress("gone", stream=stream, delay=0.0):
        stream.close()
        time.sleep(0.05)


def test_track_yields_the_same_items():
    assert list(track(range(5), "numbers")) == list(range(5))
    assert list(track((x for x in "abc"), "letters")) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="stop"):
        for x in track([1, 2], "numbers"):
            raise ValueError(f"stop {x}")
