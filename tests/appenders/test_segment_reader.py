"""Segments: intact frames are read, damage is skipped."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from scoopi.appenders.segment_reader import SegmentReader, committed_state, segment_order
from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter, pack_frame, pack_header
from scoopi.model.job import JobState

from .conftest import NODE, frame


def segment_of(folder: Path, bodies: Sequence[bytes]) -> Path:
    writer = SegmentWriter(folder, SegmentHeader("run", NODE))
    writer.open()
    writer.append(bodies)
    writer.close()
    return folder / f"{NODE}.seg"


def fences(path: Path) -> list[int]:
    return [each.fence for each in SegmentReader(path).frames()]


def test_frames_are_read_in_the_order_of_their_writing(tmp_path: Path) -> None:
    path = segment_of(tmp_path, [frame(number) for number in range(2000)])

    reader = SegmentReader(path)
    assert [each.fence for each in reader.frames()] == list(range(2000))
    assert reader.header == SegmentHeader("run", NODE)


def test_a_segment_without_frames_has_none(tmp_path: Path) -> None:
    assert fences(segment_of(tmp_path, [])) == []


@pytest.mark.parametrize("cut", [1, 5, 15, 16, 17, 30])
def test_a_torn_tail_costs_only_the_last_frame(tmp_path: Path, cut: int) -> None:
    path = segment_of(tmp_path, [frame(1), frame(2), frame(3)])
    os.truncate(path, path.stat().st_size - cut)

    assert fences(path) == [1, 2]


def test_a_flipped_bit_costs_only_its_frame(tmp_path: Path) -> None:
    bodies = [frame(number) for number in range(10)]
    path = segment_of(tmp_path, bodies)
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
    path = segment_of(tmp_path, [frame(1), frame(2)])
    spoiled = bytearray(path.read_bytes())
    spoiled[3] ^= 255
    path.write_bytes(spoiled)

    reader = SegmentReader(path)
    assert [each.fence for each in reader.frames()] == [1, 2]
    assert reader.header.node == NODE


def test_a_row_that_looks_like_a_frame_is_not_read_as_one(tmp_path: Path) -> None:
    forged = pack_frame(frame(666), "bbbbbbbbbbbbbbbb") + frame(666)
    path = segment_of(tmp_path, [frame(1, forged), frame(2)])
    spoiled = bytearray(path.read_bytes())
    spoiled[spoiled.index(b"data.txt")] ^= 1
    path.write_bytes(spoiled)

    assert fences(path) == [2]


def test_reading_begins_and_ends_where_it_is_asked_to(tmp_path: Path) -> None:
    path = segment_of(tmp_path, [frame(1), frame(2), frame(3)])
    reader = SegmentReader(path)
    ends = [reader.position for _ in reader.frames()]
    assert ends[-1] == path.stat().st_size
    assert [each.fence for each in reader.frames(ends[0])] == [2, 3]
    assert [each.fence for each in reader.frames(ends[0], ends[1])] == [2]
    assert [each.fence for each in reader.frames(0, ends[0])] == [1]
    for end in range(ends[0], ends[1]):
        found = [each.fence for each in reader.frames(0, end)]
        assert found == [1], "a frame that is not whole before the end may not count yet"


def test_the_committed_state_is_that_of_the_frame_of_job_and_fence(tmp_path: Path) -> None:
    path = segment_of(tmp_path, [frame(1), frame(2)])
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
    path = segment_of(tmp_path, [frame(1)])
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


HEAD = len(pack_header(SegmentHeader("run", NODE)))


@pytest.mark.parametrize("kept", [0, 1, 7, 8, 11, 12, 13, HEAD - 1])
def test_of_a_header_that_is_cut_off_nothing_is_read(tmp_path: Path, kept: int) -> None:
    path = segment_of(tmp_path, [])
    os.truncate(path, kept)
    reader = SegmentReader(path)
    assert (reader.header, [*reader.frames()]) == (SegmentHeader("", NODE), [])


def test_frames_behind_a_header_that_is_damaged_are_read(tmp_path: Path) -> None:
    path = segment_of(tmp_path, [frame(1), frame(2)])
    whole = bytearray(path.read_bytes())
    for place in (0, 8, 11, 13, HEAD - 1):
        path.write_bytes(bytes([*whole[:place], whole[place] ^ 0x80, *whole[place + 1 :]]))
        assert fences(path) == [1, 2]


def test_a_reader_is_where_its_last_frame_ends(tmp_path: Path) -> None:
    path = segment_of(tmp_path, [frame(1), frame(2)])
    reader = SegmentReader(path)
    assert reader.position == HEAD
    ends = [reader.position for _ in reader.frames()]
    assert ends[-1] == path.stat().st_size
    assert [each.fence for each in reader.frames(ends[0])] == [2]
    assert [each.fence for each in reader.frames(end=ends[0])] == [1]


def test_what_is_read_is_closed_also_when_the_reader_stops_early(tmp_path: Path) -> None:
    path = segment_of(tmp_path, [frame(1), frame(2)])
    frames = SegmentReader(path).frames()
    next(frames)
    assert _is_open(path)
    del frames
    assert not _is_open(path)


def _is_open(path: Path) -> bool:
    links = Path("/proc/self/fd").iterdir()
    return any(str(path) == os.readlink(link) for link in links if link.is_symlink())


@pytest.mark.parametrize("around", [-64, *range(-5, 6)])
def test_a_mark_that_is_split_between_two_pieces_of_the_search_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, around: int
) -> None:
    monkeypatch.setattr("scoopi.appenders.segment_reader.SEARCH_BYTES", 64)
    path = segment_of(tmp_path, [])
    with path.open("ab") as file:
        file.write(bytes(65 + around) + pack_frame(frame(7), NODE) + frame(7))
    reader = SegmentReader(path)
    assert [each.fence for each in reader.frames()] == [7]


@pytest.mark.parametrize("piece", [1, 16, 17, 100, 300])
def test_frames_are_read_whole_wherever_a_piece_of_the_file_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr("scoopi.appenders.segment_reader.READ_BYTES", piece)
    path = segment_of(tmp_path, [frame(number, b"row\n" * number) for number in range(40)])
    assert fences(path) == [*range(40)]


def test_segments_of_a_node_are_sorted_in_the_order_in_which_it_began_them(tmp_path: Path) -> None:
    begun = []
    for folder, name in (("b", "c"), ("b", "a"), ("a", "x"), ("b", "b")):
        writer = SegmentWriter(tmp_path / folder, SegmentHeader("run", name * 16))
        writer.open()
        writer.close()
        begun.append(tmp_path / folder / f"{name * 16}.seg")
    one, two, other, three = begun
    assert sorted([three, two, one, other], key=segment_order) == [other, one, two, three]


def test_a_reader_of_a_damaged_part_ends_where_it_was_asked_to(tmp_path: Path) -> None:
    path = segment_of(tmp_path, [frame(1), frame(2), frame(3)])
    reader = SegmentReader(path)
    ends = [reader.position for _ in reader.frames()]
    spoiled = bytearray(path.read_bytes())
    spoiled[ends[1] - 1] ^= 1
    path.write_bytes(spoiled)
    assert [each.fence for each in reader.frames(end=ends[1])] == [1]
    assert reader.position == ends[1], "frames behind it are read by the next call"
    assert [each.fence for each in reader.frames(reader.position)] == [3]
