"""`resume` continues what was stopped or killed: once, alone, and only as the run was begun."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.workspace import Workspace, wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World, build_world
from tests.server.server import Server

SHELVES, PACKETS = 5, 1


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Server]:
    """A server that has the pages of `world`."""
    with Server(tmp_path / "world" / "pages") as server:
        yield server


@pytest.fixture
def world(tmp_path: Path, site: Server, workspace: Workspace) -> World:
    """Ten pages, a request each 150 ms: long enough to be met while it runs."""
    workspace.settings |= {"scoopi.loader.fetch.delay": 150}
    return build_world(tmp_path / "world", SHELVES, PACKETS, site.url(""))


@pytest.fixture
def live(workspace: Workspace, world: World, site: Server) -> Iterator[ScoopiProcess]:
    """A run that has loaded its second page."""
    running = workspace.start("run", world.defs, "--workers", 1, "--quiet")
    try:
        wait_until(lambda: len(site.log.all()) >= 2, "the second request", running=running)
        yield running
    finally:
        running.kill_all()


@pytest.fixture
def dead(live: ScoopiProcess) -> None:
    """A run that was killed after its second page."""
    live.signal(signal.SIGKILL)
    live.wait(60)


@pytest.mark.usefixtures("dead")
def test_of_two_resumes_at_once_one_runs_and_one_is_reported_so(workspace: Workspace, world: World) -> None:
    both = [workspace.start("resume", "--workers", 0, "--quiet") for _ in range(2)]
    try:
        codes = [each.wait(60) for each in both]
    finally:
        for each in both:
            each.kill_all()
    assert sorted(codes) == [0, 5]
    winner = both[codes.index(0)].process.pid
    assert f"the run is still running (pid {winner})" in (workspace.folder / "stderr.txt").read_text()
    assert workspace.rows() == world.rows


def test_resume_beside_a_live_run_is_refused_and_harms_nothing(
    workspace: Workspace, world: World, live: ScoopiProcess
) -> None:
    live.signal(signal.SIGSTOP)  # on a busy machine it would end in the meantime
    for words in (
        ["resume"],
        ["resume", str(workspace.run_folder())],
        ["resume", workspace.run_folder().name],
    ):
        ended = workspace.scoopi(*words)
        assert ended.code == 5
        assert f"the run is still running (pid {live.process.pid})" in ended.err
        assert "wait for its end" in ended.err
    live.signal(signal.SIGCONT)
    assert live.wait(60) == 0
    assert workspace.rows() == world.rows


def test_a_second_run_beside_a_live_one_has_a_folder_of_its_own(
    workspace: Workspace, world: World, live: ScoopiProcess
) -> None:
    first = workspace.run_folder()
    ended = workspace.scoopi("run", world.defs, "--workers", 0, "-D", "scoopi.loader.fetch.delay=0")
    assert ended.code == 0, ended.err
    assert live.wait(60) == 0
    assert len(workspace.runs()) == 2
    assert first in workspace.runs()
    for folder in workspace.runs():
        assert sorted((folder / "data.txt").read_text().splitlines()) == sorted(world.rows.elements())


def test_resume_without_any_run_says_so(workspace: Workspace) -> None:
    ended = workspace.scoopi("resume")
    assert (ended.code, ended.out) == (0, "")
    assert "nothing to resume: no unfinished run in output" in ended.err


def test_resume_after_a_finished_run_says_so_and_changes_nothing(
    workspace: Workspace, tmp_path: Path
) -> None:
    world = build_world(tmp_path / "world", 2, 1)
    assert workspace.scoopi("run", world.defs, "--workers", 0).code == 0
    before = {path: path.stat().st_mtime_ns for path in workspace.run_folder().iterdir()}
    assert "nothing to resume" in workspace.scoopi("resume").err
    assert {path: path.stat().st_mtime_ns for path in workspace.run_folder().iterdir()} == before


def test_resume_of_a_finished_run_by_name_ends_with_0_and_its_rows(
    workspace: Workspace, tmp_path: Path
) -> None:
    world = build_world(tmp_path / "world", 2, 1)
    assert workspace.scoopi("run", world.defs, "--workers", 0).code == 0
    ended = workspace.scoopi("resume", workspace.run_folder().name, "--workers", 0)
    assert ended.code == 0, ended.err
    assert workspace.rows() == world.rows


@pytest.mark.parametrize(
    ("name", "said"), [("no-such-run", "there is no such run"), ("..", "not a run folder")]
)
def test_resume_of_what_is_no_run_is_reported(workspace: Workspace, name: str, said: str) -> None:
    ended = workspace.scoopi("resume", name)
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.usefixtures("dead")
def test_another_value_of_a_setting_that_rows_depend_on_is_refused(
    workspace: Workspace, world: World
) -> None:
    ended = workspace.scoopi("resume", "-D", "scoopi.fact.notFound.replaceWith=none")
    assert ended.code == 3
    said = "scoopi.fact.notFound.replaceWith is 'none', but the run has 'not found'"
    assert said in ended.err
    assert "leave it out to continue, or start a new run" in ended.err
    again = workspace.scoopi("resume", "-D", "scoopi.fact.notFound.replaceWith=not found", "--workers", 0)
    assert again.code == 0, again.err
    assert workspace.rows() == world.rows


@pytest.mark.usefixtures("dead")
def test_another_delay_counts_from_now_on_with_a_warning(workspace: Workspace, world: World) -> None:
    workspace.settings = {}
    ended = workspace.scoopi("resume", "-D", "scoopi.loader.fetch.delay=20", "--workers", 0)
    assert ended.code == 0, ended.err
    assert "scoopi.loader.fetch.delay is '20', but the run has '150'" in ended.err
    assert workspace.rows() == world.rows


@pytest.mark.usefixtures("dead")
def test_resume_needs_neither_the_definitions_nor_the_old_folder(
    workspace: Workspace, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (world.defs / "job.yml").unlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    ended = workspace.scoopi("resume", workspace.run_folder(), "--workers", 0)
    assert ended.code == 0, ended.err
    assert workspace.rows() == world.rows


def test_a_signal_publishes_what_is_committed_and_resume_completes(
    workspace: Workspace, world: World, live: ScoopiProcess
) -> None:
    live.signal(signal.SIGINT)
    assert live.wait(60) == 130
    report = workspace.run_json()
    assert (report["status"], report["jobs"]["left"] > 0) == ("stopped", True)
    early = workspace.rows()
    assert report["rows"] == {"data.txt": early.total()}
    assert early
    assert not early - world.rows
    assert f"scoopi resume output/{report['run']}" in (workspace.folder / "stderr.txt").read_text()
    ended = workspace.scoopi("resume", "--workers", 2)
    assert ended.code == 0, ended.err
    assert workspace.rows() == world.rows
    assert workspace.run_json()["jobs"] == world.all_done
    assert workspace.run_json()["started"] == report["started"]
