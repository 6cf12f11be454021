"""Hammer: rounds of a run over three nodes, in each of which something is killed at a random time.

By hand, with figures: `python -m tests.cluster.hammer --rounds 100 --seed 1`; with `--proxy` the nodes
reach their member only through a proxy that cuts, drops and delays. Half of the rounds load files, half
of them ask a server, so that nodes share its host.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.cluster.hammer_grid import HammerGrid
from tests.cluster.hammer_round import BLOWS, MEMBER_BLOWS, HammerResult, HammerRound
from tests.reliability.rounds import PromiseBrokenError
from tests.reliability.world import World, build_world
from tests.server.server import Server

SHELVES, PACKETS = 160, 3


class Hammer:
    """The worlds and the grid that all rounds use; a `with` ends what it has started.

    Attributes:
        grid: its members.
    """

    def __init__(self, base: Path, shelves: int = SHELVES, proxied: bool = False, seed: int = 1) -> None:
        self._base = base
        self._shelves = shelves
        self._seed = seed
        self.grid = HammerGrid(base, proxied, seed)
        self._stack = ExitStack()
        self._worlds: list[World] = []

    def __enter__(self) -> Hammer:
        files = build_world(self._base / "files", self._shelves, PACKETS)
        server = self._stack.enter_context(Server(self._base / "served" / "pages"))
        served = build_world(self._base / "served", self._shelves, PACKETS, server.url(""))
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

    def round(self, number: int, most_delay_s: float, blow: str | None = None) -> HammerResult:
        """Play one, drawn by seed and number.

        Raises:
            PromiseBrokenError: a promise was broken; the round's folder tells more.
        """
        source = random.Random(f"{self._seed}/{number}")
        world = source.choice(self._worlds)
        blows = [each for each in BLOWS if each not in MEMBER_BLOWS or len(self.grid)]
        chosen = blow or source.choice(blows)
        run = f"round-{number}-{time.time_ns() % 1_000_000}"
        game = HammerRound(world, self.grid, self.folder(number), run, source)
        try:
            return game.play(chosen, source.uniform(0, most_delay_s))
        finally:
            self.grid.forget(run)


def main() -> int:
    """Play the rounds; the exit code is 0 when all were exact."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.hammer", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--blow", choices=BLOWS, help="always this one")
    parser.add_argument("--proxy", action="store_true")
    parser.add_argument("--shelves", type=int, default=SHELVES, help="each is a job, with 3 linked ones")
    parser.add_argument("--most-delay", type=float, default=8.0, help="seconds before the blow, at most")
    options = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="scoopi-hammer-"))
    exact, slowest = 0, 0.0
    with Hammer(base, options.shelves, options.proxy, options.seed) as hammer:
        for number in range(options.first, options.first + options.rounds):
            try:
                result = hammer.round(number, options.most_delay, options.blow)
            except PromiseBrokenError as wrong:
                print(f"round {number}: WRONG: {wrong} (kept in {hammer.folder(number)})", flush=True)
                continue
            exact += 1
            slowest = max(slowest, result.recovery_s)
            print(f"round {number}: exact, {result.seconds:.1f} s, {result.blow}", flush=True)
            shutil.rmtree(hammer.folder(number))
        print(f"{exact} of {options.rounds} exact, {hammer.jobs} jobs each, slowest recovery {slowest:.1f} s")
    if exact == options.rounds:
        shutil.rmtree(base)
    return 0 if exact == options.rounds else 1


if __name__ == "__main__":
    sys.exit(main())
