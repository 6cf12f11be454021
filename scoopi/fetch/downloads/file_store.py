"""FileStore: the files that a node has downloaded in a run, stored by content."""

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
from scoopi.model.downloads import PATHS_FOLDER, FileRequest, KeptFile, kept_path
from scoopi.model.text.shown import shown
from scoopi.synced_files import sync_folder

COPIED_AT_ONCE = 1 << 20
PARTS, BY_URL, MISSING = "parts", "urls", "missing"
"""Folders: incomplete files; notes on what each URL gave; notes on URLs without a file."""

_A_FOLDER = "folder"
"""Stands in a claim for the content, of a path that is a folder."""


class UnwantedFileError(FetchError):
    """The file is larger than its definition allows, or has another type."""


class FileStore:
    """The files that a node has downloaded in a run, stored by content and shared by all its workers.

    A file with its final name is always complete. No state is kept in memory; thread-safe. Source:
    ARCHITECTURE, protocol rule 17.

    Args:
        folder: `files` in the node's folder; created with the first file.
        finder: finds local files, to which local pages link.
        process: see `MissingFiles`.
    """

    def __init__(self, folder: Path, finder: FileFinder, process: str = "") -> None:
        self._folder = folder
        self._missing = MissingFiles(process)
        self._finder = finder
        self._decoder = json_decoder(KeptFile)

    def find(self, request: FileRequest) -> KeptFile | FetchError | None:
        """The file that the URL gave earlier in the run, or why it has none; None if it must be requested."""
        return self._kept(request) or self._missing.find(self._note_of(request.url, MISSING))

    def note_failure(self, request: FileRequest, error: FetchError) -> None:
        """Record that a URL has no file, if the error says so; disk errors are ignored."""
        if (noted := self._missing.noted(error)) is not None:
            with contextlib.suppress(OSError):
                self._note(self._note_of(request.url, MISSING), noted)

    def _kept(self, request: FileRequest) -> KeptFile | UnwantedFileError | None:
        try:
            kept = self._decoder.decode(self._note_of(request.url, BY_URL).read_bytes())
            is_there = kept_path(self._folder, kept.sha256).stat().st_size == kept.size
        except (OSError, msgspec.MsgspecError):
            return None
        if not is_there:
            return None
        return unwanted(request, kept.media_type, kept.size) or kept

    def open(self, request: FileRequest) -> PartialFile:
        """Open and lock the partial file of a URL, with the content that an earlier request has received.

        An empty file of another name if another request writes that one now. The caller must close it.

        Raises:
            OSError: the file cannot be written.
        """
        folder = self._folder / PARTS
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / _key(request.url)
        opened = PartialFile.open(request, path)
        if opened is None:  # another request is writing it; this one starts from scratch
            opened = PartialFile.open(request, path.with_name(f"{path.name}.{_token()}"))
        assert opened is not None, "the name is unique"
        return opened

    def keep(self, partial: PartialFile, media_type: str, name: str) -> KeptFile:
        """Make a complete file durable, then rename it to its hash, then record its URL.

        Args:
            media_type, name: see `KeptFile`.
        Raises:
            OSError: the disk failed.
        """
        digest = partial.sync()
        kept = KeptFile(digest, partial.size, media_type, name)
        path = kept_path(self._folder, digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.moved_to(path)
        for folder in (path.parent, path.parent.parent):
            sync_folder(folder)
        self._note(self._note_of(partial.request.url, BY_URL), msgspec.json.encode(kept))
        return msgspec.structs.replace(kept, was_sent=True)

    def copied(self, request: FileRequest) -> KeptFile:
        """A durable copy of a local file.

        Args:
            request: its URL is a path or a `file:` URL.
        Raises:
            FetchError: the file cannot be read, or its size or type is not allowed.
            OSError: the copy cannot be written.
        """
        path = self._finder.find(request.url)
        media_type = file_type("", path.name)
        copy = self.open(request)
        try:
            copy.begin(200, {})
            for piece in _pieces(path, request.url):
                if (refused := unwanted(request, media_type, copy.size + len(piece))) is not None:
                    raise refused
                copy.write(piece)
            return msgspec.structs.replace(self.keep(copy, media_type, path.name), was_sent=False)
        finally:
            copy.close()

    def claim(self, path: str, sha256: str, job: str) -> bool:
        """Claim a path in the run's folder for a file with a certain content.

        Jobs share a path only if they claim it for the same content; a job that is run again may claim it for
        another content than before. The folders of the path are claimed, too: no file may have their paths.

        Args:
            path: relative to the run's folder; one that ends with `/` is that of a folder, whatever is in it.
            sha256: the content's SHA-256 in hexadecimal digits.
            job: id of the job.
        Returns:
            False if another job has claimed the path for another content, or if the path is that of a
            folder, or one of its folders is that of a file.
        Raises:
            OSError: the disk failed.
        """
        *parts, name = path.split("/")
        folders = [
            "/".join(parts[:number]) for number in range(2, len(parts) + 1)
        ]  # the first has a fixed name
        return all(self._claim(each, _A_FOLDER, job) for each in folders) and (
            not name or self._claim(path, sha256, job)
        )

    def _claim(self, path: str, sha256: str, job: str) -> bool:
        note, wanted = self._folder / PATHS_FOLDER / _key(path), f"{sha256} {job}"
        note.parent.mkdir(parents=True, exist_ok=True)
        while True:
            with contextlib.suppress(FileExistsError):
                self._note(note, wanted.encode(), is_new=True)
                return True
            with contextlib.suppress(FileNotFoundError):
                content, _, owner = note.read_text().partition(" ")
                if _A_FOLDER in (content, sha256):
                    return content == sha256
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
    """The content of a file in pieces; at least one, which may be empty."""
    try:
        with path.open("rb") as file:
            yield file.read(COPIED_AT_ONCE)
            while piece := file.read(COPIED_AT_ONCE):
                yield piece
    except OSError as error:
        raise FetchError(f"{path} cannot be read: {error.strerror or error}", at=shown(url)) from error


def unwanted(request: FileRequest, media_type: str, size: int) -> UnwantedFileError | None:
    """The error for a file of the wrong type or size; None if its request allows it.

    Args:
        media_type: empty if unknown.
        size: in bytes, as far as known.
    """
    if request.types and not any(fnmatch.fnmatchcase(media_type, each) for each in request.types):
        found = media_type or "of an unknown type"
        cause = f"the file is {found}, not {' or '.join(request.types)}"
        return UnwantedFileError(cause, at=shown(request.url), hint="add it to `types` if it is wanted")
    if size > request.max_bytes:
        cause = f"the file is larger than {request.max_bytes:,} bytes"
        return UnwantedFileError(cause, at=shown(request.url), hint="raise its `maxSize` if it is wanted")
    return None


def _key(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _token() -> str:
    import secrets  # late: workers start faster, and few runs download files

    return secrets.token_hex(4)
