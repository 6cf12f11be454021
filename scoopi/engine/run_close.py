"""RunClose: what is published and told when a node's part of a run comes to an end."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from scoopi.engine.stop_time import StopTime
from scoopi.errors import AppenderError, ClusterError, RunError, ScoopiError, StoreError
from scoopi.mediator.heartbeat import Heartbeat
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.failure import Failure
from scoopi.model.report.causes import Cause
from scoopi.model.report.run_report import ALREADY_OVER, JobCounts, RunReport, RunStatus
from scoopi.plugins.encoders.rows_encoder import read_rows
from scoopi.publishing.publisher import Published, Publisher
from scoopi.publishing.run_over import RunOver
from scoopi.publishing.run_rows import EndOfRows, RunRows
from scoopi.runs.run_file import RunFile, RunView, versions
from scoopi.runs.run_place import RunPlace
from scoopi.store.nodes.departure import Departure
from scoopi.store.pages.job_store import JobStore
from scoopi.store.retries import retried
from scoopi.store.runs.run_record import RunPhase, RunRecord

log = logging.getLogger(__name__)

NEVER = StopTime(0.0)
"""Nobody asks to stop."""
OTHERS_WRITE = "the run is over, and other nodes were still writing its rows"


class RunClose:
    """Publishes from the store's word, never from memory; Source: design, "Protocol", rules 6 and 10.

    Args:
        rows: what is written at the run's end.
        on_over: see `RunOver`.
        empty: tells what found nothing.
        patience_s: how long a store that does not answer at the run's end is tried again.
        stop: cuts publishing short, also that of a run which is over.
    """

    def __init__(
        self,
        place: RunPlace,
        publisher: Publisher,
        rows: RunRows,
        jobs: JobStore,
        record: RunRecord,
        file: RunFile,
        counts: NodeCounts,
        heartbeat: Heartbeat,
        departure: Departure,
        patience_s: float = 0.0,
        on_over: Callable[[], None] = lambda: None,
        empty: Callable[[], tuple[str, ...]] = tuple,
        stop: StopTime = NEVER,
    ) -> None:
        self._place = place
        self._patience_s = patience_s
        self._publisher = publisher
        self._rows = rows
        self._over = RunOver(record, departure, on_over)
        self._empty = empty
        self._stop = stop
        self._beats = False
        self._jobs = jobs
        self._record = record
        self._heartbeat = heartbeat
        self._departure = departure
        self._file = file
        self._counts = counts
        self._times: Mapping[str, float] = {}
        self._rows_before: Mapping[str, int] = {}
        self._first_started: datetime | None = None

    def begin(self, started: datetime) -> None:
        """Say in `run.json` that the run is going on; what it said of an earlier process is added to."""
        former = self._file.read()
        if former is not None:
            self._times, self._first_started, self._rows_before = former.time, former.started, former.rows
        self._write(
            RunView(
                self._place.run,
                self._place.incarnation,
                "running",
                self._since(started),
                jobs=JobCounts(left=None),  # how many there will be is not known yet
                rows=dict(self._rows_before),
            )
        )

    def prepare(self) -> None:
        """Look up what takes a while and is told at the end; while others work it delays nobody."""
        versions()

    @property
    def was_over(self) -> bool:
        """There is nothing to run: the run was ending or over when this node came."""
        return self._place.was_over

    def over(self, started: datetime) -> RunReport:
        """No job is left: ENDING, publish, OVER.

        Raises:
            AppenderError: the files cannot be written; `resume` publishes them.
            StoreError, RunError: the store does not answer, or no longer holds the run.
        """
        try:
            return retried(
                "publishing", lambda: self._publish_all(started), self._patience_s, self._stop.is_up
            )
        except ScoopiError as error:
            if self._stop.is_up():
                return self._stopped_late(started, error)
            self.failed(started, error)
            raise

    def _stopped_late(self, started: datetime, error: ScoopiError) -> RunReport:
        """The run is over, but the time of a stop was too short to publish it."""
        log.warning("not published: %s", _said(error))
        self._departure.leave(published=False)
        return self._report(started, RunStatus.STOPPED, None, _said(error))

    def _publish_all(self, started: datetime) -> RunReport:
        state = self._record.read()
        if state is not None and state.phase is RunPhase.OVER:
            # It is over without this node; nothing is written to the store, as its records are about to end.
            self._heartbeat.stop()
            return self._end(started, EndOfRows(self._rows.when_over()), ALREADY_OVER)
        if not self._place.was_over:
            self._record.to_ending()
        elif not self._beats:
            self._heartbeat.start()
            self._beats = True
        return self._end(started, self._rows.at_end(), ALREADY_OVER if self._place.was_over else "")

    def _end(self, started: datetime, end: EndOfRows, note: str) -> RunReport:
        if end.complete:
            self._over.make()
        if end.stopped:
            return self._report(started, RunStatus.STOPPED, end.published, OTHERS_WRITE)
        missing = end.published is not None and end.published.missing
        status = RunStatus.FAILED if missing else RunStatus.DONE
        return self._report(started, status, end.published, note, awaiting=end.awaiting)

    def nothing_is_left(self) -> bool:
        """Whether a stopped run has done all of its jobs; in a cluster its nodes find that out together."""
        return self._place.is_alone and self._left() == 0

    def stopped(self, started: datetime) -> RunReport:
        """Publish what is committed, if there is time; the former files stay otherwise."""
        published, note = None, "rows are written when the run is complete"
        if self._place.publishes_parts:
            try:
                published, note = self._publisher.publish(), ""
            except (AppenderError, StoreError, ClusterError) as error:
                note = _said(error)
                log.warning("not published: %s", note)
            except RunError as error:
                self.failed(started, error)
                raise
        is_last = self._departure.leave(published=published is not None)
        if is_last and published is not None:
            self._over.make_by_the_last(published)
        return self._report(started, RunStatus.STOPPED, published, note)

    def failed(self, started: datetime, error: BaseException) -> None:
        """Say in `run.json` that the run could not go on, and why; publishes nothing."""
        self._departure.leave(published=False)
        try:
            self._report(started, RunStatus.FAILED, None, fault=error)
        except (OSError, StoreError, ClusterError, AppenderError) as error:
            log.warning("run.json could not be written: %s", error)

    def _report(
        self,
        started: datetime,
        status: RunStatus,
        published: Published | None,
        note: str = "",
        fault: BaseException | None = None,
        awaiting: tuple[str, ...] = (),
    ) -> RunReport:
        ended = datetime.now().astimezone()
        found = published or self._counted()
        report = RunReport(
            run=self._place.run,
            folder=str(self._place.folder),
            status=status,
            started=self._since(started),
            ended=ended,
            jobs=JobCounts(found.done, found.failed, found.warned, self._left()),
            pages=found.pages,
            rows=found.rows,
            errors=found.errors if fault is None else (_cause(fault), *found.errors),
            warnings=found.warnings,
            times=self._all_times(),
            seconds=(ended - started).total_seconds(),
            published=published is not None,
            publish_note=self._note(note, awaiting),
            missing=found.missing,
            resume_hint=self._place.resume if status is not RunStatus.DONE and not found.missing else "",
            empty=self._empty() if status is RunStatus.DONE else (),
            lists={name: _rows(bodies) for name, bodies in found.lists.items()},
        )
        self._write(self._view(report, awaiting))
        return report

    def _note(self, note: str, awaiting: tuple[str, ...]) -> str:
        if not awaiting:
            return note
        nodes, node = ", ".join(awaiting), awaiting[0] if len(awaiting) == 1 else "ID"
        again = f"start again with --run {self._place.run} -D scoopi.cluster.node={node}"
        to_come = f"rows of {nodes} are still to come: {again} where they ran"
        return "; ".join(filter(None, (note, to_come)))

    def _view(self, report: RunReport, awaiting: tuple[str, ...]) -> RunView:
        return RunView(
            run=report.run,
            incarnation=self._place.incarnation,
            status=report.status,
            started=report.started,
            ended=report.ended,
            jobs=report.jobs,
            pages=report.pages,
            rows=report.rows,
            errors=report.errors,
            warnings=report.warnings,
            awaiting=awaiting,
            time=report.times,
            versions=dict(versions()),
        )

    def _left(self) -> int | None:
        """None while not every locator has its job, and when the store does not tell: what is known
        otherwise must still be written down."""
        try:
            state = self._record.read()
            return None if state is not None and not state.seeded else self._jobs.left()
        except (StoreError, ClusterError) as error:
            log.warning("how many jobs are left is not known: %s", error.what)
            return None

    def _counted(self) -> Published:
        value = self._counts.value
        return Published(
            rows=dict(self._rows_before),
            done=int(value("jobs.done")),
            failed=int(value("jobs.failed")),
            pages=int(value("pages")),
        )

    def _all_times(self) -> dict[str, float]:
        times = dict(self._times)
        for step, seconds in self._counts.with_prefix("time.").items():
            times[step] = round(times.get(step, 0.0) + seconds, 3)
        return times

    def _since(self, started: datetime) -> datetime:
        return self._first_started or started

    def _write(self, view: RunView) -> None:
        try:
            self._file.write(view)
        except OSError as error:
            raise AppenderError(
                f"run.json cannot be written: {error.strerror}",
                at=str(self._place.folder),
                hint="make room or fix the folder, then `scoopi resume` (in a cluster: start again)",
            ) from error


def _said(error: ScoopiError) -> str:
    """Without what the store's errors say to those who try again."""
    return error.what if isinstance(error, StoreError) else str(error)


def _cause(fault: BaseException) -> Cause:
    """What ended the run, told as a job's failure is; it has a place, but no job."""
    if isinstance(fault, ScoopiError):
        return Cause(fault.what, 1, Failure(cause=fault.what, message=str(fault), at=fault.at))
    what = f"{type(fault).__name__}: {fault}"
    return Cause(what, 1, Failure(cause=what, message=what))


def _rows(bodies: list[bytes]) -> tuple[Any, ...]:
    return tuple(row for body in bodies for row in read_rows(body))
