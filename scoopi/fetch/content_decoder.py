"""ContentDecoder: decodes a body piece by piece, up to a size limit."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from typing import Protocol

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MOST_CODINGS = 5
"""Limit of the codings that a body may have on top of one another."""
MOST_MEMBERS = 10_000
"""Limit of the gzip members or zstd frames in a body: each costs time, even if it is empty."""
ZSTD_WINDOW_LOG = 23
"""8 MB, the largest window that a server may use (RFC 9659)."""
GZIP_MAGIC = b"\x1f\x8b"


class BrokenCodingError(Exception):
    """The body is not valid in the coding that its header names, or ends too early."""


class TooLargeError(Exception):
    """The body is larger than the limit."""


class Decoder(Protocol):
    """Decodes a body that has one coding, such as gzip, piece by piece."""

    def feed(self, data: bytes, room: int) -> bytes:
        """Decode the next piece of the body.

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
    """Decodes a body by all codings of its Content-Encoding header, piece by piece.

    Args:
        codings: in the order of the header, in lower case, without `identity`.
        limit: number of bytes that decoding each coding may produce.

    Raises:
        BrokenCodingError: an unknown coding, or too many.
    """

    def __init__(self, codings: list[str], limit: int) -> None:
        if len(codings) > MOST_CODINGS:
            raise BrokenCodingError(f"more than {MOST_CODINGS} content codings")
        self._decoders = [_decoder(coding) for coding in reversed(codings)]
        self._made = [0] * len(codings)
        self._limit = limit

    @classmethod
    def of_header(cls, content_encoding: str, limit: int) -> ContentDecoder | None:
        """The decoder for a Content-Encoding header; None if the body is not encoded.

        Raises:
            BrokenCodingError: an unknown coding, or too many.
        """
        codings = [coding.strip().lower() for coding in content_encoding.split(",")]
        codings = [coding for coding in codings if coding not in ("", "identity")]
        return cls(codings, limit) if codings else None

    def feed(self, data: bytes) -> bytes:
        """Decode the next piece.

        Raises:
            BrokenCodingError: it cannot be decoded.
            TooLargeError: decoding a coding has produced more than `limit` bytes.
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


class Decompressor(Protocol):
    """The common part of zlib's and zstd's decompressors, for one gzip member or zstd frame."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class MemberDecoder:
    """Decodes a body of one or more members, each a complete compressed stream: gzip and zstd.

    Args:
        new: makes the decompressor of a member.
        error: the exception that it raises for invalid data.
        magic: how each further member must begin. Other data after a member is ignored, as browsers do.
    """

    def __init__(self, new: Callable[[], Decompressor], error: type[Exception], magic: bytes = b"") -> None:
        self._new = new
        self._error = error
        self._magic = magic
        self._inner = new()
        self._members = 1

    def feed(self, data: bytes, room: int) -> bytes:
        made: list[bytes] = []
        while data:
            if self._inner.eof:
                if not data.startswith(self._magic):
                    break
                self._next_member()
            try:
                piece = self._inner.decompress(data, room + 1)
            except self._error as error:
                raise BrokenCodingError(str(error)) from error
            room -= len(piece)
            if room < 0:
                raise TooLargeError
            made.append(piece)
            data = self._inner.unused_data
        return made[0] if len(made) == 1 else b"".join(made)

    def finish(self) -> None:
        if not self._inner.eof:
            raise BrokenCodingError("it ends too early")

    def _next_member(self) -> None:
        if self._members >= MOST_MEMBERS:
            raise BrokenCodingError(f"it has more than {MOST_MEMBERS:,} members")
        self._members += 1
        self._inner = self._new()


class DeflateDecoder:
    """Decodes deflate, with a zlib header, as the standard says, or without one, as some servers send it."""

    def __init__(self) -> None:
        self._head = b""
        self._inner: Decompressor | None = None

    def feed(self, data: bytes, room: int) -> bytes:
        if self._inner is None:
            data = self._head = self._head + data
            if len(data) < 2:
                return b""
            has_header = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._inner = zlib.decompressobj(wbits=15 if has_header else -15)
        if self._inner.eof:
            return b""  # garbage after the end: browsers ignore it
        try:
            piece = self._inner.decompress(data, room + 1)
        except zlib.error as error:
            raise BrokenCodingError(str(error)) from error
        if len(piece) > room:
            raise TooLargeError
        return piece

    def finish(self) -> None:
        if self._inner is None or not self._inner.eof:
            raise BrokenCodingError("it ends too early")


class BrotliDecoder:
    """Decodes brotli (`br`)."""

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


def _decoder(coding: str) -> Decoder:
    match coding:
        case "gzip" | "x-gzip":
            return MemberDecoder(lambda: zlib.decompressobj(wbits=31), zlib.error, GZIP_MAGIC)
        case "deflate":
            return DeflateDecoder()
        case "br":
            return BrotliDecoder()
        case "zstd":
            return MemberDecoder(_zstd_decompressor, zstd.ZstdError)
    raise BrokenCodingError(f"the content coding {coding!r} is unknown")


def _zstd_decompressor() -> Decompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG})
