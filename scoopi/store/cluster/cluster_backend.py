"""ClusterBackend: the runs of several nodes, in the maps of a Hazelcast cluster."""

from __future__ import annotations

from collections.abc import Callable

from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.cluster.majority_guard import majority_of
from scoopi.store.cluster.member_heaps import MemberHeaps
from scoopi.store.settling_store import SettlingStore


class ClusterBackend:
    """The runs of several nodes, in the maps of a Hazelcast cluster. See `SharedBackend`.

    Args:
        client: a connected client; `close` closes it.
        node: incarnation of this process.
        is_guarded: whether calls are refused while no majority of the members is seen.
    """

    def __init__(self, client: ClusterClient, node: str, is_guarded: bool = False) -> None:
        self.name = f"the cluster {client.settings.name}"
        self._client = client
        self._majority = majority_of(client, client.settings, node)
        self._heaps = MemberHeaps(client)
        if is_guarded:
            client.guard(self._majority.ensure)

    @property
    def canaries(self) -> tuple[str, ...]:
        """See `SharedBackend`; one key in each partition, as each can be lost alone."""
        return tuple(self._client.spread_keys("canary"))

    def store(self, maps: str = "", is_gone: Callable[[], bool] | None = None) -> SettlingStore:
        """See `SharedBackend`."""
        return SettlingStore(HazelcastStore(self._client, maps, is_gone=is_gone or (lambda: False)))

    def remove(self, maps: str) -> None:
        """See `SharedBackend`."""
        HazelcastStore(self._client, maps).destroy()

    def members(self) -> list[str]:
        """See `SharedBackend`."""
        return self._client.members()

    def most_members(self) -> int:
        """See `SharedBackend`."""
        return self._majority.most()

    def expedite(self, end: float, left_s: float) -> None:
        """See `SharedBackend`."""
        self._client.timeout.expedite(end, left_s)

    def warn_of_jobs(self, jobs: int) -> None:
        """See `SharedBackend`."""
        self._heaps.warn_of(jobs)

    def close(self) -> None:
        """Leave the cluster."""
        self._client.close()
