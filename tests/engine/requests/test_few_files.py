"""A process that may open few files asks fewer hosts at a time, and loses no page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.workspace import Workspace
from tests.reliability.world import build_world
from tests.server.server import Server

MOST_FILES = 64


@pytest.mark.parametrize("workers", [0, 1])
def test_more_requests_than_files_may_be_open_are_all_answered(
    workspace: Workspace, tmp_path: Path, workers: int
) -> None:
    workspace.settings |= {f"scoopi.loader.fetch.{key}": 100 for key in ("parallelism", "inFlight")}
    workspace.settings["scoopi.loader.fetch.delay"] = 0
    with Server(tmp_path / "world" / "pages") as server:
        world = build_world(tmp_path / "world", 120, 0, server.url("/bad/slow?ms=300&of="))
        ended = workspace.process("run", world.defs, "--workers", workers, most_files=MOST_FILES)
        assert ended.code == 0, ended.err
        assert server.log.most_in_flight() > 4
    assert workspace.run_json()["jobs"]["done"] == world.jobs
