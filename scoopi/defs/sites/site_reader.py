"""read_site_files: reads the section `sites` of conf files, which has the same keys as in definitions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scoopi.defs.scrape.checkers import Checkers
from scoopi.defs.sites.site_builder import SiteBuilder
from scoopi.defs.sites.site_language import SITES
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table
from scoopi.defs.yaml.shape_checker import ShapeChecker
from scoopi.defs.yaml.source_files import SourceText
from scoopi.model.sites import SiteBlock

SECTION = "sites"


def read_site_files(files: Sequence[str], checkers: Checkers, findings: Findings) -> tuple[SiteBlock, ...]:
    """Read the blocks of all files in order; errors are added to the findings."""
    builder = SiteBuilder(checkers, findings)
    return tuple(block for file in files for block in builder.blocks(_section(file, findings)))


def _section(file: str, findings: Findings) -> Table | None:
    from scoopi.defs.yaml.yaml_file import YamlFile  # late: most runs have no such file

    text = SourceText(Path(file), findings).read()
    if text is None:
        return None
    findings.add_source(file, text)
    root = YamlFile(text, file, findings).read()
    section = None if root is None else root.entries.get(SECTION)
    if root is not None and section is not None:
        ShapeChecker(findings).check(section, SITES, SECTION, root.keys[SECTION])
    return section if isinstance(section, Table) else None
