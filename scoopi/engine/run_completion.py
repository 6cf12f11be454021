"""RunCompletion: completes a run, or this node's part of it: publishes, moves its phase, leaves, reports."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import msgspec
from injector import inject

from scoopi.engine.run_reporter import RunOutcome, RunReporter
from scoopi.engine.stop_time import StopTime
from scoopi.errors import AppenderError, ClusterError, RunError, ScoopiError, StoreError
from scoopi.mediator.budgets.page_limit import NO_LIMIT, PageLimit
from scoopi.mediator.heartbeat import Heartbeat
from scoopi.model.report.run_report import ALREADY_OVER, RunReport, RunStatus
from scoopi.publishing.run_rows import PublishedRows, RunPhases, RunRows
from scoopi.runs.run_file import RunPlace
from scoopi.store.nodes.departure import Departure
from scoopi.store.retries import retried

log = logging.getLogger(__name__)

OTHERS_WRITE = "the run is over, and other nodes were still writing its rows"
NO_PARTS = "rows are written when the run is complete"


@inject
@dataclass(frozen=True, slots=True)
class Presence:
    """How the other nodes see this one: alive while it sends heartbeats, then as having left."""

    heartbeat: Heartbeat
    departure: Departure


class RunLimits(msgspec.Struct, frozen=True):
    """How long a node may take to do what the run asks of it.

    Attributes:
        stop: whether a shutdown was asked for, which cuts publishing short, and when it must end.
        store_timeout_s: for how many seconds a store that does not answer is retried; 0: not at all.
        pages: how many pages it may load.
    """

    stop: StopTime
    store_timeout_s: float = 0.0
    pages: PageLimit = NO_LIMIT


class RunCompletion:
    """Completes a run, or this node's part of it: publishes, moves its phase, leaves, reports.

    It publishes what the store says has finished, never what this process remembers.

    Source: ARCHITECTURE, protocol rules 6 and 10.

    Args:
        rows: which files this node writes.
        phases: of the run, in the store.
    """

    @inject
    def __init__(
        self,
        place: RunPlace,
        reporter: RunReporter,
        rows: RunRows,
        phases: RunPhases,
        presence: Presence,
        limits: RunLimits,
    ) -> None:
        self._place = place
        self._reporter = reporter
        self._rows = rows
        self._phases = phases
        self._heartbeat = presence.heartbeat
        self._departure = presence.departure
        self._limits = limits
        self._beats = False

    @property
    def was_over(self) -> bool:
        """Whether the run was ending or over when this node joined, so that there is nothing to run."""
        return self._place.was_over

    def complete(self) -> RunReport:
        """Move the run to ENDING, publish, move it to OVER, and report; call it when no job is left.

        Raises:
            AppenderError: the files cannot be written; `resume` publishes them.
            StoreError, RunError: the store does not answer, or no longer holds the run.
        """
        stop = self._limits.stop
        try:
            if self._limits.pages.is_reached and self._reporter.left():
                return self._limited()
            return retried("publishing", self._publish_all, self._limits.store_timeout_s, stop.is_up)
        except ScoopiError as error:
            if stop.is_up():
                return self._stopped_late(error)
            self.fail(error)
            raise

    def stop(self) -> RunReport:
        """Publish what is committed, if there is time, leave the run, and report that it is stopped.

        Without time to publish, the files stay as they were.

        Raises:
            RunError: the store has lost the run.
        """
        published, note = None, NO_PARTS
        try:
            published = self._rows.when_stopped()
            note = NO_PARTS if published is None else ""
        except (AppenderError, StoreError, ClusterError) as error:
            note = _reason(error)
            log.warning("not published: %s", note)
        except RunError as error:
            self.fail(error)
            raise
        is_last = self._departure.leave(published=published is not None)
        if is_last and published is not None:
            self._phases.to_over_by_the_last(published)
        return self._reporter.report(RunOutcome(RunStatus.STOPPED, published, note))

    def fail(self, error: BaseException) -> None:
        """Report in `run.json` that the run could not continue, and why; publishes nothing."""
        self._departure.leave(published=False)
        try:
            self._reporter.report(RunOutcome(RunStatus.FAILED, None, fault=error))
        except (OSError, StoreError, ClusterError, AppenderError) as fault:
            log.warning("run.json could not be written: %s", fault)

    def nothing_is_left(self) -> bool:
        """Whether a run on one machine has no job left; False in a cluster, whose nodes decide together."""
        return self._place.is_alone and self._reporter.left() == 0

    def _limited(self) -> RunReport:
        """The limit of pages is reached: what was loaded is published as if it was all."""
        published = self._rows.when_over()
        self._departure.leave()
        note = f"limit reached: {self._limits.pages}"
        return self._reporter.report(RunOutcome(RunStatus.DONE, published, note))

    def _stopped_late(self, error: ScoopiError) -> RunReport:
        """The run is over, but the time of a shutdown was too short to publish it."""
        log.warning("not published: %s", _reason(error))
        self._departure.leave(published=False)
        return self._reporter.report(RunOutcome(RunStatus.STOPPED, None, _reason(error)))

    def _publish_all(self) -> RunReport:
        if self._phases.is_over():
            # Others completed it; nothing is written to the store, as its records are about to expire.
            self._heartbeat.stop()
            return self._completed(PublishedRows(self._rows.when_over()), ALREADY_OVER)
        if not self._place.was_over:
            self._phases.to_ending()
        elif not self._beats:
            self._heartbeat.start()
            self._beats = True
        return self._completed(self._rows.at_end(), ALREADY_OVER if self._place.was_over else "")

    def _completed(self, rows: PublishedRows, note: str) -> RunReport:
        if rows.complete:
            self._phases.to_over()
        if rows.stopped:
            return self._reporter.report(RunOutcome(RunStatus.STOPPED, rows.published, OTHERS_WRITE))
        missing = rows.published is not None and rows.published.missing
        status = RunStatus.FAILED if missing else RunStatus.DONE
        return self._reporter.report(RunOutcome(status, rows.published, note, awaiting=rows.awaiting))


def _reason(error: ScoopiError) -> str:
    """Without the hint of the store's errors, which is for callers that retry."""
    return error.what if isinstance(error, StoreError) else str(error)
