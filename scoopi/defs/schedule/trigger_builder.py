"""TriggerBuilder: builds a Trigger from its keys, and reports keys that contradict each other."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from scoopi.defs.schedule.block_reader import BlockReader, is_whole
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table
from scoopi.errors import PeriodError
from scoopi.model.schedule.process import Trigger
from scoopi.periods.cron import CronExpression
from scoopi.periods.iterations import can_be_numbered

_SCHEDULES = ("every", "cron", "at", "after")


class TriggerBuilder:
    """Builds a Trigger from the keys that define it; each error is a finding at the key that causes it."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._reader = BlockReader(findings)

    def build(
        self, keys: dict[str, Any], mode: str, table: Table, path: str, *, has_periods: bool
    ) -> Trigger:
        """Build the trigger of a process.

        Args:
            keys: the valid values by key; defaults are added.
            mode: the mode of the process.
            table: the trigger as written.
            path: the path of names to the trigger.
            has_periods: whether the process has a qualifier.
        """
        whole = is_whole(table, keys)
        slots = keys.setdefault("slots", "periods" if has_periods else "instants")
        if whole and (slots == "periods") is not has_periods:
            what = f"slots: {slots} {'does not go with' if has_periods else 'needs'} a qualifier"
            self._reader.wrong(table, path, "slots", what, "leave slots out")
        if slots == "iterations":
            self._check_iterations(keys, table, path)
        else:
            self._check_schedule(keys, mode, table, path, whole=whole)
        self._check_cron(keys, table, path)
        if "since" in keys and "until" in keys and keys["until"] <= keys["since"]:
            what = "until is not after since, so it never fires"
            self._reader.wrong(table, path, "until", what, "correct one of them")
        if "after" in keys or str(keys.get("source")).startswith("python:"):
            for key in sorted({"since", "until"} & keys.keys()):
                self._reader.no_effect(table, path, key, "on slots that come from another process or a class")
        if mode == "managed":
            keys.setdefault("every", timedelta(seconds=60))
        return Trigger(**keys)

    def _check_schedule(
        self, keys: dict[str, Any], mode: str, table: Table, path: str, *, whole: bool
    ) -> None:
        given = [key for key in _SCHEDULES if key in keys]
        if len(given) > 1:
            what = f"{' and '.join(given)} exclude each other"
            self._reader.wrong(table, path, given[1], what, "keep one of them")
        elif not given and mode != "managed" and whole:
            hint = "add one of every, cron, at, after"
            self._findings.error(table.place, path, "the trigger has no schedule", hint)
        if "source" in keys and whole:
            self._reader.wrong(table, path, "source", "source needs iterations", "add `slots: iterations`")

    def _check_iterations(self, keys: dict[str, Any], table: Table, path: str) -> None:
        if not is_whole(table, keys):  # a key is misspelt or invalid, which has been reported
            return
        source = keys.setdefault("source", "cron" if "cron" in keys else "")
        if not source:
            hint = "add `source: after_completion`, or `cron: …`"
            self._findings.error(table.place, path, "iterations need a source", hint)
        elif (source == "cron") is not ("cron" in keys):
            what = (
                "source: cron needs `cron`" if source == "cron" else f"cron does not go with source: {source}"
            )
            self._reader.wrong(table, path, "source", what, "keep one of the two")
        for key in ("at", "after"):
            if key in keys:
                self._reader.wrong(table, path, key, f"{key} does not go with iterations", "use `source`")

    def _check_cron(self, keys: dict[str, Any], table: Table, path: str) -> None:
        if "cron" in keys and ("dialect" in keys or "dialect" not in table.entries):
            try:
                expression = CronExpression(keys["cron"], keys.get("dialect", "unix"))
            except PeriodError as error:
                self._reader.wrong(table, path, "cron", error.what, error.hint)
                return
            if keys.get("slots") == "iterations" and not can_be_numbered(expression):
                what = "cron fires more often than iterations can be numbered, 9999 times a day"
                self._reader.wrong(table, path, "cron", what, "let it fire at most every 10 seconds")
        elif "dialect" in keys and "cron" not in table.entries:
            self._reader.wrong(table, path, "dialect", "dialect needs cron", "remove it")
        for key in ("timezone", "dst"):
            if key in keys and not keys.keys() & {"cron", "at"}:
                self._reader.wrong(table, path, key, f"{key} needs cron or at", "remove it")
