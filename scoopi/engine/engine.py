"""Engine: does a node's part of a run: seeds, works, shuts down, publishes, reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from injector import inject

from scoopi.appenders.appender import Appender
from scoopi.engine.job_seeder import JobSeeder
from scoopi.engine.run_completion import RunCompletion, RunLimits
from scoopi.engine.run_reporter import RunReporter
from scoopi.engine.shutdown import Shutdown
from scoopi.engine.stop_time import CLOSE_SHARE, TASKS_SHARE
from scoopi.errors import ClusterError, StoreError
from scoopi.mediator.heartbeat import Heartbeat
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.job_mediator import JobMediator
from scoopi.mediator.node_events import NodeEvents
from scoopi.mediator.state_flipper import StateFlipper
from scoopi.mediator.task_mediator import TaskMediator
from scoopi.metrics.metrics_server import MetricsServer
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.report.progress import Progress
from scoopi.model.report.run_report import RunReport
from scoopi.model.scrape.locator_def import LocatorGroup
from scoopi.politeness.host_rate_limiter import HostRateLimiter
from scoopi.runs.run_file import versions
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.retries import retried

WATCH_S = 0.25


@inject
@dataclass(frozen=True, slots=True)
class NodeParts:
    """The parts that an engine starts and ends."""

    reporter: RunReporter
    seeder: JobSeeder
    appender: Appender
    tasks: TaskMediator
    jobs: JobMediator
    heartbeat: Heartbeat
    events: NodeEvents
    state: StateFlipper
    shutdown: Shutdown


class EngineCalls(msgspec.Struct, frozen=True):
    """Callables by which an engine asks and notifies its caller.

    Attributes:
        locators: unpacks and returns the defined locators; called only if this node seeds.
        watch: called with the progress a few times a second; None if nobody watches.
        notify: called with one line: what a shutdown waits for, and until when.
        adds_pages: whether pages may link to further ones.
    """

    locators: Callable[[], Iterable[LocatorGroup]]
    watch: Callable[[Progress], None] | None
    notify: Callable[[str], object]
    adds_pages: bool = True


@inject
@dataclass(frozen=True, slots=True)
class ProgressSource:
    """Where the figures of the progress come from: the run's jobs, what this node has counted, its hosts."""

    jobs: JobStore
    counts: NodeCounts
    held: HeldJobs
    limiter: HostRateLimiter


