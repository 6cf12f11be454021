"""CallPipeline: pipelines calls to the grid, with a bounded number in flight."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

from scoopi.store.cluster.cluster_client import ClusterClient

if TYPE_CHECKING:
    from hazelcast.future import Future

WIDTH = 1000
"""Most calls in flight. A wait costs two context switches, so jobs end faster with 1,000 than with 200."""


class CallPipeline:
    """Pipelines calls to the grid, with a bounded number in flight.

    When it raises, calls may still be in flight and take effect later. That is harmless, because every
    write is conditional on a value that does not come back (ARCHITECTURE, protocol rule 1).

    Args:
        guarded: whether calls are refused while no majority of the members is seen.
    """

    def __init__(self, client: ClusterClient, guarded: bool = True) -> None:
        self._client = client
        self._ensure = client.ensure_majority if guarded else lambda: None

    def answers(self, what: str, calls: Iterable[Callable[[], Future[Any]]]) -> list[Any]:
        """Make the calls; return their answers in the same order. Blocks until all have come.

        Args:
            what: what the calls do, for the error.
            calls: each sends one call of the client, and returns its future.
        Raises:
            StoreError: a call failed or got no answer in time; no further calls are sent.
            ClusterError: the cluster has been unreachable for too long.
        """
        self._ensure()
        answers: list[Any] = []
        calls = iter(calls)
        # The next calls are sent once half of those in flight have been answered.
        flying = [call() for call in islice(calls, WIDTH)]
        while flying:
            due = WIDTH // 2 if len(flying) == WIDTH else len(flying)
            answers += self._landed(what, flying[:due])
            flying = flying[due:]
            flying += [call() for call in islice(calls, WIDTH - len(flying))]
        self._client.answered()
        self._ensure()  # the members may have split meanwhile
        return answers

    def answer(self, what: str, call: Callable[[], Future[Any]]) -> Any:
        """Make one call; return its answer."""
        return self.answers(what, [call])[0]

    def _landed(self, what: str, flying: list[Future[Any]]) -> list[Any]:
        """Wait for the answers of these calls; each has the full timeout, as any answer is a sign of life."""
        answers: list[Any] = []
        faults: list[Exception] = []
        for future in reversed(flying):  # the last one first: once it is there, most others are, too
            if not self._client.has_come(future):
                self._client.refuse(f"{what}: no answer in time")
            try:
                answers.append(future.result())
            except Exception as fault:
                faults.append(fault)
        if faults:
            self._client.refuse(what, faults[-1])
        return answers[::-1]
