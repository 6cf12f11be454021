"""SharedRows and MergedRows: in a shared folder, one node writes the rows of dead nodes, or of all nodes."""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec

from scoopi.errors import StoppedError
from scoopi.model.report.run_counts import FileCounts
from scoopi.publishing.publisher import Publisher
from scoopi.publishing.row_tally import Published
from scoopi.publishing.run_rows import OwnRows, PublishedRows
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.departure import Departure
from scoopi.store.ports import RUN
from scoopi.store.record_codec import RecordCodec

log = logging.getLogger(__name__)

OTHERS_S = 600.0
"""How many seconds a node may publish for a dead one without renewing its lease."""
PUBLISHED = b"published"
MERGE_S = 3600.0
"""How many seconds a node may write the rows of all nodes without renewing its lease."""


class RowsMissingError(Exception):
    """Raised when rows are missing; another node, or a later attempt, may find them."""

    def __init__(self, published: Published) -> None:
        self.published = published


class SharedRows:
    """Writes a node's own rows, and those of dead nodes; exactly one node publishes for each dead one.

    Args:
        own: writes this node's own rows.
        of_node: returns the publisher of a dead node's segments, by node id; its work folder is this node's.
        barricade: returns the barricade with a name; the node that holds it is replaced if it crashes.
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
        """As `RunRows` says; returns once all other nodes have published, or are dead and published for."""
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
                raise RowsMissingError(published)
            log.warning(
                "node %s is dead: its %d jobs were published",
                node,
                published.done + published.failed + published.skipped,
            )
            return PUBLISHED

        try:
            self._barricade(f"publish/{node}").compose_once(publish, int(OTHERS_S * 1000), self._is_stopped)
        except RowsMissingError:
            log.warning("node %s is dead, and not all of its rows are in this folder", node)
            return False
        return True


class Merged(msgspec.Struct, frozen=True):
    """The totals of the merged files, as every node reports them."""

    rows: dict[str, int]
    done: int
    failed: int
    warned: int
    pages: int
    skipped: int = 0
    files: FileCounts = FileCounts()


class MergedRows:
    """Writes the rows of all nodes to one set of files.

    The node that holds the barricade `merge` writes them; it is replaced if it crashes.

    Source: ARCHITECTURE, protocol rule 6.

    Args:
        publisher: publishes all segments in the shared folder.
        is_stopped: polled while another node writes.
    """

    def __init__(
        self,
        publisher: Publisher,
        barricade: Barricade,
        departure: Departure,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._publisher = publisher
        self._barricade = barricade
        self._departure = departure
        self._is_stopped = is_stopped
        self._mine: Published | None = None
        self._codec = RecordCodec(RUN, Merged)

    def at_end(self) -> PublishedRows:
        """As `RunRows` says; if rows are missing, the next node tries, and each node reports it."""
        try:
            published = self.when_over()
        except StoppedError:
            return PublishedRows(None, stopped=True)
        finally:
            self._departure.leave()
        return PublishedRows(published, complete=not published.missing)

    def when_over(self) -> Published:
        """As `RunRows` says; if another node has written the files, returns its totals."""
        try:
            composed = self._barricade.compose_once(self._merge, int(MERGE_S * 1000), self._is_stopped)
        except RowsMissingError as missing:
            return missing.published
        if self._mine is not None:
            return self._mine
        merged = self._codec.read("composed/merge", composed)
        counts = (merged.done, merged.failed, merged.warned, merged.pages)
        return Published(merged.rows, *counts, skipped=merged.skipped, files=merged.files)

    def when_stopped(self) -> None:
        """As `RunRows` says; writes nothing, because the files must have the rows of all nodes."""

    def _merge(self) -> bytes:
        published = self._publisher.publish()
        if published.missing:
            raise RowsMissingError(published)
        self._mine = published
        counts = (published.done, published.failed, published.warned, published.pages, published.skipped)
        return self._codec.encode(Merged(published.rows, *counts, published.files))
