"""FinishedJobs and RememberedEnds: end jobs, and remember every ended id; packed once the run is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

from scoopi.errors import StoreError
from scoopi.model.job import StoredJob
from scoopi.store.jobs.job_records import ENDED_STATE_KEY, Ended, Ending, JobRecords, TakenRecords, won
from scoopi.store.ports import ENDED, JOBS, PAYLOADS, Change, Outcome, Store, pages
from scoopi.store.record_codec import RecordCodec

PAGE = 20_000
PACK = 500
"""Ends per packed record; each takes some 60 bytes, and 280 as a record of its own."""
PACKS = PAGE // PACK
_PACKED = "~"
"""Sorts after all ids. A record with this key marks that all ends are packed; keys of packs begin with it."""
_FULL = b"packed"
Ends = list[tuple[str, Ended]]
BATCH = 500


class RememberedEnds:
    """Remembers which take of which node ended a job.

    Every method raises StoreError if the outcome is not known.

    Args:
        store: settles its writes, as `SettlingStore` does.
    Source: ARCHITECTURE, protocol rules 3 and 10.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._codec = RecordCodec(ENDED, Ended)
        self._packs: RecordCodec[Ends] = RecordCodec(ENDED, Ends, packed=True)

    def remember(self, ends: Mapping[str, Ended]) -> dict[str, Ended]:
        """Put ends, by job id, unless a job has one already; return the end that counts for each job."""
        records = [(job, self.record(end)) for job, end in ends.items()]
        outcomes = self._store.put_if_absent_all(ENDED, records)
        return {
            job: self._standing(job, end, outcome)
            for (job, end), outcome in zip(ends.items(), outcomes, strict=True)
        }

    def record(self, end: Ended) -> bytes:
        """Encode an end as its record."""
        return self._codec.encode(end)

    def of(self, ids: Sequence[str]) -> dict[str, Ended]:
        """The remembered ends of these jobs, by id.

        Packed ends are found, too, because a node that was suspended may ask after the end of the run.
        """
        found = self._store.get_all(ENDED, [*ids, _PACKED] if ids else ids)
        is_packed = found.pop(_PACKED, None) is not None
        ends = {job: self._codec.read(job, record) for job, record in found.items()}
        if is_packed and (missing := set(ids) - ends.keys()):
            ends.update((job, end) for page in self._unpacked() for job, end in page if job in missing)
        return ends

    def pages(self) -> Iterator[Ends]:
        """Yield all ends as (id, end), each once, in ascending order of ids, in batches.

        Raises:
            StoreError: the ends were packed meanwhile; call again to get all.
        """
        if self._is_packed():
            yield from self._unpacked()
            return
        yield from self._single()
        if self._is_packed():
            raise StoreError("the ended jobs were packed while they were read", hint="try again")

    def _single(self) -> Iterator[Ends]:
        """Yield the ends from single records; the batches are complete as long as nothing is packed."""
        for page in pages(self._store, ENDED, PAGE):
            yield [(job, self._codec.read(job, record)) for job, record in page if job < _PACKED]

    def _unpacked(self) -> Iterator[Ends]:
        """Yield the ends from packs, which are ordered by their first ids; packs of two nodes may overlap."""
        last = ""
        for page in pages(self._store, ENDED, PACKS, after=_PACKED):
            for key, record in page:
                ends = self._packs.read(key, record)
                yield [(job, end) for job, end in ends if job > last]
                last = max(last, ends[-1][0] if ends else "")

    def expire(self, seconds: int) -> None:
        """Pack the ends of a run that is over, and let them expire `seconds` seconds from now."""
        if not self._is_packed():
            self._pack()
        # One call for all: a reader, or a node that packs after another has crashed here, finds all of them
        # in the single records before this call, and in the packs after it.
        self._store.delete_below(ENDED, _PACKED)
        for page in pages(self._store, ENDED, PACKS):
            self._store.set_ttl_all(ENDED, [key for key, _ in page], seconds)

    def _pack(self) -> None:
        for page in self._single():
            if self._is_packed():
                return  # another node has packed them and removes them now, so this batch may have gaps
            parts = [page[start : start + PACK] for start in range(0, len(page), PACK)]
            self._store.put_if_absent_all(ENDED, [self._packed(part) for part in parts])
        self._store.put_if_absent_all(ENDED, [(_PACKED, _FULL)])

    def _packed(self, ends: Ends) -> tuple[str, bytes]:
        """The record of a pack; its key has the first id, and a digest, so that different packs differ."""
        record = self._packs.encode(ends)
        return f"{_PACKED}{ends[0][0]}/{blake2b(record, digest_size=8).hexdigest()}", record

    def _is_packed(self) -> bool:
        return _PACKED in self._store.get_all(ENDED, [_PACKED])

    def _standing(self, job: str, end: Ended, outcome: Outcome) -> Ended:
        return end if outcome.won or outcome.current is None else self._codec.read(job, outcome.current)


