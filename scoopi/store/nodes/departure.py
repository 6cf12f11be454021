"""Departure: how a node leaves its run, and which rows of other nodes are still missing."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping

from scoopi.errors import ClusterError, RunError, StoppedError, StoreError
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import Load, NodeRecord, NodeStatus

log = logging.getLogger(__name__)


class Departure:
    """How a node leaves its run, and which rows of other nodes are still missing.

    Leaving is the last write of a node; it follows publishing.

    Args:
        load: this node's load now.
        stop_heartbeat: ends the heartbeat, so that none follows the last one.
        look_s: seconds between two looks at the other nodes.
    """

    def __init__(
        self,
        members: Membership,
        load: Callable[[], Load],
        stop_heartbeat: Callable[[], None],
        look_s: float = 1.0,
    ) -> None:
        self._members = members
        self._load = load
        self._stop_heartbeat = stop_heartbeat
        self._look_s = look_s

    @property
    def node(self) -> str:
        """This node's id."""
        return self._members.node

    def leave(self, published: bool = True) -> bool:
        """Stop the heartbeat and mark this node as LEFT.

        Args:
            published: whether its files hold all rows that this node has committed.
        Returns:
            Whether no live node is left in the run.
        """
        self._stop_heartbeat()
        try:
            self._members.beat(self._load()._replace(owes_rows=not published), NodeStatus.LEFT)
            return not self._members.live()
        except (StoreError, RunError, ClusterError) as error:
            log.warning("the last heartbeat was not acknowledged: %s", error.what)
            return False

    def awaited(self, incarnations: Collection[str]) -> tuple[str, ...]:
        """The nodes that finished jobs in these incarnations, are not alive and have not published since.

        Args:
            incarnations: whose segments this node does not have; earlier ones of its own included.
        """
        members = self._members.read()
        return awaited_nodes(members, self._members.live_among(members), incarnations, asking=self.node)

    def await_others(self, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """After `leave`: wait until every other node has left or is dead, however long a live one takes.

        Raises:
            StoppedError: `is_stopped` returned true.
            StoreError: the store does not answer.
        """
        while True:
            self._members.watch()
            if not self._members.live():
                return
            if is_stopped():
                raise StoppedError
            time.sleep(self._look_s)  # no event announces that a node leaves


def awaited_nodes(
    members: Mapping[str, NodeRecord], live: Collection[str], incarnations: Iterable[str], asking: str = ""
) -> tuple[str, ...]:
    """Of nodes that ended jobs in these incarnations, those that neither live nor have published since.

    Args:
        members: all records by incarnation, of one reading: a node that leaves between two would be in no
            state.
        live: incarnations that are known to live.
        asking: a node that lacks the segments of these incarnations itself; that it is alive does not cover
            its own earlier ones.
    """
    here = {
        member.node
        for key, member in members.items()
        if key in live or (member.state is NodeStatus.LEFT and not member.owes_rows)
    }
    nodes = {members[key].node if key in members else key for key in incarnations}
    return tuple(sorted(nodes - (here - {asking})))
