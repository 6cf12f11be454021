"""IncrementalCollector: one round at a time, in steps, by one of the processes that share the records."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from scoopi.errors import BusyRecordError, StoreError
from scoopi.model.schedule.schedule_records import ENDED, JobRecord
from scoopi.serve.gc.incremental_collector import IncrementalCollector
from scoopi.serve.state import State
from tests.serve.conftest import NOW, Deployed

OLD = JobRecord(process="p", slot="!1", state="noop", phase=ENDED, created=NOW, changed=NOW)
LATER = NOW + timedelta(days=500)


@pytest.fixture
def state(deployed: Deployed) -> State:
    state = deployed("processes: {p: {executes: external:x}}")
    state.store.write(None, OLD)
    return state


def collector(state: State) -> IncrementalCollector:
    return IncrementalCollector(state, collects_records=True, collects_folders=True)


def away(*given: object) -> list[JobRecord]:
    raise StoreError("the store is away")


def ended_slots(state: State) -> list[str]:
    return [job.slot for job in state.store.scan(JobRecord, ENDED)]


def test_a_round_that_is_due_is_finished(state: State) -> None:
    one = collector(state)
    assert one.wait_s() == 0
    one.finish(LATER)
    assert ended_slots(state) == []
    state.store.write(None, OLD)
    one.finish(LATER)
    assert ended_slots(state) == ["!1"], "the next round is not due"


def test_a_turn_makes_a_step_and_the_next_one_is_due_later(state: State) -> None:
    one = collector(state)
    one.turn(LATER)
    assert ended_slots(state) == []
    assert one.wait_s() > 0


def test_of_two_processes_one_runs_the_round(state: State) -> None:
    collector(state).finish(LATER)
    state.store.write(None, OLD)
    collector(state).finish(LATER + timedelta(seconds=30))
    assert ended_slots(state) == ["!1"]
    collector(state).finish(LATER - timedelta(days=90))
    assert ended_slots(state) == [], "a clock that has gone back does not stop it for ever"


def test_rounds_are_as_far_apart_as_the_project_says(deployed: Deployed) -> None:
    state = deployed("settings: {gc: {every: 1h}}\nprocesses: {p: {executes: external:x}}")
    begun = []
    for minutes in (0, 59, 61, 119, 122):
        state.store.write(None, OLD)
        collector(state).finish(LATER + timedelta(minutes=minutes))
        begun.append(ended_slots(state) == [])
    assert begun == [True, False, True, False, True]


def test_a_process_without_passes_removes_no_records(state: State) -> None:
    IncrementalCollector(state, collects_records=False, collects_folders=True).finish(LATER)
    assert ended_slots(state) == ["!1"]


def test_after_a_failure_of_the_store_a_later_round_removes_the_rest(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = collector(state)
    monkeypatch.setattr(state.store, "page", away)
    with pytest.raises(StoreError):
        one.turn(LATER)
    monkeypatch.undo()
    state.store.change_scheduler(lambda old: replace(old, collected=None, version=old.version + 1))
    collector(state).finish(LATER)
    assert ended_slots(state) == []


def test_if_it_cannot_be_noted_that_a_round_begins_the_next_round_removes_the_records(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*given: object) -> None:
        raise BusyRecordError("it keeps changing")

    with monkeypatch.context() as patched:
        patched.setattr(state.store, "change_scheduler", busy)
        collector(state).finish(LATER)
    assert ended_slots(state) == ["!1"]
    collector(state).finish(LATER)
    assert ended_slots(state) == []
