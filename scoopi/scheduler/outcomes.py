"""Outcomes: what a function of a project raises to end its attempt otherwise than as succeeded or error."""

from __future__ import annotations

from typing import Any


class AttemptOutcome(Exception):  # noqa: N818  an outcome is not an error
    """Ends an attempt with a status.

    Args:
        explanation: why, as `scoopi job why` shows it.
        outputs: of the attempt.
    """

    status = "error"

    def __init__(self, explanation: str = "", outputs: dict[str, Any] | None = None) -> None:
        super().__init__(explanation)
        self.outputs = outputs or {}


class NotReady(AttemptOutcome):
    """What the attempt needs is not there yet; it is offered again, and that is not a failure."""

    status = "not_ready"


class Noop(AttemptOutcome):
    """There was nothing to do."""

    status = "noop"


class Failed(AttemptOutcome):
    """The work failed; the policy of retries applies."""

    status = "failed"


class HandedBack(AttemptOutcome):
    """The work was stopped and can be continued, here or on another worker; raised by Scoopi itself."""

    status = "handed_back"
