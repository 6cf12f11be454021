"""MembersOfTests: the member of the tests, in the place of members that a hammer starts and kills."""

from __future__ import annotations

from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore


class MembersOfTests:
    """The member of the tests, in the place of members that a hammer starts and kills.

    Attributes:
        words: arguments of `scoopi` that name its cluster.
    """

    def __init__(self, cluster: ClusterClient) -> None:
        self._cluster = cluster
        address, name = ",".join(cluster.settings.addresses), cluster.settings.name
        self.words = ["--cluster", address, "-D", f"scoopi.cluster.name={name}"]

    def forget(self, run: str) -> None:
        """Remove the records of a run."""
        HazelcastStore(self._cluster, run).destroy()
