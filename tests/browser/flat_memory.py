"""Whether browsers stay small over many pages: `python -m tests.browser.flat_memory --pages 300`."""

from __future__ import annotations

import argparse
import tempfile
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from scoopi.browser.pool_messages import Rendered, Visit, receive_reply, send
from scoopi.browser.pool_process import PoolProcess
from scoopi.configs.groups import BrowserSettings
from scoopi.descendants import memory_of_trees
from scoopi.model.definitions import BrowserDef
from tests.browser.processes import connected
from tests.server.server import Server

PAGE = b"<p id=p></p><script>window.kept = new Array(5e6).fill(0.5); p.textContent = kept.length</script>"
"""A page that keeps 40 MB."""


class Figures(NamedTuple):
    """Megabytes of a pool and its browser after each page."""

    mb: list[int]

    @property
    def growth(self) -> int:
        """From the first pages to the last ones."""
        return max(self.mb[-3:]) - max(self.mb[:3])


def measure(pages: int, replaced_after: int = 10_000) -> Figures:
    """Load pages in one browser, one after another."""
    found = []
    settings = BrowserSettings(browsers=1, pages=replaced_after)
    with (
        Server(lambda path: PAGE) as server,
        tempfile.TemporaryDirectory() as folder,
        closing(PoolProcess(settings, Path(folder))) as pool,
    ):
        for number in range(pages):
            with connected(pool.socket) as connection:
                receive_reply(connection)
                send(connection, Visit(server.url(f"/{number}"), {}, 60.0, BrowserDef()))
                page = receive_reply(connection)
            assert isinstance(page, Rendered), page
            assert b"5000000" in page.body
            found.append(memory_of_trees([pool.pid])[pool.pid] >> 20)
    return Figures(found)


def main() -> None:
    """Print the memory after pages at equal distances."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--replaced-after", type=int, default=10_000)
    given = parser.parse_args()
    figures = measure(given.pages, given.replaced_after)
    for number in range(0, given.pages, max(1, given.pages // 15)):
        print(f"page {number + 1:4}: {figures.mb[number]} MB")
    print(f"growth {figures.growth} MB, largest {max(figures.mb)} MB")


if __name__ == "__main__":
    main()
