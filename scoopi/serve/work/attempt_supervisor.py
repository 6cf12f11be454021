"""AttemptSupervisor: a small process that runs the work of one attempt and leaves no process of it behind.

It reads a spec from standard input (the length in eight bytes, then JSON), then commands, one a line:
`alive` every few seconds, `stop`, `kill`. It kills all descendants when that pipe closes, because `serve` has
ended, even by SIGKILL; or when its lease ends, because `serve` hangs and another process may have taken the
attempt. `alive TIME` extends the lease to a time of the machine's monotonic clock, so a delayed command does
not extend it further. It writes a JSON object a line to standard output: `progress`, and finally `end`.
"""

from __future__ import annotations

import fcntl
import json
import os
import selectors
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scoopi.descendants import adopt_orphans, kill_descendants
from scoopi.serve.work.attempt_log import AttemptLog
from scoopi.serve.work.child import Pipes, start_child

LOCK = "lock"
"""A file in the attempt's folder, locked by the supervisor whose work runs there; contains its `token`."""
COMMANDS, MESSAGES = 0, 1
"""The descriptors to and from `serve`."""
SPEC_LENGTH = 8
"""Number of bytes in which the length of the spec precedes it."""
_CHUNK = 65536
_LAST_LINE = 2**20
"""The longest last line of standard output that is read as outputs, in bytes."""
_DRAIN_S = 2.0
"""For how many seconds pipes are read after the work has ended, if processes elsewhere hold them open."""


