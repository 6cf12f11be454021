"""NodeWatch: a node's figures and health, gathered from its parts on request."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from injector import inject

from scoopi.appenders.appender import Appender
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.job_mediator import JobMediator
from scoopi.mediator.node_events import NodeEvents
from scoopi.mediator.state_flipper import NodeState, StateFlipper
from scoopi.mediator.task_mediator import TaskFigures, TaskMediator
from scoopi.metrics.node_counts import CachedFigure, NodeCounts
from scoopi.metrics.node_view import (
    CommitsView,
    HostsView,
    JobsView,
    MemoryView,
    NodeView,
    QueuesView,
    WorkersView,
)
from scoopi.version import __version__

COMMIT = "commit"
COMMIT_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
LEFT_KEPT_S = 1.0
STUCK_S = 15.0
"""The task runner's loop turns once a second; one that has not turned for this long is stuck."""


@inject
@dataclass(frozen=True, slots=True)
class WatchedParts:
    """The parts whose figures are shown."""

    appender: Appender
    tasks: TaskMediator
    jobs: JobMediator
    events: NodeEvents
    state: StateFlipper
    held: HeldJobs


class NodeWatch:
    """Gathers a node's figures and health from its parts on request.

    Keeps the promise of `scoopi.metrics.node_view.Watched`; only `view` asks the store.

    Args:
        run: the run's id; `node` the node's.
        left: how many jobs of the run have not ended.
    """

    def __init__(
        self, run: str, node: str, parts: WatchedParts, counts: NodeCounts, left: Callable[[], int]
    ) -> None:
        self._run = run
        self._node = node
        self._parts = parts
        self._counts = counts
        self._left = CachedFigure(left, LEFT_KEPT_S)
        self._began = time.monotonic()

    def fault(self) -> str:
        """See `Watched.fault`: an error that ends the node, a thread that has ended or is stuck."""
        if self._parts.events.fault is not None:
            return str(self._parts.events.fault)
        broken = self._broken()
        # Threads end when the run does; so the state is read after them.
        return "" if self._ends() else broken

    def unready(self) -> str:
        """See `Watched.unready`."""
        if fault := self.fault():
            return fault
        if self._ends():
            return "the node ends its part of the run"
        if not self._parts.jobs.started:
            return "the run is not seeded yet"
        return "" if self._parts.tasks.figures().ready else "no worker is ready"

    def view(self) -> NodeView:
        """See `Watched.view`."""
        figures = self._parts.tasks.figures()
        value = self._counts.value
        return NodeView(
            run=self._run,
            node=self._node,
            version=__version__,
            state=self._parts.state.state,
            fault=self.fault(),
            unready=self.unready(),
            seconds=round(time.monotonic() - self._began, 3),
            jobs=self._jobs(),
            pages=int(value("pages")),
            rows=int(value("rows")),
            bytes=int(value("bytes")),
            commits=self._commits(),
            steps={step: round(seconds, 6) for step, seconds in self._counts.with_prefix("time.").items()},
            workers=WorkersView(figures.workers, figures.ready, figures.crashes),
            queues=QueuesView(figures.queued, figures.given, self._parts.appender.waiting()),
            hosts=HostsView(figures.hosts_in_flight, figures.hosts_waiting, figures.requests),
            memory=_memory(figures),
        )

    def _ends(self) -> bool:
        return self._parts.state.state in (NodeState.SHUTDOWN, NodeState.TERMINATED)

    def _broken(self) -> str:
        parts = self._parts
        if parts.tasks.ended():
            return "the thread task-runner has ended"
        if parts.appender.ended():
            return "the thread appender has ended"
        if name := parts.jobs.ended():
            return f"the thread {name} has ended"
        figures = parts.tasks.figures()
        if figures.stuck_s:
            return f"a worker has been in one task for {figures.stuck_s:.0f} s and cannot be ended"
        still_s = time.monotonic() - figures.turned_at
        return f"the task runner has not turned for {still_s:.0f} s" if still_s > STUCK_S else ""

    def _jobs(self) -> JobsView:
        names = ("jobs.done", "jobs.failed", "jobs.skipped")
        done, failed, skipped = (int(self._counts.value(name)) for name in names)
        return JobsView(done, failed, len(self._parts.held.ids()), self._left.value(), skipped)

    def _commits(self) -> CommitsView:
        value = self._counts.value
        return CommitsView(
            count=int(value(f"{COMMIT}.count")),
            seconds=round(value(f"{COMMIT}.sum"), 6),
            most={bound: int(value(f"{COMMIT}.most.{bound}")) for bound in COMMIT_BOUNDS_S},
        )


def _memory(figures: TaskFigures) -> MemoryView:
    return MemoryView(resident_bytes(os.getpid()), sum(map(resident_bytes, figures.pids)))


def resident_bytes(pid: int) -> int:
    """Resident memory of a process, in bytes; 0 if it does not exist."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
