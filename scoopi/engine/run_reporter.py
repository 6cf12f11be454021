"""RunReporter: what a run has done, as its caller's report and as `run.json`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scoopi.errors import AppenderError, ClusterError, ScoopiError, StoreError
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.failure import Failure
from scoopi.model.report.causes import Cause
from scoopi.model.report.run_report import JobCounts, RunReport, RunStatus
from scoopi.plugins.encoders.rows_encoder import read_rows
from scoopi.publishing.publisher import Published
from scoopi.runs.run_file import RunFile, RunPlace, RunView, versions
from scoopi.store.pages.job_store import JobStore
from scoopi.store.runs.run_record import RunRecord

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
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


class RunReporter:
    """Adds up what this process and earlier ones of this node have done.

    Args:
        empty: what found nothing, a sentence each.
    """

    def __init__(
        self,
        place: RunPlace,
        file: RunFile,
        jobs: JobStore,
        record: RunRecord,
        counts: NodeCounts,
        empty: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self._place = place
        self._file = file
        self._jobs = jobs
        self._record = record
        self._counts = counts
        self._empty = empty
        self._began = self._first_began = datetime.now().astimezone()
        self._times_before: Mapping[str, float] = {}
        self._rows_before: Mapping[str, int] = {}

    def begin(self) -> None:
        """Write `run.json` of a running run; what it holds of earlier processes is added to.

        Raises:
            AppenderError: it cannot be written.
        """
        self._began = self._first_began = datetime.now().astimezone()
        earlier = self._file.read()
        if earlier is not None:
            self._first_began = earlier.started
            self._times_before, self._rows_before = earlier.time, earlier.rows
        jobs = JobCounts(left=None)  # how many there will be is not known yet
        rows = dict(self._rows_before)
        place = self._place
        self._write(RunView(place.run, place.incarnation, "running", self._first_began, jobs=jobs, rows=rows))

    def report(self, outcome: Outcome) -> RunReport:
        """The report of this node's part of the run, which is written to `run.json`, too.

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
            jobs=JobCounts(found.done, found.failed, found.warned, self.left()),
            pages=found.pages,
            rows=found.rows,
            errors=found.errors if fault is None else (_cause(fault), *found.errors),
            warnings=found.warnings,
            times=self._all_times(),
            seconds=(ended - self._began).total_seconds(),
            published=outcome.published is not None,
            publish_note=self._note(outcome),
            missing=found.missing,
            resume_hint=self._place.resume if status is not RunStatus.DONE and not found.missing else "",
            empty=self._empty() if status is RunStatus.DONE else (),
            lists={name: _rows(bodies) for name, bodies in found.lists.items()},
        )
        self._write(RunView.of(report, self._place.incarnation, outcome.awaiting, dict(versions())))
        return report

    def left(self) -> int | None:
        """How many jobs are left; None while not every locator has its job, or if the store fails, since
        the rest of the report must still be written."""
        try:
            state = self._record.read()
            return None if state is not None and not state.seeded else self._jobs.left()
        except (StoreError, ClusterError) as error:
            log.warning("the number of jobs left is not known: %s", error.what)
            return None

    def _note(self, outcome: Outcome) -> str:
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
            pages=int(value("pages")),
        )

    def _all_times(self) -> dict[str, float]:
        times = dict(self._times_before)
        for step, seconds in self._counts.with_prefix("time.").items():
            times[step] = round(times.get(step, 0.0) + seconds, 3)
        return times

    def _write(self, view: RunView) -> None:
        try:
            self._file.write(view)
        except OSError as error:
            raise AppenderError(
                f"run.json cannot be written: {error.strerror}",
                at=str(self._place.folder),
                hint="make room or fix the folder, then `scoopi resume` (in a cluster: start again)",
            ) from error


def _cause(fault: BaseException) -> Cause:
    """The error that ended the run, reported as a job's failure is; it has a place, but no job."""
    if isinstance(fault, ScoopiError):
        return Cause(fault.what, 1, Failure(cause=fault.what, message=str(fault), at=fault.at))
    what = f"{type(fault).__name__}: {fault}"
    return Cause(what, 1, Failure(cause=what, message=what))


def _rows(bodies: list[bytes]) -> tuple[Any, ...]:
    return tuple(row for body in bodies for row in read_rows(body))
