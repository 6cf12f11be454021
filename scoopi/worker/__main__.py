"""A worker process: `python -m scoopi.worker`, started by a parent that passes pipes and a crash marker."""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import resource
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.descendants import die_with_parent

if TYPE_CHECKING:
    from scoopi.worker.worker_parts import WorkerParts

_DESCRIPTORS = ("--incoming", "--outgoing", "--marker")
SWITCH_S = 0.0005
"""The interpreter's default of 5 ms would delay messages of the parent and pages that the reader drives."""
COLLECTED_AFTER = 2_000
"""New objects after which the garbage collector looks for cycles. A page has hundreds and leaves no cycle
behind; but a cycle made by a plugin may hold a page's tree, so the number is not larger."""

LEAST_ROOM_BYTES = 64 << 20
"""A worker may allocate at least this much after it is wired, however little the control group allows."""
M_ARENA_MAX, ARENA_BYTES = -8, 64 << 20
"""glibc's allocator reserves this address space for each arena: one more, for the reader's thread."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
KEPT_BYTES = 32 << 20
"""Freed memory that a worker keeps for its next page; the trees of a page of 1 MB take up to 20 MB."""
LARGE_BYTES = 4 << 20
"""A block of this size is returned as soon as it is freed."""


def main() -> None:
    """Serve the parent until it sends Stop, or is gone."""
    wire_name, numbers = _arguments(sys.argv[1:])
    sys.setswitchinterval(SWITCH_S)
    gc.disable()
    for number in (signal.SIGINT, signal.SIGHUP):  # a terminal sends them to its whole process group
        signal.signal(number, signal.SIG_IGN)
    die_with_parent(numbers["--parent"])  # also in the midst of a long call, when no closed pipe is seen
    incoming, outgoing, marker = (numbers[name] for name in _DESCRIPTORS)
    _leave_stdout_to_data((incoming, outgoing, marker))

    from scoopi.worker.crash_marker import CrashMarker
    from scoopi.worker.pipe import WorkerPipe
    from scoopi.worker.worker import Worker

    module, _, function = wire_name.partition(":")
    wire = getattr(importlib.import_module(module), function)

    def wired(plan: bytes, report_sent: Callable[[str, str], None]) -> WorkerParts:
        parts: WorkerParts = wire(plan, report_sent)
        if parts.memory_bytes is None or parts.memory_bytes >= 8 * KEPT_BYTES:
            keep_freed_memory()
        if parts.memory_bytes is not None:
            _bound_memory(parts.memory_bytes)
        gc.freeze()  # what the worker was made from stays, and need not be looked at again
        gc.set_threshold(COLLECTED_AFTER)
        gc.enable()
        return parts

    pipe = WorkerPipe(incoming, outgoing)
    Worker(pipe, CrashMarker(marker), wired, orphaned=lambda: os._exit(0)).run()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # as it is where the parent was started with closed streams
            with suppress(OSError, ValueError):
                stream.flush()
    os._exit(0)  # nothing is left to be closed, and finalizing the interpreter takes time


def _arguments(words: Sequence[str]) -> tuple[str, dict[str, int]]:
    """The `module:function` that makes the worker's parts, and the numbers by option.

    Not argparse: importing it takes a twentieth of a worker's start.
    """
    given = dict(zip(words[::2], words[1::2], strict=False))
    try:
        return given["--wire"], {name: int(given[name]) for name in (*_DESCRIPTORS, "--parent")}
    except (KeyError, ValueError):
        sys.exit("scoopi.worker is started by Scoopi, with pipes of its parent; see `scoopi --help`")


def keep_freed_memory() -> None:
    """Have the allocator keep up to `KEPT_BYTES` of freed memory, if it is glibc's.

    By default it returns the memory of a large page's trees to the kernel, and the next page pays for each
    4 KB of it again.
    """
    _set_allocator({M_TRIM_THRESHOLD: KEPT_BYTES, M_MMAP_THRESHOLD: LARGE_BYTES})


def _bound_memory(most_bytes: int) -> None:
    """Have allocations fail at this worker's part, before the kernel kills the whole control group.

    What is mapped and was never used (reserves of the allocator, modules) does not count.
    """
    mapped, resident = (int(pages) for pages in Path("/proc/self/statm").read_text().split()[:2])
    room = max(LEAST_ROOM_BYTES, most_bytes - resident * resource.getpagesize())
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = mapped * resource.getpagesize() + ARENA_BYTES + room
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    _set_allocator({M_ARENA_MAX: 2})
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _set_allocator(options: Mapping[int, int]) -> None:
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        for option, value in options.items():
            libc.mallopt(option, value)


def _leave_stdout_to_data(used: tuple[int, ...]) -> None:
    """What a plugin prints goes to stderr: rows are alone on the stdout that the parent writes."""
    if not {1, 2} & {*used}:  # as they may be, where the parent was started with closed streams
        with suppress(OSError):
            os.dup2(2, 1)


if __name__ == "__main__":
    main()
