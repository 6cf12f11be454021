"""Store: the port that keeps records in maps, and the maps of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple, Protocol

import msgspec

PAGE = 500
"""Records of one scan, where nothing else decides their number."""


class StoreMap(msgspec.Struct, frozen=True):
    """A map of records, declared by the protocol that keeps its records there.

    Attributes:
        name: name of the table, or of the map of Hazelcast.
        index: the text field by which `scan` and `count` select records. Records of an indexed map are JSON
            objects; all others may be any bytes.
        large: whether most records have hundreds of bytes; a backend may choose its table layout accordingly.
    """

    name: str
    index: str | None = None
    large: bool = False

    def __str__(self) -> str:
        return self.name


class Change(NamedTuple):
    """A conditional write: replace the record of `key` with `new` if it equals `expected`."""

    key: str
    expected: bytes
    new: bytes


class Outcome(NamedTuple):
    """The outcome of a write: WON, or LOST with the current record.

    Attributes:
        won: whether the write was made.
        current: the record as it is now; None if there is none.
    """

    won: bool
    current: bytes | None


class Store(Protocol):
    """Keeps records in maps; every write is conditional on the record that it was decided on.

    A call is one batch: one transaction, or one pipeline of calls. Batches are not atomic as a whole.
    The keys in a batch of changes must differ, or a lost answer could not be settled.
    Every method raises StoreError if the outcome is not known; the caller retries it.
    """

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        """The records that exist, by key."""

    def put_if_absent_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        """Put each record, given as (key, record), if its key has no record yet.

        Returns:
            An outcome per record, in order. A put is also WON if the existing record equals the given one.
        Source: ARCHITECTURE, protocol rule 1.
        """

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        """Change each record only if it still holds what the change expects.

        Returns:
            An outcome per change, in order: WON, or LOST with the record as it is now.
            A change whose answer was lost is settled by reading the record.
        Raises:
            StoreError: the store could not be read either; the outcome is not known yet; retry.
        Source: ARCHITECTURE, protocol rule 1.
        """

    def delete_all(self, store_map: StoreMap, keys: Sequence[str]) -> None:
        """Delete the records; absent ones are ignored."""

    def delete_same_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[bool]:
        """Delete each record, given as (key, record), only if it is unchanged; keys of a batch must differ.

        Returns:
            For each, in order, whether there is no record with its key now.
        """

    def move_all(self, source: StoreMap, target: StoreMap, changes: Sequence[Change]) -> bool:
        """Move records: delete each from `source` if it is as expected, and put its new value into `target`.

        All changes are made, or none; the keys of a batch must differ.

        Returns:
            Whether the changes were made. False if a record is not as expected, if `target` already has one
            of the keys, or if the backend has no transactions over two maps; then nothing has changed.
        Raises:
            StoreError: the outcome is not known; it is not settled.
        """

    def delete_below(self, store_map: StoreMap, key: str) -> None:
        """Delete all records with keys below `key` in one call, however many there are.

        Not for indexed maps.
        """

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        """The first records with key > `after`, as (key, record), in ascending order of keys.

        Args:
            index_value: only records whose indexed field has this value; None: all. Indexed maps only.
            limit: the largest number of records.
        """

    def scan_each(
        self, store_map: StoreMap, index_values: Sequence[str], limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        """As `scan`, for several different values: up to `limit` records for each value, in any order.

        An empty list of values finds nothing.
        """

    def count(self, store_map: StoreMap, index_value: str | None = None) -> int:
        """The number of records in the map; `index_value` as in `scan`."""

    def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
        """Let the records expire `seconds` seconds from now; absent ones are ignored.

        On one machine records do not expire: the user deletes the run's folder.
        """

    def close(self) -> None:
        """Close the store; no method may be called afterwards."""


def pages(
    store: Store, store_map: StoreMap, size: int, index_value: str | None = None, after: str = ""
) -> Iterator[list[tuple[str, bytes]]]:
    """Yield all records with key > `after`, in ascending order of keys, in pages of up to `size` records.

    No page is empty.

    Each page is read when the caller asks for it, and begins after the last key of the previous one, so the
    caller may change or delete records before it asks for the next page.

    Args:
        index_value: as in `Store.scan`.
    Raises:
        StoreError: the store does not answer; start over.
    """
    while page := store.scan(store_map, index_value, size, after):
        yield page
        after = page[-1][0]


def with_prefix(
    store: Store, store_map: StoreMap, size: int, prefix: str, index_value: str | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield the records whose keys begin with `prefix` and are longer, one by one; otherwise as `pages`."""
    for page in pages(store, store_map, size, index_value, prefix):
        if page[-1][0].startswith(prefix):  # and so do all before it
            yield from page
            continue
        yield from takewhile(lambda entry: entry[0].startswith(prefix), page)
        return


JOBS = StoreMap("jobs", index="state_key", large=True)
PAYLOADS = StoreMap("payloads", large=True)
ENDED = StoreMap("ended")
HOSTS = StoreMap("hosts")
RUN = StoreMap("run")
"""Records about one run. A shared store also has a map of this name that belongs to no run and lists them."""
NODES = StoreMap("nodes")
ROBOTS = StoreMap("robots")
RUN_MAPS = (JOBS, PAYLOADS, ENDED, HOSTS, RUN, NODES, ROBOTS)
