"""What tests do beside a run's nodes: read its records, hold its barricades, let its member stand still."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from scoopi.errors import StoppedError
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeStatus
from scoopi.store.runs.run_record import RunPhase, RunRecord
from scoopi.store.settling_store import SettlingStore
from tests.cluster.grids import members, settings_of
from tests.cluster.node_runner import LIMIT_S, NodeRunner

GAP_MS = 2000


def store_of(cluster: ClusterClient, runner: NodeRunner) -> SettlingStore:
    """The records of the run."""
    return SettlingStore(HazelcastStore(cluster, runner.run_name))


def states(cluster: ClusterClient, runner: NodeRunner) -> list[NodeStatus]:
    """Of all incarnations of the run's nodes."""
    return [each.state for each in Membership(store_of(cluster, runner), "test", "test").read().values()]


def ended_jobs(cluster: ClusterClient, runner: NodeRunner) -> int:
    """How many jobs of the run have ended, on whichever node."""
    return sum(len(page) for page in JobStore(store_of(cluster, runner), "test").finished.pages())


@contextmanager
def held(cluster: ClusterClient, runner: NodeRunner, barricade: str) -> Iterator[None]:
    """Another node holds the barricade, lives, and composes nothing."""
    holds, ends = threading.Event(), threading.Event()

    def compose() -> bytes:
        holds.set()
        assert ends.wait(LIMIT_S)
        raise StoppedError

    def hold() -> None:
        with pytest.raises(StoppedError):
            Barricade(store_of(cluster, runner), barricade, "other", GAP_MS).compose_once(compose, 60_000)

    with ThreadPoolExecutor(1) as pool:
        holder = pool.submit(hold)
        assert holds.wait(LIMIT_S)
        try:
            yield
        finally:
            ends.set()
            holder.result(LIMIT_S)


@dataclass(frozen=True)
class Still:
    """A cluster of one member, which can be made to stand still: it takes calls, and answers none."""

    client: ClusterClient
    pid: int

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)


@contextmanager
def still_member(folder: Path) -> Iterator[Still]:
    """A member of one's own, with a client; it moves again at the end."""
    with members(folder / "members") as started:
        still = Still(ClusterClient(settings_of(started)), started[0].pid)
        try:
            yield still
        finally:
            still.thaw()
            still.client.close()


def phase_of(client: ClusterClient, run: str) -> RunPhase | None:
    """The phase of the run; None if the cluster does not know it."""
    state = RunRecord(HazelcastStore(client, run), "test").read()
    return None if state is None else state.phase
