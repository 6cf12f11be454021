"""Keeping: orders for keepers, and the ends that they report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.serve.work.kept_attempt import KeptAttempt
from tests.serve.conftest import NOW

ATTEMPT = AttemptRecord(
    process="p", slot="!1", number=1, status="running", phase="live", bundle="b", created=NOW, fence=1
)
Started = Callable[..., KeptAttempt]


def ended(kept: KeptAttempt) -> dict[str, Any]:
    """The end that the keeper reports."""
    while True:
        for message in kept.messages():
            if "end" in message:
                return dict(message["end"])


def shell(text: str) -> dict[str, Any]:
    return {"argv": ["sh", "-c", text]}


def function(folder: Path, body: str) -> dict[str, Any]:
    (folder / "actions.py").write_text(body)
    return {"call": "actions:work"}
