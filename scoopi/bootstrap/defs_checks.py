"""DefsChecks: the checks of definitions that need other rooms: selectors, scripts, plugins, files.

Modules that only some definitions need are imported late.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from scoopi.bootstrap.group_loaders import ensure_library
from scoopi.configs.configs import Configs
from scoopi.defs.scrape.checkers import ChainPluginKind, Checkers, Fault, SelectorFaults, no_fault
from scoopi.defs.scrape.class_names import STEP_CLASSES
from scoopi.errors import ConfigError, ScoopiError
from scoopi.fetch.address import parse_address
from scoopi.fetch.file_client import FileFinder
from scoopi.model.data_def import DataDef
from scoopi.model.records import RecordSchema
from scoopi.model.records.record_def import RecordDef
from scoopi.model.records.record_fault import RecordFault
from scoopi.model.scrape.plugin_def import PluginDef
from scoopi.model.scrape.task_def import OutputDef
from scoopi.model.text.host_name import host_pattern
from scoopi.model.text.output_path import is_too_long
from scoopi.model.text.shown import without_credentials
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_reader import check_data_def
from scoopi.plugins.builtin_scripts import BasicScript
from scoopi.plugins.plugin_files import file_digest
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.plugins.plugin_ports import LIST_PREFIX, Appender
from scoopi.publishing.output_faults import OutputFaults, file_path_fault
from scoopi.runs.rows.defs_files import page_check
from scoopi.runs.rows.query_rows import QueryLimits
from scoopi.runs.rows.row_sources import RowSources
from scoopi.runs.rows.run_outputs import RunOutputs
from scoopi.script.script_text import script_text
from scoopi.steps.step import Step

STEP = "scoopi.steps.step.Step"
MADE_UP_NODE = "0" * 8
"""A node id with the length of a generated one."""


class DefsChecks:
    """The checks of definitions that need other rooms, as `Checkers` for the reader of definitions.

    Args:
        finder: finds plugins, as the run will.
        current_folder: folder in which script files are searched first.
        rows: the runs whose outputs definitions may read, and when a query is given up.
    Attributes:
        scripts: path -> digest of the script files that were checked.
    """

    def __init__(
        self,
        configs: Configs,
        finder: PluginFinder,
        current_folder: Path,
        rows: tuple[RunOutputs, QueryLimits],
    ) -> None:
        self._configs = configs
        self._finder = finder
        self._current = current_folder
        self._rows = rows
        self.scripts: dict[str, str] = {}
        self._is_of_cluster = any(map(configs.text, ("scoopi.cluster.addresses", "scoopi.cluster.store")))

    def checkers(self, source: Path, with_pages: bool) -> Checkers:
        """Make the checks of the definitions in a file or folder.

        Args:
            source: that file or folder.
            with_pages: also check that the local files of locators exist.
        """
        css, files = CssEngine(), FileFinder(self._current, source)
        return Checkers(
            output=partial(_output_faults, OutputFaults(self._current if with_pages else None)),
            css=lambda data_def: [*check_data_def(data_def, css)],
            xpath=_xpath_faults,
            records=_record_faults,
            regex=_fault_of(_ensure_regex),
            script=lambda text: _script_fault(script_text(text)),
            plugin=lambda kind, plugin: self._plugin_faults(kind, plugin, files),
            step_class=self._step_fault,
            live=_fault_of(self._ensure_live),
            url=_fault_of(parse_address),
            page=page_check(self._current, files) if with_pages else no_fault,
            path=partial(file_path_fault, is_of_cluster=self._is_of_cluster),
            host_pattern=as_compared,
            ca=_fault_of(partial(_ensure_authorities, files)),
            find=RowSources(files, *self._rows).find,
            page_selector=_fault_of(css.compile_block),
            loader=_fault_of(ensure_library),
        )

    def _ensure_live(self, text: str) -> None:
        from scoopi.java.dates.date_pattern import DatePattern
        from scoopi.model.live import parse_live

        parse_live(text, DatePattern(self._configs.text("scoopi.dateTimePattern")))

    def _step_fault(self, name: str) -> Fault | None:
        if name in STEP_CLASSES:
            return None
        try:
            made = self._finder.find("steps", name)()
        except ScoopiError as error:
            return Fault(str(error))  # includes the plugin's file and line
        except (Exception, SystemExit) as error:
            return Fault(f"{name} cannot be constructed without arguments: {type(error).__name__}: {error}")
        return None if isinstance(made, Step) else Fault(f"{name} is not a Step", f"derive it from {STEP}")

    def _plugin_faults(self, kind: ChainPluginKind, plugin: PluginDef, files: FileFinder) -> list[Fault]:
        if faults := self._finder.check(kind, plugin):
            return [Fault(each.what, key=each.field, is_unknown=each.is_unknown) for each in faults]
        try:
            made = self._finder.construct(kind, plugin)
        except ScoopiError as error:
            return [Fault(error.what, error.hint)]
        if kind == "appenders":
            return [*self._name_faults(made)]
        return self._script_faults(made, files) if isinstance(made, BasicScript) else []

    def _name_faults(self, appender: Appender) -> Iterator[Fault]:
        """Faults of file names that are too long; in a cluster they also contain the node's id."""
        if not self._is_of_cluster or appender.output.startswith(LIST_PREFIX):
            return
        from scoopi.outputs.output_spec import file_of_node

        file = file_of_node(appender.output, self._configs.text("scoopi.cluster.node") or MADE_UP_NODE)
        if is_too_long(posixpath.basename(file)):
            yield Fault(f"the file name {appender.output!r} is too long with the node's id", "shorten it")

    def _script_faults(self, plugin: BasicScript, files: FileFinder) -> list[Fault]:
        faults = []
        if plugin.script and (inline := _script_fault(plugin.script)):
            faults.append(Fault(f"script: {inline.what}", inline.hint))
        for name in plugin.scripts:
            try:
                path = files.find(name)
                body = path.read_bytes()
                fault = _script_fault(body.decode())
            except (ScoopiError, OSError, UnicodeDecodeError) as error:
                fault = Fault(str(error))
            else:
                self.scripts[str(path)] = file_digest(body)
            if fault:
                faults.append(Fault(f"{name}: {fault.what}", fault.hint))
        return faults


