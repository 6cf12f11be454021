"""SharedBackend: what keeps the runs of several nodes, a Hazelcast cluster or a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Protocol

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ConfigError
from scoopi.store.settling_store import SettlingStore


class SharedBackend(Protocol):
    """What keeps the runs of several nodes, connected: a Hazelcast cluster or a PostgreSQL database.

    Methods raise StoreError (nothing is known yet: call again) and ClusterError (this node gives up).
    """

    @property
    def name(self) -> str:
        """For messages: `the cluster scoopi`."""

    @property
    def canaries(self) -> tuple[str, ...]:
        """Keys of the canary records of a run, one in each part of the store that can be lost alone."""

    def store(self, maps: str = "", is_gone: Callable[[], bool] | None = None) -> SettlingStore:
        """The records of a run, by what its registry names them by; without a name those of no run.

        Args:
            is_gone: as `AwayCheck`.
        """

    def remove(self, maps: str) -> None:
        """Remove all records of a run, for every node."""

    def members(self) -> list[str]:
        """`HOST:PORT` of the cluster's members; none of a database."""

    def most_members(self) -> int:
        """The largest number of members that any node has seen; 0 of a database."""

    def expedite(self, end: float, left_s: float) -> None:
        """This node shuts down: see `CallTimeout.expedite`."""

    def warn_of_jobs(self, jobs: int) -> None:
        """Warn once if there is no room for so many jobs."""

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
        node: incarnation of this process.
        is_stopped: asked while nothing answers.
        is_guarded: whether calls to a cluster are refused while no majority of its members is seen.
    Raises:
        ClusterError: it does not let this node in; the message has what was tried.
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
