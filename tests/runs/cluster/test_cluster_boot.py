"""ClusterBoot: how long it tries to join; the tries are the test's own, and no cluster is there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import StoppedError, StoreError
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.runs.cluster.cluster_boot import ClusterBoot
from scoopi.runs.run_request import RunRequest

TIMEOUT_MS = 300
NOW = datetime.now().astimezone()
JOINED = RunReport(run="shop", folder="", status=RunStatus.DONE, started=NOW, ended=NOW)


def boot_of(opened: ExitStack, is_stopped: Callable[[], bool] = lambda: False) -> ClusterBoot:
    settings = ClusterSettings(("127.0.0.1:1",), reconnect_timeout_ms=TIMEOUT_MS)
    return ClusterBoot(RunRequest(is_stopped=is_stopped), settings, opened, "n1")


def failing(times: int, took_s: float = 0.0) -> Callable[[ExitStack], RunReport]:
    """Joins when it has failed so often."""
    tries = iter(range(times))

    def join(opened: ExitStack) -> RunReport:
        if next(tries, None) is None:
            return JOINED
        threading.Event().wait(took_s)
        raise StoreError("no answer in time")

    return join


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoopi.runs.cluster.cluster_boot.RETRY_S", 0.01)


def test_what_a_try_has_opened_is_closed_before_the_next_and_kept_of_the_last() -> None:
    open_now: list[int] = []
    fails = failing(2)

    def join(opened: ExitStack) -> RunReport:
        assert open_now == []
        open_now.append(1)
        opened.callback(open_now.clear)
        return fails(opened)

    with ExitStack() as all_opened:
        assert boot_of(all_opened).joined_with_retries(join) is JOINED
        assert open_now == [1]
    assert open_now == []


def test_joining_is_given_up_when_it_has_failed_for_as_long_as_members_may_be_away() -> None:
    with ExitStack() as opened, pytest.raises(StoreError):
        boot_of(opened).joined_with_retries(failing(1_000_000))


def test_a_try_in_which_the_store_must_have_answered_makes_the_time_restart() -> None:
    with ExitStack() as opened:
        assert boot_of(opened).joined_with_retries(failing(3, TIMEOUT_MS / 1000 + 0.1)) is JOINED


def test_a_node_that_is_to_stop_does_not_retry() -> None:
    with ExitStack() as opened, pytest.raises(StoppedError):
        boot_of(opened, lambda: True).joined_with_retries(failing(1))
