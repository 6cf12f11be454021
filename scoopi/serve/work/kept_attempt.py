"""KeptAttempt: one attempt of this worker, below its keeper."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from typing import Any

from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.serve.work.keeper import ORDER_LENGTH

_CHUNK = 65536


class KeptAttempt:
    """An attempt that runs.

    Args:
        attempt: its record, as claimed.
        command: starts a keeper.
        order: what it runs.
    """

    def __init__(self, attempt: AttemptRecord, command: list[str], order: dict[str, Any]) -> None:
        self.attempt = attempt
        self.order = order
        self.began = time.monotonic()
        self.is_stopped = False
        self.is_revoked = False
        self._kill_at: float | None = None
        self._received = b""
        self._keeper = subprocess.Popen(  # noqa: S603  the keeper is a part of Scoopi
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, bufsize=0
        )
        data = json.dumps(order).encode()
        self._send(len(data).to_bytes(ORDER_LENGTH, "big") + data)

    def fileno(self) -> int:
        """The descriptor to wait for."""
        assert self._keeper.stdout is not None
        return self._keeper.stdout.fileno()

    def seconds(self) -> float:
        """How long it has been running here."""
        return time.monotonic() - self.began

    def keep_alive(self) -> None:
        """Renew the lease of the keeper."""
        self._send(b"alive\n")

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
        """Close the pipes, upon which the keeper kills what is left, and wait for it."""
        for pipe in (self._keeper.stdin, self._keeper.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()
        self._keeper.wait()

    def _send(self, data: bytes) -> None:
        assert self._keeper.stdin is not None
        with contextlib.suppress(OSError):  # the keeper has ended, which its output shows
            while data:
                data = data[self._keeper.stdin.write(data) or 0 :]
