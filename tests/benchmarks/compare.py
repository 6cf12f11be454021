"""Scoopi and Scrapy, in turn, over the same pages on the loopback; prints one line of figures a workload.

`python -m tests.benchmarks.compare [--workload tables|books] [--pages 3000] [--repeat 3] [--workers auto]`
Scrapy runs in a virtual environment of its own, made on first use from `requirements.txt`.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from pathlib import Path

from tests.benchmarks.measured_run import Figures, measured, run_scoopi, served
from tests.benchmarks.workloads import Workload, books, tables

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Compare; the exit code is 1 when the rows differ."""
    options = _options()
    base = Path(tempfile.mkdtemp(prefix="scoopi-benchmark-"))
    try:
        names = [options.workload] if options.workload else ["tables", "books"]
        return max(_compare(name, base / name, options) for name in names)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.compare", description=__doc__)
    parser.add_argument("--workload", choices=("tables", "books"))
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--workers", default="auto")
    parser.add_argument("--no-peer", action="store_true", help="Scoopi only")
    parser.add_argument("--peer-pages", type=int, default=600, help="Scrapy is slow: fewer pages for it")
    return parser.parse_args()


def _compare(name: str, folder: Path, options: argparse.Namespace) -> int:
    pages = folder / "pages"
    pages.mkdir(parents=True)
    workload = tables(pages, options.pages // 3) if name == "tables" else books(pages, options.pages)
    part = workload.first(options.peer_pages)
    ours: list[float] = []
    peers: list[float] = []
    last: Figures | None = None
    same = True
    with served(pages) as url:
        _scoopi(workload, folder / "warm", url, options.workers)
        for turn in range(options.repeat):
            last, rows = _scoopi(workload, folder / f"scoopi-{turn}", url, options.workers)
            ours.append(workload.pages / last.seconds)
            same = same and rows.total() == workload.rows
            if options.no_peer:
                continue
            peer, peer_rows = _scrapy(part, folder / f"scrapy-{turn}", url)
            peers.append(part.pages / peer.seconds)
            same = same and not peer_rows - rows and peer_rows.total() == part.rows
    assert last is not None
    _print(workload, ours, peers, last, same)
    return 0 if same else 1


def _print(workload: Workload, ours: list[float], peers: list[float], last: Figures, same: bool) -> None:
    scoopi = statistics.median(ours)
    line = (
        f"{workload.name}: scoopi {scoopi:.0f} pages/s {scoopi * workload.rows / workload.pages:.0f} rows/s"
    )
    line += f", peak {last.peak_mb:.0f} MB, {1e6 * last.cpu_s / workload.pages:.0f} us CPU/page"
    if peers:
        scrapy = statistics.median(peers)
        line += f"; scrapy {scrapy:.0f} pages/s; ratio {scoopi / scrapy:.1f}"
    spent = ", ".join(f"{step} {1e6 * s / workload.pages:.0f}" for step, s in last.times.items())
    line += f"; us/page in steps: {spent}"
    print(f"{line}; {workload.pages} pages; rows {'equal' if same else 'DIFFER'}", flush=True)


def _scoopi(workload: Workload, folder: Path, url: str, workers: str) -> tuple[Figures, Counter[str]]:
    figures, data = run_scoopi(workload, folder, url, workers=workers)
    rows = Counter(data.read_text().splitlines())
    shutil.rmtree(folder)
    return figures, rows


def _scrapy(workload: Workload, folder: Path, url: str) -> tuple[Figures, Counter[str]]:
    folder.mkdir(parents=True)
    starts, output = folder / "starts.txt", folder / "rows.csv"
    starts.write_text("\n".join(workload.starts) + "\n")
    command = [str(_peer_python()), str(HERE / "scrapy_spider.py"), workload.name, url]
    figures = measured([*command, str(starts), str(output)], {})
    lines = output.read_text().splitlines()
    shutil.rmtree(folder)
    return figures, Counter("|".join(cell for cell in line.split("|") if cell) for line in lines)


def _peer_python() -> Path:
    folder = Path(sys.prefix) / "benchmark-peers"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        wanted = str(HERE / "requirements.txt")
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", wanted], check=True)
        (folder / "complete").touch()
    return python


if __name__ == "__main__":
    sys.exit(main())
