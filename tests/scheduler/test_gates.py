"""Gates: what keeps a job from its next attempt, each gate by itself and in their order."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from scoopi.model.schedule.process import Deadline, DependsOn, Executes, Process
from scoopi.model.schedule.schedule_records import Backfill, JobRecord, ProcessRecord
from scoopi.model.schedule.schedule_settings import Schedule
from scoopi.periods.slot import Iteration, parse_slot
from scoopi.scheduler.gates import closed_gate, counterpart, overlap_of
from scoopi.scheduler.planning.job_times import deadline_of, missed, slot_end, too_late
from scoopi.scheduler.snapshot import Snapshot
from tests.scheduler.scenarios.world import START

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def process(name: str = "p", **fields: Any) -> Process:
    return Process(name=name, executes=Executes(kind="python", what=("a:b",)), mode="freerun", **fields)


def job(slot: str = "@2026-01-01T00:00:00Z", name: str = "p", **fields: Any) -> JobRecord:
    given: dict[str, Any] = {"state": "embryo", "phase": "active", "created": START, "changed": START}
    return JobRecord(process=name, slot=slot, **(given | fields))


def snapshot(*processes: Process, now: datetime = START, **fields: Any) -> Snapshot:
    return Snapshot(now, Schedule({each.name: each for each in processes}), "b", **fields)


def gate_of(made: JobRecord, *processes: Process, **fields: Any) -> tuple[str, str] | None:
    closed = closed_gate(made, snapshot(*processes, **fields))
    return None if closed is None else (closed.gate, closed.answer)


def test_a_job_that_is_due_passes_all_gates() -> None:
    assert gate_of(job(), process()) is None


@pytest.mark.parametrize(
    ("made", "of", "fields", "closed"),
    [
        (job(name="gone"), process(), {}, ("enabled", "wait")),
        (job(), process(enabled=False), {}, ("enabled", "wait")),
        (job(), process(enabled=False, when_disabled="skip"), {}, ("enabled", "skip")),
        (
            job(),
            process(),
            {"processes": {"p": ProcessRecord(name="p", since=START, paused="on leave")}},
            ("enabled", "wait"),
        ),
        (job(not_before=START + HOUR), process(), {}, ("slot", "wait")),
        (job(due=START + HOUR), process(), {}, ("slot", "wait")),
        (job(), process(start_deadline=HOUR), {"now": START + 2 * HOUR}, ("slot", "skip")),
        (job(attempts=1, settled=1), process(start_deadline=HOUR), {"now": START + 2 * HOUR}, None),
        (job(retry_at=START + HOUR, attempts=1, settled=1), process(), {}, ("error", "wait")),
        (job(held=True), process(), {}, ("error", "wait")),
        (
            job(),
            process(deadline=Deadline(within=HOUR, after="created", then="fail")),
            {"now": START + 2 * HOUR},
            ("deadline", "fail"),
        ),
        (
            job(),
            process(enabled=False, deadline=Deadline(within=HOUR, after="created", then="fail")),
            {"now": START + 2 * HOUR},
            ("deadline", "fail"),
        ),
    ],
)
def test_the_first_closed_gate_answers(
    made: JobRecord, of: Process, fields: dict[str, Any], closed: tuple[str, str] | None
) -> None:
    assert gate_of(made, of, **fields) == closed


def test_a_gate_that_opens_by_itself_says_when() -> None:
    closed = closed_gate(job(not_before=START + HOUR), snapshot(process()))
    assert closed is not None
    assert closed.until == START + HOUR


@pytest.mark.parametrize(
    ("own", "edge", "other", "slot"),
    [
        ("H:2026010203", DependsOn(process="o"), process("o", qualifier="daily"), "D:2026010200"),
        ("D:2026010200", DependsOn(process="o", slot=-1), process("o", qualifier="daily"), "D:2026010100"),
        ("D:2026010200", DependsOn(process="o"), process("o"), None),
        ("D:2026010200", DependsOn(process="o"), None, None),
        ("#5", DependsOn(process="o", slot=-2), process("o"), "#3"),
        ("#1", DependsOn(process="o", slot=-2), process("o"), None),
        ("@2026-01-01T00:00:00Z", DependsOn(process="o"), process("o"), "@2026-01-01T00:00:00Z"),
        ("@2026-01-01T00:00:00Z", DependsOn(process="o", slot=-1), process("o"), None),
    ],
)
def test_an_edge_leads_to_the_slot_of_the_other_process(
    own: str, edge: DependsOn, other: Process | None, slot: str | None
) -> None:
    found = counterpart(parse_slot(own), edge, other)
    assert (None if found is None else str(found)) == slot


@pytest.mark.parametrize(
    ("state", "rules", "closed"),
    [
        (None, {}, ("depends", "wait")),
        ("in_progress", {}, ("depends", "wait")),
        ("processed", {}, None),
        ("noop", {}, None),
        ("failed", {}, ("depends", "wait")),
        ("failed", {"when_failed": "fail"}, ("depends", "fail")),
        ("failed", {"when_failed": "run"}, None),
        ("skipped", {"when_skipped": "skip"}, ("depends", "skip")),
    ],
)
def test_a_job_waits_for_those_that_come_first_as_its_edge_says(
    state: Any, rules: dict[str, Any], closed: tuple[str, str] | None
) -> None:
    first = job(name="first", state=state) if state else None
    jobs = {first.job: first} if first is not None else {}
    edge = DependsOn(process="first", **rules)
    assert gate_of(job(), process(depends_on=(edge,)), process("first"), jobs=jobs) == closed


def test_a_failure_outweighs_a_skip_and_a_skip_a_wait() -> None:
    jobs = {
        each.job: each
        for each in (
            job(name="a", state="in_progress"),
            job(name="b", state="skipped"),
            job(name="c", state="failed"),
        )
    }
    edges = (
        DependsOn(process="a"),
        DependsOn(process="b", when_skipped="skip"),
        DependsOn(process="c", when_failed="fail"),
    )
    others = [process(name) for name in "abc"]
    assert gate_of(job(), process(depends_on=edges), *others, jobs=jobs) == ("depends", "fail")
    assert gate_of(job(), process(depends_on=edges[:2]), *others, jobs=jobs) == ("depends", "skip")


@pytest.mark.parametrize(
    ("rule", "made", "latest"),
    [
        (None, job(), None),
        (Deadline(within=HOUR, after="created"), job(), START + HOUR),
        (Deadline(within=HOUR, after="created"), job(deadline_done=True), None),
        (Deadline(within=HOUR, after="slot_end"), job("D:2026010100"), START + DAY + HOUR),
        (Deadline(within=HOUR, after="slot_start"), job("D:2026010100"), START + HOUR),
        (Deadline(within=HOUR, after="slot_end"), job("D:2026010100", launch_type="manual"), None),
        (Deadline(within=HOUR, after="slot_end"), job(due=START + HOUR), START + 2 * HOUR),
    ],
)
def test_a_deadline_counts_from_what_the_process_says(
    rule: Deadline | None, made: JobRecord, latest: datetime | None
) -> None:
    assert deadline_of(made, process(deadline=rule)) == latest


def test_a_deadline_has_passed_only_after_its_last_moment() -> None:
    of = process(deadline=Deadline(within=HOUR, after="created", then="fail"), start_deadline=HOUR)
    assert [
        too_late(job(), of, START + HOUR + late) != "" for late in (timedelta(0), timedelta(microseconds=1))
    ] == [
        False,
        True,
    ]
    assert [
        missed(job(), of, START + HOUR + late) != "" for late in (timedelta(0), timedelta(microseconds=1))
    ] == [
        False,
        True,
    ]
    assert missed(job(), process(), START + DAY) == ""


def test_a_backfill_has_an_overlap_of_its_own_and_slots_an_end() -> None:
    filled = job(backfill=Backfill("b1", "allow"))
    assert overlap_of(filled, process(overlap="skip")) == "allow"
    assert overlap_of(job(), process(overlap="skip")) == "skip"
    assert slot_end(job("H:2026010100")) == START + HOUR
    assert slot_end(job()) == START
    assert parse_slot("#5") == Iteration(5)
