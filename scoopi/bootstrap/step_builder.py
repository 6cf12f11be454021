"""StepBuilder: compiles a task's definition to its chain of steps, once per worker.

Modules that most runs need are imported at once, while a worker waits for its plan; the others when needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.archive.archive_rules import ArchiveRules
from scoopi.configs.configs import Configs
from scoopi.configs.groups import FactSettings, ParserLimits, ScriptLimits
from scoopi.configs.registry import SETTINGS_BY_KEY
from scoopi.defs.scrape.class_names import (
    APPENDER_STEP,
    CONVERTER,
    CSS_PARSER,
    FILTER,
    LINK_MAKER,
    RECORD_APPENDER,
    RECORD_PARSER,
    SCRIPTER,
    XPATH_PARSER,
)
from scoopi.errors import PluginError
from scoopi.fetch.file_client import FileFinder
from scoopi.model.locator import Document
from scoopi.model.report.found_axes import axes_read, found_nothing
from scoopi.model.scrape.plugin_def import PluginDef, StepDef
from scoopi.model.scrape.task_def import TaskDef
from scoopi.outputs.output_spec import appender_outputs
from scoopi.outputs.target import stream_of
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.runs.composed import WorkerPlan
from scoopi.script.expressions import Expressions
from scoopi.script.page_scripts import HOSTS, ConfigsView, PageScripts
from scoopi.steps.data_appender import DataAppender
from scoopi.steps.data_filter import DataFilter
from scoopi.steps.data_parser import DataParser
from scoopi.steps.locator_creator import LocatorCreator
from scoopi.steps.readers.data_readers import DataReaders, NoteTimes
from scoopi.steps.readers.row_reuse import RowReuse
from scoopi.steps.step import Step
from scoopi.worker.worker_parts import ChainStep, GroupPlan, TaskChain

if TYPE_CHECKING:
    from scoopi.fetch.downloads.file_store import FileStore
    from scoopi.model.records import Value
    from scoopi.parse.records.field_reader import RunScript
    from scoopi.script.sandbox import Sandbox
    from scoopi.steps.data_converter import ItemConversion
    from scoopi.steps.downloads.row_files import ClaimPath


DOWNLOAD_STEP = "download"
"""Name, in messages, of the step that downloads files."""


class StepBuilder:
    """Compiles a task's definition to its chain of steps, once per worker. Not thread-safe.

    Args:
        plan: the plan of the worker.
        finder: finds plugins.
        files: finds the user's files, such as scripts.
        archive: decides which rows are kept for later runs.
        downloads: stores downloaded files; None if no definition has downloads.
        note_times: see DataReaders; used only if the plan times entries.
    """

    def __init__(
        self,
        plan: WorkerPlan,
        finder: PluginFinder,
        files: FileFinder,
        archive: ArchiveRules,
        downloads: FileStore | None = None,
        note_times: NoteTimes | None = None,
    ) -> None:
        configs = Configs.from_composed(plan.configs)
        self._definitions = plan.definitions
        self._finder = finder
        self._files, self._downloads = files, downloads
        self._limits = ParserLimits.of(configs)
        self._stand_for_nothing = FactSettings.of(configs).stand_for_nothing
        self._readers = DataReaders(plan.definitions, configs, note_times if plan.times_entries else None)
        self._grid = self._readers.grid_settings
        missing = configs.text("scoopi.missing.replaceWith")
        self._encoder_defaults = {"missing": missing, "not_found": self._grid.not_found}
        self._script_limits = ScriptLimits.of(configs)
        pattern = configs.text("scoopi.dateTimePattern")
        self._seen_by_scripts = _seen_by_scripts(plan)
        self._view = ConfigsView(
            self._seen_by_scripts, plan.run_date, lambda moment: _formatted(moment, pattern), plan.is_cluster
        )
        self._row_reuse = RowReuse(archive, plan.definitions, self._grid, self._seen_by_scripts)
        is_plain = configs.flag("scoopi.parser.plain")
        self._expressions = None if is_plain else Expressions(partial(self._sandbox, HOSTS))
        self._builders: Mapping[str, Callable[[TaskDef, StepDef], Step]] = {
            CSS_PARSER: self._parser,
            XPATH_PARSER: self._parser,
            FILTER: self._filter,
            CONVERTER: self._converter,
            LINK_MAKER: self._linker,
            SCRIPTER: self._scripter,
            APPENDER_STEP: self._appender,
            RECORD_PARSER: self._record_parser,
            RECORD_APPENDER: self._record_appender,
        }
        self._plans: dict[str, GroupPlan] = {}

    def group_plan(self, group: str) -> GroupPlan:
        """The compiled tasks of a group.

        Raises:
            PluginError: a plugin cannot be created.
        """
        if group not in self._plans:
            tasks = self._definitions.task_groups[group].tasks
            loader = tasks[0].steps[1]
            self._plans[group] = GroupPlan(
                tuple(self._chain(task) for task in tasks), loader.name, _line_of(loader, tasks[0])
            )
        return self._plans[group]

    def _chain(self, task: TaskDef) -> TaskChain:
        """The chain after its seeder and loader, which run elsewhere (defs/README.md, 4.3)."""
        steps = [
            ChainStep(step.name, self._step(task, step), _line_of(step, task)) for step in task.steps[2:]
        ]
        if self._downloads is not None and task.steps[-1].class_name in (APPENDER_STEP, RECORD_APPENDER):
            steps[-1:-1] = self._download(task, self._downloads.claim)
        return TaskChain(task, tuple(steps))

    def _download(self, task: TaskDef, claim: ClaimPath) -> list[ChainStep]:
        """The step before the appender that downloads files, if the task's definition has downloads."""
        from scoopi.steps.downloads.grid_files import GridFiles  # late: few definitions have them
        from scoopi.steps.downloads.record_files import RecordFiles

        record_def = self._definitions.record_defs.get(task.data_def)
        if record_def is not None and record_def.has_downloads:
            step: Step = RecordFiles(record_def, claim, stream_of(task.group, task.name))
        elif record_def is None and self._definitions.data_defs[task.data_def].downloads:
            data_def = self._definitions.data_defs[task.data_def]
            step = GridFiles(data_def, claim, self._grid.not_found, self._stand_for_nothing)
        else:
            return []
        return [ChainStep(DOWNLOAD_STEP, step, str(task.place))]

    def _step(self, task: TaskDef, step: StepDef) -> Step:
        builder = self._builders.get(step.class_name)
        if builder is not None:
            return builder(task, step)
        made = self._finder.find("steps", step.class_name)()
        if not isinstance(made, Step):
            raise PluginError(
                f"{step.class_name} is not a Step", at=str(step.place), hint="derive it from Step"
            )
        return made

    def _parser(self, task: TaskDef, step: StepDef) -> Step:
        makes_links = any(other.class_name == LINK_MAKER for other in task.steps)
        data_def = self._definitions.data_defs[task.data_def]
        reader = self._readers.grid(data_def, step.class_name, raw_items=makes_links)
        reuse = self._row_reuse.of_grid(task, data_def, (step.class_name, makes_links))
        axes = frozenset(axes_read(data_def))
        is_empty = partial(found_nothing, axes, self._stand_for_nothing) if axes else None
        joined = None
        if data_def.downloads and self._downloads is not None:
            from scoopi.steps.downloads.grid_files import JoinedAddresses  # late: few definitions have them

            joined = JoinedAddresses(data_def.downloads, self._stand_for_nothing)
        return DataParser(
            reader, self._scripts, reuse, makes_links=makes_links, is_empty=is_empty, joined=joined
        )

    def _scripts(self, document: Document) -> PageScripts:
        return PageScripts(self._sandbox, document, self._view, self._expressions)

    def _sandbox(self, hosts: str) -> Sandbox:
        from scoopi.script.sandbox import Sandbox

        return Sandbox(self._script_limits, hosts)

    def _filter(self, task: TaskDef, step: StepDef) -> Step:
        data_def = self._definitions.data_defs[task.data_def]
        return DataFilter(data_def, timeout_ms=self._limits.regex_timeout_ms)

    def _linker(self, task: TaskDef, step: StepDef) -> Step:
        data_def = self._definitions.data_defs[task.data_def]
        return LocatorCreator(data_def, timeout_ms=self._limits.regex_timeout_ms)

    def _converter(self, task: TaskDef, step: StepDef) -> Step:
        from scoopi.steps.data_converter import DataConverter

        return DataConverter([self._conversion(plugin) for plugin in step.plugins])

    def _conversion(self, plugin: PluginDef) -> ItemConversion:
        from scoopi.steps.data_converter import ItemConversion

        return ItemConversion(
            item_name=plugin.fields["item"],
            on_error=plugin.fields.get("onError", "keep"),
            converter=self._finder.construct("converters", plugin),
            plugin_name=plugin.name,
            place=plugin.place,
        )

    def _scripter(self, task: TaskDef, step: StepDef) -> Step:
        from scoopi.steps.scripter import Scripter

        plugins = [self._finder.construct("scripts", plugin) for plugin in step.plugins]
        return Scripter(plugins, lambda name: _text(self._files.find(name)), self._script_limits)

    def _appender(self, task: TaskDef, step: StepDef) -> Step:
        return DataAppender(tuple(appender_outputs(step, self._finder, self._encoder_defaults)))

    def _record_parser(self, task: TaskDef, step: StepDef) -> Step:
        from scoopi.steps.record_steps import RecordParser, columns_read  # late: most grids do not need it

        record_def = self._definitions.record_defs[task.data_def]
        scripts = self._record_scripts if record_def.has_scripts else None
        reuse = self._row_reuse.of_records(task, record_def)
        return RecordParser(self._readers.records(record_def), scripts, reuse, columns_read(record_def))

    def _record_scripts(self, document: Document, parent: Mapping[str, Value]) -> RunScript:
        from scoopi.script.record_scripts import RecordScripts

        return RecordScripts(self._scripts(document), parent)

    def _record_appender(self, task: TaskDef, step: StepDef) -> Step:
        from scoopi.outputs.target import rejected_of
        from scoopi.steps.record_steps import RecordAppender

        stream = stream_of(task.group, task.name) if task.outputs else ""
        return RecordAppender(stream, rejected_of(task.group, task.name))


def _seen_by_scripts(plan: WorkerPlan) -> dict[str, str]:
    return {
        key: text for key, text in plan.configs.items() if key not in plan.secrets and _may_change_rows(key)
    }


def _may_change_rows(key: str) -> bool:
    setting = SETTINGS_BY_KEY.get(key)
    return setting is not None and setting.may_change_rows


def _line_of(step: StepDef, task: TaskDef) -> str:
    """The place of the step in the definitions; for a built-in step, that of the task."""
    return str(step.place) or str(task.place)


def _formatted(moment: datetime, pattern: str) -> str:
    from scoopi.java.dates.date_pattern import DatePattern

    return DatePattern(pattern).format(moment)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
