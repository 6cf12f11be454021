"""EntryFile: a file of the archive with a head and a compressed body, both with checksums.

Layout: MAGIC, length of the head (4 bytes, big endian), digest of the head, head, compressed body. The head
is msgpack and contains the digest and sizes of the body, so that it can be read and verified alone.
"""

from __future__ import annotations

import os
import secrets
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import msgspec

from scoopi.model.decoders import msgpack_decoder

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAGIC = b"Scoopi\x00\x01"
LEVEL = 3
DIGEST_BYTES = 16
PREFIX_BYTES = len(MAGIC) + 4 + DIGEST_BYTES
FIRST_READ_BYTES = 4096
"""Most heads fit into these bytes, so that one read is enough."""
MOST_HEAD_BYTES = 1_000_000
TEMPORARY = ".new-"
"""Prefix of the name of an incomplete file; its writer may be dead."""
WRITE_TRIES = 5

Meta = TypeVar("Meta", bound=msgspec.Struct)


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes | None: ...


class _Head(msgspec.Struct, frozen=True, array_like=True):
    meta: msgspec.Raw
    body_digest: bytes
    packed_bytes: int
    body_bytes: int


class EntryFile(Generic[Meta]):
    """Reads and writes files whose head has a `Meta`; safe for any number of processes and nodes.

    Files are replaced by rename, so a reader sees either the old or the new file. Nothing is synced to disk:
    an entry that a power failure damages fails its checks, counts as absent and is written again.
    """

    def __init__(self, kind: type[Meta]) -> None:
        self._head_decoder = msgpack_decoder(_Head)
        self._meta_decoder = msgpack_decoder(kind)

    def read_meta(self, file: Path) -> Meta | None:
        """The metadata of the head alone; None if the file is absent or its head is damaged."""
        try:
            with file.open("rb", buffering=0) as opened:
                found = self._head(opened.read(FIRST_READ_BYTES), opened)
        except OSError:
            return None
        return None if found is None else found[1]

    def read(self, file: Path) -> tuple[Meta, bytes] | None:
        """Metadata and body; None if the file is absent or damaged anywhere."""
        try:
            content = file.read_bytes()
        except OSError:
            return None
        found = self._head(content, None)
        if found is None:
            return None
        head, meta, start = found
        packed = content[start:]
        if len(packed) != head.packed_bytes or _digest(packed) != head.body_digest:
            return None
        try:
            body = zstd.decompress(packed)
        except zstd.ZstdError:
            return None
        return (meta, body) if len(body) == head.body_bytes else None

    def write(self, file: Path, meta: Meta, body: bytes) -> None:
        """Replace the file atomically, and create its folder.

        Raises:
            OSError: the disk is full or not writable.
            UnicodeEncodeError: a text of the metadata has a lone surrogate.
        """
        packed = zstd.compress(body, level=LEVEL)
        raw = msgspec.Raw(msgspec.msgpack.encode(meta))
        head = msgspec.msgpack.encode(_Head(raw, _digest(packed), len(packed), len(body)))
        content = b"".join((MAGIC, len(head).to_bytes(4, "big"), _digest(head), head, packed))
        for tries_left in reversed(range(WRITE_TRIES)):
            try:
                _replace(file, content)
                return
            except FileNotFoundError:
                # Another process has just deleted the folder.
                if not tries_left:
                    raise

    def _head(self, content: bytes, rest: _Readable | None) -> tuple[_Head, Meta, int] | None:
        if len(content) < PREFIX_BYTES or not content.startswith(MAGIC):
            return None
        length = int.from_bytes(content[len(MAGIC) : len(MAGIC) + 4], "big")
        end = PREFIX_BYTES + length
        if end > len(content):
            if rest is None or length > MOST_HEAD_BYTES:
                return None
            content += rest.read(end - len(content)) or b""
        raw = content[PREFIX_BYTES:end]
        if len(raw) != length or _digest(raw) != content[len(MAGIC) + 4 : PREFIX_BYTES]:
            return None
        try:
            head = self._head_decoder.decode(raw)
            return head, self._meta_decoder.decode(head.meta), end
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=DIGEST_BYTES).digest()


def _replace(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.parent / f"{TEMPORARY}{os.getpid()}-{secrets.token_hex(4)}"
    try:
        temporary.write_bytes(content)
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
