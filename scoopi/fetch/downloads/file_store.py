"""FileStore: the files that a node has downloaded in a run, by their content."""

from __future__ import annotations

import contextlib
import fnmatch
import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec

from scoopi.errors import FetchError
from scoopi.fetch.downloads.file_kind import file_type
from scoopi.fetch.downloads.missing_files import MissingFiles
from scoopi.fetch.downloads.partial_file import PartialFile
from scoopi.fetch.file_client import FileFinder
from scoopi.model.decoders import json_decoder
from scoopi.model.downloads import PATHS_FOLDER, FileOrder, KeptFile, kept_path
from scoopi.model.text.shown import shown

COPIED_AT_ONCE = 1 << 20
PARTS, BY_URL, MISSING = "parts", "urls", "missing"
"""Folders: files that are not complete; notes of what each address has brought; of those with none."""


class UnwantedFileError(FetchError):
    """The file is larger than its definition allows, or of another type."""


class FileStore:
    """The files that a node has downloaded in a run, by their content; all its workers share them.

    A file is complete under its name from the moment it has one. Its methods keep no state in memory, and
    may be called by any thread. Source: ARCHITECTURE, protocol rule 17.

    Args:
        folder: `files` in the node's folder; it is made with the first file.
        finder: finds files of this machine, which pages of this machine name.
        process: see `MissingFiles`.
    """

    def __init__(self, folder: Path, finder: FileFinder, process: str = "") -> None:
        self._folder = folder
        self._missing = MissingFiles(process)
        self._finder = finder
        self._decoder = json_decoder(KeptFile)

    def find(self, order: FileOrder) -> KeptFile | FetchError | None:
        """What the address has brought earlier in the run; None if it must be asked for."""
        return self._kept(order) or self._missing.find(self._note_of(order.url, MISSING))

    def note_failure(self, order: FileOrder, error: FetchError) -> None:
        """Remember that nothing is at an address, if the answer says so; a failing disk costs a request."""
        if (noted := self._missing.noted(error)) is not None:
            with contextlib.suppress(OSError):
                self._note(self._note_of(order.url, MISSING), noted)

    def _kept(self, order: FileOrder) -> KeptFile | UnwantedFileError | None:
        try:
            kept = self._decoder.decode(self._note_of(order.url, BY_URL).read_bytes())
            is_there = kept_path(self._folder, kept.sha256).stat().st_size == kept.size
        except (OSError, msgspec.MsgspecError):
            return None
        if not is_there:
            return None
        return unwanted(order, kept.media_type, kept.size) or kept

    def open(self, order: FileOrder) -> PartialFile:
        """Where the content of a file is received, after what an earlier request has brought of it.

        Raises:
            OSError: it cannot be written.
        """
        folder = self._folder / PARTS
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / _key(order.url)
        opened = PartialFile.open(order, path)
        if opened is None:  # another page wants it, too; this request does without what is there
            opened = PartialFile.open(order, path.with_name(f"{path.name}.{_token()}"))
        assert opened is not None, "nobody else knows that name"
        return opened

    def keep(self, partial: PartialFile, media_type: str, name: str) -> KeptFile:
        """Make a complete file durable, then give it the name of its content, then note its address.

        Args:
            media_type, name: as of `KeptFile`.
        Raises:
            OSError: the disk fails.
        """
        digest = partial.sync()
        kept = KeptFile(digest, partial.size, media_type, name)
        path = kept_path(self._folder, digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.moved_to(path)
        for folder in (path.parent, path.parent.parent):
            _sync(folder)
        self._note(self._note_of(partial.order.url, BY_URL), msgspec.json.encode(kept))
        return msgspec.structs.replace(kept, was_sent=True)

    def copied(self, order: FileOrder) -> KeptFile:
        """A copy of a file of this machine, complete and durable.

        Args:
            order: with its path, or a `file:` URL.
        Raises:
            FetchError: it cannot be read, or is not one that is wanted.
            OSError: the copy cannot be written.
        """
        path = self._finder.find(order.url)
        media_type = file_type("", path.name)
        copy = self.open(order)
        try:
            copy.begin(200, {})
            for piece in _pieces(path, order.url):
                if (refused := unwanted(order, media_type, copy.size + len(piece))) is not None:
                    raise refused
                copy.write(piece)
            return msgspec.structs.replace(self.keep(copy, media_type, path.name), was_sent=False)
        finally:
            copy.close()

    def claim(self, path: str, sha256: str, job: str) -> bool:
        """Let a path of the run's folder stand for a content.

        Two jobs may share a path only if they mean the same content; a job that is run again may mean
        another one than before.

        Returns:
            Whether it does; False if another job has given it another content.
        Raises:
            OSError: the disk fails.
        """
        note, wanted = self._folder / PATHS_FOLDER / _key(path), f"{sha256} {job}"
        note.parent.mkdir(parents=True, exist_ok=True)
        while True:
            with contextlib.suppress(FileExistsError):
                self._note(note, wanted.encode(), is_new=True)
                return True
            with contextlib.suppress(FileNotFoundError):
                content, _, owner = note.read_text().partition(" ")
                if content != sha256 and owner == job:
                    self._note(note, wanted.encode())
                return content == sha256 or owner == job

    def _note_of(self, url: str, kind: str) -> Path:
        return self._folder / kind / _key(url)

    def _note(self, note: Path, content: bytes, *, is_new: bool = False) -> None:
        note.parent.mkdir(parents=True, exist_ok=True)
        temporary = note.with_name(f"{note.name}.{_token()}")
        try:
            temporary.write_bytes(content)
            if is_new:
                os.link(temporary, note)
            else:
                temporary.replace(note)
        finally:
            temporary.unlink(missing_ok=True)


def _pieces(path: Path, url: str) -> Iterator[bytes]:
    """The content of a file; at least one piece, which may be empty."""
    try:
        with path.open("rb") as file:
            yield file.read(COPIED_AT_ONCE)
            while piece := file.read(COPIED_AT_ONCE):
                yield piece
    except OSError as error:
        raise FetchError(f"{path} cannot be read: {error.strerror or error}", at=shown(url)) from error


def unwanted(order: FileOrder, media_type: str, size: int) -> UnwantedFileError | None:
    """Why a file is not one that is wanted; None if it is.

    Args:
        media_type: empty if it is not known.
        size: in bytes, as far as it is known.
    """
    if order.types and not any(fnmatch.fnmatchcase(media_type, each) for each in order.types):
        found = media_type or "of an unknown type"
        cause = f"the file is {found}, not {' or '.join(order.types)}"
        return UnwantedFileError(cause, at=shown(order.url), hint="add it to `types` if it is wanted")
    if size > order.max_bytes:
        cause = f"the file is larger than {order.max_bytes:,} bytes"
        return UnwantedFileError(cause, at=shown(order.url), hint="raise its `maxSize` if it is wanted")
    return None


def _key(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _token() -> str:
    import secrets  # late: workers start without it, and few runs download files

    return secrets.token_hex(4)
