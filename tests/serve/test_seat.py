"""A seat gives each live worker a name of its own, and its heart beats without comparing clocks."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import pytest

from scoopi.errors import UsageError
from scoopi.model.schedule.schedule_settings import Liveness
from scoopi.serve.seat import Heart, Seat
from scoopi.serve.workbench import Workbench
from tests.serve.conftest import Deployed
from tests.serve.serving import until

ONE = "processes: {p: {executes: external:x}}"
FAST = Liveness(beat=timedelta(milliseconds=20), gap=3)


def test_a_second_worker_of_a_host_gets_the_next_name_and_a_free_one_is_used_again(tmp_path: Path) -> None:
    first, second = Seat(tmp_path, None), Seat(tmp_path, None)
    assert second.name == f"{first.name}-2"
    first.close()
    assert Seat(tmp_path, None).name == first.name


def test_a_name_that_a_live_worker_has_is_refused(tmp_path: Path) -> None:
    seat = Seat(tmp_path, "press")
    with pytest.raises(UsageError, match="worker press is live"):
        Seat(tmp_path, "press")
    seat.close()
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


def test_a_draining_worker_stays_so_when_it_beats(deployed: Deployed) -> None:
    state = deployed(ONE)
    bench = Workbench(state.store)
    bench.put("one", ("default",), 1, is_external=False)
    bench.change("one", state="draining")
    assert bench.beat("one").state == "draining"
    bench.change("one", state="lost")
    assert bench.beat("one").state == "running"
