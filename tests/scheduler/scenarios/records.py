"""Records of the scheduler, as tests write them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from scoopi.model.schedule.schedule_records import LIVE, AttemptRecord

_RUNNING = AttemptRecord(
    process="p",
    slot="!1",
    number=1,
    status="running",
    phase=LIVE,
    bundle="b",
    created=datetime(2026, 1, 1, tzinfo=UTC),
)


def attempt_of(**changes: Any) -> AttemptRecord:
    """The running first attempt at the job `p/!1`, with these changes."""
    return replace(_RUNNING, **changes)
