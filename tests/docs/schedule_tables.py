"""Tables of the keys of the scheduler's language, made from its declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

import msgspec

from scoopi.defs.schedule.keys.executes_keys import ACCEPT, EXECUTES
from scoopi.defs.schedule.keys.policy_keys import DEADLINE, DEPENDS_ON, NOTIFY, PROBE, RETRY, TIMEOUT
from scoopi.defs.schedule.keys.process_keys import PROCESS
from scoopi.defs.schedule.keys.settings_keys import SETTINGS
from scoopi.defs.schedule.keys.trigger_keys import TRIGGER
from scoopi.defs.schedule.schedule_language import Block, BlockKey
from scoopi.model.schedule.process import (
    Deadline,
    DependsOn,
    Executes,
    NotifyRule,
    Probe,
    Process,
    RetryRule,
    Timeouts,
    Trigger,
)
from scoopi.model.schedule.schedule_settings import ScheduleSettings
from scoopi.periods.duration import duration_text

HEAD = ("key", "values", "default", "meaning", "example")
DURATIONS = ", as 250ms 90s 15m 48h 2d"
_BLOCKS: dict[str, tuple[Block, type[msgspec.Struct] | None]] = {
    "process": (PROCESS, Process),
    "executes": (EXECUTES, Executes),
    "accept": (ACCEPT, None),
    "trigger": (TRIGGER, Trigger),
    "depends_on": (DEPENDS_ON, DependsOn),
    "probe": (PROBE, Probe),
    "process-retry": (RETRY, RetryRule),
    "timeout": (TIMEOUT, Timeouts),
    "deadline": (DEADLINE, Deadline),
    "notify": (NOTIFY, NotifyRule),
    "schedule-settings": (SETTINGS, ScheduleSettings),
}
_DEFAULTS = {
    "process.mode": "`managed` with `qualifier` or iterations, `manual` without `trigger`, else `freerun`",
    "process.lag": "`5m` with `qualifier`, else `0s`",
    "process.overlap": "`remind` for `freerun`, else `allow`",
    "process.history": "20 for `freerun`, 100 for `manual`, else no limit",
    "process.retry": "none",
    "process.timeout": "none",
    "executes.exit_codes": "0 is `succeeded`, others are `failed`",
    "executes.accept": "`{failed_pages: 0}`",
    "accept.failed_pages": "`0`",
    "accept.min_rows": "`0`",
    "trigger.every": "`60s` for `managed`",
    "trigger.slots": "`periods` with `qualifier`, else `instants`",
    "trigger.source": "`cron` with `cron`",
    "trigger.since": "the first deployment",
    "process-retry.stale_after": "`1h` with `qualifier`, else `never`",
    "process-retry.give_up_after": "`48h` with `qualifier`, else `never`",
    "process-retry.on_exhausted": "`hold` for `managed`, else `fail`",
    "schedule-settings.history_start": "the first deployment of the tree",
    "schedule-settings.worker.slots": "the cores",
    "schedule-settings.log.limit": "`16MiB`",
}
"""Defaults that depend on other keys, or that no value stands for."""


def schedule_tables() -> Mapping[str, Callable[[], list[tuple[str, ...]]]]:
    """Makers of the rows of each table, by its name."""
    return {name: partial(_table, name, *pair) for name, pair in _BLOCKS.items()}


def _table(name: str, block: Block, made: type[msgspec.Struct] | None) -> list[tuple[str, ...]]:
    return [*_rows(name, block, made, "")]


def _rows(
    table: str, block: Block, made: type[msgspec.Struct] | None, prefix: str
) -> Iterator[tuple[str, ...]]:
    fields = {field.name: field for field in msgspec.structs.fields(made)} if made is not None else {}
    for key in block.keys:
        name = f"{prefix}{key.name}"
        field = fields.get(key.name)
        default: Any = field.default if field is not None else msgspec.NODEFAULT
        if table == "schedule-settings" and isinstance(key.kind, Block) and not key.kind.is_list:
            yield from _rows(table, key.kind, type(default), f"{name}.")
            continue
        if field is not None and field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        shown = _DEFAULTS.get(f"{table}.{name}") or _default(key, default)
        yield f"`{name}`", _values(key), shown, key.sentence, f"`{key.valid}`"


def _values(key: BlockKey) -> str:
    if not isinstance(key.kind, Block):
        return key.kind.allowed.replace(" of at least 0s", "").replace(DURATIONS, "")
    return "a list, below" if key.kind.is_list else "a mapping, below"


def _default(key: BlockKey, value: Any) -> str:
    if value is msgspec.NODEFAULT:
        return "*required*" if key.required or key.name == "executes" else ""
    if value is None:
        allowed = "" if isinstance(key.kind, Block) else key.kind.allowed
        return next((f"`{word}`" for word in ("never", "none") if allowed.endswith(f", or {word}")), "")
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, timedelta):
        return f"`{duration_text(value)}`"
    if isinstance(value, tuple):
        return f"`[{', '.join(value)}]`" if value else ""
    return f"`{value}`" if value not in ("", {}) else ""
