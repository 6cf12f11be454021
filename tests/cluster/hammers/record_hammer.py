"""Record hammer: three nodes write records to files and databases, something is killed at a random time.

By hand, with figures: `python -m tests.cluster.hammers.record_hammer --rounds 50 --seed 1`. Each node has
its own CSV, Parquet and SQLite files, PostgreSQL takes the rows of all; each row stands once in all of them
together.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from tests.cluster.hammers.hammer_grid import HammerGrid
from tests.cluster.hammers.hammer_round import node_arguments
from tests.outputs.postgres_server import PostgresServer
from tests.reliability.process import ScoopiProcess, kill
from tests.reliability.record_world import (
    build_records,
    csv_values,
    parquet_values,
    postgres_values,
    sqlite_values,
)
from tests.reliability.rounds import PromiseBrokenError, play_blows

NODES = 3
PAGES = 400
LIMIT_S = 150.0
NODE, WORKER, DATABASE = "kill node", "kill worker", "kill database"
BLOWS = (NODE, NODE, WORKER, DATABASE)


class RecordHammer:
    """One run over three nodes, each in a folder of its own; plays once."""

    def __init__(
        self, folder: Path, grid: HammerGrid, server: PostgresServer, source: random.Random, pages: int
    ) -> None:
        self._folder = folder
        self._grid = grid
        self._server = server
        self._random = source
        self._url = server.database(f"nodes_{source.getrandbits(60):x}")
        self._world = build_records(folder / "world", pages, self._url)
        self._run = f"records-{source.getrandbits(32):x}"
        self._ended: list[ScoopiProcess] = []
        self._nodes = [self._start(number) for number in range(NODES)]
        self._end = time.monotonic() + LIMIT_S
        self.landed: Counter[str] = Counter()

    def play(self, blow: str, moment: Callable[[], object]) -> None:
        """Wait for the moment, strike, wait for the end, compare.

        Raises:
            PromiseBrokenError: a row is lost or doubled, an exit code is wrong, or it took too long.
        """
        again: list[int] = []
        try:
            moment()
            if blow == NODE:
                again = self._random.sample(range(NODES), self._random.randint(1, 2))
                for number in again:
                    self.landed[blow] += self._nodes[number].process.poll() is None
                    self._nodes[number].signal(signal.SIGKILL)
                    self._await(number, (-9, 0))
            elif blow == WORKER:
                workers = [pid for node in self._nodes for pid in node.workers()]
                self.landed[blow] += bool(workers) and kill(self._random.choice(workers))
            else:
                self.landed[blow] += any(node.process.poll() is None for node in self._nodes)
                self._server.crash(self._random.uniform(0, 2))
            if again and self._random.random() < 0.5:
                self._restart(again)
            for number in range(NODES):
                self._await(number, (0, 5) if blow == DATABASE else (0, -9))
            self._restart(range(NODES) if blow == DATABASE else again)
            for number in range(NODES):
                self._await(number, (0,) if number in again or blow == DATABASE else (0, -9))
            self._compare()
        finally:
            for node in self._nodes:
                if node not in self._ended:
                    node.kill_all()
                    node.wait(10)
            self._grid.forget(self._run)

    def _start(self, number: int) -> ScoopiProcess:
        folder = self._folder / f"node-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        arguments = node_arguments(self._grid, cast(Any, self._world), self._run, None, "out")
        return ScoopiProcess(arguments, folder)

    def _restart(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            if self._nodes[number].process.poll() is not None:
                self._await(number, (0, 5, -9))
                self._nodes[number] = self._start(number)

    def _await(self, number: int, allowed: tuple[int, ...]) -> None:
        node = self._nodes[number]
        if node not in self._ended:
            try:
                node.wait(max(1.0, self._end - time.monotonic()))
            except Exception:
                raise PromiseBrokenError(f"node {number} did not end\n{self._errors(number)}") from None
            self._ended.append(node)
        if node.process.returncode not in allowed:
            code = node.process.returncode
            raise PromiseBrokenError(f"node {number} ended with {code}\n{self._errors(number)}")

    def _compare(self) -> None:
        world, tables = self._world, [*self._folder.glob("node-*/shop-*.db")]
        files = {
            kind: [*self._folder.glob(f"node-*/out/{self._run}/packets-*.{kind}")]
            for kind in ("csv", "parquet")
        }
        details = [*self._folder.glob(f"node-*/out/{self._run}/details-*.csv")]
        wrong = {
            "csv": world.differences(csv_values(files["csv"], "name"), world.packets),
            "parquet": world.differences(parquet_values(files["parquet"], "name"), world.packets),
            "sqlite": world.differences(sqlite_values(tables, "packets", "name"), world.packets),
            "postgresql": world.differences(postgres_values(self._url, "packets", "name"), world.packets),
            "followed csv": world.differences(csv_values(details, "name"), world.details),
            "followed sqlite": world.differences(sqlite_values(tables, "details", "name"), world.details),
            "followed postgresql": world.differences(
                postgres_values(self._url, "details", "name"), world.details
            ),
            "postgresql by key": world.differences(postgres_values(self._url, "kinds", "kind"), world.kinds),
        }
        if found := {name: difference for name, difference in wrong.items() if difference}:
            logs = "\n".join(self._errors(number) for number in range(NODES))
            raise PromiseBrokenError(f"{found}\n{logs}")

    def _errors(self, number: int) -> str:
        return (self._folder / f"node-{number}" / "stderr.txt").read_text()[-3000:]


def main() -> int:
    """Play the rounds; the exit code is 0 when all were exact."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.cluster.hammers.record_hammer", description=__doc__
    )
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=PAGES, help="each has 6 records")
    parser.add_argument("--most-delay", type=float, default=8.0, help="seconds before a blow, at most")
    given = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="scoopi-record-hammer-"))
    logs = tempfile.TemporaryDirectory(prefix="scoopi-members-")
    with logs as folder_of_logs, PostgresServer() as server, HammerGrid(Path(folder_of_logs)) as grid:

        def play(number: int, folder: Path) -> Counter[str]:
            source = random.Random(f"{given.seed}/{number}")
            hammer = RecordHammer(folder, grid, server, source, given.pages)
            delay_s = source.uniform(1.0, given.most_delay)
            hammer.play(source.choice(BLOWS), partial(time.sleep, delay_s))
            return hammer.landed

        return 0 if play_blows(base, given.rounds, play) else 1


if __name__ == "__main__":
    sys.exit(main())
