"""Passes: one at a time, none forgotten, and the same end however many processes run them."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from scoopi.errors import BusyRecordError, StoreError
from scoopi.model.schedule.schedule_records import AttemptRecord, JobRecord
from scoopi.scheduler.decisions import DecidedRecord, Decision, changed
from scoopi.scheduler.planning.due_times import DueTimes
from scoopi.scheduler.planning.plan_faults import PlanFault, PlanFaults
from scoopi.scheduler.reconcile import reconcile
from scoopi.scheduler.snapshot import Snapshot
from scoopi.serve import passes
from scoopi.serve.claims.attempt_claims import AttemptClaims
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from scoopi.serve.workers.worker_registry import WorkerRegistry
from tests.serve.conftest import NOW, Deployed
from tests.serve.serving import Serving, until

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


def test_a_pass_that_finds_another_one_running_requests_its_repetition(deployed: Deployed) -> None:
    state = deployed(HOURLY)
    held = msgspec.structs.replace
    state.store.change_scheduler(
        lambda record: held(record, holder="other", until=NOW + timedelta(seconds=30))
    )
    assert state.passes.run(NOW + timedelta(seconds=1)) is None
    assert state.store.scheduler().is_requested


def test_a_pass_that_is_asked_to_repeat_repeats_before_it_ends(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(HOURLY)
    with State(state.folder) as other:
        asked: list[object] = []

        def asking(snapshot: Snapshot, faults: PlanFaults) -> list[Decision]:
            decisions = [*reconcile(snapshot, faults)]
            if not decisions and not asked:
                ProcessService(other, NOW).launch("p", {})
                asked.append(other.passes.run(NOW))
            return decisions

        monkeypatch.setattr(passes, "reconcile", asking)
        rows = state.passes.run(NOW) or []
    assert asked == [None], "the other one does not wait"
    assert [row["decision"] for row in rows] == ["attempt_made", "job_moved", "attempt_placed"]
    assert (state.store.scheduler().holder, state.store.scheduler().is_requested) == ("", False)


def test_a_dead_pass_is_replaced_after_its_time(deployed: Deployed) -> None:
    state = deployed(HOURLY)
    held = msgspec.structs.replace
    state.store.change_scheduler(
        lambda record: held(record, holder="other", until=NOW + timedelta(seconds=30))
    )
    assert state.passes.run(NOW + timedelta(seconds=31)) == []
    assert state.store.scheduler().holder == ""


@pytest.mark.parametrize("is_taken", [False, True])
def test_a_long_pass_renews_its_lease_or_ends_when_another_one_has_taken_it(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch, is_taken: bool
) -> None:
    state = deployed(HOURLY)
    now, clock, seen = NOW + timedelta(hours=1, seconds=5), [0.0], []
    monkeypatch.setattr(passes, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def slow(snapshot: Snapshot, faults: PlanFaults) -> list[Decision]:
        clock[0] += 20
        seen.append(state.store.scheduler())
        if is_taken:
            state.store.change_scheduler(lambda record: msgspec.structs.replace(record, holder="other"))
        return reconcile(snapshot, faults)

    monkeypatch.setattr(passes, "reconcile", slow)
    state.passes.run(now)
    if is_taken:
        assert len(seen) == 1, "another round would decide beside the other pass"
        assert state.store.scheduler().holder == "other"
    else:
        assert [each.until for each in seen[:2]] == [now + timedelta(seconds=30), now + timedelta(seconds=50)]
        assert state.store.scheduler().holder == ""


def test_a_pass_is_not_held_up_by_one_of_a_clock_that_was_ahead(deployed: Deployed) -> None:
    state = deployed(HOURLY)
    held = msgspec.structs.replace
    state.store.change_scheduler(lambda record: held(record, holder="other", until=NOW + timedelta(days=1)))
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
    clock, write = [0.0], state.store.write
    monkeypatch.setattr(passes, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def stopped_after(old: DecidedRecord | None, new: DecidedRecord) -> bool:
        is_written = write(old, new)
        clock[0] = 3600.0
        return is_written

    monkeypatch.setattr(state.store, "write", stopped_after)
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

    def overtaken(old: DecidedRecord | None, new: DecidedRecord) -> bool:
        monkeypatch.setattr(state.store, "write", write)
        assert write(old, changed(new))
        return write(old, new)

    monkeypatch.setattr(state.store, "write", overtaken)
    rows = state.passes.run(NOW + timedelta(hours=2, seconds=5)) or []
    assert [row["decision"] for row in rows] == ["attempt_made", "job_moved", "attempt_placed"]
    assert readings == [3]


def test_an_end_counts_although_another_writer_changes_its_job_before_the_pass(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(HOURLY)
    job = ProcessService(state, NOW).launch("p", {})["job"]
    state.passes.run(NOW)
    WorkerRegistry(state.store).put("w", ("default",), 1, is_external=True)
    claims = AttemptClaims(state.store)
    (attempt,) = claims.claim("w", NOW, {"p": "x"})
    claims.end(attempt, 1, "succeeded", NOW)
    write = state.store.write

    def overtaken(old: DecidedRecord | None, new: DecidedRecord) -> bool:
        monkeypatch.setattr(state.store, "write", write)
        assert isinstance(old, JobRecord)
        assert write(old, changed(old)), "as a pass beside this one does, of a clock that is ahead"
        return write(old, new)

    monkeypatch.setattr(state.store, "write", overtaken)
    state.passes.run(NOW + timedelta(seconds=1))
    state.passes.run(NOW + timedelta(seconds=2))
    assert state.store.jobs([job])[job].state == "processed"
    assert state.store.open_attempts() == []


def test_a_process_that_cannot_be_planned_stops_no_other_and_is_logged_once(
    deployed: Deployed, caplog: pytest.LogCaptureFixture
) -> None:
    state = deployed("""
        processes:
          broken: {executes: external:x, trigger: {every: 1h, since: "9999-12-31T23:30:00Z"}}
          sound: {executes: external:x, trigger: {every: 1m}, overlap: allow}
    """)
    for minute in range(1, 4):
        rows = state.passes.run(NOW + timedelta(minutes=minute))
        assert [row["job"] for row in rows or () if row["decision"] == "job_made"] == [
            f"sound/@2026-01-01T00:0{minute}:00Z"
        ]
        assert state.passes.run(NOW + timedelta(minutes=minute)) == [], "nothing is decided again and again"
        assert state.passes.unplanned() == "not planned: broken; scoopi process show says why"
        assert state.passes.last is not None
        assert DueTimes().next(state.passes.last) == NOW + timedelta(minutes=minute + 1)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    deployed("processes: {sound: {executes: external:x, trigger: {every: 1m}, overlap: allow}}")
    state.passes.run(NOW + timedelta(minutes=4))
    assert caplog.messages[1:] == ["process broken is planned again without errors"]
    assert state.passes.unplanned() == ""


def test_a_job_whose_retry_cannot_be_planned_keeps_nobody_waiting(deployed: Deployed) -> None:
    state = deployed("processes: {p: {executes: external:x, trigger: {every: 1h, jitter: 30m}}}")
    ProcessService(state, NOW).launch("p", {}, "@9999-12-31T23:59:59Z")
    job = state.store.active_jobs()["p/@9999-12-31T23:59:59Z"]
    state.store.write(job, changed(job, retry_at=NOW + timedelta(minutes=5)))
    state.passes.run(NOW)
    assert not state.passes.awaits_retry


def faults(*found: PlanFault) -> PlanFaults:
    made = PlanFaults()
    made.found = {each.subject: each for each in found}
    return made


def test_an_error_of_a_process_is_logged_once_until_it_is_gone(caplog: pytest.LogCaptureFixture) -> None:
    log = passes.FaultLog()
    caplog.set_level(logging.WARNING)
    one = PlanFault("p", "p/!1", OverflowError("at 10:00"))
    log.note(faults(one))
    log.note(faults(one))
    log.note(faults(PlanFault("p", "p/!2", OverflowError("at 10:01"))))
    log.note(faults(one, PlanFault("q", "q", ValueError("x"))))
    log.note(faults(one))
    log.note(faults())
    log.note(faults(one))
    assert [record.getMessage().partition(";")[0] for record in caplog.records] == [
        "p/!1 cannot be planned: OverflowError: at 10:00",
        "the slots of q cannot be planned: ValueError: x",
        "process q is planned again without errors",
        "process p is planned again without errors",
        "p/!1 cannot be planned: OverflowError: at 10:00",
    ]
    assert [bool(record.exc_info) for record in caplog.records] == [True, True, False, False, True]


def test_many_errors_of_one_kind_are_one_line(caplog: pytest.LogCaptureFixture) -> None:
    passes.FaultLog().note(faults(*(PlanFault("p", f"p/!{n}", KeyError(n)) for n in range(500))))
    assert len(caplog.records) == 1


def test_a_retry_begins_when_it_is_due_although_the_next_sweep_is_far(serving: Serving) -> None:
    serving.write(
        "jobs.yml",
        "settings: {every: 600s}\n"
        "processes: {p: {executes: {command: ['false']}, retry: {max: 1, delay: 1s}}}\n",
    )
    serving.run("deploy", "jobs")
    serving.run("launch", "p")
    with serving.served():
        until(lambda: serving.job("p/!1") == "failed")
    assert serving.attempt("p/!1/2")["status"] == "failed"


BAD_AND_GOOD = (
    "processes: {bad: {executes: external:x, trigger: {every: 1h}},"
    " good: {executes: external:x, trigger: {every: 1h}}}"
)


def test_a_record_that_cannot_be_stored_is_noted_and_stops_no_other_one(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(BAD_AND_GOOD)
    write = state.store.write

    def written(old: DecidedRecord | None, new: DecidedRecord) -> bool:
        if isinstance(new, AttemptRecord) and new.process == "bad":
            new = msgspec.structs.replace(new, explanation="half of a pair: \ud800")
        return write(old, new)

    monkeypatch.setattr(state.store, "write", written)
    for _ in range(2):
        state.passes.run(NOW + timedelta(hours=1))
        assert [each.process for each in state.store.open_attempts()] == ["good"]
        ((subject, fault),) = state.passes.faults.found.items()
        assert subject.startswith("bad/@")
        assert "cannot be stored" in fault.text
    assert [job.attempts for job in state.store.active_jobs().values() if job.process == "bad"] == [0]
    monkeypatch.setattr(state.store, "write", write)
    state.passes.run(NOW + timedelta(hours=1))
    assert len(state.store.open_attempts()) == 2


@pytest.mark.parametrize(("error", "stops"), [(BusyRecordError, False), (StoreError, True)])
def test_a_record_that_keeps_changing_stops_no_other_one_but_an_outage_ends_the_pass(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch, error: type[StoreError], stops: bool
) -> None:
    state = deployed(BAD_AND_GOOD)
    write = state.store.write

    def written(old: DecidedRecord | None, new: DecidedRecord) -> bool:
        if isinstance(new, AttemptRecord) and new.process == "bad":
            raise error("it failed")
        return write(old, new)

    later = NOW + timedelta(hours=1)
    monkeypatch.setattr(state.store, "write", written)
    if stops:
        with pytest.raises(StoreError, match="it failed"):
            state.passes.run(later)
    else:
        state.passes.run(later)
        assert [each.process for each in state.store.open_attempts()] == ["good"]
        assert state.passes.unplanned().startswith("not planned: bad")
    monkeypatch.setattr(state.store, "write", write)
    state.passes.run(later + timedelta(minutes=1))
    assert {each.process for each in state.store.open_attempts()} == {"bad", "good"}


def test_an_interrupted_pass_is_continued_by_its_own_process_at_once(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(HOURLY)
    later = NOW + timedelta(hours=1)
    with monkeypatch.context() as away:
        away.setattr(state.store, "write", refusing)
        with pytest.raises(StoreError):
            state.passes.run(later)
    assert state.store.scheduler().holder
    assert state.passes.run(later + timedelta(seconds=1))
    assert not state.store.scheduler().holder


def slow_writes(monkeypatch: pytest.MonkeyPatch, state: State, clock: list[float], seconds: float) -> None:
    """Let each write of a record take a while, by the clock."""
    write = state.store.write

    def slow(old: Any, new: Any) -> bool:
        clock[0] += seconds
        return write(old, new)

    monkeypatch.setattr(state.store, "write", slow)


def test_a_pass_that_has_taken_its_time_leaves_the_rest_to_the_next_one(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    hourly = HOURLY.removeprefix("processes: {p: ").removesuffix("}")
    state = deployed(f"processes: {{{', '.join(f'{name}: {hourly}' for name in 'pqr')}}}")
    later, clock = NOW + timedelta(hours=1), [0.0]
    monkeypatch.setattr(passes, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    slow_writes(monkeypatch, state, clock, 1.0)
    runs = 0
    while not runs or state.passes.is_unfinished:
        before, runs = state.passes.counts.writes, runs + 1
        state.passes.run(later, most_s=2)
        assert state.passes.counts.writes - before in (1, 2, 3), "each one gets on"
        left = state.store.scheduler()
        assert (left.holder, left.is_requested) == ("", state.passes.is_unfinished)
    assert runs > 2
    assert {each.process for each in state.store.open_attempts()} == {"p", "q", "r"}
    with State(state.folder) as other:
        assert other.passes.run(later) == [], "nothing was left out"


def test_a_pass_that_is_asked_to_repeat_all_the_time_ends(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(HOURLY)
    clock = [0.0]
    monkeypatch.setattr(passes, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    snapshot = state.passes.snapshot

    def asking(*args: object) -> object:
        clock[0] += 1
        state.store.change_scheduler(lambda record: changed(record, is_requested=True))
        return snapshot(NOW)

    monkeypatch.setattr(state.passes, "snapshot", asking)
    assert state.passes.run(NOW, most_s=5) == []
    assert (clock[0], state.passes.is_unfinished) == (5.0, True)
    left = state.store.scheduler()
    assert (left.holder, left.is_requested) == ("", True), "the one that asked finds it free"


def test_a_pass_is_not_ended_before_it_has_written_much_longer_than_it_has_read(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"p{number}" for number in range(20)]
    each = HOURLY.removeprefix("processes: {p: ").removesuffix("}")
    state = deployed(f"processes: {{{', '.join(f'{name}: {each}' for name in names)}}}")
    clock = [0.0]
    monkeypatch.setattr(passes, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    snapshot = state.passes.snapshot

    def read(*args: Any) -> Snapshot:
        clock[0] += 2
        return snapshot(*args)

    slow_writes(monkeypatch, state, clock, 0.5)
    monkeypatch.setattr(state.passes, "snapshot", read)
    state.passes.run(NOW + timedelta(hours=1), most_s=1)
    assert state.passes.is_unfinished
    assert (clock[0], state.passes.counts.writes) == (8.0, 12), "a quarter of it was spent on reading"


def test_an_attempt_that_waits_is_placed_before_others_are_created(deployed: Deployed) -> None:
    state = deployed(HOURLY.replace("external:x", "{command: ['true']}"))
    state.passes.run(NOW + timedelta(hours=1))
    WorkerRegistry(state.store).put("w", ("default",), 1, is_external=False)
    rows = state.passes.run(NOW + timedelta(hours=2)) or []
    decided = [(row["decision"], row.get("attempt") or row.get("job")) for row in rows]
    assert decided[0] == ("attempt_placed", "p/@2026-01-01T01:00:00Z/1"), "a pass may end in between"
    assert ("attempt_made", "p/@2026-01-01T02:00:00Z/1") in decided


def test_something_may_be_done_before_each_write(deployed: Deployed) -> None:
    state = deployed(HOURLY)
    seen: list[int] = []
    rows = state.passes.run(NOW + timedelta(hours=1), lambda: seen.append(len(state.store.open_attempts())))
    assert len(seen) >= len(rows or ()) > 0
    assert {*seen} == {0, 1}, "before and after the attempt was written"


def refusing(*_: object) -> bool:
    raise StoreError("the store is away")
