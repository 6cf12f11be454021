"""AttemptService: attempts are listed, and found by their ids."""

from __future__ import annotations

import pytest

from scoopi.errors import UsageError
from scoopi.serve.claims.attempt_claims import AttemptClaims
from scoopi.serve.services.job_service import JobService
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.workers.worker_registry import WorkerRegistry
from tests.serve.conftest import NOW, Deployed

PROJECT = """
    processes:
      p: {executes: external:x, mode: manual, retry: {max: 1, delay: 1m, on_exhausted: hold}}
      q: {executes: external:x, trigger: {every: 1h}}
"""


def test_attempts_are_listed_by_job_process_and_status(deployed: Deployed) -> None:
    state = deployed(PROJECT)
    ProcessService(state, NOW).launch("p", {})
    ProcessService(state, NOW).launch("q", {})
    state.passes.run(NOW)
    WorkerRegistry(state.store).put("w", ("default",), 1, is_external=True)
    claims = AttemptClaims(state.store)
    (attempt,) = claims.claim("w", NOW, {"p": "x"})
    claims.end(attempt, 1, "failed", NOW)
    state.passes.run(NOW)
    service = JobService(state, NOW, lambda name: name)

    assert [row["attempt"] for row in service.attempts.rows()] == ["q/!1/1"]
    assert [row["attempt"] for row in service.attempts.rows(process="p")] == ["p/!1/1"]
    assert [row["attempt"] for row in service.attempts.rows(status="failed")] == ["p/!1/1"]
    assert service.attempts.rows(process="q", status="failed") == []
    assert service.attempts.rows(job="p/!1")[0]["retry_at"] == "2026-01-01T00:01:00Z"
    with pytest.raises(UsageError, match="unknown status lost"):
        service.attempts.rows(status="lost")


def test_an_attempt_is_found_by_its_job_and_number(deployed: Deployed) -> None:
    state = deployed(PROJECT)
    ProcessService(state, NOW).launch("p", {})
    state.passes.run(NOW)
    attempts = JobService(state, NOW, lambda name: name).attempts

    assert attempts.show("p/!1/1")["attempt"] == attempts.record("p/!1/1").attempt == "p/!1/1"
    for unknown in ("p/!1/2", "p/!1/x", "p/!1"):
        with pytest.raises(UsageError, match=f"there is no attempt {unknown}"):
            attempts.record(unknown)
