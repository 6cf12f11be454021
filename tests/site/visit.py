"""Visits: one run of the real engine over hosts of the misbehaving site, and what came of each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from scoopi.appenders.segment_reader import SegmentReader
from scoopi.model.job import Frame
from tests.engine.workspace import Workspace
from tests.site.misbehaving_site import PAGES, MisbehavingSite

DEFINITIONS = """\
locatorGroups:
  site:
    locators:
{locators}
taskGroups:
  site: {{ textTask: {{ dataDef: text }} }}
dataDefs:
  text:
    query: {{ block: "body", selector: "p:nth-child(1)" }}
    items: [ item: {{ name: text, value: text }} ]
"""
SETTINGS: dict[str, object] = {
    "scoopi.loader.fetch.delay": 10,
    "scoopi.loader.fetch.errorDelay": 20,
    "scoopi.loader.fetch.hostTimeout": 5,
    "scoopi.loader.maxBytes": 1_000_000,
    "scoopi.retry.delay": 300,
    "scoopi.webClient.timeout": 40_000,
}
HANGING = SETTINGS | {"scoopi.webClient.timeout": 1500}
"""For hosts of which no request ends by itself; for the others 40 s, however busy the machine is."""
NOTHING = "not found"
DISALLOWED = "disallowed by line "


@dataclass(frozen=True, slots=True)
class Visit:
    """What came of one host.

    Attributes:
        outcome: `read` (the page's text is a row), `wrong` (another text is), `empty` (nothing was found),
            `failed`, `skipped`, or `none` (neither row nor failure).
        requests: that reached the host, those for robots.txt aside.
        robots: requests for robots.txt.
        message: of the failure, or the warning.
    """

    outcome: str
    requests: int
    robots: int
    message: str


def visit(workspace: Workspace, site: MisbehavingSite, names: Iterable[str]) -> dict[str, Visit]:
    """What came of the hosts of these names, in two runs of processes of their own."""
    asked = list(names)
    hanging = [name for name in asked if PAGES[name].hangs]
    found: dict[str, Visit] = {}
    for output, settings, some in (
        ("hanging", HANGING, hanging),
        ("others", SETTINGS, [name for name in asked if name not in hanging]),
    ):
        if some:
            workspace.settings = settings
            found |= _visited(workspace, site, some, output)
    return found


def _visited(workspace: Workspace, site: MisbehavingSite, names: list[str], output: str) -> dict[str, Visit]:
    locators = "\n".join(f'      - {{ name: "{name}", url: "{site.url(name)}" }}' for name in names)
    (workspace.folder / "site.yml").write_text(DEFINITIONS.format(locators=locators))
    ended = workspace.process("run", "site.yml", "--workers", 0, "--output", output)
    assert ended.code in (0, 1), ended.err
    texts = _texts(workspace, output)
    said = _said(workspace.run_folder(output))
    return {name: _visit(site, name, texts.get(name), said.get(name, "")) for name in names}


def _visit(site: MisbehavingSite, name: str, text: str | None, message: str) -> Visit:
    paths = [seen.path.partition("?")[0] for seen in site.log.all(site.host(name))]
    robots = sum(path.endswith("/robots.txt") for path in paths)
    if text is None:
        outcome = "skipped" if DISALLOWED in message else "failed" if message else "none"
    else:
        outcome = {NOTHING: "empty", PAGES[name].text: "read"}.get(text, "wrong")
    return Visit(outcome, len(paths) - robots, robots, message)


def _texts(workspace: Workspace, output: str) -> dict[str, str]:
    file = workspace.run_folder(output) / "data.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {line.split("|", 3)[0]: line.split("|", 3)[3] for line in lines}


def _said(run: Path) -> dict[str, str]:
    """The failure or warning of each job, from the last frame that has one."""
    said: dict[str, str] = {}
    for segment in sorted((run / ".scoopi").rglob("*.seg*")):
        for frame in SegmentReader(segment).frames():
            said |= _of_frame(frame)
    return said


def _of_frame(frame: Frame) -> dict[str, str]:
    return {
        re.sub(":site$", "", each.job): each.message
        for each in (*frame.warnings, *frame.failures, *((frame.skipped,) if frame.skipped else ()))
    }
