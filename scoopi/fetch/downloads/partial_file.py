"""PartialFile: the part of a download that is on disk; a later request can resume it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

from scoopi.model.decoders import json_decoder
from scoopi.model.downloads import FileRequest

NOTES = ".json"
"""Suffix that turns the name of a partial file into that of its notes."""
HASHED_AT_ONCE = 1 << 20
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-\d*/(\d{1,18}|\*)")


class WrongRangeError(Exception):
    """The response continues the file at another offset than the requested one."""


class PartialNotes(msgspec.Struct, frozen=True):
    """What is needed to resume a partial file.

    Attributes:
        url: URL of the file.
        validator: a strong ETag, or the Last-Modified date, which the server compares.
        boot: boot id of the machine. After a power cut, unsynced parts of the file may be missing.
    """

    url: str
    validator: str
    boot: str


class PartialFile:
    """The part of a download that is on disk; locked by one request at a time.

    Only its hash is kept in memory. Source: ARCHITECTURE, protocol rule 17.

    Attributes:
        request: the file that is requested.
        path: path of the content.
        offset: number of bytes that earlier requests have received.
    """

    def __init__(self, request: FileRequest, path: Path, handle: int) -> None:
        self.request = request
        self.path = path
        self._handle = handle
        self._notes = _read_notes(path, request.url)
        self._size = os.fstat(handle).st_size if self._notes is not None else 0
        self.offset = self._size
        self._hash = sha256()
        self._total: int | None = None
        self._is_moved = False

    @classmethod
    def open(cls, request: FileRequest, path: Path) -> PartialFile | None:
        """Open and lock the partial file, creating it if needed; None if another request has locked it.

        Raises:
            OSError: the file cannot be written.
        """
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_same = os.fstat(handle).st_ino == path.stat().st_ino
            except BlockingIOError:
                os.close(handle)
                return None
            except FileNotFoundError:  # another request completed it before this one got the lock
                is_same = False
            if is_same:
                return cls(request, path, handle)
            os.close(handle)

    def headers(self) -> list[str]:
        """The headers that request the missing part, provided the file is unchanged."""
        if self._notes is None or not self.offset:
            return []
        return [f"Range: bytes={self.offset}-", f"If-Range: {self._notes.validator}"]

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Prepare to receive the body of a response.

        Args:
            status: 206 continues the file, 200 restarts it.
            headers: names in lower case.
        Raises:
            WrongRangeError: the body starts at another offset.
            OSError: the file cannot be written.
        """
        self._hash = sha256()
        if status == 206:
            found = _CONTENT_RANGE.match(headers.get("content-range", ""))
            if found is None or int(found[1]) != self.offset:
                raise WrongRangeError
            self._total = None if found[2] == "*" else int(found[2])
            self._hash_begin()
            return
        self._restart()
        self._note(headers)

    def write(self, piece: bytes) -> None:
        """Append a piece.

        Raises:
            OSError: the disk is full or failed.
        """
        view = memoryview(piece)
        while view:
            view = view[os.write(self._handle, view) :]
        self._hash.update(piece)
        self._size += len(piece)

    @property
    def size(self) -> int:
        """Number of bytes received so far."""
        return self._size

    @property
    def is_short(self) -> bool:
        """Whether fewer bytes have been received than the response announced."""
        return self._total is not None and self._size != self._total

    def sync(self) -> str:
        """Make the content durable; return its SHA-256 in hexadecimal digits.

        Raises:
            OSError: the disk failed.
        """
        os.fsync(self._handle)
        return self._hash.hexdigest()

    def discard(self) -> None:
        """Discard the content; the next request fetches the whole file."""
        with contextlib.suppress(OSError):
            self._restart()
            self._notes_path.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the lock, and remove a file that cannot be resumed. Idempotent."""
        if self._handle < 0:
            return
        handle, self._handle = self._handle, -1
        try:
            is_useless = not self._is_moved and not (self._size and self._notes_path.exists())
            if is_useless:
                self.path.unlink(missing_ok=True)
                self._notes_path.unlink(missing_ok=True)
        except OSError:
            pass  # removed later with the run's other leftovers
        finally:
            os.close(handle)

    def moved_to(self, path: Path) -> None:
        """Move the complete file to its final path, and remove its notes.

        Raises:
            OSError: the disk failed.
        """
        self.path.replace(path)
        self._is_moved = True
        self._notes_path.unlink(missing_ok=True)

    @property
    def _notes_path(self) -> Path:
        return self.path.with_name(self.path.name + NOTES)

    def _restart(self) -> None:
        os.ftruncate(self._handle, 0)
        os.lseek(self._handle, 0, os.SEEK_SET)
        self._size = self.offset = 0
        self._total = None

    def _note(self, headers: Mapping[str, str]) -> None:
        """Write the notes, before any content, if the response has a validator and can be resumed."""
        self._notes_path.unlink(missing_ok=True)
        self._notes = None
        validator = headers.get("etag", "")
        if not validator or validator.startswith("W/"):
            validator = headers.get("last-modified", "")
        is_plain = headers.get("content-encoding", "identity").strip().lower() == "identity"
        if validator and is_plain and headers.get("accept-ranges", "").strip().lower() != "none":
            self._notes = PartialNotes(self.request.url, validator, boot_id())
            self._notes_path.write_bytes(msgspec.json.encode(self._notes))

    def _hash_begin(self) -> None:
        os.lseek(self._handle, 0, os.SEEK_SET)
        left = self.offset
        while left and (piece := os.read(self._handle, min(HASHED_AT_ONCE, left))):
            self._hash.update(piece)
            left -= len(piece)
        os.ftruncate(self._handle, self.offset)


@cache
def boot_id() -> str:
    """The kernel's id of the current boot, new after each start of the machine; empty if unknown."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _read_notes(path: Path, url: str) -> PartialNotes | None:
    """The notes of a partial file; None if it cannot be resumed."""
    try:
        raw = path.with_name(path.name + NOTES).read_bytes()
        notes = json_decoder(PartialNotes).decode(raw)
    except (OSError, msgspec.MsgspecError):
        return None
    return notes if notes.url == url and notes.boot == boot_id() and notes.boot else None
