"""Processor time of each thread of the parent and of its workers, per page of a workload.

`python -m tests.benchmarks.runs.thread_times [--workload tables] [--pages 15000]`
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

from scoopi.__main__ import program
from tests.benchmarks.measured_run import run_scoopi, served
from tests.benchmarks.workloads import Workload, books, cards, labels, tables

WORKLOADS = {"tables": tables, "books": books, "cards": cards, "labels": labels}
MODULE = "tests.benchmarks.runs.thread_times"
MAIN = "main"
WORKERS = "workers"
RECORD = "--record"


def main() -> int:
    """Measure one run, and print the microseconds a page, the largest first."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.runs.thread_times", description=__doc__)
    parser.add_argument("--workload", choices=tuple(WORKLOADS), default="tables")
    parser.add_argument("--pages", type=int, default=15_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scoopi-benchmark-") as folder:
        pages = Path(folder) / "pages"
        pages.mkdir()
        number = options.pages // 3 if options.workload == "tables" else options.pages
        workload = WORKLOADS[options.workload](pages, number)
        with served(pages) as url:
            times = thread_times(workload, Path(folder) / "run", url)
    for name, seconds in sorted(times.items(), key=lambda each: -each[1]):
        print(f"{name:20} {1e6 * seconds / workload.pages:6.0f} us a page")
    return 0


def thread_times(workload: Workload, folder: Path, url: str, workers: str = "auto") -> dict[str, float]:
    """Seconds of processor time in one run, by name of the parent's thread, and of all workers."""
    record = folder.with_suffix(".json")
    run_scoopi(workload, folder, url, workers=workers, program=(MODULE, RECORD, str(record)))
    times: dict[str, float] = json.loads(record.read_text())
    return times


def recorded(record: Path) -> int:
    """Run Scoopi's command line in this process, and write what its threads have used."""
    used: defaultdict[str, float] = defaultdict(float)
    run = threading.Thread.run

    def timed(thread: threading.Thread) -> None:
        try:
            run(thread)
        finally:
            used[thread.name] += time.thread_time()

    threading.Thread.run = timed  # type: ignore[method-assign,assignment]
    code = program()
    used[MAIN] = time.thread_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    used[WORKERS] = children.ru_utime + children.ru_stime
    record.write_text(json.dumps(used))
    return code


if __name__ == "__main__":
    if sys.argv[1:2] == [RECORD]:
        record_file = Path(sys.argv[2])
        del sys.argv[1:3]
        sys.exit(recorded(record_file))
    sys.exit(main())
