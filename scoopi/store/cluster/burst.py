"""Burst: many calls to the grid in flight at once, a bounded number of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

from scoopi.store.cluster.cluster_client import ClusterClient

if TYPE_CHECKING:
    from hazelcast.future import Future

WIDTH = 1000
"""Calls in flight. A wait costs two changes of thread: jobs end faster with 1,000 than with 200."""


class Burst:
    """Keeps many calls to the grid in flight at once, a bounded number of them.

    When it raises, calls may still be on their way and take effect later: every write is conditional
    on a value that does not come back, so this does no harm (ARCHITECTURE, protocol rule 1).

    Args:
        guarded: whether calls are refused while no majority of the members is seen.
    """

    def __init__(self, client: ClusterClient, guarded: bool = True) -> None:
        self._client = client
        self._ensure = client.ensure_majority if guarded else lambda: None

    def answers(self, what: str, calls: Iterable[Callable[[], Future[Any]]]) -> list[Any]:
        """The answers, in the order of the calls.

        Args:
            what: is named when it fails.
        Raises:
            StoreError: one call failed or got no answer in time; those sent with it were waited for.
            ClusterError: the cluster has been unreachable for too long.
        """
        self._ensure()
        answers: list[Any] = []
        calls = iter(calls)
        # The next ones leave when half of those in flight have come back.
        flying = [call() for call in islice(calls, WIDTH)]
        while flying:
            half = len(flying) // 2 if len(flying) == WIDTH else len(flying)
            answers += self._landed(what, flying[: max(1, half)])
            flying = flying[max(1, half) :]
            flying += [call() for call in islice(calls, WIDTH - len(flying))]
        self._client.answered()
        self._ensure()  # the members may have split meanwhile
        return answers

    def answer(self, what: str, call: Callable[[], Future[Any]]) -> Any:
        """The answer of one call."""
        return self.answers(what, [call])[0]

    def _landed(self, what: str, flying: list[Future[Any]]) -> list[Any]:
        """The answers of these calls; each has the whole time limit, as any answer is a sign of life."""
        answers: list[Any] = []
        faults: list[Exception] = []
        for future in reversed(flying):  # the last one first: when it is there, so are most
            if not self._client.has_come(future):
                self._client.refuse(f"{what}: no answer in time")
            try:
                answers.append(future.result())
            except Exception as fault:
                faults.append(fault)
        if faults:
            self._client.refuse(what, faults[-1])
        return answers[::-1]
