"""PassLease: one pass at a time, and none waits for a process that is known to be dead."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from scoopi.model.schedule.liveness import Liveness
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.store.schedule.pass_lease import LEASE, PassLease
from scoopi.store.schedule.schedule_store import SCHEDULE_MAPS, ScheduleStore
from tests.store.memory_store import MemoryStore

GAP = 3
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SOON = NOW + timedelta(seconds=1)


@pytest.fixture
def store() -> ScheduleStore:
    """Records of a worker that runs a pass."""
    store = ScheduleStore(MemoryStore(SCHEDULE_MAPS))
    store.write(None, WorkerRecord(worker="w", incarnation="one", beat=0, capacity=1.0))
    held = lease(store)
    held.hold_as("w", "one")
    assert held.take(NOW)
    return store


def lease(store: ScheduleStore) -> PassLease:
    return PassLease(store, lambda: Liveness(gap=GAP))


def test_the_pass_of_a_live_worker_is_waited_for_and_asked_to_repeat(store: ScheduleStore) -> None:
    beat_on(store, GAP)
    assert not lease(store).take(SOON)
    assert store.scheduler().is_requested


@pytest.mark.parametrize("how", ["missed heartbeats", "marked as lost", "another process", "removed"])
def test_the_pass_of_a_dead_worker_is_taken_at_once(store: ScheduleStore, how: str) -> None:
    if how == "missed heartbeats":
        beat_on(store, GAP + 1)
    elif how == "marked as lost":
        worker(store, state="lost")
    elif how == "another process":
        worker(store, incarnation="two")
    else:
        store.remove([store.workers()["w"]])
    assert lease(store).take(SOON)


def test_the_pass_of_a_worker_with_a_longer_lease_is_waited_for(store: ScheduleStore) -> None:
    worker(store, liveness=Liveness(gap=2 * GAP))
    worker(store, beat=5)
    beat_on(store, 5 + 2 * GAP)
    assert not lease(store).take(SOON)
    beat_on(store, 1)
    assert lease(store).take(SOON)


def test_a_holder_without_a_worker_is_waited_for_until_its_lease_is_over() -> None:
    store = ScheduleStore(MemoryStore(SCHEDULE_MAPS))
    assert lease(store).take(NOW)
    assert not lease(store).take(NOW + LEASE)
    assert lease(store).take(NOW + LEASE + timedelta(seconds=1))


def test_a_pass_that_must_end_leaves_the_request_to_repeat(store: ScheduleStore) -> None:
    held = lease(store)
    held.hold_as("w", "one")
    assert not lease(store).take(SOON)
    kept = held.release(is_unfinished=False, must_end=False)
    assert kept is not None
    assert (kept.holder, kept.is_requested) == ("one", False), "it repeats itself"
    left = held.release(is_unfinished=True, must_end=True)
    assert left is not None
    assert (left.holder, left.worker, left.is_requested) == ("", "", True)


def test_a_right_that_was_taken_is_neither_renewed_nor_released(store: ScheduleStore) -> None:
    held = lease(store)
    held.hold_as("w", "one")
    store.change_scheduler(lambda record: replace(record, holder="other"))
    before = store.scheduler()
    assert not held.renew(NOW + LEASE)
    assert held.release(is_unfinished=False, must_end=True) is None
    assert store.scheduler() == before


def test_a_pass_that_is_taken_runs_once_unless_it_is_asked_for_meanwhile(store: ScheduleStore) -> None:
    held = lease(store)
    held.hold_as("w", "one")
    assert not lease(store).take(SOON)
    asked = store.scheduler()
    assert asked.is_requested
    assert held.take(SOON)
    taken = store.scheduler()
    assert not taken.is_requested
    assert taken.version == asked.version + 1, "each change counts as one"
    assert held.renew(SOON + LEASE)
    assert store.scheduler() == replace(taken, until=SOON + LEASE, version=taken.version + 1)


def beat_on(store: ScheduleStore, beats: int) -> None:
    store.change_scheduler(lambda record: replace(record, beat=record.beat + beats))


def worker(of: ScheduleStore, **fields: object) -> None:
    old = of.workers()["w"]
    assert of.write(old, replace(old, version=old.version + 1, **fields))
