"""process_changes: adds changes of a process by hand to its record, with their user and machine."""

from __future__ import annotations

import socket
from datetime import datetime
from typing import Any

from scoopi.model.schedule.process_change import ProcessChange, ProcessChangeName
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.scheduler.decisions import changed

MOST_CHANGES = 100
"""The most changes that the record of a process keeps; the oldest are dropped."""


def changed_by_hand(record: ProcessRecord, change: ProcessChange, **fields: Any) -> ProcessRecord:
    """Return a copy of a record with other fields, and with one more change."""
    return changed(record, **fields, changes=(*record.changes, change)[-MOST_CHANGES:])


def change_here(name: ProcessChangeName, at: datetime, by: str, reason: str = "") -> ProcessChange:
    """Return a change that was requested on this machine; without a user it is by `hand`."""
    return ProcessChange(name, at, by or "hand", socket.gethostname(), reason)
