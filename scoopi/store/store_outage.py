"""StoreOutage: logs an outage of the store when it begins and when it is over."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from scoopi.errors import RecordError, StoreError

log = logging.getLogger(__name__)


class StoreOutage:
    """Logs an outage of the store when it begins and when it is over; further failures are logged with `-v`.

    Args:
        what: what fails, for the log.
        recovered: what works again, for the log.
    """

    def __init__(self, what: str, recovered: str) -> None:
        self._what = what
        self._recovered = recovered
        self._since: float | None = None

    @classmethod
    def of(cls, doing: str, asked: str = "the store") -> StoreOutage:
        """The outage of `asked`, in messages that begin with what the caller is doing."""
        return cls(f"{doing}: {asked} failed, retrying", f"{doing}: {asked} answers again")

    def failed(self, error: StoreError) -> None:
        """Note that the store did not answer."""
        log.log(logging.WARNING if self._since is None else logging.DEBUG, "%s: %s", self._what, error.what)
        if self._since is None:
            self._since = time.monotonic()

    def over(self) -> None:
        """Note that the store has answered."""
        if self._since is not None:
            log.warning("%s after %.0f s", self._recovered, time.monotonic() - self._since)
            self._since = None

    @contextmanager
    def retried_next_round(self) -> Iterator[None]:
        """Note a StoreError of the block instead of raising it, in a loop that runs the block again anyway.

        Call `over` where the store has answered: a round may have nothing to ask it.

        Raises:
            RecordError: the store has a record that cannot be decoded.
        """
        try:
            yield
        except RecordError:
            raise
        except StoreError as error:
            self.failed(error)
