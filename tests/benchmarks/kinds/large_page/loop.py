"""A table of 27 x 5 figures in a page of 1 MB."""

from __future__ import annotations

from tests.benchmarks.kinds.pages import Rows, figure_rows, figures, filler


def page() -> str:
    """Its page."""
    return figures(27, 5, rest=filler(1_000_000))


def rows(page: bytes) -> Rows:
    """By hand."""
    return figure_rows(page)
