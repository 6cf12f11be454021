"""Browser rounds: runs in browsers are hit at random times, resumed, and their rows and processes looked at.

By hand: `python -m tests.browser.loading.browser_rounds --rounds 20 --seed 1`. Browser, driver, their pool,
worker and parent are killed; in the end each row stands once, and no process and no folder of a browser is
left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.browser.processes import programs_below
from tests.reliability.process import ScoopiProcess, children_of, kill
from tests.reliability.rounds import PromiseBrokenError, play_blows
from tests.server.server import Server

PAGES = 24
"""Enough that a run outlasts the longest delay before a blow."""
MOST_DELAY_S = 2.0
ROUND_LIMIT_S = 240.0
END_S = 15.0
"""How long processes and folders of browsers may stay after a run has ended."""
BROWSER, DRIVER, WORKER, PARENT = "kill browser", "kill driver", "kill worker", "kill parent"
POOL = "kill pool"
BLOWS = (BROWSER, DRIVER, WORKER, PARENT, POOL)
PAGE = b"""<p>wait</p><script>setTimeout(() => document.body.insertAdjacentHTML('beforeend',
`<table id=prices><tr><td>${location.pathname}</table>`), 150)</script>"""
DEFS = """
locatorGroups: {{ bread: [ {urls} ] }}
taskGroups:
  bread:
    loader: browser
    browser: {{ until: {{ selector: "#prices" }} }}
    task: {{ dataDef: prices }}
