"""Blocks of rows: each is its length (4 bytes, big endian), then bytes; they stand one behind the other."""

from __future__ import annotations

from collections.abc import Iterator

_SIZE_BYTES = 4


def as_block(rows: bytes) -> bytes:
    """The bytes with their length before them."""
    return len(rows).to_bytes(_SIZE_BYTES, "big") + rows


def read_blocks(body: bytes) -> Iterator[bytes]:
    """The bytes of each block.

    >>> list(read_blocks(as_block(b"rye") + as_block(b"oat")))
    [b'rye', b'oat']
    """
    start = 0
    while start < len(body):
        first = start + _SIZE_BYTES
        start = first + int.from_bytes(body[start:first], "big")
        yield body[first:start]
