"""Date patterns mean here what they mean in Java 17, whose own answers stand in the table beside."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scoopi.java.dates.date_pattern import DatePattern

TABLE = Path(__file__).with_name("test_date_pattern_table.tsv")
AS_WRITTEN = "%Y-%m-%d %H:%M:%S.%f"
NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
"""When Java was asked."""


def java_answers(call: str) -> list[tuple[str, str, str]]:
    """Pattern, what was given, and the answer: a date, a text, `no` or `wrong pattern`."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    answers = [tuple(json.loads(row[key]) for key in ("pattern", "given", "result")) for row in rows]
    return [
        (p, given, result)
        for row, (p, given, result) in zip(rows, answers, strict=True)
        if row["call"] == call
    ]


@pytest.fixture
def local_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("local_zone", ["UTC"], indirect=True)
@pytest.mark.parametrize(("pattern", "text", "result"), java_answers("parse"))
def test_a_text_is_read_as_java_reads_it(pattern: str, text: str, result: str, local_zone: str) -> None:
    if result in ("no", "wrong pattern"):
        with pytest.raises(ValueError, match=r"needs .* at character|letter|quote|at most|years 1 to"):
            DatePattern(pattern).parse(text, now=NOW)
        return
    moment = DatePattern(pattern).parse(text, now=NOW)
    assert moment.tzinfo is not None
    assert moment.replace(tzinfo=None) == datetime.strptime(f"{result:0>23}", AS_WRITTEN)


@pytest.mark.parametrize(("pattern", "moment", "result"), java_answers("format"))
def test_a_moment_is_written_as_java_writes_it(pattern: str, moment: str, result: str) -> None:
    assert DatePattern(pattern).format(datetime.strptime(moment, AS_WRITTEN).astimezone()) == result


def test_the_table_is_not_lost() -> None:
    assert len(java_answers("parse")) >= 150
    assert len(java_answers("format")) >= 100


@pytest.mark.parametrize("local_zone", ["Europe/Oslo"], indirect=True)
def test_a_text_with_a_zone_is_converted_to_local_time(local_zone: str) -> None:
    pattern = DatePattern("yyyy-MM-dd HH:mm z")
    assert (
        DatePattern("HH:mm Z z XXX").format(pattern.parse("2020-07-01 10:00 UTC"))
        == "12:00 +0200 CEST +02:00"
    )
    assert DatePattern("HH:mm X XX").format(pattern.parse("2020-01-01 10:00 GMT-3:30")) == "14:30 +01 +0100"
    assert DatePattern("HH:mm").format(pattern.parse("2020-01-01 10:00 CET")) == "10:00"


@pytest.mark.parametrize("local_zone", ["Europe/Oslo"], indirect=True)
def test_a_text_without_zone_is_in_local_time_of_its_own_season(local_zone: str) -> None:
    pattern = DatePattern("dd-MM-yyyy")
    assert str(pattern.parse("01-07-2020")) == "2020-07-01 00:00:00+02:00"
    assert str(pattern.parse("01-01-2020")) == "2020-01-01 00:00:00+01:00"


def test_a_moment_is_written_by_the_clock_of_its_own_zone() -> None:
    assert DatePattern("HH:mm X z").format(NOW) == "09:00 Z UTC"


def test_two_digits_mean_a_year_from_80_before_to_20_after_now() -> None:
    pattern = DatePattern("dd-MM-yy")
    years = [pattern.parse(f"22-11-{digits}", now=NOW).year for digits in ("45", "46", "47", "26", "00")]
    assert years == [2045, 1946, 1947, 2026, 2000]
    assert pattern.parse("20-11-46", now=NOW).year == 2046
    assert pattern.parse("01-01-44", now=datetime(2024, 2, 29, tzinfo=UTC)).year == 2044


def test_equal_patterns_are_one_value() -> None:
    assert DatePattern("dd MMM") == DatePattern("dd MMM")
    assert hash(DatePattern("dd MMM")) == hash(DatePattern("dd MMM"))
    with pytest.raises(AttributeError):
        DatePattern("dd").pattern = "MM"  # type: ignore[misc]


@pytest.mark.parametrize("pattern", ["b", "dd Q", "YYYY'T", "XXXX", "'"])
def test_a_wrong_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"letter|quote|at most"):
        DatePattern(pattern)
