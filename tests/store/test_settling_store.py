"""A refused or failed write says nothing until the record is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from scoopi.errors import BusyRecordError, StoreError
from scoopi.store.ports import RUN, Change, Outcome, Store, StoreMap
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


class Answering(SqliteStore):
    """Gives these answers to the changes, one list for each call, and makes none; notes what it is asked."""

    def __init__(self, path: Path, *answers: list[Outcome]) -> None:
        super().__init__(path)
        self.answers = list(answers)
        self.asked: list[list[str]] = []

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        self.asked.append([change.key for change in changes])
        return self.answers.pop(0)


def test_of_a_batch_only_what_left_no_trace_is_tried_again_and_the_rest_stays_as_it_was(
    tmp_path: Path,
) -> None:
    lost, untouched, won = Outcome(False, b"another's"), Outcome(False, b"1"), Outcome(True, b"2")
    inner = Answering(tmp_path / "answers.db", [lost, untouched, won, untouched], [won, untouched], [won])
    changes = [Change(key, b"1", b"2") for key in "abcd"]
    assert SettlingStore(inner).cas_all(RUN, changes) == [lost, won, won, won]
    assert inner.asked == [["a", "b", "c", "d"], ["b", "d"], ["d"]]
    inner.close()


def test_a_write_that_is_rejected_again_and_again_without_an_error_is_busy(tmp_path: Path) -> None:
    inner = Answering(tmp_path / "answers.db", *[[Outcome(False, b"1")]] * 3)
    with pytest.raises(BusyRecordError, match="1 writes to run were rejected; the records are unchanged"):
        SettlingStore(inner, tries=3).cas_all(RUN, [Change("a", b"1", b"2")])
    assert len(inner.asked) == 3
    inner.close()


def test_an_idempotent_write_is_tried_as_often_as_a_conditional_one(tmp_path: Path) -> None:
    class Away(SqliteStore):
        tries = 0

        def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
            self.tries += 1
            raise StoreError("no answer")

        def delete_below(self, store_map: StoreMap, key: str) -> None:
            self.tries += 1
            if self.tries % 3:
                raise StoreError("no answer")

    inner = Away(tmp_path / "away.db")
    store = SettlingStore(inner, tries=3)
    store.delete_below(RUN, "a")
    assert inner.tries == 3
    with pytest.raises(StoreError, match="no answer"):
        store.set_ttl_all(RUN, ["a"], 60)
    assert inner.tries == 6
    store.close()
    with pytest.raises(StoreError, match="closed"):
        inner.count(RUN)
