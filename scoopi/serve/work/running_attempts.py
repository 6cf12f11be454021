"""RunningAttempts: the attempts that are running on this worker."""

from __future__ import annotations

import selectors
from collections.abc import Iterator
from typing import Any, NamedTuple

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.serve.claims.claim import Claim
from scoopi.serve.wake_ups import WakeUp
from scoopi.serve.work.endings import REVOKED, AttemptEnd, ending_of
from scoopi.serve.work.fork_server import ForkServer
from scoopi.serve.work.running_attempt import RunningAttempt


class AttemptReport(NamedTuple):
    """A report of an attempt that runs here: that it has ended, or its progress.

    Attributes:
        ending: how it ended; None for a report of progress.
        seconds: how long it ran; 0 for a report of progress.
        progress: the data of the progress; None if there are none.
    """

    claim: Claim
    ending: AttemptEnd | None
    seconds: float = 0.0
    progress: dict[str, Any] | None = None


class RunningAttempts:
    """Starts and stops attempts on this worker, and receives their reports. Belongs to one thread.

    Args:
        wake_up: ends a call of `wait` early.
    """

    def __init__(self, wake_up: WakeUp) -> None:
        self._wake_up = wake_up
        self._fork_server = ForkServer()
        self._selector = selectors.DefaultSelector()
        self._selector.register(wake_up, selectors.EVENT_READ)
        self._running: dict[tuple[str, int, int], tuple[RunningAttempt, Process]] = {}

    def __len__(self) -> int:
        return len(self._running)

    def claims(self) -> Iterator[Claim]:
        """Yield the claims of all attempts and nodes that run here, with their records as last read."""
        return (running.claim for running, _ in self._running.values())

    def start(self, claim: Claim, process: Process, spec: dict[str, Any]) -> None:
        """Start the work of a claim.

        Raises:
            OSError: no process can be started.
        """
        running = RunningAttempt(claim, spec, self._fork_server)
        self._running[claim.key] = running, process
        self._selector.register(running, selectors.EVENT_READ, claim.key)

    def keep_alive(self, lease_ends_at: float) -> None:
        """Renew the leases of all supervisors, after the worker's heartbeat was renewed.

        Args:
            lease_ends_at: the new end, in seconds of the machine's monotonic clock.
        """
        for running, _ in self._running.values():
            running.keep_alive(lease_ends_at)

    def see(self, record: AttemptRecord, kill_after_s: dict[str, float]) -> bool:
        """React to the current record of an attempt: to a wish to cancel it, or to another owner.

        Args:
            kill_after_s: by mode of a cancel, the seconds from SIGTERM to SIGKILL; with a mode that is
                absent, the work ends by itself.
        Returns:
            Whether the attempt itself runs here, not only further nodes of it, and still counts.
        """
        is_own = False
        for (name, _, _), (running, _) in self._running.items():
            if name == record.attempt:
                self._see(running, record, kill_after_s)
                is_own |= running.claim.is_first and not running.is_revoked
        return is_own

    def _see(self, running: RunningAttempt, record: AttemptRecord, kill_after_s: dict[str, float]) -> None:
        if not running.claim.counts_in(record):
            running.revoke()
            return
        before = running.claim.attempt.wish, running.claim.attempt.wish_mode
        is_new = (record.wish, record.wish_mode) != before  # a cancel may be repeated in a harder mode
        if record.wish == "cancel" and is_new and record.wish_mode in kill_after_s:
            running.stop(kill_after_s[record.wish_mode])
        running.claim = running.claim._replace(attempt=record)

    def stop(self, kill_after_s: float | None) -> None:
        """Stop all attempts; those that have not ended are handed back.

        Args:
            kill_after_s: the seconds from SIGTERM to SIGKILL; None kills at once.
        """
        for running, _ in self._running.values():
            if kill_after_s is None:
                running.kill()
            else:
                running.stop(kill_after_s)

    def wait(self, seconds: float) -> tuple[list[AttemptReport], bool]:
        """Wait until an attempt reports, or `wake_up` ends the wait.

        Args:
            seconds: the longest time to wait.
        Returns:
            The reports, and whether `wake_up` has ended the wait.
        """
        seconds = min([seconds, *(running.wait_s() for running, _ in self._running.values())])
        reports: list[AttemptReport] = []
        is_woken = False
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                is_woken = True
                self._wake_up.clear()
            else:
                reports += self._heard(key.data)
        for running, _ in self._running.values():
            running.kill_late()
        return reports, is_woken

    def close(self) -> None:
        """Kill all attempts, and wait until they have ended."""
        for running, _ in self._running.values():
            running.abandon()
        self._running.clear()
        self._fork_server.close()
        self._selector.close()

    def _heard(self, key: tuple[str, int, int]) -> Iterator[AttemptReport]:
        running, process = self._running[key]
        for message in running.messages():
            if "end" not in message:
                yield AttemptReport(running.claim, None, progress=message["progress"])
                continue
            self._selector.unregister(running)
            if running.start_again(message):
                self._selector.register(running, selectors.EVENT_READ, key)
                return
            seconds = running.seconds()
            running.close()
            del self._running[key]
            if running.is_revoked:
                yield AttemptReport(running.claim, AttemptEnd(REVOKED), seconds)
            else:
                is_canceled = running.claim.attempt.wish == "cancel"
                ending = ending_of(
                    message["end"], process, is_stopped=running.is_stopped, is_canceled=is_canceled
                )
                yield AttemptReport(running.claim, ending, seconds)
            return
