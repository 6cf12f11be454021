"""Heartbeats keep workers alive without comparing clocks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from scoopi.errors import RecordError, StoreError
from scoopi.model.schedule.liveness import Liveness
from scoopi.model.schedule.schedule_records import STATE_FORMAT, SchedulerRecord
from scoopi.model.schedule.schedule_settings import Schedule, ScheduleSettings
from scoopi.serve.state import State
from scoopi.serve.workers import worker_heartbeat
from scoopi.serve.workers.worker_heartbeat import WorkerHeartbeat, count_tick
from scoopi.serve.workers.worker_registry import WorkerRegistry
from scoopi.store import store_outage
from tests.serve.conftest import NOW, Deployed
from tests.serve.serving import until

ONE = "processes: {p: {executes: external:x}}"
FAST = Liveness(beat=timedelta(milliseconds=20), gap=3)


def fast(bundle: str) -> Schedule:
    """Definitions that no deployment changes."""
    return Schedule({}, ScheduleSettings(liveness=FAST))


def test_heartbeats_let_the_counter_grow_and_write_what_they_read(deployed: Deployed) -> None:
    state = deployed(ONE)
    registry = WorkerRegistry(state.store)
    heartbeats = []
    for name in ("one", "two"):
        registry.put(name, ("default",), 1, is_external=False)
        heartbeats.append(WorkerHeartbeat(state.store, name, fast))
    until(lambda: [heartbeat.beat() for heartbeat in heartbeats] and state.store.scheduler().beat >= 3)
    number = state.store.scheduler().beat
    assert all(number - (worker.beat or 0) <= 1 for worker in state.store.workers().values())


def test_a_worker_without_a_recent_heartbeat_is_not_live(deployed: Deployed) -> None:
    state = deployed(ONE)
    WorkerRegistry(state.store).put("one", ("default",), 1, is_external=False)
    heartbeat = WorkerHeartbeat(state.store, "one", fast)
    until(heartbeat.beat)
    assert heartbeat.is_live()
    began = time.monotonic()
    until(lambda: time.monotonic() - began > heartbeat.lease_s)
    assert not heartbeat.is_live()
    until(heartbeat.beat)
    assert heartbeat.is_live()


def test_a_lease_counts_from_before_a_heartbeat_that_takes_long(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(ONE)
    WorkerRegistry(state.store).put("one", ("default",), 1, is_external=False)
    heartbeat = WorkerHeartbeat(state.store, "one", fast)
    assert not heartbeat.is_live(), "it has not beaten yet"
    clock = [100.0]
    monkeypatch.setattr(worker_heartbeat, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    update = state.store.update

    def slow(*args: Any) -> Any:
        clock[0] += 5
        return update(*args)

    heartbeat = WorkerHeartbeat(state.store, "one", fast)
    monkeypatch.setattr(state.store, "update", slow)
    assert heartbeat.beat()
    assert heartbeat.lease_ends_at() < 100 + heartbeat.lease_s
    assert not heartbeat.is_live()


def test_the_counter_grows_no_sooner_than_a_beat_after_a_write_that_took_long(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(ONE)
    clock = [100.0]
    monkeypatch.setattr(worker_heartbeat, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    heartbeat = WorkerHeartbeat(state.store, None, fast)
    assert heartbeat.beat()
    change_scheduler = state.store.change_scheduler

    def slow(change: Callable[[SchedulerRecord], SchedulerRecord | None]) -> SchedulerRecord | None:
        clock[0] += 60
        return change_scheduler(change)

    monkeypatch.setattr(state.store, "change_scheduler", slow)
    clock[0] += 1
    before = state.store.scheduler().beat
    assert heartbeat.beat()
    assert state.store.scheduler().beat == before + 1
    assert heartbeat.beat()
    assert state.store.scheduler().beat == before + 1, "workers would be lost too soon"


def with_liveness(beat_s: int, gap: int) -> str:
    return f"settings: {{liveness: {{beat: {beat_s}s, gap: {gap}}}}}\n{ONE}"


LENGTHS = [(5, 3), (1, 1), (1, 3), (5, 1), (2, 10)]


@pytest.mark.parametrize("after", LENGTHS)
@pytest.mark.parametrize("before", LENGTHS)
@pytest.mark.parametrize("hangs", ["before", "long before", "after"])
def test_no_worker_is_lost_before_the_lease_is_over_that_its_attempts_have(
    deployed: Deployed,
    monkeypatch: pytest.MonkeyPatch,
    before: tuple[int, int],
    after: tuple[int, int],
    hangs: str,
) -> None:
    """A worker hangs before a deployment, or after the heartbeat by which it has heard of it."""
    state = deployed(with_liveness(*before))
    WorkerRegistry(state.store).put("one", ("default",), 1, is_external=False)
    clock = [100.0]
    monkeypatch.setattr(worker_heartbeat, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    hanging, other = (WorkerHeartbeat(state.store, name, state.schedule) for name in ("one", None))
    until_beaten(hanging, clock)
    ends_at = hanging.lease_ends_at()
    assert other.beat()
    while hangs == "long before" and clock[0] < ends_at - 0.2:
        clock[0] += 0.1
        other.beat()
    deployed(with_liveness(*after))
    if hangs == "after":
        until_beaten(hanging, clock)
        # Its attempts have not been given the new lease, as it hangs already.
        ends_at = max(ends_at, hanging.lease_ends_at())
    while not state.passes.snapshot(NOW).is_lost(state.store.workers()["one"]):
        clock[0] += 0.1
        other.beat()
    assert clock[0] >= ends_at
    hardest = max(timedelta(seconds=beat) * (gap + 2) for beat, gap in (before, after))
    slowest = timedelta(seconds=after[0]) * (max(before[1], after[1]) + 2)
    assert clock[0] - 100 <= 2 * (hardest + slowest).total_seconds(), "it is found lost some time"


def until_beaten(heartbeat: WorkerHeartbeat, clock: list[float]) -> None:
    while not heartbeat.beat():
        clock[0] += 0.1


def test_a_serve_counts_and_beats_by_the_settings_of_the_current_project(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(with_liveness(5, 3))
    clock = [100.0]
    monkeypatch.setattr(worker_heartbeat, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    heartbeat = WorkerHeartbeat(state.store, None, state.schedule, "a")
    assert heartbeat.beat()
    assert (heartbeat.lease_s, heartbeat.wait_s()) == (15.0, 2.5)
    deployed(with_liveness(1, 4))
    clock[0] += 2.5
    assert heartbeat.beat()
    assert (heartbeat.lease_s, heartbeat.wait_s()) == (4.0, 0.5)
    assert state.store.scheduler().beat == 1, "it has seen the number for two seconds"


def test_nothing_is_counted_by_settings_that_a_deployment_has_just_changed(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(with_liveness(1, 3))
    clock = [100.0]
    monkeypatch.setattr(worker_heartbeat, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    heartbeat = WorkerHeartbeat(state.store, None, state.schedule, "a")
    assert heartbeat.beat()
    change_scheduler = state.store.change_scheduler

    def late(change: Callable[[SchedulerRecord], SchedulerRecord | None]) -> SchedulerRecord | None:
        monkeypatch.setattr(state.store, "change_scheduler", change_scheduler)
        deployed(with_liveness(60, 3))
        return change_scheduler(change)

    monkeypatch.setattr(state.store, "change_scheduler", late)
    clock[0] += 2
    assert heartbeat.beat()
    assert state.store.scheduler().beat == 0


def test_a_heartbeat_shows_that_another_machine_asks_for_a_pass(deployed: Deployed) -> None:
    state = deployed(ONE)
    heartbeat = WorkerHeartbeat(state.store, None, fast)
    asked = []
    steps: list[Callable[[], object]] = [partial(state.passes.run, NOW), state.ask_for_pass]
    for step in [*steps, steps[0]]:
        step()
        until(heartbeat.beat)
        asked.append(heartbeat.is_asked)
    assert asked == [False, True, False]


def test_ticks_let_the_counter_grow_by_their_own_time(deployed: Deployed) -> None:
    store, liveness = deployed(ONE).store, Liveness()
    numbers = []
    for seconds in (0, 4, 5, 9, 60, 61, 3, 7, 8):
        count_tick(store, liveness, NOW + timedelta(seconds=seconds))
        numbers.append(store.scheduler().beat)
    assert numbers == [0, 0, 1, 1, 2, 2, 2, 2, 3]  # a time that went back is stored, and increments nothing


def _beat_once(heartbeat: WorkerHeartbeat, state: State) -> None:
    number = state.store.scheduler().beat
    until(lambda: heartbeat.beat() and state.store.scheduler().beat > number)


def test_a_tick_beside_a_serve_increments_nothing(deployed: Deployed) -> None:
    state = deployed(ONE)
    heartbeat = WorkerHeartbeat(state.store, None, fast)
    for count in range(3):
        _beat_once(heartbeat, state)
        number = state.store.scheduler().beat
        count_tick(state.store, Liveness(), NOW + timedelta(minutes=count))
        assert state.store.scheduler().beat == number


def test_heartbeats_stop_when_a_newer_scoopi_has_changed_the_records(deployed: Deployed) -> None:
    state = deployed(ONE)
    WorkerRegistry(state.store).put("one", ("default",), 1, is_external=False)
    state.store.change_scheduler(lambda record: replace(record, state_format=STATE_FORMAT + 1))
    with pytest.raises(RecordError, match="a newer Scoopi has changed the records"):
        WorkerHeartbeat(state.store, "one", fast).beat()


def test_an_outage_of_the_store_is_logged_when_it_begins_and_when_it_is_over(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    state = deployed(ONE)
    WorkerRegistry(state.store).put("one", ("default",), 1, is_external=False)
    clock = [100.0]
    for module in (worker_heartbeat, store_outage):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    heartbeat = WorkerHeartbeat(state.store, "one", fast)
    scheduler = state.store.scheduler

    def away() -> SchedulerRecord:
        raise StoreError("the database does not answer", hint="is it running?")

    with caplog.at_level(logging.WARNING):
        for is_away in (False, True, True, True, False, False, True):
            monkeypatch.setattr(state.store, "scheduler", away if is_away else scheduler)
            clock[0] += 7
            assert heartbeat.beat() != is_away
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        "the heartbeat could not be renewed",
        "the heartbeat is renewed again after 21 s",
        "the heartbeat could not be renewed",
    ]
