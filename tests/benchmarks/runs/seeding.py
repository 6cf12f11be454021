"""Seeding: how fast the pages of one locator with a range, or a file, become jobs, and in how much memory.

By hand: `python -m tests.benchmarks.runs.seeding [--pages 1000000] [--rows]`; the exit code is 1 when a bar
is missed. The store is that of one machine; `tests.cluster.measure_grid` measures a member.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

from scoopi.defs.scrape.defs_reader import read_definitions
from scoopi.engine.job_seeder import JobSeeder, SeedCalls
from scoopi.runs.composed import packed_locators, unpacked_locators
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.runs.run_record import RunRecord
from scoopi.store.solo.sqlite_store import SqliteStore

PAGES_A_SECOND = 20_000
MEGABYTES = 150
ROWS = """\
locatorGroups: {{ day: {{ from: {file}, url: "https://{shops}.example/page/%{{n}}?shop=%{{shop}}" }} }}
taskGroups: {{ day: {{ rows: {{ dataDef: rows }} }} }}
dataDefs: {{ rows: {{ each: li, fields: {{ name: b }} }} }}
"""
DEFINITIONS = """\
locatorGroups:
  day: {{ locators: [ {{ name: "p%{{n}}", url: "https://{shops}.example/page/%{{n}}?shop=%{{shop}}",
                         shop: [ a, b, c, d ], n: 1-{pages} }} ] }}
taskGroups: {{ day: {{ rows: {{ dataDef: rows }} }} }}
dataDefs: {{ rows: {{ each: li, fields: {{ name: b }} }} }}
"""


def main() -> int:
    """Measure; 0 when both bars are kept."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.runs.seeding", description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--hosts", choices=("one", "four"), default="one")
    parser.add_argument("--rows", action="store_true", help="a CSV file names the pages, not a range")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        seeded = seed(Path(folder), options.pages, hosts=options.hosts, rows=options.rows)
        rate = seeded / (time.perf_counter() - began)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{seeded:,} pages: {rate:,.0f}/s (bar {PAGES_A_SECOND:,}), peak {peak_mb:.0f} MB (bar {MEGABYTES})"
    )
    return 0 if rate >= PAGES_A_SECOND and peak_mb < MEGABYTES else 1


def seed(folder: Path, pages: int, *, hosts: str = "one", rows: bool = False) -> int:
    """Read definitions of this number of pages, and put all of them into a store in the folder.

    Returns:
        How many jobs the store was given.
    """
    shops = "shop" if hosts == "one" else "%{shop}"
    file = folder / "pages.csv"
    if rows:
        with file.open("w") as out:
            out.write("n,shop\n")
            out.writelines(f"{number},{shop}\n" for shop in "abcd" for number in range(pages // 4))
    written = (
        ROWS.format(file=file, shops=shops) if rows else DEFINITIONS.format(pages=pages // 4, shops=shops)
    )
    (folder / "job.yml").write_text(written)
    definitions, report = read_definitions(folder)
    assert not report.findings, report.findings
    packed = packed_locators(definitions.locator_groups.values())
    store = SqliteStore(folder / "store.db")
    record, seeded = RunRecord(store, "node"), [0]
    record.create("run")
    calls = SeedCalls(lambda url: url.split("/")[2], on_seeded=lambda jobs: seeded.__setitem__(0, jobs))
    barricade = Barricade(store, "seed", "node", lease_ms=60_000)
    seeder = JobSeeder(JobStore(store, "node"), record, barricade, "run", calls)
    assert seeder.seed(lambda: unpacked_locators(packed), lambda: False)
    return seeded[0]


if __name__ == "__main__":
    sys.exit(main())
