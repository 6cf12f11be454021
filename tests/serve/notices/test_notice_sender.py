"""Notices are sent once, by real commands; failures and slow targets are noted."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from msgspec.structs import replace

from scoopi.errors import BusyRecordError
from scoopi.model.schedule.notice_record import CLOSED, OPEN, NoticeRecord
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.serve.notices.notice_sender import (
    LEASE,
    MOST_LINES,
    READ_EVERY_S,
    TOGETHER,
    NoticeSender,
    message_of,
)
from scoopi.serve.state import State
from tests.serve.conftest import NOW, Deployed

ONE = "processes: {p: {executes: external:x}}"
SOON_S = 60.0
LATER = NOW + TOGETHER


def noticed(state: State, *via: str, number: int = 1, at: datetime = NOW, process: str = "p") -> None:
    notice = NoticeRecord(
        notice=f"{process}/!{number}/1/failed/0/ab",
        phase=OPEN,
        event="failed",
        process=process,
        slot=f"!{number}",
        attempt=f"{process}/!{number}/1",
        at=at,
        via=via,
        bundle=state.current()[0],
        reason="no bread",
    )
    assert state.store.write(None, notice)


def sender(state: State, group: str = "default", limit_s: float = SOON_S) -> NoticeSender:
    worker = WorkerRecord(worker="w", incarnation="i", groups=(group,))
    return NoticeSender(state.store, state.project, worker, os.environ, limit_s, read_every_s=0.0)


def last_closed(state: State, sending: NoticeSender, now: datetime = LATER, count: int = 1) -> NoticeRecord:
    """The last of some notices, once they are closed."""
    ends = time.monotonic() + SOON_S
    while len(found := [*state.store.scan(NoticeRecord, CLOSED)]) < count:
        assert time.monotonic() < ends, "it was not sent"
        sending.turn(now)
        time.sleep(0.01)
    assert len(found) == count
    return found[-1]


def messages(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_command_gets_the_message_once(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed(ONE)
    noticed(state, "sh", "-c", f"cat >> {tmp_path}/got")
    sending = sender(state)
    assert sending.has_open()
    assert last_closed(state, sending).failure == ""
    sending.turn(NOW + timedelta(days=1))
    assert not sending.has_open()
    (message,) = messages(tmp_path / "got")
    text = "p/!1/1: failed: no bread"
    event = {
        "event": "failed",
        "slot": "!1",
        "job": "p/!1",
        "attempt": "p/!1/1",
        "reason": "no bread",
        "at": "2026-01-01T00:00:00Z",
        "text": text,
    }
    assert message == {"process": "p", "text": text, "events": [event]}


def test_of_one_time_the_end_of_an_attempt_comes_before_that_of_its_job(
    deployed: Deployed, tmp_path: Path
) -> None:
    state, file = deployed(ONE), tmp_path / "got"
    via = ("sh", "-c", f"cat >> {file}")
    noticed(state, *via)
    (attempt,) = state.store.scan(NoticeRecord, OPEN)
    for event in ("embryo", "failed"):
        job = replace(attempt, notice=f"p/!1/0/{event}/0/ab", attempt="", event=event, reason="")
        assert state.store.write(None, job)
    last_closed(state, sender(state), count=3)
    lines = messages(file)[0]["text"].splitlines()
    assert lines[1:] == ["p/!1: embryo", "p/!1/1: failed: no bread", "p/!1: failed"]


def test_events_of_a_process_within_five_minutes_are_one_message(deployed: Deployed, tmp_path: Path) -> None:
    state, file = deployed(ONE), tmp_path / "got"
    via = ("sh", "-c", f"cat >> {file}")
    sending = sender(state)
    noticed(state, *via)
    for number, seconds in ((2, 60), (3, 299)):
        at = NOW + timedelta(seconds=seconds)
        sending.turn(at)
        noticed(state, *via, number=number, at=at)
    sending.turn(LATER - timedelta(seconds=1))
    assert not file.exists(), "the five minutes are not over"

    last_closed(state, sending, count=3)
    noticed(state, *via, number=4, at=LATER)
    sending.turn(LATER + TOGETHER - timedelta(seconds=1))
    last_closed(state, sending, LATER + TOGETHER, count=4)

    first, second = messages(file)
    assert first["text"].splitlines() == [
        "3 events of p:",
        *(f"p/!{number}/1: failed: no bread" for number in (1, 2, 3)),
    ]
    assert [event["slot"] for event in first["events"]] == ["!1", "!2", "!3"]
    assert [event["slot"] for event in second["events"]] == ["!4"]


def test_processes_and_targets_have_messages_of_their_own(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed(ONE)
    here, there = (("sh", "-c", f"cat >> {tmp_path}/{name}") for name in ("here", "there"))
    noticed(state, *here)
    noticed(state, *here, process="q")
    noticed(state, *there, number=2)
    last_closed(state, sender(state), count=3)
    assert sorted(message["process"] for message in messages(tmp_path / "here")) == ["p", "q"]
    assert [message["events"][0]["slot"] for message in messages(tmp_path / "there")] == ["!2"]


def test_a_serve_that_has_nothing_else_to_do_sends_at_once(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed(ONE)
    for number in (1, 2):
        noticed(state, "sh", "-c", f"cat >> {tmp_path}/got", number=number)
    sending = sender(state)
    sending.turn(NOW)
    assert sending.wait_s() == float("inf")
    sending.expedite()
    last_closed(state, sending, NOW, count=2)
    sending.turn(NOW)
    assert sending.wait_s() == float("inf")
    (message,) = messages(tmp_path / "got")
    assert len(message["events"]) == 2


def test_a_clock_that_was_set_back_delays_no_message(deployed: Deployed) -> None:
    state = deployed(ONE)
    noticed(state, "true")
    assert last_closed(state, sender(state), NOW - timedelta(hours=1)).failure == ""


def test_of_two_workers_one_sends_the_whole_message(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed(ONE)
    for number in range(1, 6):
        noticed(state, "sh", "-c", f"cat >> {tmp_path}/got", number=number)
    first, second = sender(state), sender(state)
    first.turn(LATER)
    second.turn(LATER)
    assert second.wait_s() == float("inf")
    last_closed(state, first, count=5)
    (message,) = messages(tmp_path / "got")
    assert len(message["events"]) == 5


def test_what_a_crashed_worker_has_claimed_is_sent_again_with_what_followed(
    deployed: Deployed, tmp_path: Path
) -> None:
    state, file = deployed(ONE), tmp_path / "got"
    via = ("sh", "-c", f"cat >> {file}")
    noticed(state, *via)
    noticed(state, *via, number=2)
    crashed = sender(state)
    crashed.turn(LATER)
    crashed.close()
    noticed(state, *via, number=3, at=LATER)
    sending = sender(state)
    sending.turn(LATER + LEASE)
    assert sending.wait_s() == float("inf"), "its lease is not over"
    last_closed(state, sending, LATER + LEASE + timedelta(seconds=1), count=3)
    assert [event["slot"] for event in messages(file)[-1]["events"]] == ["!1", "!2", "!3"]


@pytest.mark.parametrize(
    ("via", "failure"),
    [
        (("sh", "-c", "echo no route >&2; exit 3"), "exit code 3: no route"),
        (("no-such-program",), "exit code 127: program no-such-program was not found"),
        (("python:no_such:module",), "ModuleNotFoundError: No module named 'no_such'"),
    ],
)
def test_a_failure_is_noted_and_not_tried_again(
    deployed: Deployed, via: tuple[str, ...], failure: str
) -> None:
    state = deployed(ONE)
    noticed(state, *via)
    sending = sender(state)
    assert last_closed(state, sending).failure == failure
    assert not sending.has_open()


def test_a_target_that_takes_too_long_is_killed(deployed: Deployed) -> None:
    state = deployed(ONE)
    noticed(state, "sleep", "1000")
    assert last_closed(state, sender(state, limit_s=0.1)).failure == "took longer than 0.1 s"


def test_the_end_of_a_target_is_looked_for_more_often_than_due_notices(deployed: Deployed) -> None:
    state = deployed(ONE)
    noticed(state, "sleep", "1000")
    sending = sender(state)
    sending.turn(LATER)
    assert sending.wait_s() < READ_EVERY_S / 2
    sending.close()


def test_a_worker_of_another_group_sends_nothing(deployed: Deployed) -> None:
    state = deployed(ONE)
    noticed(state, "true")
    other = sender(state, group="browsers")
    other.turn(LATER)
    assert not other.has_open()
    assert [each.holder for each in state.store.scan(NoticeRecord, OPEN)] == [""]


def test_what_a_worker_has_claimed_another_one_sends_only_after_its_lease(
    deployed: Deployed, tmp_path: Path
) -> None:
    state = deployed(ONE)
    noticed(state, "sh", "-c", f"cat >> {tmp_path}/got")
    (notice,) = state.store.scan(NoticeRecord, OPEN)
    assert state.store.write(notice, replace(notice, until=LATER, version=1))
    sending = sender(state)
    sending.turn(LATER)
    assert sending.wait_s() == float("inf")
    assert last_closed(state, sending, LATER + timedelta(seconds=1)).failure == ""


def busy_for(monkeypatch: pytest.MonkeyPatch, state: State, is_busy: Callable[[NoticeRecord], bool]) -> None:
    """Other writers keep changing some records."""
    write = state.store.write

    def written(old: Any, new: Any) -> bool:
        if is_busy(new):
            raise BusyRecordError("it keeps changing")
        return write(old, new)

    monkeypatch.setattr(state.store, "write", written)


def test_a_notice_that_cannot_be_claimed_now_holds_up_no_other(
    deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(ONE)
    via = ("sh", "-c", f"cat >> {tmp_path}/got")
    noticed(state, *via)
    noticed(state, *via, number=2)
    noticed(state, *via, process="q")
    with monkeypatch.context() as patched:
        busy_for(patched, state, lambda new: new.notice.startswith("p/!1/"))
        sending = sender(state)
        last_closed(state, sending, count=2)
    last_closed(state, sending, count=3)
    jobs = [event["job"] for message in messages(tmp_path / "got") for event in message["events"]]
    assert (sorted(jobs[:2]), jobs[2:]) == (["p/!2", "q/!1"], ["p/!1"])


def test_what_was_sent_is_noted_as_soon_as_its_record_can_be_written_and_not_sent_again(
    deployed: Deployed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(ONE)
    for number in range(1, 7):
        noticed(state, "sh", "-c", f"cat >> {tmp_path}/got", process=f"p{number}")
    with monkeypatch.context() as patched:
        busy_for(patched, state, lambda new: new.phase == CLOSED and new.process != "p6")
        sending = sender(state)
        assert last_closed(state, sending).process == "p6", "more than are sent at a time are not noted"
    last_closed(state, sending, count=6)
    sending.turn(LATER + LEASE + TOGETHER)
    assert [message["process"] for message in messages(tmp_path / "got")].count("p1") == 1
    assert len(messages(tmp_path / "got")) == 6


def test_a_failure_whose_text_cannot_be_stored_is_noted_nevertheless(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(ONE)
    noticed(state, "true")
    sending = sender(state)

    def broken(*of: Any) -> None:
        raise OSError("no folder \udcff")

    monkeypatch.setattr("scoopi.serve.notices.notice_sender.BackgroundProcess", broken)
    assert last_closed(state, sending).failure == "no folder \\udcff"


def notice(number: int, event: str, reason: str = "") -> NoticeRecord:
    return NoticeRecord(
        notice=str(number),
        phase=OPEN,
        event=event,
        process="p",
        slot=f"!{number}",
        at=NOW + timedelta(seconds=number),
        via=("true",),
        bundle="",
        reason=reason,
    )


def test_one_event_is_a_sentence() -> None:
    message = message_of([notice(1, "final_run")])
    assert message["text"] == "p/!1: final run"
    (event,) = message["events"]
    assert (event["attempt"], event["reason"], event["at"]) == (None, None, "2026-01-01T00:00:01Z")


def test_the_text_of_many_events_is_short_and_the_events_are_complete() -> None:
    message = message_of([notice(number, "failed", "why") for number in range(1, 31)])
    lines = message["text"].splitlines()
    assert lines[:2] == ["30 events of p:", "p/!1: failed: why"]
    assert len(lines) == MOST_LINES + 2
    assert lines[-1] == "… and 10 more"
    assert [event["slot"] for event in message["events"]] == [f"!{number}" for number in range(1, 31)]


def test_a_notice_whose_bundle_is_damaged_is_closed_with_the_reason(deployed: Deployed) -> None:
    state = deployed(ONE)
    name = state.current()[0]
    rmtree(state.folder / "bundles")
    state.store.put_bundle(name, b"damaged", NOW, 2**20)
    noticed(state, "true")
    expected = f"bundle {name} in the store is damaged; deploy the project again"
    assert last_closed(state, sender(state)).failure == expected
