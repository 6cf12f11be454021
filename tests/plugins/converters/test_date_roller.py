"""DateRoller: a date moves to the first, last or given value of fields, as in Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.errors import ConvertError, PluginError
from scoopi.model.scrape.plugin_def import PluginDef
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.converters.date_roller import DateRoller
from scoopi.plugins.plugin_finder import PluginFinder

TABLE = Path(__file__).with_name("test_date_roller_rolls.tsv")
MOMENT = "yyyy-MM-dd HH:mm:ss.SSS"


def java_rolls() -> list[tuple[str, str, str]]:
    """A moment, a roll, and what a Calendar of Java 17 makes of it; `no` beyond our years."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()[1:]
    return [(moment, roll, result) for moment, roll, result in (line.split("\t") for line in lines)]


def test_every_field_rolls_as_in_java() -> None:
    wrong = []
    for moment, roll, result in java_rolls():
        try:
            rolled = DateRoller("day", MOMENT, MOMENT, roll).convert(moment)
        except ConvertError:
            rolled = "no"
        if rolled != result:
            wrong.append((moment, roll, result, rolled))
    assert wrong == []
    assert len(java_rolls()) >= 1000


@pytest.mark.parametrize(
    ("value", "in_pattern", "roll", "result"),
    [
        ("Dec '16", "MMM ''YY", "DAY_OF_MONTH=ceil", "2016-12-31"),
        ("Feb '20", "MMM ''YY", "DAY_OF_MONTH=ceil", "2020-02-29"),
        ("15 Mar 2019", "dd MMM yyyy", "DAY_OF_MONTH=round", "2019-03-01"),
        ("16 Mar 2019", "dd MMM yyyy", "DAY_OF_MONTH=round", "2019-03-31"),
        ("15 Mar 2019", "dd MMM yyyy", "MONTH=floor", "2019-01-15"),
        ("15 Mar 2019", "dd MMM yyyy", "DAY_OF_MONTH=3", "2019-03-03"),
        ("Mar 2019", "dd MMM yyyy|MMM yyyy", "DAY_OF_MONTH=ceil", "2019-03-31"),
        ("2019", "MMM yyyy|yyyy", "MONTH=ceil DAY_OF_MONTH=ceil", "2019-12-31"),
    ],
)
def test_a_date_rolls(value: str, in_pattern: str, roll: str, result: str) -> None:
    assert DateRoller("day", in_pattern, "yyyy-MM-dd", roll).convert(value) == result


def test_rolls_act_in_the_order_written() -> None:
    def rolled(roll: str) -> str:
        return DateRoller("day", "dd MMM yyyy", "yyyy-MM-dd", roll).convert("31 Mar 2019")

    assert rolled("DAY_OF_MONTH=1 MONTH=1 DAY_OF_MONTH=ceil") == "2019-02-28"
    assert rolled("MONTH=1 DAY_OF_MONTH=ceil") == "2019-03-31"
    assert rolled("DAY_OF_MONTH=ceil MONTH=1") == "2019-03-03"


@pytest.mark.usefixtures("in_oslo")
def test_rolling_over_the_change_to_summer_time_keeps_the_hour() -> None:
    roller = DateRoller("day", "dd MMM yyyy HH:mm", "yyyy-MM-dd HH:mm Z", "MONTH=6")
    assert roller.convert("15 Jan 2020 12:00") == "2020-07-15 12:00 +0200"


def test_a_roller_has_the_names_of_a_locale() -> None:
    roller = DateRoller("day", "d. MMMM yyyy", "EEE d. MMM yyyy", "DAY_OF_MONTH=ceil", locale="de")
    assert roller.convert("2. März 2021") == "Mi. 31. März 2021"
    assert roller.convert("2. Okt. 2021") == "So. 31. Okt. 2021"


def test_a_date_that_rolls_out_of_the_years_cannot_be_converted() -> None:
    with pytest.raises(ConvertError, match="is rolled outside the years 1 to 9999"):
        DateRoller("day", "yyyy", "yyyy", "YEAR=ceil").convert("2020")


def test_the_roller_is_made_from_a_definition_of_the_original() -> None:
    fields = {
        "item": "round",
        "inPattern": "dd MMM yyyy",
        "outPattern": "yyyy-MM-dd",
        "roll": "DAY_OF_MONTH=floor",
    }
    name = "org.codetab.scoopi.plugin.converter.DateRoller"
    made = PluginFinder([], BUILTINS).construct("converters", PluginDef("r", name, fields))
    assert (made.item, made.on_error, made.convert("15 Mar 2019")) == ("round", "keep", "2019-03-01")


def test_an_unknown_locale_is_refused() -> None:
    with pytest.raises(PluginError, match="locale: 'xx' is not a known locale"):
        DateRoller("day", "dd", "dd", "DAY_OF_MONTH=ceil", locale="xx")


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        (("dd Q", "yyyy", "MONTH=0"), "inPattern 'dd Q' is not a valid date pattern: Q is not a letter"),
        (("dd|'", "yyyy", "MONTH=0"), "a quote of the date pattern is not closed"),
        (("", "yyyy", "MONTH=0"), "inPattern is empty"),
        (("dd", "XXXX", "MONTH=0"), "outPattern 'XXXX' is not a valid date pattern"),
        (("dd", "yyyy", " "), "roll is empty"),
        (("dd", "yyyy", "MONTH"), "roll 'MONTH' is malformed"),
        (("dd", "yyyy", "MONTH=up"), "roll 'MONTH=up' is malformed"),
        (("dd", "yyyy", "MOON=0"), "unknown field MOON"),
    ],
)
def test_a_wrong_definition_is_refused_with_the_hint(fields: tuple[str, str, str], fault: str) -> None:
    with pytest.raises(PluginError) as caught:
        DateRoller("day", *fields)
    assert fault in caught.value.what
    assert caught.value.hint
