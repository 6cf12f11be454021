"""Fixtures of the tests of a scheduler's state."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scoopi.serve.claims.attempt_claims import AttemptClaims
from scoopi.serve.serve_health import ServeHealth
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from scoopi.serve.web.serve_endpoints import ServeEndpoints
from scoopi.serve.workers.worker_registry import WorkerRegistry
from tests.serve.serving import Serving

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Deployed = Callable[[str], State]


@pytest.fixture
def deployed(tmp_path: Path) -> Iterator[Deployed]:
    """Deploys processes, given as text, into a state; a second call deploys into the same."""
    with State(tmp_path / "scheduler") as state:

        def deploy(text: str) -> State:
            jobs = tmp_path / "jobs"
            jobs.mkdir(exist_ok=True)
            (jobs / "jobs.yml").write_text(textwrap.dedent(text))
            state.deploy(jobs, None, NOW)
            return state

        yield deploy


@pytest.fixture
def serving(tmp_path: Path) -> Serving:
    """An empty project whose processes a test deploys and serves."""
    return Serving(tmp_path)


HOURLY = """
    processes:
      p: {executes: external:x, trigger: {cron: "0 * * * *"}, catchup: all, overlap: allow}
      q: {executes: external:x, mode: manual}
"""
LATER = NOW + timedelta(hours=2, seconds=5)


@pytest.fixture
def shown_state(deployed: Deployed) -> State:
    """Two jobs of `p` with waiting attempts, one of `q` for later, and a worker that has claimed one."""
    state = deployed(HOURLY)
    ProcessService(state, NOW).launch("q", {}, after=NOW + timedelta(days=1))
    for now in (LATER - timedelta(hours=1), LATER):
        state.passes.run(now)
    WorkerRegistry(state.store).put("w", ("default",), 3, is_external=True)
    claims = AttemptClaims(state.store)
    claims.claim("w", LATER, {"p": "x"})
    return state


@pytest.fixture
def endpoints(shown_state: State) -> ServeEndpoints:
    health = ServeHealth()
    health.turned()
    health.worker = 'host "1"'
    health.attempt_ended("p", "failed")
    return ServeEndpoints(shown_state, health, lambda: LATER)
