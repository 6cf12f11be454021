"""Measures what being a cluster costs: `python -m tests.cluster.measure_nodes [--pages 3000] [--repeat 3]`.

The *tables* workload on one machine, on one node with one member, and on two nodes with one member, in
turn; with 2 worker processes in all. Prints pages/s, their ratios, and the store's calls per 1,000 jobs.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scoopi.app import Scoopi
from scoopi.store.cluster.call_pipeline import CallPipeline
from tests.benchmarks.measured_run import ROOT, served
from tests.benchmarks.workloads import Workload, tables, write_definitions
from tests.cluster.grids import members, settings_of

POLITENESS = {"scoopi.loader.fetch.delay": "0", "scoopi.loader.fetch.parallelism": "32"}
LIMIT_S = 600.0


class NodesMeasure:
    """One workload and one member for all runs."""

    def __init__(self, workload: Workload, defs: Path, folder: Path, cluster: dict[str, str]) -> None:
        self._workload = workload
        self._defs = defs
        self._folder = folder
        self._cluster = cluster
        self._runs = 0

    def pages_a_second(self, nodes: int) -> float:
        """Of a number of nodes, each with its part of 2 workers; 0: of a run on one machine.

        Raises:
            SystemExit: a node ended badly, or rows are lost or doubled.
        """
        self._runs += 1
        settings = {**POLITENESS, **(self._cluster if nodes else {})}
        given = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
        given += ["--run", f"run-{self._runs}"] if nodes else []
        given += ["--workers", str(2 // (nodes or 1)), "--quiet"]
        folder = self._folder / f"run-{self._runs}"
        command = [sys.executable, "-m", "scoopi", "run", str(self._defs), "--output", str(folder), *given]
        began = time.monotonic()
        processes = [subprocess.Popen(command, cwd=ROOT) for _ in range(nodes or 1)]
        codes = [process.wait(LIMIT_S) for process in processes]
        seconds = time.monotonic() - began
        rows = sum(len(file.read_text().splitlines()) for file in folder.glob("*/data*.txt"))
        if any(codes) or rows != self._workload.rows:
            raise SystemExit(f"{nodes} nodes ended with {codes} and {rows} of {self._workload.rows} rows")
        return self._workload.pages / seconds

    def calls(self) -> Counter[str]:
        """The store's calls and bursts of a run on one node, in this process."""
        self._runs += 1
        with counted() as counts:
            settings = {**POLITENESS, **self._cluster}
            output = self._folder / f"run-{self._runs}"
            Scoopi(self._defs, settings, output=output, environ={}, run_name=f"run-{self._runs}").run()
        return counts


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Counts what goes to the grid while the block runs."""
    counts: Counter[str] = Counter()
    answers = CallPipeline.answers

    def counting(pipeline: CallPipeline, what: str, calls: object) -> list[object]:
        found = answers(pipeline, what, calls)  # type: ignore[arg-type]
        counts["calls"] += len(found)
        counts["bursts"] += 1
        counts[what] += len(found)
        return found

    CallPipeline.answers = counting  # type: ignore[method-assign,assignment]
    try:
        yield counts
    finally:
        CallPipeline.answers = answers  # type: ignore[method-assign]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.measure_nodes", description=__doc__)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, members(Path(name)) as started:
        folder = Path(name)
        (folder / "pages").mkdir()
        workload = tables(folder / "pages", options.pages // 3)
        reached = settings_of(started)
        cluster = {
            "scoopi.cluster.addresses": ",".join(reached.addresses),
            "scoopi.cluster.name": reached.name,
        }
        with served(folder / "pages") as url:
            defs = write_definitions(workload, folder / "defs", url)
            measure = NodesMeasure(workload, defs, folder / "runs", cluster)
            rates: dict[int, list[float]] = {0: [], 1: [], 2: []}
            for _ in range(options.repeat):
                for nodes, found in rates.items():
                    found.append(measure.pages_a_second(nodes))
            calls = measure.calls()
    solo, one, two = (statistics.median(found) for found in rates.values())
    print(f"solo {solo:.0f} pages/s; one node {one:.0f}, {one / solo:.2f} of solo; two nodes {two:.0f}, ")
    print(f"{two / one:.2f} of one; a thousand jobs on one node, store's calls:")
    for what, number in calls.most_common():
        print(f"  {what:24} {1000 * number / workload.pages:8.0f}")


if __name__ == "__main__":
    main()
