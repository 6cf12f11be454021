"""A table of 27 x 5 figures, in XPath."""

from __future__ import annotations

from tests.benchmarks.kinds.pages import Rows, figure_rows, figures


def page() -> str:
    """Its page."""
    return figures(27, 5)


def rows(page: bytes) -> Rows:
    """By hand."""
    return figure_rows(page)
