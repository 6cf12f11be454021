"""Server: the loop of `scoopi serve`, which runs passes and the attempts that they assign to its worker."""

from __future__ import annotations

import logging
import time
import uuid
from types import TracebackType

from scoopi.errors import FencedError, RecordError, StoreError
from scoopi.model.schedule.process import EXTERNAL
from scoopi.model.schedule.schedule_records import LIVE, WorkerRecord
from scoopi.periods.duration import duration_text
from scoopi.scheduler.planning.due_times import DueTimes
from scoopi.serve.background_work import BackgroundWork
from scoopi.serve.clock import now_utc
from scoopi.serve.serve_health import ServeHealth
from scoopi.serve.serve_options import ServeOptions
from scoopi.serve.state import State
from scoopi.serve.wake_ups import WakeUp
from scoopi.serve.work.attempt_environment import AttemptEnvironment
from scoopi.serve.work.attempt_lines import Notify
from scoopi.serve.work.attempt_runner import AttemptRunner
from scoopi.serve.workers.worker_heartbeat import WorkerHeartbeat
from scoopi.serve.workers.worker_name import WorkerName
from scoopi.serve.workers.worker_registry import WorkerRegistry
from scoopi.store.store_outage import StoreOutage

log = logging.getLogger(__name__)
_SOON_S = 0.01
"""The shortest time, in seconds, to a pass for something that is due soon."""
_AGAIN_S = 1.0
"""Seconds from a failure of the store to the next turn."""
_REPORT_S = 3.0
"""For how many seconds after the last attempt ends that could not be written are tried again."""


