"""Scoopi and its peers, in turn, over the same pages on the loopback; prints figures of each workload.

`python -m tests.benchmarks.peers.compare [--workload NAME] [--pages N] [--repeat 3] [--workers auto]`
The peers are Scrapy and, where Go is installed, Colly, both with hand-written loops; they are fetched and
built on first use, into the virtual environment.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.measured_run import Figures, run_scoopi, served
from tests.benchmarks.peers.peers import Peer, peers
from tests.benchmarks.tally import Tally, comparison
from tests.benchmarks.workloads import Workload, books, cards, labels, tables

PAGES = {"tables": 15_000, "books": 6000, "cards": 6000, "labels": 15_000}
"""Some seconds of work: what is measured is the reading of pages, more than the start of a process."""


def main() -> int:
    """Compare; the exit code is 1 when the rows differ."""
    options = _options()
    others = [] if options.no_peer else peers(options.peer_pages)
    base = Path(tempfile.mkdtemp(prefix="scoopi-benchmark-"))
    try:
        names = [options.workload] if options.workload else list(PAGES)
        return max(_compare(name, base / name, others, options) for name in names)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.peers.compare", description=__doc__)
    parser.add_argument("--workload", choices=tuple(PAGES))
    parser.add_argument("--pages", type=int, help=", ".join(f"{n} of {what}" for what, n in PAGES.items()))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--workers", default="auto")
    parser.add_argument("--no-peer", action="store_true", help="Scoopi only")
    parser.add_argument("--peer-pages", type=int, default=600, help="Scrapy is slow: fewer pages for it")
    return parser.parse_args()


def _compare(name: str, folder: Path, others: Sequence[Peer], options: argparse.Namespace) -> int:
    pages = folder / "pages"
    pages.mkdir(parents=True)
    number = options.pages or PAGES[name]
    workload = {"tables": tables, "books": books, "cards": cards, "labels": labels}[name](
        pages, number // 3 if name == "tables" else number
    )
    others = [peer for peer in others if name in peer.workloads]
    scoopi = Tally("scoopi")
    tallies = {peer.name: Tally(peer.name) for peer in others}
    with served(pages) as url:
        _scoopi(workload, folder / "warm", url, options.workers)
        for turn in range(options.repeat):
            figures, rows = _scoopi(workload, folder / f"scoopi-{turn}", url, options.workers)
            scoopi.add(figures, workload.pages, is_same=rows.total() == workload.rows)
            for peer in others:
                part = peer.part(workload)
                figures, peer_rows = peer.run(part, folder / peer.name, url)
                is_same = not peer_rows - rows and peer_rows.total() == part.rows
                tallies[peer.name].add(figures, part.pages, is_same=is_same)
    print(comparison(workload, scoopi, list(tallies.values())), flush=True)
    return 0 if all(tally.is_same for tally in (scoopi, *tallies.values())) else 1


def _scoopi(workload: Workload, folder: Path, url: str, workers: str) -> tuple[Figures, Counter[str]]:
    figures, data = run_scoopi(workload, folder, url, workers=workers)
    rows = Counter(data.read_text().splitlines()[workload.name_lines :])
    shutil.rmtree(folder)
    return figures, rows


if __name__ == "__main__":
    sys.exit(main())
