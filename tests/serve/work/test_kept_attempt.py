"""KeptAttempt: what its keeper is sent, and when; a test plays the keeper."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scoopi.serve.claims.claim import Claim
from scoopi.serve.work.keeper import ORDER_LENGTH
from scoopi.serve.work.kept_attempt import KeptAttempt
from tests.scheduler.records import attempt_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ATTEMPT = attempt_of()
ORDER = {"argv": ["ls"], "text": "x" * 10_000}


class Keeper:
    """Stands for the fork server and for the keeper that it starts."""

    def __init__(self) -> None:
        self.heard, self._commands = os.pipe()
        self._messages, self.says = os.pipe()

    def start_keeper(self) -> tuple[int, int]:
        return self._commands, self._messages

    def order(self) -> Any:
        length = int.from_bytes(os.read(self.heard, ORDER_LENGTH), "big")
        return json.loads(os.read(self.heard, length))

    def commands(self) -> list[bytes]:
        os.set_blocking(self.heard, False)
        try:
            return os.read(self.heard, 1 << 16).splitlines()
        except BlockingIOError:
            return []


@pytest.fixture
def keeper() -> Iterator[Keeper]:
    made = Keeper()
    yield made
    os.close(made.heard)


@pytest.fixture
def kept(keeper: Keeper) -> Iterator[KeptAttempt]:
    played: Any = keeper
    made = KeptAttempt(Claim(ATTEMPT), ORDER, played)
    order = keeper.order()
    assert order.pop("token")
    assert order == ORDER
    yield made
    made.close()


def test_a_keeper_is_kept_alive_and_stopped_once(keeper: Keeper, kept: KeptAttempt) -> None:
    kept.keep_alive(12.5)
    kept.stop(60)
    kept.stop(60)
    assert keeper.commands() == [b"alive 12.500", b"stop"]
    assert kept.is_stopped
    assert 50 < kept.wait_s() <= 60


def test_a_second_stop_can_only_shorten_the_time(keeper: Keeper, kept: KeptAttempt) -> None:
    assert kept.wait_s() == float("inf")
    kept.stop(60)
    kept.stop(600)
    assert kept.wait_s() <= 60
    kept.kill_late()
    kept.stop(0)
    kept.kill_late()
    kept.kill_late()
    assert keeper.commands() == [b"stop", b"kill"], "it is killed once, when its time is over"


def test_work_that_belongs_to_another_worker_is_killed_and_counts_no_more(
    keeper: Keeper, kept: KeptAttempt
) -> None:
    kept.revoke()
    assert keeper.commands() == [b"kill"]
    assert (kept.is_revoked, kept.is_stopped) == (True, True)


def test_messages_come_whole_however_the_pipe_cuts_them(keeper: Keeper, kept: KeptAttempt) -> None:
    os.write(keeper.says, b'{"progress": true}\n{"en')
    assert kept.messages() == [{"progress": True}]
    os.write(keeper.says, b'd": {"code": 0}}\n')
    assert kept.messages() == [{"end": {"code": 0}}]
    os.close(keeper.says)


def test_a_keeper_that_is_killed_ends_its_attempt(keeper: Keeper, kept: KeptAttempt) -> None:
    os.close(keeper.says)
    assert kept.messages() == [{"end": {"fault": "its keeper was killed"}}]


def test_work_that_is_abandoned_is_waited_for_and_may_be_closed_again(
    keeper: Keeper, kept: KeptAttempt
) -> None:
    os.write(keeper.says, b'{"end": {}}\n')
    os.close(keeper.says)
    kept.abandon()
    kept.close()
    assert keeper.commands() == [], "its pipe is closed"


def test_writing_to_a_keeper_that_has_ended_raises_nothing(keeper: Keeper, kept: KeptAttempt) -> None:
    read = keeper.heard
    keeper.heard = os.open(os.devnull, os.O_RDONLY)
    os.close(read)
    kept.keep_alive(12.5)
    kept.stop(0)
    os.close(keeper.says)


def test_work_that_never_begins_is_started_three_times(tmp_path: Path) -> None:
    starts: list[int] = []

    class Dying:
        def start_keeper(self) -> tuple[int, int]:
            starts.append(1)
            messages, says = os.pipe()
            os.close(says)
            return os.open(os.devnull, os.O_WRONLY), messages

    played: Any = Dying()
    kept = KeptAttempt(Claim(ATTEMPT), ORDER | {"folder": str(tmp_path)}, played)
    assert [kept.start_again(kept.messages()[-1]) for _ in range(3)] == [True, True, False]
    assert len(starts) == 3
    kept.close()


def test_the_end_that_a_keeper_reports_starts_nothing_again(keeper: Keeper, kept: KeptAttempt) -> None:
    os.write(keeper.says, b'{"end": {"fault": "no process can be started"}}\n')
    assert not kept.start_again(kept.messages()[-1])
    os.close(keeper.says)
