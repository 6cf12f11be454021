"""JoiningNode: answers for a node that has not joined its run yet, and then lets the node answer."""

from __future__ import annotations

from scoopi.metrics.node_view import NodeView
from scoopi.metrics.ports import Watched
from scoopi.version import __version__

JOINING = "JOINING"


class JoiningNode:
    """Keeps the promise of `Watched` from the start of a process that may wait long for others."""

    def __init__(self) -> None:
        self._waits_for = "it starts"
        self._node: Watched | None = None

    def waits(self, what: str) -> None:
        """The node waits: for its cluster, for other nodes."""
        self._waits_for = what

    def becomes(self, node: Watched) -> None:
        """The node has joined its run: from now on it answers itself."""
        self._node = node

    def fault(self) -> str:
        """See `Watched.fault`: who waits lives."""
        return "" if self._node is None else self._node.fault()

    def unready(self) -> str:
        """See `Watched.unready`."""
        return (
            f"the node has not joined its run: {self._waits_for}"
            if self._node is None
            else self._node.unready()
        )

    def view(self) -> NodeView:
        """See `Watched.view`."""
        if self._node is None:
            return NodeView("", "", __version__, JOINING, unready=self.unready())
        return self._node.view()
