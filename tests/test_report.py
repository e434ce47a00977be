"""Reports: the facts of independently computed cases, agreement of the four formats, cuts, LaTeX that compiles."""

import json
import random
import re
import shutil
import subprocess
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise
from math import factorial
from pathlib import Path

import pytest

import symfiber as sf
from symfiber.errors import LimitExceededError
from symfiber.exact import PolynomialRing
from symfiber.exact.parsing import parse_polynomial
from symfiber.report import describe_fiber, fiber_data, fiber_html, fiber_latex, fiber_notebook_latex, fiber_text
from symfiber.report.notation import (
    Formula,
    approximation,
    cut_integers,
    escape_latex,
    index_set,
    number_text,
    phrase_latex,
    prose_latex,
)
from symfiber.report.statement import COMPONENT_CUT
from symfiber.report.text import statement_summary

CASES = json.loads((Path(__file__).parent / "data" / "cases.json").read_text())["networks"]
UNIVARIATE = [([[1, 2]], [3]), ([[2], [-1], [3]], [-1, 4, 1]), ([[1, 2, -1]], [5])]
REVERSIBLE = [([[1]], [0]), ([[1], [2]], [-3, -1]), ([[2, -1]], [5])]
REFUTED = [([[1, 0], [0, 1]], [1, 1]), ([[1, -2], [2, -4], [1, 1]], [-1, -3, 2]), ([[1, 1, 1]], [0])]


def case_network(case):
    return sf.Network([(layer["weight"], layer["bias"]) for layer in case["network"]["layers"]])


def trained_like(shape, seed, linear=0, dead=0):
    """Floats as training leaves them: dyadic rationals with many digits."""
    draw = random.Random(seed)
    layers = []
    for number, (before, after) in enumerate(pairwise(shape)):
        weight = [[draw.gauss(0, 1) for _ in range(before)] for _ in range(after)]
        bias = [draw.gauss(0, 1) for _ in range(after)]
        if number == 1:
            for j in range(linear + dead):
                sign = 1 if j < linear else -1
                weight[j], bias[j] = [sign * abs(x) for x in weight[j]], sign * abs(bias[j])
        layers.append((weight, bias))
    return sf.Network.from_floats(layers)


by_name = pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])


@by_name
def test_text_states_the_known_facts(case):
    text = fiber_text(sf.fiber(case_network(case)))
    assert f"architecture {'-'.join(map(str, case['architecture']))} ({case['parameters']} parameters)" in text
    assert f"Components: exactly {case['components']};" in text
    assert f"Local dimension at the network itself: {case['local_fiber_dimension']}." in text
    assert f"Dimension of the fiber as described: {max(case['component_dimensions'])}." in text
    assert f"Identifiable up to permutations and scalings: {'yes' if case['identifiable'] else 'no'}." in text
    for j, kind in enumerate(case["types"]):
        assert re.search(rf"^ +{j}  {kind} +\[", text, re.M)
    if len(case["hidden"]) == 1:
        (i,) = case["hidden"]
        assert f"H_{i} = {{y_{i} = 0}} is hidden" in text
    elif case["hidden"]:
        assert "All of them are hidden" in text
    else:
        assert "Hidden hypersurfaces: None" in text
    assert sorted(map(int, re.findall(r"^    dimension (\d+) =", text, re.M))) == sorted(case["component_dimensions"])
    assert "Not claimed" in text


@by_name
def test_data_has_the_known_facts(case):
    data = fiber_data(sf.fiber(case_network(case)), show_all=True)
    assert data["format"] == "symfiber-fiber/1"
    assert json.loads(json.dumps(data)) == data
    assert data["component_count"] == str(case["components"]) and data["components_omitted"] == "0"
    assert sorted(c["dimension"] for c in data["components"]) == sorted(case["component_dimensions"])
    assert data["neuron_types"] == case["types"] and data["hidden_hypersurfaces"] == case["hidden"]
    assert data["local_dimension"] == case["local_fiber_dimension"] and data["identifiable"] == case["identifiable"]
    assert data["completeness"] == "proved" and not [h for h in data["hypotheses"] if h["status"] == "refuted"]
    if "orientations" in case:
        known = {tuple(o["orientation"]): o for o in case["orientations"]}
        assert {tuple(c["orientation"]) for c in data["components"]} == set(known)
        for component in data["components"]:
            expected, free = known[tuple(component["orientation"])], component["free_neurons"]
            assert free["rank"] == expected["rank"] and free["pointed"] == expected["pointed"]
            assert free["nonnegative_column_rank"] == expected["nonnegative_column_rank"]
            assert component["dimension"] == expected["dim"]


