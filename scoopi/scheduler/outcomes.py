"""Outcomes: raised by a project's function to end its attempt with another status than succeeded or error."""

from __future__ import annotations

from typing import Any


class AttemptOutcome(Exception):  # noqa: N818  an outcome is not an error
    """Ends an attempt with a status.

    Args:
        explanation: why, as `scoopi job why` shows it.
        outputs: the outputs of the attempt.
    """

    status = "error"

    def __init__(self, explanation: str = "", outputs: dict[str, Any] | None = None) -> None:
        super().__init__(explanation)
        self.outputs = outputs or {}


class NotReady(AttemptOutcome):
    """What the attempt needs does not exist yet; it is offered again, without counting as failed."""

    status = "not_ready"


class Noop(AttemptOutcome):
    """There was nothing to do."""

    status = "noop"


class Failed(AttemptOutcome):
    """The work failed; the retry policy applies."""

    status = "failed"


class HandedBack(AttemptOutcome):
    """The work was stopped and can be continued, here or on another worker; raised by Scoopi itself."""

    status = "handed_back"