def as_compared(pattern: str) -> str | Fault:
    """The normalized host pattern of a site, or its fault."""
    try:
        return host_pattern(pattern)
    except ValueError as error:
        return Fault(str(error), 'write a host, as in "*.example.org" or "example.org:8080"')


def _output_faults(
    faults: OutputFaults, task: str, output: OutputDef, schema: RecordSchema | None
) -> list[Fault]:
    is_secret = without_credentials(output.to) != output.to
    return [Fault(error.what, error.hint, is_secret) for error in faults.of(task, output, schema)]


def _xpath_faults(data_def: DataDef) -> SelectorFaults:
    from scoopi.parse.xpath.xpath_engine import XPathEngine

    return [*check_data_def(data_def, XPathEngine())]


def _record_faults(record_def: RecordDef) -> list[RecordFault]:
    from scoopi.parse.records.record_check import check_records

    return check_records(record_def)


def _ensure_regex(pattern: str) -> None:
    from scoopi.java.regex.java_regex import compile_java

    compile_java(pattern)


def _script_fault(text: str) -> Fault | None:
    from scoopi.script.sandbox import check_script

    return None if (found := check_script(text)) is None else Fault(*found)


def _ensure_authorities(files: FileFinder, path: str) -> None:
    import ssl  # late: few definitions name a CA file

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(files.find(path))
    except (OSError, ValueError) as error:  # includes errors of OpenSSL
        hint = "write certificates in PEM format, as in -----BEGIN CERTIFICATE-----"
        raise ConfigError("the file has no readable certificates", hint=hint) from error


def _fault_of(call: Callable[[str], object]) -> Callable[[str], Fault | None]:
    """Turn a call that raises for an invalid text into a check that returns the fault."""

    def fault(text: str) -> Fault | None:
        try:
            call(text)
        except ScoopiError as error:
            return Fault(error.what, error.hint)
        except ValueError as error:
            return Fault(str(error))
        return None

    return fault
