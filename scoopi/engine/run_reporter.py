"""RunReporter: what a run has done, as its caller's report and as `run.json`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from scoopi.engine.entry_times import added
from scoopi.engine.found_counts import FoundCounts, placed
from scoopi.errors import AppenderError, ClusterError, StoreError
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.data_def import DataDef
from scoopi.model.failure import run_failure
from scoopi.model.report.causes import Cause
from scoopi.model.report.counter_names import (
    LOADS,
    MET,
    PAGES,
    PREFIX,
    ROWS,
    SEPARATOR,
    TIMES,
)
from scoopi.model.report.found_axes import axes_read
from scoopi.model.report.run_counts import EntryTime, FieldFigures, JobCounts, LoadCounts
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.plugins.encoders.rows_encoder import read_rows
from scoopi.publishing.row_tally import Published
from scoopi.runs.run_file import RunFile, RunPlace, RunView, versions
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.runs.run_record import RunRecord

log = logging.getLogger(__name__)


class EmptyEntries(FoundCounts):
    """Names the entries of data definitions of grids that found nothing."""

    def __init__(self, data_defs: Mapping[str, DataDef], counts: NodeCounts, whose: str = "") -> None:
        super().__init__(counts, whose)
        self._data_defs = data_defs

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each such entry; definitions that have read no page have none."""
        return tuple(
            sentence for data_def in self._data_defs.values() for sentence in self._sentences_of(data_def)
        )

    def _sentences_of(self, data_def: DataDef) -> Iterator[str]:
        name = data_def.name
        pages, rows = self._count(PAGES, name), self._count(ROWS, name)
        if not pages:
            return
        where = self._where(pages)
        if not rows:
            yield f"dataDef {name}: no row on {where}{_where_rows_end(data_def)}"
            return
        read = axes_read(data_def)
        unmet = [axis for axis in read if not self._count(MET, name, axis)]
        in_rows = "its only row" if rows == 1 else f"all {rows:,} rows"
        if len(unmet) == len(read) > 1:
            at = placed(data_def.block_place)
            yield f"dataDef {name}: without any value in {in_rows} of {where}; is its block there?{at}"
            return
        for kind, entry in unmet:
            shown = kind if kind == entry else f"{kind} {entry}"
            yield f"{shown} of {name}: without a value in {in_rows} of {where}{placed(read[kind, entry])}"


def _where_rows_end(data_def: DataDef) -> str:
    """The axes whose missing value ends a page's rows before the first one."""
    entries = [("item", each) for each in data_def.items] + [("dim", each) for each in data_def.dims]
    ends = " and ".join(
        f"{kind} {entry.name}{placed(entry.selector_place if entry.selector is not None else entry.place)}"
        for kind, entry in entries
        if entry.value is None and entry.match is None and (entry.last is None or entry.break_after)
    )
    return f"; does its block{placed(data_def.block_place)} hold {ends}?" if ends else placed(data_def.place)


class RunOutcome(msgspec.Struct, frozen=True):
    """How a node's part of a run came to its end.

    Attributes:
        published: what the files hold; None when nothing was published.
        note: what else to know about the files.
        fault: the error that ended the run.
        awaiting: nodes whose rows are still missing.
    """

    status: RunStatus
    published: Published | None
    note: str = ""
    fault: BaseException | None = None
    awaiting: tuple[str, ...] = ()


class RunNotes(msgspec.Struct, frozen=True):
    """Callables that return what a report adds to its figures; they are called when the run has ended.

    Attributes:
        empty: a sentence for each selector, field or rule that found nothing.
        used_up: a sentence for each budget of retries that is used up.
        fields: what the fields of records found.
        budgets: a sentence for each budget of pages, time or bytes that is used up.
        reason: see `PageBudgets.reason`.
        slowest: the entries of data definitions that took the most time.
    """

    empty: Callable[[], tuple[str, ...]] = tuple
    used_up: Callable[[], tuple[str, ...]] = tuple
    fields: Callable[[], tuple[FieldFigures, ...]] = tuple
    budgets: Callable[[], tuple[str, ...]] = tuple
    reason: Callable[[str], str] = str
    slowest: Callable[[], tuple[EntryTime, ...]] = tuple


def renamed(causes: Iterable[Cause], name: Callable[[str], str]) -> tuple[Cause, ...]:
    """Rename causes, add up those that become equal, and return them, the most frequent first."""
    found: dict[str, Cause] = {}
    for each in causes:
        cause, example = name(each.cause), each.example
        if cause != each.cause:
            message = example.message.replace(each.cause, cause)
            example = replace(example, cause=cause, message=message)
        same = found.get(cause)
        found[cause] = Cause(
            cause, each.count + (same.count if same else 0), same.example if same else example
        )
    return tuple(sorted(found.values(), key=lambda each: (-each.count, each.cause)))


