"""The records of the scheduler: what is known of processes, jobs, attempts and workers."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec

from scoopi.model.schedule.process_change import ProcessChange
from scoopi.model.schedule.run_node import RunNode

ACTIVE, ENDED = "active", "ended"
"""Phases of jobs."""
LIVE, UNSETTLED, PAST = "live", "unsettled", "past"
"""Phases of attempts; an unsettled one has ended, and its job does not know it yet."""

SlotState = Literal["embryo", "in_progress", "final_run", "processed", "noop", "skipped", "failed"]
AttemptStatus = Literal[
    "pending", "paused", "waiting", "running", "canceling", "succeeded", "noop", "failed", "error", "canceled"
]
LaunchType = Literal["scheduled", "manual", "backfill", "dependent", "retry"]

FINISHED: frozenset[str] = frozenset({"processed", "noop", "skipped", "failed"})
"""States of jobs that are over."""
UNCLAIMED: frozenset[str] = frozenset({"pending", "paused", "waiting"})
"""Statuses of attempts that nobody runs yet."""
CLAIMED: frozenset[str] = frozenset({"running", "canceling"})
"""Statuses of attempts that a worker runs; of one that is `canceling`, the worker has seen the cancel."""
TERMINAL: frozenset[str] = frozenset({"succeeded", "noop", "failed", "error", "canceled"})
"""Statuses of attempts that are over."""


class ProcessRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What the passes know of a process.

    Attributes:
        since: when it was first deployed.
        paused: the reason of a pause; None while it is on.
        last_fire: the last fire or the start of the last period that was planned; fires up to it are past.
        iteration: the number of the current iteration, where each follows the last (`after_completion`),
            which began at `last_fire`.
        interval: of its trigger, set by hand; None is that of its definition.
        interval_from: where the intervals are counted from, with `interval`.
        window: the iterations that a source of the project has named last, in order.
        asked: the look at which that source was asked last; None before the first answer.
        asking_until: while it is being asked, until when nobody else asks.
        source_error: why its last answer failed; empty if it did not.
        requests: how many launches by hand there were, `!1` and so on.
        backfills: how many backfills there were, `b1` and so on.
        removed: slots whose jobs were removed when they were over, and are not created again: ranges of keys
            by kind of slot and state, `D processed`.
        changes: those by hand, in order; the oldest are left out if there are too many.
        version: of the record; grows with each write.
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
        name: `b1` and so on, by process.
        overlap: instead of that of the process.
        newest_first: whether later slots run before earlier ones.
        max_parallel: the most of its jobs that run at a time; 0 for no limit.
    """

    name: str
    overlap: str
    newest_first: bool = False
    max_parallel: int = 0


class StateChange(msgspec.Struct, frozen=True):
    """One change of a job, of its state or by hand.

    Attributes:
        by: who asked for it; empty if a pass decided it.
    """

    state: SlotState
    at: datetime
    by: str = ""
    reason: str = ""


class GateChange(msgspec.Struct, frozen=True):
    """A gate that a job began to wait at; empty if all are open."""

    gate: str
    at: datetime
    reason: str = ""


class JobRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A job: a process at a slot.

    Attributes:
        slot: its text, `D:2011010100`.
        due: the fire, or the end of the period; a discrete job waits for it.
        phase: `active` until the job is over.
        attempts: the number of its last attempt.
        settled: the number of the last attempt whose end has moved the job, so that no end counts twice.
        failures: attempts that failed, since the last `clear` or `reprocess`.
        retry_at: when the next attempt is due, after a failure.
        next_at: when a period that is worked on repeatedly gets its next attempt.
        held: whether it waits for `job clear`.
        deadline_done: whether its deadline counts no more: it has passed, or the job was reprocessed.
        cancelled: whether it is skipped because its attempt was cancelled.
        stuck_reported: whether it was reported that it waits on a failed job.
        not_before: of a launch with `--after`.
        first_attempt: when the first attempt since the last `clear` or `reprocess` was created.
        inputs: of a launch; they override those of the process.
        trigger: the job that triggered this one, with `job`, `slot` and `outputs`.
        backfill: None unless a backfill created it.
        awaits: the id of the job that triggered it, while that one is reprocessed.
        reason: why it has its state.
        changes: of its state, in order, and those by hand; the oldest are left out if there are too many.
        gates: that it has waited at, in order, as far as they are logged; the oldest are left out, too.
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
        number: from 1.
        phase: `live`, `unsettled` or `past`.
        fence: grows with each claim; a write with an older one is refused.
        bundle: hash of the definitions that it started with.
        worker: where it is placed or runs; empty while it is pending.
        group: of workers, for which it was placed there.
        beat: the last sign of life, on the clock of the pass.
        offer_at: when it is offered again after it was stale; nobody may claim it until then.
        queued: where `timeout.queue` is counted from, if it ran or was paused before; None is `created`.
        paused: since when it is paused, if it is.
        progress: what the work has reported of how far it is; a later attempt can read it.
        wish: `cancel` while a cancel is requested.
        wish_mode: how: drain, step or kill.
        wish_seen: when its worker saw the cancel; the attempt is `canceling` from then on.
        noted: of the statuses that workers give, the fence at which each was reported last (`notify`).
        op: names the claim, so that its worker knows its own write.
        outcome: the status that a cancel by the scheduler itself gives (`error` for a timeout).
        has_log: whether the store keeps the end of its log.
        nodes: of a scrape on several nodes, those beside the first.
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
    """A worker of a `serve`, or one registered by hand.

    Attributes:
        incarnation: of the process; a restarted worker has another.
        home: the id of its state folder, in which one process at a time has the worker's name.
        state: `running`, `draining` or `lost`.
        capacity: how much cost it runs at a time.
        beat: the heartbeat number that it wrote last; None if it never did, as one registered by hand.
        since: when it got its state, on the clock of what noticed it; None if that is not known.
    """

    worker: str
    incarnation: str
    state: Literal["running", "draining", "lost"] = "running"
    groups: tuple[str, ...] = ("default",)
    capacity: float = 1
    is_external: bool = False
    beat: int | None = None
    home: str = ""
    since: datetime | None = None
    version: int = 0


STATE_FORMAT = 1
"""Of the records; grows when an older Scoopi would misread them."""


class PassRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What passes share: one runs at a time, and one counter is the clock of heartbeats.

    Attributes:
        holder: names the pass that runs; empty if none does.
        until: when the holder is taken to be dead, on the clock of passes.
        look_again: whether something happened during the pass.
        beat: the heartbeat number.
        beat_at, beat_seen: the time of the `tick` that saw it change last, and the number that it saw.
        bundle: hash of the current definitions; empty before the first deployment.
        former: hashes of the definitions before, with the time at which each was replaced.
        collected: when the garbage collector began its last round.
        state_format: of all records; a Scoopi that knows only older ones must not touch them.
    """

    holder: str = ""
    until: datetime | None = None
    look_again: bool = False
    beat: int = 0
    beat_at: datetime | None = None
    beat_seen: int = -1
    bundle: str = ""
    former: dict[str, datetime] = msgspec.field(default_factory=dict)
    collected: datetime | None = None
    state_format: int = STATE_FORMAT
    version: int = 0
