"""Dates by patterns, in ISO 8601, and as pages write them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from scoopi.errors import ConvertError
from scoopi.parse.values.date_text import DateText, zone_of

NOW = datetime(2026, 3, 2, 8, tzinfo=UTC)


def read(
    text: str, *formats: str, languages: tuple[str, ...] = (), zone: str = "", with_time: bool = False
) -> str:
    """The date of a text."""
    reader = DateText(formats, languages, zone_of(zone) if zone else None, with_time=with_time)
    return reader.read(text, NOW)


def test_formats_are_strptime_directives_or_java_letters() -> None:
    assert read("01.03.2026", "%d.%m.%Y") == "2026-03-01"
    assert read("01.03.2026", "dd.MM.yyyy") == "2026-03-01"


def test_of_several_formats_the_first_that_fits_counts() -> None:
    assert read("Mar 2026", "%d.%m.%Y", "MMM yyyy") == "2026-03-01"


def test_dates_without_formats_are_read_in_the_given_languages() -> None:
    assert read("1. März 2026", languages=("de",)) == "2026-03-01"
    assert read("March 1, 2026", languages=("en",)) == "2026-03-01"


def test_yesterday_is_the_day_before_the_page_was_loaded() -> None:
    assert read("yesterday", languages=("en",)) == "2026-03-01"


def test_a_date_time_gets_the_zone_of_the_page_if_it_has_none() -> None:
    assert read("2026-03-01 07:30", with_time=True) == "2026-03-01T07:30:00"
    assert read("2026-03-01 07:30", with_time=True, zone="Europe/Berlin") == "2026-03-01T07:30:00+01:00"
    assert read("2026-03-01T07:30:00Z", with_time=True, zone="Europe/Berlin") == "2026-03-01T07:30:00+00:00"


@pytest.mark.parametrize("text", ["soon", "2026-13-45", "x" * 1000])
def test_a_text_that_is_not_a_date_is_not_converted(text: str) -> None:
    with pytest.raises(ConvertError, match="is not a date"):
        read(text, languages=("en",))


def test_a_wrong_format_and_an_unknown_zone_are_reported() -> None:
    for wrong in ("%Q", "ddd 'x"):
        with pytest.raises(ValueError, match=r".+"):
            DateText((wrong,), (), None, with_time=False)
    with pytest.raises(ValueError, match="no time zone 'Mars'"):
        zone_of("Mars")
    assert zone_of("Europe/Berlin") == ZoneInfo("Europe/Berlin")
