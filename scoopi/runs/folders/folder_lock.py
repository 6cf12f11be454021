"""FolderLock: the lock of a run's or a node's folder, held until its file is closed."""

from __future__ import annotations

import errno
import fcntl
from pathlib import Path

from scoopi.errors import RunError

UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
"""What flock answers on a volume without file locks: NFS without a lock daemon, some FUSE volumes."""


def take_lock(handle: int, folder: Path, *, wait: bool = False) -> bool:
    """Lock an open file for this process, until it is closed; False: another process holds the lock.

    Args:
        handle: of the open file or folder.
        folder: named in errors.
        wait: wait for the other process instead.
    Raises:
        RunError: the volume does not support file locks, or the file cannot be locked at all.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        is_unsupported = error.errno in UNSUPPORTED
        what = "the volume does not support file locks" if is_unsupported else "the folder cannot be locked"
        raise RunError(
            f"{what}: {error.strerror}",
            at=str(folder),
            hint="put the run's folder on a volume with file locks, such as a local disk (--output)",
        ) from error
    return True
