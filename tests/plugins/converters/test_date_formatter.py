"""DateFormatter: a date-time in one form becomes the same in another."""

from __future__ import annotations

import pytest

from scoopi.errors import ConvertError
from scoopi.model.scrape.plugin_def import PluginDef
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.converters.date_formatter import DateFormatter
from scoopi.plugins.converters.date_roller import DateRoller
from scoopi.plugins.plugin_finder import PluginFinder


def test_the_first_alternative_that_reads_the_whole_text_counts() -> None:
    formatter = DateFormatter("day", "dd/MM/yyyy X|MM/dd/yyyy HH:mm X|yyyy X", "yyyy-MM-dd")
    assert formatter.convert("01/02/2020 Z") == "2020-02-01"
    assert formatter.convert("01/02/2020 10:00 Z") == "2020-01-02"
    assert formatter.convert("2020 Z") == "2020-01-01"


@pytest.mark.usefixtures("in_oslo")
def test_a_formatter_stays_in_the_zone_of_the_text() -> None:
    formatter = DateFormatter("day", "yyyy-MM-dd'T'HH:mm:ssXXX", "dd.MM.yyyy HH:mm XXX")
    assert formatter.convert("2020-01-31T10:11:12-05:00") == "31.01.2020 10:11 -05:00"
    assert formatter.convert("2020-01-31T10:11:12Z") == "31.01.2020 10:11 Z"


@pytest.mark.parametrize(
    ("in_pattern", "out_pattern", "locale", "value", "result"),
    [
        (
            "yyyy-MM-dd'T'HH:mm:ssX",
            "dd MMM yyyy, HH:mm xx",
            "en",
            "2021-01-02T00:00:00Z",
            "02 Jan 2021, 00:00 +0000",
        ),
        ("yyyy-MM-dd'T'HH:mm[:ss]X", "EEEE d MMMM", "fr", "2021-08-02T10:00Z", "lundi 2 août"),
        (
            "d. MMMM yyyy HH:mm VV",
            "yyyy-MM-dd HH:mm XXX",
            "de",
            "2. März 2021 10:00 Europe/Berlin",
            "2021-03-02 10:00 +01:00",
        ),
        (
            "yyyy-MM-dd HH:mm:ss.SSSSSSSSS x",
            "SSSSSSSSS n",
            "en",
            "2021-03-02 10:00:00.123456789 +01",
            "123456789 123456789",
        ),
    ],
)
def test_a_formatter_has_the_letters_of_java_time_and_the_names_of_a_locale(
    in_pattern: str, out_pattern: str, locale: str, value: str, result: str
) -> None:
    assert DateFormatter("day", in_pattern, out_pattern, locale=locale).convert(value) == result


def test_a_formatter_needs_a_zone_in_the_text() -> None:
    formatter = DateFormatter("day", "yyyy-MM-dd X|yyyy-MM-dd", "dd.MM.yyyy")
    assert formatter.convert("2024-01-05 Z") == "05.01.2024"
    with pytest.raises(
        ConvertError, match="'2024-01-05' as yyyy-MM-dd has no time zone; add its zone to inPattern"
    ):
        formatter.convert("2024-01-05")


@pytest.mark.parametrize(
    "converter",
    [
        DateRoller("day", "dd MMM yyyy", "yyyy", "MONTH=0"),
        DateFormatter("day", "dd MMM yyyy|MMM yyyy X", "yyyy"),
    ],
)
@pytest.mark.parametrize("value", ["", "soon", "15 Mar 2019 x", "15.3.2019"])
def test_a_value_that_fits_no_pattern_cannot_be_converted(
    converter: DateRoller | DateFormatter, value: str
) -> None:
    with pytest.raises(ConvertError, match="is not a date in the form dd MMM yyyy"):
        converter.convert(value)


@pytest.mark.parametrize(
    "name", ["DateFormatter", "DateFormater", "org.codetab.scoopi.plugin.converter.DateFormater"]
)
def test_the_formatter_is_found_by_its_names(name: str) -> None:
    fields = {"item": "day", "inPattern": "yyyy X", "outPattern": "yy", "onError": "drop"}
    made = PluginFinder([], BUILTINS).construct("converters", PluginDef("f", name, fields))
    assert isinstance(made, DateFormatter)
    assert (made.item, made.on_error, made.convert("2016 Z")) == ("day", "drop", "16")