dataDefs: {{ prices: {{ each: "#prices tr", fields: {{ path: td }} }} }}
"""
SETTINGS = {
    "scoopi.loader.fetch.delay": 0,
    "scoopi.loader.fetch.parallelism": 4,
    "scoopi.loader.robots": "false",
    "scoopi.retry.attempts": 20,
    "scoopi.retry.delay": 100,
    "scoopi.retry.factor": 1,
}


class BrowserRound:
    """One run in a folder of its own, hit a few times and finished in the end.

    Args:
        folder: empty; the folders of its browsers are in it too.
    """

    def __init__(self, folder: Path, server: Server, source: random.Random, pages: int) -> None:
        self._folder = folder
        self._random = source
        self._paths = [f"/{number}" for number in range(pages)]
        self._temporary = folder / "t"
        self._temporary.mkdir(parents=True)
        urls = ", ".join(f'"{server.url(path)}"' for path in self._paths)
        (folder / "defs.yml").write_text(DEFS.format(urls=urls))
        self._end = time.monotonic() + ROUND_LIMIT_S
        self.landed: Counter[str] = Counter()

    def play(self, blows: list[str], most_delay_s: float) -> None:
        """Hit the run with each blow at a random time, finish it, compare.

        Raises:
            PromiseBrokenError: a row is lost or doubled, an exit code is wrong, something is left, or it took
                too long.
        """
        for blow in blows:
            self._strike(blow, self._random.uniform(0.0, most_delay_s))
        self._await(self._start(), (0,))
        self._compare()

    def _strike(self, blow: str, delay_s: float) -> None:
        scoopi = self._start()
        try:
            self._await_victim(blow, scoopi)
            time.sleep(delay_s)  # the random moment itself
            victims = self._victims(blow, scoopi.process.pid)
            if victims and scoopi.process.poll() is None:
                kill(self._random.choice(victims))
                self.landed[blow] += 1
            self._await(scoopi, (-9, 0) if blow == PARENT else (0,))
            self._ensure_nothing_left()
        except BaseException:
            scoopi.kill_all()
            raise

    def _await_victim(self, blow: str, scoopi: ScoopiProcess) -> None:
        """Wait until there is a process that the blow can hit, or the run is over; most of a run has none."""
        while scoopi.process.poll() is None and time.monotonic() < self._end:
            if self._victims(blow, scoopi.process.pid):
                return
            time.sleep(0.02)  # there is no event for the start of another's child

    def _victims(self, blow: str, parent: int) -> list[int]:
        if blow == PARENT:
            return [parent]
        if blow == WORKER:
            return [pid for pid in children_of(parent) if b"scoopi.worker" in _command(pid)]
        if blow == POOL:
            above = [pid for pid in children_of(parent) if b"scoopi.browser" in _command(pid)]
            return above + [pid for each in above for pid in children_of(each)]
        return [*programs_below(parent, "chromedriver" if blow == DRIVER else "chromium")]

    def _start(self) -> ScoopiProcess:
        options = ["--output", "out", "--workers", "2", "--quiet"]
        options += [word for key, value in SETTINGS.items() for word in ("-D", f"{key}={value}")]
        os.environ["TMPDIR"] = str(self._temporary)
        try:
            arguments = ["run", "defs.yml", *options]
            return ScoopiProcess(["resume", *options] if self._runs() else arguments, self._folder)
        finally:
            del os.environ["TMPDIR"]

    def _await(self, scoopi: ScoopiProcess, allowed: tuple[int, ...]) -> None:
        try:
            code = scoopi.wait(max(1.0, self._end - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise PromiseBrokenError(f"it did not end\n{self._errors()}") from None
        if code not in allowed:
            raise PromiseBrokenError(f"it ended with {code}\n{self._errors()}")

    def _ensure_nothing_left(self) -> None:
        ends = time.monotonic() + END_S
        while (left := self._left()) and time.monotonic() < ends:
            time.sleep(0.1)  # there is no event for the end of another's child
        if left:
            raise PromiseBrokenError(f"left behind: {left}\n{self._errors()}")

    def _left(self) -> list[str]:
        """Processes that name the folder of the browsers, and what is in it."""
        named = os.fsencode(self._temporary)
        pids = [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        found = [f"process {pid}" for pid in pids if named in _command(int(pid))]
        return found + [str(each) for each in self._temporary.glob("scoopi-browsers-*")]

    def _runs(self) -> list[Path]:
        return sorted(path.parent for path in (self._folder / "out").glob("[!.l]*/.scoopi"))

    def _compare(self) -> None:
        self._ensure_nothing_left()
        runs = self._runs()
        if len(runs) != 1:
            raise PromiseBrokenError(f"{len(runs)} runs instead of one\n{self._errors()}")
        rows = [json.loads(line)["path"] for line in (runs[0] / "prices.jsonl").read_text().splitlines()]
        if sorted(rows) != sorted(self._paths):
            raise PromiseBrokenError(f"rows {sorted(rows)}\n{self._errors()}")

    def _errors(self) -> str:
        return (self._folder / "stderr.txt").read_text()[-4000:]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def play_browsers(
    folder: Path, server: Server, seed: str, pages: int = PAGES, most_delay_s: float = MOST_DELAY_S
) -> Counter[str]:
    """A round of one to three blows, drawn by the seed; how many of each met a running run.

    One of them is always the parent, whose end leaves all others without anyone who ends them.
    """
    source = random.Random(seed)
    others = [blow for blow in BLOWS if blow != PARENT]
    blows = [PARENT, *source.sample(others, source.randint(0, 2))]
    source.shuffle(blows)
    played = BrowserRound(folder, server, source, pages)
    played.play(blows, most_delay_s)
    return played.landed


def main() -> int:
    """Play the rounds; the exit code is 0 when all were exact."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.browser.loading.browser_rounds", description=__doc__
    )
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument(
        "--most-delay", type=float, default=MOST_DELAY_S, help="seconds before a blow, at most"
    )
    given = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="s-"))
    with Server(lambda path: PAGE) as server:

        def play(number: int, folder: Path) -> Counter[str]:
            return play_browsers(folder, server, f"{given.seed}/{number}", given.pages, given.most_delay)

        return 0 if play_blows(base, given.rounds, play) else 1


if __name__ == "__main__":
    sys.exit(main())
