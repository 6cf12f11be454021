"""Jobs as people see them: each change of state in order, with who asked for it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scoopi.errors import UsageError
from scoopi.scheduler.decisions import MOST_CHANGES
from scoopi.serve.claims.attempt_claims import AttemptClaims
from scoopi.serve.services.job_service import JobService
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.workers.worker_registry import WorkerRegistry
from scoopi.store.schedule.schedule_store import ScheduleStore
from tests.serve.conftest import NOW, Deployed

PROJECT = """
    processes:
      p: {executes: external:x, mode: manual, retry: {max: 1, delay: 1m, on_exhausted: hold}}
      q: {executes: external:x, trigger: {every: 1h}}
"""


def test_a_job_shows_all_changes_and_who_asked_for_them(deployed: Deployed) -> None:
    state = deployed(PROJECT)
    ProcessService(state, NOW, "ana").launch("p", {})
    WorkerRegistry(state.store).put("w", ("default",), 1, is_external=True)
    claims = AttemptClaims(state.store)
    now = NOW
    for _ in range(2):
        state.passes.run(now)
        (attempt,) = claims.claim("w", now, {"p": "x"})
        claims.end(attempt, 1, "failed", now, explanation="no paper")
        state.passes.run(now)
        now += timedelta(minutes=1)
    service = JobService(state, now, lambda name: name, "bob")
    assert service.attempts.show("p/!1/2")["retry_at"] is None
    assert service.job("p/!1").failures == 2
    service.clear("p/!1")
    cleared = service.job("p/!1")
    assert (cleared.failures, cleared.first_attempt, cleared.held) == (0, None, False), "a whole budget"
    service.skip("p/!1")

    row = service.show("p/!1")

    assert (row["machine"], row["state"]) == ("discrete", "skipped")
    assert [(each["state"], each["by"], each["reason"]) for each in row["changes"]] == [
        ("embryo", "ana", "launch type: manual"),
        ("in_progress", None, None),
        ("in_progress", "bob", "cleared by bob"),
        ("skipped", "bob", "skipped by bob"),
    ]
    assert [each["at"] for each in row["changes"]] == sorted(each["at"] for each in row["changes"])


def test_a_scheduled_job_shows_its_creation(deployed: Deployed) -> None:
    state = deployed(PROJECT)
    later = NOW + timedelta(hours=1)
    state.passes.run(later)
    changes = JobService(state, later, lambda name: name).show("q/@2026-01-01T01:00:00Z")["changes"]
    assert [(each["state"], each["by"]) for each in changes] == [("embryo", None), ("in_progress", None)]
    assert changes[0]["reason"] == "launch type: scheduled"


def test_the_oldest_changes_are_left_out(deployed: Deployed) -> None:
    state = deployed(PROJECT)
    ProcessService(state, NOW).launch("p", {})
    service = JobService(state, NOW, lambda name: name, "bob")
    for _ in range(MOST_CHANGES):
        service.skip("p/!1")
        service.reprocess("p/!1")
    assert len(service.job("p/!1").changes) == MOST_CHANGES


def test_jobs_are_listed_that_have_changed_since(deployed: Deployed) -> None:
    state = deployed(PROJECT)
    ProcessService(state, NOW).launch("p", {})
    later = NOW + timedelta(hours=1)
    ProcessService(state, later).launch("p", {})
    service = JobService(state, later, lambda name: name)
    assert [row["job"] for row in service.jobs(since=later)] == ["p/!2"]
    assert [row["job"] for row in service.jobs(since=NOW)] == ["p/!1", "p/!2"]


def test_what_a_removed_process_has_done_is_still_listed(deployed: Deployed) -> None:
    state = deployed(PROJECT)
    ProcessService(state, NOW).launch("p", {})
    state.passes.run(NOW)
    state = deployed("processes: {q: {executes: external:x}}")
    service = JobService(state, NOW, lambda name: ProcessService(state, NOW).process(name).name)
    assert [row["job"] for row in service.jobs("p")] == ["p/!1"]
    assert [row["attempt"] for row in service.attempts.rows(process="p")] == ["p/!1/1"]
    with pytest.raises(UsageError, match="unknown process r"):
        service.jobs("r")


def test_the_name_of_a_process_is_looked_up_without_reading_all_of_them(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(PROJECT)
    ProcessService(state, NOW, "ana").launch("p", {})
    monkeypatch.setattr(ScheduleStore, "processes", None)
    service = JobService(state, NOW, lambda name: name)
    assert service.job("p/!1").state == "embryo"
    assert [row["job"] for row in service.jobs("p")] == ["p/!1"]
    with pytest.raises(UsageError, match="there is no job p/!7"):
        service.job("p/!7")


@pytest.mark.parametrize("mode", ["drain", "step", "kill"])
def test_a_cancel_without_a_mode_has_that_of_the_project(deployed: Deployed, mode: str) -> None:
    state = deployed(
        f"settings: {{cancel: {{default_mode: {mode}}}}}\nprocesses: {{p: {{executes: external:x}}}}"
    )
    service, claims = JobService(state, NOW, str), AttemptClaims(state.store)
    WorkerRegistry(state.store).put("w", ("default",), 2, is_external=True)
    for cancelled in (lambda: service.cancel("p/!1", ""), lambda: service.skip("p/!2")):
        ProcessService(state, NOW).launch("p", {})
        state.passes.run(NOW)
        (attempt,) = claims.claim("w", NOW, {"p": "x"})
        cancelled()
        assert state.store.attempts_of(attempt.job)[0].wish_mode == mode