@by_name
def test_slope_matrix_is_the_sum_of_its_neurons(case):
    """M_s and v_s, recomputed with fractions from the network file."""
    data = fiber_data(sf.fiber(case_network(case)), show_all=True)
    _, hidden, output = case["network"]["layers"]
    nonlinear = [j for j, kind in enumerate(case["types"]) if kind == "nonlinear"]
    for component in data["components"]:
        if data["case"] != "visible":
            assert component["free_neurons"] is None
            continue
        moved = [j for j, kind in enumerate(case["types"]) if kind == "linear"]
        moved += [j for j, s in zip(nonlinear, component["orientation"]) if s < 0]
        for o, outgoing in enumerate(output["weight"]):
            slope = [
                sum(Fraction(outgoing[j]) * Fraction(hidden["weight"][j][i]) for j in moved)
                for i in range(case["architecture"][1])
            ]
            constant = Fraction(output["bias"][o])
            constant += sum(Fraction(outgoing[j]) * Fraction(hidden["bias"][j]) for j in moved)
            assert [Fraction(x) for x in component["free_neurons"]["slope"][o]] == slope
            assert Fraction(component["free_neurons"]["constant"][o]) == constant


NETWORKS = {
    **{case["name"]: case_network(case) for case in CASES},
    "univariate": sf.Network(UNIVARIATE),
    "reversible": sf.Network(REVERSIBLE),
    "refuted": sf.Network(REFUTED),
    "dyadic": trained_like((6, 4, 5, 1), seed=3, linear=1, dead=1),
    "dyadic two outputs": trained_like((4, 3, 5, 2), seed=8, linear=2),
}
everywhere = pytest.mark.parametrize("net", NETWORKS.values(), ids=list(NETWORKS))


@everywhere
def test_dimension_terms_add_up(net):
    for component in describe_fiber(sf.fiber(net), show_all=True).components:
        assert sum(term.value for term in component.terms) == component.dimension


@everywhere
def test_polynomials_of_the_data_describe_the_components(net):
    """A sample of every component satisfies the listed conditions of one of its sets, moved samples do not."""
    fiber = sf.fiber(net)
    data = fiber_data(fiber, show_all=True)
    ring = PolynomialRing(data["coordinates"])
    for component, described in zip(fiber.components, sorted(data["components"], key=lambda c: c["index"])):
        assert len(described["sets"]) == described["set_count"]
        point = component.sample(seed=1).parameters
        moved = [x + (1 if place == len(point) - 1 else 0) for place, x in enumerate(point)]
        assert any(_holds(ring, piece, point) for piece in described["sets"])
        assert not any(_holds(ring, piece, moved) for piece in described["sets"])


def _holds(ring, piece, point):
    def values(name):
        return [parse_polynomial(text, ring, "polynomial")(point) for text in piece[name]]

    return (
        all(x == 0 for x in values("equations"))
        and all(x > 0 for x in values("positive"))
        and all(x >= 0 for x in values("nonnegative"))
    )


@everywhere
def test_the_four_formats_agree(net):
    fiber = sf.fiber(net)
    text, data = fiber_text(fiber), fiber_data(fiber)
    latex, html = fiber_latex(fiber), fiber_html(fiber)
    count = data["component_count"]
    for report in (text, html):
        assert f"exactly {count}" in report
    assert f"exactly ${count}$" in latex
    for component in data["components"]:
        for report in (text, latex, html):
            assert re.search(rf"[dD]imension {component['dimension']} =", report)
    for generator in data["generators"]:
        assert generator["name"] in latex
        assert f"<b>{generator['name']}</b>" in html
    for piece in (piece for component in data["components"] for piece in component["sets"]):
        if piece["equations"]:
            assert f"{len(piece['equations'])} equation" in text
            assert f"{len(piece['equations'])} equation" in latex


@everywhere
def test_numbers_of_the_data_are_the_network(net):
    data = fiber_data(sf.fiber(net))
    layers = data["network"]["layers"]
    again = sf.Network([(layer["weight"], layer["bias"]) for layer in layers])
    assert again == net


