"""What notebooks show: well-formed HTML that loads nothing, escaped and cut, for every kind of network."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

import symfiber as sf
from symfiber import library
from symfiber.constraints import box
from symfiber.exact import PolynomialRing
from symfiber.semialgebraic import BasicSet, Union

VOID = {"br", "hr", "img", "meta", "link", "input"}
ODD = {
    "width one": sf.Network([([[3]], [0])]),
    "zero weights": sf.Network([([[0, 0]], [0]), ([[0]], [0])]),
    "equal rows": sf.Network([([[1, 2], [1, 2]], [1, 1]), ([[1, -1]], [0])]),
    "symbols": sf.Network([([["a<b"[:1], "b"]], ["a^2 - b"])], symbols=["a", "b"]),
    "signs": sf.Network.symbolic((2, 2, 2, 1), signs=["+-+", "0++"]),
    "long numbers": sf.Network([([[10**500, "1/3"]], [f"{7**300}/{11**200}"])]),
    "many entries": sf.Network([([list(range(40))] * 30, [1] * 30)]),
}
NETWORKS = {**{n: library.get(n) for n in library.names()}, **ODD}


class Checker(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "iframe", "object")
        assert not any(name in ("src", "href") or name.startswith("on") for name, _ in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name: str) -> None:
    net = NETWORKS[name]
    page = Checker(net._repr_html_())
    assert f"{net.parameter_count} parameters" in page.text
    assert page.text.count(" = ") + page.text.count(" ≈ ") >= len(net.scalar_layers)
    assert len(page.text) < 40_000


def test_entries_carry_their_signs_and_are_cut_with_a_count() -> None:
    html = sf.Network([([[2, -3]], [0])])._repr_html_()
    assert 'color:#2f7fc8">2<' in html and 'color:#d1404f">−3<' in html and 'color:inherit">0<' in html
    shown = Checker(ODD["many entries"]._repr_html_())
    # 12 of 30 rows, 11 weights and the bias of 41 columns.
    assert f"{30 * 41 - 12 * 12} more entries" in shown.text
    assert "W2[0,1] (< 0)" in Checker(sf.Network.symbolic((2, 2, 1, 1), signs=["+-+"])._repr_html_()).text


@pytest.mark.parametrize("name", [n for n in library.names() if not n.startswith(("wide", "rank", "not-l", "hiding"))])
def test_fibers_and_components(name: str) -> None:
    fiber = sf.fiber(library.get(name))
    page = Checker(fiber._repr_html_())
    assert "details" in fiber._repr_html_() and "Hypotheses" in page.text
    table = Checker(fiber.components._repr_html_())
    assert table.text.count(str(fiber.components[0].dimension)) >= 1
    assert fiber._repr_latex_().startswith("$$")
    graph = fiber.graph()
    picture = graph._repr_svg_()
    assert picture is not None and picture.rstrip().endswith("</svg>") and "dim" in picture


def test_long_lists_of_components() -> None:
    rows = [[3 + 7 * j % 11, -(5 + j * j % 17)] for j in range(7)]
    net = sf.Network([
        ([[1, 0], [0, 1]], [0, 0]),
        ([[1, 1], [2, 1], *rows], [1, 1, *range(1, 8)]),
        ([[1] * 9], [0]),
    ])  # fmt: skip
    fiber = sf.fiber(net)
    assert fiber.component_count == 128
    assert "and 104 more components" in Checker(fiber.components._repr_html_()).text
    assert fiber.graph()._repr_svg_() is None


def test_sets() -> None:
    ring = PolynomialRing(("x", "b1_0"))
    x, b = ring.generators
    assert (
        BasicSet(ring)._repr_latex_() == r"$$\mathbb{R}^{2}$$" and Union(ring, [])._repr_latex_() == r"$$\varnothing$$"
    )
    shown = BasicSet(ring, [x * b - 1], [-x], [b])._repr_latex_()
    assert r"&= 0\\" in shown and r"\mathrm{x} &< 0" in shown and r"b^{(1)}_{0} &\ge 0" in shown
    many = BasicSet(ring, [x**k - b for k in range(1, 40)])._repr_latex_()
    assert "27 more conditions" in many
    assert "3 more sets" in Union(ring, [BasicSet(ring, [x - k]) for k in range(7)])._repr_latex_()


def test_verdicts_and_constraints() -> None:
    net = library.get("iris-4-2-3-3")
    same = sf.decide_equivalence(net, sf.fiber(net).components[0].sample(seed=1))
    assert "The same function" in Checker(same._repr_html_()).text
    changed = sf.Network([*net.layers[:2], (net.layers[2].weight, [b + 1 for b in net.layers[2].bias])])
    different = Checker(sf.decide_equivalence(net, changed)._repr_html_())
    assert "Different functions" in different.text and "x = (0, 0, 0, 0)" in different.text
    left = sf.fiber(net).intersect(box(net, -1, 1))
    assert "0 of 1 components left" in Checker(left._repr_html_()).text and "empty" in left._repr_html_()


def test_symbolic_fibers_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    fiber: Any = sf.fiber(sf.Network.symbolic((2, 2, 2, 1), signs=["+-+", "+++"]))
    page = Checker(fiber._repr_html_())
    assert "W2[0,0] > 0" in page.text.replace("W2", "W2") or "> 0" in page.text
