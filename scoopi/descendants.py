"""Adopts, measures and kills the descendants of a process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Collection, Iterable, Mapping

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Make this process the parent of all its descendants whose own parent ends (Linux)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, also if it has ended already (Linux).

    Args:
        parent: the process id that the parent had when this process was forked.
    """
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(128 + signal.SIGKILL)


def kill_descendants() -> None:
    """Kill all descendants and wait for them; needs `adopt_orphans`, since orphans are found as children."""
    try:
        os.waitpid(-1, os.WNOHANG)  # fails at once if nothing is left, which costs less than to search
        while True:
            _kill(_descendants(os.getpid()))
            os.waitpid(-1, 0)
    except ChildProcessError:
        return


def kill_tree(root: int) -> None:
    """Kill a process and all of its descendants, from the top; waits for none of them."""
    _kill((root, *_descendants(root)))


def kill_orphans(children: Collection[int]) -> None:
    """Kill the adopted children of this process, and all below them; does not wait for them.

    Args:
        children: its own children, which stay.
    """
    _kill(_descendants(os.getpid(), children))


def memory_of_trees(roots: Iterable[int]) -> dict[int, int]:
    """The private memory of processes, each with all of its descendants, in bytes by process id.

    Memory that is shared or mapped from files does not count.
    """
    children, page = _children(), os.sysconf("SC_PAGE_SIZE")
    return {root: page * sum(map(_own_pages, (root, *_below(root, children)))) for root in roots}


def _own_pages(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            _, resident, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):  # it has ended meanwhile
        return 0
    return resident - shared


def _kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _descendants(root: int, but: Collection[int] = ()) -> list[int]:
    """Process ids below a process, by the tables of the kernel; empty where there are none.

    Args:
        but: children that are left out, with all below them.
    """
    return _below(root, _children(), but)


def _children() -> dict[int, list[int]]:
    """The children of each process."""
    children: dict[int, list[int]] = {}
    try:
        entries = [entry for entry in os.listdir("/proc") if entry.isdigit()]
    except OSError:
        entries = []
    for entry in entries:
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError, ValueError):  # it has ended meanwhile
            continue
        children.setdefault(parent, []).append(int(entry))
    return children


def _below(root: int, children: Mapping[int, list[int]], but: Collection[int] = ()) -> list[int]:
    found, left = [], [root]
    while left:
        below = [pid for pid in children.get(left.pop(), []) if pid not in but]
        found += below
        left += below
    return found


def _prctl(option: int, value: int) -> None:
    call = getattr(ctypes.CDLL(None), "prctl", None)
    if call is not None:
        call(option, value, 0, 0, 0)
