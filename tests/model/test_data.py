"""Data keeps its definition, and what scripts see of a row is JSON."""

from __future__ import annotations

import json

from scoopi.model.data import Axis, Data, Item, LinkData, ScriptRow

ITEM, FACT = Axis("item", "city", 1), Axis("fact", "price", 2, r"\d+")
ROW = Item((ITEM, FACT), ("Oslo", None), (3, 1))


def test_other_rows_are_of_the_same_definition() -> None:
    assert Data("towns", (ROW,)).with_items([]) == Data("towns", ())


def test_links_keep_the_page_that_they_are_on() -> None:
    links = LinkData("towns", (ROW,), "http://a/b", "/base")
    assert links.with_items([ROW, ROW]) == LinkData("towns", (ROW, ROW), "http://a/b", "/base")


def test_a_script_sees_its_axis_and_all_values_read_so_far() -> None:
    seen = json.loads(ScriptRow((ITEM, FACT), 1, (3, 1), ("Oslo", None)).as_json())
    assert seen == {
        "own": 1,
        "axes": [["item", "city", 1, None, 3, "Oslo"], ["fact", "price", 2, r"\d+", 1, None]],
    }
