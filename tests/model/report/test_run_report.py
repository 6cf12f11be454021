"""RunReport: only that of a run on this machine has records."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scoopi.errors import UsageError
from scoopi.model.report.run_report import RunReport, RunStatus

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_report_of_another_machine_has_no_records() -> None:
    report = RunReport("r", "/gone", RunStatus.DONE, NOW, NOW, rows={"books.jsonl": 2})
    with pytest.raises(UsageError, match=r"books\.jsonl cannot be read"):
        report.records("books.jsonl")