class AttemptSupervisor:
    """Runs the work of one attempt, and leaves no process of it behind.

    Args:
        spec: what to run; see `AttemptEnvironment.spec`.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        self._spec = spec
        self._folder = Path(spec["folder"])
        self._log = AttemptLog(self._folder, spec["log_limit"])
        self._selector = selectors.DefaultSelector()
        self._wake_end = wake_on_child()
        self._selector.register(self._wake_end, selectors.EVENT_READ, lambda data: None)
        self._until: float = spec["lease_ends_at"]
        self._commands = b""
        self._unsent = b""
        self._answers = b""
        self._last_line = b""
        self._answer: dict[str, Any] | None = None
        self._cause = ""
        self._child = 0
        self._open = 0

    def run(self) -> None:
        """Run the work, and report how it ended."""
        os.set_blocking(COMMANDS, False)
        os.set_blocking(MESSAGES, False)
        self._selector.register(COMMANDS, selectors.EVENT_READ, self._on_command)
        with open(self._folder / LOCK, "ab") as lock:
            if self._has_locked(lock.fileno()):
                end = self._noted_begin(lock.fileno()) or self._worked()
            else:
                end = {"cause": self._cause or "the work of an earlier claim has not ended"}
        self._log.close()
        os.set_blocking(MESSAGES, True)
        self._send({"end": end})

    def _has_locked(self, lock: int) -> bool:
        """Lock the folder once the supervisor of an earlier claim has ended; False if stopped before."""
        self._check_lease()
        while not self._cause:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._turn(0.05)
            else:
                return True
        return False

    def _noted_begin(self, lock: int) -> dict[str, Any]:
        """Write the token of the spec to the lock file, which shows `serve` that the work has begun.

        If the supervisor is killed before that, `serve` starts the work again.

        Returns:
            Empty; if the file cannot be written, such as on a full disk, the end to report.
        """
        try:
            os.ftruncate(lock, 0)
            os.write(lock, self._spec["token"].encode())
        except OSError as error:
            return {"fault": f"{self._folder / LOCK}: {error.strerror}"}
        return {}

    def _worked(self) -> dict[str, Any]:
        pipes = Pipes()
        self._child = start_child(self._spec, pipes)
        for descriptor, handle in (
            (pipes.out, self._on_out),
            (pipes.err, self._log.write),
            (pipes.answers, self._on_answer),
        ):
            self._selector.register(descriptor, selectors.EVENT_READ, handle)
            self._open += 1
        status: int | None = None
        while status is None and not self._cause:
            self._turn(1.0)
            pid, raw = os.waitpid(self._child, os.WNOHANG)
            status = raw if pid else None
        self._child = 0  # a stop has nothing to send a signal to any more
        kill_descendants()
        ends = time.monotonic() + _DRAIN_S
        while self._open and time.monotonic() < ends:
            self._turn(0.1)
        return {"cause": self._cause} if status is None else self._end_of(status)

    def _end_of(self, status: int) -> dict[str, Any]:
        code = os.waitstatus_to_exitcode(status)
        end: dict[str, Any] = {"signal": -code} if code < 0 else {"code": code}
        if self._answer is not None:
            end["answer"] = self._answer
        try:
            outputs = json.loads(self._last_line)
        except (ValueError, RecursionError):
            outputs = None
        return end | ({"outputs": outputs} if isinstance(outputs, dict) else {})

    def _turn(self, seconds: float) -> None:
        """Wait for something to happen, and handle it; SIGCHLD interrupts the wait."""
        left = self._until - time.monotonic()
        for key, _ in self._selector.select(max(0.0, min(seconds, left))):
            if key.fd == MESSAGES:
                self._flush()
                continue
            try:
                data = os.read(key.fd, _CHUNK)
            except BlockingIOError:
                continue
            handle: Callable[[bytes], object] = key.data
            if data or key.fd == COMMANDS:
                handle(data)
            elif key.fd != self._wake_end:
                self._selector.unregister(key.fd)
                self._open -= 1
        self._check_lease()

    def _check_lease(self) -> None:
        if time.monotonic() >= self._until:
            self._cause = self._cause or "its worker has not renewed its heartbeat"

    def _on_command(self, data: bytes) -> None:
        if not data:
            self._cause = self._cause or "its worker has ended"
            self._selector.unregister(COMMANDS)
            return
        *commands, self._commands = (self._commands + data).split(b"\n")
        for command in commands:
            if command.startswith(b"alive "):
                self._until = float(command.removeprefix(b"alive "))
            elif command == b"stop" and self._child:
                os.kill(self._child, signal.SIGTERM)
            elif command == b"kill":
                self._cause = self._cause or "killed"

    def _on_out(self, data: bytes) -> None:
        self._log.write(data)
        lines = (self._last_line + data).rstrip(b"\n").rpartition(b"\n")
        self._last_line = (lines[2] + b"\n" * data.endswith(b"\n"))[-_LAST_LINE:]

    def _on_answer(self, data: bytes) -> None:
        *lines, self._answers = (self._answers + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "answer" in message:
                self._answer = message["answer"]
            else:
                self._send(message)

    def _send(self, message: dict[str, Any]) -> None:
        self._unsent += json.dumps(message).encode() + b"\n"
        self._flush()

    def _flush(self) -> None:
        """Write as much as the pipe takes: a supervisor that blocked would not notice that its lease ends."""
        is_full = False
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(MESSAGES, self._unsent) :]
        except BlockingIOError:
            is_full = True
        except OSError:  # `serve` has closed its end
            self._unsent = b""
        is_awaited = MESSAGES in self._selector.get_map()
        if is_full and not is_awaited:
            self._selector.register(MESSAGES, selectors.EVENT_WRITE)
        elif is_awaited and not is_full:
            self._selector.unregister(MESSAGES)


def wake_on_child() -> int:
    """Make the end of a child of this process wake a selector; to be called in the main thread.

    Returns:
        The descriptor of a pipe that becomes readable when a child ends, or at another handled signal.
    """
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    return read_end


def main() -> None:
    """Run a supervisor; the program of its process."""
    spec = json.loads(_exactly(int.from_bytes(_exactly(SPEC_LENGTH), "big")))
    adopt_orphans()
    AttemptSupervisor(spec).run()


def _exactly(size: int) -> bytes:
    """Read `size` bytes without a buffer, which would swallow the commands that follow; exit at the end."""
    data = b""
    while len(data) < size:
        part = os.read(COMMANDS, size - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data
