"""RunRows: publishes a node's rows at the end of a run; RunPhases: moves the run to ENDING and OVER."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

import msgspec

from scoopi.errors import ClusterError, RunError, StoreError
from scoopi.publishing.publisher import Publisher
from scoopi.publishing.row_tally import Published
from scoopi.store.nodes.departure import Departure
from scoopi.store.runs.run_record import RunPhase, RunRecord

log = logging.getLogger(__name__)


class PublishedRows(msgspec.Struct, frozen=True):
    """What a node has published at the end of a run.

    Attributes:
        published: what this node has written; None if it wrote nothing.
        awaiting: ids of nodes whose rows are still missing.
        complete: whether all rows of the run are published and no node is working, so it may be OVER.
        stopped: whether this node was stopped while it waited for others.
    """

    published: Published | None
    awaiting: tuple[str, ...] = ()
    complete: bool = False
    stopped: bool = False


class RunRows(Protocol):
    """Publishes rows when a node leaves a run. See ARCHITECTURE, protocol rule 6."""

    def at_end(self) -> PublishedRows:
        """Write this node's files and leave the run; idempotent.

        Raises:
            AppenderError: a file cannot be written.
            StoreError, RunError, ClusterError: the store does not answer, or has lost the run.
        """

    def when_over(self) -> Published:
        """Write this node's own rows of a run that is over; does not write to the store.

        Raises:
            AppenderError, StoreError, RunError: as `at_end`; the files stay as they were.
        """

    def when_stopped(self) -> Published | None:
        """Write what this node has committed so far; None if rows are only written at the end.

        Raises:
            AppenderError, StoreError, RunError: as `at_end`; the files stay as they were.
        """


class OwnRows:
    """Writes this node's own rows; those of a dead node are written when it returns.

    Args:
        was_over: whether the run was over when this node joined; then it writes files only if it has rows.
        in_parts: whether rows are also published when the run is stopped before its end.
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
        # Rows that an earlier incarnation of this node wrote to a lost disk are awaited, too.
        is_gone = self._departure.node in self._departure.awaited(published.others)
        is_last = self._departure.leave(published=not published.missing and not is_gone)
        # Asked last: another node may have crashed in the meantime.
        awaiting = self._departure.awaited(published.others)
        return PublishedRows(published, awaiting, is_last and not awaiting and not published.missing)

    def when_over(self) -> Published:
        """As `RunRows` says."""
        if self._was_over and not self._publisher.has_rows():
            return self._publisher.peek()
        return self._publisher.publish()

    def when_stopped(self) -> Published | None:
        """As `RunRows` says."""
        return self._publisher.publish(is_over=False) if self._in_parts else None


class RunPhases:
    """Moves the run to the phases of its end; each move is idempotent.

    See ARCHITECTURE, protocol rule 10.

    Args:
        on_over: called when this node has moved the run to OVER.
    """

    def __init__(
        self, record: RunRecord, departure: Departure, on_over: Callable[[], None] = lambda: None
    ) -> None:
        self._record = record
        self._departure = departure
        self._on_over = on_over

    def is_over(self) -> bool:
        """Whether the run is OVER.

        Raises:
            StoreError: the store does not answer.
        """
        state = self._record.read()
        return state is not None and state.phase is RunPhase.OVER

    def to_ending(self) -> None:
        """RUNNING -> ENDING.

        Raises:
            StoreError, RunError: the store does not answer, or no longer holds the run.
        """
        self._record.to_ending()

    def to_over(self) -> None:
        """ENDING -> OVER.

        Raises:
            StoreError, RunError: the store does not answer, or no longer holds the run.
        """
        self._record.to_over()
        try:
            self._on_over()
        except (StoreError, ClusterError) as error:
            log.warning("the run is over, but its records are kept until another node starts: %s", error)

    def to_over_by_the_last(self, published: Published) -> None:
        """ENDING -> OVER by a stopped node that was the last to leave; logs an error of the store.

        The other nodes may have ended the run while this one published.
        """
        try:
            state = self._record.read()
            is_ending = state is not None and state.phase is RunPhase.ENDING
            if is_ending and not published.missing and not self._departure.awaited(published.others):
                self.to_over()
        except (StoreError, RunError, ClusterError) as error:
            log.warning("it is not known whether the run is over: %s", error.what)
