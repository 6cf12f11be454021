"""RECORD_DEF: every key of a record definition.

Source: defs/README.md, 6.
"""

from __future__ import annotations

from typing import get_args

from scoopi.defs.records.download_language import DOWNLOAD_KEY
from scoopi.defs.records.link_language import LINKS, ONCE_KEY, SELECTS
from scoopi.defs.yaml.shape import Key, Kind, ListOf, NameOr, Record, Scalar
from scoopi.model.records.record_def import HTMLS, ON_ERRORS, TEXTS, FieldType
from scoopi.model.records.record_schema import META_COLUMNS

_TEXT, _NAME, _BOOL = Scalar(Kind.TEXT), Scalar(Kind.NAME), Scalar(Kind.BOOL)
SOURCES = ("html", "json", "jsonld", "microdata", "opengraph", "sitemap", "feed")
FIELD = Record(
    (
        Key(
            "select",
            SELECTS,
            "CSS or XPath (with a `source`, JMESPath); a trailing `@name` takes an attribute. "
            "Of several the first that matches counts.",
            'select: "h3 > a @title"',
        ),
        Key("page", _BOOL, "Search the whole page, not only the element of the record.", "page: true"),
        Key("label", _NAME, "Read the value beside the label with this text.", "label: UPC"),
        Key("value", _TEXT, "A constant with placeholders.", 'value: "%{page.url}"'),
        Key("parent", _NAME, "A field of the record that led to this page.", "parent: title"),
        Key(
            "script",
            _NAME,
            "A JavaScript expression; the fields before it are in `record`.",
            "script: record.net * 1.19",
        ),
        Key(
            "text",
            Scalar(Kind.NAME, TEXTS),
            "Text as a reader sees it, the element's own text only, or as in the source of the page. "
            "Default: visible.",
            "text: own",
        ),
        Key("html", Scalar(Kind.NAME, HTMLS), "Take the markup inside, or with, the element.", "html: inner"),
        Key(
            "regex",
            _NAME,
            "Keep the first group of the first match, or the whole match; no match counts as missing.",
            'regex: "\\\\d+"',
        ),
        Key(
            "replace",
            ListOf(ListOf(_TEXT)),
            "Pairs of a pattern and its replacement, applied in order; `$1` is a group.",
            'replace: [ ["\\\\s+", " "] ]',
        ),
        Key(
            "map",
            Record(others=_TEXT, called="value"),
            "The value for each text; other texts cannot be converted.",
            "map: { One: 1, Two: 2 }",
        ),
        Key(
            "type",
            Scalar(Kind.NAME, get_args(FieldType)),
            "The type of the value. Default: text.",
            "type: price",
        ),
        Key("default", _TEXT, "Replaces a missing value.", "default: 0"),
        Key("list", _BOOL, "Keep all matches, not only the first.", "list: true"),
        Key(
            "locale",
            _NAME,
            "Language of a number's separators; otherwise they are inferred from the text.",
            "locale: de",
        ),
        Key(
            "formats",
            ListOf(_NAME, or_one=True),
            "Patterns of a date with strptime directives or Java letters.",
            'formats: "%d.%m.%Y"',
        ),
        Key(
            "languages",
            ListOf(_NAME, or_one=True),
            "Languages of a date without `formats`.",
            "languages: [ de, en ]",
        ),
        Key(
            "onError",
            Scalar(Kind.NAME, ON_ERRORS),
            "What becomes of a value that cannot be converted, or whose file cannot be downloaded: missing, "
            "kept as text, its record rejected, or the task fails. Default: missing.",
            "onError: reject",
        ),
        Key("required", _BOOL, "A record without a value here is rejected.", "required: true"),
        Key("follow", _NAME, "The task group of the page that the value leads to.", "follow: detail"),
        ONCE_KEY,
        Key(
            "links",
            LINKS,
            "Which of the field's addresses are followed. Default: all.",
            "links: { same: host }",
        ),
        DOWNLOAD_KEY,
    ),
    short="a selector, or a list of selectors",
)
SOURCE = Record(
    (
        Key(
            "script",
            _NAME,
            "Selector of the script element that holds the data.",
            'script: "#__NEXT_DATA__"',
            True,
        ),
        Key("js", _BOOL, "Whether it holds a JavaScript object, not JSON. Default: false.", "js: true"),
    )
)
OUTPUT = Record(
    (
        Key("to", _NAME, "Name of a file, a URL, or - for stdout.", "to: books.csv", True),
        Key(
            "stream",
            _BOOL,
            "Load a database during the run although its records have an expectation. Default: false.",
            "stream: true",
        ),
    ),
    short="a name or URL",
)
RECORD_DEF = Record(
    (
        Key(
            "each",
            _NAME,
            "One record for each element that this selector finds; without it one for each page.",
            'each: "li.card"',
        ),
        Key(
            "fields",
            Record(others=FIELD, called="field"),
            "The fields of a record, by name; the columns are in this order.",
            'fields: { title: "h3" }',
            True,
        ),
        Key(
            "source",
            NameOr(SOURCE, SOURCES),
            "The part of the page that `each` and the fields read. Default: html.",
            "source: json",
        ),
        Key("key", ListOf(_NAME, or_one=True), "Fields that identify a record.", "key: [ link ]"),
        Key(
            "expect",
            Record(others=_TEXT, called="expectation"),
            "The number of `records` that a run must yield, and the share of them with a value of a field.",
            'expect: { records: "20-", price: "95 %" }',
        ),
        Key(
            "meta",
            ListOf(Scalar(Kind.NAME, tuple(META_COLUMNS)), or_one=True),
            "Columns before the fields.",
            "meta: [ page, fetchedAt ]",
        ),
        Key(
            "timeZone",
            _NAME,
            "Time zone of the page's dates that have none. Default: that of the run.",
            "timeZone: Europe/Berlin",
        ),
    )
)
MARKS = frozenset({"fields", "each"})
"""Keys that only data definitions of records have."""
