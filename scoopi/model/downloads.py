"""Downloads: the files that a run's rows name, from their definition to the frame of their page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from scoopi.errors import FetchError
from scoopi.model.place import NOWHERE, Place

FILES_FOLDER, KEPT_FOLDER, PATHS_FOLDER, SENT_FOLDER = "files", "kept", "paths", "sent"
"""Folders of a node: FILES_FOLDER holds all downloaded files; in it, KEPT_FOLDER holds the complete files,
PATHS_FOLDER notes of the content that each path stands for, and SENT_FOLDER a note of each complete file that
is only in an object store now."""
MOST_FILE_BYTES = 100_000_000
"""The largest size of a file whose definition gives no limit."""


class Download(msgspec.Struct, frozen=True):
    """How the files that the values of a field lead to are downloaded.

    Attributes:
        to: the path of a file in the run's folder, with placeholders.
        types: the accepted media types, such as `image/png` or `image/*`; empty for any.
        max_bytes: the largest accepted size of a file.
    """

    to: str
    types: tuple[str, ...] = ()
    max_bytes: int = MOST_FILE_BYTES
    place: Place = NOWHERE


class FileRequest(msgspec.Struct, frozen=True, array_like=True):
    """A request for a file that a row names; `types` and `max_bytes` as in `Download`.

    Attributes:
        url: the address of the file.
    """

    url: str
    types: tuple[str, ...] = ()
    max_bytes: int = MOST_FILE_BYTES


class KeptFile(msgspec.Struct, frozen=True):
    """A file that is complete and durable in the node's folder, named after its content.

    Attributes:
        sha256: the SHA-256 of its content, 64 hex digits.
        size: in bytes.
        media_type: the media type that the server sent, in lower case without parameters; may be empty.
        name: the file's name from the server or the address, with its extension; may be empty.
        was_sent: whether a request was just sent for it; False if the run had it already.
    """

    sha256: str
    size: int
    media_type: str = ""
    name: str = ""
    was_sent: bool = False


class FileRef(msgspec.Struct, frozen=True, array_like=True):
    """A file that rows of a frame refer to.

    Attributes:
        path: the path in the rows, relative to the run's folder.
        stream: the name in frames of the records that may refer to it; empty if all rows of its task are
            written, as those of a grid are.
    """

    path: str
    sha256: str
    size: int
    stream: str = ""


class Downloads(msgspec.Struct, frozen=True):
    """The outcome of the downloads that a step requested, with the step's original input."""

    input: object
    files: Mapping[FileRequest, KeptFile | FetchError]


def kept_path(files: Path, sha256: str) -> Path:
    """Return the path of a complete file.

    >>> kept_path(Path("files"), "ab12").as_posix()
    'files/kept/ab/ab12'

    Args:
        files: the node's FILES_FOLDER.
    """
    return files / KEPT_FOLDER / sha256[:2] / sha256


def sent_path(files: Path, sha256: str) -> Path:
    """Return the path of the note that a complete file was uploaded, and its local copy removed.

    Args:
        files: the node's FILES_FOLDER.
    """
    return files / SENT_FOLDER / sha256[:2] / sha256
