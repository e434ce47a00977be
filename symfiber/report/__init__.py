"""Reports of a fiber: one neutral description, rendered as text, LaTeX, HTML and JSON-ready data."""

from symfiber.report.data import fiber_data
from symfiber.report.html import fiber_html
from symfiber.report.latex import fiber_latex, fiber_notebook_latex
from symfiber.report.statement import FiberStatement, describe_fiber
from symfiber.report.text import fiber_text

__all__ = [
    "FiberStatement",
    "describe_fiber",
    "fiber_data",
    "fiber_html",
    "fiber_latex",
    "fiber_notebook_latex",
    "fiber_text",
]