def test_full_text_has_every_condition_and_digit():
    net = NETWORKS["dyadic"]
    fiber = sf.fiber(net)
    data, text = fiber_data(fiber, show_all=True), fiber_text(fiber, show_all=True)
    conditions = sum(
        len(piece[name]) for c in data["components"] for piece in c["sets"] for name in ("equations", "positive")
    )
    shown = re.findall(r" = 0$| > 0$| < 0$", text, re.M)
    assert len(shown) == conditions
    assert "…" not in text and "≈" not in text
    for x in net.parameters[:6]:
        assert str(x) in text


def test_short_text_counts_what_it_leaves_out():
    net = NETWORKS["dyadic"]
    fiber = sf.fiber(net)
    text = fiber_text(fiber)
    first = fiber_data(fiber)["components"][0]["sets"][0]
    assert f"{len(first['equations'])} equations" in text
    assert f"… and {len(first['equations']) - 3} more" in text
    assert f"… and {fiber.component_count - COMPONENT_CUT} more components" in text
    # Decimals are marked wherever they stand.
    for line in text.splitlines():
        if re.search(r"\d\.\d", line):
            assert "≈" in line or line.startswith(" " * 6)


def test_full_report_of_too_many_components_is_refused():
    net = trained_like((4, 3, 18, 1), seed=1, linear=2)
    fiber = sf.fiber(net)
    count = fiber.component_count
    assert count > 4096
    for render in (fiber_text, fiber_latex, fiber_html, fiber_data):
        with pytest.raises(LimitExceededError, match=f"at most 4096 components, this fiber has {count}"):
            render(fiber, show_all=True)
    assert f"… and {count - COMPONENT_CUT} more components" in fiber_text(fiber)


def test_labelled_count_of_a_wide_network_is_cut_exactly():
    net = trained_like((20, 20, 4, 1), seed=2, linear=1)
    fiber = sf.fiber(net)
    total = fiber.component_count * factorial(20) * factorial(4)
    assert fiber_data(fiber)["labelled_component_count"] == str(total)
    assert cut_integers(str(total)) in fiber_text(fiber)


def test_refuted_hypothesis_is_named_and_nothing_is_claimed():
    fiber = sf.fiber(NETWORKS["refuted"])
    assert fiber.completeness == "not claimed"
    text = " ".join(fiber_text(fiber).split())
    assert "refuted G3" in text
    assert "not claimed to be complete, because" in text
    assert "very generic member of the fiber lies" not in text
    assert "Identifiable up to permutations and scalings: no." in text or "not decided" in text


def test_undecided_hypothesis_is_assumed_by_name():
    fiber = sf.fiber(trained_like((16, 12, 12, 2), seed=1))
    text = " ".join(fiber_text(fiber).split())
    assert fiber.completeness == "assumed"
    assert "Assuming G2 and G3, which the check left undecided" in text and "assumed G2" in text


def test_constant_fiber_says_what_is_not_described():
    case = next(case for case in CASES if case["name"] == "constant")
    assert "cancelling linear neurons, are not described" in " ".join(fiber_text(sf.fiber(case_network(case))).split())


def test_component_of_the_network_comes_first():
    """Also when it is not the first of the enumeration."""
    fiber = sf.fiber(NETWORKS["reversible"])
    first, *others = describe_fiber(fiber).components
    assert first.is_home and first.index == 2 and [c.index for c in others] == [0, 1, 3, 4, 5]
    assert first.orientation == fiber.home.orientation


def test_summary_is_short():
    summary = statement_summary(describe_fiber(sf.fiber(NETWORKS["one-linear-scalar"]), conditions=False))
    assert len(summary.splitlines()) == 7
    assert "components: exactly 3" in summary and "dimension 6 of 19" in summary


# HTML


class Balanced(HTMLParser):
    """Counts tags and refuses crossed ones."""

    void = frozenset({"br", "meta"})

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        assert not [value for name, value in attributes if name in ("src", "href")], "self-contained"
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@everywhere
@pytest.mark.parametrize("standalone", [False, True])
def test_html_is_well_formed_and_self_contained(net, standalone):
    page = Balanced()
    page.feed(fiber_html(sf.fiber(net), standalone=standalone))
    page.close()
    assert not page.open and "details" in page.seen and "script" not in page.seen


