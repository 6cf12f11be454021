"""Pages of a scan: each record once, by key, whatever the size of a page."""

from __future__ import annotations

import pytest

from scoopi.store.ports import HOSTS, Store, StoreMap, pages, with_prefix


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
