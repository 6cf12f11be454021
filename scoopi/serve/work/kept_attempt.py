"""KeptAttempt: one attempt of this worker, below its keeper."""

from __future__ import annotations

import contextlib
import json
import os
import time
from typing import Any

from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.serve.work.fork_server import ForkServer
from scoopi.serve.work.keeper import ORDER_LENGTH

_CHUNK = 65536


class KeptAttempt:
    """One attempt that runs on this worker, below its keeper.

    Args:
        attempt: its record, as claimed.
        order: what it runs.
        fork_server: starts its keeper.
    Raises:
        OSError: no process can be started.
    """

    def __init__(self, attempt: AttemptRecord, order: dict[str, Any], fork_server: ForkServer) -> None:
        self.attempt = attempt
        self.order = order
        self.began = time.monotonic()
        self.is_stopped = False
        self.is_revoked = False
        self._kill_at: float | None = None
        self._received = b""
        self._commands, self._messages = fork_server.start_keeper()
        data = json.dumps(order).encode()
        self._send(len(data).to_bytes(ORDER_LENGTH, "big") + data)

    def fileno(self) -> int:
        """The descriptor to wait for."""
        return self._messages

    def seconds(self) -> float:
        """How long it has been running here."""
        return time.monotonic() - self.began

    def keep_alive(self, lease_ends_at: float) -> None:
        """Renew the lease of the keeper, up to a time of the machine's monotonic clock."""
        self._send(b"alive %.3f\n" % lease_ends_at)

    def stop(self, kill_after_s: float) -> None:
        """Send SIGTERM, and kill what is left after a while; a second call can only shorten that."""
        if not self.is_stopped:
            self.is_stopped = True
            self._send(b"stop\n")
        kill_at = time.monotonic() + kill_after_s
        self._kill_at = min(kill_at, self._kill_at or kill_at)

    def revoke(self) -> None:
        """Kill the work; its end counts no more, because the attempt belongs to another worker or is over."""
        self.is_revoked = True
        self.kill()

    def kill(self) -> None:
        """Kill the work at once."""
        self.is_stopped = True
        self._send(b"kill\n")

    def wait_s(self) -> float:
        """How long until it has to be killed."""
        return float("inf") if self._kill_at is None else max(0.0, self._kill_at - time.monotonic())

    def kill_late(self) -> None:
        """Kill it if its time after `stop` is over."""
        if self._kill_at is not None and self.wait_s() <= 0:
            self._kill_at = None
            self.kill()

    def messages(self) -> list[dict[str, Any]]:
        """What the keeper has sent; the last message has `end`."""
        data = os.read(self.fileno(), _CHUNK)
        if not data:
            return [{"end": {"fault": "its keeper was killed"}}]
        *lines, self._received = (self._received + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        """Close the pipes of a keeper that has reported the end; a second call does nothing."""
        for pipe in (self._commands, self._messages):
            if pipe >= 0:
                os.close(pipe)
        self._commands = self._messages = -1

    def abandon(self) -> None:
        """End the work: close the pipe, upon which the keeper kills what is left, and wait for that."""
        if self._commands >= 0:
            os.close(self._commands)
            self._commands = -1
            while os.read(self._messages, _CHUNK):
                pass
            self.close()

    def _send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # the keeper has ended, which its output shows
            while data:
                data = data[os.write(self._commands, data) :]
