"""Record rounds: a run with outputs of every kind is hit at random times, resumed, and its rows compared.

By hand, with figures: `python -m tests.reliability.record_rounds --rounds 50 --seed 1`. Parent, worker and
PostgreSQL are killed; in the end each row stands once in CSV, Parquet, SQLite and PostgreSQL.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.outputs.postgres_server import PostgresServer
from tests.reliability.process import ScoopiProcess, kill, orphans
from tests.reliability.record_world import (
    RecordWorld,
    build_records,
    csv_values,
    parquet_values,
    postgres_values,
    sqlite_values,
)
from tests.reliability.rounds import PromiseBrokenError, play_blows

PAGES = 400
ROUND_LIMIT_S = 150.0
PARENT, WORKER, DATABASE = "kill parent", "kill worker", "kill database"
BLOWS = (PARENT, PARENT, WORKER, DATABASE)


class RecordRound:
    """One run in a folder of its own, hit a few times and finished in the end."""

    def __init__(self, folder: Path, server: PostgresServer, source: random.Random, pages: int) -> None:
        self._folder = folder
        self._server = server
        self._random = source
        self._url = server.database(f"round_{source.getrandbits(60):x}")
        self._world: RecordWorld = build_records(folder / "world", pages, self._url)
        self._end = time.monotonic() + ROUND_LIMIT_S
        self.landed: Counter[str] = Counter()

    def play(self, blows: list[str], most_delay_s: float) -> None:
        """Hit the run with each blow at a random time, finish it, compare.

        Raises:
            PromiseBrokenError: a row is lost or doubled, an exit code is wrong, or it took too long.
        """
        for blow in blows:
            self._strike(blow, self._random.uniform(0.2, most_delay_s))
        self._await(self._start(), (0,))
        self._compare()

    def _strike(self, blow: str, delay_s: float) -> None:
        scoopi = self._start()
        try:
            time.sleep(delay_s)  # the random moment itself
            was_running = scoopi.process.poll() is None
            workers = scoopi.workers()
            if blow == PARENT:
                kill(scoopi.process.pid)
                self._await(scoopi, (-9, 0))
                if left := orphans(workers):
                    raise PromiseBrokenError(f"orphans: {left}")
            elif blow == WORKER:
                if workers:
                    kill(self._random.choice(workers))
                self._await(scoopi, (0,))
            else:
                self._server.crash(self._random.uniform(0, 1.5))
                self._await(scoopi, (0, 5))  # 5: it was away when the run began
            self.landed[blow] += was_running
        except BaseException:
            scoopi.kill_all()
            raise

    def _start(self) -> ScoopiProcess:
        options = ["--output", "out", "--workers", "2", "--quiet"]
        arguments = ["run", str(self._world.defs), *options]
        return ScoopiProcess(["resume", *options] if self._runs() else arguments, self._folder)

    def _await(self, scoopi: ScoopiProcess, allowed: tuple[int, ...]) -> None:
        try:
            code = scoopi.wait(max(1.0, self._end - time.monotonic()))
        except Exception:
            raise PromiseBrokenError(f"it did not end\n{self._errors()}") from None
        if code not in allowed:
            raise PromiseBrokenError(f"it ended with {code}\n{self._errors()}")

    def _runs(self) -> list[Path]:
        return sorted(path.parent for path in (self._folder / "out").glob("[!.l]*/.scoopi"))

    def _compare(self) -> None:
        runs = self._runs()
        if len(runs) != 1:
            raise PromiseBrokenError(f"{len(runs)} runs instead of one\n{self._errors()}")
        world, run, tables = self._world, runs[0], [self._folder / "shop.db"]
        wrong = {
            "csv": world.differences(csv_values([run / "packets.csv"], "name"), world.packets),
            "parquet": world.differences(parquet_values([run / "packets.parquet"], "name"), world.packets),
            "sqlite": world.differences(sqlite_values(tables, "packets", "name"), world.packets),
            "postgresql": world.differences(postgres_values(self._url, "packets", "name"), world.packets),
            "followed csv": world.differences(csv_values([run / "details.csv"], "name"), world.details),
            "followed sqlite": world.differences(sqlite_values(tables, "details", "name"), world.details),
            "followed postgresql": world.differences(
                postgres_values(self._url, "details", "name"), world.details
            ),
            "csv by key": world.differences(csv_values([run / "kinds.csv"], "kind"), world.kinds),
            "sqlite by key": world.differences(sqlite_values(tables, "kinds", "kind"), world.kinds),
            "postgresql by key": world.differences(postgres_values(self._url, "kinds", "kind"), world.kinds),
        }
        if found := {name: difference for name, difference in wrong.items() if difference}:
            raise PromiseBrokenError(f"{found}\n{self._errors()}")

    def _errors(self) -> str:
        return (self._folder / "stderr.txt").read_text()[-4000:]


def play_records(
    folder: Path, server: PostgresServer, seed: str, pages: int = PAGES, most_delay_s: float = 2.5
) -> Counter[str]:
    """A round of one to three blows, drawn by the seed; how many of each met a running run."""
    source = random.Random(seed)
    folder.mkdir(parents=True)
    blows = [source.choice(BLOWS) for _ in range(source.randint(1, 3))]
    played = RecordRound(folder, server, source, pages)
    played.play(blows, most_delay_s)
    return played.landed


def main() -> int:
    """Play the rounds; the exit code is 0 when all were exact."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.record_rounds", description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=PAGES, help="each has 6 records")
    parser.add_argument("--most-delay", type=float, default=2.5, help="seconds before a blow, at most")
    given = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="scoopi-records-"))
    with PostgresServer() as server:

        def play(number: int, folder: Path) -> Counter[str]:
            return play_records(folder, server, f"{given.seed}/{number}", given.pages, given.most_delay)

        return 0 if play_blows(base, given.rounds, play) else 1


if __name__ == "__main__":
    sys.exit(main())
