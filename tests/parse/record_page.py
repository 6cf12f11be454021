"""Records of one page in memory, by fields as definitions have them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urljoin

import msgspec

from scoopi.defs.scrape.defs_reader import read_definitions
from scoopi.model.locator import Document, Locator
from scoopi.model.records import Records
from scoopi.model.records.record_def import RecordDef
from scoopi.parse.records.field_reader import RunScript
from scoopi.parse.records.page_facts import PageFacts
from scoopi.parse.records.record_compiler import TaskGroups, compile_records
from scoopi.parse.tree.page import Page, TreeLimits

URL = "https://shop.example/list/a.html"
_REST = {
    "locatorGroups": {"list": "/a.html"},
    "taskGroups": {
        "list": {"t": {"dataDef": "d"}, "lead": {"dataDef": "lead"}},
        "detail": {"t": {"dataDef": "d"}},
    },
}
_LEAD = {"fields": {"x": "b", "title": "b", "tags": "b", "link": {"select": "a @href", "follow": "list"}}}
"""What leads to the pages, with fields that they may take from their parent."""


def record_def(fields: dict[str, Any], **keys: Any) -> RecordDef:
    """A definition as if it had been read from a file."""
    written = {**_REST, "dataDefs": {"d": {"fields": fields, **keys}, "lead": _LEAD}}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "defs.yml"
        file.write_bytes(msgspec.json.encode(written))  # JSON is YAML
        definitions, report = read_definitions(file)
    assert not report.errors, report.text()
    return definitions.record_defs["d"]


def records_of(
    page: str,
    fields: dict[str, Any],
    *,
    parent: dict[str, Any] | None = None,
    groups: TaskGroups | None = None,
    script: RunScript | None = None,
    content_type: str = "",
    **keys: Any,
) -> Records:
    """What is read of a page."""
    reader = compile_records(record_def(fields, **keys), 1000, groups or {})
    return reader.read(page_of(page, content_type), facts_of(parent), script)


def facts_of(parent: dict[str, Any] | None = None) -> PageFacts:
    """What is known of the page."""
    locator, now = Locator("oslo", "list", "/a.html"), datetime(2026, 3, 2, 8, tzinfo=UTC)
    return PageFacts(locator, URL, now, parent or {}, lambda link: urljoin(URL, link))


def page_of(text: str, content_type: str = "") -> Page:
    """A page as it is loaded."""
    locator, now = Locator("oslo", "list", "/a.html"), datetime(2026, 3, 2, 8, tzinfo=UTC)
    return Page(Document(locator, URL, now, None, text.encode(), content_type=content_type), TreeLimits())


def rows_of(page: str, fields: dict[str, Any], **keys: Any) -> list[tuple[Any, ...]]:
    """The rows of a page."""
    return list(records_of(page, fields, **keys).rows)


def value_of(page: str, field: Any, **keys: Any) -> Any:
    """The value of the only field of a page."""
    ((value, *_),) = rows_of(page, {"f": field}, **keys)
    return value
