"""PartialFile: what has come of a file so far, on the disk; a later request continues it."""

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
from scoopi.model.downloads import FileOrder

NOTES = ".json"
"""Behind the name of a partial file: the name of its notes."""
HASHED_AT_ONCE = 1 << 20
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d*/(\d+|\*)")


class WrongRangeError(Exception):
    """The answer continues the file at another place than was asked for."""


class PartialNotes(msgspec.Struct, frozen=True):
    """What must be known of a partial file to continue it.

    Attributes:
        validator: a strong ETag, or the date of its last change; the server compares it.
        boot: since when the machine runs. What was not synced before a power cut may be lost in pieces.
    """

    url: str
    validator: str
    boot: str


class PartialFile:
    """What has come of a file so far, on the disk; belongs to one request at a time, which locks it.

    Nothing of it is held in memory but its hash. Source: ARCHITECTURE, protocol rule 17.

    Attributes:
        order: the file that is wanted.
        path: where its content is.
        offset: how many bytes of it are there.
    """

    def __init__(self, order: FileOrder, path: Path, handle: int) -> None:
        self.order = order
        self.path = path
        self._handle = handle
        self._notes = _read_notes(path, order.url)
        self._size = os.fstat(handle).st_size if self._notes is not None else 0
        self.offset = self._size
        self._hash = sha256()
        self._total: int | None = None
        self._is_moved = False

    @classmethod
    def open(cls, order: FileOrder, path: Path) -> PartialFile | None:
        """The partial file of that path, made if it is missing; None if another request has it now.

        Raises:
            OSError: it cannot be written.
        """
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_same = os.fstat(handle).st_ino == path.stat().st_ino
            except BlockingIOError:
                os.close(handle)
                return None
            except FileNotFoundError:  # completed by another request before the lock was had
                is_same = False
            if is_same:
                return cls(order, path, handle)
            os.close(handle)

    def headers(self) -> list[str]:
        """The headers that ask for what is missing, if the file is still the same."""
        if self._notes is None or not self.offset:
            return []
        return [f"Range: bytes={self.offset}-", f"If-Range: {self._notes.validator}"]

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Receive the body of a response.

        Args:
            status: 206 continues the file, 200 begins it again.
            headers: names in lower case.
        Raises:
            WrongRangeError: the body begins elsewhere.
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
        """Add a piece at the end.

        Raises:
            OSError: the disk is full, or fails.
        """
        view = memoryview(piece)
        while view:
            view = view[os.write(self._handle, view) :]
        self._hash.update(piece)
        self._size += len(piece)

    @property
    def size(self) -> int:
        """How many bytes are there."""
        return self._size

    @property
    def is_short(self) -> bool:
        """Whether more bytes were announced than are there."""
        return self._total is not None and self._size != self._total

    def sync(self) -> str:
        """Make the content durable; its SHA-256 in hex digits.

        Raises:
            OSError: the disk fails.
        """
        os.fsync(self._handle)
        return self._hash.hexdigest()

    def discard(self) -> None:
        """Forget what has come; the next request asks for the whole file."""
        with contextlib.suppress(OSError):
            self._restart()
            self._notes_path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let another request have it; what cannot be continued is removed. Done twice, it does no harm."""
        if self._handle < 0:
            return
        handle, self._handle = self._handle, -1
        try:
            is_useless = not self._is_moved and not (self._size and self._notes_path.exists())
            if is_useless:
                self.path.unlink(missing_ok=True)
                self._notes_path.unlink(missing_ok=True)
        except OSError:
            pass  # it is removed with the run's other leftovers
        finally:
            os.close(handle)

    def moved_to(self, path: Path) -> None:
        """Give the complete file its name; its notes go.

        Raises:
            OSError: the disk fails.
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
        """Note, before any content, by what the server knows this version of the file."""
        self._notes_path.unlink(missing_ok=True)
        self._notes = None
        validator = headers.get("etag", "")
        if not validator or validator.startswith("W/"):
            validator = headers.get("last-modified", "")
        is_plain = headers.get("content-encoding", "identity").strip().lower() == "identity"
        if validator and is_plain and headers.get("accept-ranges", "").strip().lower() != "none":
            self._notes = PartialNotes(self.order.url, validator, boot_id())
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
    """Since when the machine runs: another one after each start; empty where it is not known."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _read_notes(path: Path, url: str) -> PartialNotes | None:
    """What is noted of a partial file, if it can be continued."""
    try:
        raw = path.with_name(path.name + NOTES).read_bytes()
        notes = json_decoder(PartialNotes).decode(raw)
    except (OSError, msgspec.MsgspecError):
        return None
    return notes if notes.url == url and notes.boot == boot_id() and notes.boot else None
