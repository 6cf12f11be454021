"""Downloading: runs definitions over a site of files, and compares rows and files."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from tests.engine.workspace import Workspace
from tests.server.file_pages import FilePages
from tests.server.server import Server

RECORDS = """\
locatorGroups: {{ list: {{ locators: [ {{ name: list, url: "{url}"{request} }} ] }} }}
taskGroups:
  list:
    cards: {{ dataDef: card, output: [ {output} ] }}
dataDefs:
  card:
    each: li
    {key}
    fields:
      page: {{ value: x }}
      title: b
      image: {{ select: "a @href"{field}, download: {{ to: "{to}"{download} }} }}
"""
BY_CONTENT = "files/%{sha256}.%{ext}"


class FileSite:
    """A page with links to files, and those files.

    Attributes:
        links: of the page, as its cards have them.
        robots: what its robots.txt says; None if it has none.
    """

    def __init__(self) -> None:
        self.links: list[str] = []
        self.robots: bytes | None = None
        self.files = FilePages()
        self.server = Server(self._page, route=self.files)

    def _page(self, path: str) -> bytes | None:
        if path == "/robots.txt":
            return self.robots
        if path != "/list":
            return None
        cards = (f"<li><b>t{at}</b><a href='{link}'>x</a></li>" for at, link in enumerate(self.links))
        return f"<ul>{''.join(cards)}</ul>".encode()

    def asked(self, path: str) -> list[str | None]:
        """The ranges that were asked for of a path, in order; None for all of it."""
        seen = self.server.log.all(self.server.host())
        return [each.header("range") for each in seen if each.path == path]


class Downloaded:
    """The rows and files of a run."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @property
    def folder(self) -> Path:
        """Of the run."""
        return self.workspace.run_folder()

    def rows(self, output: str = "cards.jsonl") -> list[dict[str, object]]:
        """The records of an output."""
        return [json.loads(line) for line in (self.folder / output).read_text().splitlines()]

    def images(self) -> list[object]:
        """What the rows name, in the order of the page."""
        return [row["image"] for row in sorted(self.rows(), key=lambda row: str(row["title"]))]

    def files(self) -> dict[str, bytes]:
        """The published files by path."""
        below = (path for path in (self.folder / "files").rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in below}


class Downloading(Downloaded):
    """Runs definitions over the site, and compares rows and files."""

    def __init__(self, workspace: Workspace, site: FileSite) -> None:
        super().__init__(workspace)
        self.site = site
        workspace.settings |= {
            "scoopi.loader.fetch.delay": 0,
            "scoopi.loader.fetch.errorDelay": 0,
            "scoopi.loader.robots": False,
            "scoopi.retry.delay": 10,
            "scoopi.webClient.timeout": 2000,
        }

    def run(self, *links: str, text: str = RECORDS, code: int = 0, **parts: str) -> str:
        """Run over a page with these links; what is said."""
        self.site.links = [*links]
        usual = {"key": "", "field": "", "download": "", "to": BY_CONTENT, "output": "cards.jsonl"}
        parts = {**usual, "request": "", **parts}
        defs = text.format(url=self.site.server.url("/list"), **parts)
        (self.workspace.folder / "defs.yml").write_text(defs)
        ended = self.workspace.scoopi("run", "defs.yml", "--workers", "0")
        assert ended.code == code, ended.err
        return ended.err


def path_of(body: bytes, extension: str = "jpg") -> str:
    return f"files/{sha256(body).hexdigest()}.{extension}"
