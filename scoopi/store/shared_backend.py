"""SharedBackend: a connection to what several nodes share, a Hazelcast cluster or a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Protocol

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ConfigError
from scoopi.store.settling_store import SettlingStore


class SharedBackend(Protocol):
    """A connection to what keeps the runs of several nodes: a Hazelcast cluster or a PostgreSQL database.

    Methods raise StoreError (the outcome is not known: call again) and ClusterError (this node gives up).
    """

    @property
    def name(self) -> str:
        """Name of the backend in messages, as in `the cluster scoopi`."""

    @property
    def canaries(self) -> tuple[str, ...]:
        """Keys of a run's canary records, one in each part of the store that can be lost alone."""

    def store(self, maps: str = "", is_gone: Callable[[], bool] | None = None) -> SettlingStore:
        """Open the store of a run.

        Args:
            maps: the name of its maps in the registry; empty for the records that belong to no run.
            is_gone: see `SuspensionGuard`.
        """

    def remove(self, maps: str) -> None:
        """Remove all records of a run, for every node.

        Args:
            maps: the name of its maps in the registry.
        """

    def members(self) -> list[str]:
        """`HOST:PORT` of the cluster's members; empty for a database."""

    def most_members(self) -> int:
        """The largest number of members that any node has seen; 0 for a database."""

    def expedite(self, end: float, left_s: float) -> None:
        """Shorten the timeouts of calls during a shutdown; see `CallTimeout.expedite`."""

    def warn_of_jobs(self, jobs: int) -> None:
        """Log a warning, once, if there is not enough memory for this number of jobs."""

    def close(self) -> None:
        """Disconnect; no method may be called afterwards."""


def open_backend(
    settings: ClusterSettings,
    node: str,
    is_stopped: Callable[[], bool] = lambda: False,
    *,
    is_guarded: bool = True,
) -> SharedBackend:
    """Connect to the cluster or the database that the settings name.

    Args:
        settings: name the cluster or the database, and have the timeouts.
        node: incarnation of this process.
        is_stopped: polled while the cluster or the database does not answer.
        is_guarded: whether calls to a cluster are refused while no majority of its members is seen.
    Raises:
        ClusterError: this node cannot connect; the message says what was tried.
        ConfigError: the library for it is not installed.
        StoppedError: `is_stopped` returned true.
    """
    if settings.store is None:
        from scoopi.store.cluster.cluster_backend import ClusterBackend
        from scoopi.store.cluster.cluster_client import ClusterClient

        return ClusterBackend(ClusterClient(settings, is_stopped), node, is_guarded)
    if find_spec("psycopg") is None:
        what = f"{settings.store.shown} needs psycopg, which is not installed"
        raise ConfigError(what, hint="pip install 'scoopi[sql]'")
    from scoopi.store.postgresql.postgres_backend import PostgresBackend

    return PostgresBackend(settings.store, settings, is_stopped)
