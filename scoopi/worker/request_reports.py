"""RequestReports: reports a worker's requests to its parent, at once or together with their answers."""

from __future__ import annotations

import time

import msgspec

from scoopi.model.handover import Grant
from scoopi.worker.messages import Sent


class RequestReports:
    """Reports a worker's requests to its parent, at once or together with their answers.

    If the host has a delay, a request is reported as soon as it is sent, because the next grant depends on
    that time. If not, the time is part of `RequestEnded`, and costs no message of its own.

    Attributes:
        messages: sent at the end of the turn; used by the thread that has the turn.
    """

    def __init__(self) -> None:
        self.messages: list[msgspec.Struct] = []
        self._unpaced: dict[str, float | None] = {}

    def begin(self, job: str, grant: Grant) -> None:
        """Record that a job may send a request; callable from any thread."""
        if grant.is_paced:
            self._unpaced.pop(job, None)
        else:
            self._unpaced[job] = None

    def sent(self, job: str, host: str) -> None:
        """Record that a job's request to the host was sent just now."""
        now = time.monotonic()
        if job in self._unpaced:
            self._unpaced[job] = now
        else:
            self.messages.append(Sent(job, host, now))

    def end(self, job: str) -> float | None:
        """When the job's request was sent; None if that was reported. Callable from any thread."""
        return self._unpaced.pop(job, None)
