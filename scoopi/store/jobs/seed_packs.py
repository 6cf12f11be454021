"""SeedPacks: keeps seeded jobs in packs, up to a thousand per record, until a node needs them."""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from scoopi.errors import RunError
from scoopi.model.job import JobPayload
from scoopi.store.jobs.job_records import JobRecords, NewJob, ready_state_key
from scoopi.store.ports import JOBS, PAGE, PAYLOADS, Change, Store, pages
from scoopi.store.record_codec import RecordCodec, unreadable

PACKED = "~"
"""The host of all packs, and the first character of their keys, which sort after the ids of all jobs."""
FEW = 4
"""Number of packs of a host that a node tries to take, as other nodes may take the first ones."""
NONE_S = 1.0
"""Seconds for which no host has packs, without a look at the store, after the store had none at all."""


class UnpackedJobs(NamedTuple):
    """The jobs of a pack, and its key."""

    key: str
    jobs: list[NewJob]


class SeedPacks:
    """Keeps seeded jobs in packs, up to a thousand per record, until a node needs them.

    A pack is a record in JOBS, so that a run with packs is not over; its jobs are in a compressed payload.

    A node that runs out of a host's jobs takes the next pack, puts its jobs, and removes it. The pack of a
    node that crashes meanwhile is taken back like its jobs, and unpacked again. As ids are derived, and ended
    ones are remembered, each job still runs once.

    Args:
        store: settles its writes, as `SettlingStore` does.
        records: makes the records of this node.
        clock: monotonic time in seconds.
    """

    def __init__(
        self, store: Store, records: JobRecords, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._records = records
        self._clock = clock
        self._codec: RecordCodec[list[JobPayload]] = RecordCodec(PAYLOADS, list[JobPayload], packed=True)
        self._none_until = -math.inf

    def put(self, host: str, number: int, jobs: Sequence[NewJob]) -> None:
        """Put jobs of a host as its pack with this number; an existing pack stays as it is."""
        key = f"{_prefix(host)}{number:06d}/{len(jobs)}"
        packed = zlib.compress(self._codec.encode([job.payload for job in jobs]), zlib.Z_BEST_SPEED)
        self._store.put_if_absent_all(PAYLOADS, [(key, packed)])
        self._store.put_if_absent_all(JOBS, [(key, self._records.new(PACKED, b""))])

    def has(self, host: str) -> bool:
        """Whether the host has a pack that no node has taken."""
        return bool(self._of(host, 1))

    def take(self, host: str) -> UnpackedJobs | None:
        """Take the next pack of the host; None if it has none.

        Raises:
            RunError: its jobs are missing, so the run's data is lost.
        """
        for key, record in self._of(host, FEW):
            change = Change(
                key, record, self._records.encode(self._records.as_taken(self._records.read(key, record)))
            )
            if self._store.cas_all(JOBS, [change])[0].won:
                packed = self._store.get_all(PAYLOADS, [key]).get(key)
                if packed is not None:
                    return UnpackedJobs(key, self._unpacked(host, key, packed))
                if self._store.get_all(JOBS, [key]):
                    raise RunError(
                        f"the seeded jobs of {host} are gone: the run's data is lost", hint="start a new run"
                    )
        return None

    def remove(self, key: str) -> None:
        """Delete the pack with this key, whose jobs have been put.

        Its record is deleted before its payload, as a record without a payload means that data is lost.
        """
        self._store.delete_all(JOBS, [key])
        self._store.delete_all(PAYLOADS, [key])

    def unseen(self) -> int:
        """The number of jobs in READY packs that a count of records misses, as each pack is one record."""
        packs = pages(self._store, JOBS, PAGE, ready_state_key(PACKED))
        return sum(_size(key) - 1 for page in packs for key, _ in page)

    def _of(self, host: str, limit: int) -> list[tuple[str, bytes]]:
        if self._clock() < self._none_until:
            return []
        state_key, prefix = ready_state_key(PACKED), _prefix(host)
        found = self._store.scan(JOBS, state_key, limit, prefix)
        if not found and not self._store.scan(JOBS, state_key, 1):
            self._none_until = self._clock() + NONE_S
        return [(key, record) for key, record in found if key.startswith(prefix)]

    def _unpacked(self, host: str, key: str, packed: bytes) -> list[NewJob]:
        try:
            payloads = self._codec.read(key, zlib.decompress(packed))
        except zlib.error as fault:
            raise unreadable(PAYLOADS, key, packed, str(fault)) from fault
        return [NewJob(payload.seed, host, payload) for payload in payloads]


def pack_host(key: str) -> str:
    """The host whose jobs are in the pack of this key; empty for a key that is not that of a pack.

    >>> pack_host("~shop.example:80/000003/5000"), pack_host("0a1b")
    ('shop.example:80', '')
    """
    return key.rsplit("/", 2)[0].removeprefix(PACKED) if key.startswith(PACKED) else ""


def _prefix(host: str) -> str:
    return f"{PACKED}{host}/"


def _size(key: str) -> int:
    size = key.rpartition("/")[2]
    return int(size) if size.isdecimal() else 1
