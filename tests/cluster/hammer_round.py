"""HammerRound: one run over three nodes, one blow at a random time, and its rows compared."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.hammer_grid import HammerGrid
from tests.reliability.process import ScoopiProcess, kill, orphans
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
MEMBER_BLOWS = ("member", "member pause")
BLOWS = ("node SIGKILL", "node SIGTERM", "node pause", "two nodes", "all nodes", "worker", *MEMBER_BLOWS)


@dataclass(frozen=True, slots=True)
class HammerResult:
    """A round that kept all promises; `recovery_s`: from the last blow to the end of all nodes."""

    blow: str
    seconds: float
    recovery_s: float


class HammerRound:
    """Plays once.

    Args:
        folder: a new one; each node has its own below, with its own output.
        run: the run's name.
    """

    def __init__(self, world: World, grid: HammerGrid, folder: Path, run: str, source: random.Random) -> None:
        self._world = world
        self._grid = grid
        self._folder = folder
        self._run = run
        self._random = source
        self._end = time.monotonic() + ROUND_LIMIT_S
        self._nodes: list[ScoopiProcess] = []
        self._started: list[ScoopiProcess] = []
        self._again: list[int] = []
        self._gone: set[int] = set()
        self._blows: dict[str, Callable[[], None]] = {
            "node SIGKILL": lambda: self._kill_nodes(1),
            "node SIGTERM": self._stop_node,
            "node pause": self._pause_node,
            "two nodes": lambda: self._kill_nodes(2),
            "all nodes": self._kill_all_nodes,
            "worker": self._kill_worker,
            "member": self._kill_member,
            "member pause": self._pause_member,
        }

    def play(self, blow: str, delay_s: float) -> HammerResult:
        """Start the nodes, strike after the delay, wait for the end, compare.

        Raises:
            PromiseBrokenError: rows are lost or doubled, an exit code is wrong, or it took too long.
        """
        began = time.monotonic()
        try:
            self._nodes = [self._start(number) for number in range(NODES)]
            time.sleep(delay_s)  # the random moment itself
            struck = time.monotonic()
            self._blows[blow]()
            for number, node in enumerate(self._nodes):
                if number not in self._gone:
                    self._await(node, number, (0,))
            for number in self._again:
                self._restart(number)
            ended = time.monotonic()
            self._compare()
            return HammerResult(f"{blow} at {delay_s:.2f} s", ended - began, ended - struck)
        finally:
            for node in self._started:
                if node.process.poll() is None:
                    node.kill_all()

    def _start(self, number: int) -> ScoopiProcess:
        folder = self._folder / f"node-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        node = ScoopiProcess(node_arguments(self._grid, self._world, self._run), folder)
        self._started.append(node)
        return node

    # Blows

    def _kill_nodes(self, number: int) -> None:
        for chosen in self._random.sample(range(NODES), number):
            node = self._nodes[chosen]
            workers = node.workers()
            node.signal(signal.SIGKILL)
            self._await(node, chosen, (-signal.SIGKILL, 0))
            if left := orphans(workers):
                raise PromiseBrokenError(f"orphans: {left}")
            self._gone.add(chosen)
            self._again.append(chosen)
            if number > 1:
                time.sleep(self._random.uniform(0, 1.5))  # the random moment of the second
        if self._random.random() < 0.5:
            # It comes back while the others go on or after them, before or after it counts as lost.
            time.sleep(self._random.uniform(0, 6))
            self._restart(self._again.pop())

    def _kill_all_nodes(self) -> None:
        for number, node in enumerate(self._nodes):
            node.signal(signal.SIGKILL)
            self._await(node, number, (-signal.SIGKILL, 0))
        self._nodes = [self._start(number) for number in range(NODES)]

    def _stop_node(self) -> None:
        chosen = self._random.randrange(NODES)
        node = self._nodes[chosen]
        node.signal(signal.SIGTERM)
        # A signal before Scoopi listens, or after its end, meets Python's own ways.
        self._await(node, chosen, (128 + signal.SIGTERM, -signal.SIGTERM, 0), STOP_LIMIT_S)
        if node.process.returncode:
            self._gone.add(chosen)

    def _pause_node(self) -> None:
        node = self._nodes[self._random.randrange(NODES)]
        for pid in (processes := [node.process.pid, *node.workers()]):
            _signal(pid, signal.SIGSTOP)
        time.sleep(GAP_MS / 1000 + self._random.uniform(0.5, 5))  # longer than the gap
        for pid in processes:
            _signal(pid, signal.SIGCONT)

    def _kill_worker(self) -> None:
        if workers := [pid for node in self._nodes for pid in node.workers()]:
            kill(self._random.choice(workers))

    def _kill_member(self) -> None:
        chosen = self._random.randrange(len(self._grid))
        self._grid.kill(chosen)
        time.sleep(self._random.uniform(0, 3))  # the random moment of its return
        self._grid.restart(chosen)

    def _pause_member(self) -> None:
        member = self._grid.pid(self._random.randrange(len(self._grid)))
        _signal(member, signal.SIGSTOP)
        time.sleep(self._random.uniform(1, 14))  # shorter and longer than a call to the store may take
        _signal(member, signal.SIGCONT)

    # Ends

    def _restart(self, number: int) -> None:
        self._await(self._start(number), number, (0,))

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
        lost, doubled = self._world.rows - rows, rows - self._world.rows
        if lost or doubled:
            shown = f"{list(lost)[:3]} {list(doubled)[:3]}"
            raise PromiseBrokenError(f"{lost.total()} rows lost, {doubled.total()} too many: {shown}")

    def _said(self, number: int) -> str:
        return (self._folder / f"node-{number}" / "stderr.txt").read_text()[-3000:]


def node_arguments(
    grid: HammerGrid, world: World, run: str, changes: Mapping[str, object] | None = None
) -> list[str]:
    """The command line of each node of a run, its settings with these changes."""
    options = ["--cluster", grid.address, "--run", run, "--output", "out", "--workers", "1", "-v"]
    settings = {"scoopi.cluster.name": grid.name, **SETTINGS, **(changes or {})}
    given = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
    return ["run", str(world.defs), *options, *given]


def read_nodes_rows(folder: Path, run: str) -> Counter[str]:
    """The union of the published rows of all nodes below a folder."""
    rows: Counter[str] = Counter()
    for file in sorted(folder.glob(f"*/out/{run}/data-*.txt")):
        rows.update(file.read_text(encoding="utf-8").splitlines())
    return rows


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
