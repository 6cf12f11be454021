"""RunFolder: which runs `resume` may continue."""

from __future__ import annotations

import logging
import os
from datetime import datetime
from pathlib import Path

import pytest

from scoopi.errors import RunError
from scoopi.runs.folders.node_folder import NodeFolder
from scoopi.runs.folders.run_folder import RunFolder, find_unfinished


@pytest.fixture
def cluster_run(tmp_path: Path) -> Path:
    """A node's folder of a cluster's run that is not over."""
    with NodeFolder.join(tmp_path / "fares-12ab-3f2a", "node1") as folder:
        folder.write_state("0123456789abcdef")
    return tmp_path / "fares-12ab-3f2a"


def test_a_run_of_a_cluster_is_passed_over_with_a_hint_how_to_resume_it(
    cluster_run: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert find_unfinished(cluster_run.parent) is None
    assert "run of a cluster; to continue it, start its nodes again with --run fares-12ab-3f2a" in caplog.text


def test_a_run_of_a_cluster_that_is_named_is_refused_and_left_as_it_is(cluster_run: Path) -> None:
    before = sorted(cluster_run.rglob("*"))
    with pytest.raises(RunError, match="with --run fares-12ab-3f2a"):
        RunFolder.open(cluster_run)
    assert sorted(cluster_run.rglob("*")) == before


def test_a_folder_whose_state_cannot_be_read_is_reported_and_stands_before_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    older, newer = (
        tmp_path / name / ".scoopi" / "n" for name in ("20260101-000000-aaaa", "20260102-000000-bbbb")
    )
    for folder, text in ((older, '{"run": "r", "owner": "o"}'), (newer, "{torn")):
        folder.mkdir(parents=True)
        (folder / "node.json").write_text(text)
    assert find_unfinished(tmp_path) == tmp_path / "20260101-000000-aaaa"
    assert "20260102-000000-bbbb is passed over" in caplog.text
    assert "cannot be read" in caplog.text


def test_the_state_of_a_run_and_its_name_are_on_disk_before_the_run_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda descriptor: synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
    )
    with RunFolder.make_hidden(tmp_path / "output") as folder:
        folder.write_state("0123456789abcdef")
        assert synced == ["node.json.tmp", folder.node]
        folder.reveal(datetime(2026, 1, 2, 3, 4, 5))
        assert synced[2:] == ["output"]
        assert folder.state().run == "0123456789abcdef"
