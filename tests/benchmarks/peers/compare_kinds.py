"""Whole runs of Scoopi and of Scrapy, for each kind of definitions, over the loopback; prints a line a kind.

`python -m tests.benchmarks.peers.compare_kinds [KIND …] [--pages 6000] [--repeat 3] [--workers auto]`: pages
a second from start to end of the processes, in turn, medians. Kinds and their pages are those of
`tests.benchmarks.kinds`; Scrapy has a spider by hand for each. The exit code is 1 when rows differ or a bar
is missed.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.kinds.__main__ import FOLDER, KINDS
from tests.benchmarks.measured_run import run_scoopi, served
from tests.benchmarks.peers.peers import HERE, Peer, scrapy_python
from tests.benchmarks.tally import Tally
from tests.benchmarks.workloads import Workload

EACH, MEDIAN = 12.0, 20.0
"""How many times as fast as Scrapy: in every kind, and in the median of all."""
MOST_BYTES, MOST_ROWS = 150_000_000, 1_500_000
"""No more than this in one run, so that large pages are fewer."""
_SHARE = 10
"""Scrapy reads a tenth of the pages."""


def main() -> int:
    """Compare."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.peers.compare_kinds", description=__doc__
    )
    parser.add_argument("kinds", nargs="*", default=KINDS)
    parser.add_argument("--pages", type=int, default=6000, help="at most, of each kind")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--workers", default="auto")
    options = parser.parse_args()
    spider = Peer("scrapy", (str(scrapy_python()), str(HERE / "kinds_spider.py")))
    ratios, is_same = [], True
    for kind in options.kinds:
        base = Path(tempfile.mkdtemp(prefix="scoopi-kind-"))
        try:
            scoopi, scrapy = _compared(kind, base, spider, options)
        finally:
            shutil.rmtree(base, ignore_errors=True)
        ratios.append(scoopi.rate / scrapy.rate)
        is_same &= scoopi.is_same and scrapy.is_same
        print(f"{kind:20} {scoopi.text()}; {scrapy.text()}; {ratios[-1]:.1f} times as fast", flush=True)
    median = statistics.median(ratios)
    print(f"smallest {min(ratios):.1f} (bar {EACH:g}), median {median:.1f} (bar {MEDIAN:g})")
    return int(not is_same or min(ratios) < EACH or median < MEDIAN)


def _compared(kind: str, base: Path, spider: Peer, options: argparse.Namespace) -> tuple[Tally, Tally]:
    pages = base / "pages"
    pages.mkdir()
    workload, values = workload_of(kind, pages, options.pages)
    scoopi, scrapy = Tally("scoopi"), Tally("scrapy")
    part = workload.first(max(1, workload.pages // _SHARE))
    with served(pages) as url:
        for turn in range(options.repeat):
            folder = base / f"scoopi-{turn}"
            figures, data = run_scoopi(workload, folder, url, workers=options.workers)
            found = written_values(data.read_text().splitlines(), workload)
            scoopi.add(figures, workload.pages, is_same=found == _times(values, workload.pages))
            shutil.rmtree(folder)
            figures, rows = spider.run(part, base / "scrapy", url)
            scrapy.add(figures, part.pages, is_same=rows == _times(values, part.pages))
    return scoopi, scrapy


def workload_of(kind: str, folder: Path, pages: int) -> tuple[Workload, Counter[str]]:
    """A kind as a run over the same page under many addresses, and the values of the rows of one page."""
    loop = importlib.import_module(f"tests.benchmarks.kinds.{kind}.loop")
    page = loop.page().encode()
    (folder / "page.html").write_bytes(page)
    rows = loop.rows(page)
    count = max(1, min(pages, MOST_BYTES // len(page), MOST_ROWS // len(rows)))
    is_records = kind == "cards_records"
    others = {"loop.py", "defs.yml", "__pycache__"}
    workload = Workload(
        kind,
        _definitions((FOLDER / kind / "defs.yml").read_text()),
        count,
        tuple(f"/page.html?{at}" for at in range(count)),
        count * len(rows),
        output="books.csv" if is_records else "data.txt",
        name_lines=int(is_records),
        files=tuple(file for file in sorted((FOLDER / kind).iterdir()) if file.name not in others),
    )
    return workload, Counter("|".join(str(value) for value in row) for row in rows)


def written_values(lines: Sequence[str], workload: Workload) -> Counter[str]:
    """The values of the rows that Scoopi has written, without locator and group."""
    if workload.name_lines:
        return Counter(line.replace(",", "|") for line in lines[workload.name_lines :])
    return Counter(line.split("|", 2)[2] for line in lines)


def _definitions(text: str) -> str:
    """The definitions of a kind with a place for the locators of many pages."""
    group = 'locatorGroups: { page: "http://127.0.0.1/page.html" }\n'
    before, behind = (
        text.replace("{", "{{").replace("}", "}}").split(group.replace("{", "{{").replace("}", "}}"))
    )
    return f"{before}locatorGroups:\n  page:\n    locators:\n{{locators}}\n{behind}"


def _times(values: Counter[str], count: int) -> Counter[str]:
    return Counter({value: each * count for value, each in values.items()})


if __name__ == "__main__":
    sys.exit(main())
