"""Poison: what pages that end or hold their worker cost the pages beside them.

By hand: `python -m tests.reliability.poison [--pages 2000] [--page-s 0.2]`. In some runs a share of the
pages, at random positions, crash their worker or never end. Prints the speed of each run beside that of the
run without such pages; the exit code is 1 when rows differ or a speed is below its bar.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.reliability.process import ScoopiProcess

CRASH, HANG = "os.kill(os.getpid(), signal.SIGSEGV)", "while True: pass"
TIMEOUT_S = 2
PLUGIN = """\
import os
import signal
import time

from scoopi.model.handover import ToTask
from scoopi.steps.step import Step

BAD = frozenset({bad!r})


class Slow(Step):
    def run(self, payload):
        time.sleep({page_s!r})
        if payload.locator.name in BAD:
            {harm}
        return ToTask(payload)
"""


@dataclass(frozen=True, slots=True)
class Poison:
    """A share of the pages does this harm; the run must keep `bar` of its speed."""

    name: str
    harm: str
    share: float
    bar: float


POISONS = (
    Poison("0.5 % crash", CRASH, 0.005, 0.5),
    Poison("2 % crash", CRASH, 0.02, 0.25),
    Poison("1 % never end", HANG, 0.01, 0.25),
)
NONE = Poison("none", "pass", 0.0, 1.0)


class PoisonRun:
    """One run over pages of a file each, in a folder of its own."""

    def __init__(self, folder: Path, pages: int, page_s: float, poison: Poison, seed: int = 1) -> None:
        self._folder = folder
        names = [f"page{number}" for number in range(pages)]
        self.bad = sorted(random.Random(seed).sample(names, round(pages * poison.share)))
        self.good = [name for name in names if name not in set(self.bad)]
        (folder / "defs" / "plugins").mkdir(parents=True)
        (folder / "page.html").write_text("<!doctype html><h1>title</h1>")
        plugin = PLUGIN.format(bad=self.bad, page_s=page_s, harm=poison.harm)
        (folder / "defs" / "plugins" / "slow.py").write_text(plugin)
        (folder / "defs" / "job.yml").write_text(json.dumps(definitions(names)))

    def run(self, *options: object, limit_s: float) -> float:
        """Its seconds; every page has lost what it must lose, and no other row.

        Raises:
            AssertionError: rows or exit code differ.
        """
        words = ["run", "defs", "--workers", "2", "--quiet", "-D", f"scoopi.task.timeout={TIMEOUT_S}"]
        began = time.monotonic()
        running = ScoopiProcess([*words, *map(str, options)], self._folder)
        try:
            code = running.wait(limit_s)
        finally:
            running.kill_all()
        seconds = time.monotonic() - began
        assert code == (1 if self.bad else 0), (self._folder / "stderr.txt").read_text()
        (run,) = (self._folder / "output").glob("[!.l]*")
        rows = Counter((run / "data.txt").read_text().splitlines())
        assert rows == Counter(f"{name}|page|title|title" for name in self.good)
        assert json.loads((run / "run.json").read_text())["jobs"]["failed"] == len(self.bad)
        return seconds


def definitions(names: list[str]) -> dict[str, object]:
    """A locator for each name, all of one file; JSON is YAML."""
    step = {"class": "Slow", "previous": "parser", "next": "filter"}
    title = {"item": {"name": "title", "value": "title"}}
    return {
        "locatorGroups": {
            "page": {"locators": [{"name": name, "url": f"page.html#{name}"} for name in names]}
        },
        "taskGroups": {"page": {"title": {"dataDef": "title", "steps": {"jsoupDefault": {"slow": step}}}}},
        "dataDefs": {"title": {"query": {"block": "body", "selector": "h1"}, "items": [title]}},
    }


def main() -> int:
    """Measure; 0 when all bars are kept."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.poison", description=__doc__)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--page-s", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    plain_s, kept = 0.0, True
    for poison in (NONE, *POISONS):
        with tempfile.TemporaryDirectory() as folder:
            run = PoisonRun(Path(folder), given.pages, given.page_s, poison, given.seed)
            seconds = run.run(limit_s=given.pages * given.page_s * 20 + 120)
        plain_s = plain_s or seconds
        speed = plain_s / seconds
        kept = kept and speed >= poison.bar
        print(
            f"{poison.name:<15} {len(run.bad):4} bad {seconds:7.1f} s {given.pages / seconds:6.1f} pages/s"
            f" {speed:5.2f} of the speed (bar {poison.bar:.2f})",
            flush=True,
        )
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
