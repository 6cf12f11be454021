"""Supervising: specs for supervisors of attempts, and the ends that they report."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scoopi.serve.work.running_attempt import RunningAttempt
from tests.scheduler.scenarios.records import attempt_of
from tests.serve.conftest import NOW

ATTEMPT = attempt_of(created=NOW, fence=1)
Started = Callable[..., RunningAttempt]


def spec_in(folder: Path) -> dict[str, Any]:
    """What each spec of a supervisor has beside what is to be run."""
    return {
        "attempt": "p/!1/1",
        "folder": str(folder),
        "cwd": str(folder),
        "env": dict(os.environ),
        "slot": ["!1", "a", "b"],
        "inputs": {},
        "path": [str(folder)],
        "lease_ends_at": time.monotonic() + 60,
        "log_limit": 10_000,
    }


def ended(running: RunningAttempt) -> dict[str, Any]:
    """The end that the supervisor reports."""
    while True:
        for message in running.messages():
            if "end" in message:
                return dict(message["end"])


def shell(text: str) -> dict[str, Any]:
    return {"argv": ["sh", "-c", text]}


def function(folder: Path, body: str) -> dict[str, Any]:
    (folder / "actions.py").write_text(body)
    return {"call": "actions:work"}
