"""The table of 27 x 5 figures with a line of totals: `breakAfter`, filters and a DateRoller."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import datetime

from tests.benchmarks.kinds.pages import Rows, figures, root_of

DROPPED = re.compile("line .*0")


def page() -> str:
    """Its page."""
    return figures(27, 5, head="Jan {}", last="Total")


def rows(page: bytes) -> Rows:
    """By hand."""
    table = root_of(page).find(".//table[@id='figures']")
    head, *lines = table.iter("tr")
    months = [_rolled(cell.text) for cell in head[1:]]
    found: Rows = []
    for line in lines:
        name, *values = [cell.text for cell in line]
        if name != "line 3" and not DROPPED.fullmatch(name) and name.strip():
            found += [(name, month, value) for month, value in zip(months, values, strict=True)]
        if name == "Total":
            break
    return found


def _rolled(text: str) -> str:
    month = datetime.strptime(text, "%b %Y")
    return month.replace(day=monthrange(month.year, month.month)[1]).strftime("%Y-%m-%d")
