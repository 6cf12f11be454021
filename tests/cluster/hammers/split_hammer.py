"""SplitRound: rounds of a run over nodes whose network is cut in two at a random time, and heals.

By hand, with figures, as root: `python -m tests.cluster.hammers.split_hammer --rounds 20 --seed 1`. Members
and nodes are in two network namespaces. In each round the network is cut while nodes work, for shorter or
longer than members wait for each other; in half of the rounds a node of the smaller part is killed and
started again meanwhile. No row may be published twice at any time, and once the members have rejoined the run
must end with each row once.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from scoopi.configs.groups import ClusterSettings
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.member_config import MemberConfig
from scoopi.store.cluster.member_process import MemberProcess
from tests.cluster.hammers.halves import Halves
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.rounds import PromiseBrokenError
from tests.reliability.world import World, build_world
from tests.server.server import Server

SHELVES, PACKETS = 60, 3
PAGE_S = 0.15
PORT = 5701
LIMIT_S = 180.0
NODES = {"ann": 0, "bob": 0, "cid": 1}
"""And in which half they are; the second half is the smaller one, or half of all."""
KINDS = {"two": (2, 1), "three": (3, 1), "protected": (3, 3)}
"""Members, and how many of them they know of by their own split-brain protection."""
SPLIT = "the cluster seems split"


class SplitRound:
    """Plays once.

    Args:
        folder: a new one.
        heartbeat_s: after so long members take one that is silent for dead.
    """

    def __init__(self, folder: Path, kind: str, source: random.Random, heartbeat_s: int) -> None:
        self._folder = folder
        self._kind = kind
        self._random = source
        self._heartbeat_s = heartbeat_s
        self._stack = ExitStack()
        self._halves = Halves()
        self._servers: list[Server] = []
        self._clients: list[ClusterClient] = []
        self._nodes: dict[str, ScoopiProcess] = {}
        self._reconnect_ms = source.choice([8000, 120_000])

    def play(self) -> str:
        """What happened, in words.

        Raises:
            PromiseBrokenError: a promise was broken.
        """
        with self._stack:
            self._stack.enter_context(self._halves)
            self._start_members()
            world = self._start_site()
            for name in NODES:
                self._start(name, world)
            self._stack.callback(self._kill_nodes)
            asked = self._random.randrange(20, SHELVES * 2)
            wait_until(lambda: self._asked() >= asked, "requests", LIMIT_S)
            cut_s, was_split = self._split(world)
            self._ensure_no_row_twice(world)
            codes = self._finish(world)
            if (rows := self._rows()) != world.rows:
                lost, doubled = world.rows - rows, rows - world.rows
                raise PromiseBrokenError(f"{lost.total()} rows lost, {doubled.total()} too many")
        state = "split" if was_split else "not split"
        return f"exact: {self._kind}, cut for {cut_s:.0f} s ({state}), {codes} nodes had ended with 5"

    def _start_members(self) -> None:
        number, known = KINDS[self._kind]
        halves = [0, 1] if number == 2 else [0, 0, 1]
        ports = [PORT, PORT + 1, PORT][: len(halves)] if number == 3 else [PORT, PORT]
        self._addresses = [
            f"{self._halves.address(half)}:{port}" for half, port in zip(halves, ports, strict=True)
        ]
        for place, half in enumerate(halves):
            config = MemberConfig(
                ports[place], self._halves.address(half), join=tuple(self._addresses), members=known
            )
            text = json.loads(config.text())
            properties = text["hazelcast"]["properties"]
            properties["hazelcast.max.no.heartbeat.seconds"] = str(self._heartbeat_s)
            file = self._folder / f"member-{place}.yaml"
            file.write_text(json.dumps(text), encoding="utf-8")
            config = MemberConfig(ports[place], self._halves.address(half), file=file)
            with self._halves.inside(half):
                member = MemberProcess(config, os.environ, self._folder / f"member-{place}.log")
            self._stack.callback(member.close)
            self._stack.callback(member.end, hard=True)
            member.wait_ready()
        for half in range(2):
            own = tuple(each for each in self._addresses if each.startswith(self._halves.address(half)))
            with self._halves.inside(half):
                client = ClusterClient(ClusterSettings(own))
            self._stack.callback(client.close)
            self._clients.append(client)

    def _start_site(self) -> World:
        """The same pages at the same address of each half's loopback."""
        pages = self._folder / "world" / "pages"

        def page(path: str) -> bytes:
            time.sleep(PAGE_S)  # the site takes its time
            return (pages / path.lstrip("/")).read_bytes()

        for half in range(2):
            port = self._servers[0].port if half else 0
            with self._halves.inside(half):
                self._servers.append(self._stack.enter_context(Server(page, port=port)))
        return build_world(self._folder / "world", SHELVES, PACKETS, self._servers[0].url(""))

    def _start(self, name: str, world: World) -> None:
        (self._folder / name).mkdir(exist_ok=True)
        settings = {
            "scoopi.cluster.node": name,
            "scoopi.cluster.reconnect.timeout": self._reconnect_ms,
            "scoopi.cluster.liveness.gap": 5000,
            "scoopi.loader.fetch.delay": 0,
            "scoopi.loader.fetch.parallelism": 9,
        }
        given = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
        where = ["--cluster", ",".join(self._addresses), "--run", "run", "--output", "out", "--workers", "1"]
        with self._halves.inside(NODES[name]):
            self._nodes[name] = ScoopiProcess(["run", str(world.defs), *where, *given], self._folder / name)

    def _split(self, world: World) -> tuple[float, bool]:
        """Cut the network for a while; how long, and whether the members noticed."""
        cut_s = self._random.uniform(0.3, 3.5) * self._heartbeat_s
        began_at = time.monotonic()
        self._halves.cut()
        time.sleep(cut_s * self._random.random())
        if self._random.random() < 0.5 and self._nodes["cid"].process.poll() is None:
            self._nodes["cid"].signal(signal.SIGKILL)
            self._nodes["cid"].wait(LIMIT_S)
            self._start("cid", world)
        time.sleep(max(0.0, began_at + cut_s - time.monotonic()))
        was_split = len(self._clients[1].members()) < len(self._addresses)
        self._ensure_no_row_twice(world)
        self._halves.heal()
        return time.monotonic() - began_at, was_split

    def _finish(self, world: World) -> int:
        """All nodes to the end of the run; how many of them had given up."""

        def are_joined() -> bool:
            return all(len(client.members()) == len(self._addresses) for client in self._clients)

        wait_until(are_joined, "the members", LIMIT_S)
        gave_up = 0
        for name in [*NODES, *NODES]:
            code = self._nodes[name].wait(LIMIT_S)
            if code == 5:
                gave_up += 1
                said = (self._folder / name / "stderr.txt").read_text(encoding="utf-8")
                if "start a new run" in said:
                    raise PromiseBrokenError(f"{name} was asked to start a new run")
                self._start(name, world)
            elif code != 0:
                raise PromiseBrokenError(f"{name} ended with {code}")
        for name in NODES:
            if (code := self._nodes[name].wait(LIMIT_S)) != 0:
                raise PromiseBrokenError(f"{name} ended with {code} when the members had rejoined")
        return gave_up

    def _ensure_no_row_twice(self, world: World) -> None:
        if doubled := self._rows() - world.rows:
            raise PromiseBrokenError(f"{doubled.total()} rows too many were published in a split cluster")

    def _rows(self) -> Counter[str]:
        rows: Counter[str] = Counter()
        for file in self._folder.glob("*/out/run/data*.txt"):
            rows.update(file.read_text(encoding="utf-8").splitlines())
        return rows

    def _asked(self) -> int:
        return sum(len(server.log.all()) for server in self._servers)

    def _kill_nodes(self) -> None:
        for node in self._nodes.values():
            if node.process.poll() is None:
                node.kill_all()


def main() -> int:
    """Play the rounds; the exit code is 0 when all were exact."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.hammers.split_hammer", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--kind", choices=KINDS, help="always this one")
    parser.add_argument("--heartbeat", type=int, default=15, help="seconds of silence of a dead member")
    options = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="scoopi-split-"))
    exact = 0
    for number in range(options.first, options.first + options.rounds):
        source = random.Random(f"{options.seed}/{number}")
        kind = options.kind or source.choice([*KINDS])
        folder = base / f"round-{number}"
        folder.mkdir()
        try:
            print(f"round {number}: {SplitRound(folder, kind, source, options.heartbeat).play()}", flush=True)
        except Exception as wrong:  # whatever it is, the round is not exact
            print(f"round {number}: WRONG: {wrong!r} ({kind}, kept in {folder})", flush=True)
            continue
        exact += 1
        shutil.rmtree(folder)
    print(f"{exact} of {options.rounds} exact")
    return 0 if exact == options.rounds else 1


if __name__ == "__main__":
    sys.exit(main())
