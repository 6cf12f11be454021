"""CrashMarker: where a worker records the task that it runs, for the parent to read, even after a crash."""

from __future__ import annotations

import mmap
import os
import time
from typing import NamedTuple

SIZE = 4096
NAMES = "utf-8"
LONE = "surrogatepass"
"""YAML refuses half of a surrogate pair in a name; from anywhere else it must not make a note fail."""
LONGEST = 4
"""Bytes of the longest character."""
_TEXT = 8
"""Offset of the text, behind the time of the note: one aligned word, which is never read half written."""


class Note(NamedTuple):
    """The job and task that a worker runs since `began` (monotonic seconds); empty when it runs none.

    The task is empty while the page is loaded.
    """

    job: str = ""
    task: str = ""
    began: float = 0.0


class CrashMarker:
    """Where a worker records the task that it runs, for the parent to read, even after a crash.

    A page of memory that both share; a note costs a copy of a few bytes and no message.

    The parent makes it and passes its descriptor to the worker; -1 makes one for a thread of this process.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._page = mmap.mmap(descriptor, SIZE)
        self._bytes = memoryview(self._page)
        self._began = self._bytes[:_TEXT].cast("d")

    @classmethod
    def make(cls) -> CrashMarker:
        """A new, empty marker."""
        descriptor = os.memfd_create("scoopi-crash-marker", os.MFD_CLOEXEC)
        os.ftruncate(descriptor, SIZE)
        return cls(descriptor)

    def note(self, job: str, task: str) -> None:
        """Record that this task of this job begins; the task is empty while the page is loaded."""
        text = f"{job}\n{task}\0".encode(NAMES, LONE)
        if len(text) > SIZE - _TEXT:
            most = (SIZE - _TEXT) // LONGEST - 1
            text = (f"{job}\n{task}"[:most] + "\0").encode(NAMES, LONE)  # cut between two characters
        self._began[0] = 0.0  # a text is valid only together with the time that is written after it
        self._page[_TEXT : _TEXT + len(text)] = text
        self._began[0] = time.monotonic()

    def clear(self) -> None:
        """Record that no task is running."""
        self._began[0] = 0.0

    def read(self) -> Note:
        """The last note; an empty one when no task is running, or the worker is just writing."""
        began = self._began[0]
        text = self._page[_TEXT:]
        if not began or self._began[0] != began:
            return Note()
        try:
            job, _, task = text.partition(b"\0")[0].decode(NAMES, LONE).partition("\n")
        except UnicodeDecodeError:  # half of the former text, half of the next
            return Note()
        return Note(job, task, began)

    def close(self) -> None:
        """Unmap the page and close its descriptor."""
        self._began.release()
        self._bytes.release()
        self._page.close()
        if self.descriptor >= 0:
            os.close(self.descriptor)
