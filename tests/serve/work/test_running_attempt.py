"""RunningAttempt: what its supervisor is sent, and when; a test plays the supervisor."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scoopi.serve.claims.claim import Claim
from scoopi.serve.work.attempt_supervisor import SPEC_LENGTH
from scoopi.serve.work.running_attempt import RunningAttempt
from tests.scheduler.scenarios.records import attempt_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ATTEMPT = attempt_of()
SPEC = {"argv": ["ls"], "text": "x" * 10_000}


class PlayedSupervisor:
    """Stands for the fork server and for the supervisor that it starts."""

    def __init__(self) -> None:
        self.heard, self._commands = os.pipe()
        self._messages, self.says = os.pipe()

    def start_supervisor(self) -> tuple[int, int]:
        return self._commands, self._messages

    def spec(self) -> Any:
        length = int.from_bytes(os.read(self.heard, SPEC_LENGTH), "big")
        return json.loads(os.read(self.heard, length))

    def commands(self) -> list[bytes]:
        os.set_blocking(self.heard, False)
        try:
            return os.read(self.heard, 1 << 16).splitlines()
        except BlockingIOError:
            return []


@pytest.fixture
def supervisor() -> Iterator[PlayedSupervisor]:
    made = PlayedSupervisor()
    yield made
    os.close(made.heard)


@pytest.fixture
def running(supervisor: PlayedSupervisor) -> Iterator[RunningAttempt]:
    played: Any = supervisor
    made = RunningAttempt(Claim(ATTEMPT), SPEC, played)
    spec = supervisor.spec()
    assert spec.pop("token")
    assert spec == SPEC
    yield made
    made.close()


def test_a_supervisor_is_kept_alive_and_stopped_once(
    supervisor: PlayedSupervisor, running: RunningAttempt
) -> None:
    running.keep_alive(12.5)
    running.stop(60)
    running.stop(60)
    assert supervisor.commands() == [b"alive 12.500", b"stop"]
    assert running.is_stopped
    assert 50 < running.wait_s() <= 60


def test_a_second_stop_can_only_shorten_the_time(
    supervisor: PlayedSupervisor, running: RunningAttempt
) -> None:
    assert running.wait_s() == float("inf")
    running.stop(60)
    running.stop(600)
    assert running.wait_s() <= 60
    running.kill_late()
    running.stop(0)
    running.kill_late()
    running.kill_late()
    assert supervisor.commands() == [b"stop", b"kill"], "it is killed once, when its time is over"


def test_work_that_belongs_to_another_worker_is_killed_and_counts_no_more(
    supervisor: PlayedSupervisor, running: RunningAttempt
) -> None:
    running.revoke()
    assert supervisor.commands() == [b"kill"]
    assert (running.is_revoked, running.is_stopped) == (True, True)


def test_messages_come_whole_however_the_pipe_cuts_them(
    supervisor: PlayedSupervisor, running: RunningAttempt
) -> None:
    os.write(supervisor.says, b'{"progress": true}\n{"en')
    assert running.messages() == [{"progress": True}]
    os.write(supervisor.says, b'd": {"code": 0}}\n')
    assert running.messages() == [{"end": {"code": 0}}]
    os.close(supervisor.says)


def test_a_supervisor_that_is_killed_ends_its_attempt(
    supervisor: PlayedSupervisor, running: RunningAttempt
) -> None:
    os.close(supervisor.says)
    assert running.messages() == [{"end": {"fault": "its supervisor was killed"}}]


def test_work_that_is_abandoned_is_waited_for_and_may_be_closed_again(
    supervisor: PlayedSupervisor, running: RunningAttempt
) -> None:
    os.write(supervisor.says, b'{"end": {}}\n')
    os.close(supervisor.says)
    running.abandon()
    running.close()
    assert supervisor.commands() == [], "its pipe is closed"


def test_writing_to_a_supervisor_that_has_ended_raises_nothing(
    supervisor: PlayedSupervisor, running: RunningAttempt
) -> None:
    read = supervisor.heard
    supervisor.heard = os.open(os.devnull, os.O_RDONLY)
    os.close(read)
    running.keep_alive(12.5)
    running.stop(0)
    os.close(supervisor.says)


def test_work_that_never_begins_is_started_three_times(tmp_path: Path) -> None:
    starts: list[int] = []

    class Dying:
        def start_supervisor(self) -> tuple[int, int]:
            starts.append(1)
            messages, says = os.pipe()
            os.close(says)
            return os.open(os.devnull, os.O_WRONLY), messages

    played: Any = Dying()
    running = RunningAttempt(Claim(ATTEMPT), SPEC | {"folder": str(tmp_path)}, played)
    assert [running.start_again(running.messages()[-1]) for _ in range(3)] == [True, True, False]
    assert len(starts) == 3
    running.close()


def test_the_end_that_a_supervisor_reports_starts_nothing_again(
    supervisor: PlayedSupervisor, running: RunningAttempt
) -> None:
    os.write(supervisor.says, b'{"end": {"fault": "no process can be started"}}\n')
    assert not running.start_again(running.messages()[-1])
    os.close(supervisor.says)
