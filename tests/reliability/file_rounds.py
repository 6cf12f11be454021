"""FileRound: a run that downloads files is hit at random times, resumed, and its rows and files compared.

By hand, with figures: `python -m tests.reliability.file_rounds --rounds 20 --seed 1`
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from tests.reliability.rounds import BLOWS, PromiseBrokenError, Round, play_rounds
from tests.reliability.world import World
from tests.server.file_pages import FilePages, content
from tests.server.server import Server

SETTINGS = {
    "SCOOPI_LOADER_FETCH_DELAY": "0",
    "SCOOPI_LOADER_FETCH_PARALLELISM": "4",
    "SCOOPI_LOADER_FETCH_ERRORDELAY": "0",
    "SCOOPI_LOADER_ROBOTS": "false",
    "SCOOPI_RETRY_DELAY": "20",
    "SCOOPI_RETRY_ATTEMPTS": "50",
}
"""Of the environment: a run that is over in a few seconds."""
DEFS = """\
locatorGroups:
  list: {{ locators: [ {{ name: shelf, url: "{url}/list%{{n}}", n: 1-{pages} }} ] }}
taskGroups:
  list:
    cards: {{ dataDef: card, output: [ cards.jsonl, all.csv ] }}
dataDefs:
  card:
    each: li
    fields:
      title: b
      image: {{ select: "a @href", download: {{ to: "{to}" }} }}
"""
FILES = "files/shelf"
"""Where the files of the pages are in the run's folder."""
WAYS = ("slow", "cut", "ok", "busy", "reset")
"""How the files of a page come, in turn; the last of each page is one that others have, too."""
SIZE = 120_000


class FileWorld:
    """A site whose pages have cards with files.

    Args:
        folder: where the definitions are.
    """

    def __init__(self, folder: Path, pages: int) -> None:
        self.pages = pages
        self.folder = folder
        self.files = FilePages()
        self.server = Server(self._page, route=self.files)

    def write(self, files: str = FILES) -> World:
        """The world for a `Round`: definitions, and no rows of its own kind.

        Args:
            files: where the files go, as the rows name it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        defs = self.folder / "defs.yml"
        to = f"{files.replace('shelf', '%{locator.name}')}/%{{sha256}}.%{{ext}}"
        defs.write_text(DEFS.format(url=self.server.url(""), pages=self.pages, to=to))
        return World(defs, Counter(), self.pages)

    def names(self, page: int) -> dict[str, str]:
        """The files of a page: their paths on the site by the title of their card."""
        paths = [f"/{way}/{page}-{way}.jpg?size={SIZE}&ms=15" for way in WAYS]
        paths.append(f"/slow/shared-{page % 3}.jpg?size={SIZE}&ms=15")
        return {f"p{page}c{at}": path for at, path in enumerate(paths)}

    def rows(self, files: str = FILES) -> dict[str, str]:
        """The path of its file by the title of each card; `files` as of `write`."""
        cards = {title: path for page in range(1, self.pages + 1) for title, path in self.names(page).items()}
        return {title: f"{files}/{_digest(path)}.jpg" for title, path in cards.items()}

    def _page(self, path: str) -> bytes | None:
        if not path.startswith("/list"):
            return None
        cards = self.names(int(path.removeprefix("/list"))).items()
        return "".join(f"<li><b>{title}</b><a href='{link}'>x</a></li>" for title, link in cards).encode()


def _digest(path: str) -> str:
    return sha256(content(path.partition("?")[0].rpartition("/")[2], SIZE)).hexdigest()


class FileRound(Round):
    """One run that is hit a few times; its rows and files are compared whenever they are published."""

    def __init__(
        self, files: FileWorld, world: World, folder: Path, random_source: random.Random, workers: int
    ) -> None:
        super().__init__(world, folder, random_source, workers)
        self._files = files

    def _compare(self, whole: bool) -> None:
        runs = self._runs()
        if not runs and not whole:
            return
        if len(runs) != 1:
            raise PromiseBrokenError(f"{len(runs)} runs instead of one")
        compare_files(runs[0], self._files.rows(), whole=whole)


class Kept(Protocol):
    """Where the files are that rows name."""

    def paths(self) -> Iterable[str]:
        """What is there, as rows name it."""

    def content(self, path: str) -> bytes:
        """Of one of them."""


class KeptInFolder:
    """The files in the folder of a run."""

    def __init__(self, run: Path) -> None:
        self._run = run

    def paths(self) -> Iterable[str]:
        """Relative to the folder of the run."""
        below = (self._run / "files").rglob("*")
        return [str(path.relative_to(self._run)) for path in below if path.is_file()]

    def content(self, path: str) -> bytes:
        """Of one of them."""
        return (self._run / path).read_bytes()


def compare_files(
    run: Path,
    expected: dict[str, str],
    *,
    whole: bool,
    kept: Kept | None = None,
    outputs: str = "cards*.jsonl",
) -> None:
    """Compare the rows and files of a run, or of one node of it.

    Args:
        expected: the path of its file by the title of each card.
        whole: the run is over.
        kept: where the files are; by default in the folder of the run.
        outputs: a pattern of the files with rows below that folder.
    Raises:
        PromiseBrokenError: a row or a file is missing, doubled, or not what it should be.
    """
    kept = kept or KeptInFolder(run)
    found = [*run.glob(outputs)]
    if not found and not whole:
        return
    rows = [json.loads(line) for output in found for line in output.read_text().splitlines()]
    titles = Counter(row["title"] for row in rows)
    if any(number > 1 for number in titles.values()) or (whole and {*titles} != {*expected}):
        raise PromiseBrokenError(f"{len(rows)} rows with {len(titles)} titles instead of {len(expected)}")
    wrong = [row for row in rows if expected[row["title"]] != row["image"]]
    if wrong:
        raise PromiseBrokenError(f"{len(wrong)} rows name another file, as {wrong[0]}")
    named = {row["image"] for row in rows}
    there = {*kept.paths()}
    if named - there or (whole and there - named):
        raise PromiseBrokenError(f"named, not there: {named - there}; there, not named: {there - named}")
    for path in named:
        body = kept.content(path)
        if sha256(body).hexdigest() != Path(path).stem:
            raise PromiseBrokenError(f"{path} has {len(body)} bytes of another content")


def play_file_round(
    files: FileWorld, world: World, folder: Path, seed: str, blows: Sequence[str] = ()
) -> list[str]:
    """A round in a folder of its own; the blows that it got.

    Args:
        blows: what it is hit by; empty: one to three, drawn by the seed.
    """
    source = random.Random(seed)
    folder.mkdir(parents=True)
    drawn = blows or [source.choice(BLOWS) for _ in range(source.randint(1, 3))]
    files.files.times.clear()
    return FileRound(files, world, folder, source, workers=2).play(drawn, most_delay_s=4.0).blows


def main() -> int:
    """Play the rounds; the exit code is 0 when all were exact."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.file_rounds", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=20, help="each has six cards with a file")
    options = parser.parse_args()
    os.environ |= SETTINGS
    base = Path(tempfile.mkdtemp(prefix="scoopi-file-rounds-"))
    files = FileWorld(base / "world", options.pages)
    with files.server:
        world = files.write()

        def play(number: int, folder: Path) -> str:
            return "; ".join(play_file_round(files, world, folder, f"{options.seed}/{number}"))

        return 0 if play_rounds(base, options.rounds, play) else 1


if __name__ == "__main__":
    sys.exit(main())
