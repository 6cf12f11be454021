"""NodeFolder: whose it is, and what is left of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.bootstrap.node_folder import NodeFolder
from scoopi.errors import RunError


def test_a_node_finds_its_folder_again_and_a_second_one_beside_it_gets_another(tmp_path: Path) -> None:
    run = tmp_path / "out" / "run"
    with NodeFolder.join(run, "") as first:
        first.write_state("r1")
        with NodeFolder.join(run, "") as beside:
            assert beside.node != first.node
    with NodeFolder.join(run, "") as again:
        assert again.node == first.node


def test_a_named_node_that_runs_is_not_joined_by_another_of_its_name(tmp_path: Path) -> None:
    with NodeFolder.join(tmp_path / "run", "ann"), pytest.raises(RunError, match="ann is still running"):
        NodeFolder.join(tmp_path / "run", "ann")


def test_nothing_is_left_of_a_node_that_never_took_part(tmp_path: Path) -> None:
    NodeFolder.join(tmp_path / "out" / "run", "").close()
    assert list((tmp_path / "out").iterdir()) == []


def test_what_others_have_stays_when_a_node_goes_that_never_took_part(tmp_path: Path) -> None:
    run = tmp_path / "out" / "run"
    with NodeFolder.join(run, "ann") as other:
        other.write_state("r1")
        NodeFolder.join(run, "").close()
    assert [path.name for path in (run / ".scoopi").iterdir()] == ["ann"]


def test_a_node_that_took_part_keeps_its_folder(tmp_path: Path) -> None:
    with NodeFolder.join(tmp_path / "run", "") as folder:
        folder.write_state("r1")
    assert (folder.node_folder / "node.json").exists()
