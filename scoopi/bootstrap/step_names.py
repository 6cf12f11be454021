"""The names that a step's `class:` may have."""

from __future__ import annotations

SEEDER = "LocatorSeeder"
LOADER = "PageLoader"
CSS_PARSER = "CssParser"
XPATH_PARSER = "XPathParser"
FILTER = "DataFilter"
CONVERTER = "DataConverter"
LINKER = "LocatorCreator"
SCRIPTER = "Scripter"
APPENDER = "DataAppender"

BUILT_IN_STEPS = (
    SEEDER,
    LOADER,
    CSS_PARSER,
    XPATH_PARSER,
    FILTER,
    CONVERTER,
    LINKER,
    SCRIPTER,
    APPENDER,
)
