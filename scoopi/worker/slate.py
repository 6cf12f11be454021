"""Slate: where a worker notes the task that it is on, readable by the parent after its death."""

from __future__ import annotations

import mmap
import os

SIZE = 4096
NAMES = "utf-8"


class Slate:
    """A page of shared memory; noting costs a copy of a few bytes, no message.

    The parent makes it and hands its descriptor to the worker.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._page = mmap.mmap(descriptor, SIZE)

    @classmethod
    def make(cls) -> Slate:
        """A new, empty slate."""
        descriptor = os.memfd_create("scoopi-slate", os.MFD_CLOEXEC)
        os.ftruncate(descriptor, SIZE)
        return cls(descriptor)

    def note(self, job: str, task: str) -> None:
        """Say that this task of this job begins; the task is empty while the page is loaded."""
        text = f"{job}\n{task}".encode(NAMES)[: SIZE - 2]
        self._page[: len(text) + 2] = len(text).to_bytes(2, "little") + text

    def wipe(self) -> None:
        """Say that nothing is going on."""
        self._page[:2] = b"\x00\x00"

    def read(self) -> tuple[str, str]:
        """The job and task last noted; empty ones when nothing was going on."""
        length = int.from_bytes(self._page[:2], "little")
        job, _, task = self._page[2 : 2 + length].decode(NAMES, "replace").partition("\n")
        return job, task

    def close(self) -> None:
        """Unmap the page and close its descriptor."""
        self._page.close()
        os.close(self.descriptor)