class FinishedJobs:
    """Ends jobs, and remembers every ended id.

    The last part of a job's life: TAKEN -> ended, remembered, its payload and record deleted.

    A store with transactions does all of this in one transaction. In others, each step is acknowledged before
    the next, and is the same whichever node makes it, so any node may finish what another left unfinished.
    Every method raises StoreError if the outcome is not known: call it again with the same arguments.

    Args:
        store: settles its writes, as `SettlingStore` does.
        incarnation: incarnation of this node.
        taken: the records that this node wrote when it took the jobs.

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
            For each, in order, whether this end counts; False if the job was taken back from this node in
            the meantime, so that its frame does not count.
        """
        held, ended = self._found(endings)
        ends = self._moved(held)
        if not ends:
            changes = [Change(job, raw, self._records.encode(made)) for job, (raw, made) in held.items()]
            ended.update((change.key, held[change.key][1]) for change in won(self._store, changes))
        ends.update(self._finish(ended))
        unclear = [ending.id for ending in endings if ending.id not in ends]
        if unclear:
            # Another node may have finished what this node ended, before the answer came.
            ends.update(self.ended(unclear))
        self._taken.forget((ending.id, ending.fence) for ending in endings)
        return [self._counts(ends.get(ending.id), ending) for ending in endings]

    def bury(self) -> int:
        """Finish all jobs with the state key `E`, whichever node ended them; return their number."""
        buried = 0
        for page in pages(self._store, JOBS, BATCH, ENDED_STATE_KEY):
            self._finish({job: self._records.read(job, record) for job, record in page})
            buried += len(page)
        return buried

    def forget(self, records: Mapping[str, StoredJob]) -> None:
        """Delete the records and payloads of jobs that have ended.

        Args:
            records: job id -> record.
        """
        if apart := [job for job, record in records.items() if not record.payload]:
            self._store.delete_all(PAYLOADS, apart)
        if records:
            self._store.delete_all(JOBS, list(records))

    def ended(self, ids: Sequence[str]) -> dict[str, Ended]:
        """The ends of these jobs, by id; jobs that have not ended are left out."""
        # State key `E` first: a job moves from there to `ended`, so it is found in one of them.
        found = {job: _as_ended(self._records.read(job, record)) for job, record in self._half_ended(ids)}
        found.update(self._remembered.of(ids))
        return found

    def remembered(self, ids: Sequence[str]) -> set[str]:
        """The ids among these whose end is remembered.

        Jobs with the state key `E` are not looked for, as `ended` does: a job that was just taken has none.
        """
        return set(self._remembered.of(ids))

    def pages(self) -> Iterator[Ends]:
        """Yield the ends of all ended jobs as (id, end), each once, in ascending order of ids, in batches.

        Also works when the run is over.

        Raises:
            StoreError: the ends were packed meanwhile, or the store does not answer; call again.
        """
        # State key `E` first, as in `ended`.
        half_ended = self._all_half_ended()
        for page in self._remembered.pages():
            last = page[-1][0] if page else ""
            due = {job: half_ended.pop(job) for job in list(half_ended) if job <= last}
            # A half-ended job may have been remembered since.
            yield sorted((due | dict(page)).items()) if due else page
        yield sorted(half_ended.items())

    def _found(
        self, endings: Sequence[Ending]
    ) -> tuple[dict[str, tuple[bytes, StoredJob]], dict[str, StoredJob]]:
        """The jobs that this node holds, as they are and as they are to end, and those that ended before."""
        records = {ending.id: self._taken.of(ending.id, ending.fence) for ending in endings}
        # Taken by another process, or ended by an earlier call with the same arguments.
        unknown = [job for job, record in records.items() if record is None]
        records.update(self._store.get_all(JOBS, unknown) if unknown else {})
        held: dict[str, tuple[bytes, StoredJob]] = {}
        ended: dict[str, StoredJob] = {}
        for ending in endings:
            if (record := records[ending.id]) is None:
                continue
            was = self._records.read(ending.id, record)
            if self._records.is_mine(was, ending.fence):
                held[ending.id] = record, self._records.as_ended(was, ending)
            elif was.state_key == ENDED_STATE_KEY:
                ended[ending.id] = was
        return held, ended

    def _moved(self, held: Mapping[str, tuple[bytes, StoredJob]]) -> dict[str, Ended]:
        """End, remember and delete these jobs in one transaction; return no ends if that cannot be done."""
        if not held or not all(made.payload for _, made in held.values()):
            return {}  # payloads that are stored separately are deleted before the records that name them
        ends = {job: _as_ended(made) for job, (_, made) in held.items()}
        moves = [Change(job, raw, self._remembered.record(ends[job])) for job, (raw, _) in held.items()]
        return ends if self._store.move_all(JOBS, ENDED, moves) else {}

    def _finish(self, records: Mapping[str, StoredJob]) -> dict[str, Ended]:
        """Remember the ends, then delete the jobs; return the ends that count."""
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
        """The records of these jobs with the state key `E`; as there are few such jobs, all are read."""
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
