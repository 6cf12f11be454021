"""Content codings as the server applies them, and bombs made of them."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from functools import lru_cache

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MEGABYTE = 1_000_000
PIECE = bytes(MEGABYTE)


def encode(coding: str, body: bytes) -> bytes:
    """The body in that coding.

    Raises:
        ValueError: no such coding.
    """
    if coding in ("gzip", "x-gzip"):
        return gzip.compress(body, mtime=0)
    if coding == "deflate":
        return zlib.compress(body)
    if coding == "raw-deflate":
        raw = zlib.compressobj(wbits=-15)
        return raw.compress(body) + raw.flush()
    if coding == "br":
        return bytes(brotli.compress(body, quality=4))
    if coding == "zstd":
        return zstd.compress(body)
    if coding == "identity":
        return body
    raise ValueError(coding)


@lru_cache(maxsize=8)
def bomb(coding: str, megabytes: int) -> bytes:
    """Zeros of that many megabytes, packed small."""
    return b"".join(_packed_zeros(coding, megabytes))


def _packed_zeros(coding: str, megabytes: int) -> Iterator[bytes]:
    if coding == "br":
        packer = brotli.Compressor(quality=3)
        for _ in range(megabytes):
            yield packer.process(PIECE)
        yield packer.finish()
    elif coding == "zstd":
        zstd_packer = zstd.ZstdCompressor(level=1)
        for _ in range(megabytes):
            yield zstd_packer.compress(PIECE)
        yield zstd_packer.flush()
    else:
        gzip_packer = zlib.compressobj(1, wbits=31)
        for _ in range(megabytes):
            yield gzip_packer.compress(PIECE)
        yield gzip_packer.flush()
