"""LANGUAGE: every key of the language of definitions, declared once.

Source: defs/README.md, 1.3 to 1.7.
"""

from __future__ import annotations

from scoopi.defs.browser.browser_language import BROWSER
from scoopi.defs.locators.source_reader import FROM_KEY
from scoopi.defs.records.download_language import DOWNLOAD_KEY
from scoopi.defs.records.link_language import LINK_KEYS, LIST_KEYS
from scoopi.defs.records.record_language import MARKS, OUTPUT, RECORD_DEF
from scoopi.defs.sites.budget_language import BUDGET_RECORD
from scoopi.defs.sites.site_language import SITES
from scoopi.defs.yaml.shape import (
    Either,
    Free,
    Key,
    Kind,
    ListOf,
    NameOr,
    Record,
    Scalar,
    StepsSet,
    TextOrTexts,
)

_TEXT, _NAME, _INTEGER, _BOOL = Scalar(Kind.TEXT), Scalar(Kind.NAME), Scalar(Kind.INTEGER), Scalar(Kind.BOOL)
_TEXTS = ListOf(_TEXT)

LOCATOR = Record(
    (
        Key("name", _NAME, "First column of the page's rows; need not be unique.", "name: oslo", True),
        Key("url", _NAME, "The page's address: http, https, file or a path.", "url: /pages/oslo.html", True),
        Key(
            "method",
            _NAME,
            "GET, POST, PUT or PATCH; default: POST with form or json, else GET.",
            "method: POST",
        ),
        Key(
            "params",
            Record(others=TextOrTexts(), called="parameter"),
            "Parameters of the address; a list repeats one.",
            "params: { q: bikes, tag: [ new, used ] }",
        ),
        Key(
            "headers",
            Record(others=_TEXT, called="header"),
            "Headers of this request, beside those of its site.",
            'headers: { Accept: "application/json" }',
        ),
        Key(
            "form",
            Record(others=TextOrTexts(), called="field"),
            "The fields of a form to send.",
            "form: { city: oslo, page: 2 }",
        ),
        Key("json", Free(), "A JSON document to send: a mapping, or a text.", "json: { page: 2 }"),
        Key(
            "idempotent",
            _BOOL,
            "Whether a POST or PATCH may be sent again although the server may have received it.",
            "idempotent: true",
        ),
        FROM_KEY,
        Key(
            "values",
            Record(others=Free(), called="value"),
            "The values of the locator's placeholders; each combination is a page.",
            "values: { n: 1-50, shop: [ oslo, bergen ] }",
        ),
    ),
    values_for="url",
)
LOCATOR_GROUP = Record(
    (
        Key(
            "locators",
            ListOf(LOCATOR, unique=True),
            "Pages that the group's tasks run on.",
            "locators: [ { name: oslo, url: /pages/oslo.html } ]",
        ),
        *LIST_KEYS,
    ),
    short="an address, or a list of addresses",
)

FILTER = Record(
    (
        Key("type", _TEXT, "What is compared: value or match.", "type: value", True),
        Key("pattern", _TEXT, "A text, or a regular expression for the whole value.", 'pattern: ""', True),
    )
)
ITEM = Record(
    (
        Key("name", _NAME, "Name of the entry; unique within the data definition.", "name: price", True),
        Key("value", _TEXT, "A constant.", "value: EUR"),
        Key("match", _TEXT, "Text for use in selectors; also the value.", "match: Price"),
        Key(
            "script",
            _TEXT,
            "A JavaScript expression whose result is the value.",
            "script: configs.getRunDate()",
        ),
        Key("selector", _TEXT, "Where in the block the value is.", "selector: td:nth-child(%{index})"),
        Key("index", _INTEGER, "Index; with breakAfter the first index. Default: 1.", "index: 2"),
        Key(
            "indexRange",
            Scalar(Kind.RANGE),
            "Indexes, from-to; without `to` the range is open.",
            "indexRange: 2-6",
        ),
        Key("breakAfter", _TEXTS, "Values after which the range ends.", 'breakAfter: [ "Total" ]'),
        Key(
            "order", _INTEGER, "A number for use in selectors; default: the position in its list.", "order: 1"
        ),
        Key(
            "filters",
            ListOf(FILTER, wrapper="filter"),
            "Drop a row if one of them matches.",
            'filters: [ filter: { type: value, pattern: "" } ]',
        ),
        Key(
            "prefix",
            _TEXTS,
            "Texts put before the value, one after another; the last one comes first.",
            'prefix: [ "/pages/" ]',
        ),
        Key("linkGroup", _NAME, "The task group of the page that the value leads to.", "linkGroup: nextPage"),
        Key(
            "linkBreakOn",
            _TEXTS,
            "Values that make no link: texts, or regular expressions for the whole value.",
            'linkBreakOn: [ "/pages/9.html", ".*/archive/.*" ]',
        ),
        Key(
            "once",
            _BOOL,
            "Whether a page with several links to it is read only once per locator.",
            "once: true",
        ),
        DOWNLOAD_KEY,
    )
)
_ITEMS = ListOf(ITEM, wrapper="item", unique=True)
QUERY = Record(
    (
        Key("block", _NAME, "The part of the page that selectors search.", 'block: "table#prices"', True),
        Key("selector", _TEXT, "Where in the block the fact is.", 'selector: "td:nth-child(2)"'),
    )
)
DATA_DEF = Record(
    (
        Key(
            "query",
            QUERY,
            "The block of all selectors, and the selector of the fact.",
            'query: { block: "table#prices", selector: "td:nth-child(2)" }',
            True,
        ),
        Key("items", _ITEMS, "Entries that make the rows.", "items: [ item: { name: price } ]", True),
        Key(
            "dims",
            _ITEMS,
            "Further columns, each with an index of its own.",
            "dims: [ item: { name: year } ]",
        ),
        Key(
            "facts",
            _ITEMS,
            "Last column; default: one fact, found by query.selector.",
            "facts: [ item: { name: price } ]",
        ),
    )
)

