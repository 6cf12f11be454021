"""compile_presence: a page has the records of a definition, or may have them in a browser."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scoopi.errors import ParseError
from scoopi.model.locator import Document, Locator
from scoopi.model.records.record_def import FieldDef, RecordDef, Selector, SourceDef
from scoopi.model.records.record_schema import RecordSchema
from scoopi.parse.records.record_presence import compile_presence
from scoopi.parse.tree.page import Page, TreeLimits

TITLE = FieldDef("title", (Selector("b"),))


def has(body: bytes, each: str = "", fields: tuple[FieldDef, ...] = (TITLE,), source: str = "html") -> bool:
    selector = Selector(each) if each else None
    kind = SourceDef(source, "#data" if source == "script" else "")
    definition = RecordDef("offers", RecordSchema("offers", ()), fields, selector, kind)
    locator = Locator("a", "g", "http://h/a")
    document = Document(locator, locator.url, datetime(2026, 1, 1, tzinfo=UTC), None, body)
    return compile_presence(definition, 1000)(Page(document, TreeLimits()))


def test_what_each_finds_counts_and_not_its_fields() -> None:
    assert has(b"<ul><li></ul>", "li")
    assert not has(b"<b>Rye</b>", "li")


def test_without_each_any_field_counts() -> None:
    assert has(b"<b>Rye</b>")
    assert not has(b"<p>Rye")
    assert has(b"<p>", fields=(FieldDef("shop", value="bakery"),)), "nothing is read from the page"


def test_data_that_is_not_there_may_come_late_but_json_does_not_change_in_a_browser() -> None:
    assert not has(b"<p>", "offers", source="script")
    assert not has(b'<script id=data>{"offers": []}</script>', "offers", source="script")
    assert has(b'<script id=data>{"offers": [1]}</script>', "offers", source="script")
    for body, source in ((b'{"a": 1}', "html"), (b"<p>", "json")):
        with pytest.raises(ParseError):
            has(body, "li", source=source)
