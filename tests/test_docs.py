"""The documentation is true: its sessions run, its links lead somewhere, its words are words, its reference is complete."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pages import ROOT, requirements, run_page

import symfiber
from symfiber import library

DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
TEXTS = [*PAGES, ROOT / "README.md", ROOT / "CHANGELOG.md"]
WORDS = ROOT / "tests" / "data" / "words.txt"

_CODE = re.compile(r"^(`{3,}|:{3,})(?:\{?)(?:[\w-]*)\}?[^\n]*\n.*?^\1\s*$", re.M | re.S)
_INLINE_CODE = re.compile(r"(`+)[^`].*?\1", re.S)
_MATH = re.compile(r"\$\$.*?\$\$|\$[^$\n]+?(?:\n[^$\n]+?)?\$", re.S)
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]*(?:\([^()]*\)[^()\s]*)*)\)")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def prose(text: str) -> str:
    """Return a page without code and formulas."""
    for pattern in (_CODE, _INLINE_CODE, _MATH):
        text = pattern.sub(" ", text)
    return text


# Sessions and commands


@pytest.mark.parametrize("path", [p for p in PAGES if "```" in p.read_text(encoding="utf-8")], ids=name_of)
def test_examples(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(path, tmp_path, monkeypatch)


def test_concepts_and_instructions_are_executed() -> None:
    """Every concept and every how-to shows something that is run."""
    for path in [*(DOCS / "concepts").glob("*.md"), *(DOCS / "howto").glob("*.md"), DOCS / "tour.md"]:
        if path.name != "index.md":
            text = path.read_text(encoding="utf-8")
            assert re.search(r"^>>> |^\$ ", text, re.M), f"{name_of(path)} shows no example"


# Links


def slug(title: str) -> str:
    """Return the anchor of a heading, as MyST and GitHub make it."""
    plain = re.sub(r"[`*]|\$", "", title.strip()).lower().replace(" ", "-")
    return re.sub(r"[^\w\- ]", "", plain)


@cache
def anchors(path: Path) -> set[str]:
    text = _CODE.sub("", path.read_text(encoding="utf-8"))
    named = re.findall(r"^\(([\w-]+)\)=$", text, re.M)
    return {*named, *(slug(title) for title in re.findall(r"^#{1,6} (.*)$", text, re.M))}


def links(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    yield from _LINK.findall(_INLINE_CODE.sub("", _CODE.sub("", text)))
    yield from re.findall(r"^(?:```|:::)\{(?:figure|image)\} (\S+)$", text, re.M)


def drawn_pictures() -> Any:
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(DOCS / "gallery"))
    try:
        return importlib.import_module("pictures")
    finally:
        sys.path.remove(str(DOCS / "gallery"))


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_links(path: Path) -> None:
    for target in links(path):
        parts = urlsplit(target)
        if parts.scheme or target.startswith("//"):
            assert parts.scheme == "https" and re.fullmatch(r"([\w-]+\.)+[a-z]{2,}", parts.netloc), target
            continue
        file = (path.parent / parts.path).resolve() if parts.path else path
        if file.parent == DOCS / "gallery" / "pictures":
            assert file.suffix == ".svg" and file.stem in {draw.__name__ for draw in drawn_pictures().PICTURES}, target
            continue
        assert file.is_file(), f"{name_of(path)} links to {target}, which does not exist"
        assert not parts.fragment or parts.fragment in anchors(file), (
            f"{name_of(path)} links to {target}: no such place"
        )


def test_every_page_is_in_the_contents() -> None:
    listed = {DOCS / "index.md"}
    for path in PAGES:
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S):
            entries = [line for line in tree.split("\n") if line.strip() and not line.startswith(":")]
            listed |= {(path.parent / f"{entry.strip()}.md").resolve() for entry in entries}
    assert listed == set(PAGES)


def test_files_and_networks_that_are_named_exist() -> None:
    sources = [*TEXTS, *(ROOT / "symfiber").rglob("*.py"), *(ROOT / "notebooks").glob("*.ipynb")]
    for path in sources:
        text = path.read_text(encoding="utf-8")
        for named in re.findall(r"\b(?:docs|tests|notebooks)/[\w/]+\.(?:md|py|json|ipynb)\b", text):
            assert (ROOT / named).is_file(), f"{name_of(path)} names {named}, which does not exist"
        for network in re.findall(r"library:([a-z][a-z0-9-]*[a-z0-9])\b(?!-)", text):
            assert network in library.names(), f"{name_of(path)} names library:{network}"


# Spelling


def words(text: str) -> set[str]:
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"\]\([^)]*\)|<[^>]*>|https?://\S+|\{#[\w-]+\}|^\([\w-]+\)=$", " ", prose(text), flags=re.M)
    found = re.findall(r"(?<![\w.@/\\])[A-Za-zÀ-ÿ][a-zà-ÿ]+(?:['’][a-z]+)?(?![\w@/])", text)
    return {word.replace("’", "'") for word in found}


def own_words() -> list[str]:
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def is_own(word: str, own: set[str]) -> bool:
    stem = word.removesuffix("'s")
    return stem in own or stem.lower() in own


def test_spelling() -> None:
    spylls = pytest.importorskip("spylls.hunspell")
    dictionary = spylls.Dictionary.from_files("en_US")
    own = set(own_words())
    unknown: dict[str, str] = {}
    for path in TEXTS:
        for word in words(path.read_text(encoding="utf-8")):
            if word not in unknown and not is_own(word, own) and not dictionary.lookup(word):
                unknown[word] = name_of(path)
    assert not unknown, "\n".join(f"{word} ({place})" for word, place in sorted(unknown.items()))


def test_own_words_are_used_once_and_in_order() -> None:
    listed = own_words()
    assert len(set(listed)) == len(listed)
    used = {word.removesuffix("'s") for path in TEXTS for word in words(path.read_text(encoding="utf-8"))}
    used |= {word.lower() for word in used}
    assert not set(listed) - used


# Reference


def documented() -> set[str]:
    pages = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md"))
    return set(re.findall(r"^\.\. auto(?:function|class|exception|data):: (\S+)$", pages, re.M))


def test_reference_has_all_public_names() -> None:
    names = documented()
    assert names >= {f"symfiber.{name}" for name in symfiber.__all__}
    for name in names:
        module, _, last = name.rpartition(".")
        assert getattr(importlib.import_module(module), last).__doc__, f"{name} has no docstring"


# The helpers of these tests


def test_the_checks_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    for wrong in (
        "```python\n>>> 1 + 1\n3\n```\n",
        "```python\nx = 1\n```\n",
        "```console\n$ echo one\ntwo\n```\n",
        "```console\n$ exit 3 | false\n```\n",
        "```fortran\nx\n```\n",
        '```json\n{"a": }\n```\n',
    ):
        page.write_text(wrong)
        with pytest.raises((AssertionError, ValueError)):
            run_page(page, tmp_path, monkeypatch)
    page.write_text("```python\n>>> x = 1\n```\n\n```console\n$ false\n$ echo $?\n1\n```\n\n```python\n>>> x\n1\n```\n")
    assert run_page(page, tmp_path, monkeypatch) == 4
    assert requirements("---\nrequires: torch, onnx\n---\n# Page\n") == ["torch", "onnx"] and not requirements("# Page")
    assert words("A `codde` word, $mathh$ and [a link](wrongg.md): it’s hyphen-ated.") == {
        "word", "and", "link", "it's", "hyphen", "ated"}  # fmt: skip
    assert slug("A `b` — c, $x$!") == "a-b--c-x"
