"""One page in memory: `scoopi.extract` beside a hand-written lxml loop with the same rows; prints a line.

`python -m tests.benchmarks.rows.extract [--repeat 30] [--bar 1.5]`: both begin with the bytes of a page of
*tables*; medians of processor time, in turn; the exit code is 1 when rows differ or the bar is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lxml import html

from scoopi import extract
from tests.benchmarks.workloads import tables, write_definitions

PAGES_A_TURN = 200
URL = "http://127.0.0.1/c0t1.html"
Rows = list[tuple[str | None, ...]]


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.rows.extract", description=__doc__)
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--bar", type=float, default=1.5, help="the greatest ratio that is good")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workload = tables(Path(folder), 1)
        defs = write_definitions(workload, Path(folder) / "defs", "http://127.0.0.1")
        page = (Path(folder) / "c0t1.html").read_bytes()
        same = of_scoopi(defs, page) == by_hand(page)
        ours, theirs = in_turn(
            lambda: of_scoopi(defs, page), lambda: by_hand(page), options.repeat, PAGES_A_TURN
        )
    ratio = ours / theirs
    line = (
        f"extract: scoopi.extract {ours:.0f} us, a hand-written lxml loop {theirs:.0f} us, ratio {ratio:.2f}"
    )
    print(f"{line} (bar {options.bar}); a page of {len(page)} bytes; rows {'equal' if same else 'DIFFER'}")
    return 0 if same and ratio <= options.bar else 1


def of_scoopi(defs: Path, page: bytes) -> Rows:
    """As an embedding program calls it, page after page."""
    return list(extract(defs, page, URL, group="table"))


def by_hand(page: bytes) -> Rows:
    """As one writes it for this page, for speed."""
    table: Any = html.fromstring(page).find(".//table[@id='figures']")
    head, *lines = table.findall("tr")
    years = [cell.text for cell in head][1:]
    rows: Rows = []
    for line in lines:
        name, *values = [cell.text for cell in line]
        for year, value in zip(years, values, strict=True):
            rows.append(("table", "table", name, year, value))
    return rows


def in_turn(
    one: Callable[[], object], other: Callable[[], object], repeat: int, calls: int
) -> tuple[float, float]:
    """The medians of the microseconds that a call of each takes of the processor."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeat):
        for call, taken in zip((one, other), times, strict=True):
            started = time.process_time()
            for _ in range(calls):
                call()
            taken.append(1e6 * (time.process_time() - started) / calls)
    return statistics.median(times[0]), statistics.median(times[1])


if __name__ == "__main__":
    sys.exit(main())
