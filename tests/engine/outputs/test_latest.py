"""`output/latest` leads to the run that finished last; addresses are refused as output."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoopi import Scoopi
from scoopi.errors import UsageError
from scoopi.runs.folders.run_folder import point_latest
from tests.engine.workspace import Workspace
from tests.reliability.world import World

LATEST = Path("output/latest")


def test_latest_leads_to_the_run_that_finished_last(workspace: Workspace, world: World) -> None:
    led_to = []
    for _ in range(2):
        assert workspace.scoopi("run", world.defs, "--workers", 0).code == 0
        assert (LATEST / "data.txt").read_text()
        led_to.append(os.readlink(LATEST))
    assert sorted(led_to) == [run.name for run in workspace.runs()], (
        "relative, so that the folder may be moved"
    )
    assert workspace.scoopi("resume", led_to[0], "--workers", 0).code == 0
    assert os.readlink(LATEST) == led_to[0]
    assert list(Path("output").glob(".latest*")) == []


def test_resume_without_a_name_never_takes_the_link_for_a_run(workspace: Workspace, world: World) -> None:
    assert workspace.scoopi("run", world.defs, "--workers", 0).code == 0
    assert workspace.scoopi("resume").err == "nothing to resume: no unfinished run in output\n"


def test_rows_on_stdout_leave_no_link(workspace: Workspace, world: World) -> None:
    assert workspace.process("run", world.defs, "--workers", 0, "--output", "-").code == 0
    assert not LATEST.is_symlink()


def test_a_failed_run_leaves_the_link_as_it_was(workspace: Workspace, world: World) -> None:
    assert workspace.scoopi("run", world.defs, "--workers", 0).code == 0
    before = os.readlink(LATEST)
    stopped = Scoopi(world.defs)
    stopped.cancel()
    stopped.run()
    assert os.readlink(LATEST) == before


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_is_called_latest_and_is_no_link_stays(tmp_path: Path, kind: str) -> None:
    own = tmp_path / "latest"
    own.mkdir() if kind == "folder" else own.write_text("mine")
    point_latest(tmp_path / "20260101-000000-aaaa")
    assert own.is_dir() if kind == "folder" else own.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [own]


def test_a_link_to_a_run_that_was_removed_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to("removed")
    point_latest(tmp_path / "20260101-000000-aaaa")
    assert os.readlink(tmp_path / "latest") == "20260101-000000-aaaa"


@pytest.mark.parametrize(
    "address", ["s3://bucket/rows", "gs://bucket", "file:///tmp/rows", "https://a.example/"]
)
def test_an_address_as_output_is_refused_and_no_folder_is_made(
    workspace: Workspace, world: World, address: str
) -> None:
    ended = workspace.scoopi("run", world.defs, "--output", address)
    assert ended.code == 2
    assert f"--output {address.partition(':')[0]}://… is an address" in ended.err
    assert "name a folder of this machine" in ended.err
    with pytest.raises(UsageError, match="is an address"):
        Scoopi(world.defs, output=address)
    assert list(workspace.folder.iterdir()) == []
