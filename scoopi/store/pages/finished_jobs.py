"""FinishedJobs: ends jobs, and remembers every ended id, hundreds in a record once the run is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

from scoopi.errors import StoreError
from scoopi.model.job import StoredJob
from scoopi.store.pages.job_records import ENDED_STATE_KEY, Ended, Ending, JobRecords, TakenRecords, won
from scoopi.store.ports import ENDED, JOBS, PAYLOADS, Change, Outcome, Store, pages
from scoopi.store.record_codec import RecordCodec

PAGE = 20_000
PACK = 500
"""Ends in a packed record: some 60 bytes each, where a record of its own takes 280."""
PACKS = PAGE // PACK
_PACKED = "~"
"""Behind all ids. The record of this key marks that all ends are packed; the packs' keys follow it."""
_FULL = b"packed"
Ends = list[tuple[str, Ended]]
BATCH = 500


class RememberedEnds:
    """Remembers which take of which node ended a job.

    Every method raises StoreError when nothing is known.

    Args:
        store: one whose answers are settled.
    Source: ARCHITECTURE, protocol rules 3 and 10.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._codec = RecordCodec(ENDED, Ended)
        self._packs: RecordCodec[Ends] = RecordCodec(ENDED, Ends, packed=True)

    def remember(self, ends: Mapping[str, Ended]) -> dict[str, Ended]:
        """Put those that are not there; the ones that stand."""
        records = [(job, self._codec.written(end)) for job, end in ends.items()]
        outcomes = self._store.put_if_absent_all(ENDED, records)
        return {
            job: self._standing(job, end, outcome)
            for (job, end), outcome in zip(ends.items(), outcomes, strict=True)
        }

    def of(self, ids: Sequence[str]) -> dict[str, Ended]:
        """Those of the ids that are remembered.

        Packed ones too: a node that was away may ask when the run is over.
        """
        found = self._store.get_all(ENDED, [*ids, _PACKED] if ids else ids)
        is_packed = found.pop(_PACKED, None) is not None
        ends = {job: self._codec.read(job, record) for job, record in found.items()}
        if is_packed and (missing := set(ids) - ends.keys()):
            ends.update((job, end) for page in self._unpacked() for job, end in page if job in missing)
        return ends

    def pages(self) -> Iterator[Ends]:
        """All of them, each once, by id, in parts.

        Raises:
            StoreError: they were packed meanwhile; the next call finds them all.
        """
        if self._is_packed():
            yield from self._unpacked()
            return
        yield from self._single()
        if self._is_packed():
            raise StoreError("the ended jobs were packed while they were read", hint="try again")

    def _single(self) -> Iterator[Ends]:
        """From their own records, in whole parts while they are not packed."""
        for page in pages(self._store, ENDED, PAGE):
            yield [(job, self._codec.read(job, record)) for job, record in page if job < _PACKED]

    def _unpacked(self) -> Iterator[Ends]:
        """Packs are ordered by their first ids; packs of two nodes that cut them differently overlap."""
        last = ""
        for page in pages(self._store, ENDED, PACKS, after=_PACKED):
            for key, record in page:
                ends = self._packs.read(key, record)
                yield [(job, end) for job, end in ends if job > last]
                last = max(last, ends[-1][0] if ends else "")

    def expire(self, seconds: int) -> None:
        """Pack them, and let them expire after that many seconds; when the run is over."""
        if not self._is_packed():
            self._pack()
        # One call for all. A reader, or a node that packs after another has crashed here, has all of them
        # from the single records until now, and from the packs from now on.
        self._store.delete_below(ENDED, _PACKED)
        for page in pages(self._store, ENDED, PACKS):
            self._store.set_ttl_all(ENDED, [key for key, _ in page], seconds)

    def _pack(self) -> None:
        for page in self._single():
            if self._is_packed():
                return  # by another node, which removes them now: this part may have holes
            parts = [page[start : start + PACK] for start in range(0, len(page), PACK)]
            self._store.put_if_absent_all(ENDED, [self._packed(part) for part in parts])
        self._store.put_if_absent_all(ENDED, [(_PACKED, _FULL)])

    def _packed(self, ends: Ends) -> tuple[str, bytes]:
        """By its first id, under a key that no pack of other parts has."""
        record = self._packs.written(ends)
        return f"{_PACKED}{ends[0][0]}/{blake2b(record, digest_size=8).hexdigest()}", record

    def _is_packed(self) -> bool:
        return _PACKED in self._store.get_all(ENDED, [_PACKED])

    def _standing(self, job: str, end: Ended, outcome: Outcome) -> Ended:
        return end if outcome.won or outcome.current is None else self._codec.read(job, outcome.current)


class FinishedJobs:
    """Ends jobs, and remembers every ended id, hundreds in a record once the run is over.

    The last part of a job's life: TAKEN -> ended, remembered, its payload and record deleted.

    Each step is acknowledged before the next and is the same for every node, so any node may finish
    what another left half done. Every method raises StoreError when nothing is known: call
    it again with the same arguments.

    Args:
        taken: what this node wrote when it took the jobs that it ends.

    Source: ARCHITECTURE, protocol rules 2 and 3.
    """

    def __init__(self, store: Store, incarnation: str, taken: TakenRecords) -> None:
        self._store = store
        self._incarnation = incarnation
        self._taken = taken
        self._records = JobRecords(incarnation)
        self._remembered = RememberedEnds(store)

    def end(self, endings: Sequence[Ending]) -> list[bool]:
        """End jobs whose frames are durable.

        Returns:
            For each, in order, whether this end counts; False: the job was taken from this node
            in the meantime, and its frame is dead.
        """
        changes, ended = self._changes(endings)
        for change in won(self._store, changes):
            ended[change.key] = self._records.read(change.key, change.new)
        ends = self._finish(ended)
        unclear = [ending.id for ending in endings if ending.id not in ends]
        if unclear:
            # Another node may have buried what this node ended, before the answer came.
            ends.update(self.ended(unclear))
        self._taken.forget((ending.id, ending.fence) for ending in endings)
        return [self._counts(ends.get(ending.id), ending) for ending in endings]

    def bury(self) -> int:
        """Finish what is found with state key `E`, by any node; returns their number."""
        buried = 0
        for page in pages(self._store, JOBS, BATCH, ENDED_STATE_KEY):
            self._finish({job: self._records.read(job, record) for job, record in page})
            buried += len(page)
        return buried

    def forget(self, records: Mapping[str, StoredJob]) -> None:
        """Delete records and payloads of jobs that are known to be ended."""
        if apart := [job for job, record in records.items() if not record.payload]:
            self._store.delete_all(PAYLOADS, apart)
        if records:
            self._store.delete_all(JOBS, list(records))

    def ended(self, ids: Sequence[str]) -> dict[str, Ended]:
        """Those of the ids that have ended."""
        # State key `E` first: a job moves from there to `ended`, and must be met in one of them.
        found = {job: _as_ended(self._records.read(job, record)) for job, record in self._half_ended(ids)}
        found.update(self._remembered.of(ids))
        return found

    def buried(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that the map `ended` knows; enough after a take."""
        return set(self._remembered.of(ids))

    def pages(self) -> Iterator[Ends]:
        """All ended jobs, each once, by id, in parts; also when the run is over.

        Raises:
            StoreError: also when what is remembered was packed meanwhile; ask again.
        """
        # State key `E` first, as in `ended`.
        half_ended = self._all_half_ended()
        for page in self._remembered.pages():
            last = page[-1][0] if page else ""
            due = {job: half_ended.pop(job) for job in list(half_ended) if job <= last}
            # One that was half ended may have been remembered since.
            yield sorted((due | dict(page)).items()) if due else page
        yield sorted(half_ended.items())

    def _changes(self, endings: Sequence[Ending]) -> tuple[list[Change], dict[str, StoredJob]]:
        """What ends these jobs, and those that have ended already; neither: not this node's."""
        records = {ending.id: self._taken.of(ending.id, ending.fence) for ending in endings}
        # Of another process, or by the second call for the same end.
        unknown = [job for job, record in records.items() if record is None]
        records.update(self._store.get_all(JOBS, unknown) if unknown else {})
        changes: list[Change] = []
        ended: dict[str, StoredJob] = {}
        for ending in endings:
            if (record := records[ending.id]) is None:
                continue
            was = self._records.read(ending.id, record)
            if self._records.is_mine(was, ending.fence):
                changes.append(Change(ending.id, record, self._records.ending(was, ending)))
            elif was.state_key == ENDED_STATE_KEY:
                ended[ending.id] = was
        return changes, ended

    def _finish(self, records: Mapping[str, StoredJob]) -> dict[str, Ended]:
        """Remember, then forget; the ends that stand, should one have been remembered before."""
        if not records:
            return {}
        ends = self._remembered.remember({job: _as_ended(record) for job, record in records.items()})
        self.forget(records)
        return ends

    def _all_half_ended(self) -> dict[str, Ended]:
        return {
            job: _as_ended(self._records.read(job, record))
            for page in pages(self._store, JOBS, BATCH, ENDED_STATE_KEY)
            for job, record in page
        }

    def _half_ended(self, ids: Sequence[str]) -> list[tuple[str, bytes]]:
        """Those of the ids with state key `E`; all that have it are quickly read, as they are few."""
        page = self._store.scan(JOBS, ENDED_STATE_KEY, BATCH)
        if len(page) < BATCH:
            wanted = set(ids)
            return [(job, record) for job, record in page if job in wanted]
        found = self._store.get_all(JOBS, ids)
        return [
            (job, record)
            for job, record in found.items()
            if self._records.read(job, record).state_key == ENDED_STATE_KEY
        ]

    def _counts(self, end: Ended | None, ending: Ending) -> bool:
        return end is not None and (end.incarnation, end.fence) == (self._incarnation, ending.fence)


def _as_ended(record: StoredJob) -> Ended:
    return Ended(record.incarnation, record.fence, record.state)
