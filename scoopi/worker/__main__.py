"""A worker process: `python -m scoopi.worker`, started by a parent that passes pipes and a crash marker."""

from __future__ import annotations

import gc
import importlib
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.descendants import die_with_parent
from scoopi.worker.allocator import KEPT_BYTES, bound_arenas, keep_freed_memory

if TYPE_CHECKING:
    from scoopi.worker.worker_parts import WorkerParts

_DESCRIPTORS = ("--incoming", "--outgoing", "--marker")
SWITCH_S = 0.0005
"""The default switch interval of 5 ms would delay the parent's messages, and pages that the reader drives."""
COLLECTED_AFTER = 2_000
"""Threshold of the garbage collector. A page allocates hundreds of objects and leaves no cycles; but a cycle
made by a plugin may keep a page's tree alive, so the threshold is not higher."""

LEAST_ROOM_BYTES = 64 << 20
"""A worker may allocate at least this much once it is wired, however little the cgroup allows."""
ARENA_BYTES = 64 << 20
"""glibc's allocator reserves this address space for each arena: one more, for the reader's thread."""


def main() -> None:
    """Serve the parent until it sends Stop or ends."""
    wire_name, numbers = _arguments(sys.argv[1:])
    sys.setswitchinterval(SWITCH_S)
    gc.disable()
    for number in (signal.SIGINT, signal.SIGHUP):  # a terminal sends them to its whole process group
        signal.signal(number, signal.SIG_IGN)
    die_with_parent(numbers["--parent"])  # even during a long call, when a closed pipe goes unnoticed
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
        gc.freeze()  # what the worker is made of is never freed, so the collector may skip it
        gc.set_threshold(COLLECTED_AFTER)
        gc.enable()
        return parts

    pipe = WorkerPipe(incoming, outgoing)
    Worker(pipe, CrashMarker(marker), wired, orphaned=lambda: os._exit(0)).run()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # it is None if the parent was started with closed streams
            with suppress(OSError, ValueError):
                stream.flush()
    os._exit(0)  # nothing is left to close, and finalizing the interpreter takes time


def _arguments(words: Sequence[str]) -> tuple[str, dict[str, int]]:
    """Return the `module:function` that makes the worker's parts, and the number of each option.

    Not argparse: importing it takes a twentieth of the time in which a worker starts.
    """
    given = dict(zip(words[::2], words[1::2], strict=False))
    try:
        return given["--wire"], {name: int(given[name]) for name in (*_DESCRIPTORS, "--parent")}
    except (KeyError, ValueError):
        sys.exit("scoopi.worker is started by Scoopi, with pipes of its parent; see `scoopi --help`")


def _bound_memory(most_bytes: int) -> None:
    """Make allocations fail beyond this worker's share, before the kernel kills the whole cgroup.

    Memory that is mapped but was never used (reserves of the allocator, modules) does not count.
    """
    mapped, resident = (int(pages) for pages in Path("/proc/self/statm").read_text().split()[:2])
    room = max(LEAST_ROOM_BYTES, most_bytes - resident * resource.getpagesize())
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = mapped * resource.getpagesize() + ARENA_BYTES + room
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    bound_arenas()
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _leave_stdout_to_data(used: tuple[int, ...]) -> None:
    """Redirect what plugins print to stderr, since the parent writes rows to stdout."""
    if not {1, 2} & {*used}:  # pipes may have these numbers if the parent was started with closed streams
        with suppress(OSError):
            os.dup2(2, 1)


if __name__ == "__main__":
    main()
