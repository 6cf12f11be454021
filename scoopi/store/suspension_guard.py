"""SuspensionGuard: keeps a node that was suspended from writing to a run that was removed meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from scoopi.errors import RunError
from scoopi.store.nodes.lease import boottime

AWAY_S = 10.0
"""A node that made no call for this long was frozen or suspended, as a working node sends heartbeats."""


class SuspensionGuard:
    """Keeps a node that was frozen or suspended from writing to a run that was removed meanwhile.

    Records written after the removal would never be removed, as no node knows about them.

    Args:
        records: name of the run's maps, for the error.
        is_gone: whether the run was removed; called after a pause, and may read the store.
        clock: seconds, including the time during which the machine was suspended.
    """

    def __init__(
        self, records: str, is_gone: Callable[[], bool], clock: Callable[[], float] = boottime
    ) -> None:
        self._records = records
        self._is_gone = is_gone
        self._clock = clock
        self._used_at = clock()

    def ensure_kept(self) -> None:
        """Check after a long pause that the run still exists; called before each call to the store.

        Raises:
            RunError: the run was removed.
        """
        if self._clock() - self._used_at > AWAY_S and self._is_gone():
            raise RunError(
                f"the run's data is lost: the cluster has no records of it any more ({self._records})",
                hint="it was removed, or its members have lost it; its files stay as they are; "
                "--discard-lost moves them aside and starts the run again",
            )
        self._used_at = self._clock()
