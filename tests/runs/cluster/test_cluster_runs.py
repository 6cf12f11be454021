"""HeartbeatSample: which nodes of a run send heartbeats, and how many pages a second they load."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

import pytest

from scoopi.runs.cluster.cluster_runs import BEATS, LOOKS, SAMPLE_BEATS, HeartbeatSample, live_nodes
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeRecord, NodeStatus
from scoopi.store.settling_store import SettlingStore
from tests.clock import Clock

BEAT_S = 0.02


@pytest.fixture
def sleeping(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the sample; passes while it sleeps."""
    monkeypatch.setattr(time, "monotonic", clock)
    monkeypatch.setattr(time, "sleep", clock.pass_s)
    return clock


def record(node: str, number: int = 0, state: NodeStatus = NodeStatus.LIVE, pages: int = 0) -> NodeRecord:
    return NodeRecord(node, number, state, 0, True, pages=pages)


def reads(*records: Mapping[str, NodeRecord]) -> Callable[[], Mapping[str, NodeRecord]]:
    """What the store says, read by read; then always the last."""
    left: Iterator[Mapping[str, NodeRecord]] = iter(records)
    return lambda: next(left, records[-1])


def test_a_run_without_live_nodes_is_read_once() -> None:
    sample = HeartbeatSample(reads({"a1": record("ann", state=NodeStatus.LEFT)}, {}), 3600)
    assert [*sample.take()] == ["a1"]
    assert not sample.beats("a1")
    assert not sample.beats("unknown")


def test_a_node_that_has_beaten_twice_ends_the_sample(sleeping: Clock) -> None:
    sample = HeartbeatSample(reads(*({"a1": record("ann", number)} for number in range(3))), BEAT_S)
    began = sleeping()
    assert sample.take()["a1"].number == 2
    assert sleeping() - began < BEAT_S * BEATS
    assert sample.beats("a1")


def test_a_node_whose_heartbeat_stands_still_is_silent_when_the_sample_is_over(sleeping: Clock) -> None:
    sample = HeartbeatSample(reads({"a1": record("ann", 7)}), BEAT_S)
    began = sleeping()
    sample.take()
    assert BEAT_S * SAMPLE_BEATS <= sleeping() - began < BEAT_S * (SAMPLE_BEATS + 1)
    assert not sample.beats("a1")
    assert sample.pages_per_s("a1") == 0


@pytest.mark.usefixtures("sleeping")
def test_the_speed_is_measured_between_two_changes() -> None:
    pages = (50, 100, 110)
    sample = HeartbeatSample(
        reads(*({"a1": record("ann", number, pages=count)} for number, count in enumerate(pages))), 2 * LOOKS
    )
    sample.take()  # looks every two seconds
    assert sample.pages_per_s("a1") == 5.0, "the first value may be old: 10 pages in 2 seconds"


def test_the_live_nodes_are_those_that_send_heartbeats(store: SettlingStore) -> None:
    Membership(store, "a1", "ann").beat(NodeLoad(1, True))
    assert live_nodes(store, 1) == []
