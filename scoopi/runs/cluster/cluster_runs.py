"""The maps of a cluster's grid as stores, and the registry of the runs that it knows."""

from __future__ import annotations

from collections.abc import Callable

from scoopi.configs.groups import ClusterSettings
from scoopi.runs.cluster.heartbeat_sample import HeartbeatSample
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.cluster.member_majority import COPIES, MemberMajority
from scoopi.store.nodes.membership import Membership
from scoopi.store.ports import Store
from scoopi.store.run_maps import RUN
from scoopi.store.runs.run_record import RunPhase, RunRecord
from scoopi.store.runs.run_registry import RunRegistry
from scoopi.store.settling_store import SettlingStore


def store_of(
    client: ClusterClient, maps: str = "", is_gone: Callable[[], bool] = lambda: False
) -> SettlingStore:
    """The maps of a run, as its registry names them; those that belong to no run when none is named.

    Args:
        is_gone: as `HazelcastStore`.
    """
    return SettlingStore(HazelcastStore(client, maps, is_gone=is_gone))


def majority_of(client: ClusterClient, settings: ClusterSettings, node: str) -> MemberMajority:
    """The members that this client sees, and how many there were; its `ensure` guards the client's stores."""
    return MemberMajority(
        SettlingStore(HazelcastStore(client, guarded=False, maps=(RUN,))),
        client.spread_keys("members", COPIES),
        client.seen,
        node,
        settings,
        client.wait,
    )


def runs_of(client: ClusterClient, node: str, heartbeat_ms: int = 1000) -> RunRegistry:
    """The runs that the cluster knows, as this node may read and change them.

    Args:
        heartbeat_ms: of the runs' nodes.
    """

    def phase(maps: str) -> RunPhase | None:
        state = RunRecord(store_of(client, maps), node).read()
        return None if state is None else state.phase

    def remove(maps: str) -> None:
        HazelcastStore(client, maps).destroy()

    def is_alive(maps: str) -> bool:
        return bool(live_nodes(store_of(client, maps), heartbeat_ms))

    return RunRegistry(store_of(client), phase, remove, node, is_alive)


def live_nodes(store: Store, heartbeat_ms: int) -> list[str]:
    """The nodes of a run that have heartbeats now; looks on for a few of them."""
    sample = HeartbeatSample(Membership(store, "", "").read, heartbeat_ms / 1000)
    return sorted({member.node for key, member in sample.take().items() if sample.beats(key)})
