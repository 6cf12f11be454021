"""NodeFolder: whose it is, and what is left of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scoopi.errors import RunError
from scoopi.runs.folders.node_folder import NodeFolder


def test_a_node_finds_its_folder_again_and_a_second_one_beside_it_gets_another(tmp_path: Path) -> None:
    run = tmp_path / "out" / "run"
    with NodeFolder.join(run, "") as first:
        first.write_state("r1")
        with NodeFolder.join(run, "") as beside:
            assert beside.node != first.node
    with NodeFolder.join(run, "") as again:
        assert again.node == first.node


def test_of_the_folders_of_this_machine_that_comes_first_which_has_not_seen_the_run_over(
    tmp_path: Path,
) -> None:
    for node, over in (("ann", True), ("bob", False), ("cid", True)):
        with NodeFolder.join(tmp_path / "run", node) as folder:
            folder.write_state("r1", over)
    with NodeFolder.join(tmp_path / "run", "") as first, NodeFolder.join(tmp_path / "run", "") as second:
        assert (first.node, second.node) == ("bob", "ann")


def test_a_run_that_is_over_is_so_for_all_nodes_of_that_life_whose_folders_are_there(tmp_path: Path) -> None:
    with (
        NodeFolder.join(tmp_path / "run", "ann") as folder,
        NodeFolder.join(tmp_path / "run", "bob") as dead,
        NodeFolder.join(tmp_path / "run", "cid") as former,
    ):
        for each, run in ((folder, "r2"), (dead, "r2"), (former, "r1")):
            each.write_state(run)
        folder.note_over("r2")
        known = folder.known_states()
        assert {node: state.over for node, state in known.items()} == {"ann": True, "bob": True, "cid": False}


def test_a_named_node_waits_for_another_that_moves_its_lost_rows_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.runs.folders.node_folder.LOCK_S", 60.0)
    with NodeFolder.join(tmp_path / "run", "ann") as folder:
        folder.write_state("r1")
    with NodeFolder.join(tmp_path / "run", "bob") as bob, ThreadPoolExecutor(1) as pool:
        ann = bob.beside("ann")
        assert ann is not None
        with ann:
            joined = pool.submit(NodeFolder.join, tmp_path / "run", "ann")
            ann.set_aside([])
            assert not joined.done()
        with joined.result(60) as again:
            assert again.known_states() == {}


def test_a_named_node_that_runs_is_not_joined_by_another_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.runs.folders.node_folder.LOCK_S", 0.1)
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


def test_files_that_were_downloaded_for_lost_rows_are_moved_aside_with_them(tmp_path: Path) -> None:
    with NodeFolder.join(tmp_path / "run", "ann") as folder:
        kept = folder.node_folder / "files" / "kept" / "ab" / "ab12"
        kept.parent.mkdir(parents=True)
        kept.write_bytes(b"of the lost run")
        lost = folder.set_aside([])
        assert not (folder.node_folder / "files").exists(), "the new run asks for its own"
        assert (lost / "node-files" / "kept" / "ab" / "ab12").read_bytes() == b"of the lost run"
