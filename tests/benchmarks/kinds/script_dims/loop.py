"""A table of 27 x 5 figures, and a script that is called for each line."""

from __future__ import annotations

from typing import Any

from _quickjs import Context  # type: ignore[import-not-found]

from tests.benchmarks.kinds.pages import Rows, figures, root_of

KIND: Any = Context().eval("(value) => value.length > 6 ? 'long' : 'short'")


def page() -> str:
    """Its page."""
    return figures(27, 5)


def rows(page: bytes) -> Rows:
    """By hand."""
    table = root_of(page).find(".//table[@id='figures']")
    head, *lines = table.iter("tr")
    years = [cell.text for cell in head][1:]
    found: Rows = []
    for line in lines:
        name, *values = [cell.text for cell in line]
        kind = KIND(name)
        found += [(name, kind, year, value) for year, value in zip(years, values, strict=True)]
    return found
