"""The runs of a cluster: their maps as stores, their registry, and which of their nodes send heartbeats."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeRecord, NodeStatus
from scoopi.store.ports import Store
from scoopi.store.runs.run_record import RunPhase, RunRecord
from scoopi.store.runs.run_registry import RunRegistry
from scoopi.store.shared_backend import SharedBackend

BEATS = 2
"""How many changes of each heartbeat are awaited: a speed is measured between two of them."""
SAMPLE_BEATS = 3.5
"""Periods of a heartbeat after which a node without any is reported as silent."""
LOOKS = 8
"""Reads per period of a heartbeat."""


class HeartbeatSample:
    """Reads the heartbeats of all nodes for a few periods, to see which of them change.

    Args:
        read: returns the nodes' records by incarnation.
        heartbeat_s: seconds between two heartbeats of a node.
    """

    def __init__(self, read: Callable[[], Mapping[str, NodeRecord]], heartbeat_s: float) -> None:
        self._read = read
        self._heartbeat_s = heartbeat_s
        self._seen: dict[str, list[tuple[float, NodeRecord]]] = {}

    def take(self) -> dict[str, NodeRecord]:
        """Read until every live node has sent two heartbeats, or 3.5 periods are over.

        Returns:
            The records of the last read, by incarnation.
        """
        end = time.monotonic() + self._heartbeat_s * SAMPLE_BEATS
        while True:
            records = dict(self._read())
            now = time.monotonic()
            for incarnation, record in records.items():
                seen = self._seen.setdefault(incarnation, [])
                if not seen or seen[-1][1].number != record.number:
                    seen.append((now, record))
            live = [key for key, record in records.items() if record.state is NodeStatus.LIVE]
            if now >= end or all(len(self._seen[key]) > BEATS for key in live):
                return records
            time.sleep(self._heartbeat_s / LOOKS)  # nothing notifies of a heartbeat

    def beats(self, incarnation: str) -> bool:
        """Whether the heartbeat of this incarnation has changed during the sample."""
        return len(self._seen.get(incarnation, ())) > 1

    def pages_per_s(self, incarnation: str) -> float:
        """Pages per second between the first and the last change of the heartbeat; 0 without two changes."""
        changes = self._seen.get(incarnation, [])[1:]
        if len(changes) < BEATS:
            return 0.0
        (began, first), (ended, last) = changes[0], changes[-1]
        return round(max(0, last.pages - first.pages) / (ended - began), 1)


def runs_of(backend: SharedBackend, node: str, heartbeat_ms: int = 1000) -> RunRegistry:
    """The registry of the cluster's runs.

    Args:
        node: incarnation of this process, which writes with it.
        heartbeat_ms: milliseconds between two heartbeats of a run's node.
    """

    def phase(maps: str) -> RunPhase | None:
        state = RunRecord(backend.store(maps), node).read()
        return None if state is None else state.phase

    def is_alive(maps: str) -> bool:
        return bool(live_nodes(backend.store(maps), heartbeat_ms))

    return RunRegistry(backend.store(), phase, backend.remove, node, is_alive)


def live_nodes(store: Store, heartbeat_ms: int) -> list[str]:
    """The ids of a run's nodes that send heartbeats; samples them for a few periods."""
    sample = HeartbeatSample(Membership(store, "", "").read, heartbeat_ms / 1000)
    return sorted({record.node for key, record in sample.take().items() if sample.beats(key)})
