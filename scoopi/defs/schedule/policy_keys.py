"""The keys of a process's policies: edges, retries, timeouts, deadlines and notifications."""

from __future__ import annotations

from scoopi.defs.schedule import kinds
from scoopi.defs.schedule.kinds import choice, duration, integer, list_of, number
from scoopi.defs.schedule.schedule_language import Block, BlockKey, limit_key
from scoopi.model.schedule.process import Deadline, DependsOn, Notification, Probe, Timeouts

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
            "Which slot of it: same, previous, or a shift.",
            "-2",
            "1",
            "process: other",
        ),
        BlockKey(
            "when_skipped",
            choice("wait", "skip", "run"),
            "If that job was skipped.",
            "run",
            "fail",
            "process: other",
        ),
        BlockKey(
            "when_failed",
            choice("wait", "skip", "fail", "run"),
            "If that job failed.",
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
            "A file or folder exists; relative paths begin at the current folder of `serve`.",
            "/data/${ slot.key }",
            "[a]",
        ),
        BlockKey(
            "not_before",
            kinds.CLOCK_TIME,
            "A time of day has come, on the day of the slot's end, in the trigger's zone.",
            '"06:30"',
            '"24:00"',
        ),
        BlockKey(
            "job_done",
            Block(DEPENDS_ON.keys[:2], DependsOn, short=lambda text: {"process": text}),
            "The job of a process for the same slot, or an earlier one, is processed or was a noop.",
            "{process: other, slot: previous}",
            "[other]",
        ),
        BlockKey(
            "python",
            kinds.FUNCTION_NAME,
            "A function, called like that of an attempt, returns true.",
            "actions:ready",
            "ready",
        ),
        BlockKey("constant", kinds.BOOLEAN, "The answer itself.", "true", '"true"'),
    ),
    Probe,
    is_list=True,
)
RETRY = Block(
    (
        BlockKey("max", integer(0), "Additional attempts.", "3", '"3"'),
        BlockKey("delay", duration(), "From the end of the previous attempt.", "10m", "10"),
        BlockKey("backoff", number(1), "The delay grows by this factor.", "2.0", "0.5"),
        BlockKey("max_delay", duration(), "The longest delay.", "12h", "long"),
        BlockKey("jitter", number(0, 1), "Fraction of the delay, by a hash of the attempt's id.", "0.1", "2"),
        BlockKey(
            "when", list_of(choice("failed", "error")), "Which ends are retried.", "[error]", "[canceled]"
        ),
        limit_key(
            "stale_after", "An attempt without a sign of life is offered again, after `delay`.", "1h", "1"
        ),
        limit_key("give_up_after", "After this, no further attempts.", "never", "soon"),
        BlockKey(
            "on_exhausted",
            choice("skip", "fail", "hold"),
            "What the job becomes without a further attempt.",
            "hold",
            "wait",
        ),
    ),
    dict,
)
TIMEOUT = Block(
    (
        limit_key("queue", "Longest wait of an attempt.", "2h", "2"),
        limit_key("run", "Longest run of an attempt.", "6h", "6"),
        limit_key("heartbeat", "Longest time without progress.", "60s", "x"),
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
            "within", duration(), "The job is processed within this time.", "3h", "3", "after: created", True
        ),
        BlockKey(
            "then",
            choice("notify", "fail"),
            "What happens otherwise.",
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
            "States and events.",
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
    Notification,
    is_list=True,
)
