"""Definitions as tests write them, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

from scoopi.defs.scrape.checkers import Checkers
from scoopi.defs.scrape.defs_reader import read_definitions
from scoopi.defs.yaml.report import Report
from scoopi.model.scrape.definitions import Definitions

PLACES = """\
locatorGroups:
  city: { locators: [ { name: oslo, url: http://h/o } ] }
"""
TASKS = """\
taskGroups:
  city: { temps: { dataDef: temps } }
"""
DATA = """\
dataDefs:
  temps:
    query: { block: table, selector: td }
    items: [ item: { name: hour, selector: th } ]
"""


class Outcome:
    """What was read, and what was found; places without the folder of the test."""

    def __init__(self, definitions: Definitions, report: Report, folder: Path) -> None:
        self.definitions = definitions
        self.report = report
        self._folder = f"{folder}/"

    @property
    def found(self) -> list[str]:
        """`line:column severity sentence` of each finding, the file in front unless it is `defs.yml`."""
        return [
            f"{each.place}: {each.severity} {each.sentence()}".replace(self._folder, "").removeprefix(
                "defs.yml:"
            )
            for each in self.report.findings
        ]

    @property
    def sentences(self) -> list[str]:
        """`severity sentence` of each finding."""
        return [
            f"{each.severity} {each.sentence()}".replace(self._folder, "") for each in self.report.findings
        ]


Check = Callable[..., Outcome]


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write each file, making folders as needed."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else dedent(content).encode())


def check_in(
    folder: Path,
    files: Mapping[str, str | bytes],
    *,
    default_steps: str = "jsoupDefault",
    checkers: Checkers | None = None,
    strict: bool = False,
) -> Outcome:
    """Write files and read them as definitions."""
    write(folder, files)
    definitions, report = read_definitions(
        folder, default_steps=default_steps, checkers=checkers, strict=strict
    )
    return Outcome(definitions, report, folder)
