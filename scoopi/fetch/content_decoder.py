"""ContentDecoder: undoes content codings piece by piece and stops at the size limit."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence
from typing import Protocol

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MOST_CODINGS = 5
MOST_MEMBERS = 10_000
"""Limit of gzip members or zstd frames in a body: each costs time, even if it is empty."""
ZSTD_WINDOW_LOG = 23
"""8 MB, the largest window that a server may require (RFC 9659)."""
GZIP_MAGIC = b"\x1f\x8b"


class BrokenCodingError(Exception):
    """The body is not in the coding that its header names, or ends too early."""


class TooLargeError(Exception):
    """The body is larger than the limit."""


class Decoder(Protocol):
    """One coding."""

    def feed(self, data: bytes, room: int) -> bytes:
        """Decode a piece.

        Raises:
            BrokenCodingError: it cannot be decoded.
            TooLargeError: it decodes to more than `room` bytes.
        """

    def finish(self) -> None:
        """Check that the body is complete.

        Raises:
            BrokenCodingError: it ends too early.
        """


class ContentDecoder:
    """Undoes the codings of a Content-Encoding header.

    Args:
        codings: in the order of the header, in lower case, without `identity`.
        limit: bytes that each stage may produce.

    Raises:
        BrokenCodingError: an unknown coding, or too many.
    """

    def __init__(self, codings: Sequence[str], limit: int) -> None:
        if len(codings) > MOST_CODINGS:
            raise BrokenCodingError(f"more than {MOST_CODINGS} content codings")
        self._decoders = [_decoder(coding) for coding in reversed(codings)]
        self._made = [0] * len(codings)
        self._limit = limit

    def feed(self, data: bytes) -> bytes:
        """Decode the next piece.

        Raises:
            BrokenCodingError: it cannot be decoded.
            TooLargeError: a stage has produced more than `limit` bytes.
        """
        for stage, decoder in enumerate(self._decoders):
            data = decoder.feed(data, self._limit - self._made[stage])
            self._made[stage] += len(data)
        return data

    def finish(self) -> None:
        """Check that the body is complete.

        Raises:
            BrokenCodingError: it ends too early.
        """
        for decoder in self._decoders:
            decoder.finish()


class ZlibDecoder:
    """Decodes gzip, also of several members, and deflate, with or without a zlib header."""

    def __init__(self, gzip: bool) -> None:
        self._gzip = gzip
        self._inner = zlib.decompressobj(wbits=31 if gzip else 15)
        self._members = 1
        self._head = b""
        self._begun = gzip

    def feed(self, data: bytes, room: int) -> bytes:
        if not self._begun:
            data = self._begin(data)
        made: list[bytes] = []
        while data:
            if self._inner.eof:
                if not self._gzip or not data.startswith(GZIP_MAGIC):
                    break  # garbage after the end: browsers ignore it
                self._inner = zlib.decompressobj(wbits=31)
                self._members = _counted(self._members)
            try:
                piece = self._inner.decompress(data, room + 1)
            except zlib.error as error:
                raise BrokenCodingError(str(error)) from error
            room -= len(piece)
            if room < 0:
                raise TooLargeError
            made.append(piece)
            data = self._inner.unused_data or self._inner.unconsumed_tail
        return made[0] if len(made) == 1 else b"".join(made)

    def finish(self) -> None:
        if not self._inner.eof:
            raise BrokenCodingError("it ends too early")

    def _begin(self, data: bytes) -> bytes:
        self._head += data
        if len(self._head) < 2:
            return b""
        self._begun = True
        if self._head[0] & 0x0F != 8 or int.from_bytes(self._head[:2], "big") % 31:
            self._inner = zlib.decompressobj(wbits=-15)
        return self._head


class BrotliDecoder:
    """Decodes br."""

    def __init__(self) -> None:
        self._inner = brotli.Decompressor()

    def feed(self, data: bytes, room: int) -> bytes:
        if self._inner.is_finished():
            return b""
        try:
            piece: bytes = self._inner.process(data, output_buffer_limit=room + 1)
        except brotli.error as error:
            raise BrokenCodingError("it is not a valid brotli stream") from error
        if len(piece) > room:
            raise TooLargeError
        return piece

    def finish(self) -> None:
        if not self._inner.is_finished():
            raise BrokenCodingError("it ends too early")


class ZstdDecoder:
    """Decodes zstd, also of several frames."""

    def __init__(self) -> None:
        self._inner = self._new()
        self._frames = 1

    def feed(self, data: bytes, room: int) -> bytes:
        made: list[bytes] = []
        while data:
            if self._inner.eof:
                self._inner = self._new()
                self._frames = _counted(self._frames)
            try:
                piece = self._inner.decompress(data, room + 1)
            except zstd.ZstdError as error:
                raise BrokenCodingError(str(error)) from error
            room -= len(piece)
            if room < 0:
                raise TooLargeError
            made.append(piece)
            data = self._inner.unused_data
        return b"".join(made)

    def finish(self) -> None:
        if not self._inner.eof:
            raise BrokenCodingError("it ends too early")

    @staticmethod
    def _new() -> zstd.ZstdDecompressor:
        return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG})


def _counted(members: int) -> int:
    if members >= MOST_MEMBERS:
        raise BrokenCodingError(f"it has more than {MOST_MEMBERS:,} members")
    return members + 1


def _decoder(coding: str) -> Decoder:
    if coding in ("gzip", "x-gzip"):
        return ZlibDecoder(gzip=True)
    if coding == "deflate":
        return ZlibDecoder(gzip=False)
    if coding == "br":
        return BrotliDecoder()
    if coding == "zstd":
        return ZstdDecoder()
    raise BrokenCodingError(f"the content coding {coding!r} is unknown")
