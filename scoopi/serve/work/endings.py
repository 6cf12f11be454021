"""endings: what the end of a process means for its attempt."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from typing import Any

from scoopi.model.schedule.process import Process

HANDED_BACK = "handed_back"
"""The attempt has not ended; it is offered again."""


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """How an attempt ends: a status that a worker reports, or HANDED_BACK."""

    status: str
    explanation: str = ""
    outputs: dict[str, Any] = field(default_factory=dict)


def ending_of(end: dict[str, Any], process: Process, *, is_stopped: bool, is_canceled: bool) -> AttemptEnd:
    """The ending of an attempt.

    Args:
        end: what the keeper has sent: `cause` if it killed the work, `fault` if it was killed itself, else
            `code` or `signal`, perhaps with the `answer` of a function, or `outputs`.
        is_stopped: it was asked to stop.
        is_canceled: it was asked to stop for good, not only by a worker that shuts down.
    """
    answer = end.get("answer")
    if answer is not None and answer["status"] not in (HANDED_BACK, "error") and answer.get("is_whole"):
        return AttemptEnd(answer["status"], answer.get("explanation", ""), answer.get("outputs", {}))
    if is_canceled:
        outputs = {} if is_stopped else (answer or end).get("outputs", {})  # a drained attempt may be whole
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
