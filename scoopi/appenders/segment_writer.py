"""SegmentWriter: appends frames to the segment file of this process and makes them durable.

Damage to a frame can be detected. The layout of a segment file:
header  8 bytes of magic, u32 length, then a msgpack array: a SegmentHeader
frame   4 bytes of mark, u32 length of the body, 8 bytes of blake2b over the body, keyed by the node's
        incarnation, then the body: a msgpack Frame

Because of the key, bytes of a page cannot pass for a frame when a reader searches for the next mark.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import msgspec

from scoopi.errors import AppenderError
from scoopi.synced_files import sync_folder

MAGIC = b"SCOOPI\x001"
FRAME_MARK = b"\xf7\x5cF1"
FRAME_HEAD = struct.Struct("<4sI8s")
HEADER_LENGTH = struct.Struct("<I")
WRITE_AT_ONCE = 512
"""Buffers per writev; below the kernel's IOV_MAX of 1024."""


class SegmentHeader(msgspec.Struct, frozen=True, array_like=True):
    """The incarnations of the run and of the node that wrote the segment.

    Attributes:
        number: how many segments of the run were in the node's folder before.
    """

    run: str
    node: str
    number: int = 0


def pack_header(header: SegmentHeader) -> bytes:
    """The first bytes of a segment file."""
    body = msgspec.msgpack.encode(header)
    return MAGIC + HEADER_LENGTH.pack(len(body)) + body


def pack_frame(body: bytes, node: str) -> bytes:
    """The bytes that precede a frame's body in the file.

    Args:
        node: incarnation of the node that writes the frame.
    """
    return FRAME_HEAD.pack(FRAME_MARK, len(body), checksum(body, node))


def checksum(body: bytes | memoryview, node: str) -> bytes:
    """The checksum of a frame: 8 bytes that depend on its body and on the incarnation of the node."""
    keyed = _keyed(node).copy()
    keyed.update(body)
    return keyed.digest()


@lru_cache(maxsize=16)
def _keyed(node: str) -> blake2b:
    """The beginning of all checksums of a node; a copy takes two thirds of the time of a new one."""
    return blake2b(digest_size=8, key=node.encode())


class SegmentWriter:
    """Appends frames to one new file per process, `<incarnation>.seg`, and makes them durable.

    A write that fails is truncated, so that the file ends with an intact frame.

    Source: ARCHITECTURE, protocol rule 5.
    """

    def __init__(self, folder: Path, header: SegmentHeader) -> None:
        self._header = header
        self._folder = folder
        self._path = folder / f"{header.node}.seg"
        self._file = -1
        self._size = 0

    def open(self) -> None:
        """Create the file and make it and its name durable.

        Raises:
            AppenderError: the file cannot be created.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._header = msgspec.structs.replace(
                self._header, number=sum(1 for _ in self._folder.glob("*.seg"))
            )
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
            self._write([pack_header(self._header)])
            os.fsync(self._file)
            sync_folder(self._folder)
        except OSError as error:
            raise self._fault(error) from error

    def append(self, bodies: Sequence[bytes]) -> int:
        """Write a frame for each body and return once all are on the disk.

        Returns:
            The offset in the file, in bytes, at which the last one ends.
        Raises:
            AppenderError: none of them was written; the file ends with the frame before them.
        """
        buffers: list[bytes] = []
        for body in bodies:
            buffers.append(pack_frame(body, self._header.node))
            buffers.append(body)
        try:
            self._write(buffers)
            os.fsync(self._file)
        except OSError as error:
            raise self._fault(error) from error
        return self._size

    def close(self) -> None:
        """Close the file; nothing can be appended afterwards."""
        os.close(self._file)

    def _write(self, buffers: list[bytes]) -> None:
        start = self._size
        try:
            for first in range(0, len(buffers), WRITE_AT_ONCE):
                self._write_all(buffers[first : first + WRITE_AT_ONCE])
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, start)
                os.lseek(self._file, start, os.SEEK_SET)
            self._size = start
            raise

    def _write_all(self, buffers: list[bytes]) -> None:
        wanted = sum(map(len, buffers))
        written = os.writev(self._file, buffers)
        if written < wanted:
            rest = memoryview(b"".join(buffers))[written:]
            while rest:
                rest = rest[os.write(self._file, rest) :]
        self._size += wanted

    def _fault(self, error: OSError) -> AppenderError:
        return AppenderError(
            f"rows cannot be written: {error.strerror or error}",
            at=str(self._path),
            hint="free some space or fix the disk, then `scoopi resume` (in a cluster: start again); "
            "no committed row is lost",
        )
