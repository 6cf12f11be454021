"""wire: makes a worker's parts as a process finds them by name; a loader whose plugin prints."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Callable

from scoopi.worker.allocator import keep_freed_memory
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.worker_parts import GroupPlan, WorkerParts
from tests.worker.played_loader import PlayedLoader


def wire(plan: bytes, report_sent: Callable[[str, str], None]) -> WorkerParts:
    """The parts of a worker that prints how its memory is managed when it runs a job.

    Args:
        plan: the memory that the worker may use, in bytes; empty for no bound.

    Raises:
        ValueError: the plan is `broken`.
    """
    if plan == b"broken":
        raise ValueError("no such plugin")
    print(f"printed by a plugin, garbage is {'' if gc.isenabled() else 'not '}collected")
    of_terminal = (signal.SIGHUP, signal.SIGINT)
    ignored = [each.name for each in of_terminal if signal.getsignal(each) is signal.SIG_IGN]
    print("ignored:", *ignored, f"{sys.getswitchinterval():g}")
    return WorkerParts(
        PlayedLoader(ends_at_once=1),
        _print_memory,
        ChildJobs(lambda _: "site:80", 9),
        FoundValues({}, frozenset()),
        memory_bytes=int(plan) if plan else None,
    )


def _print_memory(_: str) -> GroupPlan:
    keeps = "kept" if keep_freed_memory.cache_info().currsize else "returned"
    frozen = "" if gc.get_freeze_count() else "not "
    print(f"collected after {gc.get_threshold()[0] if gc.isenabled() else 'never'}, {frozen}frozen, {keeps}")
    return GroupPlan((), "loader", "here")
