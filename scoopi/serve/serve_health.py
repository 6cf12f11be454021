"""ServeHealth: whether a `serve` is healthy and ready, and what it has done."""

from __future__ import annotations

import time
from collections.abc import Mapping

STUCK_S = 120.0
"""The loop turns at each heartbeat; a call to a store that is away ends long before this."""


class ServeHealth:
    """Whether a `serve` is healthy and ready, and what it has done.

    One thread reports, any thread asks.

    Attributes:
        worker: its name; empty until it has one.
        ended: attempts that ended here, by process and status.
    """

    def __init__(self) -> None:
        self.worker = ""
        self._unready = "starting"
        self._began = self._turned = time.monotonic()
        self.ended: Mapping[tuple[str, str], int] = {}

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self._began

    def turned(self, unready: str = "") -> None:
        """The loop of `serve` has turned.

        Args:
            unready: why it does no work at the moment; empty if it does.
        """
        self._unready, self._turned = unready, time.monotonic()

    def attempt_ended(self, process: str, status: str) -> None:
        """An attempt has ended here."""
        key = process, status
        # a new mapping, since other threads may be reading the old one
        self.ended = {**self.ended, key: self.ended.get(key, 0) + 1}

    def fault(self) -> str:
        """Why the process should be restarted; empty while it is healthy."""
        stuck_s = time.monotonic() - self._turned
        return f"the loop has not turned for {stuck_s:.0f} s" if stuck_s > STUCK_S else ""

    def unready(self) -> str:
        """Why it does no work; empty if it does."""
        return self.fault() or self._unready
