"""ListEndChecker: reports invalid ends of lists, which are given by `until` of a pagination.

Source: defs/README.md, 6.1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import date

from scoopi.defs.locators.values_builder import local_today, read_day
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Table, Text
from scoopi.model.locator import ListEnd
from scoopi.model.place import Place
from scoopi.model.records import Column, ColumnType
from scoopi.model.records.record_def import RecordDef
from scoopi.model.text.shown import nearest

UNTIL, BY = "until", "by"
SEEN, NO_NEW_ITEMS, OLDER_THAN = "seen", "no-new-items", "older-than"
_WAYS = (SEEN, NO_NEW_ITEMS, OLDER_THAN)
_OLDER_THAN = re.compile(rf"{OLDER_THAN}\s+(.+)")
_DAYS = (ColumnType.DATE, ColumnType.DATETIME)
_EXAMPLE = (
    "write seen, no-new-items, or older-than DAY, as in `older-than 2026-01-31` or `older-than today-30`"
)


def read_list_end(rules: Table) -> ListEnd | None:
    """Return the end of a list, from the rules of its links; None if only the lack of a new link ends it.

    Invalid values are left out, as ListEndChecker reports them.
    """
    ways = rules.texts(UNTIL)
    day = next((day for text in ways if (day := _day_of(text)) is not None), None)
    if NO_NEW_ITEMS not in ways and day is None:
        return None
    return ListEnd(NO_NEW_ITEMS in ways, day.isoformat() if day else "", rules.text(BY) or "")


def _day_of(way: str) -> date | None:
    found = _OLDER_THAN.fullmatch(way.strip())
    return None if found is None else read_day(found[1], local_today())


class ListEndChecker:
    """Reports ends of lists that are invalid, or that can never be reached."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def check_text(self, rules: Table, key: str) -> None:
        """Check the rules of links as written; `key` is the path of names to them."""
        node = rules.entries.get(UNTIL)
        for each in node.entries if isinstance(node, Listing) else ():
            if isinstance(each, Text) and each.text.strip() not in (SEEN, NO_NEW_ITEMS):
                self._check_way(each, f"{key}.{UNTIL}")
        if BY in rules.entries and not any(_OLDER_THAN.fullmatch(text) for text in rules.texts(UNTIL)):
            what = "by is the field that older-than compares, but until has no older-than"
            self._findings.error(rules.keys[BY], key, what, "add `until: older-than today-30`")

    def check_items(self, rules: Table, key: str, end: ListEnd, read: Mapping[str, RecordDef | None]) -> None:
        """Check that the records on the pages of a list have the fields by which it ends.

        Args:
            read: by task, the definition of the records on a page; None for a task that reads a grid.
        """
        place = rules.at(UNTIL)
        if not read:
            what = "the pages of this list have no items: no other task reads them"
            self._findings.error(place, f"{key}.{UNTIL}", what, "add a task to the group that does")
        elif end.older_than:
            self._check_days(rules, key, end, [each for each in read.values() if each is not None])

    def _check_way(self, way: Text, key: str) -> None:
        if _day_of(way.text) is not None:
            return
        if found := _OLDER_THAN.fullmatch(way.text.strip()):
            hint = "write `older-than 2026-01-31`, or `older-than today-30`"
            self._findings.error(way.place, key, f"{found[1]!r} is not a day", hint)
            return
        near = nearest(way.text.split()[0] if way.text.strip() else "", _WAYS)
        what = f"{way.text!r} is not an end of a list"
        hint = f"did you mean {near} DAY?" if near == OLDER_THAN else f"did you mean {near}?"
        self._findings.error(way.place, key, what, hint if near else _EXAMPLE)

    def _check_days(self, rules: Table, key: str, end: ListEnd, read: Collection[RecordDef]) -> None:
        columns = {column.name: column for each in read for column in each.schema.all_columns}
        days = [column.name for column in columns.values() if is_day(column)]
        if end.by and end.by not in days:
            place: Place = rules.at(BY)
            if end.by in columns:
                what, hint = f"the field {end.by} is not a day", "give it `type: date`, or name another"
                self._findings.error(place, f"{key}.{BY}", what, hint)
            else:
                what = f"no record of these pages has a field {end.by}"
                self._findings.unknown(place, f"{key}.{BY}", what, end.by, days or columns)
        elif not end.by and len(days) != 1:
            named = ", ".join(days)
            what = f"several fields of these pages are days: {named}" if days else "no field is a day"
            hint = f"add `{BY}: {days[0]}`" if days else "give one `type: date`"
            self._findings.error(rules.at(UNTIL), f"{key}.{UNTIL}", f"older-than: {what}", hint)


def is_day(column: Column) -> bool:
    """Whether a column has days, so that a list can end by it."""
    return column.type in _DAYS and not column.is_list
