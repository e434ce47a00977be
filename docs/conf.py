"""Sphinx configuration: Markdown pages, docstrings, pictures from the library, formulas without a network."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "gallery"))

import pictures  # noqa: E402  (docs/gallery/pictures.py)

import symfiber  # noqa: E402

project = "symfiber"
author = "The symfiber developers"
copyright = author
version = release = symfiber.__version__
language = "en"

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]

# Pages.  Headings down to the third level can be linked to as page.md#heading.
myst_enable_extensions = ["amsmath", "attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Docstrings.  A reference page lists its names itself; members of classes follow the order of the source.
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False

# MathJax, one file with its fonts, lies in _static: pages need no network.
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {"svg": {"fontCache": "global"}, "options": {"enableAssistiveMml": False}}

html_theme = "furo"
html_title = f"symfiber {release}"
html_static_path = ["_static"]
html_css_files = ["symfiber.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "native"

# The pictures are drawn anew for every build, so they show what the library computes now.
pictures.draw_all(HERE / "gallery" / "pictures")


def escape_bars(app, what, name, obj, options, lines):
    """Keep |x| in the formulas of docstrings: a bar starts a substitution in reStructuredText."""
    example = False
    for number, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if not example:
            texts = line.split("``")  # every second one is literal
            lines[number] = "``".join(t if k % 2 else t.replace("|", "\\|") for k, t in enumerate(texts))


def setup(app):
    """Escape before numpydoc reads the docstrings."""
    app.connect("autodoc-process-docstring", escape_bars, priority=100)
