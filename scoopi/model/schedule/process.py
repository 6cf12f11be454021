"""Process: which executable runs for which slots, and under which policies."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

import msgspec

from scoopi.model.place import NOWHERE, Place

Mode = Literal["managed", "freerun", "manual"]
Slots = Literal["periods", "iterations", "instants"]
Overlap = Literal["wait", "skip", "remind", "buffer_one", "allow", "cancel_running"]


DEFAULT_GROUPS = ("default",)
"""Groups of a process, or of a worker, that names none."""
EXTERNAL = "external"
"""The kind of executables that only registered workers run."""
LAUNCHED = "scrape:"
"""Begins the names of scrapes that are launched without a process; no defined name has a colon."""
LAUNCHED_HISTORY = 100
"""Ended jobs that are kept of a manual process, or a scrape without one."""


class Trigger(msgspec.Struct, frozen=True, kw_only=True):
    """When a process is looked at, and which slots become due.

    Attributes:
        every: the interval of fires; of a managed process, how often it is looked at.
        at: times of day, as `0-06:30` with 0 for Monday.
        after: qualified names of processes, of which each processed job yields a slot.
        source: of iterations: `cron`, `after_completion` or `python:module:Class`.
        since: fires up to and including it yield nothing; None is the first deployment.
        wake_on: events that cause a look at once.
    """

    every: timedelta | None = None
    cron: str | None = None
    dialect: Literal["unix", "quartz"] = "unix"
    at: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    slots: Slots = "instants"
    source: str = "cron"
    timezone: str = "UTC"
    dst: Literal["once", "every"] = "once"
    since: datetime | None = None
    until: datetime | None = None
    jitter: timedelta = timedelta(0)
    wake_on: tuple[str, ...] = ("dependency_done", "child_done", "resource_free")


class Executes(msgspec.Struct, frozen=True, kw_only=True):
    """What a process executes.

    Attributes:
        kind: `scrape`, `command`, `python` or `external`.
        what: folder of definitions, function, or name; of a command the words of its line.
        groups: of a scrape: the locator groups that it reads; all if empty.
        accept: of a scrape: `failed_pages` (pages or share), `min_rows`, `less_than_last` (share of rows).
        exit_codes: of a command: exit code -> outcome of the attempt.
        env: variables of a command or a function; `${env:NAME}` is read when the attempt starts.
        cwd: whether a command starts in the attempt's folder or in the unpacked project.
    """

    kind: str
    what: tuple[str, ...]
    groups: tuple[str, ...] = ()
    accept: dict[str, int | str] = msgspec.field(default_factory=dict)
    nodes: int = 1
    exit_codes: dict[int, str] = msgspec.field(default_factory=dict)
    env: dict[str, str] = msgspec.field(default_factory=dict)
    cwd: Literal["work", "project"] = "work"


class DependsOn(msgspec.Struct, frozen=True, kw_only=True):
    """A job waits for the job of another process, of its own or of an earlier slot.

    Attributes:
        process: qualified name.
        slot: how many slots later, never positive.
    """

    process: str
    slot: int = 0
    when_skipped: Literal["wait", "skip", "run"] = "skip"
    when_failed: Literal["wait", "skip", "fail", "run"] = "wait"


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A condition of an attempt; one of the attributes is given.

    Attributes:
        path_exists: a path, with `${…}`; relative ones are relative to the current folder of `serve`.
        not_before: a time of day, `HH:MM`, on the day of the slot's end, in the zone of the trigger.
        job_done: a job of another process that is processed or was a noop.
        python: `module:function`, which returns true or false.
        constant: the answer itself.
    """

    path_exists: str | None = None
    not_before: str | None = None
    job_done: DependsOn | None = None
    python: str | None = None
    constant: bool | None = None


class RetryRule(msgspec.Struct, frozen=True, kw_only=True):
    """Further attempts after a failure, and limits for attempts that give no sign of life.

    Attributes:
        max: attempts beside the first.
        delay: from the end of the previous attempt; grows by `backoff` each time, up to `max_delay`.
        jitter: fraction of the delay that a hash of the attempt's id adds.
        stale_after: an attempt without a sign of life for so long is offered again; None is never.
        give_up_after: counted from the first attempt; None is never.
        on_exhausted: what a job becomes without a further attempt; `hold` keeps it until `job clear`.
    """

    max: int = 0
    delay: timedelta = timedelta(minutes=15)
    backoff: float = 1.0
    max_delay: timedelta = timedelta(hours=24)
    jitter: float = 0.0
    when: tuple[Literal["failed", "error"], ...] = ("failed", "error")
    stale_after: timedelta | None = None
    give_up_after: timedelta | None = None
    on_exhausted: Literal["skip", "fail", "hold"] = "fail"


