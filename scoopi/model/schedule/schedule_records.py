"""The records of the scheduler: the stored state of processes, jobs, attempts and workers."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec

from scoopi.model.schedule.job_changes import GateChange, SlotState, StateChange
from scoopi.model.schedule.liveness import Liveness
from scoopi.model.schedule.process_change import ProcessChange
from scoopi.model.schedule.run_node import RunNode

ACTIVE, ENDED = "active", "ended"
"""Phases of jobs."""
LIVE, UNSETTLED, PAST = "live", "unsettled", "past"
"""Phases of attempts; an unsettled attempt has ended, but its job has not been updated yet."""

AttemptStatus = Literal[
    "pending", "paused", "waiting", "running", "canceling", "succeeded", "noop", "failed", "error", "canceled"
]
LaunchType = Literal["scheduled", "manual", "backfill", "dependent", "retry"]

FINISHED: frozenset[str] = frozenset({"processed", "noop", "skipped", "failed"})
"""States of jobs that are over."""
UNCLAIMED: frozenset[str] = frozenset({"pending", "paused", "waiting"})
"""Statuses of attempts that no worker runs yet."""
CLAIMED: frozenset[str] = frozenset({"running", "canceling"})
"""Statuses of attempts that a worker runs; `canceling` once the worker has seen the cancel."""
TERMINAL: frozenset[str] = frozenset({"succeeded", "noop", "failed", "error", "canceled"})
"""Statuses of attempts that are over."""


class ProcessRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a process.

    Attributes:
        since: when it was first deployed.
        paused: the reason of a pause; None if it is not paused.
        last_fire: the last planned fire, or the start of the last planned period; all up to it are past.
        iteration: the number of the current iteration of `after_completion`, which began at `last_fire`.
        interval: the interval of its trigger that was set manually; None for that of its definition.
        interval_from: the start from which such intervals are counted.
        window: the iterations that the project's source returned last, in order.
        asked: the check at which that source was called last; None before its first result.
        asking_until: while it is being called, the time until which no other pass calls it.
        source_error: why its last call failed; empty if it did not.
        requests: the number of manual launches, whose slots are `!1` and so on.
        backfills: the number of backfills, which are named `b1` and so on.
        removed: the slots whose ended jobs were removed, and are not created again: ranges of keys by kind of
            slot and state, such as `D processed`.
        changes: the manual changes, in order, without the oldest if there are too many.
        version: the version of the record; grows with each write.
    """

    name: str
    since: datetime
    paused: str | None = None
    last_fire: datetime | None = None
    iteration: int | None = None
    interval: timedelta | None = None
    interval_from: datetime | None = None
    window: tuple[int, ...] = ()
    asked: datetime | None = None
    asking_until: datetime | None = None
    source_error: str = ""
    requests: int = 0
    backfills: int = 0
    removed: dict[str, list[tuple[str, str]]] = msgspec.field(default_factory=dict)
    changes: tuple[ProcessChange, ...] = ()
    version: int = 0


class Backfill(msgspec.Struct, frozen=True):
    """The backfill that a job belongs to.

    Attributes:
        name: `b1` and so on, unique for the process.
        overlap: replaces the overlap policy of the process.
        newest_first: whether later slots run before earlier ones.
        max_parallel: the most of its jobs that run at a time; 0 for no limit.
    """

    name: str
    overlap: str
    newest_first: bool = False
    max_parallel: int = 0


class JobRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A job: a process at a slot.

    Attributes:
        slot: the slot as text, such as `D:2011010100`.
        phase: `active` until the job is over, then `ended`.
        due: the fire, or the end of the period, which a discrete job waits for.
        attempts: the number of its last attempt.
        settled: the number of the last attempt whose end has changed the job, so that no end counts twice.
        failures: the number of failed attempts since the last `clear` or `reprocess`.
        retry_at: when the next attempt after a failure is due.
        next_at: when the next attempt at a period that is processed repeatedly is due.
        held: whether it waits for `job clear`.
        deadline_done: whether its deadline is settled: it has passed, or the job was reprocessed.
        cancelled, missed: whether it is skipped because its attempt was cancelled, or did not start in time.
        stuck_reported: whether it was reported that it waits for a failed job.
        not_before: the earliest start, from `--after` of a launch.
        first_attempt: when the first attempt since the last `clear` or `reprocess` was created.
        inputs: the inputs of a launch, which override those of the process.
        trigger: the job that triggered this one, as `job`, `slot` and `outputs`.
        backfill: the backfill that created it; None if none did.
        awaits: the id of the job that triggers it, if it waits for that job; empty once it has its outputs.
        reason: why it has its state.
        changes: the changes in order, without the oldest if there are too many.
        gates: the logged gates at which it has waited, in order, without the oldest if there are too many.
    """

    process: str
    slot: str
    state: SlotState
    phase: str
    created: datetime
    changed: datetime
    launch_type: LaunchType = "scheduled"
    due: datetime | None = None
    attempts: int = 0
    settled: int = 0
    failures: int = 0
    retry_at: datetime | None = None
    next_at: datetime | None = None
    held: bool = False
    deadline_done: bool = False
    cancelled: bool = False
    missed: bool = False
    stuck_reported: bool = False
    not_before: datetime | None = None
    first_attempt: datetime | None = None
    inputs: dict[str, str] = msgspec.field(default_factory=dict)
    trigger: dict[str, Any] = msgspec.field(default_factory=dict)
    backfill: Backfill | None = None
    awaits: str = ""
    reason: str = ""
    changes: tuple[StateChange, ...] = ()
    gates: tuple[GateChange, ...] = ()
    version: int = 0

    @property
    def job(self) -> str:
        """The id: process and slot."""
        return f"{self.process}/{self.slot}"


class AttemptRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A numbered attempt at a job.

    Attributes:
        number: the number of the attempt, from 1.
        phase: `live`, `unsettled` or `past`.
        bundle: the digest of the definitions that it started with.
        fence: grows with each claim; writes with an older fence are refused.
        worker: the worker where it is placed or runs; empty while it is pending.
        group: the group of workers for which it was placed there.
        offer_at: when a stale attempt is offered again; it cannot be claimed until then.
        queued: the time from which `timeout.queue` counts, if it ran or was paused before; None for
            `created`.
        paused: since when it has been paused; None if it is not.
        beat: the last sign of life, on the clock of the pass.
        progress: the progress that the work has reported; later attempts can read it.
        wish: `cancel` while a cancel is requested.
        wish_mode: how to cancel: `drain`, `step` or `kill`.
        wish_seen: when its worker saw the cancel; since then, the attempt is `canceling`.
        noted: status that workers give -> the fence at which it was last sent by `notify`.
        outcome: the status that a cancel by the scheduler itself results in (`error` for a timeout).
        missed: whether it was canceled because it had not started by the `start_deadline` of its job.
        has_log: whether the store keeps the end of its log.
        nodes: the further nodes of a scrape on several nodes.
        op: identifies the claim, so that its worker recognizes its own write.
    """

    process: str
    slot: str
    number: int
    status: AttemptStatus
    phase: str
    bundle: str
    created: datetime
    launch_type: LaunchType = "scheduled"
    fence: int = 0
    worker: str = ""
    group: str = ""
    inputs: dict[str, str] = msgspec.field(default_factory=dict)
    outputs: dict[str, Any] = msgspec.field(default_factory=dict)
    result: str | None = None
    placed: datetime | None = None
    offer_at: datetime | None = None
    queued: datetime | None = None
    paused: datetime | None = None
    started: datetime | None = None
    ended: datetime | None = None
    beat: datetime | None = None
    progress: dict[str, Any] = msgspec.field(default_factory=dict)
    wish: str | None = None
    wish_mode: str = ""
    wished: datetime | None = None
    wish_seen: datetime | None = None
    outcome: str = ""
    explanation: str = ""
    noted: dict[str, int] = msgspec.field(default_factory=dict)
    missed: bool = False
    has_log: bool = False
    nodes: tuple[RunNode, ...] = ()
    version: int = 0
    op: str = ""

    @property
    def job(self) -> str:
        """The id of its job."""
        return f"{self.process}/{self.slot}"

    @property
    def attempt(self) -> str:
        """The id: job and number."""
        return f"{self.job}/{self.number}"


class WorkerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A worker of a `serve`, or a registered worker.

    Attributes:
        incarnation: the incarnation of its process; a restarted worker has another.
        state: `running`, `draining` or `lost`.
        capacity: the most cost that it runs at a time.
        beat: the heartbeat number that it wrote last; None if it never did, such as a registered worker.
        liveness: the settings that the leases of its attempts are computed with; None if it gives none.
        home: the id of its state folder, in which one process at a time has the worker's name.
        since: when it entered its state, on the clock of the process that noticed it; None if unknown.
    """

    worker: str
    incarnation: str
    state: Literal["running", "draining", "lost"] = "running"
    groups: tuple[str, ...] = ("default",)
    capacity: float = 1
    is_external: bool = False
    beat: int | None = None
    liveness: Liveness | None = None
    home: str = ""
    since: datetime | None = None
    version: int = 0


STATE_FORMAT = 1
"""The format of the records; grows with each change that an older Scoopi would misread."""


class SchedulerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The one record of the whole scheduler: its current project, whose pass runs, and the heartbeat number.

    Attributes:
        holder, worker: the process whose pass runs, and the name of its worker; empty if there is none.
        until: when the holder is presumed dead, on the clock of passes.
        is_requested: whether another pass has to follow: something happened during this one, or was left.
        beat: the heartbeat number.
        beat_at, beat_seen: the time of the `tick` that last saw the number change, and that number.
        bundle: the digest of the current definitions; empty before the first deployment.
        former: the hashes of former definitions, with the time when each was replaced.
        collected: when the garbage collector began its last round.
        state_format: the format of all records; a Scoopi that knows only older formats must not use them.
    """

    holder: str = ""
    worker: str = ""
    until: datetime | None = None
    is_requested: bool = False
    beat: int = 0
    beat_at: datetime | None = None
    beat_seen: int = -1
    bundle: str = ""
    former: dict[str, datetime] = msgspec.field(default_factory=dict)
    collected: datetime | None = None
    state_format: int = STATE_FORMAT
    version: int = 0
