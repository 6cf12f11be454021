"""DefsComposer: composes the definitions of a run, with checks that need other rooms.

Modules that only some definitions need are imported late.
"""

from __future__ import annotations

import logging
import posixpath
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from scoopi.bootstrap.group_loaders import ensure_library
from scoopi.configs.configs import Configs
from scoopi.configs.groups import QuerySettings
from scoopi.defs.scrape.checkers import Checkers, Fault, PluginKind, SelectorFaults, no_fault
from scoopi.defs.scrape.class_names import STEP_CLASSES
from scoopi.defs.scrape.defs_reader import read_definitions
from scoopi.defs.sites.site_reader import read_site_files
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.report import Report
from scoopi.errors import ConfigError, ScoopiError
from scoopi.fetch.address import parse_address
from scoopi.fetch.file_client import FileFinder
from scoopi.model.data_def import DataDef
from scoopi.model.definitions import Definitions, PluginDef
from scoopi.model.inputs import NO_INPUTS, Inputs
from scoopi.model.records.record_def import RecordDef
from scoopi.model.sites import SiteBlock
from scoopi.model.text.host_name import host_pattern
from scoopi.model.text.output_path import is_too_long
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_reader import check_data_def
from scoopi.plugins.builtin_scripts import BasicScript
from scoopi.plugins.builtins import finder_of
from scoopi.plugins.plugin_files import file_digest
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.plugins.plugin_ports import LIST_PREFIX, Appender
from scoopi.publishing.output_faults import OutputFaults, file_path_fault
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.rows.defs_files import page_check
from scoopi.runs.rows.query_rows import QueryLimits
from scoopi.runs.rows.row_sources import RowSources
from scoopi.runs.rows.run_outputs import RunOutputs
from scoopi.runs.run_request import RunRequest
from scoopi.script.script_text import script_text
from scoopi.steps.step import Step

log = logging.getLogger(__name__)

STEP = "scoopi.steps.step.Step"
MADE_UP_NODE = "0" * 8
"""A node id with the length of a generated one."""


class DefsComposer:
    """Composes the definitions of a run, with checks that need other rooms.

    Reports the errors of all files at once, before anything is started.

    Args:
        finder: finds plugins, as the run will.
        current_folder: folder in which script files are searched first.
        inputs: the values of `%{input.NAME}`.
        output: the folder of the runs' folders, whose outputs definitions may read.
        limits: when a query that lists pages is given up.
    """

    def __init__(
        self,
        configs: Configs,
        finder: PluginFinder,
        current_folder: Path,
        inputs: Inputs = NO_INPUTS,
        output: Path = Path("output"),
        limits: QueryLimits | None = None,
    ) -> None:
        self._configs = configs
        self._finder = finder
        self._current = current_folder
        self._inputs = inputs
        self._rows = RunOutputs(output), limits or QueryLimits(QuerySettings.of(configs).timeout_s)
        self._scripts: dict[str, str] = {}
        self._is_of_cluster = any(map(configs.text, ("scoopi.cluster.addresses", "scoopi.cluster.store")))

    @classmethod
    def of(cls, request: RunRequest, configs: Configs, finder: PluginFinder | None = None) -> DefsComposer:
        """The composer for the definitions of a request; `finder` if the caller needs it, too."""
        assert request.defs is not None, "the command names definitions"
        finder = finder or finder_of(request.defs.absolute(), Path.cwd())
        limits = QueryLimits(QuerySettings.of(configs).timeout_s, request.is_stopped, request.interrupting)
        return cls(configs, finder, Path.cwd(), request.inputs, request.output, limits)

    def compose(self, defs: Path) -> Definitions:
        """The definitions; warnings are logged.

        Raises:
            DefsError: contains the whole report.
        """
        definitions, report = self.check(defs)
        report.raise_if_errors()
        for warning in report.warnings:
            log.warning("%s: %s", warning.place, warning.sentence())
        return definitions

    def check(
        self, defs: Path, strict: bool = False, *, with_pages: bool = False
    ) -> tuple[Definitions, Report]:
        """The definitions, which are unusable if the report has errors, and the report.

        Args:
            strict: treat warnings as errors.
            with_pages: also check that the local files of locators exist.
        """
        return read_definitions(
            defs,
            default_steps=self._configs.text("scoopi.defs.defaultSteps"),
            checkers=self._checkers(defs.absolute(), with_pages),
            strict=strict,
            site_files=self._configs.site_files,
            inputs=self._inputs,
        )

    def user_files(self) -> dict[str, str]:
        """Path -> digest of the user's Python and JavaScript files; complete after the check."""
        return {**self._finder.digests(), **self._scripts}

    def _checkers(self, source: Path, with_pages: bool) -> Checkers:
        css, files = CssEngine(), FileFinder(self._current, source)
        outputs = OutputFaults(self._current if with_pages else None)
        return Checkers(
            output=lambda *output: [Fault(error.what, error.hint) for error in outputs.of(*output)],
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

    def _plugin_faults(self, kind: PluginKind, plugin: PluginDef, files: FileFinder) -> list[Fault]:
        if faults := self._finder.check(kind, plugin):
            return [Fault(fault) for fault in faults]
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
        from scoopi.publishing.output_spec import file_of_node

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
                self._scripts[str(path)] = file_digest(body)
            if fault:
                faults.append(Fault(f"{name}: {fault.what}", fault.hint))
        return faults


def as_compared(pattern: str) -> str | Fault:
    """The normalized host pattern of a site, or its fault."""
    try:
        return host_pattern(pattern)
    except ValueError as error:
        return Fault(str(error), 'write a host, as in "*.example.org" or "example.org:8080"')


def conf_sites(site_files: Sequence[str]) -> tuple[SiteBlock, ...]:
    """The sites in settings files.

    Raises:
        DefsError: contains all their errors.
    """
    findings = Findings()
    blocks = read_site_files(site_files, Checkers(host_pattern=as_compared), findings)
    Report(findings.sorted(), tuple(site_files), findings.left_out).raise_if_errors()
    return blocks


def ensure_sites_of(run: Sequence[SiteBlock], site_files: Sequence[str]) -> None:
    """Check that a run was started with the current sites.

    Raises:
        ConfigError: a site has changed, so rows could differ.
        DefsError: as `conf_sites`.
    """
    known = [(block.pattern, block.values) for block in run]
    for block in conf_sites(site_files):
        if (block.pattern, block.values) not in known:
            what = f"the site {block.pattern} has changed since the run began"
            raise ConfigError(what, at=block.place, hint="restore it to continue, or start a new run")


def _xpath_faults(data_def: DataDef) -> SelectorFaults:
    from scoopi.parse.xpath.xpath_engine import XPathEngine

    return [*check_data_def(data_def, XPathEngine())]


def _record_faults(record_def: RecordDef) -> SelectorFaults:
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


def check_definitions(request: RunRequest, strict: bool) -> Report:
    """The report about the request's definitions.

    Raises:
        ConfigError: the settings are invalid.
    """
    assert request.defs is not None, "definitions are what is checked"
    configs = ConfigsComposer(request).compose()
    _, report = DefsComposer.of(request, configs).check(request.defs, strict, with_pages=True)
    return report
