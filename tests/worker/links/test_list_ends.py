"""Which page of a list is the last one, by what is on it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scoopi.model.data import Axis, Data, Item
from scoopi.model.locator import LinkBounds, ListEnd
from scoopi.model.records import META_COLUMNS, Column, ColumnType, Records, RecordSchema
from scoopi.model.records.record_def import FieldDef, LinkRules, RecordDef
from scoopi.worker.links.list_ends import ITEM_BYTES, MOST_SEEN, ListEnds, PageItems

COLUMNS = (Column("id"), Column("day", ColumnType.DATE), Column("at", ColumnType.DATETIME))
NO_NEW = ListEnd(no_new=True)


def ends(key: tuple[str, ...] = ()) -> ListEnds:
    schema = RecordSchema("ad", COLUMNS, key, meta=(META_COLUMNS["page"],))
    return ListEnds({"ad": RecordDef("ad", schema, ())})


def ads(*ids: object, page: str = "p", day: str | None = None, at: str | None = None) -> Records:
    return Records("ad", tuple((page, each, day, at) for each in ids))


def last_of(
    pages: Sequence[PageItems | None], end: ListEnd = NO_NEW, key: tuple[str, ...] = ()
) -> list[bool]:
    """Of each page of a list, whether it is the last one."""
    seen, found = b"", []
    for items in pages:
        page = ends(key).of_page(items, seen)
        found.append(page.is_last(end))
        seen = page.seen_after()
    return found


@pytest.mark.parametrize(
    ("pages", "found"),
    [
        ([[ads(1, 2)], [ads(3, 2)], [ads(1, 3)]], [False, False, True]),
        ([[ads(1)], [ads()]], [False, True]),
        ([[]], [True]),
        ([[ads(1, page="p")], [ads(1, page="q")]], [False, True]),
        ([[ads(1)], [ads("1")]], [False, False]),
        ([[ads(1)], None, [ads(1)]], [False, False, True]),
        ([[ads(1)], [ads(1, day="2026-01-01")]], [False, False]),
    ],
)
def test_a_list_ends_with_a_page_that_has_no_new_item(
    pages: list[PageItems | None], found: list[bool]
) -> None:
    assert last_of(pages) == found


def test_items_with_equal_keys_are_equal_whatever_else_has_changed() -> None:
    pages = [[ads(1, day="2026-01-01")], [ads(1, day="2026-01-02")]]
    assert last_of(pages, key=("id",)) == [False, True]


def test_rows_of_grids_are_items_too() -> None:
    axes = (Axis("item", "line", 1),)
    pages = [[Data("g", tuple(Item(axes, (text,), (0,)) for text in texts))] for texts in ("ab", "bc", "ca")]
    assert last_of(pages) == [False, False, True]


@pytest.mark.parametrize(
    ("end", "page", "found"),
    [
        (ListEnd(older_than="2026-02-01", by="day"), [ads(1, day="2026-01-31")], True),
        (ListEnd(older_than="2026-02-01", by="day"), [ads(1, day="2026-02-01")], False),
        (
            ListEnd(older_than="2026-02-01", by="day"),
            [ads(1, day="2026-01-01"), ads(2, day="2026-03-01")],
            False,
        ),
        (
            ListEnd(older_than="2026-02-01", by="at"),
            [ads(1, day="2026-03-01", at="2026-01-31T23:00:00Z")],
            True,
        ),
        (ListEnd(older_than="2026-02-01"), [ads(1)], False),
        (ListEnd(older_than="2026-02-01"), [], False),
        (ListEnd(older_than="2026-02-01"), None, False),
        (ListEnd(no_new=True, older_than="2026-02-01"), [ads(1, day="2026-01-01")], True),
        (ListEnd(no_new=True, older_than="2026-02-01"), [], True),
    ],
)
def test_a_list_ends_with_a_page_whose_items_are_all_older_than_a_day(
    end: ListEnd, page: PageItems | None, found: bool
) -> None:
    assert last_of([page], end) == [found]


def test_items_are_kept_only_if_a_list_ends_by_them() -> None:
    bounds = (LinkBounds(pages=3), LinkBounds(end=NO_NEW))
    fields = [FieldDef("link", follow="list", links=LinkRules(bounds=each)) for each in bounds]
    found = [ListEnds({"more": RecordDef("more", RecordSchema("more", ()), (each,))}) for each in fields]
    assert [each.are_set for each in found] == [False, True]


def test_of_a_long_list_the_latest_items_are_known() -> None:
    page = ends().of_page([ads(*range(MOST_SEEN + 10))], b"")
    seen = page.seen_after()
    assert len(seen) == MOST_SEEN * ITEM_BYTES
    assert ends().of_page([ads(MOST_SEEN + 9, 10)], seen).is_last(NO_NEW)
    assert not ends().of_page([ads(9)], seen).is_last(NO_NEW)


def test_days_are_looked_for_in_records_only_and_in_no_list() -> None:
    schema = RecordSchema("ad", (Column("days", ColumnType.DATE, is_list=True), *COLUMNS[1:]))
    rows = (["2026-01-01"], "2026-03-01", None)
    items: PageItems = [Data("g", (Item((Axis("item", "line", 1),), ("x",), (0,)),)), Records("ad", (rows,))]
    page = ListEnds({"ad": RecordDef("ad", schema, ())}).of_page(items, b"")
    assert not page.is_last(ListEnd(older_than="2026-02-01"))
    assert page.is_last(ListEnd(older_than="2026-04-01")), "behind the rows of a grid, too"


def test_the_day_of_any_column_counts_if_none_is_named() -> None:
    page = [ads(1, day="2026-01-01", at="2026-03-01T00:00:00Z")]
    assert last_of([page], ListEnd(older_than="2026-02-01")) == [False]
    assert last_of([page], ListEnd(older_than="2026-02-01", by="day")) == [True]
