"""RecordCollector: removes what is older than what is kept, and nothing that a later pass asks for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoopi.errors import BusyRecordError
from scoopi.model.schedule.notice_record import CLOSED, OPEN, NoticeRecord
from scoopi.model.schedule.schedule_records import (
    ACTIVE,
    ENDED,
    LIVE,
    PAST,
    AttemptRecord,
    JobRecord,
    ProcessRecord,
    WorkerRecord,
)
from scoopi.model.schedule.stored_bytes import KeptLog
from scoopi.model.text.store_url import parse_store_url
from scoopi.serve.gc.record_collector import MOST_REMOVED, RecordCollector
from scoopi.serve.state import State
from tests.scheduler.scenarios.records import attempt_of
from tests.serve.conftest import NOW, Deployed

SETTINGS = """
settings: {gc: {retention: {jobs: 40d, attempts: 10d, logs: 2d, bundles: 3d}}}
processes:
  daily: {executes: external:x, qualifier: daily, trigger: {}}
  often: {executes: external:x, trigger: {every: 1m}, history: 3}
"""
DAY = timedelta(days=1)


def job(slot: str, process: str = "daily", ended: timedelta = 41 * DAY, **fields: object) -> JobRecord:
    at = NOW - ended
    record = JobRecord(process=process, slot=slot, state="processed", phase=ENDED, created=at, changed=at)
    return replace(record, **fields)


def attempt(of: JobRecord, number: int = 1, ended: timedelta = 11 * DAY, **fields: object) -> AttemptRecord:
    at = NOW - ended
    record = attempt_of(
        process=of.process, slot=of.slot, number=number, status="succeeded", phase=PAST, created=at, ended=at
    )
    return replace(record, **fields)


def put(state: State, *records: JobRecord | AttemptRecord | WorkerRecord) -> None:
    for record in records:
        assert state.store.write(None, record)


def planned(state: State) -> State:
    """The calendar of all processes has come to now."""
    for name in ("daily", "often"):
        state.store.update(ProcessRecord, name, lambda old: old and replace(old, last_fire=NOW))
    return state


def collected(state: State, *, is_dry: bool = False) -> list[tuple[str, str]]:
    steps = RecordCollector(state, NOW, is_dry=is_dry).steps()
    return [(each.kind, each.name) for step in steps for each in step]


def names(state: State) -> list[str]:
    return [record.job for record in state.store.scan(JobRecord)]


@pytest.fixture
def state(deployed: Deployed) -> State:
    return planned(deployed(SETTINGS))


@pytest.fixture(params=["sqlite", "postgresql", "hazelcast"])
def any_state(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[State]:
    """The state in each kind of store."""
    url, cluster = None, None
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    elif request.param == "hazelcast":
        cluster = request.getfixturevalue("cluster").settings
        url = f"hazelcast://{cluster.addresses[0]}/test-{tmp_path.name.lower()[:20]}"
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "jobs.yml").write_text(SETTINGS)
    with State(tmp_path / "state", url and parse_store_url(url), cluster) as state:
        state.deploy(tmp_path / "jobs", None, NOW)
        yield planned(state)


def test_jobs_go_with_their_attempts_and_are_noted(state: State) -> None:
    old, young = job("D:2025112000", attempts=2), job("D:2025112100", ended=39 * DAY)
    put(state, old, young, attempt(old, ended=DAY), attempt(old, 2, DAY), attempt(young, ended=DAY))
    assert collected(state, is_dry=True) == [("job", old.job)]
    assert collected(state) == [("job", old.job)]
    assert names(state) == [young.job]
    assert not state.store.attempts_of(old.job)
    assert len(state.store.attempts_of(young.job)) == 1
    assert state.store.processes()["daily"].removed == {"D processed": [("D:2025112000", "D:2025112000")]}
    assert collected(state) == []


def test_everything_that_is_too_old_is_removed_from_each_store(any_state: State) -> None:
    store = any_state.store
    old, young = job("D:2025112000", attempts=1), job("D:2025112100", ended=39 * DAY)
    logged = attempt(young, 2, 3 * DAY, has_log=True)
    put(any_state, old, young, attempt(old, ended=DAY), attempt(young), logged)
    store.keep_log(logged, KeptLog(fence=0, before=0, data=b"text"))
    put(any_state, WorkerRecord(worker="w", incarnation="1", state="lost", capacity=1.0))
    gone = [("job", old.job), ("attempt", f"{young.job}/1"), ("log", logged.attempt), ("worker", "w")]
    assert collected(any_state, is_dry=True) == gone
    assert collected(any_state) == gone
    assert names(any_state) == [young.job]
    assert [each.number for each in store.attempts_of(young.job)] == [2]
    assert store.kept_log(logged) is None
    assert collected(any_state) == []


def test_a_process_keeps_as_many_ended_jobs_as_its_history(state: State) -> None:
    jobs = [job(f"!{number}", "often", timedelta(hours=20 - number)) for number in range(1, 8)]
    put(state, *jobs, job("!9", "often", phase=ACTIVE, state="embryo"))
    assert collected(state) == [("job", each.job) for each in jobs[:4]]
    assert names(state) == [*(each.job for each in jobs[4:]), "often/!9"]


def test_the_attempts_whose_progress_a_job_continues_stay_until_it_is_over(state: State) -> None:
    held = job("!1", phase=ACTIVE, state="in_progress", attempts=3)
    put(state, held, *(attempt(held, number) for number in (1, 2, 3)))
    assert collected(state) == [("attempt", f"{held.job}/1")]
    assert [each.number for each in state.store.attempts_of(held.job)] == [2, 3]


def test_nothing_is_removed_within_an_hour_of_its_end(state: State) -> None:
    put(state, *(job(f"!{number}", "often", timedelta(minutes=59)) for number in range(9)))
    assert collected(state) == []


def test_a_job_that_is_needed_stays(state: State) -> None:
    future, held = job("D:2026020100"), job("D:2025110100")
    put(state, future, held, attempt(held, phase=LIVE, status="running"))
    assert collected(state) == []


def test_a_job_that_runs_again_meanwhile_stays(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    old = job("D:2025112000")
    put(state, old)
    remove = state.store.remove
    again = replace(old, phase=ACTIVE, state="embryo", version=1)

    def overtaken(records: list[JobRecord]) -> list[JobRecord]:
        if old in records:
            assert state.store.write(old, again)
        return remove(records)

    monkeypatch.setattr(state.store, "remove", overtaken)
    assert collected(state) == []
    assert state.store.jobs([old.job]) == {old.job: again}


def test_one_step_removes_a_limited_number(state: State) -> None:
    put(state, *(job(f"!{number}") for number in range(MOST_REMOVED + 5)))
    assert len(collected(state)) == MOST_REMOVED
    assert len(collected(state)) == 5


def test_a_replaced_bundle_is_removed_when_no_open_attempt_began_with_it(deployed: Deployed) -> None:
    state = planned(deployed(SETTINGS))
    first = state.current()[0]
    planned(deployed(SETTINGS + "  third: {executes: external:x}\n"))
    replaced = {first: NOW - 4 * DAY}
    state.store.change_scheduler(lambda old: replace(old, former=replaced, version=old.version + 1))
    running = attempt(job("!1"), phase=LIVE, status="running", bundle=first)
    put(state, running)
    assert collected(state) == []
    assert state.store.remove([running])
    assert collected(state) == [], "its parts were stored three days later than it was replaced"
    later = RecordCollector(state, NOW + 4 * DAY).steps()
    assert [each.name for step in later for each in step] == [first]
    assert not state.store.has_bundle(first)
    assert state.store.scheduler().former == {}


def test_workers_stay_that_run_or_were_registered_by_hand(state: State) -> None:
    lost = WorkerRecord(worker="killed", incarnation="1", state="lost", capacity=1.0, beat=9)
    state.store.change_scheduler(lambda old: replace(old, beat=100_000, version=old.version + 1))
    put(
        state,
        lost,
        replace(lost, worker="external", is_external=True),
        replace(lost, worker="idle", is_external=True, beat=None, state="running"),
        replace(lost, worker="removed", is_external=True, beat=None),
        replace(lost, worker="stopped", beat=99_000),
        replace(lost, worker="live", state="running", beat=100_000),
        replace(lost, worker="busy"),
        attempt(job("!1"), phase=LIVE, status="running", worker="busy"),
    )
    assert collected(state) == [("worker", "killed"), ("worker", "removed")]


def test_notices_are_kept_as_long_as_events_from_when_they_were_sent(state: State) -> None:
    sent = NoticeRecord(
        notice="sent",
        phase=CLOSED,
        event="failed",
        process="daily",
        slot="!1",
        at=NOW - 30 * DAY,
        via=("true",),
        bundle="b",
        closed=NOW - 8 * DAY,
    )
    open_notice = replace(sent, notice="open", phase=OPEN, closed=None)
    for notice in (sent, replace(sent, notice="young", closed=NOW - 6 * DAY), open_notice):
        assert state.store.write(None, notice)
    assert collected(state) == [("notice", "sent")]
    assert [each.notice for each in state.store.scan(NoticeRecord)] == ["open", "young"]


def test_records_that_cannot_be_written_now_hold_up_no_other_removal(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, other = job("D:2025112000", attempts=1), job("!1", "often", 41 * DAY)
    young = job("D:2025112100", ended=DAY)
    logged = [attempt(young, number, 3 * DAY, has_log=True) for number in (2, 3)]
    put(state, old, other, young, attempt(old), *logged)
    update, write = state.store.update, state.store.write

    def updated(kind: Any, key: str, change: Any) -> Any:
        if key == "daily":
            raise BusyRecordError("it keeps changing")
        return update(kind, key, change)

    def written(before: Any, new: Any) -> bool:
        if new == replace(logged[0], has_log=False, version=1):
            raise BusyRecordError("it keeps changing")
        return write(before, new)

    with monkeypatch.context() as patched:
        patched.setattr(state.store, "update", updated)
        patched.setattr(state.store, "write", written)
        assert collected(state) == [
            ("job", other.job),
            ("attempt", f"{old.job}/1"),
            ("log", logged[1].attempt),
        ]
    assert names(state) == [old.job, young.job]
    assert collected(state) == [("job", old.job), ("log", logged[0].attempt)]
