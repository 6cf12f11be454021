"""A table of 27 x 5 figures with regular expressions as filters on each axis."""

from __future__ import annotations

import re

from tests.benchmarks.kinds.pages import Rows, figures, root_of

LINES = re.compile(r"line \d?[05]|Sum.*", re.ASCII)
YEARS = re.compile("20(19|21)")
VALUES = re.compile(r"\d+\.00|-", re.ASCII)


def page() -> str:
    """Its page."""
    return figures(27, 5)


def rows(page: bytes) -> Rows:
    """By hand."""
    table = root_of(page).find(".//table[@id='figures']")
    head, *lines = table.iter("tr")
    years = [cell.text for cell in head][1:]
    kept = [not YEARS.fullmatch(year) for year in years]
    found: Rows = []
    for line in lines:
        name, *values = [cell.text for cell in line]
        if LINES.fullmatch(name):
            continue
        for year, value, is_kept in zip(years, values, kept, strict=True):
            if is_kept and not VALUES.fullmatch(value):
                found.append((name, year, value))
    return found
