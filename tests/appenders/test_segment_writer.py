"""SegmentWriter: a failed write leaves a readable file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from scoopi.appenders.segment_reader import SegmentReader
from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter
from scoopi.errors import AppenderError

from .conftest import NODE, frame


def test_a_failed_write_is_truncated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = SegmentWriter(tmp_path, SegmentHeader("run", NODE))
    writer.open()
    writer.append([frame(1)])
    write = os.writev

    def half(descriptor: int, buffers: Sequence[bytes]) -> int:
        write(descriptor, buffers[:1])
        raise OSError(28, "No space left on device")

    path = tmp_path / f"{NODE}.seg"
    size = path.stat().st_size
    monkeypatch.setattr(os, "writev", half)
    with pytest.raises(AppenderError, match="rows cannot be written: No space left on device"):
        writer.append([frame(2)])
    assert path.stat().st_size == size
    monkeypatch.setattr(os, "writev", write)
    assert writer.append([frame(3)]) == path.stat().st_size

    reader = SegmentReader(path)
    assert [each.fence for each in reader.frames()] == [1, 3]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    writer = SegmentWriter(tmp_path / "file", SegmentHeader("run", NODE))

    with pytest.raises(AppenderError, match="file"):
        writer.open()


def test_a_segment_is_numbered_and_durable_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    sync = os.fsync

    def watched(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    for number, node in enumerate(("a" * 16, "b" * 16)):
        writer = SegmentWriter(tmp_path, SegmentHeader("run", node))
        writer.open()
        assert synced[-2:] == [str(tmp_path / f"{node}.seg"), str(tmp_path)]
        assert SegmentReader(tmp_path / f"{node}.seg").header == SegmentHeader("run", node, number)


def test_a_write_that_the_kernel_cuts_short_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = SegmentWriter(tmp_path, SegmentHeader("run", NODE))
    writer.open()
    monkeypatch.setattr(os, "writev", lambda descriptor, buffers: os.write(descriptor, buffers[0]))
    end = writer.append([frame(number) for number in range(700)])

    reader = SegmentReader(tmp_path / f"{NODE}.seg")
    assert [each.fence for each in reader.frames()] == list(range(700))
    assert end == reader.position == (tmp_path / f"{NODE}.seg").stat().st_size


def test_frames_are_on_the_disk_when_they_count_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = SegmentWriter(tmp_path, SegmentHeader("run", NODE))
    writer.open()
    path = tmp_path / f"{NODE}.seg"
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    ends = [writer.append([frame(number)]) for number in (1, 2)]
    assert synced == ends
    assert ends[-1] == path.stat().st_size
    writer.close()


def test_the_rows_in_a_segment_are_not_for_others_to_change_or_run(tmp_path: Path) -> None:
    former = os.umask(0)
    try:
        SegmentWriter(tmp_path, SegmentHeader("run", NODE)).open()
    finally:
        os.umask(former)
    assert (tmp_path / f"{NODE}.seg").stat().st_mode & 0o777 == 0o644


def test_a_segment_makes_the_folders_that_it_stands_in_and_keeps_none_of_them_open(tmp_path: Path) -> None:
    folder = tmp_path / "run" / ".scoopi" / "segments"
    for node in ("a" * 16, "b" * 16):
        writer = SegmentWriter(folder, SegmentHeader("run", node))
        writer.open()
        writer.close()
    opened = [os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    assert not [name for name in opened if name.startswith(str(tmp_path))]
