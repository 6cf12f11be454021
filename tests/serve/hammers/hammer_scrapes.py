"""HammerScrapes: scrapes among the jobs of the hammer, on several nodes where the store allows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.serve.jobs.test_scrape_attempt import DEFS, PAGES, Site, serving_pages
from tests.serve.serving import Serving

SCRAPES = "pages"
"""The name of their process."""
_PROCESS = """  {name}:
    executes: {{scrape: books, nodes: {nodes}}}
    trigger: {{every: 1h, since: "2100-01-01T00:00:00Z"}}
    retry: {{max: 20, delay: 1s}}
"""
_ENVIRON = {
    "SCOOPI_LOADER_FETCH_DELAY": "100",
    "SCOOPI_WORKERS": "0",
    "SCOOPI_CLUSTER_LIVENESS_GAP": "4000",
}


class HammerScrapes:
    """Scrapes of a site of 30 pages.

    Args:
        serving: the hammer's project, to which their definitions are added.
        nodes: of each scrape.
    """

    def __init__(self, serving: Serving, nodes: int) -> None:
        self._serving = serving
        self.process = _PROCESS.format(name=SCRAPES, nodes=nodes)

    @contextmanager
    def site(self) -> Iterator[None]:
        """Serve the pages, and write the definitions."""
        site = Site()
        with serving_pages(site):
            lines = [f'      - {{ name: p{n}, url: "{site.url}/{n}" }}' for n in range(PAGES)]
            self._serving.write("books/books.yml", DEFS % "\n".join(lines))
            self._serving.environ |= _ENVIRON
            yield

    def fault(self, outputs: dict[str, Any]) -> str:
        """What is wrong with the published rows of a scrape that succeeded; empty if nothing is."""
        text = "".join(Path(file).read_text() for file in outputs["files"])
        rows = [line.split()[-1] for line in text.splitlines() if "title" in line]
        if len(rows) == len({*rows}) == PAGES:
            return ""
        return f"{len(rows)} rows of {len({*rows})} pages instead of {PAGES}"
