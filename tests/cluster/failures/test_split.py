"""A cluster whose members lose sight of each other: no row is published twice, and nodes say what to do.

The long form, over a real partition of the network: `python -m tests.cluster.hammers.split_hammer`.
"""

from __future__ import annotations

import json
import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.member_config import MemberConfig
from scoopi.store.cluster.member_process import MemberProcess
from tests.cluster.grids import free_port, name_of
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World, build_world
from tests.server.server import Server

SHELVES, PACKETS = 30, 2
PAGE_S = 0.4
LIMIT_S = 60.0
HEARTBEAT_S = 3
RECONNECT_MS = 4000
PATIENT = ("-D", "scoopi.cluster.reconnect.timeout=120000", "-D", "scoopi.shutdown.timeout=6")
STOP_LIMIT_S = 30.0
"""Of a stop that may take 6 s."""
RUN = "split"
SPLIT = "the cluster seems split: 1 of 2 members"


class Pair:
    """Two members with Hazelcast's default configuration, but that a frozen one is dead after 3 s.

    They keep one backup: each of them holds all records.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        ports = [free_port(), free_port()]
        self.name = name_of(ports[0])
        self.addresses = [f"127.0.0.1:{port}" for port in ports]
        self._members: list[MemberProcess] = []
        self._clients = ExitStack()

    def __enter__(self) -> Pair:
        for number in range(2):
            self._members.append(self._started(number))
        return self

    def __exit__(self, *_: object) -> None:
        self._clients.close()
        for member in self._members:
            member.end(hard=True)
            member.close()

    def split(self) -> None:
        """The second one is frozen until the first takes it for dead; then each is a cluster of its own."""
        frozen = self._members[1].pid
        os.kill(frozen, signal.SIGSTOP)
        try:
            self._await_alone(0)
        finally:
            os.kill(frozen, signal.SIGCONT)
        self._await_alone(1)

    def shut_down(self, number: int) -> None:
        """A member ends gracefully: it hands its data over first."""
        self._members[number].close()

    def rejoin(self) -> None:
        """The second one is started again, and joins the first."""
        self._members[1].end(hard=True)
        self._members[1].close()
        self._members[1] = self._started(1)

    def _started(self, number: int) -> MemberProcess:
        text = json.loads(MemberConfig(name=self.name, join=tuple(self.addresses)).text())
        text["hazelcast"]["properties"] = {
            "hazelcast.wait.seconds.before.join": 0,
            "hazelcast.heartbeat.interval.seconds": 1,
            "hazelcast.max.no.heartbeat.seconds": HEARTBEAT_S,
        }
        file = self._folder / f"member-{number}.yaml"
        file.write_text(json.dumps(text), encoding="utf-8")
        port = int(self.addresses[number].rpartition(":")[2])
        member = MemberProcess(
            MemberConfig(port, file=file), os.environ, self._folder / f"member-{number}.log"
        )
        member.wait_ready()
        return member

    def _await_alone(self, number: int) -> None:
        client = ClusterClient(ClusterSettings((self.addresses[number],), self.name))
        self._clients.callback(client.close)
        wait_until(lambda: client.members() == [self.addresses[number]], "a split", LIMIT_S)


class Nodes:
    """Nodes of one run as processes, each with a folder of its own, over pages that take their time."""

    def __init__(self, folder: Path, pair: Pair) -> None:
        self.folder = folder
        self._pair = pair
        self._expedite = threading.Event()
        self._server = Server(self._page)
        self._started: list[ScoopiProcess] = []

    def __enter__(self) -> Nodes:
        self._server.__enter__()
        self.world: World = build_world(self.folder / "world", SHELVES, PACKETS, self._server.url(""))
        return self

    def __exit__(self, *_: object) -> None:
        for node in self._started:
            if node.process.poll() is None:
                node.kill_all()
        self._expedite.set()
        self._server.__exit__(None, None, None)

    def start(self, node: str, members: list[str], *options: str) -> ScoopiProcess:
        """A node of these members' cluster."""
        settings = {
            "scoopi.cluster.name": self._pair.name,
            "scoopi.cluster.node": node,
            "scoopi.cluster.liveness.gap": 2500,
            "scoopi.cluster.heartbeat": 250,
            "scoopi.cluster.reconnect.timeout": RECONNECT_MS,
            "scoopi.loader.fetch.delay": 0,
            "scoopi.loader.fetch.parallelism": 4,
        }
        given = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
        where = ["--cluster", ",".join(members), "--run", RUN, "--output", "out", "--workers", "0"]
        (self.folder / node).mkdir(exist_ok=True)
        arguments = ["run", str(self.world.defs), *where, *given, *options]
        started = ScoopiProcess(arguments, self.folder / node)
        self._started.append(started)
        return started

    def await_pages(self, number: int) -> None:
        """Wait until `number` further pages were asked for."""
        asked = len(self._server.log.all())
        wait_until(lambda: len(self._server.log.all()) >= asked + number, "requests", LIMIT_S)

    def expedite(self) -> None:
        """From now on pages come at once."""
        self._expedite.set()

    def log_text(self, node: str) -> str:
        """What a node wrote to its terminal."""
        return (self.folder / node / "stderr.txt").read_text(encoding="utf-8")

    def rows(self) -> list[str]:
        """Of all nodes' files."""
        files = sorted(self.folder.glob(f"*/out/{RUN}/data*.txt"))
        return [row for file in files for row in file.read_text(encoding="utf-8").splitlines()]

    def _page(self, path: str) -> bytes:
        self._expedite.wait(PAGE_S)
        return (self.folder / "world" / "pages" / path.lstrip("/")).read_bytes()


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with Pair(tmp_path) as pair:
        yield pair


