"""Functions for authors of definitions: load one page, read its records, show the settings of its host."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.defs.scrape.defs_reader import shown_definitions
from scoopi.defs.yaml.report import Report
from scoopi.model.inputs import NO_INPUTS, Inputs
from scoopi.pages.page_parse import PageParse, ParsedPage
from scoopi.parse.records.record_inspection import FieldView
from scoopi.runs.run_request import RunRequest

if TYPE_CHECKING:
    from scoopi.model.report.fetched_page import FetchedPage
    from scoopi.model.sites import SiteView

__all__ = ["FieldView", "ParsedPage", "Report", "fetch", "parse_page", "shown_definitions", "site_view"]


def parse_page(
    defs: Path,
    page: str,
    *,
    group: str = "",
    data_def: str = "",
    conf: Path | None = None,
    configs: Mapping[str, str],
    environ: Mapping[str, str],
    inputs: Inputs = NO_INPUTS,
) -> list[ParsedPage]:
    """Read the records of one page, loaded from a file or the network.

    Args:
        page: a path, or an address.
        group: the task group that reads it; empty to find it.
        data_def: the only data definition to read; empty for all of the group.
    Returns:
        For each data definition the records, and what each field found.
    Raises:
        BootError: the definitions or settings are wrong.
        StepError: the page cannot be loaded or read.
        UsageError: the group is not known.
    """
    request = RunRequest(defs=defs, conf=conf, overrides=configs, environ=environ, inputs=inputs)
    return PageParse(request, page, group, data_def).read()


def site_view(
    url: str,
    defs: Path | None,
    conf: Path | None,
    configs: Mapping[str, str],
    environ: Mapping[str, str],
    inputs: Inputs = NO_INPUTS,
) -> SiteView:
    """Return the settings for requests to the host of a URL, and where each was written.

    Args:
        defs: definitions whose `sites` apply, too.
        conf: a file of settings.
        configs: further settings, by key.
        environ: the environment variables.
    Raises:
        UsageError, FetchError: it is not a web address.
        ConfigError, DefsError: settings or definitions are wrong.
    """
    from scoopi.pages.site_view import site_view as view

    return view(RunRequest(defs=defs, conf=conf, overrides=configs, environ=environ, inputs=inputs), url)


def fetch(
    url: str,
    defs: Path | None,
    configs: Mapping[str, str],
    conf: Path | None,
    environ: Mapping[str, str],
    inputs: Inputs = NO_INPUTS,
    group: str = "",
) -> FetchedPage:
    """Load one page as the engine does; see `scoopi.pages.page_fetch.fetch_page`.

    Args:
        defs: definitions whose `sites` apply; a locator with this address determines the request.
        configs: settings, by key.
        conf: a file of settings.
        environ: the environment variables.
        group: the task group whose loader loads the page; by default that of the locator.
    """
    from scoopi.pages.page_fetch import fetch_page as load

    request = RunRequest(defs=defs, conf=conf, overrides=configs, environ=environ, inputs=inputs)
    return load(request, url, group)
