"""HostClaims: notices that another run of this user on this machine asks the same host."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import stat
import struct
import tempfile
from hashlib import blake2b
from pathlib import Path

log = logging.getLogger(__name__)

_FLOCK = struct.Struct("hhqqi4x")
"""Linux's struct flock: type, whence, start, length, and a process id that has to be 0."""
LAST_PLACE = 2**62


def claims_file() -> Path:
    """The file in which all runs of this user claim hosts."""
    folder = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    return Path(folder) / f"scoopi-{os.geteuid()}-hosts"


class HostClaims:
    """Locks a byte of a common, empty file for each host, until the process ends. Belongs to one thread.

    Two runs know nothing of each other: each keeps the delay of a host by itself, and the host sees both.
    Nothing is refused for that, and without the file nothing is noticed.
    """

    def __init__(self, file: Path) -> None:
        self._path = file
        self._file: int | None = None
        self._has_reported = False

    def claim(self, host: str) -> None:
        """This run asks the host from now on; report it, once a run, if another one does."""
        if self._has_reported:
            return
        with contextlib.suppress(OSError):
            if self._file is None:
                self._file = _opened(self._path)
            place = int.from_bytes(blake2b(host.encode(), digest_size=8).digest(), "big") % LAST_PLACE
            try:
                fcntl.fcntl(
                    self._file, fcntl.F_OFD_SETLK, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, place, 1, 0)
                )
            except BlockingIOError:
                self._has_reported = True
                log.warning(
                    "host %s: another run of yours on this machine asks it too; each run keeps the delay by "
                    "itself, so the host is asked more often",
                    host,
                )

    def close(self) -> None:
        """Give up all claims."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _opened(path: Path) -> int:
    """A file of this user, opened.

    Raises:
        OSError: it cannot be opened, or somebody else has put something in its place.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    facts = os.fstat(handle)
    if stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid():
        return handle
    os.close(handle)
    raise OSError(f"{path} is not a file of this user")