class Server:
    """The loop of one `scoopi serve`: runs passes, and the attempts that they assign to its worker.

    Use it in a `with` block.

    Args:
        state: the records.
        options: the options of the command.
        environment: the folders and the environment of attempts.
        cores: number of cores of this machine.
        notify: called with a line for each attempt that starts or ends, and with its contents as fields.
        health: gets the health and the totals of this process.
    Raises:
        UsageError: a live worker has the same name.
    """

    def __init__(
        self,
        state: State,
        options: ServeOptions,
        environment: AttemptEnvironment,
        cores: int,
        notify: Notify,
        health: ServeHealth | None = None,
    ) -> None:
        self._state, self._store = state, state.store
        self._options, self._environment = options, environment
        self._registry = WorkerRegistry(state.store)
        self._settings = state.current()[1].settings
        self._capacity = options.slots or self._settings.worker.slots or cores
        self._incarnation = uuid.uuid4().hex
        record = WorkerRecord(
            worker="",
            incarnation=self._incarnation,
            groups=options.groups or self._settings.worker.groups,
            capacity=float(self._capacity),
        )
        registry = self._registry if options.works else None
        self._own_name = WorkerName(state.folder, options.name, registry, record)
        self.name = self._own_name.name
        self._health = health or ServeHealth()
        self._health.worker = self.name
        self._wake_up = WakeUp(state.folder, self.name, self._store.listen)
        self._runner = AttemptRunner(state, environment, self.name, self._wake_up, notify, self._health)
        self._background = BackgroundWork(state, options, record, environment.variables, self._wake_up.notify)
        worker = self.name if options.works else None
        if worker is not None:
            state.passes.lease.hold_as(worker, self._incarnation)
        self._heartbeat = WorkerHeartbeat(self._store, worker, state.schedule, self._incarnation)
        self._pass_at = time.monotonic()
        self._is_quiet = self._has_failed = False
        self._has_begun = not options.works
        self._outage = StoreOutage("the store does not answer, trying again", "the store answers again")
        self._due = DueTimes()
        self._stops, self._ended_at = 0, self._pass_at

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._background.close()
        try:
            self._runner.close()
            if self._options.works:
                self._registry.change(self.name, self._incarnation, state="lost", beat=None, since=now_utc())
        except (StoreError, FencedError) as failed:
            log.warning("the worker could not sign off: %s", failed)
            self._state.is_store_away = isinstance(failed, StoreError)
        self._wake_up.close()
        self._own_name.close()
        self._state.notify()

    def cancel(self, hard: bool = False) -> None:
        """Shut down gracefully, or with `hard` immediately; callable from any thread."""
        self._stops = 2 if hard else max(self._stops, 1)
        self._state.limit_waits()
        self._wake_up.notify()

    def shutdown_text(self) -> str:
        """Return what a graceful shutdown does with the attempts that run here; callable from any thread."""
        count, cancel = len(self._runner), self._settings.cancel
        attempts = "1 attempt" if count == 1 else f"{count} attempts"
        if not count:
            return "shutting down; no attempt runs here"
        if (kill_after := cancel.killed_after(cancel.default_mode)) is None:
            ends = "attempt that runs here has" if count == 1 else f"{attempts} that run here have"
            return f"shutting down when the {ends} ended"
        return f"stopping {attempts} within {duration_text(kill_after)}, to be continued by the next worker"

    def run(self) -> None:
        """Serve until `cancel`, or until nothing is left to do.

        Raises:
            ScoopiError: the state cannot be used.
        """
        is_stopping = False
        while self._stops < 2 and not (is_stopping and self._has_ended()):
            try:
                if self._stops and not is_stopping:
                    is_stopping = True
                    self._begin_shutdown()
                self._turn(is_stopping)
                if self._options.until_idle and self._is_idle():
                    self._background.finish(now_utc())
                    return
            except RecordError:
                raise
            except StoreError as error:
                self._after_failure(error)

    def _has_ended(self) -> bool:
        """Whether no attempt runs here, and their ends are written, or were tried for `_REPORT_S` seconds."""
        if self._runner:
            self._ended_at = time.monotonic()
        return self._runner.is_idle or time.monotonic() - self._ended_at >= _REPORT_S

    def _after_failure(self, error: StoreError) -> None:
        """Wait for `_AGAIN_S` seconds; attempts continue as long as their leases last."""
        self._outage.failed(error)
        self._has_failed = True
        self._health.turned(f"the store does not answer: {error.what}")
        self._pass_at = time.monotonic() + _AGAIN_S
        self._runner.wait(_AGAIN_S)

    def _begin(self) -> None:
        """Finish what an earlier process of this worker has left: its attempts, and files to publish."""
        self._runner.take_over()
        schedule = self._state.current()[1]
        known = (schedule.process(name) for name in self._store.processes())
        self._environment.complete_publications(process for process in known if process is not None)
        self._has_begun = True

    def _turn(self, is_stopping: bool) -> None:
        """Run one round of the loop: a pass if one is due, attempts, background work, then a wait."""
        if not self._has_begun:
            self._begin()
        self._beat()
        if not self._heartbeat.is_live():
            self._runner.stop(None)
        self._report()
        if self._heartbeat.is_asked:
            self._heartbeat.is_asked = False
            self._request_pass()
        is_current = self._is_pass_due() and self._pass()
        if self._options.works:
            self._work(is_current, is_stopping)
        self._beat()
        if not is_stopping:
            self._background.turn(now_utc())
        self._outage.over()
        late = "" if self._heartbeat.is_live() else "its heartbeat is late"
        self._health.turned("it shuts down" if is_stopping else late)
        self._wait(0.0 if self._is_idle() else self._wait_s())

    def _work(self, is_current: bool, is_stopping: bool) -> None:
        """Look after the attempts that run here, and claim others.

        Args:
            is_current: see `_claim`.
        """
        self._beat()
        self._runner.poll(self._settings)
        if self._has_failed and self._runner.take_over():
            self._request_pass()
        self._has_failed = False
        self._beat()
        if not is_stopping and self._heartbeat.is_live():
            self._claim(is_current)

    def _wait_s(self) -> float:
        """The seconds until the next turn has something to do, as far as known."""
        wait_s = min(self._heartbeat.wait_s(), self._background.wait_s())
        if self._options.schedules:
            wait_s = min(wait_s, max(0.0, self._pass_at - time.monotonic()))
        return wait_s

    def _request_pass(self) -> None:
        """Have the next turn run a pass, as there is something to decide."""
        self._pass_at, self._is_quiet = time.monotonic(), False

    def _is_pass_due(self) -> bool:
        return self._options.schedules and time.monotonic() >= self._pass_at

    def _beat(self) -> None:
        """Renew the heartbeat if it is due; called between steps, each of which may take as long."""
        if self._heartbeat.beat():
            self._settings = self._state.schedule(self._heartbeat.bundle).settings
            self._runner.keep_alive(self._heartbeat.lease_ends_at())

    def _pass(self) -> bool:
        """Run a pass; return whether it was complete, so that its last snapshot shows the current records."""
        self._settings = self._state.current()[1].settings
        self._pass_at = time.monotonic() + self._settings.every.total_seconds()
        passes = self._state.passes
        rows = passes.run(now_utc(), self._beat, self._settings.liveness.beat.total_seconds())
        last = passes.last
        due = self._due.next(last) if last is not None else None
        if due is not None:
            due_s = max(_SOON_S, (due - now_utc()).total_seconds())
            self._pass_at = min(self._pass_at, time.monotonic() + due_s)
        self._is_quiet = rows is not None and not passes.is_unfinished
        if passes.is_unfinished:  # first the rest of the turn: attempts that end are reported, others claimed
            self._pass_at = time.monotonic()
        if rows:
            self._state.notify(but=self.name)
        return self._is_quiet

    def _claim(self, is_current: bool) -> None:
        """Claim the attempts that are placed on this worker, within its capacity.

        Args:
            is_current: the snapshot of the last pass is current, so the attempts need not be read again.
        """
        free, last = self._capacity - len(self._runner), self._state.passes.last
        known = last.attempts if is_current and last is not None else None
        if self._runner.claim(free, self._settings, self._heartbeat.lease_ends_at(), known):
            self._is_quiet = False

    def _wait(self, seconds: float) -> None:
        if self._runner.wait(seconds):
            self._request_pass()
        self._report()

    def _report(self) -> None:
        if self._runner.report():
            self._request_pass()

    def _begin_shutdown(self) -> None:
        self._ended_at = time.monotonic()
        cancel = self._settings.cancel
        if (kill_after := cancel.killed_after(cancel.default_mode)) is not None:
            self._runner.stop(kill_after.total_seconds())
        if self._options.works:  # last, as the store may not answer
            self._registry.change(self.name, state="draining", since=now_utc())

    def _is_idle(self) -> bool:
        """Whether nothing runs, is due, or is to be tried again, so that `until_idle` ends this process.

        If only notices are left, they are sent at once.
        """
        if not self._options.until_idle or not self._runner.is_idle or not self._is_quiet:
            return False
        if self._state.passes.awaits_retry or self._has_attempts():
            return False
        if self._background.has_open():
            self._background.expedite()
            return False
        return True

    def _has_attempts(self) -> bool:
        """Whether any `serve` has an attempt, or the end of an attempt has not moved its job yet."""
        schedule = self._state.current()[1]
        return any(
            attempt.phase != LIVE or (attempt.worker and process.executes.kind != EXTERNAL)
            for attempt in self._store.open_attempts()
            if (process := schedule.process(attempt.process)) is not None
        )
