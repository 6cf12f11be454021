"""JoiningNode: answers the metrics server for a node that has not joined its run yet."""

from __future__ import annotations

from scoopi.metrics.node_view import NodeView, Watched
from scoopi.version import __version__

JOINING = "JOINING"


class JoiningNode:
    """A `Watched` from the start of the process; it delegates to the node as soon as that has joined."""

    def __init__(self) -> None:
        self._waits_for = "starting"
        self._node: Watched | None = None

    def waits(self, what: str) -> None:
        """Set what the node waits for, such as its cluster or other nodes."""
        self._waits_for = what

    def becomes(self, node: Watched) -> None:
        """The node has joined its run and answers from now on."""
        self._node = node

    def fault(self) -> str:
        """See `Watched.fault`; a waiting node is healthy."""
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
