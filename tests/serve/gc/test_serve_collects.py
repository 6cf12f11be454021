"""`scoopi serve` removes by itself what is older than what is kept, also if two serve one state."""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scoopi.model.schedule.schedule_records import ENDED, PAST, JobRecord
from scoopi.serve.state import State
from tests.scheduler.scenarios.records import attempt_of
from tests.serve.serving import Serving, until

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
PROCESSES = "old: {executes: external:x}\nnew: {executes: {command: ['true']}, trigger: {after: old}}"


@pytest.fixture
def aged(serving: Serving) -> Serving:
    """Three jobs that ended years ago, of which the folder of one attempt is left."""
    serving.deploy(PROCESSES)
    with State(serving.folder / "scheduler") as state:
        for slot in ("!1", "!2", "!3"):
            job = JobRecord(
                process="old", slot=slot, state="noop", phase=ENDED, created=LONG_AGO, changed=LONG_AGO
            )
            attempt = attempt_of(process="old", slot=slot, status="noop", phase=PAST, created=LONG_AGO)
            assert state.store.write(None, job)
            assert state.store.write(None, attempt)
    left_folder(serving).mkdir(parents=True)
    os.utime(left_folder(serving), (0, 0))
    return serving


def left_folder(serving: Serving) -> Path:
    return serving.folder / "scheduler" / "work" / "old~!000000000000000002~000001"


def is_clean(serving: Serving) -> bool:
    return not serving.rows("job", "list") and not left_folder(serving).exists()


def test_serve_removes_it_before_it_exits_when_it_is_idle(aged: Serving) -> None:
    aged.until_idle()
    assert is_clean(aged)
    assert [row["kind"] for row in aged.rows("gc")] == ["worker"], "that of the serve, which has ended"
    assert not aged.rows("worker", "list")


def test_two_serves_remove_it_beside_their_work(aged: Serving) -> None:
    with ExitStack() as stack:
        serves: list[subprocess.Popen[str]] = [stack.enter_context(aged.served()) for _ in range(2)]
        until(lambda: is_clean(aged))
        aged.run("launch", "new")
        until(lambda: [row["state"] for row in aged.rows("job", "list")] == ["processed"])
        assert [each.poll() for each in serves] == [None, None]
