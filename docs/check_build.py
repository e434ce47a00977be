"""Check built pages: every link leads to a page and place that exist, and nothing is loaded from a network.

``python docs/check_build.py docs/_build/html``
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """The places of a page, its links, and what a browser loads for it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what a tag names."""
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.places.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if LOADED.get(tag) in values:
            self.loaded.append(values[LOADED[tag]])


@cache
def read(path: Path) -> Page:
    """Return a parsed page."""
    return Page(path.read_text(encoding="utf-8"))


def complaints(folder: Path) -> list[str]:
    """Return one sentence for everything that is wrong in a folder of built pages."""
    found = []
    for path in sorted(folder.rglob("*.html")):
        page, name = read(path), path.relative_to(folder)
        for target in page.loaded:
            parts = urlsplit(target)
            if target.startswith("#"):  # an icon drawn inside the page
                continue
            if parts.scheme not in ("", "data") or parts.netloc:
                found.append(f"{name} loads {target} from a network")
            elif not parts.scheme and not (path.parent / unquote(parts.path)).is_file():
                found.append(f"{name} loads {target}, which does not exist")
        for target in page.links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not file.is_file():
                found.append(f"{name} links to {target}, which does not exist")
            elif parts.fragment and file.suffix == ".html" and unquote(parts.fragment) not in read(file).places:
                found.append(f"{name} links to {target}: there is no such place")
    return found


if __name__ == "__main__":
    wrong = complaints(Path(sys.argv[1]))
    print("\n".join(wrong) or "all links of the pages lead somewhere, nothing is loaded from a network")
    sys.exit(1 if wrong else 0)
