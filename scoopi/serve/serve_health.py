"""ServeHealth: health and readiness of a `serve`, and totals of its work."""

from __future__ import annotations

import time
from collections.abc import Mapping

STUCK_S = 120.0
"""After how many seconds without a turn of the loop the process counts as stuck.

It turns at each heartbeat, and a call to a store that does not answer times out long before this.
"""


class ServeHealth:
    """Health and readiness of a `serve`, and totals of its work.

    One thread updates it; any thread may read it.

    Attributes:
        worker: name of the worker of this process; empty until it has one.
        ended: number of attempts that ended here, by process and status.
    """

    def __init__(self) -> None:
        self.worker = ""
        self._unready = "starting"
        self._began = self._turned = time.monotonic()
        self.ended: Mapping[tuple[str, str], int] = {}

    @property
    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._began

    def turned(self, unready: str = "") -> None:
        """Note that the main loop has completed a turn.

        Args:
            unready: why the process cannot work at the moment; empty if it can.
        """
        self._unready, self._turned = unready, time.monotonic()

    def attempt_ended(self, process: str, status: str) -> None:
        """Count an attempt that has ended here."""
        key = process, status
        # a new mapping, since other threads may be reading the old one
        self.ended = {**self.ended, key: self.ended.get(key, 0) + 1}

    def fault(self) -> str:
        """Return why the process should be restarted; empty while it is healthy."""
        stuck_s = time.monotonic() - self._turned
        return f"the loop has not turned for {stuck_s:.0f} s" if stuck_s > STUCK_S else ""

    def unready(self) -> str:
        """Return why the process cannot work; empty if it can."""
        return self.fault() or self._unready
