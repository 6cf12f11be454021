"""Files and their names are handed to the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoopi.synced_files import sync_file, sync_folder


def test_a_file_and_a_folder_are_synced_and_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "rows"
    file.write_text("a")
    synced: list[Path] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(Path(f"/proc/self/fd/{fd}").readlink()))
    before = {*os.listdir("/proc/self/fd")}
    sync_file(file)
    sync_folder(tmp_path)
    assert synced == [file, tmp_path]
    assert {*os.listdir("/proc/self/fd")} <= before
    with pytest.raises(NotADirectoryError):
        sync_folder(file)