def test_html_escapes():
    html = fiber_html(sf.fiber(NETWORKS["one-linear-scalar"]))
    assert " < 0" not in html and "&lt; 0" in html and " > 0" not in html


def test_notebook_representations():
    fiber = sf.fiber(NETWORKS["one-linear-scalar"])
    assert fiber._repr_html_().startswith("<div")
    summary = fiber_notebook_latex(fiber)
    assert fiber._repr_latex_() == summary and summary.count("$$") == 2 and r"\text{components} & 3" in summary


# LaTeX


@everywhere
def test_latex_is_balanced_and_plain(net):
    for latex in (fiber_latex(sf.fiber(net)), fiber_latex(sf.fiber(net), show_all=True, standalone=True)):
        assert latex.isascii()
        assert len(re.findall(r"(?<!\\)\{", latex)) == len(re.findall(r"(?<!\\)\}", latex))
        assert latex.count("$") % 2 == 0
        assert re.findall(r"\\begin\{(\w+)\}", latex).__len__() == re.findall(r"\\end\{(\w+)\}", latex).__len__()
    assert set(re.findall(r"\\usepackage(?:\[.*?\])?\{(.*?)\}", latex)) == {"geometry", "amsmath,amsthm"}


def compile_latex(source, folder, name):
    (folder / f"{name}.tex").write_text(source)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert result.returncode == 0, result.stdout[-2000:]
    return (folder / f"{name}.log").read_text(errors="replace")


needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
COMPILED = ("hidden-one-live-one-dead", "hidden-two-live", "constant", "univariate", "refuted", "dyadic two outputs")


@needs_latex
@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("show_all", [False, True], ids=["short", "full"])
def test_latex_compiles_without_overfull_lines(name, show_all, tmp_path):
    log = compile_latex(fiber_latex(sf.fiber(NETWORKS[name]), show_all, standalone=True), tmp_path, "report")
    assert "Overfull" not in log


@needs_latex
def test_latex_of_a_wide_network_and_a_part_of_a_document(tmp_path):
    wide = sf.fiber(trained_like((50, 45, 20, 3), seed=4, linear=1))
    assert "Overfull" not in compile_latex(fiber_latex(wide, standalone=True), tmp_path, "wide")
    parts = [fiber_latex(sf.fiber(NETWORKS[name])) for name in ("two-linear", "one-linear-scalar")]
    document = r"\documentclass{article}\usepackage{amsmath,amsthm}\begin{document}" + "".join(parts)
    compile_latex(document + r"\end{document}", tmp_path, "part")


# notation


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0", "0"),
        ("1/3", "0.33333"),
        ("-1/1024", "-0.00097656"),
        ("123456", "123460"),
        ("99999999", "1.0000e+8"),
        ("1/1" + "0" * 30, "1e-30"),
        ("7" * 6000 + "/" + "7" * 5999, "10"),
    ],
)
def test_approximation(value, expected):
    from symfiber.exact import parse_rational

    shown = approximation(parse_rational(value))
    assert Fraction(shown.replace("e+", "e")) == Fraction(expected.replace("e+", "e"))


def test_numbers_are_cut_with_their_digit_counts():
    from symfiber.exact import parse_rational

    assert number_text(parse_rational("1" * 14)) == "1" * 14
    assert number_text(parse_rational("-" + "1" * 40)) == "-11111…11111{40} (≈ -1.1111e+39)"
    assert number_text(parse_rational("1" * 40), full=True) == "1" * 40
    assert cut_integers("W1[10,2]*12345678901234567 - 3") == "W1[10,2]*12345…34567{17} - 3"


def test_index_sets():
    assert [index_set(x).text for x in ((), (3,), (0, 1), (0, 1, 2), (0, 2, 3, 4, 9))] == [
        "{}",
        "{3}",
        "{0, 1}",
        "{0..2}",
        "{0, 2..4, 9}",
    ]


def test_latex_escapes():
    assert escape_latex("50% of a_b & {c}\\") == r"50\% of a\_b \& \{c\}\textbackslash{}"
    assert prose_latex("t >= max of b2[j] / W2[j, i]") == r"$t$ $\ge$ max of $b^{(2)}_{j}$ / $w^{(2)}_{j,i}$"
    assert phrase_latex(("for ", Formula("x", r"x_1"), " only")) == "for $x_1$ only"
