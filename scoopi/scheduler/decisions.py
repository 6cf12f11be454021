"""Decisions: the writes of a pass, each conditional on the record that it was decided on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar

import msgspec

from scoopi.model.schedule.job_changes import StateChange
from scoopi.model.schedule.notice_record import NoticeRecord
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import (
    ACTIVE,
    ENDED,
    UNCLAIMED,
    UNSETTLED,
    AttemptRecord,
    JobRecord,
    ProcessRecord,
    SchedulerRecord,
    WorkerRecord,
)
from scoopi.periods.period import Period
from scoopi.periods.slot import Instant, Slot

DecidedRecord = ProcessRecord | JobRecord | AttemptRecord | WorkerRecord | NoticeRecord
RecordType = TypeVar("RecordType", bound=DecidedRecord | SchedulerRecord)
Name = Literal[
    "job_made",
    "job_moved",
    "attempt_made",
    "attempt_placed",
    "attempt_ended",
    "attempt_canceled",
    "reminded",
    "noticed",
    "planned",
    "worker_lost",
]

MOST_CHANGES = 100
"""The most changes kept per job; repeated work on a period adds none, since its attempts change no state."""
HIDDEN = ("planned", "worker_lost")
"""Decisions that `tick` does not print."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One write of a pass.

    Attributes:
        decision: its name, as `tick` prints it.
        old: the record that it was decided on; None if there was none.
        new: the record to write.
        gate: the name of the gate that caused it; may be empty.
        reason: why, as `tick` prints it; may be empty.
        step: the subject of the step that decided it. Later writes of a step may depend on earlier ones, so
            after a lost write the rest of its step is not written.
    """

    decision: Name
    old: DecidedRecord | None
    new: DecidedRecord
    gate: str = ""
    reason: str = ""
    step: str = ""

    def row(self) -> dict[str, Any]:
        """Return the row that `tick` prints."""
        new, old = self.new, self.old
        row: dict[str, Any] = {"decision": self.decision}
        if isinstance(new, AttemptRecord):
            row |= {"attempt": new.attempt, "from": None, "to": new.status}
            row |= {"from": old.status} if isinstance(old, AttemptRecord) else {}
        elif isinstance(new, JobRecord):
            row |= {"job": new.job, "from": None, "to": new.state}
            row |= {"from": old.state} if isinstance(old, JobRecord) else {}
        elif isinstance(new, NoticeRecord):
            row |= {"job": new.job, "from": None, "to": new.event}
        return row | {"gate": self.gate or None, "reason": self.reason or None}


_MODES = ("drain", "step", "kill")
"""The modes of a cancel, from the mildest to the hardest."""
INSIDE_GROUP = "not the end of a group"
"""The reason of a job whose period does not end a group."""


def made(process: Process, slot: Slot, now: datetime, **fields: Any) -> Decision:
    """Return the decision to create a job; for a period inside of a group it is a noop from the beginning.

    Args:
        fields: further fields of the record.
    """
    due = slot.at if isinstance(slot, Instant) else None
    values: dict[str, Any] = {"state": "embryo", "phase": ACTIVE, "due": due} | fields
    if is_inside_group(process, slot):
        values |= {"state": "noop", "phase": ENDED, "reason": INSIDE_GROUP}
    job = JobRecord(process=process.name, slot=str(slot), created=now, changed=now, **values)
    return Decision("job_made", None, job)


def is_inside_group(process: Process, slot: Slot) -> bool:
    """Whether a slot is one of several periods that share an attempt (`grouping`), and not their last.

    The job of the last period does the work of all.
    """
    return process.grouping > 1 and isinstance(slot, Period) and slot.group(process.grouping)[1] != slot


def changed(record: RecordType, **fields: Any) -> RecordType:
    """Return a copy of a record with other fields and the next version."""
    return msgspec.structs.replace(record, **fields, version=record.version + 1)


def moved(job: JobRecord, now: datetime, by: str = "", **fields: Any) -> JobRecord:
    """Return a copy of a job with other fields; a change of its state, or by a user, is added to its changes.

    Args:
        by: the user who requested it; empty for a pass.
    """
    state, reason = fields.get("state", job.state), fields.get("reason", job.reason)
    changes = job.changes
    if by or state != job.state:
        changes = (*changes, StateChange(state, now, by, reason))[-MOST_CHANGES:]
    return changed(job, **fields, changed=now, changes=changes)


def requeued(attempt: AttemptRecord, now: datetime, begun: datetime | None, **fields: Any) -> AttemptRecord:
    """Return an attempt that waits again; `timeout.queue` does not count the time since `begun`.

    Args:
        begun: when the attempt began to run, or was paused; None if it did neither.
        fields: the other fields to change.
    """
    if begun is None:
        return changed(attempt, **fields)
    away = max(now - begun, timedelta(0))  # the worker's clock may be ahead
    queued = (attempt.queued or attempt.created) + away
    return changed(attempt, **{"queued": queued, "paused": None} | fields)


def ended(
    attempt: AttemptRecord, status: str, reason: str, now: datetime, gate: str = "", *, missed: bool = False
) -> Decision:
    """Return the decision to end an attempt that no worker runs, or whose worker does not report its end.

    Args:
        gate: the gate that caused it; may be empty.
        missed: whether the attempt ends because its job did not start in time.
    """
    over = changed(attempt, status=status, phase=UNSETTLED, ended=now, explanation=reason, missed=missed)
    return Decision("attempt_ended", attempt, over, gate, reason)


def canceled(attempt: AttemptRecord, now: datetime, mode: str, reason: str) -> AttemptRecord:
    """Return a live attempt after a cancel: over if no worker runs it, else with a request to its worker.

    An earlier request in the same or a harder mode keeps its mode and its time, since a worker cannot undo
    its signal.

    Args:
        mode: `drain`, `step` or `kill`.
    """
    if attempt.status in UNCLAIMED:
        return changed(attempt, status="canceled", phase=UNSETTLED, ended=now, explanation=reason)
    if attempt.wish == "cancel" and _MODES.index(mode) <= _MODES.index(attempt.wish_mode or "step"):
        return changed(attempt, explanation=reason)
    return changed(attempt, wish="cancel", wish_mode=mode, wished=now, explanation=reason)
