"""Server: the loop of `scoopi serve`, which runs passes and the attempts that they assign to its worker."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType

from scoopi.errors import ScoopiError, StoreError
from scoopi.model.schedule.schedule_records import AttemptRecord, WorkerRecord
from scoopi.serve.errands import Errands
from scoopi.serve.passes import DueTimes
from scoopi.serve.seat import Heart, Seat
from scoopi.serve.serve_health import ServeHealth
from scoopi.serve.serve_options import ServeOptions
from scoopi.serve.state import State
from scoopi.serve.wake_ups import WakeUp
from scoopi.serve.work.crew import AttemptReport, Crew
from scoopi.serve.work.endings import HANDED_BACK, AttemptEnd
from scoopi.serve.work.orders import Workshop
from scoopi.serve.workbench import FencedError, Workbench
from scoopi.store.schedule.schedule_store import record_key

log = logging.getLogger(__name__)
KILL_S = 5.0
"""From SIGTERM to SIGKILL in the cancel mode `kill`."""
_SOON_S = 0.01
"""The shortest time to a pass for something that is due soon."""
_AGAIN_S = 1.0
"""After a failure of the store."""


class Server:
    """The loop of one `scoopi serve`: runs passes, and the attempts that they assign to its worker.

    Use it in a `with` block.

    Args:
        state: the records.
        options: the options of the command.
        workshop: the folders and the environment of attempts.
        cores: number of cores of this machine.
        notify: called with a line for each attempt that starts or ends.
        health: gets the health and the totals of this process.
    Raises:
        UsageError: a live worker has the same name.
    """

    def __init__(
        self,
        state: State,
        options: ServeOptions,
        workshop: Workshop,
        cores: int,
        notify: Callable[[str], object],
        health: ServeHealth | None = None,
    ) -> None:
        self._state, self._store = state, state.store
        self._options, self._workshop, self._notify = options, workshop, notify
        self._bench = Workbench(state.store, workshop.log_of if state.is_shared else None)
        self._settings = state.current()[1].settings
        self._slots = options.slots or self._settings.worker.slots or cores
        self._incarnation = uuid.uuid4().hex
        record = WorkerRecord(
            worker="",
            incarnation=self._incarnation,
            groups=options.groups or self._settings.worker.groups,
            capacity=float(self._slots),
        )
        self._seat = Seat(state.folder, options.name, self._bench if options.works else None, record)
        self.name = self._seat.name
        self._health = health or ServeHealth()
        self._health.worker = self.name
        self._wake_up = WakeUp(state.folder, self.name, self._store.listen)
        self._crew = Crew(self._wake_up)
        self._errands = Errands(state, options, record, workshop.environ, self._wake_up.notify)
        worker = self.name if options.works else None
        self._heart = Heart(self._store, worker, self._settings.liveness, self._incarnation)
        self._pass_at = time.monotonic()
        self._is_quiet = self._has_failed = False
        self._due = DueTimes()
        self._stops = 0
        self._unreported: list[AttemptReport] = []

    def __enter__(self) -> Server:
        if self._options.works:
            self._take_over()
            schedule = self._state.current()[1]
            known = (schedule.process(name) for name in self._store.processes())
            self._workshop.complete_publications(process for process in known if process is not None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        running = [*self._crew.attempts()]
        self._crew.close()
        self._errands.close()
        try:
            for attempt in running:
                self._end(attempt, AttemptEnd(HANDED_BACK))
            if self._options.works:
                self._bench.change(self.name, self._incarnation, state="lost", beat=None)
        except (StoreError, FencedError) as failed:
            log.warning("the worker could not sign off: %s", failed)
        self._wake_up.close()
        self._seat.close()
        self._state.notify()

    def cancel(self, hard: bool = False) -> None:
        """Shut down gracefully, or with `hard` immediately; callable from any thread."""
        self._stops = 2 if hard else max(self._stops, 1)
        self._wake_up.notify()

    def run(self) -> None:
        """Serve until `cancel`, or until nothing is left to do.

        Raises:
            ScoopiError: the state cannot be used.
        """
        is_stopping = False
        while self._stops < 2 and not (is_stopping and not self._crew):
            try:
                if self._stops and not is_stopping:
                    is_stopping = True
                    self._begin_shutdown()
                self._turn(is_stopping)
                if self._options.until_idle and self._is_idle():
                    self._errands.finish(_now())
                    return
            except StoreError as error:
                self._after_failure(error)

    def _after_failure(self, error: StoreError) -> None:
        """Wait a moment; attempts run on, as long as their leases last."""
        log.warning("the store does not answer, trying again: %s", error)
        self._has_failed = True
        self._health.turned(f"the store does not answer: {error.what}")
        self._pass_at = time.monotonic() + _AGAIN_S
        self._unreported += self._crew.wait(_AGAIN_S)[0]

    def _turn(self, is_stopping: bool) -> None:
        if self._heart.beat():
            self._crew.keep_alive(self._heart.lease_ends_at())
        if not self._heart.is_live():
            self._crew.stop(None)
        self._report_ends()
        if self._heart.is_asked:
            self._pass_at, self._is_quiet, self._heart.is_asked = time.monotonic(), False, False
        if self._options.schedules and time.monotonic() >= self._pass_at:
            self._pass()
        if self._options.works:
            self._look()
            if self._has_failed:
                self._take_over()
            self._has_failed = False
            if not is_stopping and self._heart.is_live():
                self._claim()
        if not is_stopping:
            self._errands.turn(_now())
        late = "" if self._heart.is_live() else "its heartbeat is late"
        self._health.turned("it shuts down" if is_stopping else late)
        wait_s = min(self._heart.wait_s(), self._errands.wait_s())
        if self._options.schedules:
            wait_s = min(wait_s, max(0.0, self._pass_at - time.monotonic()))
        self._wait(0.0 if self._is_idle() else wait_s)

    def _pass(self) -> None:
        self._settings = self._state.current()[1].settings
        self._pass_at = time.monotonic() + self._settings.every.total_seconds()
        rows = self._state.passes.run(_now())
        last = self._state.passes.last
        due = self._due.next(last) if last is not None else None
        if due is not None:
            due_s = max(_SOON_S, (due - _now()).total_seconds())
            self._pass_at = min(self._pass_at, time.monotonic() + due_s)
        self._is_quiet = rows is not None
        if rows:
            self._state.notify(but=self.name)

    def _claim(self) -> None:
        if (room := self._slots - len(self._crew)) <= 0:
            return
        schedule = self._state.current()[1]
        for attempt in self._bench.claim(self.name, _now(), limit=room, schedule=schedule):
            self._is_quiet = False
            self._start(attempt)

    def _start(self, attempt: AttemptRecord) -> None:
        try:
            project = self._state.project(attempt.bundle).resolve()
            process = self._state.process(attempt)
            job = self._store.jobs([attempt.job])[attempt.job]
            self._crew.start(
                attempt, process, self._workshop.order(attempt, job, process, project) | self._more(attempt)
            )
        except (ScoopiError, OSError) as error:
            if isinstance(error, StoreError):
                self._bench.hand_back(attempt, _now())
                raise
            self._end(attempt, AttemptEnd("error", str(error)))
        else:
            self._notify(f"{attempt.attempt} started")

    def _more(self, attempt: AttemptRecord) -> dict[str, object]:
        """What a keeper needs beside the work."""
        more: dict[str, object] = {"lease_ends_at": self._heart.lease_ends_at()}
        return more | {"log_limit": self._settings.log.limit, "previous": self._bench.last_progress(attempt)}

    def _look(self) -> None:
        """See which attempts are to be cancelled, or belong to another worker."""
        keys = [record_key(attempt) for attempt in self._crew.attempts()]
        if not keys:
            return
        kill_after_s = {"step": self._settings.cancel.kill_after.total_seconds(), "kill": KILL_S}
        for record in self._store.get(AttemptRecord, keys).values():
            self._crew.see(record, kill_after_s)

    def _wait(self, seconds: float) -> None:
        reports, is_woken = self._crew.wait(seconds)
        if is_woken:
            self._pass_at, self._is_quiet = time.monotonic(), False
        self._unreported += reports
        self._report_ends()

    def _report_ends(self) -> None:
        """Write what attempts have reported; what cannot be written is kept for the next turn."""
        while self._unreported:
            report = self._unreported[0]
            if report.ending is None:
                self._progress(report)
            else:
                self._end(report.attempt, report.ending, report.seconds)
                self._pass_at, self._is_quiet = time.monotonic(), False
            self._unreported.pop(0)

    def _progress(self, report: AttemptReport) -> None:
        try:
            self._bench.progress(report.attempt, report.attempt.fence, _now(), report.progress)
        except FencedError:
            log.info("attempt %s: belongs to another worker", report.attempt.attempt)

    def _end(self, attempt: AttemptRecord, ending: AttemptEnd, seconds: float = 0.0) -> None:
        now = _now()
        try:
            if ending.status == HANDED_BACK:
                self._bench.hand_back(attempt, now)
            else:
                self._bench.end(
                    attempt,
                    attempt.fence,
                    ending.status,
                    now,
                    outputs=ending.outputs,
                    explanation=ending.explanation,
                )
                self._health.attempt_ended(attempt.process, ending.status)
        except FencedError as error:
            log.warning("attempt %s: its end is refused: %s", attempt.attempt, error.what)
            return
        why = f": {ending.explanation}" if ending.explanation else ""
        self._notify(f"{attempt.attempt} {ending.status.replace('_', ' ')} after {seconds:.1f} s{why}")

    def _begin_shutdown(self) -> None:
        if self._options.works:
            self._bench.change(self.name, state="draining")
        cancel = self._settings.cancel
        if cancel.default_mode != "drain":
            self._crew.stop(cancel.kill_after.total_seconds() if cancel.default_mode == "step" else KILL_S)

    def _take_over(self) -> None:
        """Offer attempts again that a former process of this name ran, or whose claim's answer was lost."""
        own = {*self._crew.names(), *(report.attempt.attempt for report in self._unreported)}
        for attempt in self._store.open_attempts():
            is_mine = attempt.worker == self.name and attempt.status in ("running", "canceling")
            if is_mine and attempt.attempt not in own:
                self._end(attempt, AttemptEnd(HANDED_BACK))

    def _is_idle(self) -> bool:
        """Whether nothing runs, is due, or is to be tried again, for `until_idle`."""
        if not self._options.until_idle or self._crew or self._unreported or not self._is_quiet:
            return False
        if self._state.passes.awaits_retry or self._bench.has_attempts(self._state.current()[1]):
            return False
        if self._errands.has_open():
            self._errands.expedite()
            return False
        return True


def _now() -> datetime:
    return datetime.now(UTC)
