"""LogCopies: copies the ends of logs to the store, from which other machines read them."""

from __future__ import annotations

import logging
from collections.abc import Callable

from scoopi.errors import StoreError
from scoopi.model.schedule.stored_bytes import KeptLog
from scoopi.serve.claims.claim import Claim
from scoopi.store.schedule.schedule_store import ScheduleStore

log = logging.getLogger(__name__)


class LogCopies:
    """Copies the ends of logs to the store, from which other machines read them.

    Args:
        store: the records.
        log_of: returns what a claim has printed here; None if other workers see the same folders.
    """

    def __init__(self, store: ScheduleStore, log_of: Callable[[Claim], KeptLog] | None = None) -> None:
        self._store = store
        self._log_of = log_of
        self._is_failing = False

    def copy(self, claim: Claim) -> bool:
        """Copy the log of a claim, unless that of a later claim of the attempt or node is stored already.

        Errors are logged; of several in a row, as when the store is away, only the first as a warning.

        Returns:
            Whether the store has a copy now.
        """
        if self._log_of is None:
            return False
        try:
            self._store.keep_log(claim.attempt, self._log_of(claim), claim.node)
        except (StoreError, OSError) as error:
            # The end of an attempt is written again until the store answers, and its log with it.
            level = logging.DEBUG if self._is_failing else logging.WARNING
            log.log(level, "attempt %s: its log is not kept for other machines: %s", claim.name, error)
            self._is_failing = True
            return False
        self._is_failing = False
        return True
