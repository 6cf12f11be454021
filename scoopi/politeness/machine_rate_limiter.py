"""MachineRateLimiter: all runs of one user on one machine share the delay of each host, through a file."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import stat
import struct
import tempfile
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import msgspec

log = logging.getLogger(__name__)

_FLOCK = struct.Struct("hhqqi4x")
"""Linux's struct flock: type, whence, start, length, and a process id that has to be 0."""
_SLOT = struct.Struct("<Qq")
"""A host's tag, and when its next request may start: monotonic nanoseconds, whose last two bits are flags."""
SLOTS, BUCKETS = 16, 16384
"""A host has a slot in one bucket; the bucket is locked while it is read and written."""
_BUCKET = struct.Struct("<" + SLOTS * "Qq")
_HEAD = 4096
"""Bytes before the first bucket; the first of them hold the id of the machine's boot."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
RESERVED, AWAITED = 1, 2
"""Flags: the request is not reported as sent yet; another run waits for the host."""
POLL_S = 0.02
"""Seconds after which to look again at a slot that is locked, or whose time is not settled yet."""
YIELD_S = 0.05
"""Seconds for which the run that had the last request leaves the next one to a run that waits."""
LOCKED_S = 5.0
"""A lock held for longer, in seconds, belongs to a suspended process, and is no longer waited for."""
FARTHEST_S = 86_400.0
"""A time further ahead is of another clock, such as that of a container, and is ignored."""


def machine_file() -> Path:
    """The file through which all runs of this user on this machine share the delays of hosts."""
    return Path(tempfile.gettempdir()) / f"scoopi-{os.geteuid()}-pace"


class _Place(msgspec.Struct):
    """Where the slot of a host is in the file, and what this run has done with it.

    Attributes:
        bucket: offset of the host's bucket in the file.
        tag: distinguishes the hosts of a bucket: 64 bits of the host's digest; never 0.
        at: offset of the slot in the file; -1 while the host has none.
        written: the time that this run wrote last, without flags; if it differs, another run was first.
        locked_since: monotonic seconds since which the bucket could not be locked; None if it could.
    """

    bucket: int
    tag: int
    at: int = -1
    written: int = 0
    locked_since: float | None = None


class MachineRateLimiter:
    """Lets all runs of one user on one machine share the delay of each host, through a file.

    The file holds the time of the next request, by any run, to each host with a delay. Belongs to one thread;
    never waits.

    A run reserves a host up to the end of its grant, and settles the time when the request was sent. So a
    run that crashes in between leaves a time behind that is late enough. If the file cannot be used, each run
    keeps the delay by itself, and one warning is logged.

    Args:
        file: path of the user's file, which is created with the first reservation.
        clock: monotonic seconds, as all processes of the machine read them.
    """

    def __init__(self, file: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = file
        self._clock = clock
        self._file: int | None = None
        self._is_off = False
        self._places: dict[str, _Place] = {}
        self._has_met = False

    def reserve(self, host: str, until: float) -> float:
        """Reserve the host until a time, unless another run has it now.

        Args:
            until: one delay after the latest time at which the request may be sent.
        Returns:
            When to try again, in monotonic seconds; 0 if the host is reserved.
        """
        if self._is_off:
            return 0.0
        try:
            return self._reserve(host, until)
        except OSError as error:
            self._end(error.strerror or str(error))
            return 0.0

    def settle(self, host: str, next_at: float) -> None:
        """Note that the reserved request was sent, or never will be.

        Args:
            next_at: monotonic seconds from which any run may send the next request to the host.
        """
        self._replace(host, next_at, is_settled=True)

    def hold(self, host: str, until: float) -> None:
        """Let no run send a request to the host before `until`, in monotonic seconds, a day ahead at most.

        Does nothing for a host to which this run has made no reservation.
        """
        self._replace(host, until, is_settled=False)

    def close(self) -> None:
        """Close the file; reservations last until their time is over."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._is_off = True

    def _reserve(self, host: str, until: float) -> float:
        place, now = self._place(host), self._clock()
        if not self._lock(place.bucket):
            return self._locked_out(place, now)
        try:
            place.locked_since = None
            at, found = self._found(place, now)
            if at < 0:
                self._end("too many hosts")
                return 0.0
            next_s, flags = found / 1e9, found & 3
            is_own = found >> 2 == place.written >> 2
            if is_own and flags & AWAITED:
                self._write(at, place, found & ~AWAITED)
                return now + YIELD_S
            if not is_own and now < next_s <= now + FARTHEST_S + 1:
                self._meet(host)
                self._write(at, place, found | AWAITED, is_own=False)
                return min(next_s, now + POLL_S) if flags & RESERVED else next_s
            self._write(at, place, _ns(min(until, now + FARTHEST_S)) | RESERVED)
            return 0.0
        finally:
            self._unlock(place.bucket)

    def _replace(self, host: str, until: float, is_settled: bool) -> None:
        place = self._places.get(host)
        if self._is_off or place is None or place.at < 0:
            return
        try:
            if self._lock(place.bucket):  # else the reservation stays, which is longer and never shorter
                self._replace_locked(place, _ns(min(until, self._clock() + FARTHEST_S)), is_settled)
                self._unlock(place.bucket)
        except OSError as error:
            self._end(error.strerror or str(error))

    def _replace_locked(self, place: _Place, new: int, is_settled: bool) -> None:
        tag, found = _SLOT.unpack(os.pread(self._handle, _SLOT.size, place.at).ljust(_SLOT.size, b"\0"))
        is_own = found >> 2 == place.written >> 2
        if tag == place.tag and (new > found or (is_settled and is_own)):
            self._write(place.at, place, new | found & AWAITED, is_own)

    def _found(self, place: _Place, now: float) -> tuple[int, int]:
        """The offset of the host's slot, and its value: 0 for a new one; offset -1 if there is no room."""
        slots = _BUCKET.unpack(os.pread(self._handle, _BUCKET.size, place.bucket).ljust(_BUCKET.size, b"\0"))
        tags, times = slots[::2], slots[1::2]
        if place.tag in tags:
            number = tags.index(place.tag)
            return place.bucket + number * _SLOT.size, times[number]
        first, last = _ns(now), _ns(now + FARTHEST_S + 1)
        free = (number for number, each in enumerate(times) if not first < each < last)
        number = next(free, -1)
        return (place.bucket + number * _SLOT.size if number >= 0 else -1), 0

    def _write(self, at: int, place: _Place, value: int, is_own: bool = True) -> None:
        os.pwrite(self._handle, _SLOT.pack(place.tag, value), at)
        place.at = at
        if is_own:
            place.written = value

    def _locked_out(self, place: _Place, now: float) -> float:
        if place.locked_since is None:
            place.locked_since = now
        return now + POLL_S if now < place.locked_since + LOCKED_S else 0.0

    def _meet(self, host: str) -> None:
        if not self._has_met:
            self._has_met = True
            log.info(
                "host %s: another run of this user on this machine sends requests too; they share the delay",
                host,
            )

    def _place(self, host: str) -> _Place:
        place = self._places.get(host)
        if place is None:
            digest = int.from_bytes(blake2b(host.encode(), digest_size=16).digest(), "little")
            bucket = _HEAD + digest % BUCKETS * _BUCKET.size
            place = self._places[host] = _Place(bucket, (digest >> 64) | 1)
        if self._file is None:
            self._file = _opened(self._path)
            self._begin()
        return place

    def _begin(self) -> None:
        """Empty a file whose times are of an earlier boot of the machine."""
        boot = BOOT_ID.read_bytes()
        if os.pread(self._handle, len(boot), 0) == boot:
            return
        if not self._lock(0):
            raise OSError(errno.EAGAIN, f"{self._path} is locked by another process")
        try:
            if os.pread(self._handle, len(boot), 0) != boot:
                os.ftruncate(self._handle, 0)
                os.pwrite(self._handle, boot, 0)
        finally:
            self._unlock(0)

    def _end(self, why: str) -> None:
        """Stop sharing, and log why."""
        self.close()
        log.warning(
            "the delays of hosts are not shared with other runs of this user on this machine (%s: %s); "
            "each run keeps them by itself",
            self._path,
            why,
        )

    @property
    def _handle(self) -> int:
        if self._file is None:
            raise OSError(errno.EBADF, "closed")
        return self._file

    def _lock(self, at: int) -> bool:
        try:
            fcntl.fcntl(self._handle, fcntl.F_OFD_SETLK, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, at, 1, 0))
        except BlockingIOError:
            return False
        return True

    def _unlock(self, at: int) -> None:
        if self._file is not None:
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, _FLOCK.pack(fcntl.F_UNLCK, os.SEEK_SET, at, 1, 0))


def _ns(seconds: float) -> int:
    """Seconds as nanoseconds with room for the flags, rounded up."""
    return (int(seconds * 1e9) | 3) + 1


def _opened(path: Path) -> int:
    """Open a file of this user.

    Raises:
        OSError: it cannot be opened, or is not a regular file of this user.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    facts = os.fstat(handle)
    if stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid():
        return handle
    os.close(handle)
    raise OSError(errno.EPERM, "not a file of this user")
