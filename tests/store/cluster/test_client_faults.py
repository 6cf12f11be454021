"""The client's errors in words; and a call wakes its reactor, also when two threads have met at its pipe."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.store.cluster.client_faults import (
    first_answer_within,
    fix_waking,
    no_member_error,
    reason_of,
)
from scoopi.store.cluster.cluster_client import ClusterClient, client_class
from scoopi.store.ports import RUN
from tests.cluster.grids import new_run

THREADS, ROUNDS = 4, 40
ASLEEP_S = 0.009
"""So long a call takes at least, nearly always, when nobody wakes the reactor."""


@pytest.fixture
def waker() -> Iterator[Any]:
    """A waker of the client's own kind, that belongs to no reactor."""
    client_class()  # imports it without a warning
    from hazelcast.reactor import _PipedWaker

    kind: Any = _PipedWaker
    waker = kind({})
    yield waker
    waker.close()


def wake_while_it_reads(waker: Any, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the next call wakes after another came just before the pipe was read."""
    read = os.read

    def read_late(pipe: int, most: int) -> bytes:
        waker.wake()
        return read(pipe, most)

    waker.wake()
    with monkeypatch.context() as patched:
        patched.setattr(os, "read", read_late)
        waker.handle_read()
    return not waker.awake


def test_a_call_that_comes_while_the_pipe_is_read_silences_no_later_one(
    waker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fix_waking(SimpleNamespace(_reactor=SimpleNamespace(_loop=SimpleNamespace(waker=waker))))
    assert wake_while_it_reads(waker, monkeypatch)


def test_the_client_needs_to_be_patched(waker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """When this fails, the client has been fixed by its makers: `fix_waking` can go."""
    assert not wake_while_it_reads(waker, monkeypatch)


def test_a_client_that_is_built_otherwise_is_left_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        assert not fix_waking(SimpleNamespace(_reactor=None))
    assert "is left unchanged" in caplog.text


@pytest.mark.parametrize("changes", [{"handle_read": None}, {"wake": None}, {"awake": 1}])
def test_a_waker_that_lacks_a_part_is_left_as_it_is(changes: dict[str, Any]) -> None:
    parts = {"_read_fd": 0, "_write_fd": 0, "handle_read": print, "wake": print, "awake": True} | changes
    waker = SimpleNamespace(**parts)
    assert not fix_waking(SimpleNamespace(_reactor=SimpleNamespace(_loop=SimpleNamespace(waker=waker))))
    assert vars(waker) == parts


def test_a_waker_is_ready_at_once_and_empties_its_pipe_however_much_it_holds() -> None:
    pipe, end = os.pipe()
    os.set_blocking(pipe, False)
    waker = SimpleNamespace(_read_fd=pipe, _write_fd=end, handle_read=print, wake=print, awake=True)
    assert fix_waking(SimpleNamespace(_reactor=SimpleNamespace(_loop=SimpleNamespace(waker=waker))))
    assert not waker.awake, "the race may have happened before"
    for length in (1, 4096, 5000, 8192):
        os.write(end, b"x" * length)
        waker.awake = True
        waker.handle_read()
        assert not waker.awake
        with pytest.raises(BlockingIOError):
            os.read(pipe, 1)
    os.close(pipe)
    os.close(end)


class Hanging:
    """A client whose member answers the first request when the test wants it, or never."""

    def __init__(self) -> None:
        self.answer: Future[str] = Future()
        self.log: list[str] = []
        self.timers: dict[float, Callable[[], None]] = {}
        self.manager = self._connection_manager = SimpleNamespace(_authenticate=lambda _: self.answer)
        self._reactor = self
        self._start()

    def _start(self) -> None:
        self.log.append("started")

    def add_timer(self, delay_s: float, call: Callable[[], None]) -> Hanging:
        self.timers[delay_s] = call
        return self

    def cancel(self) -> None:
        self.log.append("timer cancelled")

    def close_connection(self, reason: str, cause: object) -> None:
        self.log.append(f"closed: {reason}")


@pytest.mark.parametrize("is_late", [False, True])
def test_a_connection_whose_first_request_gets_no_answer_is_closed(is_late: bool) -> None:
    kind: Any = Hanging
    client: Any = first_answer_within(2.5, kind)()
    first_request = vars(client.manager)["_authenticate"]
    assert first_request(client) is client.answer
    if not is_late:
        client.answer.set_result("welcome")
    client.timers[2.5]()
    log = ["closed: no answer to the first request"] if is_late else []
    assert client.log == ["started", *log, "timer cancelled"]
    assert (type(client.answer.exception()) is TimeoutError) == is_late


def test_calls_are_quick_also_after_many_threads_have_called_at_once(cluster: ClusterClient) -> None:
    with new_run(cluster) as store:
        store.put_if_absent_all(RUN, [("key", b"value")])

        def call() -> None:
            for _ in range(ROUNDS):
                store.get_all(RUN, ["key"])

        threads = [threading.Thread(target=call) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert quickest(call) < ASLEEP_S * ROUNDS


def quickest(call: Any, tries: int = 5) -> float:
    taken = []
    for _ in range(tries):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return min(taken)


def test_the_error_of_members_that_are_away_has_what_was_tried_and_for_how_long() -> None:
    settings = ClusterSettings(("127.0.0.1:1",), "shop", connect_timeout_ms=2500)
    error = no_member_error(settings, RuntimeError("Unable to connect to any cluster"))
    assert "no member of the cluster shop let this node in within 2.5 s: 127.0.0.1:1 " in str(error)
    refused = no_member_error(settings, RuntimeError("wrong password"))
    assert "wrong password)" in str(refused)


def test_the_reason_of_a_failed_call_is_the_first_line_of_the_error_behind_its_timeout() -> None:
    assert reason_of(ValueError("no\nmore")) == "ValueError: no"
    assert reason_of(ValueError()) == "ValueError"
    late = "x timed out because an error occurred after invocation timeout: the member left"
    assert reason_of(RuntimeError(late)) == "the member left"
