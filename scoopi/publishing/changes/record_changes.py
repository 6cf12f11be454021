"""RecordChanges: which records of a run are new, changed or gone since the last finished run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from scoopi.model.handover import Part
from scoopi.model.job import Frame, JobState, retry_id
from scoopi.model.records import RecordSchema, packed_rows, read_records
from scoopi.model.report.run_counts import ChangeCounts
from scoopi.outputs.output_spec import OutputSpec, changes_of
from scoopi.outputs.record_digest import RecordDigest
from scoopi.publishing.changes.key_conflicts import KeyConflicts

if TYPE_CHECKING:
    from scoopi.publishing.changes.change_state import ChangeState, KnownRecord

NEW, CHANGED, GONE = "new", "changed", "gone"
_SAME = ""
_ABSENT = (404, 410)
"""Statuses of a page that is gone together with its records."""
_AT_ONCE = 1000
"""Records in one part."""


class RecordChanges:
    """Adds the records that differ from the last finished run to frames, with a column for the change.

    A record of the last run that is not read again counts as gone only if its page could have shown it: if
    the page was loaded, or answered 404 or 410, or all pages of the run were loaded.

    Args:
        state: the new state, of this run.
        complete: called to keep the state for the next run.
        is_selection: whether the run reads only a part of its definitions; the records of the rest are kept.

    Attributes:
        conflicts: decides which of several records with one key counts; set before frames are added.
    """

    def __init__(
        self,
        state: ChangeState,
        outputs: Sequence[OutputSpec],
        complete: Callable[[], None],
        *,
        is_selection: bool = False,
    ) -> None:
        self._state = state
        self._is_selection = is_selection
        self._complete = complete
        schemas = {
            name: spec.schema
            for spec in outputs
            if spec.changes and spec.schema is not None
            for name in spec.streams
        }
        self._streams = {name: _Stream(state, name, schema) for name, schema in schemas.items()}
        self.conflicts = KeyConflicts()
        self._failed: dict[str, bool] = {}
        self._retried: dict[str, str] = {}

    def of(self, frame: Frame, *, is_superseded: bool = False) -> Frame:
        """Return the frame with additional parts: its records that are new or changed.

        Args:
            is_superseded: whether its failed tasks were run again.
        """
        if is_superseded:
            self._retried[retry_id(frame.job)] = frame.job
        elif frame.state is not JobState.DONE:
            statuses = [failure.status for failure in frame.failures]
            self._failed[frame.job] = bool(statuses) and all(each in _ABSENT for each in statuses)
        parts = [
            stream.changed(part, frame.job, self.conflicts)
            for part in frame.parts
            if (stream := self._streams.get(part.output)) is not None
        ]
        return replace(frame, parts=(*frame.parts, *parts)) if parts else frame

    def gone(self, has_ended: Callable[[str], bool]) -> Iterator[Part]:
        """Yield the records that are gone, and count those that may be gone; call it after all frames.

        Args:
            has_ended: whether a job, by its id, has ended in this run.
        """
        failed: dict[str, bool] = {}
        for job, is_absent in self._failed.items():
            # The same page is another job when its tasks are run again, in this run or in the last one.
            failed |= dict.fromkeys((job, retry_id(job), self._retried.get(job, job)), is_absent)

        def is_gone(job: str) -> bool:
            if job in failed:
                return failed[job]
            return not failed or has_ended(job)

        for stream in self._streams.values():
            yield from stream.gone(is_gone)

    def counted(self) -> dict[str, ChangeCounts]:
        """The number of records by kind of change, for each stream."""
        return {name: ChangeCounts(**stream.counts) for name, stream in self._streams.items()}

    def keep(self, held: Iterable[str]) -> None:
        """Keep the state that the next run is compared with; call it once the files and tables are written.

        Args:
            held: streams whose outputs are held back; for these the next run is compared with the same base.
        """
        for name in {*held} & {*self._streams}:
            self._state.restore(name)
        if self._is_selection:
            self._state.restore_rest()
        self._complete()


class _Stream:
    """The records of one task."""

    def __init__(self, state: ChangeState, name: str, schema: RecordSchema) -> None:
        self._state = state
        self._name = name
        self._schema = schema
        self._columns = [column.name for column in schema.all_columns]
        self._key = RecordDigest(schema.all_columns, schema.key)
        self._values = RecordDigest(schema.all_columns, [column.name for column in schema.columns])
        self._has_base = state.begin_stream(name, self._columns, schema.key)
        self.counts = {"new": 0, "changed": 0, "gone": 0, "unchanged": 0, "unknown": 0}

    def changed(self, part: Part, job: str, conflicts: KeyConflicts) -> Part:
        records = [
            (*record, change)
            for record in read_records(part.body)
            if (change := self._change(record, job, conflicts)) != _SAME
        ]
        return Part(changes_of(self._name), len(records), packed_rows(records))

    def gone(self, is_gone: Callable[[str], bool]) -> Iterator[Part]:
        if not self._has_base:
            return
        rows: list[tuple[Any, ...]] = []
        for known in self._state.unseen(self._name):
            if is_gone(known.job):
                self.counts["gone"] += 1
                rows.append((*self._row(known), GONE))
                if len(rows) == _AT_ONCE:
                    yield self._part(rows)
                    rows = []
            else:
                self.counts["unknown"] += 1
                self._state.add(self._name, (known.key, known.digest, known.job, self._row(known)), _SAME)
        if rows:
            yield self._part(rows)

    def _change(self, record: Sequence[Any], job: str, conflicts: KeyConflicts) -> str:
        key = self._key.of_key(record)
        if key is None:
            self.counts[NEW] += 1
            return NEW
        digest = self._values.of(record)
        if conflicts.is_out(self._name, key, digest):
            return _SAME
        base = self._state.base_digest(self._name, key) if self._has_base else None
        change = NEW if base is None else _SAME if base == digest else CHANGED
        if self._state.add(self._name, (key, digest, job, record), change):
            self.counts[change or "unchanged"] += 1
            return change
        first, change, row = self._state.known(self._name, key)
        if first != digest:
            conflicts.add(self._name, key, (first, digest), base)
            conflicts.describe(self._schema, self._name, key, (row, record))
        return change  # a duplicate, which its output drops and counts

    def _row(self, known: KnownRecord) -> tuple[Any, ...]:
        return tuple(known.row.get(name) for name in self._columns)

    def _part(self, rows: Sequence[tuple[Any, ...]]) -> Part:
        return Part(changes_of(self._name), len(rows), packed_rows(rows))
