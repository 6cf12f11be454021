"""SharedCounts: nodes, and later processes, share what they have counted."""

from __future__ import annotations

import pytest

from scoopi.errors import StoreError
from scoopi.store.ports import RUN
from scoopi.store.runs.run_record import RunRecord
from scoopi.store.runs.shared_counts import (
    MANY,
    NOTHING_COUNTED,
    PAGES,
    PERIOD_S,
    RETRIES,
    CountRecord,
    SharedCounts,
    forget_counts,
)
from scoopi.store.settling_store import SettlingStore
from tests.clock import Clock
from tests.store.memory_store import AwayStore

ONE, TWO = "one.example:80", "two.example:80"


def test_each_node_keeps_its_own_and_reads_those_of_the_others(store: SettlingStore) -> None:
    RunRecord(store, "ann").create("run")
    ann, bob, cid = (SharedCounts(store, name) for name in ("ann", "bob", "cid"))
    ann.keep(CountRecord({ONE: 2}))
    ann.keep(CountRecord({ONE: 3, TWO: 1}))
    bob.keep(CountRecord({TWO: 5}))
    assert cid.others() == CountRecord({TWO: 6, ONE: 3})
    assert bob.others() == CountRecord({ONE: 3, TWO: 1})


def test_the_jobs_that_others_hold_and_the_budgets_that_they_found_used_up_are_joined(
    store: SettlingStore,
) -> None:
    own, ann = CountRecord({ONE: 1}, ("0",), ("mine",)), CountRecord({ONE: 2}, ("a", "b"), ("run", "books"))
    for name, counted in {"own": own, "ann": ann, "bob": CountRecord(held=("c",), used_up=("run",))}.items():
        SharedCounts(store, name, PAGES).keep(counted)
    found = SharedCounts(store, "own", PAGES).others()
    assert (found.counts, sorted(found.held), found.used_up) == ({ONE: 2}, ["a", "b", "c"], ("books", "run"))


def test_a_process_that_starts_again_counts_on_from_its_own_record(store: SettlingStore) -> None:
    SharedCounts(store, "ann").keep(CountRecord({ONE: 2}))
    SharedCounts(store, "ann").keep(CountRecord({ONE: 4}))
    assert SharedCounts(store, "bob").others() == CountRecord({ONE: 4})


def test_other_records_beside_them_are_not_read(store: SettlingStore) -> None:
    store.put_if_absent_all(RUN, [("retries0", b"other"), ("run", b"other"), ("aaa", b"other")])
    SharedCounts(store, "ann").keep(CountRecord({ONE: 1}))
    assert SharedCounts(store, "bob").others() == CountRecord({ONE: 1})


def test_counts_go_on_after_a_write_whose_outcome_was_not_known() -> None:
    memory = AwayStore([RUN])
    store = SettlingStore(memory)
    counts = SharedCounts(store, "ann")
    counts.keep(CountRecord({ONE: 1}))
    memory.is_away = True
    with pytest.raises(StoreError):
        counts.keep(CountRecord({ONE: 2}))
    memory.is_away = False
    for number in (3, 4):
        counts.keep(CountRecord({ONE: number}))
        assert SharedCounts(store, "bob").others() == CountRecord({ONE: number})


@pytest.mark.parametrize(("count", "wait_s"), [(1, PERIOD_S), (MANY, PERIOD_S), (3 * MANY, 3 * PERIOD_S)])
def test_the_more_counts_a_node_has_the_less_often_they_are_written(
    store: SettlingStore, clock: Clock, count: int, wait_s: float
) -> None:
    counts = SharedCounts(store, "ann", clock=clock)
    assert counts.is_due(), "the first time at once"
    counts.keep(CountRecord({f"{number}.example:80": 1 for number in range(count)}))
    due = []
    for passed_s in (0.0, wait_s - 0.01, 0.01):
        clock.pass_s(passed_s)
        due.append(counts.is_due())
    assert due == [False, False, True]


def test_a_reopened_run_has_its_whole_budgets_again_and_its_other_records_still(store: SettlingStore) -> None:
    store.put_if_absent_all(RUN, [("run", b"other")])
    for name in ("ann", "bob"):
        for kind in (RETRIES, PAGES):
            SharedCounts(store, name, kind).keep(CountRecord({ONE: 2}))
    forget_counts(store)
    assert [SharedCounts(store, "cid", kind).others() for kind in (RETRIES, PAGES)] == [
        NOTHING_COUNTED,
        NOTHING_COUNTED,
    ]
    assert store.get_all(RUN, ["run"]) == {"run": b"other"}
