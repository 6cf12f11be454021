"""Notices are sent once, by real commands; failures and slow targets are noted."""

from __future__ import annotations

import json
import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.model.schedule.notice_record import CLOSED, OPEN, NoticeRecord
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.serve.notices.notice_sender import NoticeSender
from scoopi.serve.state import State
from tests.serve.conftest import NOW, Deployed

ONE = "processes: {p: {executes: external:x}}"
SOON_S = 60.0


def noticed(state: State, *via: str) -> None:
    notice = NoticeRecord(
        notice="p/!1/1/failed/0/ab",
        phase=OPEN,
        event="failed",
        process="p",
        slot="!1",
        attempt="p/!1/1",
        at=NOW,
        via=via,
        bundle=state.current()[0],
        reason="no bread",
    )
    assert state.store.write(None, notice)


def sender(state: State, group: str = "default", limit_s: float = SOON_S) -> NoticeSender:
    worker = WorkerRecord(worker="w", incarnation="i", groups=(group,))
    return NoticeSender(state.store, state.project, worker, os.environ, limit_s)


def sent(state: State, sending: NoticeSender) -> NoticeRecord:
    """The notice, once it is closed."""
    ends = time.monotonic() + SOON_S
    while not (found := [*state.store.scan(NoticeRecord, CLOSED)]):
        assert time.monotonic() < ends, "it was not sent"
        sending.turn(NOW)
        time.sleep(0.01)
    return found[0]


def test_a_command_gets_the_message_once(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed(ONE)
    noticed(state, "sh", "-c", f"cat >> {tmp_path}/got")
    sending = sender(state)
    assert sending.has_open()
    assert sent(state, sending).failure == ""
    sending.turn(NOW + timedelta(days=1))
    assert not sending.has_open()
    (line,) = (tmp_path / "got").read_text().splitlines()
    assert json.loads(line) == {
        "event": "failed",
        "process": "p",
        "slot": "!1",
        "job": "p/!1",
        "attempt": "p/!1/1",
        "reason": "no bread",
        "at": "2026-01-01T00:00:00Z",
        "text": "p/!1/1: failed: no bread",
    }


@pytest.mark.parametrize(
    ("via", "failure"),
    [
        (("sh", "-c", "echo no route >&2; exit 3"), "exit code 3: no route"),
        (("no-such-program",), "exit code 127: program no-such-program was not found"),
        (("python:no_such:module",), "exit code 1: ModuleNotFoundError: No module named 'no_such'"),
    ],
)
def test_a_failure_is_noted_and_not_tried_again(
    deployed: Deployed, via: tuple[str, ...], failure: str
) -> None:
    state = deployed(ONE)
    noticed(state, *via)
    sending = sender(state)
    assert sent(state, sending).failure == failure
    assert not sending.has_open()


def test_a_target_that_takes_too_long_is_killed(deployed: Deployed) -> None:
    state = deployed(ONE)
    noticed(state, "sleep", "1000")
    assert sent(state, sender(state, limit_s=0.1)).failure == "took longer than 0.1 s"


def test_a_worker_of_another_group_sends_nothing(deployed: Deployed) -> None:
    state = deployed(ONE)
    noticed(state, "true")
    other = sender(state, group="browsers")
    other.turn(NOW)
    assert not other.has_open()
    assert [each.holder for each in state.store.scan(NoticeRecord, OPEN)] == [""]


def test_what_a_worker_has_claimed_another_one_sends_only_after_its_lease(
    deployed: Deployed, tmp_path: Path
) -> None:
    state = deployed(ONE)
    noticed(state, "sh", "-c", f"cat >> {tmp_path}/got")
    (notice,) = state.store.scan(NoticeRecord, OPEN)
    assert state.store.write(notice, replace(notice, until=NOW, version=1))
    sending = sender(state)
    sending.turn(NOW)
    assert sending.wait_s() == float("inf")
    sending.turn(NOW + timedelta(seconds=1))
    assert sent(state, sending).failure == ""
