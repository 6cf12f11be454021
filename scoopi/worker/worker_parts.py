"""WorkerParts: everything that a worker runs, made by `bootstrap` from the run's plan."""

from __future__ import annotations

import sys
from collections.abc import Callable

import msgspec

from scoopi.fetch.downloads.file_store import FileStore
from scoopi.model.scrape.task_def import TaskDef
from scoopi.steps.loading.loader import Loader
from scoopi.steps.step import Step
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs


class ChainStep(msgspec.Struct, frozen=True):
    """A step of a chain.

    Attributes:
        at: where the step is defined.
    """

    name: str
    step: Step
    at: str


class TaskChain(msgspec.Struct, frozen=True):
    """The steps of one task after its loader."""

    task: TaskDef
    steps: tuple[ChainStep, ...]


class GroupPlan(msgspec.Struct, frozen=True):
    """The tasks of a group, in the order of their definitions.

    Attributes:
        loader_name: name of the step that loads the pages of the group.
        loader_at: where that step is defined.
    """

    chains: tuple[TaskChain, ...]
    loader_name: str
    loader_at: str


class WorkerParts(msgspec.Struct, frozen=True):
    """Everything that a worker runs.

    Attributes:
        loader: loads all pages.
        group_plan: returns the tasks of a group, given its name; they are compiled once.
        children: makes jobs from links.
        found: counts the values that are found.
        max_held_bytes: while loaded pages of this total size wait for their steps, none is received.
        memory_bytes: memory limit of the process; None for none.
        reports_pages: whether results say how their page was loaded.
        files: the downloaded files of the node; None if no definition has a download.
    """

    loader: Loader
    group_plan: Callable[[str], GroupPlan]
    children: ChildJobs
    found: FoundValues
    max_held_bytes: int = sys.maxsize
    memory_bytes: int | None = None
    reports_pages: bool = False
    files: FileStore | None = None


Wire = Callable[[bytes, Callable[[str, str], None]], WorkerParts]
"""Makes the parts from the plan in `Setup`; its second argument is called with the job's id and the host of
each request when it is sent."""
