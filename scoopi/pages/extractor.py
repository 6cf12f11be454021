"""Extractor: extracts rows from pages in memory with one set of definitions, without a run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from scoopi.archive.archive_rules import ArchiveRules
from scoopi.bootstrap.defs_composer import DefsComposer
from scoopi.bootstrap.step_builder import StepBuilder
from scoopi.configs.groups import ArchiveSettings, ParserLimits
from scoopi.configs.run_date import compose_run_date
from scoopi.errors import UsageError
from scoopi.fetch.file_client import FileFinder
from scoopi.model.data import Data
from scoopi.model.handover import Payload, ToTask
from scoopi.model.inputs import Inputs
from scoopi.model.locator import Document, Locator
from scoopi.model.records import Records
from scoopi.pages.file_stamp import Stamp, is_old, stamp_of
from scoopi.parse.parts.page_parts import PageParts
from scoopi.parse.tree.page import Page, TreeLimits
from scoopi.plugins.builtins import finder_of
from scoopi.runs.composed import WorkerPlan
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest
from scoopi.steps.data_appender import DataAppender
from scoopi.worker.worker_parts import TaskChain

ExtractedRow = Any
"""For a grid a tuple: locator name, task group, then the values of the axes, None where a file has `null`.
For records a dict from column to value, in Python types (`Decimal`, `date`, `datetime`, …)."""

NOT_ARCHIVED = {"scoopi.datastore.enable": "false"}
"""The setting with which no page is put into the archive."""


class Extractor:
    """Extracts rows from pages with one set of definitions, without a run.

    Compiled once, used for many pages; used by one thread.

    Args:
        defs: a folder of definitions, or one file.
        configs: settings by key, as with `-D`.
        environ: the environment variables.
        inputs: values of the definitions' `%{input.NAME}`.
    Raises:
        BootError: the definitions or settings are invalid.

    Attributes:
        has_plugins: whether the definitions use plugins from files or packages of the user.
    """

    def __init__(
        self, defs: Path, configs: Mapping[str, str], environ: Mapping[str, str], inputs: Mapping[str, str]
    ) -> None:
        request = RunRequest(overrides={**configs, **NOT_ARCHIVED}, environ=environ)
        composed = ConfigsComposer(request).compose()
        current, source = Path.cwd(), defs.absolute()
        finder = finder_of(source, current)
        self._definitions = DefsComposer(composed, finder, current, Inputs(inputs)).compose(defs)
        self._run_date = compose_run_date(composed, datetime.now().astimezone())
        limits = ParserLimits.of(composed)
        self._limits = TreeLimits(
            limits.max_depth, limits.max_nodes, composed.number("scoopi.loader.maxBytes")
        )
        self._composed, self._finder, self._current, self._source = composed, finder, current, source
        self.has_plugins = bool(finder.digests())
        self._parts = PageParts(self._definitions, is_plain=composed.flag("scoopi.parser.plain"))
        self._builder = self._new_builder()
        self._locators: dict[tuple[str, str | None], Locator] = {}
        for known in self._definitions.locator_groups.values():
            for locator in known.single_pages():
                found = Locator(locator.name, known.name, locator.url, locator.request)
                self._locators.setdefault((locator.url, None), found)
                self._locators.setdefault((locator.url, known.name), found)

    @property
    def is_current(self) -> bool:
        """Whether files that the definitions name, such as scripts, are unchanged since they were read."""
        return self._files.are_as_found()

    def at(self, now: datetime) -> Extractor:
        """Set the run date to a time, unless the settings define it; return the extractor itself."""
        run_date = compose_run_date(self._composed, now)
        if run_date != self._run_date:
            self._run_date = run_date
            self._builder = self._new_builder()
        return self

    def extract(self, page: bytes, url: str, group: str | None = None) -> list[ExtractedRow]:
        """The rows of every task of the page's group that has an appender; links are not followed.

        Args:
            page: the body of the page.
            url: the URL of the page; a locator with the same URL determines name and group.
            group: the task group; needed if no locator has the URL and there are several groups.
        Raises:
            StepError: a task fails on this page.
            UsageError: the group of the page is not known.
        """
        locator = self._locator(url, group)
        document = Document(locator, url, self._run_date, None, page)
        tree = Page(document, self._limits, self._parts.of_group(locator.group))
        rows: list[ExtractedRow] = []
        for chain in self._builder.group_plan(locator.group).chains:
            rows += self._rows(chain, locator, tree)
        return rows

    def _new_builder(self) -> StepBuilder:
        configs = self._composed
        plan = WorkerPlan(
            self._definitions,
            configs.composed(),
            self._run_date,
            str(self._current),
            str(self._source),
            is_cluster=False,
            secrets=configs.secrets,
        )
        archive = ArchiveRules(
            ArchiveSettings.of(configs, self._current),
            self._definitions,
            self._run_date,
            configs.text("scoopi.dateTimePattern"),
        )
        self._files = _FoundFiles(self._current, self._source)
        return StepBuilder(plan, self._finder, self._files, archive)

    def _rows(self, chain: TaskChain, locator: Locator, page: Page) -> list[ExtractedRow]:
        payload = Payload("", locator, 1, chain.task.name, page)
        for link in chain.steps:
            if isinstance(payload.input, Records):
                return list(self._records(chain, payload.input))
            if isinstance(link.step, DataAppender):
                head = (locator.name, locator.group)
                return [head + item.values for item in payload.expect(Data).items]
            handover = link.step.run(payload)
            if not isinstance(handover, ToTask):
                break
            payload = handover.payload
        return []

    def _records(self, chain: TaskChain, records: Records) -> Iterator[dict[str, Any]]:
        from scoopi.outputs.typed_values import dict_of

        columns = self._definitions.record_defs[chain.task.data_def].schema.all_columns
        return map(dict_of(columns), records.rows)

    def _locator(self, url: str, group: str | None) -> Locator:
        known = self._locators.get((url, group))
        if known is not None:
            return known
        names = [group] if group is not None else list(self._definitions.task_groups)
        if len(names) != 1 or names[0] not in self._definitions.task_groups:
            raise UsageError(
                f"the task group of the page {url} is not known",
                hint=f"name one of {', '.join(self._definitions.task_groups)}",
            )
        return Locator(names[0], names[0], url)


class _FoundFiles(FileFinder):
    """Finds files, and knows whether a search would find the same files again, unchanged."""

    def __init__(self, current_folder: Path, defs: Path) -> None:
        super().__init__(current_folder, defs)
        self._stamps: dict[str, Stamp] = {}
        self._is_sure = True

    def find(self, written: str) -> Path:
        found = super().find(written)
        for place in self._places(written):
            stamp = self._stamps[str(place)] = stamp_of(str(place))
            self._is_sure &= is_old(stamp, time.time_ns())
            if place == found:
                break
        return found

    def are_as_found(self) -> bool:
        return self._is_sure and all(stamp_of(path) == stamp for path, stamp in self._stamps.items())
