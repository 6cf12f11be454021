"""A refused or failed write says nothing until the record is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.errors import StoreError
from scoopi.store.ports import RUN, Change, Outcome, Store
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.store.faulty_store import Faults, FaultyStore


@pytest.fixture
def plain(tmp_path: Path) -> Store:
    return SqliteStore(tmp_path / "store.db")


def test_what_it_wanted_to_write_is_won_though_the_answer_was_lost(plain: Store) -> None:
    faulty = FaultyStore(plain, Faults(lose_first_answers=True))
    store = SettlingStore(faulty)
    assert store.put_if_absent_all(RUN, [("a", b"1")]) == [Outcome(True, b"1")]
    assert store.cas_all(RUN, [Change("a", b"1", b"2")]) == [Outcome(True, b"2")]
    assert faulty.lost == 2
    assert faulty.writes == 2


def test_what_it_wanted_to_write_is_won_though_the_second_delivery_was_refused(plain: Store) -> None:
    twice = FaultyStore(plain, Faults(deliver_twice=True))
    plain.put_if_absent_all(RUN, [("a", b"1")])
    assert twice.cas_all(RUN, [Change("a", b"1", b"2")]) == [Outcome(False, b"2")]
    assert SettlingStore(twice).cas_all(RUN, [Change("a", b"2", b"3")]) == [Outcome(True, b"3")]


def test_what_it_expected_is_tried_again(plain: Store) -> None:
    plain.put_if_absent_all(RUN, [(f"{number}", b"1") for number in range(50)])
    faulty = FaultyStore(plain, Faults(torn=0.9), seed=3)
    changes = [Change(f"{number}", b"1", b"2") for number in range(50)]
    outcomes = SettlingStore(faulty, tries=50).cas_all(RUN, changes)
    assert outcomes == [Outcome(True, b"2")] * 50
    assert faulty.lost > 0
    assert faulty.writes == 50


def test_anything_else_is_lost(plain: Store) -> None:
    plain.put_if_absent_all(RUN, [("a", b"another's"), ("b", b"1")])
    store = SettlingStore(FaultyStore(plain, Faults(lose_first_answers=True)))
    changes = [Change("a", b"1", b"2"), Change("b", b"1", b"2"), Change("c", b"1", b"2")]
    assert store.cas_all(RUN, changes) == [
        Outcome(False, b"another's"),
        Outcome(True, b"2"),
        Outcome(False, None),
    ]
    assert store.put_if_absent_all(RUN, [("a", b"mine")]) == [Outcome(False, b"another's")]


def test_what_cannot_be_read_is_not_known(plain: Store) -> None:
    store = SettlingStore(FaultyStore(plain, Faults(lose_first_answers=True, unreadable=1.0)))
    with pytest.raises(StoreError, match="reading failed"):
        store.put_if_absent_all(RUN, [("a", b"1")])


def test_a_write_that_never_leaves_a_trace_is_given_up(plain: Store) -> None:
    faulty = FaultyStore(plain, Faults(torn=1.0), seed=1)
    with pytest.raises(StoreError, match="answer was lost"):
        SettlingStore(faulty, tries=3).put_if_absent_all(RUN, [(f"{number}", b"1") for number in range(99)])
    assert faulty.lost == 3


def test_a_deletion_is_tried_again(plain: Store) -> None:
    plain.put_if_absent_all(RUN, [("a", b"1")])
    faulty = FaultyStore(plain, Faults(lose_first_answers=True))
    SettlingStore(faulty).delete_all(RUN, ["a"])
    assert faulty.writes == 2
    assert plain.count(RUN) == 0
    with pytest.raises(StoreError):
        SettlingStore(FaultyStore(plain, Faults(lost_answers=1.0)), tries=2).delete_all(RUN, ["a"])
