"""LockedSite: a site of a test that answers one request at a time."""

from __future__ import annotations

import threading

from tests.server.answer import Answer
from tests.server.exchange import Exchange


class LockedSite:
    """A site that answers one request at a time, so that what it notes needs no lock of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    async def answer(self, exchange: Exchange) -> None:
        """Answer one request."""
        with self._lock:
            answer = self.answer_to(exchange)
        await exchange.send(answer)

    def answer_to(self, exchange: Exchange) -> Answer:
        """The answer to one request, for a kind of site to define."""
        raise NotImplementedError
