"""Files and their names are handed to the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoopi.synced_files import replace_synced, sync_file, sync_folder


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


def test_a_file_is_replaced_once_its_new_content_is_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, temporary = tmp_path / "state", tmp_path / "state.tmp"
    file.write_bytes(b"old")
    seen: list[tuple[Path, bytes]] = []

    def noted(descriptor: int) -> None:
        seen.append((Path(f"/proc/self/fd/{descriptor}").readlink(), file.read_bytes()))

    monkeypatch.setattr(os, "fsync", noted)
    replace_synced(file, b"new", temporary)
    assert seen == [(temporary, b"old"), (tmp_path, b"new")]
    assert not temporary.exists()
