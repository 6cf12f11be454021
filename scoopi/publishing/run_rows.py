"""RunRows: which files a node writes when the run has come to its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from scoopi.publishing.publisher import Published, Publisher
from scoopi.store.nodes.departure import Departure


@dataclass(frozen=True, slots=True)
class EndOfRows:
    """What stands in the files now.

    Attributes:
        published: what this node has written; None when it wrote nothing.
        awaiting: nodes whose rows are still to come.
        complete: all rows of the run stand in files, and nobody is at work: it may be OVER.
        stopped: this node was told to stop while it waited for others.
    """

    published: Published | None
    awaiting: tuple[str, ...] = ()
    complete: bool = False
    stopped: bool = False


class RunRows(Protocol):
    """Source: design, "Output" and "Protocol", rule 6."""

    def at_end(self) -> EndOfRows:
        """Write what is this node's to write, and leave the run; the same done twice.

        Raises:
            AppenderError: a file cannot be written.
            StoreError, RunError, ClusterError: the store does not answer, or has lost the run.
        """

    def when_over(self) -> Published:
        """Write this node's own rows of a run that is over; tells the store nothing."""


class OwnRows:
    """Each node writes its own; those of a node that is missing come with it.

    Args:
        was_over: this node came after the end: without rows of its own it writes no file.
    """

    def __init__(self, publisher: Publisher, departure: Departure, was_over: bool) -> None:
        self._publisher = publisher
        self._departure = departure
        self._was_over = was_over

    def at_end(self) -> EndOfRows:
        """As `RunRows` says."""
        published = self.when_over()
        # Rows that this node wrote to a disk which is gone are awaited, too.
        is_gone = self._departure.node in self._departure.awaited(published.others)
        is_last = self._departure.leave(published=not published.missing and not is_gone)
        # Asked last: until then others were at work, of whom one may have failed.
        awaiting = self._departure.awaited(published.others)
        return EndOfRows(published, awaiting, is_last and not awaiting and not published.missing)

    def when_over(self) -> Published:
        """As `RunRows` says."""
        if self._was_over and not self._publisher.has_rows():
            return self._publisher.look()
        return self._publisher.publish()
