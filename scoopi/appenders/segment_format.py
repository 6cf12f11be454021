"""The layout of a segment file: a header, then frames whose damage can be detected.

header  8 bytes of magic, then a length-prefixed msgpack array (run incarnation, node incarnation)
frame   4 bytes of mark, u32 length of the body, 8 bytes of blake2b over the body, keyed by the node's
        incarnation, then the body: a msgpack Frame

Because of the key, bytes of a page cannot pass for a frame when a reader searches for the next mark.
"""

from __future__ import annotations

import struct
from hashlib import blake2b

import msgspec

MAGIC = b"SCOOPI\x001"
FRAME_MARK = b"\xf7\x5cF1"
FRAME_HEAD = struct.Struct("<4sI8s")
HEADER_LENGTH = struct.Struct("<I")


class SegmentHeader(msgspec.Struct, frozen=True, array_like=True):
    """The incarnations of the run and of the node that wrote the segment."""

    run: str
    node: str


def pack_header(header: SegmentHeader) -> bytes:
    """The first bytes of a segment file."""
    body = msgspec.msgpack.encode(header)
    return MAGIC + HEADER_LENGTH.pack(len(body)) + body


def pack_frame(body: bytes, node: str) -> bytes:
    """The head of a frame; the body follows it in the file."""
    return FRAME_HEAD.pack(FRAME_MARK, len(body), checksum(body, node))


def checksum(body: bytes | memoryview, node: str) -> bytes:
    """8 bytes that depend on the body and on the incarnation of the node."""
    return blake2b(body, digest_size=8, key=node.encode()).digest()
