"""RequestReports: what a worker's loader reports of its requests, at once or together with their answers."""

from __future__ import annotations

import time

import msgspec

from scoopi.model.handover import Grant
from scoopi.worker.messages import Sent


class RequestReports:
    """Reports a worker's requests to its parent, at once or together with their answers.

    That a request was sent is reported at once if the host has a delay: its next grant waits for that.

    Where there is no delay, the time travels in `Answered`, and costs no message of its own.

    Attributes:
        messages: to be sent at the end of the turn; belongs to the thread that has the turn.
    """

    def __init__(self) -> None:
        self.messages: list[msgspec.Struct] = []
        self._unpaced: dict[str, float | None] = {}

    def begin(self, job: str, grant: Grant) -> None:
        """The job may send a request; callable from any thread."""
        if grant.is_paced:
            self._unpaced.pop(job, None)
        else:
            self._unpaced[job] = None

    def sent(self, job: str, host: str) -> None:
        """The job's request to the host went out, just now."""
        now = time.monotonic()
        if job in self._unpaced:
            self._unpaced[job] = now
        else:
            self.messages.append(Sent(job, host, now))

    def end(self, job: str) -> float | None:
        """When the job's request was sent, if that is not reported yet; callable from any thread."""
        return self._unpaced.pop(job, None)
