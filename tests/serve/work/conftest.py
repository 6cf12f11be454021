"""Fixtures of the tests of keepers."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoopi.serve.work.fork_server import ForkServer
from scoopi.serve.work.kept_attempt import KeptAttempt
from tests.serve.work.keeping import ATTEMPT, Started


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
        base = {"attempt": "p/!1/1", "folder": str(tmp_path), "cwd": str(tmp_path), "env": dict(os.environ)}
        more = {
            "slot": ["!1", "a", "b"],
            "inputs": {},
            "path": [str(tmp_path)],
            "lease_ends_at": time.monotonic() + 60,
            "log_limit": 10_000,
        }
        kept.append(KeptAttempt(ATTEMPT, base | more | order, fork_server))
        return kept[-1]

    yield start
    for each in kept:
        each.abandon()
