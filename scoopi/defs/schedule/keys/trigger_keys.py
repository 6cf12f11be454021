"""The keys of a trigger."""

from __future__ import annotations

import re

from scoopi.defs.schedule import kinds
from scoopi.defs.schedule.kinds import choice, duration, list_of, matched
from scoopi.defs.schedule.schedule_language import Block, BlockKey

_SOURCE = matched(
    re.compile(rf"cron|after_completion|python:{kinds.FUNCTION.pattern}", re.ASCII),
    "cron | after_completion | python:module:Class",
)
_TIME = matched(
    re.compile(r"(?:[0-6*]-)?([01]?\d|2[0-3]):[0-5]\d", re.ASCII),
    "D-HH:MM with 0 for Monday, *-HH:MM or HH:MM",
)

TRIGGER = Block(
    (
        BlockKey(
            "every",
            duration("1s"),
            "Interval of fires; for periods and iterations, of evaluations.",
            "90s",
            "500ms",
        ),
        BlockKey(
            "cron",
            kinds.TEXT,
            "Times of fires, as a cron expression or one of @hourly … @yearly.",
            '"0 6 * * *"',
            "[]",
        ),
        BlockKey(
            "dialect",
            choice("unix", "quartz"),
            "Dialect of `cron`.",
            "quartz",
            "vixie",
            'cron: "0 0 6 * * ?"',
        ),
        BlockKey(
            "at",
            list_of(_TIME),
            "Times of day at which the trigger fires.",
            '["0-06:30", "4-18:05"]',
            '["7-06:30"]',
        ),
        BlockKey(
            "after",
            list_of(kinds.QUALIFIED_NAME, single=True),
            "Processes; each of their processed jobs creates a job for the same slot.",
            "[other]",
            "[a b]",
        ),
        BlockKey(
            "slots",
            choice("periods", "iterations", "instants"),
            "Kind of the slots.",
            "instants",
            "hours",
            'cron: "@daily"',
        ),
        BlockKey(
            "source",
            _SOURCE,
            "What begins iterations: `cron`, the end of the last one, or a class of the project.",
            "after_completion",
            "queue",
            "slots: iterations",
        ),
        BlockKey(
            "timezone",
            kinds.ZONE,
            "Time zone of `cron` and `at`.",
            '"Europe/Berlin"',
            "Europe/Bonn",
            'cron: "@daily"',
        ),
        BlockKey(
            "dst",
            choice("once", "every"),
            "How often a local time fires that occurs twice, as clocks are set back.",
            "every",
            "never",
            'cron: "@daily"',
        ),
        BlockKey(
            "since",
            kinds.INSTANT,
            "Only fires after this instant count.",
            '"2026-01-01T00:00:00Z"',
            '"2026-01-01"',
            "every: 60s",
        ),
        BlockKey(
            "until",
            kinds.INSTANT,
            "Fires after this instant do not count.",
            '"2027-01-01T00:00:00Z"',
            "tomorrow",
            "every: 60s",
        ),
        BlockKey(
            "jitter",
            duration(),
            "The longest delay of a start; how long it is depends on a hash of the job's id.",
            "30s",
            "30",
            "every: 60s",
        ),
        BlockKey(
            "wake_on",
            list_of(choice("dependency_done", "child_done", "resource_free")),
            "Events that cause an evaluation at once.",
            "[dependency_done]",
            "[done]",
            "every: 60s",
        ),
    ),
    dict,
)
