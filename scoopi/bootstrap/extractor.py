"""Extractor: runs definitions on pages in memory, without a run, a store or a network."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from scoopi.bootstrap.archive_rules import ArchiveRules
from scoopi.bootstrap.defs_composer import DefsComposer
from scoopi.bootstrap.step_builder import StepBuilder
from scoopi.configs.groups import ArchiveSettings, ParserLimits
from scoopi.configs.run_date import compose_run_date
from scoopi.defs.scrape.class_names import SCRIPTER
from scoopi.errors import UsageError
from scoopi.fetch.file_client import FileFinder
from scoopi.model.data import Data
from scoopi.model.handover import Payload, ToTask
from scoopi.model.locator import Document, Locator
from scoopi.parse.tree.html import TreeLimits
from scoopi.parse.tree.page import Page
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.runs.composed import WorkerPlan, defs_folder, plugin_folders
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest
from scoopi.steps.data_appender import DataAppender
from scoopi.worker.worker_parts import TaskChain

Row = tuple[str | None, ...]
"""Locator name, task group, then the values of the axes; None where a file would say `null`."""

NOT_ARCHIVED = {"scoopi.datastore.enable": "false"}


class Extractor:
    """Compiled once, used for many pages; belongs to one thread.

    Args:
        defs: a folder of definitions, or one file.
        configs: settings by key, as `-D` gives them.
    Raises:
        BootError: the definitions or settings are wrong.
    """

    def __init__(self, defs: Path, configs: Mapping[str, str], environ: Mapping[str, str]) -> None:
        request = RunRequest(overrides={**configs, **NOT_ARCHIVED}, environ=environ)
        composed = ConfigsComposer(request).compose()
        current, source = Path.cwd(), defs.absolute()
        finder = PluginFinder(plugin_folders(current, source), BUILTINS)
        self._definitions = DefsComposer(composed, finder, current).compose(defs)
        self._run_date = compose_run_date(composed, datetime.now().astimezone())
        limits = ParserLimits.of(composed)
        self._limits = TreeLimits(
            limits.max_depth, limits.max_nodes, composed.number("scoopi.loader.maxBytes")
        )
        self._composed, self._finder, self._current, self._source = composed, finder, current, source
        self._builder = self._new_builder()
        self._locators: dict[tuple[str, str | None], Locator] = {}
        for known in self._definitions.locator_groups.values():
            for locator in known.locators:
                found = Locator(locator.name, known.name, locator.url)
                self._locators.setdefault((locator.url, None), found)
                self._locators.setdefault((locator.url, known.name), found)

    @property
    def reads_files_of_its_own(self) -> bool:
        """Whether plugins or scripts in files of the user take part."""
        tasks = (task for group in self._definitions.task_groups.values() for task in group.tasks)
        scripted = any(step.class_name == SCRIPTER for task in tasks for step in task.steps)
        return scripted or bool(self._finder.digests())

    def at(self, now: datetime) -> Extractor:
        """Itself, for a run that begins now, if the settings do not say when it began."""
        run_date = compose_run_date(self._composed, now)
        if run_date != self._run_date:
            self._run_date = run_date
            self._builder = self._new_builder()
        return self

    def extract(self, page: bytes, url: str, group: str | None = None) -> list[Row]:
        """The rows of every task of the page's group that has an appender; links are not followed.

        Args:
            url: the page's address; a locator that has it gives name and group.
            group: the task group; needed when no locator has the address and there are several groups.
        Raises:
            StepError: a task fails on this page.
            UsageError: the group that the page belongs to is not known.
        """
        locator = self._locator(url, group)
        document = Document(locator, url, self._run_date, None, page)
        tree = Page(document, self._limits)
        rows: list[Row] = []
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
        files = FileFinder(self._current, defs_folder(self._source))
        return StepBuilder(plan, self._finder, files, archive)

    def _rows(self, chain: TaskChain, locator: Locator, page: Page) -> list[Row]:
        payload = Payload("", locator, 1, chain.task.name, page)
        for link in chain.steps:
            if isinstance(link.step, DataAppender):
                head = (locator.name, locator.group)
                return [head + item.values for item in payload.expect(Data).items]
            handover = link.step.run(payload)
            if not isinstance(handover, ToTask):
                break
            payload = handover.payload
        return []

    def _locator(self, url: str, group: str | None) -> Locator:
        known = self._locators.get((url, group))
        if known is not None:
            return known
        names = [group] if group is not None else list(self._definitions.task_groups)
        if len(names) != 1 or names[0] not in self._definitions.task_groups:
            raise UsageError(
                f"the group that the page {url} belongs to is not known",
                hint=f"name one of {', '.join(self._definitions.task_groups)}",
            )
        return Locator(names[0], names[0], url)
