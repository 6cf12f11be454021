"""The keys of a process's policies: edges, retries, timeouts, deadlines and notifications."""

from __future__ import annotations

from scoopi.defs.schedule import kinds
from scoopi.defs.schedule.kinds import choice, duration, integer, list_of, number
from scoopi.defs.schedule.schedule_language import Block, BlockKey, limit_key
from scoopi.model.schedule.process import Deadline, DependsOn, NotifyRule, Probe, Timeouts

_EVENTS = (
    *("pending", "paused", "waiting", "running", "canceling"),
    *("succeeded", "noop", "failed", "error", "canceled"),
    *("embryo", "in_progress", "final_run", "processed", "skipped"),
    *("missed", "deadline", "stuck"),
)

DEPENDS_ON = Block(
    (
        BlockKey(
            "process",
            kinds.QUALIFIED_NAME,
            "The process that must come first.",
            "other",
            "o t",
            required=True,
        ),
        BlockKey(
            "slot",
            kinds.SLOT_SHIFT,
            "Which slot of that process: the same, the previous one, or as many slots earlier as -2 says.",
            "-2",
            "1",
            "process: other",
        ),
        BlockKey(
            "when_skipped",
            choice("wait", "skip", "run"),
            "What this job does if that job was skipped.",
            "run",
            "fail",
            "process: other",
        ),
        BlockKey(
            "when_failed",
            choice("wait", "skip", "fail", "run"),
            "What this job does if that job failed.",
            "fail",
            "retry",
            "process: other",
        ),
    ),
    DependsOn,
    is_list=True,
    short=lambda text: {"process": text},
)
PROBE = Block(
    (
        BlockKey(
            "path_exists",
            kinds.TEXT,
            "A file or folder that must exist; relative paths begin at the current folder of `serve`.",
            "/data/${ slot.key }",
            "[a]",
        ),
        BlockKey(
            "not_before",
            kinds.CLOCK_TIME,
            "The earliest time of day, on the day of the slot's end, in the trigger's time zone.",
            '"06:30"',
            '"24:00"',
        ),
        BlockKey(
            "job_done",
            Block(DEPENDS_ON.keys[:2], DependsOn, short=lambda text: {"process": text}),
            "A process whose job for the same or an earlier slot must be processed or a noop.",
            "{process: other, slot: previous}",
            "[other]",
        ),
        BlockKey(
            "python",
            kinds.FUNCTION_NAME,
            "A function that must return true; it is called like that of an attempt.",
            "actions:ready",
            "ready",
        ),
        BlockKey("constant", kinds.BOOLEAN, "The result of the condition itself.", "true", '"true"'),
    ),
    Probe,
    is_list=True,
)
RETRY = Block(
    (
        BlockKey("max", integer(0), "The most attempts after the first one.", "3", '"3"'),
        BlockKey("delay", duration(), "The wait after the end of the previous attempt.", "10m", "10"),
        BlockKey("backoff", number(1), "The factor by which each further delay is longer.", "2.0", "0.5"),
        BlockKey("max_delay", duration(), "The longest delay.", "12h", "long"),
        BlockKey(
            "jitter",
            number(0, 1),
            "Up to this fraction of the delay is added, depending on a hash of the attempt's id.",
            "0.1",
            "2",
        ),
        BlockKey(
            "when", list_of(choice("failed", "error")), "Which outcomes are retried.", "[error]", "[canceled]"
        ),
        limit_key(
            "stale_after",
            "How long an attempt may show no sign of life; then it is offered again, after `delay`.",
            "1h",
            "1",
        ),
        limit_key(
            "give_up_after",
            "How long a job may take from its first attempt on; then there are no further attempts.",
            "never",
            "soon",
        ),
        BlockKey(
            "on_exhausted",
            choice("skip", "fail", "hold"),
            "What becomes of a job that gets no further attempt.",
            "hold",
            "wait",
        ),
    ),
    dict,
)
TIMEOUT = Block(
    (
        limit_key("queue", "The longest that an attempt may wait for a worker.", "2h", "2"),
        limit_key("run", "The longest that an attempt may run.", "6h", "6"),
        limit_key("heartbeat", "The longest that an attempt may run without reporting progress.", "60s", "x"),
    ),
    Timeouts,
)
DEADLINE = Block(
    (
        BlockKey(
            "after",
            choice("slot_start", "slot_end", "created"),
            "What the time is counted from.",
            "slot_end",
            "fire",
            "within: 3h",
            True,
        ),
        BlockKey(
            "within",
            duration(),
            "The time within which the job has to be finished.",
            "3h",
            "3",
            "after: created",
            True,
        ),
        BlockKey(
            "then",
            choice("notify", "fail"),
            "What happens to a job that is late.",
            "fail",
            "skip",
            "after: created\nwithin: 3h",
        ),
    ),
    Deadline,
)
NOTIFY = Block(
    (
        BlockKey(
            "when",
            list_of(choice(*_EVENTS)),
            "The states and events that are sent.",
            "[failed, error]",
            "[broken]",
            "via: python:mail:send",
            True,
        ),
        BlockKey(
            "via",
            kinds.TARGET,
            "What sends it: python:module:function, or a command.",
            "[bin/mail, ops]",
            "mail ops",
            "when: [failed]",
            True,
        ),
    ),
    NotifyRule,
    is_list=True,
)
