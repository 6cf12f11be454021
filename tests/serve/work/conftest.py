"""Fixtures of the tests of supervisors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoopi.serve.claims.claim import Claim
from scoopi.serve.work.fork_server import ForkServer
from scoopi.serve.work.running_attempt import RunningAttempt
from tests.serve.work.specs.supervising import ATTEMPT, Started, spec_in


@pytest.fixture(scope="module")
def fork_server() -> Iterator[ForkServer]:
    """One fork server for all tests."""
    server = ForkServer()
    yield server
    server.close()


@pytest.fixture
def started(tmp_path: Path, fork_server: ForkServer) -> Iterator[Started]:
    """Starts specs below supervisors, which end with the test."""
    running: list[RunningAttempt] = []

    def start(**spec: Any) -> RunningAttempt:
        running.append(RunningAttempt(Claim(ATTEMPT), spec_in(tmp_path) | spec, fork_server))
        return running[-1]

    yield start
    for each in running:
        each.abandon()
