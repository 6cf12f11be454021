"""MapScans: reads pages of a map's records from the grid, in the order of their keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import msgspec

from scoopi.errors import StoreError
from scoopi.store.cluster.foreign_values import is_refused
from scoopi.store.cluster.scan_bounds import SAMPLE, Queries, ScanBounds
from scoopi.store.ports import StoreMap

if TYPE_CHECKING:
    from hazelcast.future import Future
    from hazelcast.proxy.map import Map

LARGE = 1000
"""From this limit on, a scan counts the records first, to bound what the grid sorts."""
KeyValues = list[tuple[str, bytes]]
Call = Callable[["Map[Any, Any]"], "Future[Any]"]


class MapCalls(msgspec.Struct, frozen=True):
    """What scans need from their store.

    Attributes:
        answers: makes pipelined calls to a map; takes the map, a verb for messages, and the calls.
        own: decodes those entries of a map that Scoopi wrote.
        blamed: a context manager; raises RecordError if members reject a call in it for a foreign record.
        count: returns the number of records in a map.
    """

    answers: Callable[[StoreMap, str, Sequence[Call]], list[Any]]
    own: Callable[[StoreMap, Sequence[tuple[Any, Any]]], KeyValues]
    blamed: Callable[[StoreMap], AbstractContextManager[None]]
    count: Callable[[StoreMap], int]


class MapScans:
    """Reads pages of a map's records from the grid, in the order of their keys.

    Thread-safe; its state is only hints. The grid cannot order a map with keys that are not text, so such a
    map is read completely.
    """

    def __init__(self, queries: Queries, calls: MapCalls) -> None:
        self._queries = queries
        self._calls = calls
        self._bounds = ScanBounds()

    def scan(self, store_map: StoreMap, index_value: str | None, limit: int, after: str) -> KeyValues:
        """See `Store`; the limit is positive."""
        if index_value is None:
            return self._scan_map(store_map, limit, after)
        return self._scan_indexed(store_map, index_value, limit, after)

    def scan_each(
        self, store_map: StoreMap, index_values: Sequence[str], limit: int, after: str
    ) -> KeyValues:
        """See `Store`; the limit is positive. One batch reads all values that are not known to be large."""
        bounds = self._bounds
        large = {each for each in index_values if bounds.by_index(f"{store_map}/{each}", after, limit)}
        found = [one for value in large for one in self._scan_indexed(store_map, value, limit, after)]
        rest = [value for value in index_values if value not in large]
        wheres = [self._queries.where(store_map, value, after) for value in rest]
        answers: Sequence[Any] = [None] * len(rest)
        try:
            answers = self._answers(store_map, [self._queries.page(where, limit) for where in wheres])
        except StoreError as error:
            if not is_refused(error):
                raise
        for value, entries in zip(rest, answers, strict=True):
            page = None if entries is None else self._compared(store_map, entries)
            if page is None:
                page = self._page(store_map, value, limit, after)
            bounds.saw(f"{store_map}/{value}", after, [key for key, _ in page])
            found += page
        return found

    def all_in_order(self, store_map: StoreMap) -> KeyValues:
        """All records whose keys are text, sorted by key on this node."""
        return self._sorted_here(store_map, None, "", None)

    def _scan_map(self, store_map: StoreMap, limit: int, after: str) -> KeyValues:
        if limit < LARGE:
            return self._page(store_map, None, limit, after)
        total = self._calls.count(store_map)
        if total <= 2 * limit:
            return self._unpaged(store_map, after, None)[:limit]
        end = self._bounds.by_total(after, limit, total)
        found = [] if end is None else self._unpaged(store_map, after, end)[:limit]
        if len(found) < limit:
            found += self._page(store_map, None, limit - len(found), end or after)
        return found

    def _scan_indexed(self, store_map: StoreMap, index_value: str, limit: int, after: str) -> KeyValues:
        end = self._bounds.by_index(f"{store_map}/{index_value}", after, limit)
        found = self._page(store_map, index_value, limit, after, end) if end is not None else []
        if len(found) < limit:
            found += self._page(store_map, index_value, max(SAMPLE, limit - len(found)), end or after)
        self._bounds.saw(f"{store_map}/{index_value}", after, [key for key, _ in found])
        return found[:limit]

    def _page(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str, end: str | None = None
    ) -> KeyValues:
        """Up to `limit` records with after < key <= end; the grid sorts all of them and sends these."""
        where = self._queries.page(self._queries.where(store_map, index_value, after, end), limit)
        found = self._found(store_map, where)
        return self._sorted_here(store_map, index_value, after, end)[:limit] if found is None else found

    def _unpaged(self, store_map: StoreMap, after: str, end: str | None) -> KeyValues:
        """All records with after < key <= end, sorted here: the grid needs seconds to sort a large page."""
        found = self._found(store_map, self._queries.where(store_map, None, after, end))
        return self._sorted_here(store_map, None, after, end) if found is None else sorted(found, key=place)

    def _found(self, store_map: StoreMap, where: Any) -> KeyValues | None:
        """The records that match; None if the map has keys that are not text."""
        try:
            (entries,) = self._answers(store_map, [where])
        except StoreError as error:
            if not is_refused(error):
                raise
            return None
        return self._compared(store_map, entries)

    def _compared(self, store_map: StoreMap, entries: Sequence[tuple[Any, Any]]) -> KeyValues | None:
        """The records of entries; None if some have keys that are not text."""
        own = self._calls.own(store_map, entries)
        return own if len(own) == len(entries) else None

    def _sorted_here(
        self, store_map: StoreMap, index_value: str | None, after: str, end: str | None
    ) -> KeyValues:
        """The records with after < key <= end, by reading a whole map that has keys that are not text."""
        where = self._queries.where(store_map, index_value)
        with self._calls.blamed(store_map):
            own = self._calls.own(store_map, self._answers(store_map, [where])[0])
        first, last = place((after, b"")), None if end is None else place((end, b""))
        return sorted(
            (pair for pair in own if place(pair) > first and (last is None or place(pair) <= last)),
            key=place,
        )

    def _answers(self, store_map: StoreMap, wheres: Sequence[Any]) -> list[Any]:
        return self._calls.answers(store_map, "scan", [_entries(where) for where in wheres])


def _entries(where: Any) -> Call:
    return lambda kept: kept.entry_set(where)


def place(record: tuple[str, bytes]) -> bytes:
    """The sort key of a record, in the grid's order of keys: UTF-16 code units, big-endian."""
    return record[0].encode("utf-16-be", "surrogatepass")
