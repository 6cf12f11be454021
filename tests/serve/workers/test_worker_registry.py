"""A worker is changed by its own process only, and heartbeats make a lost one live again."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from scoopi.errors import FencedError, UsageError
from scoopi.model.schedule.liveness import Liveness
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.model.schedule.schedule_settings import Schedule, ScheduleSettings
from scoopi.serve.workers.worker_heartbeat import WorkerHeartbeat
from scoopi.serve.workers.worker_registry import WorkerRegistry
from tests.serve.conftest import NOW, Deployed
from tests.serve.serving import until

ONE = "processes: {p: {executes: external:x}}"
FAST = Liveness(beat=timedelta(milliseconds=20), gap=3)


def test_a_draining_worker_stays_so_when_it_beats(deployed: Deployed) -> None:
    state = deployed(ONE)
    registry = WorkerRegistry(state.store)
    registry.put("one", ("default",), 1, is_external=False)
    registry.change("one", state="draining")
    assert registry.beat("one").state == "draining"
    registry.change("one", state="lost")
    assert registry.beat("one").state == "running"


def test_a_name_is_free_once_its_worker_is_lost(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed(ONE)
    registry = WorkerRegistry(state.store)
    assert registry.register(WorkerRecord(worker="press", incarnation="a", home="1"))
    heartbeat = WorkerHeartbeat(
        state.store, "press", lambda bundle: Schedule({}, ScheduleSettings(liveness=FAST)), "a"
    )
    until(heartbeat.beat)
    taker = WorkerRecord(worker="press", incarnation="b", home="2")
    assert not registry.register(taker)
    registry.change("press", "a", state="lost")
    assert registry.register(taker)
    with pytest.raises(FencedError, match="worker press belongs to another serve"):
        until(heartbeat.beat)
    with pytest.raises(FencedError):
        registry.change("press", "a", state="lost")
    assert state.store.workers()["press"].state == "running"


def test_a_registered_worker_is_live_without_heartbeats_until_its_first(deployed: Deployed) -> None:
    registry = WorkerRegistry(deployed(ONE).store)
    record = registry.put("w", ("default", "big"), 5, is_external=True)
    assert (record.beat, record.capacity, record.groups) == (None, 5, ("default", "big"))
    assert registry.beat("w").beat == 0


def test_a_worker_has_its_state_since_the_change_and_none_when_it_is_live_again(deployed: Deployed) -> None:
    registry = WorkerRegistry(deployed(ONE).store)
    registry.put("w", ("default",), 2, is_external=True)
    assert registry.change("w", state="lost", since=NOW).since == NOW
    back = registry.beat("w")
    assert (back.state, back.since) == ("running", None)


def test_an_unknown_worker_has_no_heartbeat(deployed: Deployed) -> None:
    with pytest.raises(UsageError, match="unknown worker v"):
        WorkerRegistry(deployed(ONE).store).beat("v")
