"""ListEnds: decides which page of a list is the last one, by the items on it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b

import msgspec

from scoopi.model.data import Data
from scoopi.model.locator import ListEnd
from scoopi.model.records import ColumnType, Records
from scoopi.model.records.record_def import RecordDef

ITEM_BYTES = 6
MOST_SEEN = 4000
"""Number of items of earlier pages that are remembered; of longer lists the last ones."""
_DAYS = (ColumnType.DATE, ColumnType.DATETIME)
_ISO_DAY = 10

PageItems = Sequence[Records | Data]
"""What the tasks of a page have read, except those that make links."""


class ListEnds:
    """Decides which page of a list is the last one.

    Items are equal if the values of their key are equal; without a key, if all values are.

    Attributes:
        are_set: whether any list ends by its items; if not, they need not be kept.

    Args:
        record_defs: name -> definition.
    """

    def __init__(self, record_defs: Mapping[str, RecordDef]) -> None:
        self._record_defs = record_defs
        fields = (field for each in record_defs.values() for field in each.fields)
        self.are_set = any(field.links is not None and field.links.bounds.end is not None for field in fields)

    def of_page(self, items: PageItems | None, seen: bytes) -> PageEnd:
        """What the items of a page decide about its list.

        Args:
            items: None if they are not known, because a task has failed or did not run.
            seen: digests of items of earlier pages.
        """
        return PageEnd(self._record_defs, items, seen)


class PageEnd:
    """What the items of a page decide about its list; computed on demand."""

    def __init__(self, record_defs: Mapping[str, RecordDef], items: PageItems | None, seen: bytes) -> None:
        self._record_defs = record_defs
        self._items = items
        self._seen = seen

    def is_last(self, end: ListEnd) -> bool:
        """Whether this is the last page of the list; False if its items are not known."""
        if self._items is None:
            return False
        if end.no_new and not self._new:
            return True
        days = set(self._days(end.by)) if end.older_than else set()
        return bool(days) and max(days) < end.older_than

    def seen_after(self) -> bytes:
        """Digests of the items of all pages up to this one; of many, the last MOST_SEEN."""
        known = self._seen + b"".join(self._new)
        return known[-MOST_SEEN * ITEM_BYTES :]

    @cached_property
    def _new(self) -> list[bytes]:
        """Digests of the items that were on no earlier page, without repeats."""
        starts = range(0, len(self._seen), ITEM_BYTES)
        known = {self._seen[start : start + ITEM_BYTES] for start in starts}
        digests = dict.fromkeys(digest for each in self._items or () for digest in self._digests(each))
        return [digest for digest in digests if digest not in known]

    def _digests(self, read: Records | Data) -> Iterator[bytes]:
        if isinstance(read, Data):
            rows: Collection[Sequence[object]] = [item.values for item in read.items]
        else:
            at = self._identifying(read.data_def)
            rows = [[row[position] for position in at] for row in read.rows]
        for row in rows:
            packed = msgspec.json.encode((read.data_def, row), order="sorted")
            yield blake2b(packed, digest_size=ITEM_BYTES).digest()

    def _identifying(self, data_def: str) -> list[int]:
        """Positions of the columns that decide whether records are equal."""
        schema = self._record_defs[data_def].schema
        names = schema.key or tuple(column.name for column in schema.columns)
        return [at for at, column in enumerate(schema.all_columns) if column.name in names]

    def _days(self, by: str) -> Iterator[str]:
        for each in self._items or ():
            if not isinstance(each, Records):
                continue
            for at, column in enumerate(self._record_defs[each.data_def].schema.all_columns):
                if column.type in _DAYS and not column.is_list and by in ("", column.name):
                    yield from (row[at][:_ISO_DAY] for row in each.rows if row[at])
