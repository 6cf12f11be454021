"""Damaged segments: what was torn by a kill is done again; what was lost by the disk is reported, exit 5."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from scoopi import Scoopi
from tests.engine.workspace import Workspace, wait_until
from tests.reliability.world import World, build_world, read_rows
from tests.server.server import Server


@pytest.fixture
def finished(workspace: Workspace, tmp_path: Path) -> World:
    """A run that is over, with one segment."""
    world = build_world(tmp_path / "world", 5, 2)
    assert workspace.scoopi("run", world.defs, "--workers", 0).code == 0
    return world


def segments(folder: Path) -> list[Path]:
    """The segment files of a run's only node."""
    return sorted(folder.glob(".scoopi/*/segments/*.seg"))


@pytest.mark.parametrize("hurt", ["flipped", "torn"])
def test_rows_that_the_disk_lost_are_reported_and_all_others_published(
    workspace: Workspace, finished: World, hurt: str
) -> None:
    (segment,) = segments(workspace.run_folder())
    content = bytearray(segment.read_bytes())
    if hurt == "torn":
        del content[-3:]
    else:
        content[len(content) // 2] ^= 1
    segment.write_bytes(content)
    ended = workspace.scoopi("resume", workspace.run_folder().name, "--workers", 0)
    assert ended.code == 5, ended.err
    assert "the rows of 1 job are missing" in ended.err
    left = workspace.rows()
    assert not left - finished.rows
    assert 0 < (finished.rows - left).total() <= 15
    report = workspace.run_json()
    assert (report["status"], report["jobs"]["done"]) == ("failed", finished.jobs - 1)
    assert report["rows"] == {"data.txt": left.total()}


@pytest.mark.parametrize("tail", [b"\0" * 100, b"\xff" * 5, b"SCOOPI", "half"])
def test_a_frame_torn_by_a_kill_is_no_frame_and_resume_is_exact(
    workspace: Workspace, tmp_path: Path, tail: bytes | str
) -> None:
    with Server(tmp_path / "world" / "pages") as server:
        world = build_world(tmp_path / "world", 4, 1, server.url(""))
        scoopi = Scoopi(world.defs, {"scoopi.loader.fetch.delay": "50"})

        def cancel() -> None:
            wait_until(lambda: len(server.log.all()) >= 4, "the fourth request")
            scoopi.cancel(hard=True)

        canceller = threading.Thread(target=cancel)
        canceller.start()
        report = scoopi.run()
        canceller.join(60)
        (segment,) = segments(Path(report.folder))
        with segment.open("ab") as file:
            content = segment.read_bytes()
            file.write(content[len(content) // 2 :][:-1] if isinstance(tail, str) else tail)
        again = Scoopi().resume()
    assert again is not None
    assert again.status == "done"
    assert read_rows(Path(report.folder)) == world.rows


def test_a_run_whose_records_are_lost_is_reported_and_its_files_stay(
    workspace: Workspace, finished: World
) -> None:
    (store,) = workspace.run_folder().glob(".scoopi/*/store.db")
    for path in store.parent.glob("store.db*"):
        path.unlink()
    before = (workspace.run_folder() / "data.txt").read_bytes()
    ended = workspace.scoopi("resume", workspace.run_folder().name)
    assert ended.code == 5
    assert "the run's records are lost" in ended.err
    assert (workspace.run_folder() / "data.txt").read_bytes() == before


def test_a_store_that_is_no_store_is_reported(workspace: Workspace, finished: World) -> None:
    (store,) = workspace.run_folder().glob(".scoopi/*/store.db")
    store.write_bytes(b"no database at all, just some words" * 100)
    ended = workspace.scoopi("resume", workspace.run_folder().name)
    assert ended.code == 5
    for said in ("store.db", "the file is damaged: keep the run's folder as it is, and start a new run"):
        assert said in ended.err
