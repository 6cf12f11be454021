"""Live: spans and fixed moments; what ends with the run's date is stale."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from scoopi.java.dates.date_pattern import DatePattern
from scoopi.model.live import Live, parse_live

PATTERN = DatePattern("dd-MM-yyyy HH:mm:ss")
LOADED = datetime(2020, 1, 31, 10, 0).astimezone()
SECOND = timedelta(seconds=1)


def at(
    year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0, us: int = 0
) -> datetime:
    return datetime(year, month, day, hour, minute, second, us).astimezone()


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("PT6H", at(2020, 1, 31, 16)),
        ("pt1h30m", at(2020, 1, 31, 11, 30)),
        ("PT0.5S", at(2020, 1, 31, 10, 0, 0, 500000)),
        ("P1DT2H", at(2020, 2, 1, 12)),
        ("P2D", at(2020, 2, 2, 10)),
        ("P1W", at(2020, 2, 7, 10)),
        ("P1M", at(2020, 2, 29, 10)),
        ("P2M", at(2020, 3, 31, 10)),
        ("P1Y1M", at(2021, 2, 28, 10)),
        ("P1Y2M3D", at(2021, 4, 3, 10)),
        ("P1M1W1D", at(2020, 3, 8, 10)),
        ("P1Y-6M", at(2020, 7, 31, 10)),
        ("-PT6H", at(2020, 1, 31, 4)),
        ("01-07-2020 10:59:59", at(2020, 7, 1, 10, 59, 59)),
    ],
)
def test_a_page_is_fresh_until_just_before_its_end(text: str, end: datetime) -> None:
    live = parse_live(text, PATTERN)
    assert live.fresh(LOADED, end - SECOND / 1000)
    assert not live.fresh(LOADED, end)
    assert not live.fresh(LOADED, end + SECOND)


@pytest.mark.parametrize("text", ["", "  ", "0", "PT0S", "P0D"])
def test_zero_is_never_fresh(text: str) -> None:
    live = parse_live(text, PATTERN)
    assert live == Live()
    assert not live.fresh(LOADED, LOADED)


def test_a_span_beyond_all_years_is_always_fresh() -> None:
    assert parse_live("P99999Y", PATTERN).fresh(LOADED, at(9999, 12, 1))
    assert not parse_live("-P99999Y", PATTERN).fresh(LOADED, LOADED)


@pytest.mark.parametrize(
    "text", ["P", "PT", "P1DT", "P1MT6H", "6H", "P1.5D", "P9999999999D", "01-07-2020", "soon", "1"]
)
def test_what_is_no_span_and_no_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"neither a span of time nor a date-time .* at character"):
        parse_live(text, PATTERN)
