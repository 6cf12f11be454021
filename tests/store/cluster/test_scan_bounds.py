"""ScanBounds: a scan that ends at a guessed key meets what it is asked for, and hardly more."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from typing import Any

import pytest

from scoopi.store.cluster.cluster_client import client_class
from scoopi.store.cluster.scan_bounds import SAMPLE, Queries, ScanBounds
from scoopi.store.ports import JOBS

KEYS = sorted(hashlib.sha256(str(number).encode()).hexdigest()[:32] for number in range(20_000))
"""Digests are spread evenly, as those of jobs are."""
LIMIT = 500


def met(after: str, end: str | None) -> list[str]:
    """The keys with after < key <= end."""
    last = len(KEYS) if end is None else bisect_right(KEYS, end)
    return KEYS[bisect_right(KEYS, after) : last]


def assert_just_enough(keys: list[str]) -> None:
    assert LIMIT <= len(keys) <= LIMIT * 1.6


@pytest.mark.parametrize("after", ["", KEYS[0], KEYS[9_000], KEYS[17_000]])
def test_a_scan_of_a_whole_map_ends_soon_behind_its_limit(after: str) -> None:
    assert_just_enough(met(after, ScanBounds().by_total(after, LIMIT, len(KEYS))))


@pytest.mark.parametrize("after", ["", KEYS[9_000], KEYS[17_000]])
def test_a_scan_of_a_value_ends_where_its_last_keys_let_expect(after: str) -> None:
    bounds = ScanBounds()
    bounds.saw("ready", "", KEYS[:SAMPLE])
    end = bounds.by_index("ready", after, LIMIT)
    assert end is not None
    assert end > after
    assert LIMIT * 0.7 <= len(met(after or KEYS[SAMPLE - 1], end)) <= LIMIT * 2


def test_a_scan_that_is_repeated_is_begun_behind_what_it_met() -> None:
    bounds = ScanBounds()
    first = KEYS[:2000]
    bounds.saw("ready", "", first)
    end = bounds.by_index("ready", "", LIMIT)
    assert end is not None
    assert_just_enough(met(first[-1], end))
    other = bounds.by_index("ready", KEYS[100], LIMIT)
    assert other is not None
    assert other < end, "another scan has met nothing yet"


def test_near_the_end_of_all_keys_the_bound_lies_behind_them() -> None:
    end = ScanBounds().by_total(KEYS[-10], LIMIT, len(KEYS))
    assert end is not None
    assert met(KEYS[-10], end) == KEYS[-9:]
    assert end > "f" * 32


@pytest.mark.parametrize("after", ["seed/1", "~", "host:443"])
def test_nothing_is_guessed_behind_a_key_that_is_no_digest(after: str) -> None:
    bounds = ScanBounds()
    bounds.saw("ready", "", KEYS[:SAMPLE])
    assert bounds.by_total(after, LIMIT, 10_000) is None
    assert bounds.by_index("ready", after, LIMIT) is None


@pytest.mark.parametrize(
    "keys",
    [[], [*KEYS[SAMPLE:0:-1]], ["seed/1", *KEYS[:SAMPLE]], [*KEYS[:SAMPLE], "~"]],
    ids=["none", "falling", "no digest first", "no digest last"],
)
def test_keys_that_say_nothing_make_it_forget_the_gap(keys: list[str]) -> None:
    bounds = ScanBounds()
    bounds.saw("ready", "", KEYS[:SAMPLE])
    bounds.saw("ready", "", keys)
    assert bounds.by_index("ready", "", LIMIT) is None


def test_fewer_keys_than_a_sample_teach_no_gap_and_keep_the_last() -> None:
    bounds = ScanBounds()
    bounds.saw("ready", "", KEYS[: SAMPLE - 1])
    assert bounds.by_index("ready", "", LIMIT) is None
    bounds.saw("ready", "", KEYS[:SAMPLE])
    bounds.saw("ready", "", KEYS[:2])
    assert bounds.by_index("ready", "", LIMIT) is not None
    assert bounds.by_index("waiting", "", LIMIT) is None, "each value has a gap of its own"


def test_what_was_learnt_does_not_grow_without_end() -> None:
    bounds = ScanBounds()
    for number in range(3000):
        bounds.saw(f"value {number}", "", KEYS[:SAMPLE])
    assert bounds.by_index("value 0", "", LIMIT) is None
    for number in (2999, 2998):
        assert bounds.by_index(f"value {number}", "", LIMIT) is not None


def test_what_was_learnt_of_some_hundred_values_is_kept() -> None:
    bounds = ScanBounds()
    for number in range(501):
        bounds.saw(f"value {number}", "", KEYS[:SAMPLE])
    assert bounds.by_index("value 0", "", LIMIT) is not None


def key_at(place: int) -> str:
    return f"{place:012x}"


def test_the_gap_is_that_between_two_keys_wherever_they_lie() -> None:
    for first in (0, 16**11):
        bounds = ScanBounds()
        bounds.saw("ready", key_at(first), [key_at(first + 1000 * number) for number in range(SAMPLE)])
        last = first + 1000 * (SAMPLE - 1)
        assert bounds.by_index("ready", key_at(first), 1) == key_at(last + 13 * 1000)
        assert bounds.by_index("ready", key_at(last), 4) == key_at(last + 22 * 1000)


def test_a_bound_that_is_not_behind_the_key_where_a_scan_begins_is_none() -> None:
    bounds = ScanBounds()
    bounds.saw("ready", "", [key_at(7) + key_at(number) for number in range(SAMPLE)])
    assert bounds.by_index("ready", "", LIMIT) == key_at(7)
    assert bounds.by_index("ready", key_at(6), LIMIT) is None
    assert bounds.by_index("ready", key_at(7), LIMIT) is None


def test_a_bound_at_the_end_of_all_keys_lies_behind_them() -> None:
    behind = ScanBounds().by_total("", 1, 13)
    assert behind is not None
    assert behind > "f" * 32


def test_a_query_names_only_what_bounds_it() -> None:
    client_class()  # imports the client without its warnings
    queries = Queries()

    def words(*given: Any) -> str:
        return str(queries.where(JOBS, *given))

    everything = words(None)
    assert "state_key" not in everything
    assert "__key" not in everything
    by_value = words("ready")
    assert "state_key" in by_value
    assert "__key" not in by_value
    between = words("ready", "first", "last")
    assert all(word in between for word in ("state_key", "ready", "__key", "first", "last"))
    behind, before = words("ready", "first"), words("ready", "", "last")
    assert all(word in behind for word in ("state_key", "ready", "first"))
    assert all(word in before for word in ("state_key", "ready", "last"))
    assert "last" not in behind
    assert "first" not in before


def test_a_single_key_teaches_no_gap_and_keeps_the_last_one() -> None:
    bounds = ScanBounds()
    bounds.saw("ready", "", KEYS[:SAMPLE])
    bounds.saw("ready", "", KEYS[:1])
    assert bounds.by_index("ready", "", LIMIT) is not None
