"""Same definitions, same rows: whatever the number of workers, from files and from a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.workspace import Workspace
from tests.reliability.world import build_world
from tests.server.server import Server

SHELVES, PACKETS = 12, 3


@pytest.mark.parametrize("workers", [0, 1, 2, 4])
def test_rows_of_pages_with_links_are_the_same_with_any_number_of_workers(
    workspace: Workspace, tmp_path: Path, workers: int
) -> None:
    world = build_world(tmp_path / "world", SHELVES, PACKETS)
    ended = workspace.scoopi("run", world.defs, "--workers", workers)
    assert ended.code == 0, ended.err
    assert workspace.rows() == world.rows
    report = workspace.run_json()
    assert report["jobs"] == world.all_done
    assert (report["pages"], report["rows"]) == (world.jobs, {"data.txt": world.rows.total()})
    assert (report["errors"], report["warnings"], report["awaiting"]) == ([], [], [])


def test_the_plain_evaluator_gives_the_rows_of_the_compiled_plan(
    workspace: Workspace, tmp_path: Path
) -> None:
    world = build_world(tmp_path / "world", SHELVES, PACKETS)
    ended = workspace.scoopi("run", world.defs, "--workers", 2, "--plain")
    assert ended.code == 0, ended.err
    assert workspace.rows() == world.rows


@pytest.mark.parametrize("workers", [0, 2])
def test_rows_from_a_server_are_those_of_files(workspace: Workspace, tmp_path: Path, workers: int) -> None:
    with Server(tmp_path / "world" / "pages") as server:
        world = build_world(tmp_path / "world", SHELVES, PACKETS, server.url(""))
        workspace.settings |= {"scoopi.loader.fetch.delay": 0, "scoopi.loader.fetch.parallelism": 4}
        ended = workspace.scoopi("run", world.defs, "--workers", workers)
    assert ended.code == 0, ended.err
    assert workspace.rows() == world.rows
    assert len(server.log.all()) == world.jobs + 1, "each page, and robots.txt"
    assert server.log.most_in_flight() <= 4


@pytest.mark.parametrize("workers", [0, 2])
def test_the_rows_of_a_job_stay_together(workspace: Workspace, tmp_path: Path, workers: int) -> None:
    world = build_world(tmp_path / "world", SHELVES, PACKETS)
    assert workspace.scoopi("run", world.defs, "--workers", workers).code == 0
    lines = (workspace.run_folder() / "data.txt").read_text().splitlines()
    pages = [line.rpartition("|")[2].rsplit(".", 2)[0] for line in lines if "|packet|" in line]
    turns = [page for number, page in enumerate(pages) if number == 0 or pages[number - 1] != page]
    assert len(turns) == len(set(turns)) == SHELVES * PACKETS
