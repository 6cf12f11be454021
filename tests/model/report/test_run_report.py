"""RunReport: failures are counted by cause in bounded memory; only a run on this machine has records."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scoopi.errors import UsageError
from scoopi.model.failure import Failure
from scoopi.model.report.run_report import MOST_CAUSES, OTHER, Cause, Causes, RunReport, RunStatus

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_causes_are_counted_with_their_first_example_the_most_frequent_first() -> None:
    causes = Causes()
    first, second, other = Failure("b", "one"), Failure("b", "two"), Failure("a", "three")
    causes.add([other, first])
    causes.add([second])
    causes.add([Failure("c", "four")])
    assert causes.counted() == (
        Cause("b", 2, first),
        Cause("a", 1, other),
        Cause("c", 1, Failure("c", "four")),
    )


def test_after_many_causes_further_ones_are_one() -> None:
    causes = Causes()
    causes.add(Failure(str(number), "x") for number in range(MOST_CAUSES + 5))
    causes.add([Failure("0", "known")])
    counted = {each.cause: each.count for each in causes.counted()}
    assert len(counted) == MOST_CAUSES + 1
    assert (counted[OTHER], counted["0"]) == (5, 2)


def test_a_report_of_another_machine_has_no_records() -> None:
    report = RunReport("r", "/gone", RunStatus.DONE, NOW, NOW, rows={"books.jsonl": 2})
    with pytest.raises(UsageError, match=r"books\.jsonl cannot be read"):
        report.records("books.jsonl")
