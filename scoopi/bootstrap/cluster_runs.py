"""runs_of: the registry of a cluster's runs, over the maps of its grid."""

from __future__ import annotations

from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.run_record import RunRecord
from scoopi.store.run_registry import RunRegistry
from scoopi.store.settling_store import SettlingStore


def runs_of(client: ClusterClient, node: str) -> RunRegistry:
    """The runs that the cluster knows, as this node may read and change them."""

    def is_kept(maps: str) -> bool:
        return RunRecord(SettlingStore(HazelcastStore(client, maps)), node).read() is not None

    def remove(maps: str) -> None:
        HazelcastStore(client, maps).destroy()

    return RunRegistry(SettlingStore(HazelcastStore(client)), is_kept, remove, node)
