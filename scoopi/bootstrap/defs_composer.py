"""DefsComposer: composes the definitions of a run, and checks them and the sites of its settings."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from scoopi.bootstrap.defs_checks import DefsChecks, as_compared
from scoopi.configs.configs import Configs
from scoopi.configs.groups import QuerySettings
from scoopi.defs.scrape.checkers import Checkers
from scoopi.defs.scrape.defs_reader import read_definitions
from scoopi.defs.sites.site_reader import read_site_files
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.report import Report
from scoopi.errors import ConfigError
from scoopi.model.inputs import NO_INPUTS, Inputs
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.sites import SiteBlock
from scoopi.plugins.builtins import finder_of
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.rows.query_rows import QueryLimits
from scoopi.runs.rows.run_outputs import RunOutputs
from scoopi.runs.run_request import RunRequest

log = logging.getLogger(__name__)


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
        self._inputs = inputs
        rows = RunOutputs(output), limits or QueryLimits(QuerySettings.of(configs).timeout_s)
        self._checks = DefsChecks(configs, finder, current_folder, rows)

    @classmethod
    def of(cls, request: RunRequest, configs: Configs, finder: PluginFinder | None = None) -> DefsComposer:
        """Make the composer for the definitions of a request.

        Args:
            finder: finds plugins; None: made here.
        """
        assert request.defs is not None, "the command names definitions"
        finder = finder or finder_of(request.defs.absolute(), Path.cwd())
        limits = QueryLimits(QuerySettings.of(configs).timeout_s, request.is_stopped, request.interrupting)
        return cls(configs, finder, Path.cwd(), request.inputs, request.output, limits)

    def compose(self, defs: Path) -> Definitions:
        """Read and check definitions, and log the warnings.

        Args:
            defs: a file or a folder.

        Raises:
            DefsError: there are errors; contains the whole report.
        """
        definitions, report = self.check(defs)
        report.raise_if_errors()
        for warning in report.warnings:
            log.warning("%s: %s", warning.place, warning.sentence())
        return definitions

    def check(
        self, defs: Path, strict: bool = False, *, with_pages: bool = False
    ) -> tuple[Definitions, Report]:
        """Read and check definitions.

        Args:
            defs: a file or a folder.
            strict: treat warnings as errors.
            with_pages: also check that the local files of locators exist.

        Returns:
            The definitions, which are unusable if the report has errors, and the report.
        """
        return read_definitions(
            defs,
            default_steps=self._configs.text("scoopi.defs.defaultSteps"),
            checkers=self._checks.checkers(defs.absolute(), with_pages),
            strict=strict,
            site_files=self._configs.site_files,
            inputs=self._inputs,
        )

    def user_files(self) -> dict[str, str]:
        """Path -> digest of the user's Python and JavaScript files; complete after the check."""
        return {**self._finder.digests(), **self._checks.scripts}


def conf_sites(site_files: Sequence[str]) -> tuple[SiteBlock, ...]:
    """Read the `sites` of settings files.

    Args:
        site_files: paths of the files.

    Raises:
        DefsError: contains all of their errors.
    """
    findings = Findings()
    blocks = read_site_files(site_files, Checkers(host_pattern=as_compared), findings)
    Report(findings.sorted(), tuple(site_files), findings.left_out).raise_if_errors()
    return blocks


def ensure_sites_of(run: Sequence[SiteBlock], site_files: Sequence[str]) -> None:
    """Check that the sites in settings files are the same as when a run began.

    Args:
        run: the sites of the run.
        site_files: paths of the settings files.

    Raises:
        ConfigError: a site has changed, so rows could differ.
        DefsError: as `conf_sites`.
    """
    known = [(block.pattern, block.values) for block in run]
    for block in conf_sites(site_files):
        if (block.pattern, block.values) not in known:
            what = f"the site {block.pattern} has changed since the run began"
            raise ConfigError(what, at=block.place, hint="restore it to continue, or start a new run")


def check_definitions(request: RunRequest, strict: bool) -> Report:
    """Check a request's definitions, and that the local files of their locators exist.

    Args:
        strict: treat warnings as errors.

    Raises:
        ConfigError: the settings are invalid.
    """
    assert request.defs is not None, "definitions are what is checked"
    configs = ConfigsComposer(request).compose()
    _, report = DefsComposer.of(request, configs).check(request.defs, strict, with_pages=True)
    return report
