"""RunPhases: moves a run to ENDING, and to OVER once all of its rows are in files."""

from __future__ import annotations

import logging
from collections.abc import Callable

from scoopi.errors import ClusterError, RunError, StoreError
from scoopi.publishing.publisher import Published
from scoopi.store.nodes.departure import Departure
from scoopi.store.runs.run_record import RunPhase, RunRecord

log = logging.getLogger(__name__)


class RunPhases:
    """Each move is the same when it is made twice. Source: ARCHITECTURE, protocol rule 10.

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
        """ENDING -> OVER by a stopped node that was the last to leave: the others may have ended the run
        while it published. Logs a store that fails."""
        try:
            state = self._record.read()
            is_ending = state is not None and state.phase is RunPhase.ENDING
            if is_ending and not published.missing and not self._departure.awaited(published.others):
                self.to_over()
        except (StoreError, RunError, ClusterError) as error:
            log.warning("whether the run is over is not known: %s", error.what)
