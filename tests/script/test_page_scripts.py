"""PageScripts: scripts of data definitions, with their host objects and their cache."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScriptError
from scoopi.model.data import Axis, ScriptRow
from scoopi.model.locator import Document, Locator
from scoopi.script.page_scripts import ConfigsView, PageScripts
from scoopi.script.sandbox import Sandbox

KOLKATA = ZoneInfo("Asia/Kolkata")
RUN_DATE = datetime(2020, 7, 1, 10, 59, 59, tzinfo=KOLKATA)
FROM_DATE = datetime(2020, 2, 29, 8, 5, tzinfo=KOLKATA)


class Sandboxes:
    """Makes sandboxes and counts them."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, hosts: str) -> Sandbox:
        self.made += 1
        return Sandbox(ScriptLimits(timeout_ms=200), hosts)


def page_scripts(
    new_sandbox: Callable[[str], Sandbox] | None = None, from_date: datetime = FROM_DATE
) -> PageScripts:
    locator = Locator("acme", "quoteGroup", "/pages/acme.html")
    document = Document(locator, "/pages/final.html", from_date, None, b"")
    settings = {"scoopi.link.maxDepth": "1000", "scoopi.persist.data": "True", "a.text": "é"}
    configs = ConfigsView(settings, RUN_DATE, lambda date: date.strftime("%d-%m-%Y %H:%M:%S"), cluster=True)
    return PageScripts(new_sandbox or Sandboxes(), document, configs)


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("document.getName()", "acme"),
        ("document.name", "acme"),
        ("document.getGroup() + document.group", "quoteGroupquoteGroup"),
        ("document.getUrl()", "/pages/acme.html"),
        ("document.url", "/pages/acme.html"),
        ("document.getId()", None),
        ("document.id", None),
        ("document.getLocatorId()", None),
        ("document.locatorId", None),
        ("document.getFromDate()", "29-02-2020 08:05:00"),
        ("document.fromDate", "29-02-2020 08:05:00"),
        (" document.fromDate;", "29-02-2020 08:05:00"),
        ("configs.getConfig('a.text')", "é"),
        ("configs.getConfig('no.such', 'other')", "other"),
        ("configs.getConfig('no.such', null)", None),
        ("configs.getInt('scoopi.link.maxDepth') + 1", "1001"),
        ("configs.getInt('a.text', 7)", "7"),
        ("configs.getInt('no.such', 7)", "7"),
        ("configs.getBoolean('scoopi.persist.data') ? 'y' : 'n'", "y"),
        ("configs.getBoolean('no.such', false)", "false"),
        ("configs.isCluster()", "true"),
        ("configs.cluster", "true"),
        ("configs.getRunDateTime()", "01-07-2020 10:59:59"),
        ("configs.runDateTime", "01-07-2020 10:59:59"),
        ("configs.getRunDate()", "01-07-2020 00:00:00"),
        ("configs.runDate", "01-07-2020 00:00:00"),
        ("configs.getRunDateText()", "01-07-2020 00:00:00"),
        (
            "configs.getRunDateTimeText() + '|' + configs.runDateTimeText",
            "01-07-2020 10:59:59|01-07-2020 10:59:59",
        ),
        ("new Date(0)", "01-01-1970 05:30:00"),
    ],
)
def test_host_objects_answer_in_both_spellings(script: str, text: str | None) -> None:
    assert page_scripts()(script) == text


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("fromDate.toString()", "2020-02-29T08:05+05:30[Asia/Kolkata]"),
        ("'' + configs.runDateTime", "2020-07-01T10:59:59+05:30[Asia/Kolkata]"),
        ("[fromDate.getYear(), fromDate.monthValue, fromDate.getDayOfMonth()]", "[2020,2,29]"),
        ("[fromDate.hour, fromDate.getMinute(), fromDate.second, fromDate.nano]", "[8,5,0,0]"),
        ("[fromDate.month, fromDate.getDayOfWeek(), fromDate.dayOfYear]", '["FEBRUARY","SATURDAY",60]'),
        ("fromDate.getTime() === fromDate.toDate().getTime() && fromDate.getTime()", "1582943700000"),
        ("fromDate.toEpochSecond()", "1582943700"),
        ("fromDate < configs.runDateTime", "true"),
        ("fromDate.toLocalDate()", "2020-02-29"),
        ("fromDate.plusDays(1)", "01-03-2020 08:05:00"),
        ("fromDate.minusYears(1)", "28-02-2019 08:05:00"),
        ("fromDate.plusMonths(12).plusHours(16)", "01-03-2021 00:05:00"),
        ("fromDate.minusWeeks(1).minusMinutes(5)", "22-02-2020 08:00:00"),
    ],
)
def test_a_zoned_date_time_offers_the_usual(script: str, text: str) -> None:
    assert page_scripts()(f"var fromDate = document.fromDate; {script}") == text


