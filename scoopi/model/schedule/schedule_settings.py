"""ScheduleSettings: the settings of a scheduler project."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

import msgspec

from scoopi.model.schedule.liveness import Liveness
from scoopi.model.schedule.process import DEFAULT_GROUPS, NotifyRule, Process, launched_scrape

KILL = timedelta(seconds=5)
"""The longest time from SIGTERM to SIGKILL in the cancel mode `kill`."""


class CancelCascade(msgspec.Struct, frozen=True, kw_only=True):
    """What a cancel affects besides its job.

    Attributes:
        branches, children: of flows and trees, which this version does not have.
        dependents: `by_edge` if dependent jobs follow their `when_skipped`; `none` if they wait.
    """

    branches: bool = True
    children: bool = True
    dependents: Literal["by_edge", "none"] = "by_edge"


class CancelSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How attempts are cancelled, unless the command specifies it.

    Attributes:
        kill_after: the time from SIGTERM to SIGKILL.
    """

    default_mode: Literal["drain", "step", "kill"] = "step"
    kill_after: timedelta = timedelta(seconds=60)
    cascade: CancelCascade = CancelCascade()

    @property
    def hardest_after(self) -> timedelta:
        """The time from SIGTERM to SIGKILL in the mode `kill`."""
        return min(KILL, self.kill_after)

    def killed_after(self, mode: str) -> timedelta | None:
        """Return the time from SIGTERM to SIGKILL in a cancel mode; None for `drain`, which does not kill."""
        if mode == "drain":
            return None
        return self.hardest_after if mode == "kill" else self.kill_after


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """How long records are kept after their end."""

    attempts: timedelta = timedelta(days=30)
    jobs: timedelta = timedelta(days=400)
    events: timedelta = timedelta(days=7)
    logs: timedelta = timedelta(days=7)
    bundles: timedelta = timedelta(days=7)


class GcSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How often the garbage collector runs, and what it keeps."""

    every: timedelta = timedelta(seconds=60)
    retention: Retention = Retention()


class ServeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of the worker of a `serve`.

    Attributes:
        groups: the groups that it belongs to.
        slots: how many attempts it runs at a time; None for one per core.
        claim_after: how long an attempt waits for the worker that it is placed on; then others may claim it.
    """

    groups: tuple[str, ...] = DEFAULT_GROUPS
    slots: int | None = None
    claim_after: timedelta = timedelta(seconds=30)


class LogSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The size of an attempt's log, in bytes: its beginning and its end are kept, half each."""

    limit: int = 16 * 2**20


class ScheduleSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a scheduler project.

    Attributes:
        every: how often `serve` runs a pass if there is no event.
        history_start: the time in the first slot of each level of a tree; None for the first deployment.
        max_new_slots: the most jobs created per process and round of a pass.
        start_limit: the most attempts placed per round of a pass; the rest follow in the next ones.
        stuck_after: how long a job may wait for a failed job before it is reported; None for never.
    """

    every: timedelta = timedelta(seconds=10)
    history_start: datetime | None = None
    max_new_slots: int = 1000
    start_limit: int = 100
    stuck_after: timedelta | None = timedelta(hours=24)
    worker: ServeSettings = ServeSettings()
    liveness: Liveness = Liveness()
    cancel: CancelSettings = CancelSettings()
    gc: GcSettings = GcSettings()
    log: LogSettings = LogSettings()
    notify: tuple[NotifyRule, ...] = ()


class Schedule(msgspec.Struct, frozen=True):
    """A scheduler project: its processes by qualified name, and its settings."""

    processes: dict[str, Process]
    settings: ScheduleSettings = ScheduleSettings()

    def process(self, name: str) -> Process | None:
        """Return the process with this name; None if there is none.

        For a scrape that was launched by its path, which has no process in the project, a manual one is made.
        """
        return self.processes.get(name) or launched_scrape(name)
