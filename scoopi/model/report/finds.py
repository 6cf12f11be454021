"""Finds: the axes of a data definition that are read from pages, and the counters of what was found."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from itertools import islice

from scoopi.model.data import Data
from scoopi.model.data_def import DataDef
from scoopi.model.place import Place

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
"""Prefix of the node's counters that hold finds."""


MOST_ROWS_LOOKED_AT = 1000


def count_name(kind: str, data_def: str, axis: AxisKey = ("", "")) -> str:
    """Return the name of a counter of a data definition, as `pages`, or of one of its axes, as `met`."""
    return SEPARATOR.join((kind, data_def, *axis))


def axes_read(data_def: DataDef) -> dict[AxisKey, Place]:
    """Return the axes whose value a selector or a script reads, with the place of the selector or entry."""
    entries = [("item", each) for each in data_def.items] + [("dim", each) for each in data_def.dims]
    read = {
        (kind, entry.name): entry.selector_place if entry.selector is not None else entry.place
        for kind, entry in entries
        if entry.value is None and entry.match is None and (entry.selector or entry.script) is not None
    }
    for fact in data_def.facts:
        if fact.value is None and fact.match is None and (data_def.selector or fact.script) is not None:
            read["fact", fact.name] = data_def.selector_place if data_def.selector is not None else fact.place
    return read


def is_nothing(axis_name: str, value: str | None, stands_for_nothing: AbstractSet[str]) -> bool:
    """Whether a value shows that nothing, or only blanks, was found.

    Args:
        stands_for_nothing: the facts that are written if none or a blank one is found.
    """
    return value is None or not value.strip() or (axis_name == "fact" and value in stands_for_nothing)


def found_nothing(axes: AbstractSet[AxisKey], stands_for_nothing: AbstractSet[str], data: Data) -> bool:
    """Whether none of the first 1,000 rows of a page has a value that was read from the page.

    Args:
        axes: the axes that are read, as from `axes_read`.
        stands_for_nothing: as in `is_nothing`.
    """
    for item in islice(data.items, MOST_ROWS_LOOKED_AT):
        for axis, value in zip(item.axes, item.values, strict=True):
            name = axis.axis_name, axis.item_name
            if name in axes and not is_nothing(axis.axis_name, value, stands_for_nothing):
                return False
    return True
