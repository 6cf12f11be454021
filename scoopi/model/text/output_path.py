"""output_path: the path of an output file in the run's folder, and the names that users may not use."""

from __future__ import annotations

import posixpath

LONGEST_NAME_BYTES = 255
"""The longest name of a file or folder in the file systems of Linux."""
_REPORT = "run.json"


def output_path(file: str) -> str:
    """Return the path of an output file relative to the run's folder; a leading `output/` is dropped.

    Raises:
        ValueError: it is not a valid path; the message is a predicate, such as "is absolute".
    """
    text = file.strip()
    path = posixpath.normpath(text) if text else ""
    if path.startswith("/"):
        raise ValueError("is absolute")
    path = path.removeprefix("output/")
    parts = path.split("/")
    if parts[0] == "..":
        raise ValueError("leaves the folder of the run")
    if path in ("", ".", "output") or text.endswith("/"):
        raise ValueError("names no file")
    if parts[0] == _REPORT:
        raise ValueError("is reserved")
    if any(part.startswith(".") for part in parts):
        raise ValueError("is reserved, as are all names that begin with a dot")
    if not path.isprintable():
        raise ValueError("holds a character that cannot be printed")
    if any(is_too_long(part) for part in parts):
        raise ValueError(
            f"has a name of more than {LONGEST_NAME_BYTES} bytes, which is too long for a file system"
        )
    return path


def is_too_long(name: str) -> bool:
    """Whether the name of a file or folder is too long for a file system."""
    return len(name.encode()) > LONGEST_NAME_BYTES
