"""ending_of: derives how an attempt ends from how its process ended."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from typing import Any

from scoopi.model.schedule.process import Process

HANDED_BACK = "handed_back"
"""The attempt has not ended; it is offered again."""
_CAME_LATE = "it was complete before the cancel took effect"
REVOKED = "revoked"
"""The work was killed here because its attempt is over, or belongs to another worker."""


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """How an attempt ends: a status that a worker reports, or HANDED_BACK, or REVOKED."""

    status: str
    explanation: str = ""
    outputs: dict[str, Any] = field(default_factory=dict)


def ending_of(end: dict[str, Any], process: Process, *, is_stopped: bool, is_canceled: bool) -> AttemptEnd:
    """Return how an attempt ends.

    Args:
        end: the last message of the supervisor: `cause` if it killed the work, `fault` if it failed or was
            killed itself, otherwise `code` or `signal`; perhaps with `answer` (of a function) or `outputs`.
        is_stopped: the work was stopped, for whatever reason.
        is_canceled: the attempt is cancelled; with the mode `drain` it is not stopped for that.
    """
    answer = end.get("answer")
    if answer is not None and answer["status"] not in (HANDED_BACK, "error") and answer.get("is_whole"):
        why = answer.get("explanation", "") or (_CAME_LATE if is_canceled else "")
        return AttemptEnd(answer["status"], why, answer.get("outputs", {}))
    if is_canceled:
        # without a stop it was drained, so that its outputs may be complete
        outputs = {} if is_stopped else (answer or end).get("outputs", {})
        return AttemptEnd("canceled", outputs=outputs)
    if is_stopped or "cause" in end or (answer is not None and answer["status"] == HANDED_BACK):
        return AttemptEnd(HANDED_BACK, end.get("cause", ""))
    if answer is not None:
        return AttemptEnd(answer["status"], answer.get("explanation", ""), answer.get("outputs", {}))
    if "fault" in end:
        return AttemptEnd("error", end["fault"])
    if "signal" in end:
        return AttemptEnd("error", f"killed by {_signal_name(end['signal'])}")
    code = end["code"]
    if process.executes.kind != "command":
        return AttemptEnd("error", f"its process ended with exit code {code} and returned nothing")
    status = "succeeded" if code == 0 else process.executes.exit_codes.get(code, "failed")
    return AttemptEnd(status, f"exit code {code}" if code else "", end.get("outputs", {}))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
