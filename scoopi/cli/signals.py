"""Signals: the first SIGINT, SIGTERM or SIGHUP starts a graceful shutdown, the second an immediate one.

A Python signal handler runs between two instructions of the main thread, possibly while that thread holds a
lock, and does not run while the main thread waits in C. So the handlers do nothing: the interpreter writes
the number of each signal to a pipe, and a thread that only reads this pipe acts on it. A second thread ends
the process if the immediate shutdown takes too long. A call that holds the interpreter's lock blocks all
threads; then the kernel ends the process at the second signal.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Protocol

from scoopi.cli.exit_codes import code_of_signal
from scoopi.cli.terminal import Terminal

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_END = b"\0"
_SHOW_CURSOR = "\x1b[?25h"
SAY_S = 0.5
"""How long the effect of a signal may wait for its message to be shown, in seconds."""


class CancelRun(Protocol):
    """Stops a run gracefully, or with `hard` immediately. Thread-safe; may be called more than once."""

    def __call__(self, hard: bool = False) -> None: ...


class Signals:
    """Handles signals during its `with` block; inactive outside the main thread.

    Args:
        terminal: shows the effect of a signal.
        doing: the effect of the first signal, for the terminal.
        grace_s: how long the run may take after the second signal before the process is ended.
        leave: ends the process at once, with an exit code.
    Attributes:
        number: the first signal that was received; None before.
        count: how many signals were received.
    """

    def __init__(
        self,
        terminal: Terminal,
        *,
        doing: str = "finishing running tasks",
        grace_s: float = 2.0,
        leave: Callable[[int], object] = os._exit,
    ) -> None:
        self._terminal = terminal
        self._grace_s = grace_s
        self._leave = leave
        self._cancel: CancelRun | None = None
        self._doing: Callable[[], str] = lambda: doing
        self._is_left, self._has_come = threading.Event(), threading.Event()
        self._restore: list[Callable[[], object]] = []
        self._one_shots: dict[int, _OneShot] = {}
        self.number: int | None = None
        self.count = 0

    def __enter__(self) -> Signals:
        if threading.current_thread() is threading.main_thread():
            self._listen()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._restore:
            self._restore.pop()()
        self._is_left.set()

    def serve(self, cancel: CancelRun, doing: Callable[[], str] | None = None) -> None:
        """Pass signals to `cancel`, including one received before this call.

        Args:
            doing: returns the effect of the first signal, for the terminal; None keeps the earlier text.
        """
        self._cancel, self._doing = cancel, doing or self._doing
        if self.count:
            self._ask(hard=False)

    def wait(self, limit_s: float) -> bool:
        """Wait up to `limit_s` for a signal; returns whether one was received."""
        return self._has_come.wait(limit_s)

    def _listen(self) -> None:
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        thread = threading.Thread(target=self._watch, args=(read_end,), name="signals", daemon=True)
        thread.start()

        def end() -> None:
            os.write(write_end, _END)
            thread.join()
            os.close(read_end)
            os.close(write_end)

        self._restore.append(end)
        before = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        self._restore.append(lambda: signal.set_wakeup_fd(before))
        for number in STOPPING:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # for example by nohup
                self._replace_handler(number)

    def _replace_handler(self, number: signal.Signals) -> None:
        before = signal.signal(number, _leave_to_thread)
        self._restore.append(lambda: signal.signal(number, before))
        self._one_shots[number] = _OneShot(number)

    def _watch(self, read_end: int) -> None:
        while True:
            for number in os.read(read_end, 64):
                if number == _END[0]:
                    return
                if number in STOPPING:
                    self._take(number)

    def _take(self, number: int) -> None:
        self._one_shots[number].renew()
        self.count += 1
        self.number = self.number or number
        self._has_come.set()
        if self.count == 1:
            again = ", press Ctrl-C again to stop immediately" if number == signal.SIGINT else ""
            self._say(f"{signal.Signals(number).name}: {self._doing()}{again}")
            self._ask(hard=False)
        elif self.count == 2 and self._cancel:
            threading.Thread(target=self._end_late, name="signals-end", daemon=True).start()
            self._ask(hard=True)
        else:
            self._end_process()

    def _say(self, message: str) -> None:
        """Show a message; wait for at most SAY_S seconds, since a pipe that nobody reads blocks for ever."""
        thread = threading.Thread(target=self._terminal.say, args=(message,), name="signals-say", daemon=True)
        thread.start()
        thread.join(SAY_S)

    def _ask(self, hard: bool) -> None:
        try:
            if self._cancel:
                self._cancel(hard=hard)
        except Exception:  # the next signal must still be handled
            import logging

            logging.getLogger(__name__).exception("the run could not be cancelled")

    def _end_late(self) -> None:
        if not self._is_left.wait(self._grace_s):
            self._end_process()

    def _end_process(self) -> None:
        if self._terminal.is_live:
            self._say(f"{_SHOW_CURSOR}stopped")
        self._leave(code_of_signal(self.number or signal.SIGINT))


class _OneShot:
    """Makes the kernel remove a signal's handler when it runs, so that the next signal ends the process.

    The thread that handles the signal installs the handler again, provided it gets to run.
    """

    def __init__(self, number: int) -> None:
        import ctypes  # late: help and version handle no signals

        self._number = number
        self._install = getattr(ctypes.CDLL(None), "sysv_signal", None)
        if self._install is not None:
            self._install.argtypes, self._install.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
            self._handler = self._install(number, None)
            self.renew()

    def renew(self) -> None:
        """Install the handler again. Thread-safe."""
        if self._install is not None:
            self._install(self._number, self._handler)


def _leave_to_thread(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the handler only prevents the default action; the signal is already in the pipe."""