class Timeouts(msgspec.Struct, frozen=True, kw_only=True):
    """How long an attempt may wait, run, and run without progress; None is for ever."""

    queue: timedelta | None = None
    run: timedelta | None = None
    heartbeat: timedelta | None = None


class Deadline(msgspec.Struct, frozen=True, kw_only=True):
    """When a job has to be finished; reported once per job, even if nothing has started."""

    after: Literal["slot_start", "slot_end", "created"]
    within: timedelta
    then: Literal["notify", "fail"] = "notify"


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """Which events are sent, and by what: `python:module:function`, or the words of a command."""

    when: tuple[str, ...]
    via: tuple[str, ...]


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """One process of a project; `name` is qualified, `shop.books`.

    Attributes:
        inputs: name -> text; may contain `${…}`.
        qualifier: the length of the slots' periods; None for other slots.
        lag: how long after the end of its slot a discrete job waits.
        grouping: how many periods share one attempt.
        lookback: how many iterations before the current one are kept in the window.
        remind_limit: after this, a running attempt that new fires remind of is an error.
        catchup_window: how old a missed fire may be.
        start_deadline: counted from the creation of a job; None is for ever.
        groups: of workers that may run its attempts, in order of preference.
        no_worker: what an attempt does while no live worker is in any of its groups: wait, wait as `paused`,
            or fail.
        prepare: `module:function` that a worker calls before the probes and the work; empty for none.
        probe: conditions of each attempt.
        new_input: `module:function` that says whether a period gets a further attempt; empty: it does.
        max_parallel: of the steps of a flow, which this version does not have.
        history: ended jobs that are kept; None if only the retention counts.
        place: where the process is defined.
    """

    name: str
    executes: Executes
    mode: Mode
    description: str = ""
    inputs: dict[str, str] = msgspec.field(default_factory=dict)
    trigger: Trigger | None = None
    qualifier: Literal["hourly", "daily", "monthly", "yearly"] | None = None
    machine: Literal["discrete", "continuous", "recomputing"] = "discrete"
    lag: timedelta = timedelta(0)
    grouping: int = 1
    lookback: int = 0
    on_window_exit: Literal["finish", "cancel"] = "finish"
    depends_on: tuple[DependsOn, ...] = ()
    overlap: Overlap = "allow"
    remind_limit: timedelta = timedelta(hours=6)
    catchup: Literal["none", "latest", "all"] = "latest"
    catchup_window: timedelta = timedelta(hours=1)
    start_deadline: timedelta | None = None
    enabled: bool = True
    when_disabled: Literal["wait", "skip"] = "wait"
    groups: tuple[str, ...] = DEFAULT_GROUPS
    no_worker: Literal["wait", "pause", "fail"] = "wait"
    prepare: str = ""
    probe: tuple[Probe, ...] = ()
    new_input: str = ""
    retry: RetryRule = RetryRule()
    timeout: Timeouts = Timeouts()
    deadline: Deadline | None = None
    notify: tuple[Notification, ...] = ()
    max_parallel: int = 0
    history: int | None = None
    output: str = "output"
    keep_former: int = 0
    place: Place = NOWHERE


def launched_name(path: str, groups: tuple[str, ...] = ()) -> str:
    """The name under which a scrape is launched without a process.

    >>> launched_name("shops/books", ("list",))
    'scrape:shops:books#list'
    """
    name = f"{LAUNCHED}{path.replace('/', ':')}"
    return f"{name}#{','.join(groups)}" if groups else name


def launched_scrape(name: str) -> Process | None:
    """The manual process that a scrape launched by its path has; None for other names."""
    if not name.startswith(LAUNCHED):
        return None
    path, _, groups = name.removeprefix(LAUNCHED).replace(":", "/").partition("#")
    executes = Executes(kind="scrape", what=(path,), groups=tuple(groups.split(",")) if groups else ())
    return Process(name=name, executes=executes, mode="manual", history=LAUNCHED_HISTORY)
