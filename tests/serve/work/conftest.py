"""Fixtures of the tests of keepers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoopi.serve.claims.claim import Claim
from scoopi.serve.work.fork_server import ForkServer
from scoopi.serve.work.kept_attempt import KeptAttempt
from tests.serve.work.keeping import ATTEMPT, Started, order_in


@pytest.fixture(scope="module")
def fork_server() -> Iterator[ForkServer]:
    """One fork server for all tests."""
    server = ForkServer()
    yield server
    server.close()


@pytest.fixture
def started(tmp_path: Path, fork_server: ForkServer) -> Iterator[Started]:
    """Starts orders below keepers, which end with the test."""
    kept: list[KeptAttempt] = []

    def start(**order: Any) -> KeptAttempt:
        kept.append(KeptAttempt(Claim(ATTEMPT), order_in(tmp_path) | order, fork_server))
        return kept[-1]

    yield start
    for each in kept:
        each.abandon()
