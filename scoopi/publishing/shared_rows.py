"""SharedRows: in a folder that all nodes see, a node also writes the files of dead nodes."""

from __future__ import annotations

import logging
from collections.abc import Callable

from scoopi.errors import StoppedError
from scoopi.publishing.publisher import Published, Publisher
from scoopi.publishing.run_rows import OwnRows, PublishedRows
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.departure import Departure

log = logging.getLogger(__name__)

OTHERS_S = 600.0
"""How long another node may publish for a dead one without renewing its lease."""
PUBLISHED = b"published"


class _RowsMissingError(Exception):
    """Not all rows of a dead node were found; a later look may find them."""


class SharedRows:
    """One node publishes for each dead one.

    Args:
        of_node: the publisher of a dead node's segments, by its node id; its work files are this node's.
        barricade: by name; one node writes a dead node's files, and is replaced when it dies itself.
        is_stopped: polled while this node waits for others.
    """

    def __init__(
        self,
        own: OwnRows,
        of_node: Callable[[str], Publisher],
        barricade: Callable[[str], Barricade],
        departure: Departure,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._own = own
        self._of_node = of_node
        self._barricade = barricade
        self._departure = departure
        self._is_stopped = is_stopped

    def at_end(self) -> PublishedRows:
        """As `RunRows` says; returns when every other node has published, or is dead and published for."""
        published = self._own.when_over()
        self._departure.leave(published=not published.missing)
        try:
            self._departure.await_others(self._is_stopped)
            lost = self._departure.awaited(published.others)
            awaiting = tuple(node for node in lost if not self._published_for(node))
        except StoppedError:
            return PublishedRows(published, stopped=True)
        return PublishedRows(published, awaiting, not awaiting and not published.missing)

    def when_over(self) -> Published:
        """As `RunRows` says."""
        return self._own.when_over()

    def when_stopped(self) -> Published | None:
        """As `RunRows` says."""
        return self._own.when_stopped()

    def _published_for(self, node: str) -> bool:
        publisher = self._of_node(node)
        if not publisher.has_rows():
            return False

        def publish() -> bytes:
            published = publisher.publish()
            if published.missing:
                raise _RowsMissingError
            log.warning(
                "node %s is dead: its %d jobs were published", node, published.done + published.failed
            )
            return PUBLISHED

        try:
            self._barricade(f"publish/{node}").compose_once(publish, int(OTHERS_S * 1000), self._is_stopped)
        except _RowsMissingError:
            log.warning("node %s is dead, and not all of its rows are in this folder", node)
            return False
        return True
