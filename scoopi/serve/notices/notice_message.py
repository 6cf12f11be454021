"""message_of: what a target of notifications gets for the events of one process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scoopi.model.schedule.notice_record import NoticeRecord
from scoopi.periods.slot import instant_text

MOST_LINES = 20
"""Of the text of a message; `events` has all."""


def message_of(notices: Sequence[NoticeRecord]) -> dict[str, Any]:
    """Return the message about events of a process, in their order: `process`, `text` and `events`.

    The text is a sentence; of several events it has a line for each.
    """
    events = [_event(notice) for notice in notices]
    lines = [event["text"] for event in events]
    if len(lines) > 1:
        left_out = len(lines) - MOST_LINES
        more = [f"… and {left_out} more"] if left_out > 0 else []
        lines = [f"{len(lines)} events of {notices[0].process}:", *lines[:MOST_LINES], *more]
    return {"process": notices[0].process, "text": "\n".join(lines), "events": events}


def _event(notice: NoticeRecord) -> dict[str, Any]:
    what = notice.attempt or notice.job
    reason = f": {notice.reason}" if notice.reason else ""
    return {
        "event": notice.event,
        "slot": notice.slot,
        "job": notice.job,
        "attempt": notice.attempt or None,
        "reason": notice.reason or None,
        "at": instant_text(notice.at),
        "text": f"{what}: {notice.event.replace('_', ' ')}{reason}",
    }
