"""Wake-ups: notify the `serve` processes of a state folder of changed records; a wake-up may get lost."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

from scoopi.store.schedule.record_signals import RecordListener

_FOLDER = "wake"
_CHUNK = 4096


class WakeUp:
    """A named pipe that other processes write to, so that it is readable after a notification.

    Args:
        folder: the folder of the scheduler's state.
        name: the listener's name, unique among the live ones.
        listen: has the store call a function whenever a process on another machine has changed records;
            returns None if the store cannot do that.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        listen: Callable[[Callable[[], object]], RecordListener | None] = lambda heard: None,
    ) -> None:
        self._path = folder / _FOLDER / name.replace("/", "_")
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        self._path.unlink(missing_ok=True)
        os.mkfifo(self._path, 0o600)
        # opened for writing too: else reading would find the end of the pipe after each notifier
        self._pipe = os.open(self._path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._is_closed, self._closing = False, threading.RLock()
        self._listener = listen(self.notify)

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._pipe

    def notify(self) -> None:
        """Wake the listener unless it is closed; callable from any thread, and from a signal handler."""
        with self._closing, contextlib.suppress(BlockingIOError):
            if not self._is_closed:  # its descriptor may belong to another file by now
                os.write(self._pipe, b"\0")

    def clear(self) -> None:
        """Discard the notifications so far."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._pipe, _CHUNK):
                pass

    def close(self) -> None:
        """Remove the pipe."""
        if self._listener is not None:
            self._listener.close()
        self._path.unlink(missing_ok=True)
        with self._closing:
            self._is_closed = True
            os.close(self._pipe)


def is_listening(folder: Path, name: str) -> bool:
    """Whether a process listens under a name in a state folder; False once it has ended, however it did."""
    try:
        os.close(
            os.open(folder / _FOLDER / name.replace("/", "_"), os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        )
    except OSError:  # ENXIO: nobody reads the pipe; ENOENT: it was removed
        return False
    return True


def notify_all(folder: Path, but: str = "") -> None:
    """Wake the listeners of a state folder, except the one named `but`; skip pipes without a listener."""
    try:
        pipes = list((folder / _FOLDER).iterdir())
    except OSError:
        return
    for path in (each for each in pipes if each.name != but.replace("/", "_")):
        with contextlib.suppress(OSError):  # ENXIO: nobody listens; EAGAIN: it has been notified already
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                os.write(pipe, b"\0")
            finally:
                os.close(pipe)
