"""Store: the port that keeps records in maps, with backends in solo, cluster and postgresql; a run's maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec


class StoreMap(msgspec.Struct, frozen=True):
    """A map of records, declared by the protocol that keeps its records there.

    Attributes:
        name: of the table, or of the grid's map.
        index: the text field of its records by which `scan` and `count` select. Records of an indexed map are
            JSON objects; all others may be any bytes.
        large: whether most records have hundreds of bytes; a twin may lay them out for it.
    """

    name: str
    index: str | None = None
    large: bool = False

    def __str__(self) -> str:
        return self.name


class Change(NamedTuple):
    """Put `new` where `expected` stands, else nothing."""

    key: str
    expected: bytes
    new: bytes


class Outcome(NamedTuple):
    """WON (`won`), or LOST with the record as it is now (None: there is none)."""

    won: bool
    current: bytes | None


class Store(Protocol):
    """Keeps a run's records; every write is conditional on what it was decided on.

    A call is one batch: one transaction, or one pipelined burst. Batches are not atomic as a whole.
    The keys of a batch of changes differ, else an answer that is lost could not be settled.
    Every method raises StoreError when nothing is known; the caller retries it.
    """

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        """The records that exist, by key."""

    def put_if_absent_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        """Put each record whose key has none.

        Returns:
            An outcome per record, in order. A rejected put whose record has the wanted value is WON.
        Source: ARCHITECTURE, protocol rule 1.
        """

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        """Change each record only if it still holds what the change expects.

        Returns:
            An outcome per change, in order: WON, or LOST with the record as it is now.
            A change whose answer was lost is settled by reading the record.
        Raises:
            StoreError: the store could not be read either; nothing is known yet; retry.
        Source: ARCHITECTURE, protocol rule 1.
        """

    def delete_all(self, store_map: StoreMap, keys: Sequence[str]) -> None:
        """Delete the records; absent ones are ignored."""

    def delete_same_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[bool]:
        """Delete each record only if it still is as given; the keys of a batch differ.

        Returns:
            For each, in order, whether there is no record now; False if another one stands in its place.
        """

    def delete_below(self, store_map: StoreMap, key: str) -> None:
        """Delete all records with a lower key, in one call however many there are; not of an indexed map."""

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        """The first records with key > `after`, by key.

        Args:
            index_value: only records whose indexed field has this value; None: all. Indexed maps only.
            limit: the largest number of records.
        """

    def scan_each(
        self, store_map: StoreMap, index_values: Sequence[str], limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        """As `scan`, for each of several values, which differ: up to `limit` records of each, in any order.

        An empty list of values finds nothing.
        """

    def count(self, store_map: StoreMap, index_value: str | None = None) -> int:
        """The number of records in the map; `index_value` as in `scan`."""

    def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
        """Let the records expire after that many seconds; absent ones are ignored.

        On one machine no record expires: the user deletes the run's folder.
        """

    def close(self) -> None:
        """Close the store; no method may be called afterwards."""


def pages(
    store: Store, store_map: StoreMap, size: int, index_value: str | None = None, after: str = ""
) -> Iterator[list[tuple[str, bytes]]]:
    """All records with key > `after`, by key, up to `size` at a time; no page is empty.

    The next page is read when the caller asks for it, and begins after the last key of the one before: the
    caller may change or delete the records of a page before.

    Args:
        index_value: as in `Store.scan`.
    Raises:
        StoreError: the store does not answer; begin again.
    """
    while page := store.scan(store_map, index_value, size, after):
        yield page
        after = page[-1][0]


def with_prefix(
    store: Store, store_map: StoreMap, size: int, prefix: str, index_value: str | None = None
) -> Iterator[tuple[str, bytes]]:
    """The records whose keys begin so and have more than that, by key; arguments and errors as of `pages`."""
    for page in pages(store, store_map, size, index_value, prefix):
        for key, record in page:
            if not key.startswith(prefix):
                return
            yield key, record


JOBS = StoreMap("jobs", index="state_key", large=True)
PAYLOADS = StoreMap("payloads", large=True)
ENDED = StoreMap("ended")
HOSTS = StoreMap("hosts")
RUN = StoreMap("run")
"""Also the one map of the grid that belongs to no run: there it holds the runs that the cluster knows."""
MEMBERS = StoreMap("members")
ROBOTS = StoreMap("robots")
RUN_MAPS = (JOBS, PAYLOADS, ENDED, HOSTS, RUN, MEMBERS, ROBOTS)
