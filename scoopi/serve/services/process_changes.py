"""process_changes: who changed a process by hand, kept in its record."""

from __future__ import annotations

import socket
from datetime import datetime
from typing import Any

from scoopi.model.schedule.process_change import ProcessChange, ProcessChangeName
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.scheduler.decisions import changed

MOST_CHANGES = 100
"""Of a process; older ones are left out."""


def changed_by_hand(record: ProcessRecord, change: ProcessChange, **fields: Any) -> ProcessRecord:
    """A copy of a record with other fields, and the change that was asked for."""
    return changed(record, **fields, changes=(*record.changes, change)[-MOST_CHANGES:])


def change_here(name: ProcessChangeName, at: datetime, by: str, reason: str = "") -> ProcessChange:
    """A change that is asked for now, on this machine; without a user it is by `hand`."""
    return ProcessChange(name, at, by or "hand", socket.gethostname(), reason)
