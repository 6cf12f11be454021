"""A table of 27 x 5 figures in a page of 1 MB."""

from __future__ import annotations

from tests.benchmarks.kinds.pages import Rows, figures, filler, root_of


def page() -> str:
    """Its page."""
    return figures(27, 5, rest=filler(1_000_000))


def rows(page: bytes) -> Rows:
    """By hand."""
    table = root_of(page).find(".//table[@id='figures']")
    head, *lines = table.iter("tr")
    years = [cell.text for cell in head][1:]
    found: Rows = []
    for line in lines:
        name, *values = [cell.text for cell in line]
        found += [(name, year, value) for year, value in zip(years, values, strict=True)]
    return found
