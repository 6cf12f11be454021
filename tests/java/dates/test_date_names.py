"""date_names: English is built in, other languages come from babel."""

from __future__ import annotations

import pytest

from scoopi.java.dates.date_names import FULL, NARROW, SHORT, ZONES, date_names


def test_english_names_begin_the_week_with_monday_in_the_list() -> None:
    names = date_names("en")
    assert (names.months[SHORT][0], names.months[FULL][11], names.months[NARROW][1]) == (
        "Jan",
        "December",
        "F",
    )
    assert (names.days[FULL][0], names.days[SHORT][6]) == ("Monday", "Sun")
    assert (names.first_weekday, names.least_days) == (6, 1), "a week begins with Sunday"


def test_a_locale_brings_its_names_and_its_weeks() -> None:
    german = date_names("de-DE")
    assert (german.months[FULL][2], german.days[FULL][5]) == ("März", "Samstag")
    assert (german.first_weekday, german.least_days) == (0, 4)
    assert date_names("pt-BR").months[FULL][0] == "janeiro"


def test_an_unknown_locale_is_named() -> None:
    for locale in ("klingon", "xx-YY-ZZ"):
        with pytest.raises(ValueError, match="is not a known locale; write it as in de or pt-BR"):
            date_names(locale)


def test_abbreviated_zones_are_minutes_east_of_greenwich() -> None:
    assert (ZONES["UTC"], ZONES["CET"], ZONES["EST"], ZONES["IST"]) == (0, 60, -300, 330)
