"""TaskChain, GroupPlan: the steps of a group's tasks, ready to run."""

from __future__ import annotations

from dataclasses import dataclass

from scoopi.model.definitions import TaskDef
from scoopi.steps.step import Step


@dataclass(frozen=True, slots=True)
class ChainStep:
    """A step of a chain, and where its definition stands."""

    name: str
    step: Step
    at: str


@dataclass(frozen=True, slots=True)
class TaskChain:
    """What is done with a loaded page for one task: the steps after the loader."""

    task: TaskDef
    steps: tuple[ChainStep, ...]


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """The tasks of a group in the order of their definition."""

    chains: tuple[TaskChain, ...]
    loader_name: str
    loader_at: str
