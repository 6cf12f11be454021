"""MemoryStore: the maps of a store in dictionaries; what is quick to simulate with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from scoopi.errors import StoreError
from scoopi.store.ports import Change, Outcome, StoreMap
from scoopi.store.record_codec import indexed_kind


class MemoryStore:
    """The maps of a store in dictionaries.

    Attributes:
        calls: how often it was read, or written to, in batches.
    """

    def __init__(self, maps: Sequence[StoreMap]) -> None:
        self.maps: dict[StoreMap, dict[str, bytes]] = {each: {} for each in maps}
        self.calls = 0
        self._decoders = {each: msgspec.json.Decoder(indexed_kind(each)) for each in maps if each.index}

    def copy(self) -> MemoryStore:
        """A store with the same records, which changes by itself."""
        new = MemoryStore([*self.maps])
        new.maps = {each: dict(records) for each, records in self.maps.items()}
        return new

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        self.calls += 1
        return {key: self.maps[store_map][key] for key in keys if key in self.maps[store_map]}

    def put_if_absent_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        self.calls += 1
        kept = self.maps[store_map]
        found = [(kept.get(key), kept.setdefault(key, value), value) for key, value in records]
        return [Outcome(old is None or old == value, current) for old, current, value in found]

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        self.calls += 1
        kept = self.maps[store_map]
        for key, expected, new in changes:
            if kept.get(key) == expected:
                kept[key] = new
        return [Outcome(kept.get(each.key) == each.new, kept.get(each.key)) for each in changes]

    def delete_all(self, store_map: StoreMap, keys: Sequence[str]) -> None:
        for key in keys:
            self.maps[store_map].pop(key, None)

    def delete_same_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[bool]:
        kept = self.maps[store_map]
        for key, value in records:
            if kept.get(key) == value:
                del kept[key]
        return [key not in kept for key, _ in records]

    def move_all(self, source: StoreMap, target: StoreMap, changes: Sequence[Change]) -> bool:
        """It has no transactions."""
        return False

    def delete_below(self, store_map: StoreMap, key: str) -> None:
        for lower in [one for one in self.maps[store_map] if one < key]:
            del self.maps[store_map][lower]

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        self.calls += 1
        found = (
            (key, value)
            for key, value in self.maps[store_map].items()
            if key > after and (index_value is None or self._index_of(store_map, value) == index_value)
        )
        return sorted(found)[: max(0, limit)]

    def scan_each(
        self, store_map: StoreMap, index_values: Sequence[str], limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        return [found for each in index_values for found in self.scan(store_map, each, limit, after)]

    def count(self, store_map: StoreMap, index_value: str | None = None) -> int:
        return len(self.scan(store_map, index_value, len(self.maps[store_map])))

    def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
        """Nothing ends here."""

    def close(self) -> None:
        for records in self.maps.values():
            records.clear()

    def _index_of(self, store_map: StoreMap, value: bytes) -> Any:
        return self._decoders[store_map].decode(value).index_value


class AwayStore(MemoryStore):
    """A store that, while `is_away`, makes a conditional write, answers nothing, and cannot be read."""

    is_away = False

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        if self.is_away:
            raise StoreError("no answer")
        return super().get_all(store_map, keys)

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        outcomes = super().cas_all(store_map, changes)
        if self.is_away:
            raise StoreError("no answer")
        return outcomes
