"""stamp_of, is_unchanged: stamps of files, which show whether a file has changed."""

from __future__ import annotations

import os

Stamp = tuple[int, ...] | None
"""Changes whenever the file, or the list of names in the folder, does; None if it does not exist."""

_UNSURE_NS = 100_000_000
"""A file that was modified more recently than this may be modified again without a new time stamp."""


def stamp_of(path: str) -> Stamp:
    """Return the stamp of a file or folder as it is now."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev


def is_unchanged(path: str, stamp: Stamp) -> bool:
    """Return whether a file or folder still has this stamp, or still does not exist."""
    # Unlike `stat`, `access` raises nothing for the files that do not exist, such as settings.
    return not os.access(path, os.F_OK) if stamp is None else stamp_of(path) == stamp


def is_old(stamp: Stamp, now_ns: int) -> bool:
    """Return whether another modification is sure to change the stamp, which was taken at `now_ns`."""
    return stamp is None or max(stamp[:2]) < now_ns - _UNSURE_NS
