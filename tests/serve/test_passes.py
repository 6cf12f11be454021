"""Passes: one at a time, none forgotten, and the same end however many processes run them."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.scheduler.decisions import Decision, ScheduleRecord, changed
from scoopi.scheduler.reconcile import reconcile
from scoopi.scheduler.snapshot import Snapshot
from scoopi.serve import passes
from scoopi.serve.state import State
from tests.serve.conftest import NOW, Deployed

HOURLY = 'processes: {p: {executes: external:x, trigger: {cron: "0 * * * *"}, catchup: all, overlap: allow}}'


def test_a_pass_creates_the_job_and_the_attempt_of_a_fire_once(deployed: Deployed) -> None:
    state = deployed(HOURLY)
    now = NOW + timedelta(hours=1, seconds=5)
    rows = state.passes.run(now)
    assert [row["decision"] for row in rows or ()] == [
        "job_made",
        "attempt_made",
        "job_moved",
        "attempt_placed",
    ]
    assert state.passes.run(now) == []


def test_a_pass_that_finds_another_one_running_makes_it_look_again(deployed: Deployed) -> None:
    state = deployed(HOURLY)
    held = msgspec.structs.replace
    state.store.change_pass(lambda record: held(record, holder="other", until=NOW + timedelta(seconds=30)))
    assert state.passes.run(NOW + timedelta(seconds=1)) is None
    assert state.store.the_pass().look_again


def test_a_dead_pass_is_replaced_after_its_time(deployed: Deployed) -> None:
    state = deployed(HOURLY)
    held = msgspec.structs.replace
    state.store.change_pass(lambda record: held(record, holder="other", until=NOW + timedelta(seconds=30)))
    assert state.passes.run(NOW + timedelta(seconds=31)) == []
    assert state.store.the_pass().holder == ""


@pytest.mark.parametrize("is_taken", [False, True])
def test_a_long_pass_renews_its_lease_or_ends_when_another_one_has_taken_it(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch, is_taken: bool
) -> None:
    state = deployed(HOURLY)
    now, clock, seen = NOW + timedelta(hours=1, seconds=5), [0.0], []
    monkeypatch.setattr(passes, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def slow(snapshot: Snapshot) -> list[Decision]:
        clock[0] += 20
        seen.append(state.store.the_pass())
        if is_taken:
            state.store.change_pass(lambda record: msgspec.structs.replace(record, holder="other"))
        return reconcile(snapshot)

    monkeypatch.setattr(passes, "reconcile", slow)
    state.passes.run(now)
    if is_taken:
        assert len(seen) == 1, "another round would decide beside the other pass"
        assert state.store.the_pass().holder == "other"
    else:
        assert [each.until for each in seen[:2]] == [now + timedelta(seconds=30), now + timedelta(seconds=50)]
        assert state.store.the_pass().holder == ""


def test_a_pass_is_not_held_up_by_one_of_a_clock_that_was_ahead(deployed: Deployed) -> None:
    state = deployed(HOURLY)
    held = msgspec.structs.replace
    state.store.change_pass(lambda record: held(record, holder="other", until=NOW + timedelta(days=1)))
    assert state.passes.run(NOW) == []


def test_processes_that_run_passes_at_the_same_time_create_every_job_once(
    deployed: Deployed, tmp_path: Path
) -> None:
    state = deployed(HOURLY)
    now = (NOW + timedelta(hours=1, minutes=1)).isoformat()
    command = [sys.executable, "-m", "scoopi", "tick", "--state", str(tmp_path / "scheduler"), "--now", now]
    ticks = [
        subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) for _ in range(4)
    ]
    assert [tick.wait(60) for tick in ticks] == [0, 0, 0, 0]
    assert [job.slot for job in state.store.active_jobs().values()] == ["@2026-01-01T01:00:00Z"]
    assert [attempt.number for attempt in state.store.open_attempts()] == [1]


def test_several_processes_may_create_a_state_at_the_same_time(tmp_path: Path) -> None:
    folder = str(tmp_path / "s")
    program = f"from pathlib import Path; from scoopi.serve.state import State; State(Path({folder!r}))"
    opened = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(6)]
    assert [each.wait(60) for each in opened] == [0] * 6
    with State(tmp_path / "s") as state:
        assert state.passes.run(NOW) == []
    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "s/state.db").stat().st_mode & 0o777 == 0o600


def test_what_was_decided_long_ago_is_decided_again(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(HOURLY)
    times = itertools.chain([0.0] * 3, itertools.repeat(3600.0))
    monkeypatch.setattr(passes, "time", SimpleNamespace(monotonic=lambda: next(times)))
    now = NOW + timedelta(hours=2, seconds=5)
    rows = state.passes.run(now)
    decisions = [row["decision"] for row in rows or ()]
    assert decisions[:2] == ["job_made", "job_made"], "the process was stopped after the first write"
    assert decisions.count("attempt_placed") == 1
    assert state.passes.run(now) == []


def test_a_pass_reads_the_records_again_only_if_another_writer_was_first(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(HOURLY)
    read, write, readings = state.store.open_attempts, state.store.write, [0]

    def counted() -> Sequence[AttemptRecord]:
        readings[0] += 1
        return read()

    monkeypatch.setattr(state.store, "open_attempts", counted)
    assert len(state.passes.run(NOW + timedelta(hours=1, seconds=5)) or ()) == 4, "in several rounds"
    assert readings == [1]

    def overtaken(old: ScheduleRecord | None, new: ScheduleRecord) -> bool:
        monkeypatch.setattr(state.store, "write", write)
        assert write(old, changed(new))
        return write(old, new)

    monkeypatch.setattr(state.store, "write", overtaken)
    rows = state.passes.run(NOW + timedelta(hours=2, seconds=5)) or []
    assert [row["decision"] for row in rows] == ["attempt_made", "job_moved", "attempt_placed"]
    assert readings == [3]