def test_an_offset_without_region_prints_as_an_offset() -> None:
    west = datetime(2020, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=-3, minutes=-30)))
    assert page_scripts(from_date=west)("document.fromDate.toString()") == "2020-01-02T03:04:05-03:30"


def test_a_missing_setting_without_default_is_an_error() -> None:
    with pytest.raises(ScriptError, match=r"no setting no\.such"):
        page_scripts()("configs.getConfig('no.such')")
    with pytest.raises(ScriptError, match=r"a\.text is not an integer"):
        page_scripts()("configs.getInt('a.text')")


def test_globals_persist_across_rows_of_a_page_only() -> None:
    run = page_scripts()
    assert run("var rows = 1; rows") == "1"
    assert run("rows += 1") == "2"
    assert page_scripts()("typeof rows") == "undefined"


def test_a_text_is_evaluated_once_unless_it_gives_null() -> None:
    run = page_scripts()
    run("var calls = 0")
    assert [run("++calls"), run("++calls"), run("calls + 0")] == ["1", "1", "1"]
    assert run("calls++, null") is None
    assert run("calls++, null") is None
    assert run("calls") == "3"


def test_no_sandbox_is_made_before_a_script_needs_it() -> None:
    sandboxes = Sandboxes()
    run = page_scripts(sandboxes)
    assert run("document.getFromDate()") == "29-02-2020 08:05:00"
    assert sandboxes.made == 0
    run("1+1")
    run("2+2")
    assert sandboxes.made == 1


def test_a_script_may_replace_a_host_object_for_those_after_it() -> None:
    run = page_scripts()
    run("document = { getFromDate: () => 'mine' }, 1")
    assert run("document.getFromDate()") == "mine"


def test_after_an_error_the_next_script_finds_a_new_sandbox() -> None:
    run = page_scripts()
    run("var kept = 1")
    with pytest.raises(ScriptError, match="longer than 200 ms"):
        run("while (true) {}")
    assert run("typeof kept + document.name") == "undefinedacme"


def test_a_script_that_reads_the_row_is_evaluated_for_each_row() -> None:
    run = page_scripts()
    axes = (Axis("item", "city", 1, "C"), Axis("dim", "day", 1), Axis("dim", "hour", 2))
    rows = [ScriptRow(axes, 2, (number, 5, 6), (value, None, None)) for number, value in enumerate("abb")]
    run("var calls = 0", rows[0])
    text = (
        "calls++; [item.value, item.city.index, item.match, dim.value, dim.hour.index, axis.itemName].join()"
    )
    assert [run(text, row) for row in (*rows, rows[0])] == [
        *("a,0,C,,6,hour", "b,1,C,,6,hour", "b,2,C,,6,hour", "a,0,C,,6,hour"),
    ]
    assert run("calls", rows[0]) == "3"


def test_variables_of_a_script_hide_the_row() -> None:
    run = page_scripts()
    row = ScriptRow((Axis("item", "city", 1),), 0, (1,), ("a",))
    assert run("function item() { return 'mine' } var dim = 1; item()", row) == "mine"
    assert run("item() + dim", row) == "mine1"
