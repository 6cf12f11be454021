"""PlayedLoader: a loader whose pages come when the test says so."""

from __future__ import annotations

import queue
import threading
from collections import deque

from scoopi.model.handover import Handover, Payload, ToTask
from scoopi.steps.loading.loader import Loader, OnHandover

LIMIT_S = 60.0


class PlayedLoader(Loader):
    """Keeps what is begun until the test ends it.

    Args:
        ends_at_once: number of pages that come as soon as they are asked for.

    Attributes:
        begun: payloads, as they were begun.
        waits: is set while a turn waits.
        turns: how many were taken.
        abandoned: payloads that were given up before they began, or while they waited.
    """

    def __init__(self, ends_at_once: int = 0) -> None:
        self.begun: queue.Queue[Payload] = queue.Queue()
        self.waits = threading.Event()
        self.turns = 0
        self.abandoned: list[Payload] = []
        self._at_once = ends_at_once
        self._under_way: deque[OnHandover] = deque()
        self._outcomes: deque[Handover | Exception] = deque()
        self._wakeup = threading.Event()

    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        self.begun.put(payload)
        if self._at_once:
            self._at_once -= 1
            on_handover(ToTask(payload.advance("page")))
        else:
            self._under_way.append(on_handover)

    def under_way(self) -> int:
        return len(self._under_way)

    def turn(self, wait_s: float) -> None:
        self.turns += 1
        if not self._outcomes and wait_s:
            self.waits.set()
            self._wakeup.wait(min(wait_s, LIMIT_S))
            self.waits.clear()
        self._wakeup.clear()
        while self._outcomes and self._under_way:
            self._under_way.popleft()(self._outcomes.popleft())

    def abandon(self, payload: Payload) -> None:
        self.abandoned.append(payload)

    def wake(self) -> None:
        self._wakeup.set()

    def close(self) -> None:
        self._under_way.clear()

    def end(self, outcome: Handover | Exception) -> None:
        """How the first page under way, now or soon, ends."""
        self.begun.get(timeout=LIMIT_S)
        self._outcomes.append(outcome)
        self.wake()
