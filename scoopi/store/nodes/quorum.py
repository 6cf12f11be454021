"""Quorum: waits until enough nodes of a run send heartbeats."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from scoopi.errors import ClusterError, StoppedError, StoreError
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeStatus
from scoopi.store.store_outage import StoreOutage

log = logging.getLogger(__name__)

POLL_S = 0.2


class Quorum:
    """Waits until enough nodes of a run send heartbeats; only at the beginning of a run.

    A waiting node sends heartbeats itself, so that the others count it.

    Args:
        membership: sends this node's heartbeats, and reads those of the others.
        size: number of nodes to wait for, including this one.
        timeout_s: how long to wait, in seconds.
        notify: called with the number of live nodes when it has changed but is still too small.
    Source: docs/cluster.md, "Which run a node joins".
    """

    def __init__(
        self,
        membership: Membership,
        size: int,
        timeout_s: float,
        notify: Callable[[int], None] = lambda live: None,
    ) -> None:
        self._membership = membership
        self._size = size
        self._timeout_s = timeout_s
        self._notify = notify
        self._live = 0
        self._outage = StoreOutage.of("quorum")

    def wait(self, has_begun: Callable[[], bool], is_stopped: Callable[[], bool]) -> None:
        """Wait for the other nodes, or until the run has begun because another node saw enough of them.

        Args:
            has_begun: whether another node has begun the run; may read the store.
            is_stopped: polled while waiting.
        Raises:
            StoppedError: `is_stopped` returned true; this node has left.
            ClusterError: there were too few nodes at the end of the timeout; this node has left.
        """
        if self._size <= 1:
            return
        try:
            self._wait(has_begun, is_stopped)
        except (StoppedError, ClusterError):
            self._leave()
            raise

    def _wait(self, has_begun: Callable[[], bool], is_stopped: Callable[[], bool]) -> None:
        end = time.monotonic() + self._timeout_s
        while not self._is_there(has_begun):
            if is_stopped():
                raise StoppedError
            if time.monotonic() > end:
                raise ClusterError(
                    f"only {self._live} of {self._size} nodes have joined within {self._timeout_s:.0f} s",
                    at="scoopi.cluster.quorum.size",
                    hint="start the others, or lower it",
                )
            time.sleep(POLL_S)  # no event announces that another node joins

    def _is_there(self, has_begun: Callable[[], bool]) -> bool:
        """Whether there are enough nodes; a store that does not answer is retried until the timeout."""
        live = self._live
        with self._outage.retried_next_round():
            self._membership.beat(NodeLoad(0, True))
            self._membership.watch()
            self._outage.over()
            live = len(self._membership.live())
            if live >= self._size or has_begun():
                return True
        if live != self._live:
            self._live = live
            self._notify(live)
        return False

    def _leave(self) -> None:
        try:
            self._membership.beat(NodeLoad(0, True), NodeStatus.LEFT)
        except (StoreError, ClusterError) as error:
            log.info("quorum: the last heartbeat was not acknowledged: %s", error)