class RunReporter:
    """Reports what a run has done, to its caller and as `run.json`.

    Adds up what this process and earlier ones of this node have done.
    """

    def __init__(
        self,
        place: RunPlace,
        file: RunFile,
        jobs: JobStore,
        record: RunRecord,
        counts: NodeCounts,
        notes: RunNotes = RunNotes(),  # noqa: B008 - frozen
    ) -> None:
        self._place = place
        self._file = file
        self._jobs = jobs
        self._record = record
        self._counts = counts
        self._notes = notes
        self._began = self._first_began = datetime.now().astimezone()
        self._times_before: Mapping[str, float] = {}
        self._tasks_before: Mapping[str, float] = {}
        self._rows_before: Mapping[str, int] = {}
        self._loads_before: Mapping[str, LoadCounts] = {}
        self._slowest_before: tuple[EntryTime, ...] = ()

    def begin(self) -> None:
        """Write `run.json` for a run in progress, and remember what it holds of earlier processes.

        Raises:
            AppenderError: it cannot be written.
        """
        self._began = self._first_began = datetime.now().astimezone()
        earlier = self._file.read()
        if earlier is not None:
            self._first_began = earlier.started
            self._times_before, self._rows_before = earlier.time, earlier.rows
            self._loads_before, self._tasks_before = earlier.loads, earlier.tasks
            self._slowest_before = earlier.slowest
        jobs = JobCounts(left=None)  # how many there will be is not known yet
        rows = dict(self._rows_before)
        place = self._place
        self._write(RunView(place.run, place.incarnation, "running", self._first_began, jobs=jobs, rows=rows))

    def report(self, outcome: RunOutcome) -> RunReport:
        """Make the report of this node's part of the run, and write it to `run.json`.

        Raises:
            AppenderError: `run.json` cannot be written.
        """
        status, fault, ended = outcome.status, outcome.fault, datetime.now().astimezone()
        found = outcome.published or self._counted()
        report = RunReport(
            run=self._place.run,
            folder=str(self._place.folder),
            status=status,
            started=self._first_began,
            ended=ended,
            jobs=JobCounts(found.done, found.failed, found.warned, self.left(), found.skipped),
            pages=found.pages,
            rows=found.rows,
            errors=found.errors if fault is None else (_cause(fault), *found.errors),
            warnings=found.warnings,
            times=self._all_times(),
            tasks=self._all_tasks(),
            slowest=added(self._slowest_before, self._notes.slowest()),
            seconds=(ended - self._began).total_seconds(),
            published=outcome.published is not None,
            publish_note=self._note(outcome),
            missing=found.missing,
            resume_hint=self._place.resume if status is not RunStatus.DONE and not found.missing else "",
            retry_hint=self._place.retry if status is RunStatus.DONE and found.failed else "",
            empty=self._notes.empty() if status is RunStatus.DONE else (),
            dropped=found.dropped,
            unmet=found.unmet,
            changes=found.changes,
            retries=replace(found.retries, used_up=self._notes.used_up()),
            fields=self._notes.fields(),
            lists={name: _rows(bodies) for name, bodies in found.lists.items()},
            skipped=renamed(found.skips, self._notes.reason),
            loads=self._all_loads(),
            budgets=self._notes.budgets(),
            files=found.files,
        )
        self._write(RunView.of(report, self._place.incarnation, outcome.awaiting, dict(versions())))
        return report

    def left(self) -> int | None:
        """How many jobs are left; None while the run is not seeded, or if the store does not answer."""
        try:
            state = self._record.read()
            return None if state is not None and not state.seeded else self._jobs.left()
        except (StoreError, ClusterError) as error:
            log.warning("the number of jobs left is not known: %s", error.what)
            return None

    def _note(self, outcome: RunOutcome) -> str:
        awaiting = outcome.awaiting
        if not awaiting:
            return outcome.note
        nodes, node = ", ".join(awaiting), awaiting[0] if len(awaiting) == 1 else "ID"
        again = f"start again with --run {self._place.run} -D scoopi.cluster.node={node}"
        missing = f"rows of {nodes} are not published yet: {again} on the same machine"
        return "; ".join(filter(None, (outcome.note, missing)))

    def _counted(self) -> Published:
        value = self._counts.value
        return Published(
            rows=dict(self._rows_before),
            done=int(value("jobs.done")),
            failed=int(value("jobs.failed")),
            skipped=int(value("jobs.skipped")),
            pages=int(value("pages")),
        )

    def _all_times(self) -> dict[str, float]:
        times = dict(self._times_before)
        for step, seconds in self._counts.with_prefix("time.").items():
            times[step] = round(times.get(step, 0.0) + seconds, 3)
        return times

    def _all_tasks(self) -> dict[str, float]:
        tasks = dict(self._tasks_before)
        for counter, seconds in self._counts.with_prefix(f"{PREFIX}{TIMES}{SEPARATOR}").items():
            group, task, _ = counter.split(SEPARATOR)
            name = f"{group}.{task}"
            tasks[name] = round(tasks.get(name, 0.0) + seconds, 3)
        return tasks

    def _all_loads(self) -> dict[str, LoadCounts]:
        loads = dict(self._loads_before)
        for name, value in self._counts.with_prefix(f"{PREFIX}{LOADS}{SEPARATOR}").items():
            group, loader, _ = name.split(SEPARATOR)
            counts = loads.get(group, LoadCounts())
            loads[group] = replace(counts, **{loader: getattr(counts, loader) + int(value)})
        return loads

    def _write(self, view: RunView) -> None:
        try:
            place = self._place
            self._file.write(replace(view, definitions=place.definitions, grids=dict(place.grids)))
        except OSError as error:
            raise AppenderError(
                f"run.json cannot be written: {error.strerror}",
                at=str(self._place.folder),
                hint="free some space or fix the folder, then `scoopi resume` (in a cluster: start again)",
            ) from error


def _cause(fault: BaseException) -> Cause:
    failure = run_failure(fault)
    return Cause(failure.cause, 1, failure)


def _rows(bodies: list[bytes]) -> tuple[Any, ...]:
    return tuple(row for body in bodies for row in read_rows(body))
