"""RunningAttempt: an attempt on this worker, as `serve` controls it through its supervisor."""

from __future__ import annotations

import contextlib
import json
import os
import time
import uuid
from pathlib import Path
from typing import Any

from scoopi.serve.claims.claim import Claim
from scoopi.serve.work.attempt_supervisor import LOCK, SPEC_LENGTH
from scoopi.serve.work.fork_server import ForkServer

_CHUNK = 65536
_KILLED = {"end": {"fault": "its supervisor was killed"}}
_MOST_STARTS = 3
"""How often work is started at most, if its supervisor is killed each time before the work begins."""


class RunningAttempt:
    """An attempt that runs on this worker, controlled through its supervisor.

    Args:
        claim: the attempt or node, as it was claimed.
        spec: what the supervisor runs.
        fork_server: starts the supervisor.
    Attributes:
        is_stopped: whether the work was stopped or killed from here.
        is_revoked: whether its end is to be ignored, as its attempt is over or belongs to another worker.
    Raises:
        OSError: no process can be started.
    """

    def __init__(self, claim: Claim, spec: dict[str, Any], fork_server: ForkServer) -> None:
        self.claim = claim
        self.spec = spec | {"token": uuid.uuid4().hex}
        self.began = time.monotonic()
        self.is_stopped = False
        self.is_revoked = False
        self._kill_at: float | None = None
        self._received = b""
        self._fork_server = fork_server
        self._starts = 0
        self._start()

    def _start(self) -> None:
        self._starts += 1
        self._commands, self._messages = self._fork_server.start_supervisor()
        data = json.dumps(self.spec).encode()
        self._send(len(data).to_bytes(SPEC_LENGTH, "big") + data)

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._messages

    def seconds(self) -> float:
        """Return for how many seconds the attempt has been running here."""
        return time.monotonic() - self.began

    def keep_alive(self, lease_ends_at: float) -> None:
        """Extend the supervisor's lease to a time of the machine's monotonic clock, in seconds."""
        self.spec["lease_ends_at"] = lease_ends_at
        self._send(b"alive %.3f\n" % lease_ends_at)

    def stop(self, kill_after_s: float) -> None:
        """Send SIGTERM, and kill what is left after `kill_after_s` seconds; a later call may shorten this."""
        if not self.is_stopped:
            self.is_stopped = True
            self._send(b"stop\n")
        kill_at = time.monotonic() + kill_after_s
        self._kill_at = min(kill_at, self._kill_at or kill_at)

    def revoke(self) -> None:
        """Kill the work and ignore its end: the attempt belongs to another worker, or has ended."""
        self.is_revoked = True
        self.kill()

    def kill(self) -> None:
        """Kill the work at once."""
        self.is_stopped = True
        self._send(b"kill\n")

    def wait_s(self) -> float:
        """Return the seconds until the work must be killed; infinite if it was not stopped."""
        return float("inf") if self._kill_at is None else max(0.0, self._kill_at - time.monotonic())

    def kill_late(self) -> None:
        """Kill the work if its time after `stop` has passed."""
        if self._kill_at is not None and self.wait_s() <= 0:
            self._kill_at = None
            self.kill()

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages that the supervisor has sent since the last call; its last one has `end`."""
        data = os.read(self.fileno(), _CHUNK)
        if not data:
            return [_KILLED]
        *lines, self._received = (self._received + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def start_again(self, message: dict[str, Any]) -> bool:
        """Start the work again if its supervisor, or the fork server, was killed before the work began.

        Args:
            message: the last message, which has `end`.
        Returns:
            Whether the work was started again; `fileno` then returns another descriptor.
        """
        if message is not _KILLED or self.is_stopped or self._starts >= _MOST_STARTS or self._has_begun():
            return False
        self.close()
        try:
            self._start()
        except OSError:
            return False
        return True

    def _has_begun(self) -> bool:
        """Whether the supervisor has begun the work, as the lock of the attempt's folder shows."""
        try:
            return bool((Path(self.spec["folder"]) / LOCK).read_text() == self.spec["token"])
        except FileNotFoundError:
            return False
        except OSError:
            return True  # unknown, and the work must not run twice

    def close(self) -> None:
        """Close the pipes, after the supervisor has reported the end; a second call does nothing."""
        for pipe in (self._commands, self._messages):
            if pipe >= 0:
                os.close(pipe)
        self._commands = self._messages = -1

    def abandon(self) -> None:
        """Close the pipe to the supervisor, and wait until that has killed what is left."""
        if self._commands >= 0:
            os.close(self._commands)
            self._commands = -1
            while os.read(self._messages, _CHUNK):
                pass
            self.close()

    def _send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # the supervisor has ended, which its output shows
            while data:
                data = data[os.write(self._commands, data) :]
