"""Pace: proves from a server's log that a host saw the promised rate, however busy the machine was."""

from __future__ import annotations

import asyncio
import bisect
import time
from itertools import pairwise
from types import TracebackType

from tests.server.request_log import Seen
from tests.server.server import Server

TICK_S = 0.001
TOLERANCE_S = 0.001
"""Of the clocks of two processes, which is one clock read at two places."""
ROUNDS = 3
"""Of the server's loop from a request's coming to its entry in the log: accepting, connecting, reading."""


class Pace:
    """Ticks in the server's loop, so that it is known how late the loop may have noted a request.

    A request that was noted just after a tick may have come since the tick before; on a busy machine
    these can be far apart. A gap counts as too short only when no such delay can explain it.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._ticks: list[float] = [time.monotonic()]

    def __enter__(self) -> Pace:
        self._task = asyncio.run_coroutine_threadsafe(self._tick(), self._server.loop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()

    def assert_kept(self, delay_ms: int, parallelism: int, number: int = 0) -> None:
        """No two requests to the host began within the delay, never more than allowed were in flight."""
        host = self._server.host(number)
        seen = self._server.log.all(host)
        assert len(seen) > 1
        longest = [after.started - self._came_after(before) for before, after in pairwise(seen)]
        noted = self._server.log.gaps(host)
        assert min(longest) >= delay_ms / 1000 - TOLERANCE_S, (sorted(longest)[:3], sorted(noted)[:3])
        assert self._server.log.most_in_flight(host) <= parallelism

    def _came_after(self, seen: Seen) -> float:
        """A time before which the request cannot have come."""
        return self._ticks[max(0, bisect.bisect(self._ticks, seen.started) - ROUNDS)]

    async def _tick(self) -> None:
        while True:
            self._ticks.append(time.monotonic())
            await asyncio.sleep(TICK_S)
