"""RecordDef: the records to read from a page, one for each matching element, with named fields."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import msgspec

from scoopi.model.downloads import Download
from scoopi.model.locator import LinkBounds
from scoopi.model.place import NOWHERE, Place
from scoopi.model.records.record_schema import ColumnType, RecordSchema
from scoopi.model.text.text_template import placeholders

FieldType = Literal["text", "integer", "decimal", "price", "boolean", "date", "datetime", "url", "json"]
COLUMN_TYPES: Mapping[str, ColumnType] = MappingProxyType(
    {
        "text": ColumnType.TEXT,
        "integer": ColumnType.INTEGER,
        "decimal": ColumnType.DECIMAL,
        "price": ColumnType.DECIMAL,
        "boolean": ColumnType.BOOLEAN,
        "date": ColumnType.DATE,
        "datetime": ColumnType.DATETIME,
        "url": ColumnType.TEXT,
        "json": ColumnType.JSON,
    }
)
"""Type of a field -> that of its column."""
CURRENCY = "_currency"
"""Suffix of the column that holds the currency of a price."""

TEXTS = ("visible", "own", "raw")
HTMLS = ("inner", "outer")
ON_ERRORS = ("missing", "keep", "reject", "fail")
ONCE = ("run", "locator", "false")


PARENT = "parent."
LOCATOR_NAME = "locator.name"


class Selector(msgspec.Struct, frozen=True):
    """A selector or a pattern as written, and where it is defined."""

    text: str
    place: Place = NOWHERE


SAME = ("host", "domain", "any")


class LinkRules(msgspec.Struct, frozen=True):
    """Which addresses of a field are followed, and how far.

    Attributes:
        allow: patterns of which one must be found in an address; empty if any address may be followed.
        deny: patterns of which none may be found in an address.
        same: what an address must share with that of its page: `host`, `domain`, or nothing (`any`).
    """

    allow: tuple[Selector, ...] = ()
    deny: tuple[Selector, ...] = ()
    same: str = "any"
    bounds: LinkBounds = LinkBounds()


class FieldDef(msgspec.Struct, frozen=True):
    """One field, normalized.

    Attributes:
        selects: alternative selectors; the first one that matches is used.
        page: whether the whole page is searched, not only the element of the record.
        label: the text of the label next to the value.
        value: a constant with placeholders.
        parent: a field of the record that led to the page.
        script: a JavaScript expression.
        text: `visible`, `own` or `raw`.
        html: `inner`, `outer`, or empty for text.
        replace: (pattern, replacement) pairs.
        map: the value for each text; empty for no mapping.
        type: the type of the value after `map`.
        column_type: the type of the column; that of the values of `map` if no type is given.
        default: the text that replaces a missing value; None for none.
        is_list: whether the value is the list of all matches, not only the first.
        follow: the task group that loads the pages at its addresses; empty if they are not followed.
        once: how often an address is followed: once per `run`, per `locator`, or each time (`false`).
        links: which of its addresses are followed; None for all.
        download: how the files that its values lead to are downloaded; None if they are not.
    """

    name: str
    selects: tuple[Selector, ...] = ()
    page: bool = False
    label: str | None = None
    value: str | None = None
    parent: str | None = None
    script: str | None = None
    text: str = "visible"
    html: str = ""
    regex: str | None = None
    replace: tuple[tuple[str, str], ...] = ()
    map: dict[str, str] = {}
    type: FieldType = "text"
    column_type: ColumnType = ColumnType.TEXT
    default: str | None = None
    is_list: bool = False
    locale: str | None = None
    formats: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    on_error: str = "missing"
    required: bool = False
    follow: str = ""
    once: str = "run"
    links: LinkRules | None = None
    download: Download | None = None
    place: Place = NOWHERE

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns that it fills: one, or two for a price."""
        return (self.name, self.name + CURRENCY) if self.type == "price" else (self.name,)

    @property
    def parents(self) -> tuple[str, ...]:
        """The names of the fields that it reads of the record that led to the page."""
        if self.parent is not None:
            return (self.parent,)
        names = placeholders(self.value or "")
        return tuple(name.removeprefix(PARENT) for name in names if name.startswith(PARENT))

    @property
    def read_at(self) -> Place:
        """Where its first selector is defined, or else the field."""
        return self.selects[0].place if self.selects else self.place


class SourceDef(msgspec.Struct, frozen=True):
    """The part of the page that `each` and the fields read.

    Attributes:
        kind: `html`, `json`, `jsonld`, `microdata`, `opengraph`, `sitemap`, `feed` or `script`.
        script: the selector of the script element.
        js: whether the element holds a JavaScript object, not JSON.
    """

    kind: str = "html"
    script: str = ""
    js: bool = False
    place: Place = NOWHERE

    @property
    def is_html(self) -> bool:
        """Whether the selectors are CSS or XPath, not JMESPath."""
        return self.kind == "html"


class RecordDef(msgspec.Struct, frozen=True):
    """The records to read from a page: one for each element that `each` matches, or one for the whole page.

    Attributes:
        time_zone: the time zone of date-times without one; empty for that of the run.
        digest: the blake2b-128 hex digest of the effective definition, without its places.
    """

    name: str
    schema: RecordSchema
    fields: tuple[FieldDef, ...]
    each: Selector | None = None
    source: SourceDef = SourceDef()
    time_zone: str = ""
    digest: str = ""
    place: Place = NOWHERE

    @property
    def parents(self) -> tuple[str, ...]:
        """The names of the fields that it reads of the record that led to a page, sorted."""
        return tuple(sorted({name for field in self.fields for name in field.parents}))

    @property
    def uses_locator(self) -> bool:
        """Whether its records may depend on the locator from which a page was reached."""
        values = [field.value or "" for field in self.fields]
        values += [field.download.to for field in self.fields if field.download is not None]
        in_meta = any(column.name == "locator" for column in self.schema.meta)
        return in_meta or self.has_scripts or any(LOCATOR_NAME in placeholders(value) for value in values)

    @property
    def has_downloads(self) -> bool:
        """Whether the values of a field lead to files that are downloaded."""
        return any(field.download is not None for field in self.fields)

    @property
    def has_scripts(self) -> bool:
        """Whether a field is read by JavaScript."""
        return any(field.script is not None for field in self.fields)
