"""Hammer: rounds of a run over three nodes, in each of which something is killed at a random time.

By hand, with figures: `python -m tests.cluster.hammers.hammer --rounds 100 --seed 1`; with `--proxy` the
nodes reach each member only through a proxy that cuts, drops and delays; with `--store postgresql` a database
keeps the runs, and is killed and paused in place of a member. Half of the rounds load files, half of them
ask a server, so that nodes share its host.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from scoopi.store.runs.run_record import RunPhase
from tests.cluster.hammers.hammer_database import HammerDatabase
from tests.cluster.hammers.hammer_grid import HammerGrid
from tests.cluster.hammers.hammer_round import BLOWS, NO_BLOW, OUTPUTS, HammerResult, HammerRound
from tests.cluster.hammers.hammer_tally import HammerTally
from tests.engine.workspace import wait_until
from tests.reliability.rounds import PromiseBrokenError
from tests.reliability.world import World, build_world
from tests.server.server import Server

HAZELCAST, POSTGRESQL = "hazelcast", "postgresql"
SHELVES, PACKETS = 160, 3
SERVED = 1
REQUESTS_S = 60.0
LONGER, SHORTER = 1.05, 0.8


class Hammer:
    """The worlds and the grid that all rounds use; a `with` ends what it has started.

    Attributes:
        grid: its members, or its database.
    """

    def __init__(
        self,
        base: Path,
        shelves: int = SHELVES,
        proxied: bool = False,
        seed: int = 1,
        output: str = "local",
        store: str = HAZELCAST,
    ) -> None:
        self._base = base
        self._output = output
        self._shelves = shelves
        self._seed = seed
        self.grid: HammerGrid | HammerDatabase = HammerGrid(base, proxied, seed)
        if store == POSTGRESQL:
            self.grid = HammerDatabase(proxied, seed)
        self._stack = ExitStack()
        self._server = Server(base / "served" / "pages")
        self._worlds: list[World] = []
        self._lengths_s: dict[int, float] = {}

    def __enter__(self) -> Hammer:
        files = build_world(self._base / "files", self._shelves, PACKETS)
        self._stack.enter_context(self._server)
        served = build_world(self._base / "served", self._shelves, PACKETS, self._server.url(""))
        self._worlds = [files, served]
        self._stack.enter_context(self.grid)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def jobs(self) -> int:
        """Of one round."""
        return self._worlds[0].jobs

    def folder(self, number: int) -> Path:
        """Where a round's nodes have their folders."""
        return self._base / f"round-{number}"

    def measure(self) -> list[float]:
        """How many seconds an undisturbed round of each world takes: blows fall within them.

        Raises:
            PromiseBrokenError: it was not exact.
        """
        for number in range(len(self._worlds)):
            folder = self._base / f"undisturbed-{number}"
            result = self._play(number, folder, NO_BLOW, lambda: None, random.Random())
            self._lengths_s[number] = result.seconds
        return list(self._lengths_s.values())

    def round(self, number: int, blow: str | None = None) -> HammerResult:
        """Play one, drawn by seed and number; the blow falls within the time that `measure` found.

        A blow after the end shows that rounds have become quicker since, one before it the contrary.

        Raises:
            PromiseBrokenError: a promise was broken; the round's folder shows more.
        """
        source = random.Random(f"{self._seed}/{number}")
        world = source.randrange(len(self._worlds))
        chosen = source.choice(BLOWS)
        delay_s = source.random() * self._lengths_s[world]
        result = self._play(world, self.folder(number), blow or chosen, lambda: time.sleep(delay_s), source)
        self._lengths_s[world] *= LONGER if result.hit else SHORTER
        return result

    def strike(self, number: int, blow: str, requests: int) -> HammerResult:
        """Play one in which the blow falls when nodes have sent `requests` requests to the server.

        Raises:
            PromiseBrokenError: as in `round`.
        """
        asked = len(self._server.log.all())

        def await_requests() -> None:
            wait_until(lambda: len(self._server.log.all()) >= asked + requests, "requests", REQUESTS_S)

        return self._play(SERVED, self.folder(number), blow, await_requests, random.Random(number))

    def _play(
        self, world: int, folder: Path, blow: str, when: Callable[[], None], source: random.Random
    ) -> HammerResult:
        run = f"{folder.name}-{time.time_ns() % 1_000_000}"
        try:
            game = HammerRound(self._worlds[world], self.grid, folder, run, source, self._output)
            result = game.play(blow, when)
        finally:
            phase = self.grid.forget(run)
        if phase is not RunPhase.OVER:
            raise PromiseBrokenError(f"all rows are published, and the run is {phase}: it is never forgotten")
        return result


def main() -> int:
    """Play the rounds; the exit code is 0 when all were exact."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.hammers.hammer", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--blow", choices=BLOWS, help="always this one")
    parser.add_argument("--proxy", action="store_true")
    parser.add_argument("--store", choices=(HAZELCAST, POSTGRESQL), default=HAZELCAST, help="what keeps runs")
    parser.add_argument("--output", choices=OUTPUTS, default="local", help="whose folders the nodes use")
    parser.add_argument("--shelves", type=int, default=SHELVES, help="each is a job, with 3 linked ones")
    options = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="scoopi-hammer-"))
    tally = HammerTally()
    with Hammer(base, options.shelves, options.proxy, options.seed, options.output, options.store) as hammer:
        lengths = ", ".join(f"{length:.1f} s" for length in hammer.measure())
        print(f"{hammer.jobs} jobs a round; undisturbed, of files and of a server: {lengths}", flush=True)
        for number in range(options.first, options.first + options.rounds):
            try:
                result = hammer.round(number, options.blow)
            except Exception as wrong:  # whatever it is, the round is not exact
                tally.wrong()
                print(f"round {number}: WRONG: {wrong!r} (kept in {hammer.folder(number)})", flush=True)
                continue
            print(f"round {number}: {tally.exact(result)}", flush=True)
            shutil.rmtree(hammer.folder(number))
    print(tally.text())
    if tally.is_exact:
        shutil.rmtree(base)
    return 0 if tally.is_exact else 1


if __name__ == "__main__":
    sys.exit(main())
