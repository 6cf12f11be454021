"""NoticeRecord: a notice names its job."""

from __future__ import annotations

from datetime import UTC, datetime

from scoopi.model.schedule.notice_record import OPEN, NoticeRecord


def test_the_job_is_that_of_its_process_and_slot() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    notice = NoticeRecord(
        notice="n",
        phase=OPEN,
        event="failed",
        process="shop.books",
        slot="D:20260101",
        at=at,
        via=("x",),
        bundle="b",
    )
    assert notice.job == "shop.books/D:20260101"
