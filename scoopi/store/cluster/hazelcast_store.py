"""HazelcastStore: the store of a run in a cluster, in maps of a Hazelcast grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scoopi.errors import StoreError
from scoopi.store.cluster.call_pipeline import CallPipeline
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.foreign_values import describe, ensure_own, is_refused, reader_of
from scoopi.store.cluster.map_scans import Call, KeyValues, MapCalls, MapScans
from scoopi.store.cluster.scan_bounds import Queries
from scoopi.store.nodes.lease import boottime
from scoopi.store.ports import RUN_MAPS, Change, Outcome, StoreMap
from scoopi.store.record_codec import FOREIGN, unreadable
from scoopi.store.suspension_guard import SuspensionGuard

if TYPE_CHECKING:
    from hazelcast.future import Future
    from hazelcast.proxy.map import Map

PREFIX = "scoopi"
_FOREIGN_KEYS = "the map %s holds keys that Scoopi did not write, which are skipped; one is %s"


class HazelcastStore:
    """The store of a run in a cluster, in maps of a Hazelcast grid.

    The maps are named `scoopi.<run>.<map>`; a batch is one pipeline of calls.

    A write may have been made although it was rejected or never answered: wrap the store in a SettlingStore.
    Records of indexed maps are sent as JSON, which the grid indexes by (field, key), all others as byte
    arrays; nothing else is ever sent, so nothing is pickled. Keys are ordered by UTF-16, as in Java.

    Args:
        client: a connected client; it stays open when this store is closed.
        run: the second part of the maps' names: that of a run's maps in the registry, or `schedule/<name>`;
            empty for the maps `scoopi.<map>`, which belong to no run.
        guarded: see `CallPipeline`.
        is_gone, clock: see `SuspensionGuard`. Any call to a removed map would create it again, for good.
        maps: the maps of this store.
    """

    def __init__(
        self,
        client: ClusterClient,
        run: str = "",
        guarded: bool = True,
        is_gone: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = boottime,
        maps: Sequence[StoreMap] = RUN_MAPS,
    ) -> None:
        self._client = client
        self.prefix = f"{PREFIX}.{run}" if run else PREFIX
        self._suspension = SuspensionGuard(self.prefix, is_gone, clock)
        self._pipeline = CallPipeline(client, guarded)
        self._queries = Queries()
        calls = MapCalls(self._answers, self._own, self._blamed, self.count)
        self._scans = MapScans(self._queries, calls)
        self._keys = client.keys()
        self._maps: dict[StoreMap, Map[Any, Any]] = {}
        self._declared = maps

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        """See `Store`."""
        if not keys:
            return {}
        read = reader_of(store_map)
        found = self._one(store_map, "get", lambda kept: kept.get_all(self._sent(keys)))
        return {key: read(value) for key, value in found.items()}

    def put_if_absent_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        """See `Store`; of equal keys in one batch the first counts."""
        if not records:
            return []
        read, sent = reader_of(store_map), self._writer(store_map)
        kept, at = self.grid_map(store_map), self._keys.of
        puts = (_later(kept.put_if_absent, at(key), sent(value)) for key, value in records)
        with self._blamed(store_map):
            standing = self._pipeline.answers(f"put to {store_map}", puts)
        currents = (
            value if stands is None else read(stands)
            for (_, value), stands in zip(records, standing, strict=True)
        )
        return [
            Outcome(current == value, current) for (_, value), current in zip(records, currents, strict=True)
        ]

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        """See `Store`; changes of one key in one batch are made in their order."""
        if not changes:
            return []
        sent, kept, at = self._writer(store_map), self.grid_map(store_map), self._keys.of
        calls = (_later(kept.replace_if_same, at(key), sent(old), sent(new)) for key, old, new in changes)
        with self._blamed(store_map):
            made = self._pipeline.answers(f"change in {store_map}", calls)
        refused = [change.key for change, won in zip(changes, made, strict=True) if not won]
        now = self.get_all(store_map, refused)
        return [
            Outcome(True, change.new) if won else _settled(change, now.get(change.key))
            for change, won in zip(changes, made, strict=True)
        ]

    def delete_all(self, store_map: StoreMap, keys: Sequence[str]) -> None:
        """See `Store`."""
        kept = self.grid_map(store_map)
        deletions = (_later(kept.delete, key) for key in self._sent(keys))
        self._pipeline.answers(f"deletion in {store_map}", deletions)

    def delete_same_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[bool]:
        """See `Store`."""
        sent, kept, at = self._writer(store_map), self.grid_map(store_map), self._keys.of
        calls = (_later(kept.remove_if_same, at(key), sent(value)) for key, value in records)
        with self._blamed(store_map):
            self._pipeline.answers(f"deletion in {store_map}", calls)
        left = self.get_all(store_map, [key for key, _ in records])
        return [key not in left for key, _ in records]

    def move_all(self, source: StoreMap, target: StoreMap, changes: Sequence[Change]) -> bool:
        """See `Store`; members have no transactions over two maps."""
        return False

    def delete_below(self, store_map: StoreMap, key: str) -> None:
        """See `Store`; each member scans all its records."""
        where = self._queries.below(key)
        try:
            self._one(store_map, "clear", lambda kept: kept.remove_all(where))
        except StoreError as error:
            if not is_refused(error):
                raise
            self.delete_all(store_map, [one for one, _ in self._scans.all_in_order(store_map) if one < key])

    def scan(self, store_map: StoreMap, index_value: str | None, limit: int, after: str = "") -> KeyValues:
        """See `Store`."""
        return self._scans.scan(store_map, index_value, limit, after) if limit > 0 else []

    def scan_each(
        self, store_map: StoreMap, index_values: Sequence[str], limit: int, after: str = ""
    ) -> KeyValues:
        """See `Store`."""
        return self._scans.scan_each(store_map, index_values, limit, after) if limit > 0 else []

    def count(self, store_map: StoreMap, index_value: str | None = None) -> int:
        """See `Store`."""
        if index_value is None:
            return int(self._one(store_map, "count", lambda kept: kept.size()))
        count, where = self._queries.count(), self._queries.where(store_map, index_value)
        with self._blamed(store_map):
            return int(self._one(store_map, "count", lambda kept: kept.aggregate(count, where)))

    def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
        """See `Store`."""
        kept = self.grid_map(store_map)
        calls = (_later(kept.set_ttl, key, seconds) for key in self._sent(keys))
        self._pipeline.answers(f"set the end of {store_map}", calls)

    def destroy(self) -> None:
        """Remove all maps of this store, for every node."""
        for store_map in self._declared:
            self._client.remove(f"{self.prefix}.{store_map}")
        self._maps.clear()

    def close(self) -> None:
        """Nothing to close: the client may serve other stores."""

    def _own(self, store_map: StoreMap, entries: Sequence[tuple[Any, Any]]) -> KeyValues:
        """The entries with text keys; Scoopi did not write the others."""
        read = reader_of(store_map)
        own = [(key, read(value)) for key, value in entries if isinstance(key, str)]
        if len(own) < len(entries):
            foreign = next(key for key, _ in entries if not isinstance(key, str))
            self._client.warn_once(f"{self.prefix}.{store_map}", _FOREIGN_KEYS, describe(foreign))
        return own

    def _one(self, store_map: StoreMap, verb: str, call: Call) -> Any:
        return self._answers(store_map, verb, [call])[0]

    def _answers(self, store_map: StoreMap, verb: str, calls: Sequence[Call]) -> list[Any]:
        kept = self.grid_map(store_map)
        return self._pipeline.answers(f"{verb} {store_map}", (_later(call, kept) for call in calls))

    def grid_map(self, store_map: StoreMap) -> Map[Any, Any]:
        """The map of the grid; opened, created and indexed at the first call.

        Raises:
            RunError: the run was removed; see `SuspensionGuard`.
            StoreError, ClusterError: see `ClusterClient.refuse`.
        """
        self._suspension.ensure_kept()
        if (kept := self._maps.get(store_map)) is None:
            kept = self._client.map(f"{self.prefix}.{store_map}")
            if store_map.index:
                self._index(store_map, kept, store_map.index)
            self._maps[store_map] = kept
        return kept

    def _index(self, store_map: StoreMap, kept: Map[Any, Any], field: str) -> None:
        """Add the index; adding it again has no effect. It uses memory in each partition."""
        options = self._queries.index(field)
        with self._blamed(store_map):
            self._pipeline.answer(f"index {store_map}", lambda: kept.add_index(**options))

    @contextmanager
    def _blamed(self, store_map: StoreMap) -> Iterator[None]:
        """If members reject a call because of a foreign record, which they do not name, find the record.

        Raises:
            RecordError: the map has a record that Scoopi did not write.
        """
        try:
            yield
        except StoreError as error:
            if not is_refused(error):
                raise
            self._find_foreign(store_map, error)
            raise

    def _find_foreign(self, store_map: StoreMap, refused: StoreError) -> None:
        kept = self._client.map(f"{self.prefix}.{store_map}")
        try:
            entries = self._pipeline.answer(f"scan {store_map}", kept.entry_set)
        except StoreError as error:
            if not is_refused(error):
                raise
            # With a value of an unregistered type in an indexed map, members cannot even list its keys.
            raise unreadable(store_map, "", FOREIGN + error.what[:200].encode()) from refused
        ensure_own(store_map, entries, refused)

    def _sent(self, keys: Sequence[str]) -> list[Any]:
        return [self._keys.of(key) for key in keys]

    def _writer(self, store_map: StoreMap) -> Callable[[bytes], Any]:
        return self._queries.json if store_map.index else bytearray


def _later(send: Callable[..., Future[Any]], *arguments: Any) -> Callable[[], Future[Any]]:
    return lambda: send(*arguments)


def _settled(change: Change, now: bytes | None) -> Outcome:
    """The outcome of a rejected change; it may have been made by an earlier try (protocol rule 1)."""
    return Outcome(now == change.new, now)
