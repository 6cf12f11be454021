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
    """The runs of several nodes, in a PostgreSQL database; connected when made. See `SharedBackend`.

    Args:
        url: of the database.
        settings: how long it is tried to connect, and a database that does not answer is waited for.
        is_stopped: asked while the database does not answer.
    Raises:
        ClusterError: it does not answer, or refuses.
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
        return SettlingStore(self._tables.beside(maps, is_gone))

    def remove(self, maps: str) -> None:
        """See `SharedBackend`."""
        self._tables.beside(maps).destroy()

    def members(self) -> list[str]:
        """None: the database is one whole."""
        return []

    def most_members(self) -> int:
        """None."""
        return 0

    def expedite(self, end: float, left_s: float) -> None:
        """See `SharedBackend`."""
        self._client.expedite(end, left_s)

    def warn_of_jobs(self, jobs: int) -> None:
        """Nothing: a database has room on its disk."""

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _opened(self, timeout_s: float, is_stopped: Callable[[], bool]) -> PostgresStore:
        """The store of what belongs to no run, as soon as the database answers."""
        end, former = time.monotonic() + timeout_s, ""
        while True:
            try:
                return PostgresStore(self._client)
            except StoreError as error:
                if is_stopped():
                    raise StoppedError from None
                # What a server that is there says twice, as of a wrong password, it will always say.
                if error.what == former and self._client.is_listening():
                    raise ClusterError(error.what, at=error.at, hint=error.hint) from None
                if time.monotonic() >= end:
                    what = f"{error.what} (tried for {timeout_s:g} s)"
                    raise ClusterError(what, at=error.at, hint=error.hint) from None
                former = error.what
            time.sleep(RETRY_S)  # nothing notifies of its start
