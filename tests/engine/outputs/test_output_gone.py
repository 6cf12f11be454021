"""Output that is gone or full when a run begins or is over: named, with exit code 5."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scoopi.runs.folders.run_folder import RunFolder
from tests.engine.workspace import LIMIT_S, ROOT, Workspace
from tests.reliability.world import World, build_world, read_rows


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two pages."""
    return build_world(tmp_path / "world", 1, 1)


def _fill_up(monkeypatch: pytest.MonkeyPatch, at_the_end: bool) -> None:
    write = RunFolder.write_state

    def full(folder: RunFolder, run: str, over: bool = False) -> None:
        if over is at_the_end:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(folder, run, over)

    monkeypatch.setattr(RunFolder, "write_state", full)


def test_a_disk_without_room_for_the_runs_folder_is_reported_and_left_empty(
    workspace: Workspace, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill_up(monkeypatch, at_the_end=False)
    ended = workspace.scoopi("run", world.defs, "--workers", 0)
    assert ended.code == 5, ended.err
    assert "the run's folder cannot be created: No space left on device; check the free space" in ended.err
    assert "resume" not in ended.err
    assert not (workspace.folder / "output").exists()


def test_a_disk_that_is_full_when_the_run_is_over_is_reported_and_resume_notes_it(
    workspace: Workspace, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        _fill_up(full, at_the_end=True)
        ended = workspace.scoopi("run", world.defs, "--workers", 0)
    assert ended.code == 5, ended.err
    assert "all rows are published, but the end of the run cannot be recorded: No space left" in ended.err
    assert workspace.scoopi("resume").code == 0
    assert read_rows(workspace.run_folder()) == world.rows
    assert "nothing to resume" in workspace.scoopi("resume").err


def test_a_closed_stdout_is_reported_before_anything_begins(workspace: Workspace, world: World) -> None:
    ended = subprocess.run(
        [
            "sh",
            "-c",
            'exec "$@" >&-',
            "sh",
            sys.executable,
            "-m",
            "scoopi",
            "run",
            world.defs,
            "--output",
            "-",
        ],
        cwd=workspace.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        timeout=LIMIT_S,
        check=False,
    )
    assert (ended.returncode, b"stdout is closed; " in ended.stderr) == (5, True), ended.stderr
    assert not workspace.runs()
