"""Names of the counters of what definitions find on pages, as workers count it and reports show it."""

from __future__ import annotations

AxisKey = tuple[str, str]
"""`item`, `dim` or `fact`, and the name of the entry."""

PAGES, ROWS, MET = "pages", "rows", "met"
REJECTED, ABSENT, UNREADABLE, EXAMPLE = "rejected", "absent", "unreadable", "example"
"""Counters of a field of records: elements rejected because of it, records without a value, and values that
could not be converted; and an example of these, which is a part of the counter's name."""
FIELD = "field"
"""The kind of a field in the names of counters."""
FOLLOWED, LEFT_OUT = "followed", "left out"
"""Counters of the links of a field: followed, and left out by a rule, for each key of REFUSALS."""
ALLOW_KEY, DENY_KEY, SAME_KEY, NO_PAGE = REFUSALS = ("allow", "deny", "same", "page")
"""Why a link is left out: a key of its rules, or because no page can have its address."""
SEPARATOR = "\x1f"
"""Separates the parts of a counter's name."""
LOADS = "loads"
"""Counters of the pages of a group, by what loaded them."""
TIMES = "times"
"""Counters of the seconds that a task of a group took."""
ENTRY_TIMES, TIMED = "entry times", "timed"
"""Counters of a data definition: the seconds of an entry on the timed pages, and the number of these."""
BLOCK, EACH = ("block", ""), ("each", "")
"""The timed entries that find the block of a grid, and the elements of records."""
PREFIX = "finds."
"""Prefix of these counters among those of a node."""


def count_name(kind: str, data_def: str, axis: AxisKey = ("", "")) -> str:
    """Return the name of a counter of a data definition, as `pages`, or of one of its axes, as `met`."""
    return SEPARATOR.join((kind, data_def, *axis))
