"""RunOver: makes a run OVER whose rows all stand in files, and lets what the store keeps of it end."""

from __future__ import annotations

import logging
from collections.abc import Callable

from scoopi.errors import ClusterError, RunError, StoreError
from scoopi.publishing.publisher import Published
from scoopi.store.nodes.departure import Departure
from scoopi.store.runs.run_record import RunPhase, RunRecord

log = logging.getLogger(__name__)


class RunOver:
    """Source: design, "Protocol", rule 10.

    Args:
        on_over: told when this node has made the run OVER.
    """

    def __init__(
        self, record: RunRecord, departure: Departure, on_over: Callable[[], None] = lambda: None
    ) -> None:
        self._record = record
        self._departure = departure
        self._on_over = on_over

    def make(self) -> None:
        """ENDING -> OVER.

        Raises:
            StoreError, RunError: the store does not answer, or no longer holds the run.
        """
        self._record.to_over()
        try:
            self._on_over()
        except (StoreError, ClusterError) as error:
            log.warning("the run is over, but its records are kept until another node begins: %s", error)

    def make_by_the_last(self, published: Published) -> None:
        """Of a node that was stopped, and has left as the last one: the others may have ended the run while
        it published, and left it to this one to say so."""
        try:
            state = self._record.read()
            is_ending = state is not None and state.phase is RunPhase.ENDING
            if is_ending and not published.missing and not self._departure.awaited(published.others):
                self.make()
        except (StoreError, RunError, ClusterError) as error:
            log.warning("whether the run is over is not known: %s", error.what)
