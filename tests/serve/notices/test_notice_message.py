"""The message about events of a process."""

from __future__ import annotations

from datetime import timedelta

from scoopi.model.schedule.notice_record import OPEN, NoticeRecord
from scoopi.serve.notices.notice_message import MOST_LINES, message_of
from tests.serve.conftest import NOW


def notice(number: int, event: str, reason: str = "") -> NoticeRecord:
    return NoticeRecord(
        notice=str(number),
        phase=OPEN,
        event=event,
        process="p",
        slot=f"!{number}",
        at=NOW + timedelta(seconds=number),
        via=("true",),
        bundle="",
        reason=reason,
    )


def test_one_event_is_a_sentence() -> None:
    message = message_of([notice(1, "final_run")])
    assert message["text"] == "p/!1: final run"
    (event,) = message["events"]
    assert (event["attempt"], event["reason"], event["at"]) == (None, None, "2026-01-01T00:00:01Z")


def test_the_text_of_many_events_is_short_and_the_events_are_complete() -> None:
    message = message_of([notice(number, "failed", "why") for number in range(1, 31)])
    lines = message["text"].splitlines()
    assert lines[:2] == ["30 events of p:", "p/!1: failed: why"]
    assert len(lines) == MOST_LINES + 2
    assert lines[-1] == "… and 10 more"
    assert [event["slot"] for event in message["events"]] == [f"!{number}" for number in range(1, 31)]
