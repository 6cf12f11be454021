"""Segments: intact frames are read, damage is skipped."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from scoopi.appenders.segment_reader import SegmentReader
from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter, pack_frame

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
