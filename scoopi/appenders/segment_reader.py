"""SegmentReader: the whole frames of a segment file, damage passed over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from scoopi.appenders.segment_format import (
    FRAME_HEAD,
    FRAME_MARK,
    HEADER_LENGTH,
    MAGIC,
    SegmentHeader,
    checksum,
)
from scoopi.model.frame import Frame

FRAME_DECODER = msgspec.msgpack.Decoder(Frame)
READ_BYTES = 1 << 20
SEARCH_BYTES = 1 << 20


class SegmentReader:
    """Reads one file front to back, a piece at a time, whatever the size of the file.

    Attributes:
        header: whose segment it is; when its first bytes are damaged the run is empty and the node is
            taken from the file's name, so that its frames still count.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.header, self._start = self._read_header()

    def frames(self) -> Iterator[Frame]:
        """Every whole frame, in the order of writing; behind damage it goes on at the next whole one."""
        handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            yield from self._scan(handle, os.fstat(handle).st_size, self.header.node)
        finally:
            os.close(handle)

    def _read_header(self) -> tuple[SegmentHeader, int]:
        unknown = SegmentHeader(run="", node=self._path.stem)
        with self._path.open("rb") as file:
            head = file.read(len(MAGIC) + HEADER_LENGTH.size)
            if len(head) < len(MAGIC) + HEADER_LENGTH.size or not head.startswith(MAGIC):
                return unknown, 0
            (length,) = HEADER_LENGTH.unpack_from(head, len(MAGIC))
            body = file.read(min(length, 4096))
        try:
            return msgspec.msgpack.decode(body, type=SegmentHeader), len(head) + length
        except (msgspec.DecodeError, UnicodeDecodeError):
            return unknown, 0

    def _scan(self, handle: int, end: int, node: str) -> Iterator[Frame]:
        position, window = self._start, _Window(handle)
        while position < end:
            body = _body_at(window, position, end, node)
            if body is not None:
                yield FRAME_DECODER.decode(body)
                position += FRAME_HEAD.size + len(body)
                continue
            position = _next_mark(handle, position + 1, end)


class _Window:
    """A file, read in large pieces."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._start = 0
        self._bytes = memoryview(b"")

    def read(self, length: int, position: int) -> memoryview:
        """So many bytes from there; fewer at the end of the file."""
        first = position - self._start
        if first < 0 or first + length > len(self._bytes):
            self._bytes = memoryview(os.pread(self._handle, max(length, READ_BYTES), position))
            self._start, first = position, 0
        return self._bytes[first : first + length]


def _body_at(window: _Window, position: int, end: int, node: str) -> memoryview | None:
    """The body of the frame that begins there; None when none does, whole."""
    head = window.read(FRAME_HEAD.size, position)
    if len(head) < FRAME_HEAD.size:
        return None
    mark, length, expected = FRAME_HEAD.unpack(head)
    if mark != FRAME_MARK or position + FRAME_HEAD.size + length > end:
        return None
    body = window.read(length, position + FRAME_HEAD.size)
    return body if checksum(body, node) == expected else None


def _next_mark(handle: int, position: int, end: int) -> int:
    """Where the next frame may begin; the end of the file when none may."""
    while position < end:
        window = os.pread(handle, SEARCH_BYTES, position)
        found = window.find(FRAME_MARK)
        if found >= 0:
            return position + found
        # A mark may lie across two windows.
        position += max(1, len(window) - len(FRAME_MARK) + 1)
    return end
