"""Inputs of a run: given with `-i`, checked, kept for `resume`, and secret if they name a variable."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from scoopi.app import extract
from tests.engine.workspace import Workspace, kill_after
from tests.server.server import Server

PAGES = 12
DEFS = """\
locatorGroups:
  pages:
    locators:
{locators}
taskGroups:
  pages: {{ titles: {{ dataDef: page, output: "%{{input.town}}.csv" }} }}
dataDefs:
  page:
    each: p
    fields:
      title: b
      town: {{ value: "%{{input.town}} on %{{slot.key}}" }}
"""
LOCATOR = """\
      - name: "{number}"
        url: "{url}/{number}"
        headers: {{ Authorization: "%{{input.token}}" }}
"""
INPUTS = ("-i", "town=oslo", "-i", "slot.key=D:2026010100", "-i", "token=${env:TOKEN}")


@pytest.fixture
def server(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("TOKEN", "s3cret")
    with Server(lambda path: f"<p><b>page {path}</b></p>".encode()) as server:
        lines = [LOCATOR.format(number=n, url=server.url("")) for n in range(PAGES)]
        (workspace.folder / "defs.yml").write_text(DEFS.format(locators="".join(lines)))
        workspace.settings |= {"scoopi.loader.fetch.delay": 100, "scoopi.loader.robots": False}
        yield server


def test_a_run_that_was_killed_is_resumed_with_its_inputs_and_no_others(
    workspace: Workspace, server: Server
) -> None:
    running = workspace.start("run", "defs.yml", "--workers", 0, "--quiet", *INPUTS)
    kill_after(3, running, server)
    refused = workspace.process("resume", "--workers", 0, "-i", "town=bergen")
    assert refused.code == 2
    assert "the input town is 'bergen', and was 'oslo' when the run began" in refused.err
    assert workspace.process("resume", "--workers", 0, "--quiet", "-i", "town=oslo").code == 0
    rows = workspace.rows(file="oslo.csv")
    assert rows["page /3,oslo on D:2026010100"] == 1
    assert sum(rows.values()) == PAGES + 1
    assert {seen.header("Authorization") for seen in server.log.all()} == {"s3cret"}
    for path in workspace.folder.rglob("*"):
        assert not path.is_file() or b"s3cret" not in path.read_bytes(), path


def test_check_reports_inputs_that_are_missing_or_unknown(workspace: Workspace, server: Server) -> None:
    ended = workspace.scoopi("check", "defs.yml", "--format", "json", *INPUTS[2:], "-i", "city=oslo")
    found = json.loads(ended.out)["findings"]
    assert ended.code == 3
    assert [each["what"] for each in found] == [
        "the input city is given, but the definitions have no such input",
        "the input town is not given",
    ]
    assert [each["line"] for each in found] == [6, 42]
    assert workspace.scoopi("check", "defs.yml", *INPUTS).code == 0


def test_extract_takes_inputs(workspace: Workspace, server: Server) -> None:
    inputs = {"town": "oslo", "slot.key": "!1", "token": "${env:TOKEN}"}
    for town in ("oslo", "bergen"):
        page = b"<p><b>title</b></p>"
        url = server.url("/1")
        (row,) = extract(workspace.folder / "defs.yml", page, url, inputs={**inputs, "town": town})
        assert row == {"title": "title", "town": f"{town} on !1"}
