"""A seat gives each live worker a name of its own, and its heart beats without comparing clocks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from scoopi.errors import RecordError, StoreError, UsageError
from scoopi.model.schedule.schedule_records import STATE_FORMAT, PassRecord, WorkerRecord
from scoopi.model.schedule.schedule_settings import Liveness
from scoopi.serve import seat
from scoopi.serve.seat import Heart, Seat, count_tick, dead_workers, home_of
from scoopi.serve.state import State
from scoopi.serve.wake_ups import WakeUp
from scoopi.serve.workbench import FencedError, Workbench
from tests.serve.conftest import NOW, Deployed
from tests.serve.serving import until

ONE = "processes: {p: {executes: external:x}}"
FAST = Liveness(beat=timedelta(milliseconds=20), gap=3)


def test_a_second_worker_of_a_host_gets_the_next_name_and_a_free_one_is_used_again(tmp_path: Path) -> None:
    first, second = Seat(tmp_path, None), Seat(tmp_path, None)
    assert second.name == f"{first.name}-2"
    first.close()
    assert Seat(tmp_path, None).name == first.name


def test_a_name_that_a_live_worker_has_is_refused(tmp_path: Path) -> None:
    held = Seat(tmp_path, "press")
    with pytest.raises(UsageError, match="worker press is live"):
        Seat(tmp_path, "press")
    held.close()
    Seat(tmp_path, "press").close()


def test_hearts_let_the_counter_grow_and_write_what_they_read(deployed: Deployed) -> None:
    state = deployed(ONE)
    bench = Workbench(state.store)
    hearts = []
    for name in ("one", "two"):
        bench.put(name, ("default",), 1, is_external=False)
        hearts.append(Heart(state.store, name, FAST))
    until(lambda: [heart.beat() for heart in hearts] and state.store.the_pass().beat >= 3)
    number = state.store.the_pass().beat
    assert all(number - (worker.beat or 0) <= 1 for worker in state.store.workers().values())


def test_a_heart_that_has_not_beaten_for_long_is_not_live(deployed: Deployed) -> None:
    state = deployed(ONE)
    Workbench(state.store).put("one", ("default",), 1, is_external=False)
    heart = Heart(state.store, "one", FAST)
    until(heart.beat)
    assert heart.is_live()
    began = time.monotonic()
    until(lambda: time.monotonic() - began > heart.lease_s)
    assert not heart.is_live()
    until(heart.beat)
    assert heart.is_live()


def test_a_lease_counts_from_before_a_heartbeat_that_takes_long(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(ONE)
    Workbench(state.store).put("one", ("default",), 1, is_external=False)
    heart = Heart(state.store, "one", FAST)
    assert not heart.is_live(), "it has not beaten yet"
    clock = [100.0]
    monkeypatch.setattr(seat, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    update = state.store.update

    def slow(*args: Any) -> Any:
        clock[0] += 5
        return update(*args)

    heart = Heart(state.store, "one", FAST)
    monkeypatch.setattr(state.store, "update", slow)
    assert heart.beat()
    assert heart.lease_ends_at() < 100 + heart.lease_s
    assert not heart.is_live()


def test_the_counter_grows_no_sooner_than_a_beat_after_a_write_that_took_long(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(ONE)
    clock = [100.0]
    monkeypatch.setattr(seat, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    heart = Heart(state.store, None, FAST)
    assert heart.beat()
    change_pass = state.store.change_pass

    def slow(change: Callable[[PassRecord], PassRecord | None]) -> PassRecord | None:
        clock[0] += 60
        return change_pass(change)

    monkeypatch.setattr(state.store, "change_pass", slow)
    clock[0] += 1
    before = state.store.the_pass().beat
    assert heart.beat()
    assert state.store.the_pass().beat == before + 1
    assert heart.beat()
    assert state.store.the_pass().beat == before + 1, "workers would be lost too soon"


def test_a_draining_worker_stays_so_when_it_beats(deployed: Deployed) -> None:
    state = deployed(ONE)
    bench = Workbench(state.store)
    bench.put("one", ("default",), 1, is_external=False)
    bench.change("one", state="draining")
    assert bench.beat("one").state == "draining"
    bench.change("one", state="lost")
    assert bench.beat("one").state == "running"


def test_a_state_folder_has_one_id(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    assert home_of(tmp_path) == home_of(tmp_path) != home_of(tmp_path / "other")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "other"]


def test_workers_of_two_folders_over_one_store_have_different_names(
    deployed: Deployed, tmp_path: Path
) -> None:
    bench, record = Workbench(deployed(ONE).store), WorkerRecord(worker="", incarnation="a")
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    first, second = (Seat(folder, None, bench, record) for folder in folders)
    assert second.name == f"{first.name}-2"
    with pytest.raises(UsageError, match=f"worker {first.name} is live"):
        Seat(folders[1], first.name, bench, record)
    first.close()
    assert Seat(folders[0], None, bench, record).name == first.name, "a restarted one has its name at once"


def test_a_name_is_free_once_its_worker_is_lost(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed(ONE)
    bench = Workbench(state.store)
    assert bench.take_seat(WorkerRecord(worker="press", incarnation="a", home="1"))
    heart = Heart(state.store, "press", FAST, "a")
    until(heart.beat)
    taker = WorkerRecord(worker="press", incarnation="b", home="2")
    assert not bench.take_seat(taker)
    bench.change("press", "a", state="lost")
    assert bench.take_seat(taker)
    with pytest.raises(FencedError, match="worker press belongs to another serve"):
        until(heart.beat)
    with pytest.raises(FencedError):
        bench.change("press", "a", state="lost")
    assert state.store.workers()["press"].state == "running"


def test_a_heart_sees_that_another_machine_asks_for_a_pass(deployed: Deployed) -> None:
    state = deployed(ONE)
    heart = Heart(state.store, None, FAST)
    asked = []
    steps: list[Callable[[], object]] = [partial(state.passes.run, NOW), state.ask_for_pass]
    for step in [*steps, steps[0]]:
        step()
        until(heart.beat)
        asked.append(heart.is_asked)
    assert asked == [False, True, False]


def test_ticks_let_the_counter_grow_by_their_own_time(deployed: Deployed) -> None:
    store, liveness = deployed(ONE).store, Liveness()
    numbers = []
    for seconds in (0, 4, 5, 9, 60, 61, 3, 7, 8):
        count_tick(store, liveness, NOW + timedelta(seconds=seconds))
        numbers.append(store.the_pass().beat)
    assert numbers == [0, 0, 1, 1, 2, 2, 2, 2, 3]  # a time that went back is stored, and increments nothing


def _beat_once(heart: Heart, state: State) -> None:
    number = state.store.the_pass().beat
    until(lambda: heart.beat() and state.store.the_pass().beat > number)


def test_a_tick_beside_a_serve_increments_nothing(deployed: Deployed) -> None:
    state = deployed(ONE)
    heart = Heart(state.store, None, FAST)
    for count in range(3):
        _beat_once(heart, state)
        number = state.store.the_pass().beat
        count_tick(state.store, Liveness(), NOW + timedelta(minutes=count))
        assert state.store.the_pass().beat == number


def test_a_heart_stops_beating_when_a_newer_scoopi_has_changed_the_records(deployed: Deployed) -> None:
    state = deployed(ONE)
    Workbench(state.store).put("one", ("default",), 1, is_external=False)
    state.store.change_pass(lambda record: replace(record, state_format=STATE_FORMAT + 1))
    with pytest.raises(RecordError, match="a newer Scoopi has changed the records"):
        Heart(state.store, "one", FAST).beat()


def test_an_outage_of_the_store_is_logged_when_it_begins_and_when_it_is_over(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    state = deployed(ONE)
    Workbench(state.store).put("one", ("default",), 1, is_external=False)
    clock = [100.0]
    monkeypatch.setattr(seat, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    heart = Heart(state.store, "one", FAST)
    the_pass = state.store.the_pass

    def away() -> PassRecord:
        raise StoreError("the database does not answer", hint="is it running?")

    with caplog.at_level(logging.WARNING):
        for is_away in (False, True, True, True, False, False, True):
            monkeypatch.setattr(state.store, "the_pass", away if is_away else the_pass)
            clock[0] += 7
            assert heart.beat() != is_away
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        "the heartbeat could not be renewed",
        "the heartbeat is renewed again after 21 s",
        "the heartbeat could not be renewed",
    ]


def test_a_worker_is_dead_if_nobody_listens_under_its_name_in_its_own_folder(tmp_path: Path) -> None:
    home = home_of(tmp_path)
    seat = WorkerRecord(worker="w", incarnation="", home=home, beat=1)
    assert dead_workers(tmp_path, [seat]) == {"w"}
    pipe = WakeUp(tmp_path, "w")
    assert dead_workers(tmp_path, [seat]) == frozenset()
    pipe.close()
    elsewhere, stopped = replace(seat, home="other"), replace(seat, state="lost")
    assert dead_workers(tmp_path, [elsewhere, stopped, replace(seat, home="")]) == frozenset()
