"""Fuzz: feeds the parser with broken pages in a child process, and says which page broke it.

By hand, with figures: `python -m tests.parse.fuzz --inputs 1000000 --seed 1`
A page is made from the seed and its number: `--first NUMBER --inputs 1` gives it again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing.context import SpawnProcess
from pathlib import Path

from tests.parse.fuzz_feed import FeedMarks, FeedPlan, feed, keep
from tests.parse.fuzz_pages import FuzzPages

_PATIENCE_S = 60.0
_LOOK_S = 0.5


@dataclass(slots=True)
class FuzzReport:
    """What came of it.

    Attributes:
        deaths: pages at which the process died or stood still, with how.
        faults: pages for which the gears differ or an error other than ParseError came.
        refused: pages that ended in ParseError, as they may.
        grown_kb: memory that the last process had gained since its first thousand pages.
    """

    inputs: int = 0
    seconds: float = 0.0
    deaths: list[str] = field(default_factory=list)
    faults: int = 0
    refused: int = 0
    grown_kb: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not self.deaths and not self.faults

    def text(self) -> str:
        """Lines for people."""
        pace = self.inputs / self.seconds if self.seconds else 0.0
        figures = f"{self.inputs:,} inputs in {self.seconds:.0f} s ({pace:,.0f} a second)"
        found = f"{len(self.deaths)} deaths, {self.faults} faults, {self.refused:,} refused"
        return "\n".join([f"{figures}: {found}; memory grew by {self.grown_kb:,} KB", *self.deaths])


class Fuzz:
    """Watches the process that feeds; one that dies is followed by another, from the next page on.

    Args:
        feeder: runs in the child.
        patience_s: the longest time that one page may take.
    """

    def __init__(
        self,
        plan: FeedPlan,
        feeder: Callable[[FeedPlan, FeedMarks], None] = feed,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._plan = plan
        self._feeder = feeder
        self._patience_s = patience_s
        self._spawning = multiprocessing.get_context("spawn")
        self.marks = FeedMarks(*(self._spawning.Value("q", 0) for _ in range(4)))

    def run(self, told: Callable[[str], object] = len) -> FuzzReport:
        """Feed all pages.

        Args:
            told: is given a line a minute.
        """
        report, plan, started = FuzzReport(), self._plan, time.monotonic()
        while plan.first < plan.end:
            death = self._round(plan, told)
            if death:
                report.deaths.append(self._kept(death))
            plan = replace(plan, first=self.marks.at.value + 1)
        report.inputs = self._plan.end - self._plan.first
        report.seconds = time.monotonic() - started
        report.faults, report.refused = self.marks.faults.value, self.marks.refused.value
        report.grown_kb = self.marks.grown_kb.value
        return report

    def _round(self, plan: FeedPlan, told: Callable[[str], object]) -> str:
        """One process; how it died, or "" when it came to the end."""
        self.marks.at.value = -1
        process = self._spawning.Process(target=self._feeder, args=(plan, self.marks), daemon=True)
        process.start()
        stuck = self._watched(process, told)
        if stuck:
            process.kill()
        process.join()
        if self.marks.at.value < 0:
            self.marks.at.value = plan.first
        if stuck:
            return f"took more than {self._patience_s:g} s"
        if self.marks.at.value == plan.end:
            return ""
        code = process.exitcode or 0
        return f"died of {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"

    def _watched(self, process: SpawnProcess, told: Callable[[str], object]) -> bool:
        """Until the process ends; True when it stands still at a page instead."""
        at, since, last_told = -2, time.monotonic(), time.monotonic()
        while process.is_alive():
            process.join(_LOOK_S)
            now = time.monotonic()
            if self.marks.at.value != at:
                at, since = self.marks.at.value, now
            elif now - since > (self._patience_s if 0 <= at < self._plan.end else _PATIENCE_S):
                return True
            if now - last_told > 60:
                told(f"at {at:,}, {self.marks.faults.value} faults")
                last_told = now
        return False

    def _kept(self, death: str) -> str:
        number, plan = self.marks.at.value, self._plan
        keep(plan.folder, plan.seed, number, FuzzPages(plan.seed).page(number), death)
        return f"page {number}: {death}; kept in {plan.folder}/{plan.seed}-{number}.html"


def main() -> int:
    """Feed as many pages as asked for; 1 when something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.parse.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--walk-every", type=int, default=50)
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="folder for pages with a fault")
    options = parser.parse_args()
    end = options.first + options.inputs
    plan = FeedPlan(options.seed, options.first, end, options.walk_every, options.keep)
    report = Fuzz(plan).run(lambda line: print(line, file=sys.stderr, flush=True))
    print(report.text())
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
