"""Connections that are kept and end under a request cost no page, however many of them end together."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.engine.workspace import Workspace
from tests.reliability.world import build_world
from tests.server.server import Server

PAGES = 200


@pytest.mark.parametrize(("delay_ms", "parallelism"), [(0, 16), (1, 16), (1, 1)])
@pytest.mark.parametrize("workers", [0, 1])
def test_a_site_that_ends_kept_connections_at_their_second_request_gives_all_its_pages(
    workspace: Workspace, tmp_path: Path, workers: int, delay_ms: int, parallelism: int
) -> None:
    workspace.settings |= {
        "scoopi.loader.fetch.parallelism": parallelism,
        "scoopi.loader.fetch.delay": delay_ms,
    }
    with Server(tmp_path / "world" / "pages") as server:
        world = build_world(tmp_path / "world", PAGES, 0, server.url("/bad/closes-kept?of="))
        ended = workspace.process("run", world.defs, "--workers", workers)
        assert ended.code == 0, ended.err
        asked = Counter(seen.path for seen in server.log.pages())
    assert len(asked) == PAGES
    assert max(asked.values()) == 2, "kept connections have ended, and no page is asked for a third time"
    assert workspace.run_json()["jobs"]["done"] == PAGES
