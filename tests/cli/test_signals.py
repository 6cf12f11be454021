"""One signal asks, two signals stop, three end the process; and all is as before afterwards."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest

from scoopi.cli import signals as signals_module
from scoopi.cli.signals import Signals
from scoopi.cli.terminal import Terminal
from tests.engine.workspace import LIMIT_S, processor_ticks, wait_until

HELD_S = 0.3
HELD_TICKS = 10


class Calls:
    """Remembers cancels and the end of the process, and lets a test wait for them."""

    def __init__(self) -> None:
        self.seen: list[object] = []
        self._changed = threading.Condition()

    def cancel(self, hard: bool = False) -> None:
        self._add("hard" if hard else "graceful")

    def leave(self, code: int) -> None:
        self._add(code)

    def _add(self, what: object) -> None:
        with self._changed:
            self.seen.append(what)
            self._changed.notify_all()

    def expect(self, *what: object) -> None:
        with self._changed:
            self._changed.wait_for(lambda: len(self.seen) >= len(what), LIMIT_S)
            assert self.seen == list(what)


@pytest.fixture
def calls() -> Calls:
    return Calls()


def send(number: int) -> None:
    os.kill(os.getpid(), number)


def test_the_first_asks_and_the_second_stops(screen: Any, calls: Calls) -> None:
    with Signals(screen.terminal, grace_s=60, leave=calls.leave) as signals:
        signals.serve(calls.cancel)
        send(signal.SIGINT)
        calls.expect("graceful")
        send(signal.SIGTERM)
        calls.expect("graceful", "hard")
        assert (signals.number, signals.count) == (signal.SIGINT, 2)
    assert screen.err.getvalue() == (
        "SIGINT: finishing running tasks, press Ctrl-C again to stop immediately\n"
    )


def test_what_the_first_signal_causes_is_said_in_the_words_of_who_serves(screen: Any, calls: Calls) -> None:
    with Signals(screen.terminal, doing="stopping", leave=calls.leave) as signals:
        signals.serve(calls.cancel, lambda: "stopping 2 attempts")
        send(signal.SIGTERM)
        calls.expect("graceful")
    with Signals(screen.terminal, doing="stopping", leave=calls.leave) as signals:
        send(signal.SIGTERM)
        assert signals.wait(LIMIT_S)
    assert screen.err.getvalue() == "SIGTERM: stopping 2 attempts\nSIGTERM: stopping\n"


def test_a_run_that_does_not_stop_at_once_is_ended(screen: Any, calls: Calls) -> None:
    with Signals(screen.terminal, grace_s=0.01, leave=calls.leave) as signals:
        signals.serve(calls.cancel)
        send(signal.SIGTERM)
        calls.expect("graceful")
        send(signal.SIGTERM)
        calls.expect("graceful", "hard", 143)


def test_a_third_signal_ends_the_process(screen: Any, calls: Calls) -> None:
    with Signals(screen.terminal, grace_s=60, leave=calls.leave) as signals:
        signals.serve(calls.cancel)
        for expected in (["graceful"], ["graceful", "hard"], ["graceful", "hard", 130]):
            send(signal.SIGINT)
            calls.expect(*expected)


def test_a_signal_before_the_run_is_there_reaches_it(screen: Any, calls: Calls) -> None:
    with Signals(screen.terminal, leave=calls.leave) as signals:
        send(signal.SIGINT)
        wait_until(lambda: signals.count == 1, "the signal")
        signals.serve(calls.cancel)
        calls.expect("graceful")


def test_a_second_signal_before_the_run_is_there_ends_the_process(screen: Any, calls: Calls) -> None:
    with Signals(screen.terminal, leave=calls.leave) as signals:
        send(signal.SIGINT)
        wait_until(lambda: signals.count == 1, "the signal")
        send(signal.SIGINT)
        calls.expect(130)


def test_a_cancel_that_breaks_does_not_deafen(
    screen: Any, calls: Calls, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(hard: bool = False) -> None:
        calls.cancel(hard)
        raise ValueError("inside")

    with Signals(screen.terminal, grace_s=60, leave=calls.leave) as signals:
        signals.serve(broken)
        send(signal.SIGINT)
        calls.expect("graceful")
        send(signal.SIGINT)
        calls.expect("graceful", "hard")
    assert "the run could not be cancelled" in caplog.text


class Stuck(io.StringIO):
    """A stream whose reader takes nothing, as a pipe that is full."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()

    def write(self, text: str) -> int:
        self.free.wait()
        return super().write(text)


def test_messages_that_nobody_reads_do_not_keep_signals_from_stopping_the_run(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signals_module, "SAY_S", 0.05)
    err = Stuck()
    with Signals(Terminal(io.StringIO(), err), grace_s=60, leave=calls.leave) as signals:
        signals.serve(calls.cancel)
        try:
            send(signal.SIGTERM)
            calls.expect("graceful")
            send(signal.SIGTERM)
            calls.expect("graceful", "hard")
        finally:
            err.free.set()
    wait_until(err.getvalue, "the message")
    assert "SIGTERM: finishing running tasks" in err.getvalue()


def test_other_signals_are_not_taken(screen: Any, calls: Calls) -> None:
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        with Signals(screen.terminal, leave=calls.leave) as signals:
            signals.serve(calls.cancel)
            send(signal.SIGUSR1)
            send(signal.SIGINT)
            calls.expect("graceful")
            assert signals.count == 1
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_handlers_threads_and_pipes_are_given_back(screen: Any) -> None:
    def state() -> tuple[object, ...]:
        handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        return (*handlers, threading.active_count(), len(os.listdir("/proc/self/fd")))

    before = state()
    with Signals(screen.terminal):
        assert state() != before
    assert state() == before


HELD = """
import io, re, threading
from scoopi.cli.signals import Signals
from scoopi.cli.terminal import Terminal

with Signals(Terminal(io.StringIO(), io.StringIO(), {})) as signals:
    signals.serve(lambda hard=False: None)
    print("held", flush=True)
    # Holds the interpreter's lock for hours.
    thread = threading.Thread(target=re.match, args=("(a+)+$", "a" * 60 + "b"))
    thread.start()
    thread.join()
"""


def test_the_second_signal_ends_a_process_whose_interpreter_is_held() -> None:
    with subprocess.Popen([sys.executable, "-c", HELD], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"held\n"
            began = processor_ticks(process.pid)
            wait_until(lambda: processor_ticks(process.pid) > began + HELD_TICKS, "the call")
            process.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(HELD_S)
            process.send_signal(signal.SIGINT)
            assert process.wait(LIMIT_S) == -signal.SIGINT
        finally:
            process.kill()


def test_outside_the_main_thread_nothing_is_taken(screen: Any) -> None:
    before = signal.getsignal(signal.SIGINT)
    during: list[object] = []

    def listen() -> None:
        with Signals(screen.terminal):
            during.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join(LIMIT_S)
    assert during == [before]
