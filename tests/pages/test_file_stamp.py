"""A stamp changes with the file or folder, and says nothing of what was changed a moment ago."""

from __future__ import annotations

import os
import time
from pathlib import Path

from scoopi.pages.file_stamp import is_old, stamp_of


def await_tick(folder: Path) -> None:
    """Until the kernel's clock, whose ticks are the times of changes, has gone on."""
    probe = folder.with_name(f"{folder.name}-probe")
    probe.touch()
    before = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == before:
        probe.touch()


def test_a_stamp_changes_with_the_content_though_size_and_time_stay(tmp_path: Path) -> None:
    file = tmp_path / "defs.yml"
    file.write_text("one")
    os.utime(file, (1, 1))
    before = stamp_of(str(file))
    await_tick(tmp_path)
    file.write_text("two")
    os.utime(file, (1, 1))
    assert stamp_of(str(file)) != before


def test_a_stamp_of_a_folder_changes_with_its_names(tmp_path: Path) -> None:
    before = stamp_of(str(tmp_path))
    await_tick(tmp_path)
    (tmp_path / "new.yml").touch()
    assert stamp_of(str(tmp_path)) != before


def test_what_is_not_there_has_no_stamp_and_is_sure(tmp_path: Path) -> None:
    stamp = stamp_of(str(tmp_path / "absent"))
    assert stamp is None
    assert is_old(stamp, time.time_ns())


def test_what_was_changed_a_moment_ago_is_not_sure(tmp_path: Path) -> None:
    stamp = stamp_of(str(tmp_path))
    now_ns = time.time_ns()
    assert not is_old(stamp, now_ns)
    assert is_old(stamp, now_ns + 10_000_000_000)
