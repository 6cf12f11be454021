"""SegmentReader: reads the intact frames of a segment file and skips damaged bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from scoopi.appenders.segment_writer import (
    FRAME_HEAD,
    FRAME_MARK,
    HEADER_LENGTH,
    MAGIC,
    SegmentHeader,
    checksum,
)
from scoopi.model.decoders import msgpack_decoder
from scoopi.model.job import Frame, JobState

FRAME_DECODER = msgpack_decoder(Frame)
MOST_HEADER_BYTES = 4096
READ_BYTES = 1 << 20
SEARCH_BYTES = 1 << 20


class SegmentReader:
    """Reads the intact frames of a segment file, in pieces of constant size, and skips damaged bytes.

    Attributes:
        header: the owner of the segment; if the header is damaged, the run is empty and the node is
            taken from the name of the file, so that its frames still count.
        position: the offset in the file, in bytes, at which the frame ends that was read last.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.header, self._start = self._read_header()
        self.position = self._start

    def frames(self, start: int = 0, end: int | None = None) -> Iterator[Frame]:
        """Yield every intact frame in the order of writing; damaged bytes are skipped.

        Args:
            start: the offset, in bytes, at which an earlier frame ends, from where to read.
            end: the offset at which the last frame to read ends; None: the end of the file.
        """
        handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.position = max(start, self._start)
            yield from self._scan(handle, os.fstat(handle).st_size if end is None else end)
        finally:
            os.close(handle)

    def _read_header(self) -> tuple[SegmentHeader, int]:
        unknown = SegmentHeader(run="", node=self._path.stem)
        with self._path.open("rb") as file:
            head = file.read(len(MAGIC) + HEADER_LENGTH.size)
            if len(head) < len(MAGIC) + HEADER_LENGTH.size or not head.startswith(MAGIC):
                return unknown, 0
            (length,) = HEADER_LENGTH.unpack_from(head, len(MAGIC))
            body = file.read(min(length, MOST_HEADER_BYTES))
        try:
            return msgpack_decoder(SegmentHeader).decode(body), len(head) + length
        except (msgspec.DecodeError, UnicodeDecodeError):
            return unknown, len(head)

    def _scan(self, handle: int, end: int) -> Iterator[Frame]:
        window = _Window(handle)
        while self.position < end:
            body = _body_at(window, self.position, end, self.header.node)
            if body is None:
                self.position = _next_mark(handle, self.position + 1, end)
                continue
            self.position += FRAME_HEAD.size + len(body)
            yield FRAME_DECODER.decode(body)


def segment_order(path: Path) -> tuple[str, int, str]:
    """Sort key of a segment: its folder, then the order in which its node began it."""
    return str(path.parent), SegmentReader(path).header.number, path.name


def committed_state(segment: Path, job: str, fence: int) -> JobState | None:
    """The state of a job in its frame of a segment; None if the segment has no frame of this job and fence.

    Reads the whole segment, so it is only for jobs about which the store and this node disagree.
    """
    for frame in SegmentReader(segment).frames():
        if (frame.job, frame.fence) == (job, fence):
            return frame.state
    return None


class _Window:
    """Reads a file in large pieces."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._start = 0
        self._bytes = memoryview(b"")

    def read(self, length: int, position: int) -> memoryview:
        """Up to `length` bytes from `position` on; fewer at the end of the file."""
        first = position - self._start
        if first < 0 or first + length > len(self._bytes):
            self._bytes = memoryview(os.pread(self._handle, max(length, READ_BYTES), position))
            self._start, first = position, 0
        return self._bytes[first : first + length]


def _body_at(window: _Window, position: int, end: int, node: str) -> memoryview | None:
    """The body of the frame at `position`; None if no intact frame begins there."""
    head = window.read(FRAME_HEAD.size, position)
    if len(head) < FRAME_HEAD.size:
        return None
    mark, length, expected = FRAME_HEAD.unpack(head)
    if mark != FRAME_MARK or position + FRAME_HEAD.size + length > end:
        return None
    body = window.read(length, position + FRAME_HEAD.size)
    return body if checksum(body, node) == expected else None


def _next_mark(handle: int, position: int, end: int) -> int:
    """The position of the next frame mark; the end of the file if there is none."""
    while position < end:
        window = os.pread(handle, SEARCH_BYTES, position)
        found = window.find(FRAME_MARK)
        if found >= 0:
            return position + found
        # A mark may be split between two windows.
        position += max(1, len(window) - len(FRAME_MARK) + 1)
    return end
