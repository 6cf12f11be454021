"""WorkerParts: what the wiring room hands to a worker."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from scoopi.steps.loader import Loader
from scoopi.worker.child_jobs import ChildJobs
from scoopi.worker.found_values import FoundValues
from scoopi.worker.task_chain import GroupPlan


@dataclass(frozen=True, slots=True)
class WorkerParts:
    """Everything that a worker runs.

    Attributes:
        loader: of all its pages.
        group_plan: the compiled tasks of a group, by its name; compiled once.
        children: makes jobs from links.
        found: counts what the data definitions find.
        max_held_bytes: while pages of so many bytes wait for their steps, the network waits for them.
        memory_bytes: the most that its process may use; None without a limit.
    """

    loader: Loader
    group_plan: Callable[[str], GroupPlan]
    children: ChildJobs
    found: FoundValues
    max_held_bytes: int = sys.maxsize
    memory_bytes: int | None = None


Wire = Callable[[bytes, Callable[[str, str], None]], WorkerParts]
"""Makes the parts from what `Setup` brings; reports (job, host) of each request that goes out."""
