"""MergedRows: one node writes the rows of all nodes to one file."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scoopi.errors import StoppedError
from scoopi.publishing.publisher import Published, Publisher
from scoopi.publishing.run_rows import PublishedRows
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.departure import Departure
from scoopi.store.record_codec import RecordCodec
from scoopi.store.run_maps import RUN

MERGE_S = 3600.0
"""How long the holder may write without renewing its lease."""


class Merged(msgspec.Struct, frozen=True):
    """What the one file holds, as every node reports it."""

    rows: dict[str, int]
    done: int
    failed: int
    warned: int
    pages: int


class _RowsMissingError(Exception):
    def __init__(self, published: Published) -> None:
        self.published = published


class MergedRows:
    """The holder of the barricade `merge` writes; a dead holder is replaced.

    Source: ARCHITECTURE, protocol rule 6.

    Args:
        publisher: of all segments in the folder that all nodes see.
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
        """As `RunRows` says; if rows are missing, the next node tries, and each of them reports it."""
        try:
            published = self.when_over()
        except StoppedError:
            return PublishedRows(None, stopped=True)
        finally:
            self._departure.leave()
        return PublishedRows(published, complete=not published.missing)

    def when_over(self) -> Published:
        """As `RunRows` says: written already, or written now."""
        try:
            composed = self._barricade.compose_once(self._merge, int(MERGE_S * 1000), self._is_stopped)
        except _RowsMissingError as missing:
            return missing.published
        if self._mine is not None:
            return self._mine
        merged = self._codec.read("composed/merge", composed)
        return Published(merged.rows, merged.done, merged.failed, merged.warned, merged.pages)

    def when_stopped(self) -> None:
        """As `RunRows` says: the one file has all rows."""

    def _merge(self) -> bytes:
        published = self._publisher.publish()
        if published.missing:
            raise _RowsMissingError(published)
        self._mine = published
        counts = (published.done, published.failed, published.warned, published.pages)
        return self._codec.written(Merged(published.rows, *counts))
