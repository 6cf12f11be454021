"""Downloads: the files that a run's rows name, from their definition to the frame of their page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from scoopi.errors import FetchError
from scoopi.model.place import NOWHERE, Place

FILES_FOLDER, KEPT_FOLDER, PATHS_FOLDER, SENT_FOLDER = "files", "kept", "paths", "sent"
"""In a node's folder: where downloaded files are, and below it those that are complete, notes of which
content a path stands for, and a note of each complete file that only an object store has any more."""
MOST_FILE_BYTES = 100_000_000
"""Limit of a file whose definition gives none."""


class Download(msgspec.Struct, frozen=True):
    """How the files that the values of a field lead to are downloaded.

    Attributes:
        to: the path of a file in the run's folder, with placeholders.
        types: media types that are wanted, as `image/png` or `image/*`; empty for any.
        max_bytes: the largest file that is wanted.
    """

    to: str
    types: tuple[str, ...] = ()
    max_bytes: int = MOST_FILE_BYTES
    place: Place = NOWHERE


class FileOrder(msgspec.Struct, frozen=True, array_like=True):
    """A file that a row wants; attributes as of `Download`.

    Attributes:
        url: its address.
    """

    url: str
    types: tuple[str, ...] = ()
    max_bytes: int = MOST_FILE_BYTES


class KeptFile(msgspec.Struct, frozen=True):
    """A file that is complete and durable in the node's folder, named by its content.

    Attributes:
        sha256: of its content, 64 hex digits.
        size: in bytes.
        media_type: as the server says, in lower case without parameters; may be empty.
        name: the file's name as the server or its address gives it, with its extension; may be empty.
        was_sent: a request has brought it just now; otherwise the run had it already.
    """

    sha256: str
    size: int
    media_type: str = ""
    name: str = ""
    was_sent: bool = False


class FileRef(msgspec.Struct, frozen=True, array_like=True):
    """A file that rows of a frame name.

    Attributes:
        path: as the rows name it, relative to the run's folder.
        stream: the records that may name it, by their name in frames; empty if all rows of its task are
            written, as those of a grid are.
    """

    path: str
    sha256: str
    size: int
    stream: str = ""


class Downloads(msgspec.Struct, frozen=True):
    """What came of the files that a step has asked for, and the input that it was given before."""

    input: object
    files: Mapping[FileOrder, KeptFile | FetchError]


def kept_path(files: Path, sha256: str) -> Path:
    """Where a complete file is.

    >>> kept_path(Path("files"), "ab12").as_posix()
    'files/kept/ab/ab12'

    Args:
        files: FILES_FOLDER of a node.
    """
    return files / KEPT_FOLDER / sha256[:2] / sha256


def sent_path(files: Path, sha256: str) -> Path:
    """Where the note is that a complete file was uploaded and its copy here removed; as `kept_path`."""
    return files / SENT_FOLDER / sha256[:2] / sha256
