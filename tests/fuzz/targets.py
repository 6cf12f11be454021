"""TARGETS: all that is fuzzed."""

from __future__ import annotations

from tests.fuzz.definition_target import DefinitionTarget
from tests.fuzz.grid_target import GridTarget
from tests.fuzz.http_target import HttpTarget
from tests.fuzz.page_target import PageTarget
from tests.fuzz.script_target import ScriptTarget

TARGETS = (DefinitionTarget, PageTarget, ScriptTarget, HttpTarget, GridTarget)
