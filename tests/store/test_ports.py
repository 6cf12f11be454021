"""Pages of a scan: each record once, by key, whatever the size of a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.store.ports import HOSTS, Store, StoreMap, pages, with_prefix
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.store.solo.table_layout import table_layout


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_pages_give_each_record_once_in_order(store: Store, size: int) -> None:
    records = [(f"k{number}", b"x") for number in range(5)]
    store.put_if_absent_all(HOSTS, records)
    found = list(pages(store, HOSTS, size))
    assert [record for page in found for record in page] == records
    assert all(len(page) <= size for page in found)
    assert [key for page in pages(store, HOSTS, size, None, "k2") for key, _ in page] == ["k3", "k4"]


@pytest.mark.parametrize("size", [1, 2, 100])
def test_the_records_under_a_prefix_end_where_it_does(store: Store, size: int) -> None:
    store.put_if_absent_all(HOSTS, [(key, b"x") for key in ("a/1", "b/", "b/1", "b/2", "b/3", "c/1")])
    assert [key for key, _ in with_prefix(store, HOSTS, size, "b/")] == ["b/1", "b/2", "b/3"]


def test_a_map_is_shown_by_its_name() -> None:
    assert str(StoreMap("jobs", index="state_key")) == "jobs"


def test_tables_of_long_records_have_rowids_so_that_new_ones_are_appended(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "store.db").close()
    assert table_layout(tmp_path / "store.db") == (
        4,
        {
            "jobs": ("state_key", True),
            "payloads": (None, True),
            "ended": (None, False),
            "hosts": (None, False),
            "run": (None, False),
            "nodes": (None, False),
            "robots": (None, False),
        },
    )
