"""RunRows: which files a node writes when it leaves a run, or the run completes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from scoopi.publishing.publisher import Published, Publisher
from scoopi.store.nodes.departure import Departure


@dataclass(frozen=True, slots=True)
class PublishedRows:
    """What the files hold now.

    Attributes:
        published: what this node has written; None when it wrote nothing.
        awaiting: nodes whose rows are still missing.
        complete: all rows of the run are in files, and no node is at work: it may be OVER.
        stopped: this node was stopped while it waited for others.
    """

    published: Published | None
    awaiting: tuple[str, ...] = ()
    complete: bool = False
    stopped: bool = False


class RunRows(Protocol):
    """Source: ARCHITECTURE, protocol rule 6."""

    def at_end(self) -> PublishedRows:
        """Write this node's files and leave the run; done twice, it has the same effect.

        Raises:
            AppenderError: a file cannot be written.
            StoreError, RunError, ClusterError: the store does not answer, or has lost the run.
        """

    def when_over(self) -> Published:
        """Write this node's own rows of a run that is over; writes nothing to the store."""

    def when_stopped(self) -> Published | None:
        """Write what this node has committed so far; None when rows are only written at the end.

        Raises:
            AppenderError, StoreError, RunError: as `at_end`; the files stay as they were.
        """


class OwnRows:
    """Each node writes its own rows; those of a missing node are written when it returns.

    Args:
        was_over: this node came after the end: without rows of its own it writes no file.
        in_parts: rows are also published when the run is stopped before its end.
    """

    def __init__(
        self, publisher: Publisher, departure: Departure, was_over: bool, in_parts: bool = True
    ) -> None:
        self._publisher = publisher
        self._departure = departure
        self._was_over = was_over
        self._in_parts = in_parts

    def at_end(self) -> PublishedRows:
        """As `RunRows` says."""
        published = self.when_over()
        # Rows that this node wrote to a disk that is gone are awaited, too.
        is_gone = self._departure.node in self._departure.awaited(published.others)
        is_last = self._departure.leave(published=not published.missing and not is_gone)
        # Asked last: until then others were at work, of whom one may have failed.
        awaiting = self._departure.awaited(published.others)
        return PublishedRows(published, awaiting, is_last and not awaiting and not published.missing)

    def when_over(self) -> Published:
        """As `RunRows` says."""
        if self._was_over and not self._publisher.has_rows():
            return self._publisher.look()
        return self._publisher.publish()

    def when_stopped(self) -> Published | None:
        """As `RunRows` says."""
        return self._publisher.publish() if self._in_parts else None
