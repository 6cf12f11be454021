"""WorkerParts: what the wiring room hands to a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scoopi.steps.step import Step
from scoopi.worker.child_jobs import ChildJobs
from scoopi.worker.found_values import FoundValues
from scoopi.worker.task_chain import GroupPlan


@dataclass(frozen=True, slots=True)
class WorkerParts:
    """Everything that a worker runs.

    Attributes:
        new_loader: makes a loader for one thread.
        group_plan: the compiled tasks of a group, by its name; compiled once.
        children: makes jobs from links.
        found: counts what the data definitions find.
        fetch_threads: the most requests in flight in this worker.
    """

    new_loader: Callable[[], Step]
    group_plan: Callable[[str], GroupPlan]
    children: ChildJobs
    fetch_threads: int
    found: FoundValues
