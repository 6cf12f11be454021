"""Tally: the runs of one program over a workload, and the lines that compare several."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from scoopi.model.report.run_report import LOADER
from tests.benchmarks.measured_run import Figures
from tests.benchmarks.workloads import Workload

BARS = {
    ("tables", "scrapy"): 20.0,
    ("tables", "colly"): 0.5,
    ("books", "scrapy"): 12.0,
    ("cards", "scrapy"): 12.0,
    ("cards", "colly"): 0.5,
    ("labels", "scrapy"): 12.0,
    ("labels", "colly"): 0.5,
    ("cards", "scrapy with ItemLoader"): 15.0,
}
"""How many times as fast as a peer Scoopi is to be, at least."""


class Tally:
    """Gathers runs; `is_same` while every run has given the right rows."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_same = True
        self._runs: list[tuple[Figures, int]] = []

    def add(self, figures: Figures, pages: int, *, is_same: bool) -> None:
        """Count a run over this number of pages."""
        self._runs.append((figures, pages))
        self.is_same = self.is_same and is_same

    @property
    def rate(self) -> float:
        """The median of pages a second, from start to end of the process."""
        return statistics.median(pages / figures.seconds for figures, pages in self._runs)

    @property
    def cpu_us(self) -> float:
        """The median of the microseconds of processor time a page, of the process and its children."""
        return statistics.median(1e6 * figures.cpu_s / pages for figures, pages in self._runs)

    @property
    def peak_mb(self) -> float:
        """The most memory of any run."""
        return max(figures.peak_mb for figures, _ in self._runs)

    def times_us(self) -> dict[str, float]:
        """Microseconds a page in each step of the last run, where the program reports them."""
        figures, pages = self._runs[-1]
        return {step: 1e6 * seconds / pages for step, seconds in figures.times.items()}

    def text(self) -> str:
        """Its figures."""
        rows = "" if self.is_same else ", rows DIFFER"
        cpu = f"{self.cpu_us:.0f} us CPU/page"
        return f"{self.name} {self.rate:.0f} pages/s, {cpu}, peak {self.peak_mb:.0f} MB{rows}"


def comparison(workload: Workload, scoopi: Tally, others: Sequence[Tally]) -> str:
    """A line for each program: its figures, how many times as fast Scoopi is, and the bar for that."""
    lines = [f"{workload.name}, {workload.pages} pages, {workload.rows} rows", f"  {scoopi.text()}"]
    for other in others:
        bar = BARS.get((workload.name, other.name))
        wanted = "" if bar is None else f" (bar {bar:g})"
        lines.append(f"  {other.text()}; scoopi is {scoopi.rate / other.rate:.2f} times as fast{wanted}")
    times = scoopi.times_us()
    spent = ", ".join(f"{step} {us:.0f}" for step, us in times.items() if step != LOADER)
    if LOADER in times:
        spent += f"; a page came in {times[LOADER]:.0f}, many at a time"
    return "\n".join([*lines, *([f"  scoopi's us/page in steps: {spent}"] if spent else [])])
