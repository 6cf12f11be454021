"""EarlierIncarnations: rows of a run that the cluster lost are seen, refused, or moved aside."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.errors import RunError, StoreError
from scoopi.runs.cluster.left_over_runs import EarlierIncarnations
from scoopi.runs.folders.node_folder import NodeFolder

LOST, NOW = "00000000000000aa", "00000000000000bb"


def leave(run: Path, node: str, incarnation: str = LOST, over: bool = False) -> None:
    with NodeFolder.join(run, node) as folder:
        folder.write_state(incarnation, over)
        folder.segments.mkdir(exist_ok=True)
        (folder.segments / "one.seg").write_bytes(b"rows")


def test_a_folder_without_earlier_rows_is_used_as_it_is(tmp_path: Path) -> None:
    leave(tmp_path / "run", "ann", NOW)
    with NodeFolder.join(tmp_path / "run", "ann") as folder:
        earlier = EarlierIncarnations(folder)
        earlier.refuse(NOW)
        assert not earlier.saw_over(NOW)


@pytest.mark.parametrize("now", [NOW, None])
def test_rows_of_a_lost_run_are_refused_with_the_nodes_that_they_are_of(
    tmp_path: Path, now: str | None
) -> None:
    leave(tmp_path / "run", "ann")
    leave(tmp_path / "run", "bob")
    with NodeFolder.join(tmp_path / "run", "cid") as folder:
        with pytest.raises(RunError, match=r"rows here \(of ann, bob\)") as raised:
            EarlierIncarnations(folder).refuse(now)
        assert "--discard-lost" in str(raised.value)


@pytest.mark.parametrize(
    ("node", "is_over"), [("ann", True), ("bob", False), ("new", False)], ids=["saw", "did not", "is new"]
)
def test_a_node_saw_the_run_over_if_its_own_folder_says_so_or_for_a_new_one_all_do(
    tmp_path: Path, node: str, is_over: bool
) -> None:
    leave(tmp_path / "run", "ann", over=True)
    leave(tmp_path / "run", "bob")
    with NodeFolder.join(tmp_path / "run", node) as folder:
        assert EarlierIncarnations(folder).saw_over(None) is is_over
    leave(tmp_path / "other", "ann", over=True)
    with NodeFolder.join(tmp_path / "other", "new") as folder:
        assert EarlierIncarnations(folder).saw_over(None)


def test_rows_of_a_lost_run_are_moved_aside_for_all_nodes(tmp_path: Path) -> None:
    leave(tmp_path / "run", "ann")
    leave(tmp_path / "run", "bob")
    with NodeFolder.join(tmp_path / "run", "ann") as folder:
        EarlierIncarnations(folder).set_aside(NOW, [])
        assert folder.known_states() == {}
        EarlierIncarnations(folder).refuse(NOW)
    moved = {path.relative_to(tmp_path).parts[2] for path in (tmp_path / "run").rglob("one.seg")}
    assert len(moved) == 2
    assert all(name.startswith("lost-") for name in moved)


def test_rows_of_a_node_that_still_runs_are_not_moved(tmp_path: Path) -> None:
    leave(tmp_path / "run", "bob")
    with NodeFolder.join(tmp_path / "run", "bob"), NodeFolder.join(tmp_path / "run", "ann") as folder:
        with pytest.raises(StoreError, match="node bob is still running"):
            EarlierIncarnations(folder).set_aside(NOW, [])
        assert folder.known_states().keys() == {"bob"}
