"""Files that many pages name at the same moment: each address is asked for once by a node."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256

import pytest

from tests.engine.workspace import Workspace
from tests.server.file_pages import FilePages, content
from tests.server.server import Server

DEFS = """\
locatorGroups: {{ list: {{ locators: [ {{ name: list, url: "{url}/list%{{n}}", n: 1-{pages} }} ] }} }}
taskGroups: {{ list: {{ cards: {{ dataDef: card, output: cards.jsonl }} }} }}
dataDefs:
  card:
    each: li
    fields: {{ image: {{ select: "a @href", download: {{ to: "files/%{{sha256}}.%{{ext}}" }} }} }}
"""
PAGES = 12


class SharedSite:
    """A site whose pages all name the same files."""

    def __init__(self) -> None:
        self.links: tuple[str, ...] = ()
        self.files = FilePages()
        self.server = Server(self._page, route=self.files)

    def _page(self, path: str) -> bytes | None:
        cards = "".join(f"<li><a href='{link}'>x</a></li>" for link in self.links)
        return cards.encode() if path.startswith("/list") else None


@pytest.fixture
def site() -> Iterator[SharedSite]:
    site = SharedSite()
    with site.server:
        yield site


def run(workspace: Workspace, site: SharedSite, *links: str, workers: int = 2) -> Counter[str]:
    """How many rows of a run name each path; each page has each of the links."""
    site.links = links
    workspace.settings |= {
        "scoopi.loader.fetch.delay": 0,
        "scoopi.loader.fetch.parallelism": 8,
        "scoopi.loader.fetch.errorDelay": 0,
        "scoopi.loader.robots": False,
        "scoopi.retry.delay": 10,
    }
    (workspace.folder / "defs.yml").write_text(DEFS.format(url=site.server.url(""), pages=PAGES))
    ended = workspace.scoopi("run", "defs.yml", "--workers", str(workers))
    assert ended.code == 0, ended.err
    lines = (workspace.run_folder() / "cards.jsonl").read_text().splitlines()
    return Counter(json.loads(line)["image"] for line in lines)


def path_of(name: str) -> str:
    return f"files/{sha256(content(name)).hexdigest()}.jpg"


@pytest.mark.parametrize("workers", [0, 2])
def test_pages_read_at_the_same_moment_wait_for_the_first_that_asks(
    workspace: Workspace, site: SharedSite, workers: int
) -> None:
    found = run(workspace, site, "/slow/a.jpg?ms=20", "/slow/b.jpg?ms=20", workers=workers)
    assert found == {path_of("a.jpg"): PAGES, path_of("b.jpg"): PAGES}
    assert site.files.times == {"/slow/a.jpg?ms=20": 1, "/slow/b.jpg?ms=20": 1}


def test_an_address_that_leads_elsewhere_is_asked_for_once_too(
    workspace: Workspace, site: SharedSite
) -> None:
    assert run(workspace, site, "/moved/a.jpg") == {path_of("a.jpg"): PAGES}
    assert site.files.times == {"/moved/a.jpg": 1, "/ok/a.jpg": 1}


def test_when_the_first_request_fails_another_page_asks(workspace: Workspace, site: SharedSite) -> None:
    assert run(workspace, site, "/busy/a.jpg?n=1", "/cut/b.jpg") == {
        path_of("a.jpg"): PAGES,
        path_of("b.jpg"): PAGES,
    }
    assert site.files.times == {"/busy/a.jpg?n=1": 2, "/cut/b.jpg": 2}
    ranges = [each.header("range") for each in site.server.log.all() if each.path == "/cut/b.jpg"]
    assert ranges[0] is None
    assert ranges[1] is not None, "only the rest is asked for"


@pytest.mark.parametrize("workers", [0, 2])
def test_a_file_that_is_missing_is_asked_for_once(
    workspace: Workspace, site: SharedSite, workers: int
) -> None:
    assert run(workspace, site, "/gone/a.jpg", "/none/b.jpg", workers=workers) == {None: 2 * PAGES}
    asked = Counter(each.path for each in site.server.log.all() if not each.path.startswith("/list"))
    assert asked == {"/gone/a.jpg": 1, "/none/b.jpg": 1}
