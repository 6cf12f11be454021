"""The keys of a project's settings."""

from __future__ import annotations

import re
from datetime import datetime

from scoopi.defs.schedule import kinds
from scoopi.defs.schedule.invalid_value import InvalidValueError
from scoopi.defs.schedule.keys.policy_keys import NOTIFY
from scoopi.defs.schedule.kinds import ValueKind, choice, duration, integer, list_of
from scoopi.defs.schedule.schedule_language import ANY, Block, BlockKey
from scoopi.defs.yaml.node import Node, Text
from scoopi.errors import PeriodError
from scoopi.model.schedule.liveness import Liveness
from scoopi.model.schedule.schedule_settings import (
    CancelCascade,
    CancelSettings,
    GcSettings,
    LogSettings,
    Retention,
    ScheduleSettings,
    ServeSettings,
)
from scoopi.periods.period import Qualifier, parse_period

_HOUR = re.compile(r"\d{10}", re.ASCII)


def _moment(node: Node) -> datetime:
    text = kinds.text_of(node)
    if not _HOUR.fullmatch(text):
        moment: datetime = kinds.INSTANT.read(node)
        return moment
    if isinstance(node, Text) and not node.is_quoted:
        hint = f'put it in quotes: "{text}"'
        raise InvalidValueError(f"is {text}, which YAML reads as a number", hint)
    try:
        return parse_period(text, Qualifier.HOURLY).bounds()[0]
    except PeriodError as error:
        raise InvalidValueError(f"is {text!r}, which is not an hour: {error.what}") from error


_INSTANT_OR_HOUR = ValueKind("an instant of RFC 3339, or an hour of ten digits in quotes", _moment)


def _always(node: Node) -> bool:
    if not kinds.BOOLEAN.read(node):
        raise InvalidValueError("is false")
    return True


_CASCADE = Block(
    (
        BlockKey(
            "branches",
            ValueKind("true", _always),
            "Branches of flows, which this version does not have, are cancelled with their run.",
            "true",
            "false",
            idle=ANY,
        ),
        BlockKey(
            "children",
            kinds.BOOLEAN,
            "Jobs of nested slots of trees, which this version does not have, are cancelled, too.",
            "false",
            "maybe",
            idle=ANY,
        ),
        BlockKey(
            "dependents",
            choice("by_edge", "none"),
            "Jobs that depend on a cancelled one do as their `when_skipped` says; with `none`, they wait.",
            "none",
            "all",
        ),
    ),
    CancelCascade,
)
SETTINGS = Block(
    (
        BlockKey(
            "every", duration("1s"), "How often `serve` runs a pass if no event causes one.", "10s", "0s"
        ),
        BlockKey(
            "history_start",
            _INSTANT_OR_HOUR,
            "The first slot of each level of a tree contains it. Processes without a tree, as all of this "
            "version, begin with the period in which they are first deployed.",
            '"2026010100"',
            '"2026"',
            idle=ANY,
            instead="it belongs to trees; earlier periods of a process: scoopi process backfill",
        ),
        BlockKey(
            "max_new_slots",
            integer(1),
            "Jobs created per process and round of a pass; the rest follow in further rounds.",
            "500",
            "0",
        ),
        BlockKey(
            "start_limit",
            integer(1),
            "Attempts placed per round; a pass makes rounds until nothing follows.",
            "50",
            "0",
        ),
        BlockKey(
            "stuck_after",
            duration(may_never=True),
            "How long a job may wait for a failed job before it is reported.",
            "24h",
            "24",
        ),
        BlockKey(
            "worker",
            Block(
                (
                    BlockKey(
                        "groups",
                        list_of(kinds.PLAIN_NAME),
                        "The groups that the worker of a `serve` belongs to.",
                        "[default, big]",
                        "big",
                    ),
                    BlockKey(
                        "slots",
                        integer(1),
                        "How many attempts the worker runs at a time; default: one per core.",
                        "2",
                        "0",
                    ),
                    BlockKey(
                        "claim_after",
                        duration(),
                        "How long an attempt waits for its worker; then another worker may claim it.",
                        "30s",
                        "30",
                    ),
                ),
                ServeSettings,
                later={"interval_limit": "60s"},
            ),
            "The worker of a `serve`.",
            "{slots: 2}",
            "2",
        ),
        BlockKey(
            "liveness",
            Block(
                (
                    BlockKey("beat", duration("1s"), "How often workers send heartbeats.", "5s", "0s"),
                    BlockKey(
                        "gap",
                        integer(1),
                        "How many heartbeats a worker may miss before it counts as lost.",
                        "3",
                        "0",
                    ),
                ),
                Liveness,
            ),
            "Heartbeats of workers.",
            "{beat: 5s}",
            "5s",
        ),
        BlockKey(
            "cancel",
            Block(
                (
                    BlockKey(
                        "default_mode",
                        choice("drain", "step", "kill"),
                        "How attempts are cancelled, unless the command says it.",
                        "kill",
                        "stop",
                    ),
                    BlockKey(
                        "kill_after",
                        duration(),
                        "How long a cancelled attempt has to end after SIGTERM before it is killed.",
                        "60s",
                        "60",
                    ),
                    BlockKey(
                        "cascade",
                        _CASCADE,
                        "What a cancel affects besides its job.",
                        "{dependents: none}",
                        "none",
                    ),
                ),
                CancelSettings,
            ),
            "Cancelling attempts.",
            "{default_mode: kill}",
            "kill",
        ),
        BlockKey(
            "gc",
            Block(
                (
                    BlockKey("every", duration("1s"), "How often the garbage collector runs.", "60s", "0s"),
                    BlockKey(
                        "retention",
                        Block(
                            tuple(
                                BlockKey(
                                    name,
                                    duration(),
                                    f"How long {name} are kept.",
                                    "30d",
                                    "30",
                                )
                                for name in ("attempts", "jobs", "events", "logs", "bundles")
                            ),
                            Retention,
                        ),
                        "What the garbage collector keeps.",
                        "{jobs: 400d}",
                        "400d",
                    ),
                ),
                GcSettings,
            ),
            "The garbage collector.",
            "{every: 60s}",
            "60s",
        ),
        BlockKey(
            "log",
            Block(
                (
                    BlockKey(
                        "limit",
                        kinds.SIZE,
                        "The largest size of an attempt's log; of a longer one, beginning and end are kept.",
                        "16MiB",
                        "16",
                    ),
                ),
                LogSettings,
            ),
            "Logs of attempts.",
            "{limit: 1MiB}",
            "1MiB",
        ),
        BlockKey(
            "notify",
            NOTIFY,
            "Events of all processes that are sent.",
            "[{when: [error], via: [bin/mail]}]",
            "x",
        ),
    ),
    ScheduleSettings,
    later={
        "tree_timezone": "UTC",
        "reserve_after": "10m",
        "pause": {"holds_worker": "false", "remind_after": "24h", "expire": "never"},
        "expression": {"steps": "100000", "size": "1MiB", "depth": "100"},
        "script": {"timeout": "60s"},
    },
)
