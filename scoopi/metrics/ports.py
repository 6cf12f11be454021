"""Watched: what the metrics server asks of a node."""

from __future__ import annotations

from typing import Protocol

from scoopi.metrics.node_view import NodeView


class Watched(Protocol):
    """Answers from any thread; what answers probes never waits, for the store as little as for the disk."""

    def fault(self) -> str:
        """What has broken, so that this process should be started anew; empty while it lives."""

    def unready(self) -> str:
        """Why the node does not work now; empty when it does."""

    def view(self) -> NodeView:
        """All figures; may wait for the store, where these stand."""