class Engine:
    """Does a node's part of a run: seeds, works, shuts down, publishes, reports.

    Runs once; `cancel` may be called from any thread and from a signal handler's.

    Args:
        metrics: serves from before the seeding to the end of the run.
        limits: of a shutdown, and for the first heartbeat while the store does not answer.
    """

    def __init__(
        self,
        parts: NodeParts,
        completion: RunCompletion,
        progress: ProgressSource,
        metrics: MetricsServer,
        calls: EngineCalls,
        limits: RunLimits,
    ) -> None:
        self._parts = parts
        self._completion = completion
        self._store = progress.jobs
        self._counts = progress.counts
        self._retries = progress.held.waiting
        self._limiter = progress.limiter
        self._metrics = metrics
        self._locators = calls.locators
        self._watch = calls.watch
        self._notify = calls.notify
        self._adds_pages = calls.adds_pages
        self._stop = limits.stop
        self._store_timeout_s = limits.store_timeout_s
        self._started = time.monotonic()

    def cancel(self, hard: bool = False) -> None:
        """Ask for a graceful shutdown; `hard`: an immediate one; uncommitted jobs are run again."""
        is_first = not self._stop.is_asked
        self._stop.begin(hard)
        notice = self._awaited() if is_first and not hard and self._parts.jobs.started else ""
        if hard:
            self._parts.shutdown.expedite()
        self._parts.state.cancel()
        if notice:
            self._notify(notice)  # last, as it may block

    def _awaited(self) -> str:
        given, waiting = self._parts.tasks.figures().given, len(self._retries)
        later = f"; {waiting} waiting for a retry are left for later" if waiting else ""
        if not given:
            return f"no page is being processed; what is done is published{later}"
        end = self._stop.end_of(TASKS_SHARE)
        assert end is not None, "the stop has begun"
        left = timedelta(seconds=max(0.0, end - time.monotonic()))
        pages = "1 page" if given == 1 else f"{given} pages"
        until = f"{datetime.now() + left:%H:%M:%S} ({left.seconds} s)"  # noqa: DTZ005 - for people
        published = "then what is done is published"
        return f"waiting for {pages} being processed, until {until} at most; {published}{later}"

    def run(self) -> RunReport:
        """Run this node's part, or what is left of it, and return the report; blocks until its end.

        Raises:
            AppenderError: rows cannot be made durable or published; what was committed is safe.
            StoreError: the store does not answer.
            RunError: no worker can be started, or the metrics server cannot listen.
        """
        with self._metrics:
            return self._run()

    def _run(self) -> RunReport:
        parts = self._parts
        parts.reporter.begin()
        if parts.state.cancelled:
            return self._completion.stop()
        if self._completion.was_over:
            parts.state.finish()
            return self._completion.complete()
        try:
            parts.appender.start()
            parts.tasks.start()
            # Before the seeding, which may take long.
            retried("joining", parts.heartbeat.start, self._store_timeout_s, lambda: parts.state.cancelled)
            if parts.seeder.seed(self._locators, lambda: parts.state.cancelled):
                parts.jobs.start()
                versions()  # takes a while, is reported at the end, and delays nobody now
            self._wait()
        except BaseException as error:
            parts.shutdown.immediate(self._stop.end_of(CLOSE_SHARE))
            if isinstance(error, StoreError | ClusterError) and self._stop.is_asked:
                return self._completion.stop()
            self._completion.fail(error)
            raise
        return self._end()

    def _wait(self) -> None:
        while not self._parts.state.wait_for_shutdown(WATCH_S):
            if self._watch is not None:
                with suppress(StoreError):  # asked again soon; missing figures do not end a run
                    self._watch(self._progress())

    def _end(self) -> RunReport:
        parts = self._parts
        self._raise_fault()
        if not parts.state.cancelled:
            parts.shutdown.when_over()
            return self._completion.complete()
        self._stop.begin()  # without a call of `cancel`: it was cancelled from elsewhere just now
        if self._stop.is_hard:
            parts.shutdown.immediate()
        else:
            deadline, end = (self._stop.end_of(share) for share in (TASKS_SHARE, CLOSE_SHARE))
            assert deadline is not None, "the stop has begun"
            assert end is not None
            parts.shutdown.graceful(deadline, end, lambda: parts.events.fault is not None)
            self._raise_fault()
            if self._completion.nothing_is_left():
                return self._completion.complete()
        return self._completion.stop()

    def _raise_fault(self) -> None:
        fault = self._parts.events.fault
        if fault is not None:
            self._parts.shutdown.immediate()
            self._completion.fail(fault)
            raise fault

    def _progress(self) -> Progress:
        names = ("jobs.done", "jobs.failed", "jobs.skipped")
        done, failed, skipped = (self._counts.value(name) for name in names)
        retrying = len(self._retries)
        hosts = self._parts.tasks.waiting_hosts()
        return Progress(
            done=int(done + failed + skipped),
            failed=int(failed),
            left=self._store.left(),
            pages=int(self._counts.value("pages")),
            waiting_hosts=hosts,
            waiting_reason=self._limiter.trouble(hosts[0]) if hosts else "",
            seconds=time.monotonic() - self._started,
            retrying=retrying,
            retry_in_s=self._retries.next_in() if retrying else 0.0,
            is_complete=self._parts.jobs.started and not self._adds_pages,
            skipped=int(skipped),
        )
