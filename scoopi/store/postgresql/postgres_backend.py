"""PostgresBackend: the runs of several nodes, in a PostgreSQL database."""

from __future__ import annotations

import time
from collections.abc import Callable

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ClusterError, StoppedError, StoreError
from scoopi.model.text.store_url import StoreUrl
from scoopi.store.call_timeout import CallTimeout
from scoopi.store.postgresql.postgres_client import ANSWER_S, PostgresClient
from scoopi.store.postgresql.postgres_store import PostgresStore
from scoopi.store.settling_store import SettlingStore

RETRY_S = 0.3


class PostgresBackend:
    """The runs of several nodes, in a PostgreSQL database; the constructor connects. See `SharedBackend`.

    Args:
        url: URL of the database.
        settings: the timeouts for connecting and reconnecting.
        is_stopped: polled while the database does not answer.
    Raises:
        ClusterError: it does not answer, or reports an error.
        StoppedError: `is_stopped` returned true.
    """

    def __init__(self, url: StoreUrl, settings: ClusterSettings, is_stopped: Callable[[], bool]) -> None:
        self.name = f"the database {url.shown}"
        self.canaries = ("canary",)
        timeout = CallTimeout(ANSWER_S, is_stopped)
        self._client = PostgresClient(url, timeout, settings.reconnect_timeout_ms / 1000)
        try:
            self._tables = self._opened(settings.connect_timeout_ms / 1000, is_stopped)
        except BaseException:
            self._client.close()
            raise

    def store(self, maps: str = "", is_gone: Callable[[], bool] | None = None) -> SettlingStore:
        """See `SharedBackend`."""
        return SettlingStore(self._tables.of_space(maps, is_gone))

    def remove(self, maps: str) -> None:
        """See `SharedBackend`."""
        self._tables.of_space(maps).destroy()

    def members(self) -> list[str]:
        """See `SharedBackend`; a database has no members."""
        return []

    def most_members(self) -> int:
        """See `SharedBackend`; a database has no members."""
        return 0

    def expedite(self, end: float, left_s: float) -> None:
        """See `SharedBackend`."""
        self._client.timeout.expedite(end, left_s)

    def warn_of_jobs(self, jobs: int) -> None:
        """See `SharedBackend`; a database needs no warning, as it keeps the jobs on disk."""

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _opened(self, timeout_s: float, is_stopped: Callable[[], bool]) -> PostgresStore:
        """Open the store that belongs to no run, as soon as the database answers."""
        end, former = time.monotonic() + timeout_s, ""
        while True:
            try:
                return PostgresStore(self._client)
            except StoreError as error:
                if is_stopped():
                    raise StoppedError from None
                # A server that accepts connections and reports an error twice, such as a wrong password,
                # always will. Each attempt has its own check: at the first, the server may be starting up.
                is_running = self._client.is_listening()
                if is_running and error.what == former:
                    raise ClusterError(error.what, at=error.at, hint=error.hint) from None
                if time.monotonic() >= end:
                    what = f"{error.what} (tried for {timeout_s:g} s)"
                    raise ClusterError(what, at=error.at, hint=error.hint) from None
                former = error.what if is_running else ""
            time.sleep(RETRY_S)  # there is no notification of its start
