"""process_changes: the changes of processes by deployments and by hand, and their records."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.process_change import ProcessChange, ProcessChangeName
from scoopi.model.schedule.schedule_records import JobRecord, ProcessRecord
from scoopi.scheduler.decisions import changed

MOST_CHANGES = 100
"""The most changes that the record of a process keeps; the oldest are dropped."""
_EFFECTS = {
    "added": "they wait no longer: the process is defined again",
    "changed": "their next attempts have the new definitions; those that exist keep theirs",
    "removed": "they wait until it is deployed again; attempts that run are left alone",
}
"""What a deployment does to the active jobs of a process, by its change."""


def changed_by_hand(record: ProcessRecord, change: ProcessChange, **fields: Any) -> ProcessRecord:
    """Return a copy of a record with other fields, and with one more change."""
    return changed(record, **fields, changes=(*record.changes, change)[-MOST_CHANGES:])


def change_here(name: ProcessChangeName, at: datetime, by: str, reason: str = "") -> ProcessChange:
    """Return a change that was requested on this machine; without a user it is by `hand`."""
    return ProcessChange(name, at, by or "hand", socket.gethostname(), reason)


def deployment_changes(
    before: Mapping[str, Process | None], after: Mapping[str, Process], active: Iterable[JobRecord]
) -> list[dict[str, Any]]:
    """Compare two projects; places of definitions do not count.

    Args:
        before, after: their processes by name; None for one whose definition is not known.
        active: the active jobs of all processes.
    Returns:
        A row for each process that is added, changed or removed, as of `State.deploy`.
    """
    count, rows = Counter(job.process for job in active), []
    for name in sorted({*before, *after}):
        change = "removed" if name not in after else "added" if name not in before else "changed"
        if change != "changed" or not _is_same(before[name], after[name]):
            effect = _EFFECTS[change] if count[name] else None
            rows.append({"process": name, "change": change, "jobs": count[name], "effect": effect})
    return rows


def is_defined(record: ProcessRecord) -> bool:
    """Whether the last deployment that changed a process did not remove it."""
    deployments = [each.change for each in record.changes if each.change in _EFFECTS]
    return deployments[-1:] != ["removed"]


def _is_same(one: Process | None, other: Process) -> bool:
    """Whether two processes are equal, apart from the place where they are defined."""
    return one is not None and replace(other, place=one.place) == one
