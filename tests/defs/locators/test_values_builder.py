"""Values of placeholders as written."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from scoopi.defs.locators.values_builder import read_values
from scoopi.defs.scrape.checkers import Fault
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.yaml_file import YamlFile

TODAY = date(2026, 3, 5)


def read(written: str) -> Any:
    table = YamlFile(f"n: {written}\n", "defs.yml", Findings()).read()
    assert table is not None
    return read_values("n", table.entries["n"], TODAY)


@pytest.mark.parametrize(
    ("written", "texts"),
    [
        ("1-3", ["1", "2", "3"]),
        ("1..3", ["1", "2", "3"]),
        ('"08-10"', ["08", "09", "10"]),
        ("0-1", ["0", "1"]),
        ("2026-02-28..2026-03-01", ["2026-02-28", "2026-03-01"]),
        ("2025-12..2026-02", ["2025-12", "2026-01", "2026-02"]),
        ("today - 1 .. today", ["2026-03-04", "2026-03-05"]),
        ("today..today+1", ["2026-03-05", "2026-03-06"]),
        ("{ from: 1, to: 9, step: 4 }", ["1", "5", "9"]),
        ("{ from: 2026-01-01, to: 2026-01-20, step: 1w, format: d.M. }", ["1.1.", "8.1.", "15.1."]),
        ("{ from: 2026-01-01, to: 2026-01-05, step: 3 }", ["2026-01-01", "2026-01-04"]),
        ("{ from: 2026-01-31, to: 2026-04-01, step: 1m }", ["2026-01-31", "2026-02-28", "2026-03-31"]),
        ("{ from: 2026-01, to: 2026-02, format: MM/yy }", ["01/26", "02/26"]),
        ('{ from: 2026-01-09, to: 2026-01-10, format: "%d.%m.%Y" }', ["09.01.2026", "10.01.2026"]),
        ('{ from: 2026-01-09, to: 2026-01-09, format: "%j%%" }', ["009%"]),
        ("2026-02..today", ["2026-02", "2026-03"]),
        ("[ oslo, 1-3, '' ]", ["oslo", "1-3", ""]),
        ("[ 1.5-3 ]", ["1.5-3"]),
        ("10.0.0.1", ["10.0.0.1"]),
        ("oslo", ["oslo"]),
        ("2026-01-01", ["2026-01-01"]),
    ],
)
def test_values_are_read(written: str, texts: list[str]) -> None:
    values = read(written)
    assert not isinstance(values, Fault), values
    assert list(values.texts()) == texts


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("9-1", "n ends before it begins; write 1-9"),
        ('"3-"', "n has no end; write 3-50; `next` reads a list of unknown length"),
        ("3..", "n has no end; write 3-50; `next` reads a list of unknown length"),
        ("2026-02-01..2026-01-01", "n ends before it begins; write 2026-01-01..2026-02-01"),
        ("2026-01", "2026-01 is one month, and a range of numbers; write 2026-01..2026-01, or [ 2026-01 ]"),
        (
            "2026-01-01-2026-03-31",
            "2026-01-01-2026-03-31 is not a range of days; write 2026-01-01..2026-03-31, with two dots",
        ),
        ("2026-01 - 2026-03", "2026-01 - 2026-03 is not a range of days; write 2026-01..2026-03"),
        ("today-30 - today", "today-30 - today is not a range of days; write today-30..today"),
        (
            "2026-01..2026-03-31",
            "n begins with a month and ends with a day; write 2026-01-01..2026-03-31 for days, "
            "or 2026-01..2026-03 for months",
        ),
        (
            "1.5-3",
            "1.5-3 is not a range of whole numbers; write FIRST-LAST, as in 1-50; if a text is meant, w",
        ),
        ("1,000 - 2,000", "1,000 - 2,000 is not a range of whole numbers; write FIRST-LAST"),
        ('"-5-3"', "-5-3 is not a range of whole numbers; write FIRST-LAST"),
        ("1\u201350", "1\u201350 is not a range of whole numbers; write FIRST-LAST"),
        ("1-1000000000000000", "1-1000000000000000 is not a range of whole numbers"),
        ("1..x", "'x' in n is neither a number nor a day; write FIRST-LAST"),
        ("2026-02-30..today", "'2026-02-30' in n is neither"),
        ("", "n has no value"),
        ("[ [ a ] ]", "the list of n may contain only texts, at least one"),
        ("{ from: 1 }", "n has no from, or no to"),
        ("{ from: 1, to: 2, by: 3 }", "n has an unknown key by"),
        ("{ from: 1, to: 2, step: 0 }", "the step of n is 0"),
        ("{ from: 1, to: 2, format: dd }", "n has numbers, which take no format"),
        ("{ from: 2026-01-01, to: today, step: 1h }", "the step of n is 1h"),
        ("{ from: 2026-01-01, to: today, format: bb }", "the format of n: "),
        ('{ from: 2026-01-01, to: today, format: "%H" }', "the format of n: %H is not a directive for a day"),
        ('{ from: 2026-01-01, to: today, format: "%d.%" }', "the format of n: % is not a directive"),
    ],
)
def test_what_is_wrong_is_said_with_a_hint(written: str, fault: str) -> None:
    found = read(written)
    assert isinstance(found, Fault)
    assert f"{found.what}; {found.hint}".startswith(fault)
    assert found.hint
