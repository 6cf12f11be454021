"""Process: an executable, the slots for which it runs, and its policies."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

import msgspec

from scoopi.model.place import NOWHERE, Place

Mode = Literal["managed", "freerun", "manual"]
Slots = Literal["periods", "iterations", "instants"]
Overlap = Literal["wait", "skip", "remind", "buffer_one", "allow", "cancel_running"]


DEFAULT_GROUPS = ("default",)
"""The groups of a process, or of a worker, without `groups`."""
EXTERNAL = "external"
"""The kind of executable that only registered workers run."""
LAUNCHED = "scrape:"
"""The prefix of the names of scrapes that are launched without a process; defined names have no colon."""
LAUNCHED_HISTORY = 100
"""The number of ended jobs kept of a manual process, or of a scrape without a process."""


class Trigger(msgspec.Struct, frozen=True, kw_only=True):
    """When a process fires, and which slots become due.

    Attributes:
        every: the interval of fires; of a managed process, how often it is checked.
        at: times of day, such as `0-06:30`, with 0 for Monday.
        after: qualified names of processes, each of whose processed jobs yields a slot.
        source: the source of iterations: `cron`, `after_completion` or `python:module:Class`.
        since: fires up to this time, inclusive, yield nothing; None for the first deployment.
        wake_on: events after which the process is checked at once.
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
        what: the folder of definitions, the function, the name, or the words of the command.
        groups: the locator groups that a scrape reads; empty for all.
        accept: when a scrape succeeds: `failed_pages` (pages or share), `min_rows`, `less_than_last` (share
            of rows).
        nodes: the number of nodes of a scrape's run.
        exit_codes: exit code of a command -> outcome of the attempt.
        env: environment variables of a command or a function; `${env:NAME}` is read when the attempt starts.
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
    """A dependency: a job waits for the job of another process for the same or an earlier slot.

    Attributes:
        process: the qualified name of the other process.
        slot: the offset to the other job's slot; 0 or negative.
    """

    process: str
    slot: int = 0
    when_skipped: Literal["wait", "skip", "run"] = "skip"
    when_failed: Literal["wait", "skip", "fail", "run"] = "wait"


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A condition of an attempt; exactly one of the attributes is given.

    Attributes:
        path_exists: a path that must exist; may contain `${…}`; relative to the current folder of `serve`.
        not_before: a time of day, `HH:MM`, on the day of the slot's end, in the zone of the trigger.
        job_done: a job of another process that must be processed or a noop.
        python: `module:function`, which returns true or false.
        constant: the result itself.
    """

    path_exists: str | None = None
    not_before: str | None = None
    job_done: DependsOn | None = None
    python: str | None = None
    constant: bool | None = None


class RetryRule(msgspec.Struct, frozen=True, kw_only=True):
    """The retries after a failure, and the limits of attempts without a sign of life.

    Attributes:
        max: the most attempts after the first.
        delay: the wait after the previous attempt; grows by the factor `backoff` each time, up to
            `max_delay`.
        jitter: up to this fraction of the delay is added, by a hash of the attempt's id.
        when: which outcomes are retried.
        stale_after: after this time without a sign of life, an attempt is offered again; None for never.
        give_up_after: after this time since the first attempt, there are no retries; None for never.
        on_exhausted: what becomes of a job without a further attempt; `hold` keeps it until `job clear`.
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
    """The longest times of an attempt; None for no limit.

    Attributes:
        queue: while it is `pending` or `waiting`.
        run: from its start to its end.
        heartbeat: from its start or its last report of progress to the next.
    """

    queue: timedelta | None = None
    run: timedelta | None = None
    heartbeat: timedelta | None = None


class Deadline(msgspec.Struct, frozen=True, kw_only=True):
    """When a job must be finished; a missed deadline is reported once, even if nothing has started.

    Attributes:
        after: the time from which `within` counts.
        then: whether a late job also fails.
    """

    after: Literal["slot_start", "slot_end", "created"]
    within: timedelta
    then: Literal["notify", "fail"] = "notify"


class NotifyRule(msgspec.Struct, frozen=True, kw_only=True):
    """Which events are sent, and the target: `python:module:function`, or the words of a command."""

    when: tuple[str, ...]
    via: tuple[str, ...]


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """A process of a project.

    Attributes:
        name: the qualified name, such as `shop.books`.
        inputs: name -> text, which may contain `${…}`.
        qualifier: the length of the slots' periods; None for other slots.
        lag: how long a discrete job waits after the end of its slot.
        grouping: the number of periods that share one attempt.
        lookback: the number of iterations before the current one that stay in the window.
        remind_limit: with `overlap: remind`, how long an attempt may run, from its start, once a new fire has
            found it running; then it ends as an error.
        catchup_window: the greatest age of a missed fire that is caught up.
        start_deadline: how long after its creation a job may start; None for no limit.
        groups: the groups of workers that may run its attempts, in order of preference.
        no_worker: what an attempt does while none of its groups has a live worker: it waits, is `paused`, or
            fails.
        prepare: the `module:function` that a worker calls before the probes and the work; empty for none.
        probe: the conditions of each attempt.
        new_input: the `module:function` that decides whether a period gets a further attempt; empty if it
            always does.
        max_parallel: for the steps of flows, which this version does not have.
        history: the number of ended jobs kept; None if only the retention limits them.
        output: the folder of a scrape's rows.
        keep_former: the number of former versions of a slot's rows that are kept.
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
    notify: tuple[NotifyRule, ...] = ()
    max_parallel: int = 0
    history: int | None = None
    output: str = "output"
    keep_former: int = 0
    place: Place = NOWHERE


def launched_name(path: str, groups: tuple[str, ...] = ()) -> str:
    """Return the name of a scrape that is launched without a process.

    >>> launched_name("shops/books", ("list",))
    'scrape:shops:books#list'
    """
    name = f"{LAUNCHED}{path.replace('/', ':')}"
    return f"{name}#{','.join(groups)}" if groups else name


def launched_scrape(name: str) -> Process | None:
    """Return the manual process of a scrape that is launched without one; None for other names."""
    if not name.startswith(LAUNCHED):
        return None
    path, _, groups = name.removeprefix(LAUNCHED).replace(":", "/").partition("#")
    executes = Executes(kind="scrape", what=(path,), groups=tuple(groups.split(",")) if groups else ())
    return Process(name=name, executes=executes, mode="manual", history=LAUNCHED_HISTORY)
