"""The rows of processes have what cannot be planned, and those of the others are complete."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scoopi.scheduler.planning.plan_faults import CORRECT
from scoopi.serve.services.job_service import JobService
from scoopi.serve.services.process_service import ProcessService
from tests.serve.conftest import NOW, Deployed

PROJECT = """
processes:
  slots: {executes: external:x, trigger: {every: 1h, since: "9999-12-31T23:30:00Z"}}
  gated: {executes: external:x, trigger: {every: 24h, jitter: 4h}}
  sound: {executes: external:x, trigger: {every: 1h}}
"""


def test_a_process_whose_slots_cannot_be_planned_says_so_and_stops_no_list(deployed: Deployed) -> None:
    service = ProcessService(deployed(PROJECT), NOW)
    rows = {row["process"]: row for row in service.processes()}
    assert (
        rows["slots"]["error"]
        == "the slots of slots cannot be planned: OverflowError: date value out of range"
    )
    assert (rows["slots"]["next"], rows["slots"]["window"]) == (None, [])
    assert rows["sound"]["error"] is None
    assert rows["sound"]["next"] == "2026-01-01T01:00:00Z"
    assert service.show_process("slots")["hint"] == CORRECT
    assert service.show_process("sound")["hint"] is None


def test_of_many_jobs_that_cannot_be_planned_the_first_are_named(deployed: Deployed) -> None:
    state = deployed(PROJECT)
    service = ProcessService(state, NOW)
    for second in range(5):
        service.launch("gated", {}, f"@9999-12-31T23:59:0{second}Z")
    row = service.show_process("gated")
    assert row["error"].count("cannot be planned") == 3
    assert row["error"].endswith("; and 2 more")
    assert row["next"] == "2026-01-02T00:00:00Z", "its slots are planned"


def test_a_job_that_cannot_be_planned_says_at_which_gate_and_can_be_skipped(deployed: Deployed) -> None:
    state = deployed(PROJECT)
    job = ProcessService(state, NOW).launch("gated", {}, "@9999-12-31T23:59:00Z")["job"]
    jobs = JobService(state, NOW, lambda name: name)
    row = jobs.why(job)
    assert (row["gate"], row["answer"]) == ("slot", "wait")
    assert row["reason"].startswith(f"{job} cannot be planned: OverflowError: date value out of range")
    assert row["hint"].startswith(f"scoopi job skip {job} gives it up")
    jobs.skip(job)
    state.passes.run(NOW + timedelta(seconds=1))
    assert "cannot" not in jobs.why(job)["reason"]


def test_a_process_whose_fires_a_clock_ahead_has_planned_says_until_when_none_follows(
    deployed: Deployed,
) -> None:
    state = deployed("processes: {p: {executes: external:x, trigger: {every: 1h}}}")
    state.passes.run(NOW + timedelta(days=365))
    assert state.passes.run(NOW + timedelta(hours=1)) == [], "its slots are past"
    row = ProcessService(state, NOW + timedelta(hours=1)).show_process("p")
    assert row["error"] == (
        "no slot is created before 2027-01-01T00:00:00Z: a pass whose clock was ahead has planned it"
    )
    assert row["hint"].startswith("scoopi process backfill p ")
    service = ProcessService(state, NOW + timedelta(hours=1))
    assert [row["at"] for row in service.upcoming("p", 1)] == ["2027-01-01T01:00:00Z"], (
        "the first that follows"
    )
    assert service.ahead("p") == row["error"]
    later = ProcessService(state, NOW + timedelta(days=366)).show_process("p")
    assert (later["error"], later["hint"]) == (None, None)


@pytest.mark.parametrize(
    ("keys", "why_not"),
    [
        ("mode: manual", "p has no trigger; scoopi launch p creates a job"),
        ("trigger: {after: q}", "p has no slots of its own: it follows q"),
        (
            "trigger: {every: 1h, until: '2025-12-31T00:00:00Z'}",
            "the trigger of p has ended at 2025-12-31T00:00:00Z (until)",
        ),
        (
            "trigger: {slots: iterations, source: after_completion}",
            "the next iteration of p begins when the current one is over",
        ),
    ],
)
def test_a_process_without_a_next_slot_says_why(deployed: Deployed, keys: str, why_not: str) -> None:
    state = deployed(f"processes: {{p: {{executes: external:x, {keys}}}, q: {{executes: external:x}}}}")
    state.passes.run(NOW)
    service = ProcessService(state, NOW)
    assert service.upcoming("p", 1) == []
    assert service.no_upcoming("p") == why_not


def test_an_iteration_that_may_begin_now_has_a_time_in_whole_seconds(deployed: Deployed) -> None:
    state = deployed(
        "processes: {p: {executes: external:x, trigger: {slots: iterations, source: after_completion}}}"
    )
    (row,) = ProcessService(state, NOW + timedelta(seconds=3, microseconds=123)).upcoming("p", 1)
    assert row["at"] == "2026-01-01T00:00:03Z"


def test_of_periods_in_groups_the_next_slots_are_the_last_of_each_with_the_times_of_all(
    deployed: Deployed,
) -> None:
    trigger = 'trigger: {cron: "*/5 * * * *"}'
    state = deployed(f"""
        processes: {{p: {{executes: external:x, qualifier: hourly, grouping: 3, lag: 10m, {trigger}}}}}
    """)
    rows = ProcessService(state, NOW + timedelta(hours=1)).upcoming("p", 2)
    assert [(row["slot"], row["start"], row["end"], row["at"]) for row in rows] == [
        ("H:2026010103", "2026-01-01T00:00:00Z", "2026-01-01T04:00:00Z", "2026-01-01T04:10:00Z"),
        ("H:2026010106", "2026-01-01T04:00:00Z", "2026-01-01T07:00:00Z", "2026-01-01T07:10:00Z"),
    ]
    later = NOW + timedelta(hours=8)
    state.passes.run(later)
    worked_on = [job.slot for job in state.store.active_jobs().values() if job.state != "noop"]
    assert worked_on[:2] == [row["slot"] for row in rows], "as passes create jobs"
    assert ProcessService(state, later).show_process("p")["next"] == "2026-01-01T10:10:00Z"
