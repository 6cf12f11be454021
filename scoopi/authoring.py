"""What an author of definitions asks: the records of one page, and definitions without their short forms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scoopi.bootstrap.page_parse import PageParse, ParsedPage
from scoopi.defs.scrape.defs_reader import shown_definitions
from scoopi.defs.yaml.report import Report
from scoopi.parse.records.record_inspection import FieldView
from scoopi.runs.run_request import RunRequest

__all__ = ["FieldView", "ParsedPage", "Report", "parse_page", "shown_definitions"]


def parse_page(
    defs: Path,
    page: str,
    *,
    group: str = "",
    data_def: str = "",
    conf: Path | None = None,
    configs: Mapping[str, str],
    environ: Mapping[str, str],
) -> list[ParsedPage]:
    """Read the records of one page, loaded from a file or the network.

    Args:
        page: a path, or an address.
        group: the task group that reads it; empty to find it.
        data_def: the only data definition that counts; empty for all of the group.
    Returns:
        For each data definition the records, and what each field found.
    Raises:
        BootError: the definitions or settings are wrong.
        StepError: the page cannot be loaded or read.
        UsageError: the group is not known.
    """
    request = RunRequest(defs=defs, conf=conf, overrides=configs, environ=environ)
    return PageParse(request, page, group, data_def).read()
