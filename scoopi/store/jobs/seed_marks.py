"""SeedMarks: how far a run is seeded, so that seeding continues there after a crash or a stop."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import msgspec

from scoopi.model.job import JobPayload
from scoopi.store.jobs.job_records import NewJob
from scoopi.store.ports import RUN, Change, Store
from scoopi.store.record_codec import RecordCodec, unreadable

_KEY = "seed-mark"


class SeedMark(msgspec.Struct, frozen=True):
    """How far a run is seeded: all jobs up to the mark are in the store, except those kept for packs.

    Attributes:
        seeded: how many jobs of the run's locators, in their order, were put or are kept.
        ready: host -> number of its jobs that were put as single records.
        packs: host -> number of its packs that were put.
        kept: host -> its jobs that wait to be packed.
    """

    seeded: int
    ready: dict[str, int]
    packs: dict[str, int]
    kept: dict[str, list[NewJob]]


class _Record(msgspec.Struct, frozen=True, array_like=True):
    """The record: a mark with compressed kept jobs.

    Attributes:
        run: incarnation of the run.
        writer: incarnation of the node that wrote it.
    """

    run: str
    writer: str
    seeded: int
    ready: dict[str, int]
    packs: dict[str, int]
    kept: bytes


class SeedMarks:
    """The mark of a run's seeding, which the seeding node moves.

    The mark is written once everything that it counts is in the store. Jobs after the mark may be in the
    store, too; their ids and packs follow from the mark, so a node that continues there puts nothing twice. A
    node that was declared dead, and keeps seeding beside another one, finds that the mark was moved by the
    other one, and no longer moves it.

    Every method raises StoreError if the outcome is not known; seeding then begins again at the mark.

    Args:
        store: settles its writes, as `SettlingStore` does.
        incarnation: incarnation of this node.
        run: incarnation of the run; the mark of another run does not count.
    Source: ARCHITECTURE, "Seeding".
    """

    def __init__(self, store: Store, incarnation: str, run: str) -> None:
        self._store = store
        self._incarnation = incarnation
        self._run = run
        self._codec = RecordCodec(RUN, _Record, packed=True)
        self._jobs: RecordCodec[dict[str, list[JobPayload]]] = RecordCodec(
            RUN, dict[str, list[JobPayload]], packed=True
        )
        self._stands: bytes | None = None
        self._is_lost = False

    def read(self) -> SeedMark | None:
        """Read the mark to continue from; None if there is none."""
        self._is_lost = False
        self._stands = self._store.get_all(RUN, [_KEY]).get(_KEY)
        if self._stands is None:
            return None
        record = self._codec.read(_KEY, self._stands)
        if record.run != self._run:
            return None
        return SeedMark(record.seeded, record.ready, record.packs, self._unpacked(record.kept))

    def move(self, mark: SeedMark) -> None:
        """Write the mark, unless another node has written it since this object last read or wrote it."""
        if self._is_lost:
            return
        record = self._codec.encode(
            _Record(self._run, self._incarnation, mark.seeded, mark.ready, mark.packs, self._packed(mark))
        )
        if self._stands is None:
            outcome = self._store.put_if_absent_all(RUN, [(_KEY, record)])[0]
        else:
            outcome = self._store.cas_all(RUN, [Change(_KEY, self._stands, record)])[0]
        self._is_lost, self._stands = not outcome.won, record

    def remove(self) -> None:
        """Remove the mark, once the run is seeded."""
        if self._stands is not None:
            self._store.delete_all(RUN, [_KEY])

    def _packed(self, mark: SeedMark) -> bytes:
        kept = {host: [job.payload for job in jobs] for host, jobs in mark.kept.items()}
        return zlib.compress(self._jobs.encode(kept), zlib.Z_BEST_SPEED)

    def _unpacked(self, packed: bytes) -> dict[str, list[NewJob]]:
        try:
            kept = self._jobs.read(_KEY, zlib.decompress(packed))
        except zlib.error as fault:
            raise unreadable(RUN, _KEY, packed, str(fault)) from fault
        return {host: _new_jobs(host, payloads) for host, payloads in kept.items()}


def _new_jobs(host: str, payloads: Iterable[JobPayload]) -> list[NewJob]:
    return [NewJob(payload.seed, host, payload) for payload in payloads]
