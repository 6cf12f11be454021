"""AwayCheck: keeps a node that was frozen or suspended from writing to a run that was removed meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from scoopi.errors import RunError
from scoopi.store.nodes.lease import boottime

AWAY_S = 10.0
"""A node that made no call for this time was frozen or suspended: a node at work sends heartbeats."""


class AwayCheck:
    """Keeps a node that was frozen or suspended from writing to a run that was removed meanwhile.

    Its records would stand for good, as nobody knows of them any more.

    Args:
        records: what the run's records are named by; for the error.
        is_gone: whether the run was removed; asked when no call was made for a while.
        clock: seconds, those included in which the machine was suspended.
    """

    def __init__(
        self, records: str, is_gone: Callable[[], bool], clock: Callable[[], float] = boottime
    ) -> None:
        self._records = records
        self._is_gone = is_gone
        self._clock = clock
        self._used_at = clock()

    def ensure_kept(self) -> None:
        """Check, before each call to the store, that the run is still kept after a long pause.

        Raises:
            RunError: the run was removed.
        """
        if self._clock() - self._used_at > AWAY_S and self._is_gone():
            raise RunError(
                f"the cluster's records of the run were removed ({self._records})",
                hint="its files stay as they are; start a new run",
            )
        self._used_at = self._clock()
