"""MapScans: which calls a page of records takes, over a map that is played."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from scoopi.errors import StoreError
from scoopi.store.cluster.map_scans import LARGE, Call, MapCalls, MapScans, place
from scoopi.store.ports import JOBS, RUN, StoreMap

KEYS = sorted(f"{number * 7919 % 100_003:05x}".ljust(32, "0") for number in range(5000))


class Query:
    """A query as the grid has it: bounds, an indexed value, and perhaps a limit."""

    def __init__(self, value: str | None, after: str, end: str | None, limit: int | None = None) -> None:
        self.value, self.after, self.end, self.limit = value, after, end, limit


class Queries:
    """Makes such queries."""

    def where(self, store_map: StoreMap, value: str | None, after: str = "", end: str | None = None) -> Query:
        return Query(value, after, end)

    def page(self, where: Query, limit: int) -> Query:
        return Query(where.value, where.after, where.end, limit)


class HazelcastSerializationError(Exception):
    """As the client raises it when members cannot compare the keys of a map."""


class Grid:
    """A map of records, each of the value `ready`; counts what it is asked for."""

    def __init__(self, keys: Sequence[Any]) -> None:
        self.keys = keys
        self.asked: list[Query] = []
        calls = MapCalls(self._answers, self._own, self._blamed, lambda store_map: len(self.keys))
        queries: Any = Queries()
        self.scans = MapScans(queries, calls)

    def entry_set(self, query: Query) -> list[tuple[Any, bytes]]:
        self.asked.append(query)
        if query.limit and not all(isinstance(key, str) for key in self.keys):
            raise StoreError("scan jobs: refused") from HazelcastSerializationError("no order")
        keys = [
            key
            for key in self.keys
            if not isinstance(key, str)
            or (
                key > query.after
                and (query.end is None or key <= query.end)
                and query.value in (None, "ready")
            )
        ]
        return [(key, b"") for key in (keys if query.limit is None else sorted(keys)[: query.limit])]

    def _answers(self, store_map: StoreMap, verb: str, calls: Sequence[Call]) -> list[Any]:
        grid: Any = self
        return [call(grid) for call in calls]

    def _own(self, store_map: StoreMap, entries: Sequence[tuple[Any, Any]]) -> list[tuple[str, bytes]]:
        return [(key, value) for key, value in entries if isinstance(key, str)]

    def _blamed(self, store_map: StoreMap) -> AbstractContextManager[None]:
        return nullcontext()


def keys_of(found: Sequence[tuple[str, bytes]]) -> list[str]:
    return [key for key, _ in found]


@pytest.mark.parametrize("limit", [1, 10, LARGE - 1, LARGE, LARGE + 1, 4999, 5000, 9000])
@pytest.mark.parametrize("after", ["", KEYS[0], KEYS[4000], KEYS[-1], "~"])
def test_a_page_of_a_map_is_the_first_records_behind_a_key(limit: int, after: str) -> None:
    grid = Grid(KEYS)
    expected = [key for key in KEYS if key > after][:limit]
    assert keys_of(grid.scans.scan(RUN, None, limit, after)) == expected


def test_a_large_page_of_a_larger_map_is_bounded_by_a_guess_and_sorted_here() -> None:
    grid = Grid(KEYS)
    grid.scans.scan(RUN, None, LARGE, "")
    (asked,) = grid.asked
    assert asked.limit is None, "the grid takes seconds to sort a large page"
    assert asked.end is not None


def test_most_of_a_map_is_asked_for_whole() -> None:
    grid = Grid(KEYS[: 2 * LARGE])
    grid.scans.scan(RUN, None, LARGE, "")
    (asked,) = grid.asked
    assert (asked.limit, asked.end) == (None, None)
    larger = Grid(KEYS[: 2 * LARGE + 1])
    larger.scans.scan(RUN, None, LARGE, "")
    assert larger.asked[0].end is not None


def test_what_a_guess_leaves_out_is_asked_for_behind_it_and_no_more() -> None:
    spread = [f"{number * 2**48 // 5000:012x}" for number in range(5000)]
    grid = Grid([*spread[:1500:3], *spread[3000:]])
    assert keys_of(grid.scans.scan(RUN, None, LARGE, "")) == list(grid.keys[:LARGE])
    guessed, rest = grid.asked
    assert (rest.after, rest.limit) == (
        guessed.end,
        LARGE - len([key for key in grid.keys if key <= rest.after]),
    )


@pytest.mark.parametrize("limit", [40, 100, 700])
def test_pages_of_a_value_follow_each_other_without_gap_or_double(limit: int) -> None:
    grid = Grid(KEYS)
    found: list[str] = []
    while page := grid.scans.scan(JOBS, "ready", limit, found[-1] if found else ""):
        assert len(page) <= limit
        found += keys_of(page)
    assert found == KEYS


def test_a_scan_that_is_repeated_ends_where_the_last_one_let_expect() -> None:
    grid = Grid(KEYS)
    grid.scans.scan(JOBS, "ready", 500, "")
    grid.asked.clear()
    assert len(grid.scans.scan(JOBS, "ready", 500, "")) == 500
    (asked,) = grid.asked
    assert asked.end is not None


def test_what_is_left_of_a_value_behind_a_guess_is_asked_for_and_no_more() -> None:
    grid = Grid(KEYS)
    grid.scans.scan(JOBS, "ready", 500, "")
    grid.asked.clear()
    assert keys_of(grid.scans.scan(JOBS, "ready", 500, KEYS[-300])) == KEYS[-299:]
    assert [query.limit for query in grid.asked] == [500, 500 - 299]


def test_a_scan_of_several_values_learns_where_the_next_one_may_end() -> None:
    grid = Grid(KEYS)
    for _ in range(2):
        grid.asked.clear()
        assert sorted(keys_of(grid.scans.scan_each(JOBS, ["ready", "other"], 100, ""))) == KEYS[:100]
    assert {query.value: query.end is not None for query in grid.asked} == {"ready": True, "other": False}


def test_each_value_has_its_own_limit_and_unknown_ones_are_asked_for_together() -> None:
    grid = Grid(KEYS)
    found = keys_of(grid.scans.scan_each(JOBS, ["ready", "other"], 10, ""))
    assert sorted(found) == KEYS[:10]
    assert [(query.value, query.limit) for query in grid.asked] == [("ready", 10), ("other", 10)]


def test_a_map_with_keys_that_are_no_text_is_read_whole_and_sorted_here() -> None:
    grid = Grid([*KEYS[:50], 7])
    assert keys_of(grid.scans.scan(RUN, None, 10, KEYS[5])) == KEYS[6:16]
    assert keys_of(grid.scans.scan(JOBS, "ready", 10, "")) == KEYS[:10]
    assert sorted(keys_of(grid.scans.scan_each(JOBS, ["ready"], 10, ""))) == KEYS[:10]
    assert keys_of(grid.scans.all_in_order(RUN)) == KEYS[:50]


def test_keys_are_ordered_by_utf_16_as_the_grid_orders_them() -> None:
    keys = ["\U0001f600", "\ufb01", "a", "\ud800"]
    assert sorted(keys, key=lambda key: place((key, b""))) == ["a", "\ud800", "\U0001f600", "\ufb01"]
