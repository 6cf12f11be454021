"""How Scoopi grows: pages a second and memory by workers, pages and requests in flight; prints a table.

`python -m tests.benchmarks.growth [--workload tables|books] [--repeat 3] [--part workers|pages|flight]`
By hand, on a quiet machine: it takes some minutes.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.measured_run import Figures, run_scoopi, served
from tests.benchmarks.workloads import Workload, books, tables

PAGES = 6000
WORKERS = ("0", "1", "2", "4", "8")
SIZES = (2000, 6000, 20_000)
IN_FLIGHT = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class Case:
    """One line of the table."""

    part: str
    pages: int = PAGES
    workers: str = "auto"
    in_flight: int = 32


def main() -> int:
    """Measure every case in turn; the exit code is 1 when rows were missing."""
    options = _options()
    base = Path(tempfile.mkdtemp(prefix="scoopi-growth-"))
    cases = [case for case in _cases() if options.part in (None, case.part)]
    figures: dict[Case, list[Figures]] = {case: [] for case in cases}
    try:
        workload = _workload(options.workload, base / "pages", max(case.pages for case in cases))
        with served(base / "pages") as url:
            for _ in range(options.repeat):
                for case in cases:
                    figures[case].append(_run(workload, case, base / "run", url))
    finally:
        shutil.rmtree(base, ignore_errors=True)
    _print(figures)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.growth", description=__doc__)
    parser.add_argument("--workload", choices=("tables", "books"), default="tables")
    parser.add_argument("--part", choices=("workers", "pages", "flight"))
    parser.add_argument("--repeat", type=int, default=3)
    return parser.parse_args()


def _cases() -> Iterator[Case]:
    yield from (Case("workers", workers=workers) for workers in WORKERS)
    yield from (Case("pages", pages=pages) for pages in SIZES)
    yield from (Case("flight", in_flight=in_flight) for in_flight in IN_FLIGHT)


def _workload(name: str, folder: Path, pages: int) -> Workload:
    folder.mkdir()
    return tables(folder, pages // 3) if name == "tables" else books(folder, pages)


def _run(workload: Workload, case: Case, folder: Path, url: str) -> Figures:
    part = workload.first(case.pages)
    figures, data = run_scoopi(part, folder, url, workers=case.workers, in_flight=case.in_flight)
    with data.open("rb") as lines:
        rows = sum(1 for _ in lines)
    shutil.rmtree(folder)
    if rows != part.rows:
        raise SystemExit(f"{case}: {rows} rows instead of {part.rows}")
    return figures


def _print(figures: dict[Case, list[Figures]]) -> None:
    print("part     workers  in flight   pages  pages/s  us CPU/page  peak MB")
    for case, runs in figures.items():
        rate = statistics.median(case.pages / run.seconds for run in runs)
        cpu = statistics.median(1e6 * run.cpu_s / case.pages for run in runs)
        peak = statistics.median(run.peak_mb for run in runs)
        line = f"{case.part:8} {case.workers:>7} {case.in_flight:>10} {case.pages:>7}"
        print(f"{line} {rate:>8.0f} {cpu:>12.0f} {peak:>8.0f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
