"""DataReaders: compiles data definitions to readers of pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from scoopi.configs.configs import Configs
from scoopi.configs.groups import FactSettings, ParserLimits
from scoopi.defs.scrape.class_names import XPATH_PARSER
from scoopi.model.data_def import DataDef
from scoopi.model.records import Records
from scoopi.model.report.counter_names import AxisKey
from scoopi.model.scrape.definitions import Definitions
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_axis import GridSettings
from scoopi.parse.grid.grid_reader import GridReader
from scoopi.parse.query_ports import DataReader, QueryEngine

if TYPE_CHECKING:
    from scoopi.model.records.record_def import RecordDef
    from scoopi.parse.records.field_reader import RunScript
    from scoopi.parse.records.page_facts import PageFacts
    from scoopi.parse.tree.page import Page

    ReadRecords = Callable[[Page, PageFacts, RunScript | None], Records]

NoteTimes = Callable[[str, Mapping[AxisKey, float]], None]
"""Called with (name of a data definition, entry -> seconds on one page)."""


class DataReaders:
    """Compiles data definitions to readers of pages. Not thread-safe.

    Args:
        note_times: called for each page on which entries were timed; None to time nothing.
    """

    def __init__(self, definitions: Definitions, configs: Configs, note_times: NoteTimes | None) -> None:
        self._definitions = definitions
        self._limits = ParserLimits.of(configs)
        self._is_plain = configs.flag("scoopi.parser.plain")
        self.grid_settings = grid_settings(configs)
        self._note_times = None if self._is_plain else note_times
        self._engines: dict[str, QueryEngine] = {}

    def grid(self, data_def: DataDef, parser: str, *, raw_items: bool) -> DataReader:
        """The reader of a grid.

        Args:
            parser: class name of the task's parser.
            raw_items: see GridReader.
        """
        engine = self._engine(parser)
        if self._is_plain:
            from scoopi.parse.grid.plain_reader import PlainReader  # late: few runs are plain

            return PlainReader(data_def, engine, self.grid_settings, raw_items=raw_items)
        reader = GridReader(data_def, engine, self.grid_settings, raw_items=raw_items)
        if self._note_times is None:
            return reader
        from scoopi.parse.timing.sampled_reader import SampledReader  # late: few runs time entries
        from scoopi.parse.timing.timed_grid import timed_reader

        timed = partial(timed_reader, data_def, engine, self.grid_settings, raw_items=raw_items)
        note = partial(self._note_times, data_def.name)
        return SampledReader(reader.read, lambda watch: timed(watch).read, note)

    def records(self, record_def: RecordDef) -> ReadRecords:
        """The function that reads the records of a page."""
        from scoopi.parse.records.record_compiler import compile_records  # late: most grids do not need it

        groups, timeout_ms = self._definitions.task_groups, self._limits.regex_timeout_ms
        compiled = partial(compile_records, record_def, timeout_ms, groups, plain=self._is_plain)
        read = compiled().read
        if self._note_times is None:
            return read
        from scoopi.parse.timing.sampled_reader import SampledReader  # late: few runs time entries

        note = partial(self._note_times, record_def.name)
        return SampledReader(read, lambda watch: compiled(timed=watch.timed).read, note).read

    def _engine(self, parser: str) -> QueryEngine:
        if parser not in self._engines:
            self._engines[parser] = self._new_engine(parser)
        return self._engines[parser]

    def _new_engine(self, parser: str) -> QueryEngine:
        if parser == XPATH_PARSER:
            from scoopi.parse.xpath.xpath_engine import XPathEngine  # late: few definitions have XPath

            return XPathEngine()
        return CssEngine(self._limits.regex_timeout_ms)


def grid_settings(configs: Configs) -> GridSettings:
    """The texts that replace missing facts, and the limit of rows."""
    facts = FactSettings.of(configs)
    return GridSettings(
        not_found=facts.not_found_replacement,
        blank=facts.blank_replacement or "",
        replace_blank=facts.blank_replacement is not None,
        max_rows=ParserLimits.of(configs).max_rows,
    )
