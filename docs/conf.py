"""Sphinx configuration: Markdown pages, docstrings, MathJax."""

project = "symfiber"
author = "The symfiber developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "numpydoc"]
myst_enable_extensions = ["dollarmath", "amsmath"]
numpydoc_show_class_members = False
html_theme = "furo"
exclude_patterns = ["_build"]
