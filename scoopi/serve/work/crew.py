"""Crew: the attempts that are running on this worker."""

from __future__ import annotations

import selectors
from collections.abc import Iterator
from typing import Any, NamedTuple

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.serve.wake_ups import WakeUp
from scoopi.serve.work.endings import AttemptEnd, ending_of
from scoopi.serve.work.fork_server import ForkServer
from scoopi.serve.work.kept_attempt import KeptAttempt

_Claim = tuple[str, int]
"""An attempt and its fence: one that was lost and claimed here again may still have its former work."""


class AttemptReport(NamedTuple):
    """A report of an attempt: its end; or, without an end, progress, perhaps with data."""

    attempt: AttemptRecord
    ending: AttemptEnd | None
    seconds: float = 0.0
    progress: dict[str, Any] | None = None


class Crew:
    """Starts and stops attempts on this worker, and receives their reports. Belongs to one thread.

    Args:
        wake_up: ends a call of `wait` early.
    """

    def __init__(self, wake_up: WakeUp) -> None:
        self._wake_up = wake_up
        self._fork_server = ForkServer()
        self._selector = selectors.DefaultSelector()
        self._selector.register(wake_up, selectors.EVENT_READ)
        self._kept: dict[_Claim, tuple[KeptAttempt, Process]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def attempts(self) -> Iterator[AttemptRecord]:
        """Yield the records of all running attempts, as they were claimed."""
        return (kept.attempt for kept, _ in self._kept.values())

    def names(self) -> Iterator[str]:
        """Yield the ids of all running attempts."""
        return (name for name, _ in self._kept)

    def start(self, attempt: AttemptRecord, process: Process, order: dict[str, Any]) -> None:
        """Start the work of a claimed attempt.

        Raises:
            OSError: no process can be started.
        """
        kept = KeptAttempt(attempt, order, self._fork_server)
        claim = attempt.attempt, attempt.fence
        self._kept[claim] = kept, process
        self._selector.register(kept, selectors.EVENT_READ, claim)

    def keep_alive(self, lease_ends_at: float) -> None:
        """Renew the leases of all keepers, after the worker's heartbeat was renewed.

        Args:
            lease_ends_at: the new end, in seconds of the machine's monotonic clock.
        """
        for kept, _ in self._kept.values():
            kept.keep_alive(lease_ends_at)

    def see(self, record: AttemptRecord, kill_after_s: dict[str, float]) -> None:
        """React to the current record of an attempt: to a wish to cancel it, or to another owner.

        Args:
            kill_after_s: by mode of a cancel, the seconds from SIGTERM to SIGKILL; with a mode that is
                absent, the work ends by itself.
        """
        for (name, _), (kept, _) in self._kept.items():
            if name == record.attempt:
                self._see(kept, record, kill_after_s)

    def _see(self, kept: KeptAttempt, record: AttemptRecord, kill_after_s: dict[str, float]) -> None:
        if record.fence != kept.attempt.fence or record.status not in ("running", "canceling"):
            kept.revoke()
            return
        before = kept.attempt.wish, kept.attempt.wish_mode
        is_new = (record.wish, record.wish_mode) != before  # a cancel may be repeated in a harder mode
        if record.wish == "cancel" and is_new and record.wish_mode in kill_after_s:
            kept.stop(kill_after_s[record.wish_mode])
        kept.attempt = record

    def stop(self, kill_after_s: float | None) -> None:
        """Stop all attempts; those that have not ended are handed back.

        Args:
            kill_after_s: the seconds from SIGTERM to SIGKILL; None kills at once.
        """
        for kept, _ in self._kept.values():
            if kill_after_s is None:
                kept.kill()
            else:
                kept.stop(kill_after_s)

    def wait(self, seconds: float) -> tuple[list[AttemptReport], bool]:
        """Wait until an attempt reports, or `wake_up` ends the wait.

        Args:
            seconds: the longest time to wait.
        Returns:
            The reports, and whether `wake_up` has ended the wait.
        """
        seconds = min([seconds, *(kept.wait_s() for kept, _ in self._kept.values())])
        reports: list[AttemptReport] = []
        is_woken = False
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                is_woken = True
                self._wake_up.clear()
            else:
                reports += self._heard(key.data)
        for kept, _ in self._kept.values():
            kept.kill_late()
        return reports, is_woken

    def close(self) -> None:
        """Kill all attempts."""
        for kept, _ in self._kept.values():
            kept.abandon()
        self._kept.clear()
        self._fork_server.close()
        self._selector.close()

    def _heard(self, claim: _Claim) -> Iterator[AttemptReport]:
        kept, process = self._kept[claim]
        for message in kept.messages():
            if "end" not in message:
                yield AttemptReport(kept.attempt, None, progress=message["progress"])
                continue
            self._selector.unregister(kept)
            seconds = kept.seconds()
            kept.close()
            del self._kept[claim]
            if not kept.is_revoked:
                is_canceled = kept.attempt.wish == "cancel"
                ending = ending_of(
                    message["end"], process, is_stopped=kept.is_stopped, is_canceled=is_canceled
                )
                yield AttemptReport(kept.attempt, ending, seconds)
            return
