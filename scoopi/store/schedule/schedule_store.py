"""ScheduleStore: reads and writes the scheduler's records; every write is conditional."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, TypeVar, cast

from scoopi.errors import BusyRecordError, RecordError
from scoopi.model.schedule.notice_record import NoticeRecord
from scoopi.model.schedule.run_node import FIRST_NODE
from scoopi.model.schedule.schedule_records import (
    ACTIVE,
    LIVE,
    UNSETTLED,
    AttemptRecord,
    JobRecord,
    ProcessRecord,
    SchedulerRecord,
    WorkerRecord,
)
from scoopi.model.schedule.stored_bytes import BundlePart, KeptLog
from scoopi.store.ports import Change, Store, StoreMap, with_prefix
from scoopi.store.record_codec import RecordCodec
from scoopi.store.schedule.known_records import KnownRecords
from scoopi.store.schedule.record_keys import SHARED, ScheduleRecord, job_key, log_key, record_key
from scoopi.store.schedule.record_signals import RecordListener, RecordSignals

PROCESSES = StoreMap("process")
SCHEDULED_JOBS = StoreMap("job", index="phase", large=True)
ATTEMPTS = StoreMap("attempt", index="phase", large=True)
WORKERS = StoreMap("worker")
BUNDLES = StoreMap("bundle", large=True)
PASSES = StoreMap("pass")
LOGS = StoreMap("log", large=True)
NOTICES = StoreMap("notice", index="phase", large=True)
SCHEDULE_MAPS = (PROCESSES, SCHEDULED_JOBS, ATTEMPTS, WORKERS, BUNDLES, PASSES, LOGS, NOTICES)
_PAGE = 1000
_MOST_TRIES = 100
_PARTS_AT_ONCE = 8
_HINT = "restore the records from a backup, or remove this one from the store"

RecordType = TypeVar("RecordType", bound=ScheduleRecord)


class ScheduleStore:
    """Reads and writes the scheduler's records by their ids; every write is conditional.

    Every method that reads or writes raises StoreError if the outcome is not known, and RecordError if a
    record cannot be decoded.

    Args:
        store: has the maps in `SCHEDULE_MAPS`.
        release: called by `close`, after the store was closed.
        signals: notifications of the store; None if it has none, so that changes are found by polling.
        limit_waits: as `CallTimeout.limit_waits`, callable from any thread; does nothing for a store in a
            file.
    Attributes:
        has_written: whether this object has written a record.
    """

    def __init__(
        self,
        store: Store,
        release: Callable[[], object] = lambda: None,
        signals: RecordSignals | None = None,
        limit_waits: Callable[[float], object] = lambda at_once_s: None,
    ) -> None:
        self._store = store
        self._release = release
        self.limit_waits = limit_waits
        self._signals = signals
        self.has_written = False
        self._codecs: dict[type[Any], tuple[StoreMap, RecordCodec[Any]]] = {
            kind: (store_map, RecordCodec(store_map, kind, hint=_HINT))
            for kind, store_map in (
                (ProcessRecord, PROCESSES),
                (JobRecord, SCHEDULED_JOBS),
                (AttemptRecord, ATTEMPTS),
                (WorkerRecord, WORKERS),
                (SchedulerRecord, PASSES),
                (NoticeRecord, NOTICES),
            )
        }
        self._parts = RecordCodec(BUNDLES, BundlePart, packed=True, hint=_HINT)
        self._logs = RecordCodec(LOGS, KeptLog, packed=True, hint=_HINT)
        self._known: dict[tuple[type[Any], str | None], KnownRecords[Any]] = {}

    def write(self, old: ScheduleRecord | None, new: ScheduleRecord) -> bool:
        """Write a record if the stored one is still the one that the write was decided on.

        Args:
            old: the record as read; None if there was none.
        Returns:
            Whether it was written; False if another writer was first.
        Raises:
            StoreError: the outcome is not known; read and decide again.
        """
        store_map, codec = self._codecs[type(new)]
        expected = None if old is None else codec.encode(old)
        return self._put(store_map, record_key(new), expected, codec.encode_checked(new))

    def update(
        self, kind: type[RecordType], key: str, change: Callable[[RecordType | None], RecordType | None]
    ) -> RecordType | None:
        """Read, change and write a record; repeated if another writer was first.

        Args:
            kind: type of the record.
            key: key of the record in its map, see `record_key`.
            change: takes the old record (None if there is none) and returns the new one; None to write
                nothing.
        Returns:
            The record as written; None if nothing was written.
        Raises:
            StoreError: the outcome is not known.
            BusyRecordError: other writers were first a hundred times.
        """
        store_map, codec = self._codecs[kind]
        written: RecordType | None = None

        def changed(record: bytes | None) -> bytes | None:
            nonlocal written
            written = change(None if record is None else cast(RecordType, codec.read(key, record)))
            return None if written is None else codec.encode_checked(written)

        self._change(store_map, key, changed)
        return written

    def _change(self, store_map: StoreMap, key: str, change: Callable[[bytes | None], bytes | None]) -> None:
        """Read, change and write a record; repeated if another writer was first. None writes nothing."""
        for _ in range(_MOST_TRIES):
            old = self._store.get_all(store_map, [key]).get(key)
            new = change(old)
            if new is None or self._put(store_map, key, old, new):
                return
        raise BusyRecordError(f"the record {key} keeps changing", hint="try again")

    def _put(self, store_map: StoreMap, key: str, expected: bytes | None, new: bytes) -> bool:
        if expected is None:
            (outcome,) = self._store.put_if_absent_all(store_map, [(key, new)])
        else:
            (outcome,) = self._store.cas_all(store_map, [Change(key, expected, new)])
        self.has_written |= outcome.won
        return outcome.won

    def get(self, kind: type[RecordType], keys: Sequence[str]) -> dict[str, RecordType]:
        """Read the records of one kind that exist, by key."""
        store_map, codec = self._codecs[kind]
        found: dict[str, RecordType] = {}
        for begin in range(0, len(keys), _PAGE):
            part = self._store.get_all(store_map, keys[begin : begin + _PAGE])
            found |= {key: cast(RecordType, codec.read(key, record)) for key, record in part.items()}
        return found

    def scan(
        self, kind: type[RecordType], phase: str | None = None, prefix: str = ""
    ) -> Iterator[RecordType]:
        """Yield all records of a kind, by key; optionally only those of a phase, or with a key prefix."""
        store_map, codec = self._codecs[kind]
        for key, record in with_prefix(self._store, store_map, _PAGE, prefix, phase):
            yield cast(RecordType, codec.read(key, record))

    def page(self, kind: type[RecordType], phase: str | None, after: str, size: int) -> list[RecordType]:
        """Read the first `size` records with key > `after`, by key; only those in the phase, unless None."""
        store_map, codec = self._codecs[kind]
        found = self._store.scan(store_map, phase, size, after)
        return [cast(RecordType, codec.read(key, record)) for key, record in found]

    def remove(self, records: Sequence[RecordType]) -> list[RecordType]:
        """Remove those of these records of one kind that are unchanged; return those that are gone now."""
        if not records:
            return []
        store_map, codec = self._codecs[type(records[0])]
        found = [(record_key(record), codec.encode(record)) for record in records]
        gone = self._store.delete_same_all(store_map, found)
        return [record for record, is_gone in zip(records, gone, strict=True) if is_gone]

    def processes(self) -> Mapping[str, ProcessRecord]:
        """Read all processes that were ever deployed, by name."""
        return {record.name: record for record in self._all(ProcessRecord)}

    def active_jobs(self) -> Mapping[str, JobRecord]:
        """Read the jobs that are not over, by id."""
        return {record.job: record for record in self._all(JobRecord, ACTIVE)}

    def jobs(self, ids: Iterable[str]) -> Mapping[str, JobRecord]:
        """Read those of these jobs that exist, by id."""
        return {record.job: record for record in self.get(JobRecord, [*map(job_key, ids)]).values()}

    def open_attempts(self) -> Sequence[AttemptRecord]:
        """Read the attempts that are live, or whose end has not been counted in their job yet."""
        return [*self._all(AttemptRecord, LIVE), *self._all(AttemptRecord, UNSETTLED)]

    def attempts_of(self, job: str) -> Sequence[AttemptRecord]:
        """Read all attempts of a job, in order."""
        return [*self.scan(AttemptRecord, prefix=f"{job_key(job)}/")]

    def workers(self) -> Mapping[str, WorkerRecord]:
        """Read all workers, by name."""
        return {record.worker: record for record in self._all(WorkerRecord)}

    def _all(self, kind: type[RecordType], phase: str | None = None) -> list[RecordType]:
        """All records, as `scan`; unchanged ones are not decoded again."""
        store_map, codec = self._codecs[kind]
        known = self._known.setdefault((kind, phase), KnownRecords(codec))
        return known.read(with_prefix(self._store, store_map, _PAGE, "", phase))

    def scheduler(self) -> SchedulerRecord:
        """Read the record of the whole scheduler; the default one if there is none yet."""
        return self.get(SchedulerRecord, [SHARED]).get(SHARED) or SchedulerRecord()

    def change_scheduler(
        self, change: Callable[[SchedulerRecord], SchedulerRecord | None]
    ) -> SchedulerRecord | None:
        """Change the record of the whole scheduler; see `update`."""
        return self.update(SchedulerRecord, SHARED, lambda old: change(old or SchedulerRecord()))

    def put_bundle(self, name: str, data: bytes, now: datetime, part_size: int) -> None:
        """Store a packed project in parts, which are written in order.

        Existing parts get the time of this deployment, so that they are not removed as old.

        Args:
            name: digest of the project.
            data: the packed project.
            now: the time of this deployment.
            part_size: size of a part in bytes.
        """
        parts = [data[begin : begin + part_size] for begin in range(0, len(data), part_size)] or [b""]
        for number, part in enumerate(parts):
            record = self._parts.encode(BundlePart(parts=len(parts), data=part, deployed=now))
            self._change(BUNDLES, f"{name}/{number:04}", partial(_unless_same, record))

    def has_bundle(self, name: str) -> bool:
        """Whether the first part of a packed project exists; `bundle` finds out whether all do."""
        return bool(self._store.get_all(BUNDLES, [f"{name}/0000"]))

    def remove_bundle(self, name: str, before: datetime) -> bool:
        """Remove a packed project, unless it was deployed after `before`.

        Returns:
            Whether all of it is removed.
        """
        for key, record in with_prefix(self._store, BUNDLES, _PARTS_AT_ONCE, f"{name}/"):
            with suppress(RecordError):  # a damaged part is old: a deployment would have replaced it
                if self._parts.read(key, record).deployed > before:
                    return False
            if not self._store.delete_same_all(BUNDLES, [(key, record)])[0]:
                return False
        return True

    def bundle(self, name: str) -> bytes | None:
        """Read a packed project by its digest; None if it does not exist, or is incomplete."""
        stored = with_prefix(self._store, BUNDLES, _PARTS_AT_ONCE, f"{name}/")
        found = [self._parts.read(key, record) for key, record in stored]
        is_whole = bool(found) and len(found) == found[0].parts
        return b"".join(part.data for part in found) if is_whole else None

    def keep_log(self, attempt: AttemptRecord, log: KeptLog, node: int = FIRST_NODE) -> None:
        """Store the end of the log of an attempt's node, unless that of a later claim (fence) is stored."""
        key, new = log_key(attempt, node), self._logs.encode(log)

        def later(old: bytes | None) -> bytes | None:
            return None if old and self._logs.read(key, old).fence > log.fence else _unless_same(new, old)

        self._change(LOGS, key, later)

    def remove_logs(self, attempts: Sequence[AttemptRecord]) -> None:
        """Remove the stored logs of attempts that are over, and of all their nodes."""
        first = [record_key(each) for each in attempts if each.has_log]  # further nodes have no such flag
        further = [log_key(each, node.number) for each in attempts for node in each.nodes]
        self._store.delete_all(LOGS, first + further)

    def kept_log(self, attempt: AttemptRecord, node: int = FIRST_NODE) -> KeptLog | None:
        """Read the end of the log of an attempt's node; None if none is stored."""
        key = log_key(attempt, node)
        record = self._store.get_all(LOGS, [key]).get(key)
        return None if record is None else self._logs.read(key, record)

    def signal(self) -> None:
        """Notify other `serve` processes that records have changed; does nothing if the store cannot."""
        if self._signals is not None:
            self._signals.send()

    def listen(self, heard: Callable[[], object]) -> RecordListener | None:
        """Call `heard`, in a new thread, when others change records; None if the store cannot notify."""
        return None if self._signals is None else self._signals.listen(heard)

    def close(self) -> None:
        """Close the store and its connection."""
        self._store.close()
        self._release()


def _unless_same(new: bytes, old: bytes | None) -> bytes | None:
    """The new record; None if it is already stored."""
    return None if old == new else new
