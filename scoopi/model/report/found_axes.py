"""axes_read, found_nothing: the axes of a grid that are read from pages, and whether a page has any."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from itertools import islice

from scoopi.model.data import Data
from scoopi.model.data_def import DataDef
from scoopi.model.place import Place
from scoopi.model.report.counter_names import AxisKey

MOST_ROWS_LOOKED_AT = 1000


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
