"""Barricade: one node composes a value, the others wait for it; a dead holder is replaced."""

from __future__ import annotations

import time
from collections.abc import Callable

from scoopi.errors import ClusterError, StoppedError, StoreError
from scoopi.store.nodes.lease import Lease
from scoopi.store.ports import RUN, Store

POLL_MS = 200
"""Polling interval of a waiting node, in milliseconds."""
LEASE_MS = 15_000
"""For nodes without settings of a cluster."""
_NOT_SEEN = b""


class Barricade:
    """Lets one node compose a value under a lease, while the others wait for it. A dead holder is replaced.

    The value is one record, written with `put_if_absent`, and every node uses the one that exists. So a
    holder that was replaced although it was alive does no harm.

    Args:
        store: settles its writes, as `SettlingStore` does.
        name: name of the barricade; only one value is ever composed under it.
        incarnation: incarnation of this node.
        lease_ms: a holder that has not renewed its lease for this long, by the watcher's clock, is dead.
        clock: monotonic time in seconds.
        sleep: waits for seconds of that clock; no event announces that another node has composed.
    Source: ARCHITECTURE, protocol rule 9.
    """

    def __init__(
        self,
        store: Store,
        name: str,
        incarnation: str,
        lease_ms: int = LEASE_MS,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._store = store
        self._lease = Lease(store, f"barricade/{name}", incarnation, lease_ms, clock)
        self._value_key = f"composed/{name}"
        self._name = name
        self._poll_s = min(POLL_MS / 1000, lease_ms / 4000)
        self._clock = clock
        self._sleep = sleep

    def composed(self) -> bytes | None:
        """The value; None if no node has composed it yet."""
        return self._store.get_all(RUN, [self._value_key]).get(self._value_key)

    def compose_once(
        self,
        compose: Callable[[], bytes],
        timeout_ms: int,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> bytes:
        """Return the value; compose it if no other node has done so or is doing so.

        Blocks while another node composes.

        Args:
            compose: makes the value; called under the lease, at most once.
            timeout_ms: how long another node may hold the barricade without renewing its lease; a live node
                may take as long as it needs.
            is_stopped: polled while another node composes.
        Raises:
            StoppedError: `is_stopped` returned true.
            ClusterError: another node held the barricade for too long.
            StoreError: the outcome is not known; call again.
            Exception: what `compose` raised; the barricade is released without a value.
        """
        lease_seen: bytes | None = _NOT_SEEN
        while True:
            value = self.composed()
            if value is None and self._lease.acquire():
                value = self._compose_holding(compose)
            if value is not None:
                return value
            if is_stopped():
                raise StoppedError
            if self._lease.seen != lease_seen:
                end, lease_seen = self._clock() + timeout_ms / 1000, self._lease.seen
            left = end - self._clock()
            if left <= 0:
                raise ClusterError(
                    f"another node has been composing {self._name} for {timeout_ms} ms",
                    hint="check the log of that node, or allow it more time",
                )
            self._sleep(min(left, self._poll_s))

    def _compose_holding(self, compose: Callable[[], bytes]) -> bytes:
        with self._lease.renewed():
            # The previous holder may have put its value after this node had looked for one.
            if (value := self.composed()) is not None:
                return value
            record = (self._value_key, compose())
            outcome = self._store.put_if_absent_all(RUN, [record])[0]
            if outcome.current is None:
                raise StoreError(f"the value of {self._name} was rejected, but none exists", hint="try again")
            return outcome.current
