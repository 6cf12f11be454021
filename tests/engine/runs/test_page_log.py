"""A line for each page with `-v`, and messages as JSON with the documented keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.markdown import Page
from tests.engine.flaky_site import FlakySite, first
from tests.engine.workspace import Workspace
from tests.reliability.world import World, build_world
from tests.server.server import Server

FAST: dict[str, object] = {
    "scoopi.loader.fetch.delay": 0,
    "scoopi.retry.delay": 10,
    "scoopi.retry.attempts": 2,
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """The first shelf fails once, a packet always."""
    site = FlakySite(
        tmp_path / "world" / "pages",
        lambda request, of_path, path: first(1, "shelf-0")(request, of_path, path) or "packet-1-1" in path,
    )
    with Server(site) as server:
        yield server


@pytest.fixture
def world(tmp_path: Path, workspace: Workspace, server: Server) -> World:
    workspace.settings |= FAST
    return build_world(tmp_path / "world", 2, 2, server.url(""))


@pytest.mark.parametrize("workers", [0, 1])
def test_each_page_has_a_line(workspace: Workspace, world: World, server: Server, workers: int) -> None:
    ended = workspace.scoopi("run", world.defs, "--workers", workers, "-v")
    lines = [line.split(" info page ")[1] for line in ended.err.splitlines() if " info page " in line]
    assert len(lines) == len([seen for seen in server.log.all() if seen.path != "/robots.txt"])
    (failed, loaded) = [line for line in lines if line.startswith(server.url("/shelf-0.html"))]
    assert failed.endswith(": status 503, 0 bytes in " + failed.split(" bytes in ")[1])
    assert "0 rows, network" in failed
    assert "status 200" in loaded
    assert loaded.endswith("1 row, network, attempt 2")


def test_without_v_no_page_has_a_line(workspace: Workspace, world: World) -> None:
    assert " page " not in workspace.scoopi("run", world.defs, "--workers", 0).err


def test_pages_of_files_and_of_the_archive_say_so(workspace: Workspace, tmp_path: Path) -> None:
    world = build_world(tmp_path / "files", 1, 1)
    ended = workspace.scoopi("run", world.defs, "--workers", 0, "-v")
    assert ended.err.count(", file\n") == 2


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_every_message_is_a_json_object_with_the_documented_keys(workspace: Workspace, world: World) -> None:
    ended = workspace.scoopi("run", world.defs, "--workers", 0, "-v", "--log-format", "json")
    lines = lines_of(ended.err)
    table = [row[0].replace("`", "").split(", ") for row in Page("docs/output.md").tables("key", "meaning")]
    keys = {tuple(row) for row in table}
    head = ("time", "level", "logger", "message")
    assert head in keys
    for event in ("page", "failure", "retry", "summary"):
        found = [line for line in lines if line.get("event") == event]
        assert found, event
        assert {tuple(name for name in line if name not in (*head, "event")) for line in found} <= keys
    assert all(tuple(line)[:4] == head for line in lines)
    summary = lines[-1]
    assert summary["jobs"] == {"done": world.jobs - 1, "failed": 1, "warned": 0, "left": 0, "skipped": 0}
    assert (summary["event"], summary["status"]) == ("summary", "done")
    attempts = sorted(line["attempts"] for line in lines if line.get("event") == "page")
    assert attempts.count(2) == 2


def test_an_error_is_a_json_object_too(workspace: Workspace) -> None:
    (workspace.folder / "bad.yml").write_text("locatorGroup: {}")
    (line,) = lines_of(workspace.scoopi("run", "bad.yml", "--log-format", "json").err)
    assert (line["level"], line["event"]) == ("error", "error")
    assert "invalid definitions" in line["message"]
