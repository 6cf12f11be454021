"""CrashMarker: shared memory in which a worker records its current task, readable even after a crash."""

from __future__ import annotations

import mmap
import os
import time
from typing import NamedTuple

SIZE = 4096
NAMES = "utf-8"
LONE = "surrogatepass"
"""YAML rejects half of a surrogate pair in a name; if one comes from elsewhere, `note` must not fail."""
LONGEST = 4
"""Bytes of the longest character."""
_TEXT = 8
"""Offset of the text, after the time of the note, which is one aligned word and so written atomically."""


class RunningTask(NamedTuple):
    """The job and task that a worker has been running since `began`; empty if it runs none.

    Attributes:
        task: empty while the page is loaded.
        began: monotonic time in seconds.
    """

    job: str = ""
    task: str = ""
    began: float = 0.0


class CrashMarker:
    """Shared memory in which a worker records its current task, readable by the parent even after a crash.

    A note costs a copy of a few bytes and no message.

    Args:
        descriptor: of the memory, which the parent makes and passes to the worker; -1 makes memory for a
            thread of this process.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._page = mmap.mmap(descriptor, SIZE)
        self._bytes = memoryview(self._page)
        self._began = self._bytes[:_TEXT].cast("d")

    @classmethod
    def make(cls) -> CrashMarker:
        """Make an empty marker."""
        descriptor = os.memfd_create("scoopi-crash-marker", os.MFD_CLOEXEC)
        os.ftruncate(descriptor, SIZE)
        return cls(descriptor)

    def note(self, job: str, task: str) -> None:
        """Record that a task of a job begins; the task is empty while the page is loaded."""
        text = f"{job}\n{task}\0".encode(NAMES, LONE)
        if len(text) > SIZE - _TEXT:
            most = (SIZE - _TEXT) // LONGEST - 1
            text = (f"{job}\n{task}"[:most] + "\0").encode(NAMES, LONE)  # truncated between two characters
        self._began[0] = 0.0  # a text is valid only together with the time that is written after it
        self._page[_TEXT : _TEXT + len(text)] = text
        self._began[0] = time.monotonic()

    def clear(self) -> None:
        """Record that no task is running."""
        self._began[0] = 0.0

    def read(self) -> RunningTask:
        """The running task; an empty one if there is none, or the worker is writing right now."""
        began = self._began[0]
        text = self._page[_TEXT:]
        if not began or self._began[0] != began:
            return RunningTask()
        try:
            job, _, task = text.partition(b"\0")[0].decode(NAMES, LONE).partition("\n")
        except UnicodeDecodeError:  # half of the old text, half of the new one
            return RunningTask()
        return RunningTask(job, task, began)

    def close(self) -> None:
        """Unmap the page and close its descriptor."""
        self._began.release()
        self._bytes.release()
        self._page.close()
        if self.descriptor >= 0:
            os.close(self.descriptor)
