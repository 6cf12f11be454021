"""majority_of: makes the guard that protects a client's stores from a split of its cluster."""

from __future__ import annotations

from scoopi.configs.groups import ClusterSettings
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.cluster.member_majority import COPIES, MajorityCalls, MemberMajority
from scoopi.store.ports import RUN
from scoopi.store.settling_store import SettlingStore


def majority_of(client: ClusterClient, settings: ClusterSettings, node: str) -> MemberMajority:
    """Make the MemberMajority of a client; pass its `ensure` to `ClusterClient.guard`.

    Args:
        node: incarnation of this node.
    """
    return MemberMajority(
        SettlingStore(HazelcastStore(client, guarded=False, maps=(RUN,))),
        client.spread_keys("members", COPIES),
        node,
        settings,
        MajorityCalls(client.seen, client.timeout.wait),
    )
