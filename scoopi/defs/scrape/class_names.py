"""Names of built-in classes, and the types of data that steps take and return.

Source: defs/README.md, 4.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from scoopi.defs.scrape.checkers import ChainPluginKind

LOCATOR, PAGE, DATA, RECORDS, NOTHING = "a locator", "a page", "data", "records", "nothing"

SEEDER, LOADER, BROWSER_LOADER = "LocatorSeeder", "PageLoader", "DomLoader"
LOADERS = (LOADER, BROWSER_LOADER)
"""The steps that load a page."""
CSS_PARSER, XPATH_PARSER = "CssParser", "XPathParser"
FILTER, CONVERTER, SCRIPTER = "DataFilter", "DataConverter", "Scripter"
LINK_MAKER, APPENDER_STEP = "LocatorCreator", "DataAppender"
RECORD_PARSER, RECORD_APPENDER = "RecordParser", "RecordAppender"


class StepTypes(NamedTuple):
    """The types of data that a step takes and returns; None stands for any."""

    takes: str | None
    gives: str | None


STEP_CLASSES: Mapping[str, StepTypes] = MappingProxyType(
    {
        SEEDER: StepTypes(None, LOCATOR),
        LOADER: StepTypes(LOCATOR, PAGE),
        BROWSER_LOADER: StepTypes(LOCATOR, PAGE),
        CSS_PARSER: StepTypes(PAGE, DATA),
        XPATH_PARSER: StepTypes(PAGE, DATA),
        FILTER: StepTypes(DATA, DATA),
        CONVERTER: StepTypes(DATA, DATA),
        LINK_MAKER: StepTypes(DATA, NOTHING),
        SCRIPTER: StepTypes(None, None),
        APPENDER_STEP: StepTypes(DATA, NOTHING),
        RECORD_PARSER: StepTypes(PAGE, RECORDS),
        RECORD_APPENDER: StepTypes(RECORDS, NOTHING),
    }
)
PLUGIN_KINDS: Mapping[str, ChainPluginKind] = MappingProxyType(
    {
        CONVERTER: "converters",
        SCRIPTER: "scripts",
        APPENDER_STEP: "appenders",
        LOADER: "loaders",
        BROWSER_LOADER: "scripts",
    }
)
"""Step class -> the kind of its plugins."""

_PLUGIN_CLASSES = frozenset(
    {
        "DateRoller",
        "DateFormatter",
        "BasicScript",
        "FileAppender",
        "ListAppender",
        "CsvEncoder",
        "JsonlEncoder",
    }
)
_OTHER_NAMES = MappingProxyType({"DateFormater": "DateFormatter"})
_PARSERS = MappingProxyType({"jsoup.Parser": CSS_PARSER, "htmlunit.Parser": XPATH_PARSER})
_ANALYZER = "QueryAnalyzer"
_ABSENT = MappingProxyType({"DomScript": "use BasicScript"})


def short_class(name: str) -> str:
    """Return the name of the built-in class that `name` refers to; other names are unchanged.

    >>> short_class("org.codetab.scoopi.step.process.DataFilter"), short_class("my_steps.Clean")
    ('DataFilter', 'my_steps.Clean')
    """
    *packages, last = name.split(".")
    if last in _OTHER_NAMES:
        return _OTHER_NAMES[last]
    if last in STEP_CLASSES or last in _PLUGIN_CLASSES:
        return last
    return _PARSERS.get(".".join([*packages[-1:], last]), name)


def absent_class(name: str) -> tuple[str, str] | None:
    """Return the fault and the hint for a class that only the Java original has; None for others."""
    packages, _, last = name.rpartition(".")
    if not packages:
        return None
    if last == _ANALYZER:
        return "Scoopi has no interactive analyser", "use CssParser or XPathParser"
    if last in _ABSENT:
        return f"there is no class {last}", _ABSENT[last]
    return None
