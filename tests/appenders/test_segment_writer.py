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

    monkeypatch.setattr(os, "writev", half)
    with pytest.raises(AppenderError, match="No space left on device"):
        writer.append([frame(2)])
    monkeypatch.setattr(os, "writev", write)
    writer.append([frame(3)])

    reader = SegmentReader(tmp_path / f"{NODE}.seg")
    assert [each.fence for each in reader.frames()] == [1, 3]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    writer = SegmentWriter(tmp_path / "file", SegmentHeader("run", NODE))

    with pytest.raises(AppenderError, match="file"):
        writer.open()
