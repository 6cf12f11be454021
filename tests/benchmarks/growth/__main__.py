"""How Scoopi grows: pages a second and memory by workers, pages, requests in flight, nodes; prints a table.

`python -m tests.benchmarks.growth [--workload tables|books] [--repeat 3] [--part workers|pages|flight|nodes]`
By hand, on a quiet machine: it takes half an hour. `--save` keeps the figures where `plot` finds them.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.benchmarks.growth.growth_figures import KEPT, Case, GrowthFigures, Line, machine
from tests.benchmarks.measured_run import Figures, run_scoopi, served
from tests.benchmarks.workloads import Workload, books, tables, write_definitions

WORKERS = ("0", "1", "2", "4", "8")
WORKERS_PAGES = 15_000
"""Enough pages that the start of eight processes is a small part of the time."""
SIZES = (2000, 6000, 20_000, 60_000, 200_000)
IN_FLIGHT = (1, 2, 4, 8, 16, 32, 64)
NODES = (0, 1, 2)
NODES_PAGES = 15_000
"""A cluster takes some thousand pages to be as fast as it will be: the JVM compiles."""
PARTS = ("workers", "pages", "flight", "nodes")
DISTINCT_PAGES = 6000
ONCE_FROM = 60_000
"""From this number of pages on, a run takes minutes: one has to do."""


def main() -> int:
    """Measure every case in turn; a run that lost rows ends it."""
    options = _options()
    base = Path(tempfile.mkdtemp(prefix="scoopi-growth-"))
    (base / "pages").mkdir()
    cases = [case for case in _cases(options.most_pages) if case.part in (options.part or PARTS)]
    before = machine()
    try:
        workload = _workload(options.workload, base / "pages")
        with served(base / "pages") as url:
            lines = measure(cases, options.repeat, lambda case: _run(workload, case, base / "run", url))
            if "nodes" in (options.part or PARTS):
                lines += _nodes_lines(workload, options.repeat, base, url)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    figures = GrowthFigures(options.workload, before, machine(), tuple(lines))
    print(figures.table(), flush=True)
    if options.save:
        figures.save(KEPT)
    return 0


def measure(cases: Sequence[Case], repeat: int, run: Callable[[Case], Figures]) -> list[Line]:
    """The medians of each case, cases in turn."""
    runs: dict[Case, list[Figures]] = {case: [] for case in cases}
    for turn in range(repeat):
        for case in cases:
            if turn == 0 or case.pages < ONCE_FROM:
                runs[case].append(run(case))
    return [Line.of(case, figures) for case, figures in runs.items()]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.growth", description=__doc__)
    parser.add_argument("--workload", choices=("tables", "books"), default="tables")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this one; may be repeated")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--most-pages", type=int, default=SIZES[-1], help="leave larger runs out")
    parser.add_argument("--save", action="store_true", help=f"keep the figures in {KEPT.name}")
    return parser.parse_args()


def _cases(most_pages: int) -> Iterator[Case]:
    yield from (Case("workers", pages=WORKERS_PAGES, workers=workers) for workers in WORKERS)
    yield from (Case("pages", pages=pages) for pages in SIZES if pages <= most_pages)
    yield from (Case("flight", in_flight=in_flight) for in_flight in IN_FLIGHT)


def _workload(name: str, folder: Path) -> Workload:
    return tables(folder, DISTINCT_PAGES // 3) if name == "tables" else books(folder, DISTINCT_PAGES)


def _run(workload: Workload, case: Case, folder: Path, url: str) -> Figures:
    part = workload.repeated(case.pages)
    figures, data = run_scoopi(part, folder, url, workers=case.workers, in_flight=case.in_flight)
    with data.open("rb") as lines:
        rows = sum(1 for _ in lines)
    shutil.rmtree(folder)
    if rows != part.rows:
        raise SystemExit(f"{case}: {rows} rows instead of {part.rows}")
    return figures


def _nodes_lines(workload: Workload, repeat: int, base: Path, url: str) -> list[Line]:
    """No cluster, then nodes of a cluster of one member, in turn, with two workers in all."""
    from tests.cluster.grids import members, settings_of
    from tests.cluster.measure_nodes import NodesMeasure

    part, folder = workload.repeated(NODES_PAGES), base / "nodes"
    folder.mkdir()
    defs = write_definitions(part, folder / "defs", url)
    with members(folder) as started:
        reached = settings_of(started)
        settings = {
            "scoopi.cluster.addresses": ",".join(reached.addresses),
            "scoopi.cluster.name": reached.name,
        }
        measured = NodesMeasure(part, defs, folder / "runs", settings)
        cases = [Case("nodes", NODES_PAGES, str(2 // (nodes or 1)), nodes=nodes) for nodes in NODES]
        return measure(cases, repeat, lambda case: _unwatched(measured.pages_a_second(case.nodes)))


def _unwatched(pages_s: float) -> Figures:
    """Of several processes, whose processor time and memory nobody has added up."""
    return Figures(NODES_PAGES / pages_s, 0.0, 0.0)


if __name__ == "__main__":
    sys.exit(main())
