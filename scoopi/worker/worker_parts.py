"""WorkerParts: what the wiring room hands to a worker."""

from __future__ import annotations

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
    """

    loader: Loader
    group_plan: Callable[[str], GroupPlan]
    children: ChildJobs
    found: FoundValues
