"""Departure: lets a node leave its run, and finds the nodes whose rows are still missing."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping

from scoopi.errors import ClusterError, RunError, StoppedError, StoreError
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeRecord, NodeStatus

log = logging.getLogger(__name__)
_POLL_S = 1.0


class Departure:
    """Lets a node leave its run, and finds the nodes whose rows are still missing.

    Leaving is the last write of a node, after publishing.

    Args:
        membership: sends the last heartbeat, and knows the other nodes.
        load: returns this node's current load.
        stop_heartbeat: stops the heartbeat, so that none follows the last one.
        poll_s: interval of polling the other nodes, in seconds.
    """

    def __init__(
        self,
        membership: Membership,
        load: Callable[[], NodeLoad],
        stop_heartbeat: Callable[[], None],
        poll_s: float = _POLL_S,
    ) -> None:
        self._membership = membership
        self._load = load
        self._stop_heartbeat = stop_heartbeat
        self._poll_s = poll_s

    @property
    def node(self) -> str:
        """This node's id."""
        return self._membership.node

    def leave(self, published: bool = True) -> bool:
        """Stop the heartbeat and mark this node as LEFT; an error of the store is logged only.

        Args:
            published: whether all rows that this node has committed are in its files.
        Returns:
            Whether no live node is left in the run; False if the store fails.
        """
        self._stop_heartbeat()
        try:
            self._membership.beat(self._load()._replace(owes_rows=not published), NodeStatus.LEFT)
            return not self._membership.live()
        except (StoreError, RunError, ClusterError) as error:
            log.warning("the last heartbeat was not acknowledged: %s", error.what)
            return False

    def awaited(self, incarnations: Collection[str]) -> tuple[str, ...]:
        """The ids of nodes that ended jobs in these incarnations, are not live, and have not published since.

        Args:
            incarnations: those whose segments this node does not have, including its own earlier ones.
        """
        records = self._membership.read()
        return awaited_nodes(records, self._membership.live_among(records), incarnations, asking=self.node)

    def await_others(self, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """Wait until every other node has left or is dead, however long that takes; call `leave` first.

        Raises:
            StoppedError: `is_stopped` returned true.
            StoreError: the store does not answer.
        """
        while True:
            self._membership.watch()
            if not self._membership.live():
                return
            if is_stopped():
                raise StoppedError
            time.sleep(self._poll_s)  # no event announces that a node leaves


def awaited_nodes(
    records: Mapping[str, NodeRecord], live: Collection[str], incarnations: Iterable[str], asking: str = ""
) -> tuple[str, ...]:
    """The ids of nodes that ended jobs in these incarnations, are not live, and have not published since.

    Args:
        records: by incarnation, from a single read; a node that leaves between two reads could be
            missing from both.
        live: the live incarnations.
        asking: id of the node that lacks the segments of these incarnations; although it is live, it does not
            publish those of its own earlier incarnations.
    Returns:
        Node ids, sorted.
    """
    here = {
        record.node
        for key, record in records.items()
        if key in live or (record.state is NodeStatus.LEFT and not record.owes_rows)
    }
    nodes = {records[key].node if key in records else key for key in incarnations}
    return tuple(sorted(nodes - (here - {asking})))
