"""SeedPacks: seeded jobs that do not stand in the store one by one yet, thousands in a record."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from scoopi.errors import RunError
from scoopi.model.job import JobPayload
from scoopi.store.pages.job_records import JobRecords, NewJob, ready_state_key
from scoopi.store.ports import JOBS, PAYLOADS, Change, Store, pages
from scoopi.store.record_codec import RecordCodec, unreadable

PACKED = "~"
"""The host of all packs, and the first character of their keys: behind the ids of all jobs."""
PAGE = 500
FEW = 4
"""Packs of a host that are tried: other nodes may be faster at the first ones."""
NONE_S = 1.0
"""When there was no pack at all, no host is asked for one for this time."""
QUICKEST = 1


class UnpackedJobs(NamedTuple):
    """What stood in the pack of that key."""

    key: str
    jobs: list[NewJob]


class SeedPacks:
    """Seeded jobs that do not stand in the store one by one yet, thousands in a record.

    A pack is a record of JOBS, so a run with packs is not over; its jobs stand apart, compressed.

    A node that runs out of a host's jobs takes its next pack, puts the jobs, and removes the pack. The pack
    of a node that crashes meanwhile is taken back as its jobs are, and unpacked again: ids are derived and
    ended ones are remembered, so each job is run once.

    Args:
        store: one whose answers are settled.
        records: of this node.
        clock: seconds, monotonic.
    """

    def __init__(
        self, store: Store, records: JobRecords, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._records = records
        self._clock = clock
        self._codec: RecordCodec[list[JobPayload]] = RecordCodec(PAYLOADS, list[JobPayload], packed=True)
        self._none_until = 0.0

    def put(self, host: str, number: int, jobs: Sequence[NewJob]) -> None:
        """Put jobs of one host as its pack of that number; a pack that exists stays as it is."""
        key = f"{_prefix(host)}{number:06d}/{len(jobs)}"
        packed = zlib.compress(self._codec.written([job.payload for job in jobs]), QUICKEST)
        self._store.put_if_absent_all(PAYLOADS, [(key, packed)])
        self._store.put_if_absent_all(JOBS, [(key, self._records.new(PACKED, b""))])

    def has(self, host: str) -> bool:
        """Whether the host has a pack that nobody has taken."""
        return bool(self._of(host, 1))

    def take(self, host: str) -> UnpackedJobs | None:
        """The next pack of the host, taken by this node; None: it has none.

        Raises:
            RunError: its jobs are gone: the run's data is lost.
        """
        for key, record in self._of(host, FEW):
            change = Change(key, record, self._records.taken(self._records.read(key, record)))
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
        """Delete a pack whose jobs have been put; its record first: where it is, its jobs must be."""
        self._store.delete_all(JOBS, [key])
        self._store.delete_all(PAYLOADS, [key])

    def unseen(self) -> int:
        """How many more jobs there are than records, as each pack counts as one."""
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


def _prefix(host: str) -> str:
    return f"{PACKED}{host}/"


def _size(key: str) -> int:
    size = key.rpartition("/")[2]
    return int(size) if size.isdecimal() else 1
