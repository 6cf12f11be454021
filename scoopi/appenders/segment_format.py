"""How a segment file is laid out: a header, then frames that can be told from damage.

header  8 bytes of magic, then a length-prefixed msgpack array (run incarnation, node incarnation)
frame   4 bytes of mark, u32 length of the body, 8 bytes of blake2b over the body, keyed by the node's
        incarnation, then the body: a msgpack Frame

The key keeps bytes of a page from passing for a frame when a reader looks for the next mark behind damage.
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
    """Whose frames a segment holds; (node incarnation, fence) is what the store names."""

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
    """8 bytes that change with the body and with the node's incarnation."""
    return blake2b(body, digest_size=8, key=node.encode()).digest()
