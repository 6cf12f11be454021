"""Keys of the scheduler's records in their maps."""

from __future__ import annotations

from scoopi.model.schedule.notice_record import NoticeRecord
from scoopi.model.schedule.run_node import FIRST_NODE
from scoopi.model.schedule.schedule_records import (
    AttemptRecord,
    JobRecord,
    ProcessRecord,
    SchedulerRecord,
    WorkerRecord,
)
from scoopi.periods.slot import parse_slot, slot_key

SHARED = "reconcile"
"""The key of the record of the whole scheduler."""

ScheduleRecord = ProcessRecord | JobRecord | AttemptRecord | WorkerRecord | SchedulerRecord | NoticeRecord


def job_key(job: str) -> str:
    """The key of a job by its id, `<process>/<slot>`; keys sort by process, kind of slot, and value."""
    process, _, slot = job.partition("/")
    return f"{process}/{slot_key(parse_slot(slot))}"


def log_key(attempt: AttemptRecord, node: int) -> str:
    """The key of the log of an attempt's node: that of the attempt; for further nodes with `/<number>`."""
    return record_key(attempt) + ("" if node == FIRST_NODE else f"/{node:04}")


def record_key(record: ScheduleRecord) -> str:
    """The key of a record in its map."""
    if isinstance(record, AttemptRecord):
        return f"{job_key(record.job)}/{record.number:06}"
    if isinstance(record, JobRecord):
        return job_key(record.job)
    if isinstance(record, ProcessRecord):
        return record.name
    if isinstance(record, NoticeRecord):
        return record.notice
    return record.worker if isinstance(record, WorkerRecord) else SHARED
