"""HammerRound: one run over three nodes, one blow at a random time, and its rows compared."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.cluster.hammers.hammer_database import HammerDatabase
from tests.cluster.hammers.hammer_grid import HammerGrid
from tests.reliability.process import ScoopiProcess, orphans
from tests.reliability.rounds import PromiseBrokenError
from tests.reliability.world import World

ROUND_LIMIT_S = 150.0
NODES = 3
GAP_MS = 4000
STOP_LIMIT_S = 25.0
SETTINGS = {
    "scoopi.cluster.liveness.gap": GAP_MS,
    "scoopi.monitor.timerPeriod": 300,
    "scoopi.loader.fetch.delay": 0,
    "scoopi.loader.fetch.parallelism": 6,
}
BLOWS = (
    "node SIGKILL",
    "node SIGTERM",
    "node pause",
    "two nodes",
    "all nodes",
    "worker",
    "member",
    "member pause",
)
NO_BLOW = "nothing"
SHARED = {"scoopi.output.durability": "shared"}
OUTPUTS: Mapping[str, Mapping[str, object]] = {
    "local": {},
    "shared": SHARED,
    "merged": {**SHARED, "scoopi.output.merge": "true"},
}
"""Kinds of output: each node its own folder, one for all, one with one file for all."""


@dataclass(frozen=True, slots=True)
class HammerResult:
    """A round that kept all promises.

    Attributes:
        hit: what was struck still ran.
        seconds: the whole round.
        recovery_s: from the last signal of the blow to the end of all nodes that were there then.
    """

    blow: str
    hit: bool
    seconds: float
    recovery_s: float


class HammerRound:
    """Plays once.

    Args:
        folder: a new one; each node has its own below, with its own output.
        run: the run's name.
        output: one of `OUTPUTS`.
    """

    def __init__(
        self,
        world: World,
        grid: HammerGrid | HammerDatabase,
        folder: Path,
        run: str,
        source: random.Random,
        output: str = "local",
    ) -> None:
        self._world = world
        self._grid = grid
        self._folder = folder
        self._run = run
        self._random = source
        self._output = output
        self._end = time.monotonic() + ROUND_LIMIT_S
        self._nodes: list[ScoopiProcess] = []
        self._started: list[ScoopiProcess] = []
        self._again: list[int] = []
        self._gone: set[int] = set()
        self._hit = False
        self._struck_at = 0.0
        self._blows: dict[str, Callable[[], None]] = {
            NO_BLOW: lambda: None,
            "node SIGKILL": lambda: self._kill_nodes(1),
            "node SIGTERM": self._stop_node,
            "node pause": self._pause_node,
            "two nodes": lambda: self._kill_nodes(2),
            "all nodes": self._kill_all_nodes,
            "worker": self._kill_worker,
            "member": self._kill_member,
            "member pause": self._pause_member,
        }

    def play(self, blow: str, when: Callable[[], None]) -> HammerResult:
        """Start the nodes, strike, wait for the end, compare.

        Args:
            when: waits for the moment of the blow.

        Raises:
            PromiseBrokenError: rows are lost or doubled, an exit code is wrong, or it took too long.
        """
        began = time.monotonic()
        try:
            self._nodes = [self._start(number) for number in range(NODES)]
            when()
            self._struck_at = time.monotonic()
            self._blows[blow]()
            for number, node in enumerate(self._nodes):
                if number not in self._gone:
                    self._await(node, number, (0,))
            recovery_s = time.monotonic() - self._struck_at
            for number in self._again:
                self._await(self._start(number), number, (0,))
            self._compare()
            return HammerResult(blow, self._hit, time.monotonic() - began, recovery_s)
        finally:
            for node in self._started:
                if node.process.poll() is None:
                    node.kill_all()

    def _start(self, number: int) -> ScoopiProcess:
        folder = self._folder / f"node-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        out = folder if self._output == "local" else self._folder / "all"
        arguments = node_arguments(
            self._grid, self._world, self._run, OUTPUTS[self._output], str(out / "out")
        )
        node = ScoopiProcess(arguments, folder)
        self._started.append(node)
        return node

    # Blows

    def _strike(self, pid: int, number: signal.Signals) -> None:
        """Send the signal; the last one is what the run recovers from."""
        self._struck_at = time.monotonic()
        with suppress(ProcessLookupError):
            os.kill(pid, number)

    def _kill_nodes(self, number: int) -> None:
        for place, chosen in enumerate(self._random.sample(range(NODES), number)):
            if place:
                time.sleep(self._random.uniform(0, 1.5))  # the random moment of the second
            self._kill_node(chosen)
            self._gone.add(chosen)
            self._again.append(chosen)
        if self._random.random() < 0.5:
            # It comes back while the others go on or after them, before or after it counts as lost.
            time.sleep(self._random.uniform(0, 6))
            self._join(self._again.pop())

    def _kill_all_nodes(self) -> None:
        for number in range(NODES):
            self._kill_node(number)
        self._nodes = [self._start(number) for number in range(NODES)]

    def _kill_node(self, chosen: int) -> None:
        node = self._nodes[chosen]
        workers = node.workers()
        self._hit |= node.process.poll() is None
        self._strike(node.process.pid, signal.SIGKILL)
        self._await(node, chosen, (-signal.SIGKILL, 0))
        if left := orphans(workers):
            raise PromiseBrokenError(f"orphans: {left}")

    def _stop_node(self) -> None:
        chosen = self._random.randrange(NODES)
        node = self._nodes[chosen]
        self._hit = node.process.poll() is None
        self._strike(node.process.pid, signal.SIGTERM)
        # A signal before Scoopi listens, or after its end, meets Python's own ways.
        self._await(node, chosen, (128 + signal.SIGTERM, -signal.SIGTERM, 0), STOP_LIMIT_S)
        if node.process.returncode:
            self._gone.add(chosen)
            if self._random.random() < 0.5:
                self._join(chosen)

    def _pause_node(self) -> None:
        node = self._nodes[self._random.randrange(NODES)]
        self._hit = node.process.poll() is None
        processes = [node.process.pid, *node.workers()]
        for pid in processes:
            self._strike(pid, signal.SIGSTOP)
        time.sleep(GAP_MS / 1000 + self._random.uniform(0.5, 5))  # longer than the gap
        for pid in processes:
            self._strike(pid, signal.SIGCONT)

    def _kill_worker(self) -> None:
        while not (workers := [pid for node in self._nodes for pid in node.workers()]):
            if not self._anybody_runs():
                break
            time.sleep(0.02)  # nodes that just start have none yet, and there is no event for their start
        self._hit = bool(workers)
        if workers:
            self._strike(self._random.choice(workers), signal.SIGKILL)

    def _kill_member(self) -> None:
        self._hit = self._anybody_runs()
        chosen = self._random.randrange(len(self._grid))
        self._grid.kill(chosen)
        time.sleep(self._random.uniform(0, 3))  # the random moment of its return
        self._grid.restart(chosen)

    def _pause_member(self) -> None:
        self._hit = self._anybody_runs()
        processes = self._grid.pids(self._random.randrange(len(self._grid)))
        for pid in processes:
            self._strike(pid, signal.SIGSTOP)
        time.sleep(self._random.uniform(1, 14))  # shorter and longer than a call to the store may take
        for pid in processes:
            self._strike(pid, signal.SIGCONT)

    def _anybody_runs(self) -> bool:
        return any(node.process.poll() is None for node in self._nodes)

    # Ends

    def _join(self, number: int) -> None:
        """A node comes back; it is waited for with the others."""
        self._nodes[number] = self._start(number)
        self._gone.discard(number)

    def _await(
        self, node: ScoopiProcess, number: int, allowed: Sequence[int], limit_s: float = ROUND_LIMIT_S
    ) -> None:
        try:
            code = node.wait(max(1.0, min(limit_s, self._end - time.monotonic())))
        except Exception as error:
            raise PromiseBrokenError(f"node {number} did not end: {error!r}\n{self._said(number)}") from None
        if code not in allowed:
            raise PromiseBrokenError(f"node {number} ended with {code}\n{self._said(number)}")

    def _compare(self) -> None:
        rows = read_nodes_rows(self._folder, self._run)
        if time.monotonic() > self._end:
            raise PromiseBrokenError(f"it took more than {ROUND_LIMIT_S:.0f} s")
        lost, doubled = self._world.rows - rows, rows - self._world.rows
        if lost or doubled:
            shown = f"{list(lost)[:3]} {list(doubled)[:3]}"
            raise PromiseBrokenError(f"{lost.total()} rows lost, {doubled.total()} too many: {shown}")

    def _said(self, number: int) -> str:
        return (self._folder / f"node-{number}" / "stderr.txt").read_text()[-3000:]


class SharedByNodes(Protocol):
    """What the nodes of a run share: the members of a cluster, or a database."""

    @property
    def words(self) -> list[str]:
        """What names it on a command line."""


def node_arguments(
    grid: SharedByNodes,
    world: World,
    run: str,
    changes: Mapping[str, object] | None = None,
    output: str = "out",
) -> list[str]:
    """The command line of each node of a run, its settings with these changes."""
    options = [*grid.words, "--run", run, "--output", output, "--workers", "1", "-v"]
    settings = {**SETTINGS, **(changes or {})}
    given = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
    return ["run", str(world.defs), *options, *given]


@contextmanager
def node_processes(arguments: list[str], folder: Path, count: int) -> Iterator[list[ScoopiProcess]]:
    """Nodes of one run, each a process with a folder of its own; those that are left are killed."""
    nodes = []
    for number in range(count):
        (folder / f"node-{number}").mkdir()
        nodes.append(ScoopiProcess(arguments, folder / f"node-{number}"))
    try:
        yield nodes
    finally:
        for node in nodes:
            if node.process.returncode is None:
                node.kill_all()


def read_nodes_rows(folder: Path, run: str) -> Counter[str]:
    """The union of the published rows of all nodes below a folder."""
    rows: Counter[str] = Counter()
    for file in sorted(folder.glob(f"*/out/{run}/data*.txt")):
        rows.update(file.read_text(encoding="utf-8").splitlines())
    return rows