@pytest.fixture
def nodes(tmp_path: Path, pair: Pair) -> Iterator[Nodes]:
    with Nodes(tmp_path, pair) as nodes:
        yield nodes


def test_no_half_of_a_split_cluster_ends_the_run_and_together_they_publish_each_row_once(
    pair: Pair, nodes: Nodes
) -> None:
    ann, bob = (nodes.start(name, pair.addresses) for name in ("ann", "bob"))
    dee = nodes.start("dee", pair.addresses, *PATIENT)
    nodes.await_pages(15)
    pair.split()
    bob.signal(signal.SIGKILL)
    bob.wait(LIMIT_S)
    dee.signal(signal.SIGTERM)
    assert dee.wait(STOP_LIMIT_S) == 128 + signal.SIGTERM
    nodes.expedite()
    bob = nodes.start("bob", pair.addresses[1:])
    cid = nodes.start("cid", pair.addresses[1:])
    assert [node.wait(LIMIT_S) for node in (ann, bob, cid)] == [5, 5, 5]
    for name in ("ann", "bob", "cid"):
        assert SPLIT in nodes.log_text(name)
        assert "start this node again when the members have rejoined" in nodes.log_text(name)
        assert "start a new run" not in nodes.log_text(name)
    assert nodes.rows() == []
    pair.rejoin()
    together = [nodes.start(name, pair.addresses) for name in ("ann", "bob", "dee")]
    assert [node.wait(LIMIT_S) for node in together] == [0, 0, 0]
    assert sorted(nodes.rows()) == sorted(nodes.world.rows.elements())


def test_a_cluster_that_has_shrunk_for_good_goes_on_when_a_node_accepts_it(pair: Pair, nodes: Nodes) -> None:
    ann = nodes.start("ann", pair.addresses)
    nodes.await_pages(10)
    pair.shut_down(1)
    nodes.expedite()
    assert ann.wait(LIMIT_S) == 5
    found = re.search(r"-D (scoopi\.cluster\.members=\d)", nodes.log_text("ann"))
    assert found is not None
    ann = nodes.start("ann", pair.addresses, "-D", found[1])
    bob = nodes.start("bob", pair.addresses)
    assert [node.wait(LIMIT_S) for node in (ann, bob)] == [0, 0]
    assert sorted(nodes.rows()) == sorted(nodes.world.rows.elements())
