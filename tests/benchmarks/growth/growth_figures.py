"""GrowthFigures: what was measured of Scoopi's growth, as it is kept beside its plot."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tests.benchmarks.measured_run import Figures

KEPT = Path(__file__).resolve().parent / "figures" / "growth.json"


class Case(msgspec.Struct, frozen=True):
    """What is run; `part` says which of its values is varied."""

    part: str
    pages: int = 6000
    workers: str = "auto"
    in_flight: int = 32
    nodes: int = 0


class Line(msgspec.Struct, frozen=True):
    """The medians of a case's runs; zeros where processor time and memory were not measured."""

    case: Case
    pages_s: float
    cpu_us: float
    peak_mb: float

    @classmethod
    def of(cls, case: Case, runs: Sequence[Figures]) -> Line:
        """From its runs, at least one."""
        return cls(
            case,
            round(statistics.median(case.pages / run.seconds for run in runs), 1),
            round(statistics.median(1e6 * run.cpu_s / case.pages for run in runs), 1),
            round(statistics.median(run.peak_mb for run in runs), 1),
        )


class Machine(msgspec.Struct, frozen=True):
    """Where and under which load figures were taken."""

    cores: int
    load: float
    python: str


class GrowthFigures(msgspec.Struct, frozen=True):
    """A whole measurement, with the machine before and after it."""

    workload: str
    before: Machine
    after: Machine
    lines: tuple[Line, ...]

    def part(self, name: str) -> list[Line]:
        """The lines in which this was varied."""
        return [line for line in self.lines if line.case.part == name]

    def table(self) -> str:
        """For people."""
        rows = [
            f"{self.workload}, {self.before.cores} cores, load {self.before.load:.1f} before the first run"
        ]
        rows.append("part     workers  in flight  nodes   pages  pages/s  us CPU/page  peak MB")
        for line in self.lines:
            case = line.case
            what = f"{case.part:8} {case.workers:>7} {case.in_flight:>10} {case.nodes:>6} {case.pages:>7}"
            watched = f"{line.cpu_us:>12.0f} {line.peak_mb:>8.0f}" if line.peak_mb else f"{'-':>12} {'-':>8}"
            rows.append(f"{what} {line.pages_s:>8.0f} {watched}")
        return "\n".join(rows)

    def save(self, file: Path) -> None:
        """Write them; lines of parts that were not measured now stay as they were."""
        kept = GrowthFigures.load(file).lines if file.exists() else ()
        parts = {line.case.part for line in self.lines}
        lines = (*self.lines, *(line for line in kept if line.case.part not in parts))
        file.parent.mkdir(exist_ok=True)
        whole = GrowthFigures(self.workload, self.before, self.after, lines)
        file.write_bytes(msgspec.json.format(msgspec.json.encode(whole)) + b"\n")

    @classmethod
    def load(cls, file: Path) -> GrowthFigures:
        """As saved."""
        return msgspec.json.decode(file.read_bytes(), type=cls)


def machine() -> Machine:
    """This one, now."""
    return Machine(os.cpu_count() or 1, round(os.getloadavg()[0], 1), platform.python_version())
