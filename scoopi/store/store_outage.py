"""StoreOutage: logs an outage of the store when it begins and when it is over."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from scoopi.errors import RecordError, StoreError

log = logging.getLogger(__name__)


class StoreOutage:
    """Logs an outage of the store when it begins and when it is over; further failures only at debug level.

    Args:
        what: the message when it begins; the error follows.
        recovered: the message when it is over; the duration follows.
    """

    def __init__(self, what: str, recovered: str) -> None:
        self._what = what
        self._recovered = recovered
        self._since: float | None = None

    @classmethod
    def of(cls, doing: str, asked: str = "the store") -> StoreOutage:
        """An outage with messages such as `joining: the store failed, retrying`.

        Args:
            doing: what the caller is doing, with which the messages begin.
            asked: what does not answer.
        """
        return cls(f"{doing}: {asked} failed, retrying", f"{doing}: {asked} answers again")

    def failed(self, error: StoreError) -> None:
        """Log that the store did not answer: as a warning if the outage begins, else at debug level."""
        log.log(logging.WARNING if self._since is None else logging.DEBUG, "%s: %s", self._what, error.what)
        if self._since is None:
            self._since = time.monotonic()

    def over(self) -> None:
        """Log that the store has answered, and how long it had not; does nothing without an outage."""
        if self._since is not None:
            log.warning("%s after %.0f s", self._recovered, time.monotonic() - self._since)
            self._since = None

    @contextmanager
    def retried_next_round(self) -> Iterator[None]:
        """Log a StoreError of the `with` block instead of raising it, in a loop that runs the block again.

        The block calls `over` after an answer of the store: a round may have nothing to ask it.

        Raises:
            RecordError: the store has a record that cannot be decoded.
        """
        try:
            yield
        except RecordError:
            raise
        except StoreError as error:
            self.failed(error)
