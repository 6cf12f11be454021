"""WorkerParts: what the wiring room hands to a worker, with the compiled steps of each task group."""

from __future__ import annotations

import sys
from collections.abc import Callable

import msgspec

from scoopi.fetch.downloads.file_store import FileStore
from scoopi.model.definitions import TaskDef
from scoopi.steps.step import Loader, Step
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs


class ChainStep(msgspec.Struct, frozen=True):
    """A step of a chain, and where it is defined."""

    name: str
    step: Step
    at: str


class TaskChain(msgspec.Struct, frozen=True):
    """What is done with a loaded page for one task: the steps after the loader."""

    task: TaskDef
    steps: tuple[ChainStep, ...]


class GroupPlan(msgspec.Struct, frozen=True):
    """The tasks of a group in the order of their definition."""

    chains: tuple[TaskChain, ...]
    loader_name: str
    loader_at: str


class WorkerParts(msgspec.Struct, frozen=True):
    """Everything that a worker runs, with the compiled steps of each task group.

    Attributes:
        loader: of all its pages.
        group_plan: the compiled tasks of a group, by its name; compiled once.
        children: makes jobs from links.
        found: counts what the data definitions find.
        max_held_bytes: while loaded pages of this total size wait for their steps, no page is received.
        memory_bytes: the most that its process may use; None without a limit.
        reports_pages: whether results say how their page was loaded.
        files: where the files go that rows name; None if no definition has any.
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
"""Makes the parts from the plan of `Setup`; its second argument reports (job, host) of each request sent."""
