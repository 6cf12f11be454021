"""Functions that make files, and their names in a folder, survive a power failure."""

from __future__ import annotations

import os
from pathlib import Path


def sync_file(path: Path) -> None:
    """Make the content of a closed file durable."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make the file names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace_synced(path: Path, content: bytes, temporary: Path) -> None:
    """Write a file so that after a power failure the old content is there, or the new one, and whole.

    Args:
        temporary: the path of the file until it is complete, on the same file system.
    """
    temporary.write_bytes(content)
    sync_file(temporary)
    temporary.replace(path)
    sync_folder(path.parent)
