"""Finds: the axes of a data definition that pages provide, and the counters of their values."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from itertools import islice

from scoopi.model.data import Data
from scoopi.model.data_def import DataDef
from scoopi.model.place import Place

AxisKey = tuple[str, str]
"""`item`, `dim` or `fact`, and the name of its entry."""

PAGES, ROWS, MET = "pages", "rows", "met"
REJECTED, ABSENT, UNREADABLE, EXAMPLE = "rejected", "absent", "unreadable", "example"
"""Of a field of records: elements rejected for it, records where nothing was found, values that could not be
converted; and such a value, which is part of the counter's name."""
FIELD = "field"
"""The kind of a field among the counters of what was found."""
FOLLOWED, LEFT_OUT = "followed", "left out"
"""Links of a field that its rules let through; those that a rule leaves out, by its key."""
ALLOW_KEY, DENY_KEY, SAME_KEY, NO_PAGE = REFUSALS = ("allow", "deny", "same", "page")
"""Why a link is left out: a key of its rules, or that no page can have its address."""
SEPARATOR = "\x1f"
"""Between the parts of a counter's name."""
LOADS = "loads"
"""Pages of a group, by what has loaded them."""
TIMES = "times"
"""Seconds that a task of a group has taken."""
ENTRY_TIMES, TIMED = "entry times", "timed"
"""Of a data definition: seconds that an entry has taken on the pages that were timed; how many these are."""
BLOCK, EACH = ("block", ""), ("each", "")
"""What finds the block of a grid, or the elements of records, among the entries that take time."""
PREFIX = "finds."
"""Of the node's counters that hold finds."""


MOST_ROWS_LOOKED_AT = 1000


def count_name(kind: str, data_def: str, axis: AxisKey = ("", "")) -> str:
    """The name of a counter: pages read by a data definition, their rows, rows' batches with a value."""
    return SEPARATOR.join((kind, data_def, *axis))


def axes_read(data_def: DataDef) -> dict[AxisKey, Place]:
    """The axes whose value a selector or a script gives, and where that stands."""
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
    """Whether a value means that nothing, or only blanks, was found.

    Args:
        stands_for_nothing: facts that are written where none is found, or a blank one.
    """
    return value is None or not value.strip() or (axis_name == "fact" and value in stands_for_nothing)


def found_nothing(axes: AbstractSet[AxisKey], stands_for_nothing: AbstractSet[str], data: Data) -> bool:
    """Whether the first rows of a page have no value that was read; of an ordinary page the first one has.

    Args:
        axes: those that are read, as of `axes_read`.
    """
    for item in islice(data.items, MOST_ROWS_LOOKED_AT):
        for axis, value in zip(item.axes, item.values, strict=True):
            name = axis.axis_name, axis.item_name
            if name in axes and not is_nothing(axis.axis_name, value, stands_for_nothing):
                return False
    return True
