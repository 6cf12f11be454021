"""EndedIndex: the one frame of each finished job that counts, and whether it was found."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import accumulate

ID_BYTES = 16
BUCKETS = 1 << 16
"""One for each value of an id's first two bytes; ids are digests, so with a million jobs a bucket has 15."""
MATCHED = 0
"""Replaces the fence of a frame that was found; fences count from 1."""


class EndedIndex:
    """Holds which frame of each finished job counts, and whether that frame was found.

    Uses only 22 bytes per job, because a run may have millions. Not thread-safe.
    """

    def __init__(self) -> None:
        self._ids = bytearray()
        self._fences = array("I")
        self._owners = array("H")
        self._numbers: dict[str, int] = {}
        self._sizes = array("I", bytes(4 * (BUCKETS + 1)))
        self._starts: array[int] | None = None

    def add(self, job: str, incarnation: str, fence: int) -> None:
        """Add a finished job; call it for all jobs before anything is looked up.

        Args:
            job: its id, 32 hexadecimal digits.
            incarnation: the incarnation of the node that ended it.
            fence: the fence with which it ended it.
        """
        key = bytes.fromhex(job)
        self._ids += key
        self._fences.append(fence)
        self._owners.append(self._numbers.setdefault(incarnation, len(self._numbers)))
        self._sizes[_bucket(key) + 1] += 1

    def match(self, job: str, incarnation: str, fence: int) -> bool:
        """Whether this frame is the one that counts; marks it as found, so that no equal one counts again."""
        place = self._of(job)
        if place < 0 or self._fences[place] != fence or self._owners[place] != self._numbers.get(incarnation):
            return False
        self._fences[place] = MATCHED
        return True

    def has(self, job: str) -> bool:
        """Whether the job has ended."""
        return self._of(job) >= 0

    def unmatched(self) -> Iterator[str]:
        """The ids of the jobs whose frame was not found."""
        for place, fence in enumerate(self._fences):
            if fence != MATCHED:
                yield self._ids[place * ID_BYTES : (place + 1) * ID_BYTES].hex()

    def _of(self, job: str) -> int:
        starts = self._starts
        if starts is None:
            starts = self._starts = array("I", accumulate(self._sizes))
        key = bytes.fromhex(job)
        bucket = _bucket(key)
        start, end = starts[bucket] * ID_BYTES, starts[bucket + 1] * ID_BYTES
        while (found := self._ids.find(key, start, end)) >= 0:
            if found % ID_BYTES == 0:
                return found // ID_BYTES
            start = found + 1  # the match spans two ids
        return -1


def _bucket(key: bytes) -> int:
    return key[0] << 8 | key[1]
