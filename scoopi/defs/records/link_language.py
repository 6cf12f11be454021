"""LINK_KEYS: the keys of tasks and fields that select the links to follow.

Source: defs/README.md, 6.1.
"""

from __future__ import annotations

from scoopi.defs.locators.source_reader import ROWS_OR_FILE
from scoopi.defs.yaml.shape import Key, Kind, ListOf, Record, Scalar, TextOrTexts
from scoopi.model.records.record_def import ONCE, SAME

_NAME, _INTEGER = Scalar(Kind.NAME), Scalar(Kind.INTEGER)
SELECTS = ListOf(_NAME, or_one=True)
ONCE_KEY = Key(
    "once",
    Scalar(Kind.NAME, ONCE),
    "Whether the page is read once per run, once per locator, or for each link. Default: run.",
    "once: locator",
)
_ALLOW = Key(
    "allow",
    SELECTS,
    "Patterns of which one must be found in an address that is followed.",
    'allow: "/books/\\d+"',
)
_DENY = Key(
    "deny",
    SELECTS,
    "Patterns of which none may be found in an address that is followed.",
    "deny: [ /login, sort= ]",
)
_SAME_SENTENCE = "What an address must share with that of its page: its host, its domain, or nothing"
_DEPTH = Key("depth", _INTEGER, "The most links from a locator to a page.", "depth: 3")
_UNTIL = Key(
    "until",
    SELECTS,
    "Where a list ends although a link leads on: `no-new-items`, after a page with only items of earlier "
    "pages; `older-than DAY`, after one whose items are all older; `seen`, at a page read before (always).",
    "until: [ no-new-items, older-than today-30 ]",
)
_BY = Key(
    "by", _NAME, "The field that `older-than` compares. Default: the only one that is a day.", "by: posted"
)
LINKS = Record(
    (
        _ALLOW,
        _DENY,
        Key("same", Scalar(Kind.NAME, SAME), f"{_SAME_SENTENCE}. Default: any.", "same: host"),
        _DEPTH,
        Key("pages", _INTEGER, "The most pages of a pagination, the first included.", "pages: 20"),
        _UNTIL,
        _BY,
    )
)
FOLLOW = Record(
    (
        Key("select", SELECTS, "Where the links are.", 'select: "li.next > a @href"', True),
        Key("group", _NAME, "The task group of the pages that they lead to.", "group: list", True),
        ONCE_KEY,
    )
)
CRAWL = Record(
    (
        Key("select", SELECTS, "Where the links are. Default: all of the page.", 'select: "nav a @href"'),
        Key("group", _NAME, "The task group of the pages. Default: its own.", "group: page"),
        _ALLOW,
        _DENY,
        Key("same", Scalar(Kind.NAME, SAME), f"{_SAME_SENTENCE}. Default: host.", "same: domain"),
        _DEPTH,
        Key(
            "once",
            Scalar(Kind.NAME, ONCE[:2]),
            "Whether a page is read once per run, or once per locator. Default: run.",
            "once: locator",
        ),
    ),
    short="true",
)
NEXT = Record(
    (
        Key("select", SELECTS, "Where the link to the next page is.", 'select: "li.next > a @href"', True),
        Key("group", _NAME, "The task group of the next page. Default: its own.", "group: list"),
        Key("max", _INTEGER, "The most pages, the first included. Default: all.", "max: 20"),
        _UNTIL,
        _BY,
    ),
    short="a selector, or a list of selectors",
)
LINK_KEYS = (
    Key(
        "follow",
        FOLLOW,
        "Links to further pages, in place of a data definition.",
        'follow: { select: "li.next > a @href", group: list }',
    ),
    Key(
        "next",
        NEXT,
        "The link to the next page of a list, in place of a data definition.",
        'next: { select: "li.next > a @href", max: 20 }',
    ),
    Key(
        "crawl",
        CRAWL,
        "Which links of a site are followed, in place of a data definition.",
        'crawl: { same: host, deny: "/login", depth: 4 }',
    ),
)
"""The keys of a task that may replace a data definition."""
LIST_KEYS = (
    Key(
        "from",
        ROWS_OR_FILE,
        "What lists the group's pages, in place of `locators`: `sitemap`, `feed` (RSS, Atom), or a source "
        "with a row for each.",
        "from: sitemap",
    ),
    Key(
        "url",
        _NAME,
        "Address of the sitemap or feed; for a source with a row per page, that of a page "
        "(default: column `url`).",
        'url: "https://shop.example/sitemap.xml"',
    ),
    Key(
        "match",
        TextOrTexts(),
        "Patterns of which one must be found in the address of a page. Default: all pages.",
        "match: /books/",
    ),
    Key(
        "since",
        _NAME,
        "Only pages of a sitemap or feed that have changed since this day.",
        "since: 2026-01-31",
    ),
)
"""The keys of a locator group whose pages are listed elsewhere."""
