"""Peer: another program that reads the same rows of the same pages, hand-written; made on first use."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.measured_run import Figures, measured
from tests.benchmarks.workloads import Workload

HERE = Path(__file__).resolve().parent
CACHE = Path(sys.prefix) / "benchmark-peers"
USUAL_GO = Path("/usr/local/go/bin/go")


@dataclass(frozen=True, slots=True)
class Peer:
    """A program that takes WORKLOAD BASE_URL STARTS_FILE OUTPUT.

    Attributes:
        workloads: names of those that it can read.
        most_pages: it is given the first part of a larger workload, because it is slow; None for all.
    """

    name: str
    command: tuple[str, ...]
    most_pages: int | None = None
    workloads: tuple[str, ...] = ("tables", "books", "cards", "labels")

    def part(self, workload: Workload) -> Workload:
        """What it is given of the workload."""
        return workload if self.most_pages is None else workload.first(self.most_pages)

    def run(self, workload: Workload, folder: Path, url: str) -> tuple[Figures, Counter[str]]:
        """One run over pages of a server, in a new folder that is removed again."""
        folder.mkdir(parents=True)
        starts, output = folder / "starts.txt", folder / "rows.csv"
        starts.write_text("\n".join(workload.starts) + "\n")
        figures = measured([*self.command, workload.name, url, str(starts), str(output)], {})
        rows = rows_of(output.read_text().splitlines())
        shutil.rmtree(folder)
        return figures, rows


def rows_of(lines: Sequence[str]) -> Counter[str]:
    """Rows as Scoopi writes them: a peer leaves the cell of a dim that there is not empty."""
    return Counter("|".join(cell for cell in line.split("|") if cell) for line in lines)


def peers(scrapy_pages: int) -> list[Peer]:
    """Those that can run here: Scrapy, and Colly where there is Go."""
    spider = (str(scrapy_python()), str(HERE / "scrapy_spider.py"))
    found = [
        Peer("scrapy", spider, scrapy_pages),
        Peer("scrapy with ItemLoader", (*spider, "--item-loader"), scrapy_pages, ("cards",)),
    ]
    go = go_command()
    if go is None:
        print("colly is left out: there is no Go here", file=sys.stderr)
        return found
    return [*found, Peer("colly", (str(colly_program(go, CACHE)),))]


def go_command() -> str | None:
    """The Go tool, from the path or from where it is usually installed."""
    return shutil.which("go") or (str(USUAL_GO) if USUAL_GO.exists() else None)


def colly_program(go: str, cache: Path) -> Path:
    """The peer of `colly/`, built into the cache once for each state of its sources."""
    source = HERE / "colly"
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(source.iterdir()):
        digest.update(path.read_bytes())
    program = cache / f"colly-{digest.hexdigest()}"
    if not program.exists():
        cache.mkdir(parents=True, exist_ok=True)
        made = cache / f".{program.name}.{os.getpid()}"
        command = [go, "build", "-mod=readonly", "-trimpath", "-o", str(made), "."]
        subprocess.run(command, cwd=source, check=True)
        made.replace(program)
    return program


def scrapy_python() -> Path:
    """A Python that has Scrapy, in an environment that is made on first use."""
    folder = CACHE / "scrapy"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        wanted = str(HERE / "requirements.txt")
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", wanted], check=True)
        (folder / "complete").touch()
    return python
