"""The run's composed record: locators in parts."""

from __future__ import annotations

from itertools import chain

from msgspec.structs import replace

from scoopi.model.scrape.locator_def import LocatorDef, LocatorGroup
from scoopi.model.text.locator_values import NumberValues, RowValues
from scoopi.runs.composed import LOCATORS_A_PART, packed_locators, unpacked_locators


def group_of(number: int, name: str = "pages") -> LocatorGroup:
    return LocatorGroup(name, tuple(LocatorDef(f"p{n}", f"/p{n}.html") for n in range(number)))


def test_a_long_group_comes_in_parts_and_whole() -> None:
    groups = [group_of(2 * LOCATORS_A_PART + 1), group_of(1, "more")]
    parts = list(unpacked_locators(packed_locators(groups)))
    assert [len(part.locators) for part in parts] == [LOCATORS_A_PART, LOCATORS_A_PART, 1, 1]
    assert [part.name for part in parts] == ["pages"] * 3 + ["more"]
    whole = tuple(chain.from_iterable(part.locators for part in parts[:3]))
    assert replace(parts[0], locators=whole) == groups[0]
    assert parts[3] == groups[1]


def test_a_locator_that_stands_for_many_pages_is_kept_as_it_is_written() -> None:
    many = LocatorDef("p%{n}", "/p%{n}.html", values=(NumberValues("n", 1, 10**6),))
    packed = packed_locators([LocatorGroup("pages", (LocatorDef("a", "/a.html"), many))])
    (part,) = unpacked_locators(packed)
    assert tuple(part.locators)[1] == many
    assert sum(map(len, packed)) < 200


def test_rows_of_a_file_come_in_parts_that_do_not_grow_with_it() -> None:
    rows = tuple((f"{n}",) for n in range(LOCATORS_A_PART))
    some = LocatorDef("p%{n}", "/p%{n}.html", values=(RowValues(("n",), rows),))
    packed = packed_locators([LocatorGroup("pages", (some, some, LocatorDef("a", "/a.html")))])
    parts = list(unpacked_locators(packed))
    assert [len(part.locators) for part in parts] == [1, 1, 1]
    assert [one.url for part in parts for each in part.locators for one in each.each()] == [
        *[f"/p{n}.html" for n in range(LOCATORS_A_PART)] * 2,
        "/a.html",
    ]
