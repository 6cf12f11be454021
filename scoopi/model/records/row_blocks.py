"""Concatenated blocks of rows: each is its length (4 bytes, big-endian), then that many bytes."""

from __future__ import annotations

from collections.abc import Iterator

_SIZE_BYTES = 4


def as_block(rows: bytes) -> bytes:
    """Return the block of the bytes: their length, then the bytes."""
    return len(rows).to_bytes(_SIZE_BYTES, "big") + rows


def read_blocks(body: bytes) -> Iterator[bytes]:
    """Yield the contents of each of the concatenated blocks.

    >>> list(read_blocks(as_block(b"rye") + as_block(b"oat")))
    [b'rye', b'oat']
    """
    start = 0
    while start < len(body):
        first = start + _SIZE_BYTES
        start = first + int.from_bytes(body[start:first], "big")
        yield body[first:start]
