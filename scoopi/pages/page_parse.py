"""PageParse: reads the records of one page, from a file or the network, without a run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from scoopi.bootstrap.defs_composer import DefsComposer
from scoopi.bootstrap.group_loaders import plugins_command
from scoopi.bootstrap.worker_wiring import wire
from scoopi.browser.pool_process import browsers_for
from scoopi.configs.groups import BrowserSettings, ScriptLimits
from scoopi.configs.run_date import compose_run_date
from scoopi.errors import FetchError, UsageError
from scoopi.model.handover import Grant, Handover, Payload, ToGrant, ToTask
from scoopi.model.locator import Locator
from scoopi.model.records import Column, Records
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.text.shown import did_you_mean
from scoopi.parse.records.record_inspection import FieldView, RecordInspection
from scoopi.parse.tree.page import Page
from scoopi.runs.composed import WorkerPlan
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest
from scoopi.steps.loading.load_state import LoadState
from scoopi.steps.loading.loader import Loader
from scoopi.worker.worker_parts import TaskChain

LIMIT_S = 120.0
"""Timeout of loading the page, including redirects, in seconds."""


class ParsedPage(NamedTuple):
    """What one data definition reads from the page.

    Attributes:
        data_def: name of the data definition.
        columns: columns of its rows: the meta columns, then those of the fields.
        records: what was read.
        each: what its `each` finds; None if it has none.
        fields: what each field finds, in the order of the definition.
    """

    data_def: str
    columns: tuple[Column, ...]
    records: Records
    each: FieldView | None
    fields: list[FieldView]


class PageParse:
    """Reads the records of one page, with the tasks of one group, without a run.

    Args:
        request: the definitions and settings.
        target: path or URL of the page.
        group: name of the task group; empty to determine it from the page's locator.
        data_def: name of a data definition to use alone; empty for all of the group.
    Raises:
        UsageError: a name is unknown, or no group or several groups can read the page.
        ConfigError, DefsError: settings or definitions are invalid.
    """

    def __init__(self, request: RunRequest, target: str, group: str = "", data_def: str = "") -> None:
        assert request.defs is not None, "a page is read by definitions"
        configs = ConfigsComposer(request).compose()
        self._definitions = DefsComposer.of(request, configs).compose(request.defs)
        self._plan = WorkerPlan(
            self._definitions,
            configs.composed(),
            compose_run_date(configs, datetime.now().astimezone()),
            str(Path.cwd()),
            str(request.defs.absolute()),
            is_cluster=False,
            secrets=configs.secrets,
        )
        self._browsers = BrowserSettings.of(configs)
        self._scripts = plugins_command(Path.cwd(), request.defs, ScriptLimits.of(configs))
        self._target = target
        self._data_def = data_def
        self._group = _group_of(self._definitions, target, group, data_def)

    def read(self) -> list[ParsedPage]:
        """Load the page, within LIMIT_S, and return what each data definition of records reads from it.

        Raises:
            StepError: the page cannot be loaded or read.
        """
        group = self._definitions.task_groups[self._group]
        with browsers_for([group], self._browsers, Path.cwd(), self._scripts) as socket:
            definitions = msgspec.structs.replace(self._definitions, locator_groups={})
            plan = msgspec.structs.replace(self._plan, definitions=definitions, browsers=socket)
            parts = wire(msgspec.msgpack.encode(plan), lambda job, host: None)
            with closing(parts.loader):
                page = _loaded(parts.loader, Locator(self._group, self._group, self._target))
                return list(self._parsed(parts.group_plan(self._group).chains, page))

    def _parsed(self, chains: tuple[TaskChain, ...], page: Page) -> Iterator[ParsedPage]:
        for chain in chains:
            name = chain.task.data_def
            definition = self._definitions.record_defs.get(name)
            if definition is None or (self._data_def and name != self._data_def):
                continue
            payload = Payload("", page.document.locator, 1, chain.task.name, page)
            handover = chain.steps[0].step.run(payload)
            assert isinstance(handover, ToTask), "the first step reads records"
            records = handover.payload.expect(Records)
            inspection = RecordInspection(definition, page, records)
            columns = definition.schema.all_columns
            yield ParsedPage(name, columns, records, inspection.each(), inspection.fields())


def _group_of(definitions: Definitions, target: str, group: str, data_def: str) -> str:
    """The task group that reads the page.

    Raises:
        UsageError: a name is unknown, or no group or several groups can read the page.
    """
    reading = {
        name: [task.data_def for task in each.tasks if task.data_def in definitions.record_defs]
        for name, each in definitions.task_groups.items()
    }
    if group and group not in reading:
        raise UsageError(f"there is no task group {group}", hint=did_you_mean(group, reading))
    if data_def and data_def not in definitions.record_defs:
        names = ", ".join(definitions.record_defs) or "none"
        raise UsageError(f"there are no records {data_def}", hint=f"known are {names}")
    known = [name for name, defs in reading.items() if defs and (not data_def or data_def in defs)]
    if group:
        known = [name for name in known if name == group]
    if len(known) > 1:
        groups = definitions.locator_groups
        named = [
            name
            for name in known
            if name in groups and target in {each.url for each in groups[name].single_pages()}
        ]
        known = named[:1] or known
    if len(known) == 1:
        return known[0]
    if known:
        hint = f"name one with --group: {', '.join(known)}"
        raise UsageError("several task groups can read the page", hint=hint)
    raise UsageError(
        "no task of these definitions reads records", hint="a data definition of records has fields"
    )


def _loaded(loader: Loader, locator: Locator) -> Page:
    """Load a page, one request after the other.

    Raises:
        FetchError: it cannot be loaded in time.
    """
    answers: list[Handover | Exception] = []
    payload = Payload("", locator, 1, "", LoadState())
    deadline = time.monotonic() + LIMIT_S
    loader.begin(payload, answers.append)
    while time.monotonic() < deadline:
        if not answers:
            loader.turn(0.1)
            continue
        answer = answers.pop()
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ToGrant):
            load = answer.payload.expect(LoadState)
            grant = Grant(answer.host, deadline)
            loader.begin(answer.payload.advance(load.with_grant(grant)), answers.append)
        elif isinstance(answer, ToTask):
            return answer.payload.expect(Page)
    raise FetchError(f"no page within {LIMIT_S:.0f} s", at=locator.url)
