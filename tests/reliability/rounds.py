"""Rounds: a run is hit at random times by kills and signals, resumed, and its rows compared.

By hand, with figures: `python -m tests.reliability.rounds --rounds 50 --seed 1`
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tests.engine.flaky_site import FlakySite, each
from tests.reliability.process import ScoopiProcess, kill, orphans
from tests.reliability.world import World, build_world, read_rows
from tests.server.server import Server

ROUND_LIMIT_S = 150.0
STOP_LIMIT_S = 25.0
BLOWS = ("kill parent", "kill worker", "SIGINT", "SIGTERM", "SIGINT twice")


class PromiseBrokenError(AssertionError):
    """A promise was broken; says which."""


@dataclass(slots=True)
class RoundResult:
    """What happened in a round that kept all promises."""

    blows: list[str]
    seconds: float
    slowest_resume_s: float


class Round:
    """One run over a world, hit a few times and finished in the end."""

    def __init__(self, world: World, folder: Path, random_source: random.Random, workers: int) -> None:
        self._world = world
        self._folder = folder
        self._random = random_source
        self._workers = workers
        self._end = time.monotonic() + ROUND_LIMIT_S

    def play(self, blows: Sequence[str], most_delay_s: float) -> RoundResult:
        """Hit the run with each blow at a random time, then finish it.

        Raises:
            PromiseBrokenError: rows are lost or doubled, a code or a process is wrong, or it took too long.
        """
        started = time.monotonic()
        struck = []
        for blow in blows:
            struck.append(self._strike(blow, self._random.uniform(0, most_delay_s)))
        resumed = time.monotonic()
        self._finish()
        ended = time.monotonic()
        self._compare(whole=True)
        return RoundResult(struck, ended - started, ended - resumed)

    def _strike(self, blow: str, delay_s: float) -> str:
        scoopi = self._start()
        try:
            self._await_moment(scoopi, blow, delay_s)
            workers = scoopi.workers()
            said = self._hit(scoopi, blow, workers)
            left = orphans(workers) if said != "kill worker" else []
        except BaseException:
            scoopi.kill_all()
            raise
        if left:
            raise PromiseBrokenError(f"orphans after {blow}: {left}")
        return f"{said} at {delay_s:.2f} s"

    def _await_moment(self, scoopi: ScoopiProcess, blow: str, delay_s: float) -> None:
        time.sleep(delay_s)  # the random moment itself

    def _hit(self, scoopi: ScoopiProcess, blow: str, workers: list[int]) -> str:
        if blow == "kill parent":
            scoopi.signal(signal.SIGKILL)
            self._code(scoopi, (-9, 0))
        elif blow == "kill worker":
            if workers:
                kill(self._random.choice(workers))
            self._code(scoopi, (0,), ROUND_LIMIT_S)
            self._compare(whole=True)
        else:
            self._stop(scoopi, blow)
        return blow

    def _stop(self, scoopi: ScoopiProcess, blow: str) -> None:
        number = signal.SIGTERM if blow == "SIGTERM" else signal.SIGINT
        scoopi.signal(number)
        if blow.endswith("twice"):
            time.sleep(self._random.uniform(0, 0.2))  # the random moment of the second
            scoopi.signal(number)
        # A signal before Scoopi listens, or after its end, meets Python's own ways.
        code = self._code(scoopi, (128 + number, -number, 0, 1), STOP_LIMIT_S)
        if code == 128 + number and not blow.endswith("twice"):
            self._compare(whole=False)

    def _start(self) -> ScoopiProcess:
        options = ["--output", "out", "--workers", str(self._workers), "--quiet"]
        runs = self._runs()
        arguments = ["resume", *options] if runs else ["run", str(self._world.defs), *options]
        return ScoopiProcess(arguments, self._folder)

    def _finish(self) -> None:
        self._code(self._start(), (0,), self._end - time.monotonic())

    def _code(self, scoopi: ScoopiProcess, allowed: Sequence[int], timeout_s: float = 30.0) -> int:
        try:
            code = scoopi.wait(max(1.0, min(timeout_s, self._end - time.monotonic())))
        except BaseException:
            scoopi.kill_all()
            raise PromiseBrokenError(f"{scoopi.arguments[0]} did not end in {timeout_s:.0f} s") from None
        if code not in allowed:
            raise PromiseBrokenError(f"{scoopi.arguments[0]} ended with {code}\n{self._stderr()}")
        return code

    def _runs(self) -> list[Path]:
        found = (path.parent for path in (self._folder / "out").glob("[!.]*/.scoopi"))
        return sorted(path for path in found if not path.is_symlink())

    def _compare(self, whole: bool) -> None:
        runs = self._runs()
        if not runs and not whole:
            return
        if len(runs) != 1:
            raise PromiseBrokenError(f"{len(runs)} runs instead of one: {runs}\n{self._stderr()}")
        if not whole and not (runs[0] / "data.txt").exists():
            return
        rows = read_rows(runs[0])
        lost, doubled = self._world.rows - rows, rows - self._world.rows
        if doubled or (whole and lost):
            shown = f"{list(lost)[:3]} {list(doubled)[:3]}"
            raise PromiseBrokenError(
                f"{lost.total()} rows lost, {doubled.total()} too many: {shown}\n{self._stderr()}"
            )
        reported = msgspec.json.decode((runs[0] / "run.json").read_bytes())
        if reported["rows"] != {"data.txt": rows.total()}:
            raise PromiseBrokenError(
                f"run.json shows of {reported['rows']}, the file has {rows.total()} rows"
            )

    def _stderr(self) -> str:
        return (self._folder / "stderr.txt").read_text()[-4000:]


def play_round(world: World, folder: Path, seed: str, workers: int, most_delay_s: float) -> RoundResult:
    """A round of one to three blows, drawn by the seed, in a folder of its own."""
    source = random.Random(seed)
    folder.mkdir(parents=True)
    blows = [source.choice(BLOWS) for _ in range(source.randint(1, 3))]
    return Round(world, folder, source, workers).play(blows, most_delay_s)


def play_rounds(base: Path, rounds: int, play: Callable[[int, Path], str]) -> bool:
    """Play rounds, print how each went, and keep the folders of those that broke a promise.

    Args:
        base: the folder of all; it is removed if every round was exact.
        play: plays the round of a number in a folder that does not exist yet; what happened, in words.
    Returns:
        Whether all were exact.
    """
    exact = 0
    for number in range(rounds):
        folder = base / f"round-{number}"
        try:
            happened = play(number, folder)
        except Exception as wrong:
            print(f"round {number}: WRONG: {type(wrong).__name__}: {wrong} (kept in {folder})", flush=True)
            continue
        exact += 1
        print(f"round {number}: exact, {happened}", flush=True)
        shutil.rmtree(folder)
    print(f"{exact} of {rounds} exact")
    if exact == rounds:
        shutil.rmtree(base)
    return exact == rounds


def play_blows(base: Path, rounds: int, play: Callable[[int, Path], Counter[str]]) -> bool:
    """As `play_rounds`, for rounds that return how many of each blow met a running run; prints their sums."""
    sums: Counter[str] = Counter()
    began = time.monotonic()

    def played(number: int, folder: Path) -> str:
        landed = play(number, folder)
        sums.update(landed)
        return ", ".join(+landed) or "nothing was hit"

    is_exact = play_rounds(base, rounds, played)
    hits = ", ".join(f"{count} × {blow}" for blow, count in sorted(sums.items()))
    print(f"{time.monotonic() - began:.0f} s; {hits}")
    return is_exact


def main() -> int:
    """Play the rounds; the exit code is 0 when all were exact."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.rounds", description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shelves", type=int, default=500, help="each is a job, with 3 linked ones")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--most-delay", type=float, default=3.0, help="seconds before a blow, at most")
    parser.add_argument("--flaky", type=int, default=0, help="pages of a site whose n-th answers are 503")
    options = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="scoopi-rounds-"))
    if not options.flaky:
        return _play_all(options, base, "")
    os.environ |= {
        "SCOOPI_LOADER_FETCH_DELAY": "1",
        "SCOOPI_RETRY_DELAY": "50",
        "SCOOPI_RETRY_ATTEMPTS": "50",
    }
    with Server(FlakySite(base / "world" / "pages", each(options.flaky))) as server:
        return _play_all(options, base, server.url(""))


def _play_all(options: argparse.Namespace, base: Path, url: str) -> int:
    world = build_world(base / "world", options.shelves, 3, url)
    print(f"{world.jobs} jobs each")

    def play(number: int, folder: Path) -> str:
        seed = f"{options.seed}/{number}"
        result = play_round(world, folder, seed, options.workers, options.most_delay)
        resume = f"resumed in {result.slowest_resume_s:.1f} s"
        return f"{result.seconds:.1f} s, {resume}, {'; '.join(result.blows)}"

    return 0 if play_rounds(base, options.rounds, play) else 1


if __name__ == "__main__":
    sys.exit(main())
