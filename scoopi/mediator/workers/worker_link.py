"""WorkerLink: the parent's ends of the pipes to one worker; ProcessLink: of one in a process of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from scoopi.model.decoders import msgpack_decoder
from scoopi.worker.crash_marker import CrashMarker, RunningTask
from scoopi.worker.messages import ToParent
from scoopi.worker.pipe import MessageBuffer, pack

DECODER = msgpack_decoder(ToParent)
PIPE_BYTES = 1 << 20
END_S = 5.0
"""For how many seconds a worker may run on after it has closed its pipe; then it is killed."""


class WorkerLink:
    """The parent's ends of the pipes to one worker; a base class.

    Sends never block: bytes for which the pipe has no room wait here. Belongs to one thread.

    Attributes:
        incoming, outgoing: file descriptors, to read from and to write to; non-blocking.
    """

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming = incoming
        self.outgoing = outgoing
        self._unsent = bytearray()
        self._buffer = MessageBuffer()
        for descriptor in (incoming, outgoing):
            os.set_blocking(descriptor, False)
            with contextlib.suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    def send(self, message: msgspec.Struct) -> None:
        """Send the worker a message, as far as its pipe has room now, and the rest by `push`."""
        self._unsent += pack(message)
        self.push()

    def push(self) -> None:
        """Write what waits, as far as the pipe has room; if the worker has closed it, drop what waits."""
        try:
            while self._unsent:
                del self._unsent[: os.write(self.outgoing, self._unsent)]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent.clear()

    def has_unsent(self) -> bool:
        """Whether `push` has something left to write."""
        return bool(self._unsent)

    def receive(self) -> tuple[list[ToParent], bool]:
        """Read what the worker has sent since the last call, without blocking.

        Returns:
            The complete messages, and whether the pipe is open; if not, the worker has ended or died.
        """
        try:
            count = self._buffer.read_from(self.incoming)
        except BlockingIOError:
            return [], True
        return list(map(DECODER.decode, self._buffer.bodies())), bool(count)

    def receive_rest(self) -> Iterator[ToParent]:
        """Yield the complete messages that a dead worker has left in its pipe; a torn one is dropped."""
        alive = True
        while alive:
            messages, alive = self.receive()
            yield from messages
            if not messages and alive:
                return

    @property
    def pid(self) -> int | None:
        """The worker's process id; None when it is a thread."""
        return None

    def running_task(self) -> RunningTask:
        """The task that the worker is running now, from its crash marker."""
        return RunningTask()

    def is_paused(self) -> bool:
        """Whether the worker is stopped from outside (SIGSTOP, a debugger), and so is not hanging."""
        return False

    def has_ended(self) -> bool:
        """Whether the worker is gone, even if a process that it has forked holds its pipe open."""
        return False

    def kill(self) -> None:
        """End the worker at once."""

    def reap(self) -> tuple[str, RunningTask]:
        """Wait for the end of a worker, and close the pipes.

        Returns:
            How it ended, in words (`it was killed by SIGSEGV`), and the task that it was running.
        """
        os.close(self.incoming)
        os.close(self.outgoing)
        return "", RunningTask()


class ProcessLink(WorkerLink):
    """A worker in a process of its own; its crash affects no other worker."""

    def __init__(self, wire: str) -> None:
        child_in, outgoing = os.pipe()
        incoming, child_out = os.pipe()
        super().__init__(incoming, outgoing)
        self._marker = CrashMarker.make()
        kept = (child_in, child_out, self._marker.descriptor)
        numbers = zip(("--incoming", "--outgoing", "--marker"), kept, strict=True)
        command = [sys.executable, "-P", "-m", "scoopi.worker", "--wire", wire, "--parent", str(os.getpid())]
        for option, number in numbers:
            command += [option, str(number)]
        # A group of its own: Ctrl-C of the terminal reaches the parent only.
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command, stdin=subprocess.DEVNULL, pass_fds=kept, env=_environment(), process_group=0
        )
        os.close(child_in)
        os.close(child_out)

    @property
    def pid(self) -> int:
        """The worker's process id."""
        return self._process.pid

    def running_task(self) -> RunningTask:
        """See `WorkerLink.running_task`."""
        return self._marker.read()

    def is_paused(self) -> bool:
        """See `WorkerLink.is_paused`."""
        with suppress(OSError):
            state = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2][:1]
            return state in ("T", "t")
        return False

    def has_ended(self) -> bool:
        """See `WorkerLink.has_ended`."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """End the worker with SIGKILL."""
        self._process.kill()

    def reap(self) -> tuple[str, RunningTask]:
        """See `WorkerLink.reap`; a process that runs for more than END_S from now is killed."""
        try:
            code = self._process.wait(timeout=END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        running = self._marker.read()
        self._marker.close()
        super().reap()
        return _ending(code), running


def _environment() -> dict[str, str]:
    """The parent's environment, with the folder of its package on PYTHONPATH unless that is installed."""
    root = str(Path(__file__).resolve().parents[2])
    if root in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        return dict(os.environ)
    former = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{former}" if former else root}


def _ending(code: int) -> str:
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        return f"it was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was killed by signal {-code}"
