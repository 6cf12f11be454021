"""BUILT_IN_SETS: the steps sets that every run knows.

Source: language, A4, A20, B 4.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from scoopi.defs.scrape.class_names import APPENDER_STEP, CSS_PARSER, FILTER, LOADER, SEEDER, XPATH_PARSER
from scoopi.model.step_def import PluginDef, StepDef

_CSV = PluginDef("csv", "CsvEncoder", {"delimiter": "|", "includeTags": "false"})
_DATA_FILE = PluginDef("dataFile", "FileAppender", {"file": "output/data.txt"}, (_CSV,))


def _steps(parser: str) -> Mapping[str, StepDef]:
    steps = (
        StepDef("seeder", SEEDER, "start", "loader"),
        StepDef("loader", LOADER, "seeder", "parser"),
        StepDef("parser", parser, "loader", "filter"),
        StepDef("filter", FILTER, "parser", "appender"),
        StepDef("appender", APPENDER_STEP, "filter", "end", (_DATA_FILE,)),
    )
    return MappingProxyType({step.name: step for step in steps})


_CSS, _XPATH = _steps(CSS_PARSER), _steps(XPATH_PARSER)

BUILT_IN_SETS: Mapping[str, Mapping[str, StepDef]] = MappingProxyType(
    {"css": _CSS, "xpath": _XPATH, "jsoupDefault": _CSS, "htmlUnitDefault": _XPATH}
)
"""Name -> steps by name."""