_CLASS = Key("class", _NAME, "A built-in class, or one of a plugin.", "class: DateRoller", True)
_PLUGIN_NAME = Key("name", _NAME, "The plugin's name in messages.", "name: csv", True)
ENCODER = Record((_PLUGIN_NAME, _CLASS), others=Free(), called="field", may_be_empty=True)
PLUGIN = Record(
    (
        _PLUGIN_NAME,
        _CLASS,
        Key(
            "plugins",
            ListOf(ENCODER, wrapper="plugin", tolerant=True, unique=True),
            "The encoder of an appender.",
            "plugins: [ plugin: { name: csv, class: CsvEncoder } ]",
        ),
    ),
    others=Free(),
    called="field",
    may_be_empty=True,
)
STEP = Record(
    (
        Key("class", _NAME, "A built-in step, or one of a plugin.", "class: DataConverter", True),
        Key("previous", _NAME, "The step before it; start for the first.", "previous: filter", True),
        Key("next", _NAME, "The step after it; end for the last.", "next: appender", True),
        Key(
            "plugins",
            ListOf(PLUGIN, wrapper="plugin", tolerant=True, unique=True),
            "What the step uses: converters, scripts, appenders, a loader.",
            "plugins: [ plugin: { name: out, class: FileAppender, file: data.txt } ]",
        ),
    )
)
OVERRIDES = Record(others=STEP, called="step")
STEPS_SET = StepsSet(Record(others=STEP, called="step"), Record(others=OVERRIDES, called="base steps set"))
PERSIST = Record((Key("data", _BOOL, "Whether parsed data may be saved and reused.", "data: true", True),))
TASK = Record(
    (
        Key("dataDef", _NAME, "The data definition for the page.", "dataDef: prices", True),
        Key(
            "steps",
            NameOr(Record(others=OVERRIDES, called="steps set")),
            "Name of a steps set, or a set with overrides; default: scoopi.defs.defaultSteps.",
            "steps: css",
        ),
        Key("persist", PERSIST, "What is saved of the task.", "persist: { data: true }"),
        Key(
            "output",
            ListOf(OUTPUT, unique=True, or_one=True),
            "Where records are written. Default: a file of the data definition's name, with .jsonl.",
            "output: [ books.csv, books.jsonl ]",
        ),
        *LINK_KEYS,
    )
)
TASK_GROUP = Record(
    (
        Key("live", _TEXT, "How long a loaded page may be reused.", 'live: "P1W"'),
        Key("loader", _TEXT, "What loads the pages: http (default), browser, or auto.", "loader: browser"),
        Key(
            "browser",
            BROWSER,
            "What is done in the browser, and when a page is complete, with `loader: browser` or `auto`.",
            'browser: { until: { selector: "table.prices" } }',
        ),
        Key(
            "changed",
            _BOOL,
            "Whether only records that differ from the last finished run are written.",
            "changed: true",
        ),
        Key(
            "budget",
            BUDGET_RECORD,
            "The limits of a run for the group; further pages are skipped.",
            "budget: { pages: 1000, time: 600 }",
        ),
    ),
    others=TASK,
    called="task",
    entry="{ dataDef: prices }",
)

LANGUAGE = Record(
    (
        Key(
            "locatorGroups",
            Record(others=LOCATOR_GROUP, called="locator group", entry='"https://shop.example/"'),
            "Which pages are read, by group.",
            "locatorGroups: { news: { locators: [ { name: today, url: /pages/today.html } ] } }",
            True,
        ),
        Key(
            "taskGroups",
            Record(others=TASK_GROUP, called="task group", entry="{ prices: { dataDef: prices } }"),
            "What is done with the pages of the locator group (or link group) of the same name.",
            "taskGroups: { news: { headlines: { dataDef: headlines } } }",
            True,
        ),
        Key(
            "dataDefs",
            Record(
                others=Either(DATA_DEF, RECORD_DEF, MARKS),
                called="data definition",
                entry='{ each: ".offer", fields: { price: ".price" } }',
            ),
            "What is read from a page.",
            'dataDefs: { headlines: { query: { block: "h2" }, items: [ item: { name: title } ] } }',
            True,
        ),
        Key(
            "steps",
            Record(others=STEPS_SET, called="steps set", may_be_empty=True),
            "Chains of steps; css and xpath are built in.",
            "steps: { mySteps: { css: { … } } }",
        ),
        Key(
            "sites",
            SITES,
            "How requests to hosts are made, by host pattern.",
            'sites: { "*.example.org": { delay: 250 } }',
        ),
    )
)
