"""The keys of a process."""

from __future__ import annotations

from scoopi.defs.schedule import kinds
from scoopi.defs.schedule.keys.executes_keys import EXECUTES
from scoopi.defs.schedule.keys.policy_keys import DEADLINE, DEPENDS_ON, NOTIFY, PROBE, RETRY, TIMEOUT
from scoopi.defs.schedule.keys.trigger_keys import TRIGGER
from scoopi.defs.schedule.kinds import choice, duration, integer, list_of, map_of
from scoopi.defs.schedule.schedule_language import Block, BlockKey, limit_key

PROCESS = Block(
    (
        BlockKey(
            "executes",
            EXECUTES,
            "What the process executes: KIND:WHAT, or a mapping.",
            "python:actions:load",
            "flow",
        ),
        BlockKey(
            "mode",
            choice("managed", "freerun", "manual"),
            "What creates jobs: periods or iterations, fires of the trigger, or only launches by hand.",
            "manual",
            "auto",
        ),
        BlockKey("description", kinds.TEXT, "A text that `process show` prints.", "Loads the books.", "[a]"),
        BlockKey(
            "inputs",
            map_of(kinds.NAME, kinds.TEXT),
            "Values that each attempt gets, by name.",
            "{day: '${ slot.key }'}",
            "[day]",
        ),
        BlockKey("trigger", TRIGGER, "When the process fires, or is evaluated.", "{every: 60s}", "60s"),
        BlockKey(
            "qualifier",
            choice("hourly", "daily", "monthly", "yearly"),
            "Length of the periods that are the slots of the process.",
            "daily",
            "weekly",
        ),
        BlockKey(
            "machine",
            choice("discrete", "continuous", "recomputing"),
            "Whether a period is processed once, after its end, or also repeatedly while it lasts.",
            "continuous",
            "batch",
            "qualifier: daily",
        ),
        BlockKey(
            "lag",
            duration(),
            "How long a discrete job waits after the end of its slot.",
            "10m",
            "-1m",
            "qualifier: daily",
        ),
        BlockKey(
            "grouping", integer(1, 28), "Number of periods per attempt.", "3", "29", "qualifier: hourly"
        ),
        BlockKey(
            "lookback",
            integer(0, 10_000),
            "Number of iterations before the current one that are still processed.",
            "3",
            "-1",
            "trigger: {slots: iterations, source: after_completion}",
        ),
        BlockKey(
            "on_window_exit",
            choice("finish", "cancel"),
            "What happens to jobs of iterations that `lookback` no longer includes.",
            "cancel",
            "stop",
            "trigger: {slots: iterations, source: after_completion}",
        ),
        BlockKey(
            "depends_on",
            DEPENDS_ON,
            "Processes whose jobs must come first.",
            "[other]",
            "other",
            "qualifier: daily",
        ),
        BlockKey(
            "overlap",
            choice("wait", "skip", "remind", "buffer_one", "allow", "cancel_running"),
            "What happens to a job that is due while another job of the process runs.",
            "skip",
            "queue",
        ),
        BlockKey(
            "remind_limit",
            duration(),
            "How long an attempt may run, from its start, once a fire found it running; else it is an error.",
            "2h",
            "2",
            "overlap: remind",
        ),
        BlockKey(
            "catchup", choice("none", "latest", "all"), "Which missed fires still get a job.", "all", "some"
        ),
        BlockKey("catchup_window", duration(), "The age up to which missed fires get a job.", "2h", "2"),
        limit_key("start_deadline", "The age at which an unstarted job is skipped.", "10m", "10", "none"),
        BlockKey("enabled", kinds.BOOLEAN, "Whether jobs of the process run.", "false", "off"),
        BlockKey("when_disabled", choice("wait", "skip"), "What jobs do if it is disabled.", "skip", "run"),
        BlockKey(
            "groups",
            list_of(kinds.PLAIN_NAME),
            "Groups of workers that may run it, in order of preference.",
            "[big, default]",
            "big",
        ),
        BlockKey(
            "no_worker",
            choice("wait", "pause", "fail"),
            "What an attempt does while none of its groups has a live worker.",
            "pause",
            "skip",
        ),
        BlockKey(
            "prepare",
            kinds.PYTHON,
            "A function that is called before the probes and the work of each attempt.",
            "python:actions:load",
            "actions:load",
        ),
        BlockKey(
            "probe",
            PROBE,
            "Conditions of each attempt; it waits until all hold.",
            '[{not_before: "06:30"}]',
            "x",
        ),
        BlockKey(
            "new_input",
            kinds.PYTHON,
            "A function that decides whether a period gets a further attempt.",
            "python:actions:ready",
            "true",
            "qualifier: daily\nmachine: continuous",
        ),
        BlockKey("retry", RETRY, "Further attempts after a failure.", "{max: 3}", "3"),
        BlockKey("timeout", TIMEOUT, "How long an attempt may wait and run.", "{run: 6h}", "6h"),
        BlockKey(
            "deadline",
            DEADLINE,
            "When a job has to be finished.",
            "{after: created, within: 3h}",
            "3h",
        ),
        BlockKey(
            "notify",
            NOTIFY,
            "Which events are sent, and what sends them.",
            "[{when: [failed], via: python:mail:send}]",
            "{when: [failed]}",
        ),
        BlockKey(
            "max_parallel",
            integer(0),
            "Steps of a flow that run at a time; 0 is no limit. This version does not have flows.",
            "0",
            "-1",
            idle=r"0*[1-9]\d*",
            instead="it limits the steps of flows; --slots of serve limits what runs at a time",
        ),
        BlockKey("history", integer(1), "Number of ended jobs that are kept.", "20", "0"),
        BlockKey(
            "output", kinds.TEXT, "Folder of the rows of a scrape.", "rows", "[a]", "executes: scrape:books"
        ),
        BlockKey(
            "keep_former",
            integer(0),
            "Number of former versions of a slot's rows that are kept.",
            "2",
            "-1",
            "executes: scrape:books",
        ),
    ),
    dict,
    later={
        "blocking": ("normal", "blocking_normal"),
        "cost": "1",
        "allow_simultaneous": "true",
        "uses": [],
        "sticky": "false",
        "refresh": [],
        "updates": "wait",
    },
)
