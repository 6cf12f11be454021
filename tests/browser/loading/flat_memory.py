"""Whether browsers stay small over many pages: `python -m tests.browser.loading.flat_memory --pages 300`."""

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
from scoopi.model.scrape.browser_def import BrowserDef
from tests.browser.processes import connected
from tests.server.server import Server

PAGE = b"<p id=p></p><script>window.kept = new Array(5e6).fill(0.5); p.textContent = kept.length</script>"
"""A page that keeps 40 MB."""


class Figures(NamedTuple):
    """Megabytes of a pool and its browser after each page."""

    mb: list[int]

    @property
    def growth(self) -> int:
        """From the first third of the pages to the last one, by the smallest values.

        What is above them is garbage that the browser has not collected yet.
        """
        third = max(1, len(self.mb) // 3)
        return min(self.mb[-third:]) - min(self.mb[:third])


def measure(pages: int, replaced_after: int = 10_000) -> Figures:
    """Load pages in one browser, one after another, in a tab that is used again as in a run."""
    found = []
    settings = BrowserSettings(browsers=1, pages=replaced_after)
    with (
        Server(lambda path: PAGE) as server,
        tempfile.TemporaryDirectory() as folder,
        closing(PoolProcess(settings, Path(folder))) as pool,
    ):
        following = connected(pool.socket)
        for number in range(pages):
            with following as connection:
                receive_reply(connection)
                if number < pages - 1:
                    following = connected(pool.socket)  # one that waits, so that the tab is used again
                send(connection, Visit(server.url(f"/{number}"), {}, 60.0, BrowserDef()))
                page = receive_reply(connection)
            assert isinstance(page, Rendered), page
            assert b"5000000" in page.body
            found.append(memory_of_trees([pool.pid])[pool.pid] >> 20)
            if number % max(1, pages // 15) == 0:
                print(f"page {number + 1:4}: {found[-1]} MB", flush=True)
    return Figures(found)


def main() -> None:
    """Print the memory after pages at equal distances, and how much it has grown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--replaced-after", type=int, default=10_000)
    given = parser.parse_args()
    figures = measure(given.pages, given.replaced_after)
    print(f"growth {figures.growth} MB, largest {max(figures.mb)} MB")


if __name__ == "__main__":
    main()
