"""JobEndings: ends jobs for good, and remembers every ended id until the run is over."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from scoopi.model.job import JobRecord
from scoopi.store.job_records import ENDED_SLOT, JobRecords
from scoopi.store.job_values import Ended, Ending
from scoopi.store.ports import Change, MapName, Store

BATCH = 500


class JobEndings:
    """The last part of a job's life: TAKEN -> ended, remembered, its payload and record deleted.

    Each step is acknowledged before the next and is the same whoever does it, so any node may
    finish what another left half done. Every method raises StoreError when nothing is known: call
    it again with the same arguments.

    Source: design, "Protocol", rules 2 and 3.
    """

    def __init__(self, store: Store, incarnation: str) -> None:
        self._store = store
        self._incarnation = incarnation
        self._records = JobRecords(incarnation)

    def end(self, endings: Sequence[Ending]) -> list[bool]:
        """End jobs whose frames are durable.

        Returns:
            For each, in order, whether this end counts; False: the job was taken from this node
            in the meantime, and its frame is dead.
        """
        by_id = {ending.id: ending for ending in endings}
        found = self._store.get_all(MapName.JOBS, list(by_id))
        changes: list[Change] = []
        ended: dict[str, Ended] = {}
        for job, record in found.items():
            was, ending = self._records.read(record), by_id[job]
            if self._records.is_mine(was, ending.fence):
                changes.append(Change(job, record, self._records.ending(was, ending)))
            elif was.slot == ENDED_SLOT:
                ended[job] = _as_ended(was)
        for change, outcome in zip(changes, self._store.cas_all(MapName.JOBS, changes), strict=True):
            if outcome.won:
                ended[change.key] = _as_ended(self._records.read(change.new))
        ended = self._finish(ended)
        unclear = [job for job in by_id if job not in ended]
        if unclear:
            # Another node may have buried what this node ended, before the answer came.
            ended.update(self.ended(unclear))
        return [self._counts(ended.get(ending.id), ending) for ending in endings]

    def bury(self) -> int:
        """Finish what is found in slot `E`, whoever left it there; how many there were."""
        buried, after = 0, ""
        while True:
            page = self._store.scan(MapName.JOBS, ENDED_SLOT, BATCH, after)
            self._finish({job: _as_ended(self._records.read(record)) for job, record in page})
            buried += len(page)
            if len(page) < BATCH:
                return buried
            after = page[-1][0]

    def forget(self, ids: Collection[str]) -> None:
        """Delete payloads and records of jobs that are known to be ended."""
        if ids:
            keys = list(ids)
            self._store.delete_all(MapName.PAYLOADS, keys)
            self._store.delete_all(MapName.JOBS, keys)

    def ended(self, ids: Sequence[str]) -> dict[str, Ended]:
        """Those of the ids that have ended."""
        # Slot E first: a job moves from there to `ended`, and must be met in one of them.
        found = {
            job: _as_ended(was)
            for job, record in self._store.get_all(MapName.JOBS, ids).items()
            if (was := self._records.read(record)).slot == ENDED_SLOT
        }
        found.update(self._read(self._store.get_all(MapName.ENDED, ids)))
        return found

    def buried(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that the map `ended` knows; enough after a take."""
        return set(self._store.get_all(MapName.ENDED, ids))

    def scan(self, after: str, limit: int) -> list[tuple[str, Ended]]:
        """Up to `limit` ended jobs with id > `after`, by id; fewer than `limit`: there are no more."""
        found = {
            job: _as_ended(self._records.read(record))
            for job, record in self._store.scan(MapName.JOBS, ENDED_SLOT, limit, after)
        }
        found.update(self._read(dict(self._store.scan(MapName.ENDED, None, limit, after))))
        return sorted(found.items())[:limit]

    def _finish(self, ended: Mapping[str, Ended]) -> dict[str, Ended]:
        """Remember, then forget; the ends that stand, should one have been remembered before."""
        if not ended:
            return {}
        records = [(job, self._records.ended(end)) for job, end in ended.items()]
        outcomes = self._store.put_if_absent_all(MapName.ENDED, records)
        self.forget(ended.keys())
        standing = dict(ended)
        for job, outcome in zip(ended, outcomes, strict=True):
            if not outcome.won and outcome.current is not None:
                standing[job] = self._records.read_ended(outcome.current)
        return standing

    def _read(self, records: Mapping[str, bytes]) -> dict[str, Ended]:
        return {job: self._records.read_ended(record) for job, record in records.items()}

    def _counts(self, end: Ended | None, ending: Ending) -> bool:
        return end is not None and (end.incarnation, end.fence) == (self._incarnation, ending.fence)


def _as_ended(record: JobRecord) -> Ended:
    return Ended(record.incarnation, record.fence, record.state)
