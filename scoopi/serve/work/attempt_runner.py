"""AttemptRunner: runs the attempts, and the nodes of attempts, that one worker has claimed."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from scoopi.errors import (
    BusyRecordError,
    DamagedBundleError,
    FencedError,
    ScoopiError,
    StoreError,
    UnstorableError,
)
from scoopi.model.schedule.schedule_records import CLAIMED, AttemptRecord
from scoopi.model.schedule.schedule_settings import ScheduleSettings
from scoopi.serve.claims.attempt_claims import AttemptClaims
from scoopi.serve.claims.claim import Claim
from scoopi.serve.claims.log_copies import LogCopies
from scoopi.serve.claims.node_claims import NodeClaims
from scoopi.serve.clock import now_utc
from scoopi.serve.serve_health import ServeHealth
from scoopi.serve.state import State
from scoopi.serve.wake_ups import WakeUp
from scoopi.serve.work.attempt_environment import AttemptEnvironment
from scoopi.serve.work.attempt_lines import AttemptLines, Notify
from scoopi.serve.work.endings import HANDED_BACK, REVOKED, AttemptEnd
from scoopi.serve.work.running_attempts import AttemptReport, RunningAttempts
from scoopi.store.schedule.record_keys import record_key

log = logging.getLogger(__name__)


class AttemptRunner:
    """Claims, starts and stops the attempts of one worker and nodes of attempts, and writes their reports.

    Belongs to one thread.

    Args:
        state: the records.
        environment: where attempts work.
        worker: the name of the worker.
        wake_up: ends a call of `wait` early.
        notify: called with a line for each attempt that starts or ends, see AttemptLines.
        health: counts the attempts that end here.
    """

    def __init__(
        self,
        state: State,
        environment: AttemptEnvironment,
        worker: str,
        wake_up: WakeUp,
        notify: Notify,
        health: ServeHealth,
    ) -> None:
        self._state, self._store = state, state.store
        self._environment, self._worker = environment, worker
        self._lines, self._health = AttemptLines(notify), health
        self._copies = LogCopies(state.store, environment.log_of if state.is_shared else None)
        self._claims = AttemptClaims(state.store, self._copies)
        self._nodes = NodeClaims(state.store, worker, self._copies)
        self._running = RunningAttempts(wake_up)
        self._unreported: list[AttemptReport] = []

    def __len__(self) -> int:
        """The number of attempts and nodes that run here."""
        return len(self._running)

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs here, and all that was reported is written."""
        return not self._running and not self._unreported

    def claim(
        self,
        limit: int,
        settings: ScheduleSettings,
        lease_ends_at: float,
        known: Sequence[AttemptRecord] | None = None,
    ) -> bool:
        """Claim and start what is placed on this worker; attempts come before further nodes.

        Args:
            limit: the most attempts and nodes to claim.
            lease_ends_at: when their leases end, in seconds of the machine's monotonic clock.
            known: the open attempts, if a pass has just read them; None to read them.
        Returns:
            Whether something was claimed.
        Raises:
            StoreError: the store does not answer.
        """
        if limit <= 0:
            return False
        schedule, now = self._state.current()[1], now_utc()
        attempts = self._store.open_attempts() if known is None else known
        claimed = self._claims.claim(self._worker, now, limit=limit, schedule=schedule, known=attempts)
        claims = [Claim(attempt) for attempt in claimed]
        if len(claims) < limit:
            own = {each.attempt: each for each in claimed}
            attempts = [own.get(each.attempt, each) for each in attempts] if own else attempts
            claims += self._nodes.claim(now_utc(), limit - len(claims), attempts)
        more = {"lease_ends_at": lease_ends_at, "log_limit": settings.log.limit}
        for claim in claims:
            self._start(claim, more)
        return bool(claims)

    def _start(self, claim: Claim, more: dict[str, float]) -> None:
        attempt = claim.attempt
        try:
            project = self._state.project(attempt.bundle).resolve()
            process = self._state.process(attempt)
            job = self._store.jobs([attempt.job])[attempt.job]
            spec = self._environment.spec(claim, job, process, project)
            previous = self._claims.last_progress(attempt)
            self._running.start(claim, process, spec | more | {"previous": previous})
        except (ScoopiError, OSError) as error:
            if isinstance(error, StoreError) and not isinstance(error, DamagedBundleError):
                self._end(claim, AttemptEnd(HANDED_BACK))
                raise
            self._unreported.append(AttemptReport(claim, AttemptEnd("error", str(error))))
        else:
            self._lines.started(claim)

    def poll(self, settings: ScheduleSettings) -> None:
        """Read the records of the attempts that run here, and stop what is cancelled.

        What is over, or belongs to another worker, is killed.
        """
        self._lines.poll(now_utc())
        keys = {record_key(claim.attempt) for claim in self._running.claims()}
        if not keys:
            return
        times = {"step": settings.cancel.kill_after, "kill": settings.cancel.hardest_after}
        kill_after_s = {mode: after.total_seconds() for mode, after in times.items()}
        for record in self._store.get(AttemptRecord, [*keys]).values():
            is_own = self._running.see(record, kill_after_s)
            if is_own and record.wish == "cancel" and record.status == "running":
                self._see_wish(record)

    def _see_wish(self, record: AttemptRecord) -> None:
        """Record that a cancel has been seen here; if this fails, it is recorded later, or never."""
        try:
            self._claims.see_wish(record, now_utc())
        except FencedError:
            log.info("attempt %s: ended, or belongs to another worker", record.attempt)
        except BusyRecordError as error:
            log.info("attempt %s: its cancel is not noted yet: %s", record.attempt, error)

    def keep_alive(self, lease_ends_at: float) -> None:
        """Extend the leases of all supervisors to this time, in seconds of the machine's monotonic clock."""
        self._running.keep_alive(lease_ends_at)

    def stop(self, kill_after_s: float | None) -> None:
        """Stop all attempts and nodes, as `RunningAttempts.stop` does."""
        self._running.stop(kill_after_s)

    def wait(self, seconds: float) -> bool:
        """Wait until an attempt reports or the process is woken up; returns whether it was woken up."""
        reports, is_woken = self._running.wait(seconds)
        self._unreported += reports
        return is_woken

    def report(self) -> bool:
        """Write what attempts have reported; what cannot be written is kept for the next call.

        Returns:
            Whether a pass has something to decide: an attempt has ended, or other nodes may join it.
        Raises:
            StoreError: the store does not answer.
        """
        has_news, place = False, 0
        busy: set[str] = set()  # their later reports must not come first
        while place < len(self._unreported):
            report = self._unreported[place]
            name = report.claim.attempt.attempt
            try:
                if name not in busy:
                    has_news |= self._reported(report)
                    self._unreported.pop(place)
                    continue
            except BusyRecordError as error:
                log.warning("attempt %s: what it reported is not written yet: %s", name, error)
                busy.add(name)
            place += 1
        return has_news

    def _reported(self, report: AttemptReport) -> bool:
        if report.ending is None:
            return self._progress(report)
        self._end(report.claim, report.ending, report.seconds)
        return True

    def take_over(self) -> bool:
        """Offer again what this worker has claimed by the records, but does not run.

        An earlier process of this name ran it, or the answer to the write of the claim was lost.

        Returns:
            Whether a pass has something to place.
        Raises:
            StoreError: the store does not answer, or some records could not be written; call this again.
        """
        claims = [*self._running.claims(), *(report.claim for report in self._unreported)]
        own = {(claim.attempt.attempt, claim.node) for claim in claims}
        left = [
            Claim(attempt)
            for attempt in self._store.open_attempts()
            if attempt.worker == self._worker and attempt.status in CLAIMED
        ]
        former = [*left, *self._nodes.left()]
        lost = [each for each in former if (each.attempt.attempt, each.node) not in own]
        busy = self._hand_back(lost)
        if busy is not None:
            raise busy
        return bool(lost)

    def close(self) -> None:
        """Kill all attempts and nodes that run here, and hand them back.

        Raises:
            StoreError: the store does not answer; a pass finds that the worker is lost.
        """
        running = [*self._running.claims()]
        self._running.close()
        for name in dict.fromkeys(each.claim.name for each in self._unreported if each.ending is not None):
            log.warning("attempt %s: its end could not be written; the next worker runs it again", name)
        self._hand_back(running)  # what cannot be handed back is offered again when the worker is found lost

    def _hand_back(self, claims: Iterable[Claim]) -> BusyRecordError | None:
        """Offer attempts and nodes again; return the error if the record of one is busy, else None."""
        busy = None
        for claim in claims:
            try:
                self._end(claim, AttemptEnd(HANDED_BACK), claim.seconds(now_utc()))
            except BusyRecordError as error:
                log.warning("attempt %s: it is not handed back: %s", claim.name, error)
                busy = error
        return busy

    def _progress(self, report: AttemptReport) -> bool:
        claim, now = report.claim, now_utc()
        try:
            if claim.is_first:
                self._claims.progress(claim.attempt, claim.fence, now, report.progress)
            else:
                self._nodes.progress(claim, now)
        except FencedError:
            log.info("attempt %s: belongs to another worker", claim.name)
        except UnstorableError as error:
            log.warning("attempt %s: its progress is not kept: %s", claim.name, error)
            self._claims.progress(claim.attempt, claim.fence, now)
        return bool(claim.is_first and claim.attempt.nodes and report.progress)

    def _end(self, claim: Claim, ending: AttemptEnd, seconds: float = 0.0) -> None:
        if ending.status == REVOKED:
            self._lines.gone(claim)
            if not claim.is_first:  # no end of its own is written, with which its log would be copied
                self._copies.copy(claim)
            return
        try:
            status, reason = self._write_end(claim, ending)
        except UnstorableError as error:  # run again, it would only report the same again
            self._end(claim, AttemptEnd("error", f"what it reported is not kept: {error}"), seconds)
            return
        except FencedError as error:
            log.warning("attempt %s: its end is refused: %s", claim.name, error.what)
            self._lines.gone(claim)
            return
        self._lines.ended(claim, status, reason, seconds)

    def _write_end(self, claim: Claim, ending: AttemptEnd) -> tuple[str, str]:
        """Write an end; return its status (`not_ready` if it is offered again) and reason as recorded."""
        attempt, now = claim.attempt, now_utc()
        if not claim.is_first:
            if ending.status == HANDED_BACK:
                self._nodes.hand_back(claim)
            else:
                is_whole = ending.status == "succeeded"
                self._nodes.end(claim, "" if is_whole else ending.explanation or ending.status)
        elif ending.status == HANDED_BACK:
            self._claims.hand_back(attempt, now)
        else:
            ended = self._claims.end(
                attempt,
                claim.fence,
                ending.status,
                now,
                outputs=ending.outputs,
                explanation=ending.explanation,
            )
            status = ending.status if ended.status == "pending" else ended.status
            self._health.attempt_ended(attempt.process, status)
            return status, ended.explanation
        return ending.status, ending.explanation
