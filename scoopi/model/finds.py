"""Finds: which axes of a data definition are read from pages, and how what was found is counted by name."""

from __future__ import annotations

from scoopi.model.data_def import DataDef
from scoopi.model.place import Place

AxisName = tuple[str, str]
"""`item`, `dim` or `fact`, and the name of its entry."""

PAGES, ROWS, MET = "pages", "rows", "met"
PREFIX = "finds."
"""Of the node's counters that hold finds."""


def count_name(kind: str, data_def: str, axis: AxisName = ("", "")) -> str:
    """The name of a counter: pages read by a data definition, their rows, rows' batches with a value."""
    return "\x1f".join((kind, data_def, *axis))


def axes_read(data_def: DataDef) -> dict[AxisName, Place]:
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
