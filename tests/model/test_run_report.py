"""RunReport: failures are counted by cause in bounded memory; records are read as they were written."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

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


def test_records_are_read_by_file_or_by_definition(tmp_path: Path) -> None:
    (tmp_path / "books.jsonl").write_text('{"price": 1.10}\n{"price": null}\n', encoding="utf-8")
    report = RunReport("r", str(tmp_path), RunStatus.DONE, NOW, NOW, rows={"books.jsonl": 2})
    for name in ("books", "books.jsonl"):
        assert list(report.records(name)) == [{"price": Decimal("1.10")}, {"price": None}]
    with pytest.raises(FileNotFoundError):
        list(report.records("films"))
