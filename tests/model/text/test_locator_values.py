"""What placeholders of locators stand for, and texts that have some."""

from __future__ import annotations

from datetime import date
from itertools import islice, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.model.locator import PageRequest
from scoopi.model.scrape.locator_def import LocatorDef, LocatorGroup
from scoopi.model.text.locator_values import (
    DateValues,
    LocatorValues,
    NumberValues,
    RowValues,
    TextValues,
    all_values,
    count_of,
)

DAY = date(2026, 1, 30)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (NumberValues("n", 1, 3), ["1", "2", "3"]),
        (NumberValues("n", 8, 12, 2, 3), ["008", "010", "012"]),
        (NumberValues("n", 5, 5), ["5"]),
        (DateValues("d", DAY, date(2026, 2, 1)), ["2026-01-30", "2026-01-31", "2026-02-01"]),
        (DateValues("d", DAY, date(2026, 2, 1), 2, pattern="dd.MM.yy"), ["30.01.26", "01.02.26"]),
        (DateValues("d", date(2025, 11, 30), DAY, 1, True, "yyyy-MM"), ["2025-11", "2025-12", "2026-01"]),
        (DateValues("d", date(2026, 1, 31), date(2026, 3, 30), 1, True), ["2026-01-31", "2026-02-28"]),
        (TextValues("t", ("oslo", "")), ["oslo", ""]),
    ],
)
def test_values_are_counted_as_they_are_written(
    values: NumberValues | DateValues | TextValues, texts: list[str]
) -> None:
    assert list(values.texts()) == texts
    assert values.count == len(texts)


@given(st.dates(date(1999, 1, 1), date(2030, 1, 1)), st.integers(0, 900), st.integers(1, 40), st.booleans())
def test_as_many_days_are_written_as_are_counted(first: date, days: int, step: int, in_months: bool) -> None:
    values = DateValues("d", first, date.fromordinal(first.toordinal() + days), step, in_months)
    texts = list(values.texts())
    assert len(texts) == values.count
    assert texts == sorted(set(texts))
    assert texts[0] == first.isoformat()
    assert texts[-1] <= values.last.isoformat()


def test_all_combinations_come_in_order_and_none_is_kept() -> None:
    many = NumberValues("a", 1, 10**12)
    made = all_values([many, TextValues("b", ("x", "y"))])
    assert list(islice(made, 3)) == [{"a": "1", "b": "x"}, {"a": "1", "b": "y"}, {"a": "2", "b": "x"}]
    few: list[LocatorValues] = [NumberValues("a", 1, 3), TextValues("b", ("x", "y")), NumberValues("c", 0, 1)]
    assert [tuple(each.values()) for each in all_values(few)] == list(product("123", "xy", "01"))


def test_combinations_may_be_left_out_at_the_beginning() -> None:
    rows = RowValues(("a", "b"), (("1", "x"), ("2", "y"), ("3", "z")))
    values = (rows, NumberValues("n", 1, 2), TextValues("t", ("u", "v")))
    everything = list(all_values(values))
    assert count_of(values) == len(everything) == 12
    assert [list(all_values(values, skip)) for skip in range(12)] == [everything[at:] for at in range(12)]
    locator = LocatorDef("%{a}", "http://a/%{n}/%{t}", values=values)
    assert locator.count == 12
    assert list(locator.each(7)) == list(locator.each())[7:]


def test_a_locator_stands_for_a_page_per_combination() -> None:
    request = PageRequest("POST", headers=(("X", "%{s}"),), form=(("page", "%{n}"),))
    written = LocatorDef(
        "%{s}%{n}",
        "http://a/%{s}",
        request=request,
        values=(TextValues("s", ("u", "v")), NumberValues("n", 1, 2)),
    )
    pages = list(written.each())
    assert [(each.name, each.url) for each in pages] == [
        ("u1", "http://a/u"),
        ("u2", "http://a/u"),
        ("v1", "http://a/v"),
        ("v2", "http://a/v"),
    ]
    assert pages[3].request == PageRequest("POST", headers=(("X", "v"),), form=(("page", "2"),))
    assert pages[3].given == {"s": "v", "n": "2"}
    assert prod(each.count for each in written.values) == len(pages)


def test_a_number_of_a_range_is_a_number_in_json() -> None:
    text = '{"page":"%{n}","name":"no. %{n}","code":"%{z}","who":"%{t}"}'
    values = (NumberValues("n", 7, 7), NumberValues("z", 7, 7, width=2), TextValues("t", ('"',)))
    (page,) = LocatorDef("p", "http://a/", request=PageRequest("POST", json=text), values=values).each()
    assert page.request is not None
    assert page.request.json == '{"page":7,"name":"no. 7","code":"07","who":"\\""}'


def test_of_very_many_pages_the_first_are_known_one_by_one() -> None:
    plain, many = (
        LocatorDef("p", "http://a/"),
        LocatorDef("m", "http://a/%{n}", values=(NumberValues("n", 1, 10**9),)),
    )
    assert sum(1 for _ in LocatorGroup("g", (plain, many)).single_pages()) == 10_001
