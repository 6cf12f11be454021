"""Segments: intact frames are read, damage is skipped."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from scoopi.appenders.segment_reader import SegmentReader, committed_state
from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter, pack_frame
from scoopi.model.job import JobState

from .conftest import NODE, frame


def written(folder: Path, bodies: Sequence[bytes]) -> Path:
    writer = SegmentWriter(folder, SegmentHeader("run", NODE))
    writer.open()
    writer.append(bodies)
    writer.close()
    return folder / f"{NODE}.seg"


def fences(path: Path) -> list[int]:
    return [each.fence for each in SegmentReader(path).frames()]


def test_frames_are_read_in_the_order_of_their_writing(tmp_path: Path) -> None:
    path = written(tmp_path, [frame(number) for number in range(2000)])

    reader = SegmentReader(path)
    assert [each.fence for each in reader.frames()] == list(range(2000))
    assert reader.header == SegmentHeader("run", NODE)


def test_a_segment_without_frames_has_none(tmp_path: Path) -> None:
    assert fences(written(tmp_path, [])) == []


@pytest.mark.parametrize("cut", [1, 5, 15, 16, 17, 30])
def test_a_torn_tail_costs_only_the_last_frame(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path, [frame(1), frame(2), frame(3)])
    os.truncate(path, path.stat().st_size - cut)

    assert fences(path) == [1, 2]


def test_a_flipped_bit_costs_only_its_frame(tmp_path: Path) -> None:
    bodies = [frame(number) for number in range(10)]
    path = written(tmp_path, bodies)
    whole = path.read_bytes()
    random.seed(5)
    first = whole.index(pack_frame(bodies[0], NODE))
    for _ in range(200):
        place = random.randrange(first, len(whole))
        spoiled = bytearray(whole)
        spoiled[place] ^= 1 << random.randrange(8)
        path.write_bytes(spoiled)
        found = fences(path)
        assert len(found) == 9
        assert set(found) < set(range(10))


def test_a_damaged_header_costs_no_frame(tmp_path: Path) -> None:
    path = written(tmp_path, [frame(1), frame(2)])
    spoiled = bytearray(path.read_bytes())
    spoiled[3] ^= 255
    path.write_bytes(spoiled)

    reader = SegmentReader(path)
    assert [each.fence for each in reader.frames()] == [1, 2]
    assert reader.header.node == NODE


def test_a_row_that_looks_like_a_frame_is_not_read_as_one(tmp_path: Path) -> None:
    forged = pack_frame(frame(666), "bbbbbbbbbbbbbbbb") + frame(666)
    path = written(tmp_path, [frame(1, forged), frame(2)])
    spoiled = bytearray(path.read_bytes())
    spoiled[spoiled.index(b"data.txt")] ^= 1
    path.write_bytes(spoiled)

    assert fences(path) == [2]


def test_reading_begins_and_ends_where_it_is_asked_to(tmp_path: Path) -> None:
    path = written(tmp_path, [frame(1), frame(2), frame(3)])
    reader = SegmentReader(path)
    ends = [reader.position for _ in reader.frames()]
    assert ends[-1] == path.stat().st_size
    assert [each.fence for each in reader.frames(ends[0])] == [2, 3]
    assert [each.fence for each in reader.frames(ends[0], ends[1])] == [2]
    assert [each.fence for each in reader.frames(0, ends[0])] == [1]


def test_the_committed_state_is_that_of_the_frame_of_job_and_fence(tmp_path: Path) -> None:
    path = written(tmp_path, [frame(1), frame(2)])
    assert committed_state(path, f"{2:032x}", 2) is JobState.DONE
    assert committed_state(path, f"{2:032x}", 1) is None
    assert committed_state(path, f"{1:032x}", 2) is None


def test_of_a_header_that_was_never_whole_the_file_names_the_node(tmp_path: Path) -> None:
    for content in (b"", b"SCOOPI", b"another kind of file, and longer than a header"):
        path = tmp_path / f"{NODE}.seg"
        path.write_bytes(content)
        reader = SegmentReader(path)
        assert reader.header == SegmentHeader("", NODE)
        assert list(reader.frames()) == []


def test_a_segment_whose_header_is_lost_is_read_from_its_first_byte(tmp_path: Path) -> None:
    path = tmp_path / f"{NODE}.seg"
    path.write_bytes(b"".join(pack_frame(body, NODE) + body for body in (frame(1), frame(2))))
    reader = SegmentReader(path)
    assert [each.fence for each in reader.frames()] == [1, 2]
    assert reader.header == SegmentHeader("", NODE)


def test_a_damaged_length_takes_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, [frame(1)])
    head = bytearray(pack_frame(frame(2), NODE))
    head[4:8] = b"\xff\xff\xff\x7f"
    with path.open("ab") as file:
        file.write(head + frame(2))
    asked: list[int] = []
    read = os.pread

    def watched(handle: int, length: int, position: int) -> bytes:
        asked.append(length)
        return read(handle, min(length, 1 << 20), position)

    monkeypatch.setattr(os, "pread", watched)
    assert fences(path) == [1]
    assert max(asked) <= 1 << 20
