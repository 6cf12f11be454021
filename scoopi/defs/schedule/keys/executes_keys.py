"""The keys of what a process executes."""

from __future__ import annotations

import re
from typing import Any

from scoopi.defs.schedule import kinds
from scoopi.defs.schedule.invalid_value import InvalidValueError
from scoopi.defs.schedule.kinds import choice, integer, list_of, map_of, matched
from scoopi.defs.schedule.schedule_language import Block, BlockKey
from scoopi.model.schedule.process import EXTERNAL
from scoopi.model.text.shown import nearest

EXECUTABLES = ("scrape", "command", "python", EXTERNAL)
"""Kinds of executables."""
LATER_EXECUTABLES = ("flow", "operation", "decision")
"""Kinds of executables that this version does not support yet."""
_PATH = matched(re.compile(r"(?!/)[^#]+(#[^#]+)?"), "a path in the project, and perhaps #group,…")


def _executes(text: str) -> dict[str, Any]:
    """The keys of the short form `KIND:WHAT`."""
    kind, colon, what = text.partition(":")
    if colon and kind in (*EXECUTABLES, *LATER_EXECUTABLES):
        return {kind: what}
    near = nearest(kind, EXECUTABLES)
    hint = f"write KIND:WHAT; KIND is one of {', '.join(EXECUTABLES)}"
    raise InvalidValueError(f"is {text!r}", hint, near=f"{near}:{what or 'WHAT'}" if near else "")


ACCEPT = Block(
    (
        BlockKey("failed_pages", kinds.SHARE_OR_COUNT, "The most pages that may fail.", '"5 %"', '"some"'),
        BlockKey("min_rows", integer(0), "The least number of rows.", "10", '"5 %"'),
        BlockKey(
            "less_than_last",
            kinds.SHARE,
            "The largest decrease of the number of rows since the last succeeded slot.",
            '"40 %"',
            "40",
        ),
    ),
    dict,
)
EXECUTES = Block(
    (
        BlockKey(
            "scrape",
            _PATH,
            "Folder of the definitions of a scrape, and perhaps the locator groups that it reads.",
            "books#list",
            "/books",
        ),
        BlockKey(
            "command",
            list_of(kinds.TEXT),
            "A program and its arguments; there is no shell.",
            "[bin/load, fast]",
            "bin/load",
        ),
        BlockKey(
            "python",
            kinds.FUNCTION_NAME,
            "A function of the project or of an installed package.",
            "actions:load",
            "load",
        ),
        BlockKey(
            EXTERNAL, kinds.PLAIN_NAME, "A name for work that registered workers execute.", "press", "a b"
        ),
        BlockKey(
            "accept",
            ACCEPT,
            "When a scrape counts as succeeded.",
            '{failed_pages: "5 %", min_rows: 10}',
            "{pages: 1}",
            "scrape: books",
        ),
        BlockKey(
            "nodes",
            integer(1, 1000),
            "Number of nodes of a scrape's run; several need a shared store.",
            "3",
            "0",
            "scrape: books",
        ),
        BlockKey(
            "exit_codes",
            kinds.EXIT_CODES,
            "Outcomes by exit code; any other code except 0 is a failure.",
            "{3: noop}",
            "{0: noop}",
            "command: [bin/load]",
        ),
        BlockKey(
            "env",
            map_of(re.compile(r"[A-Za-z_]\w*", re.ASCII), kinds.TEXT),
            "Environment variables of the command or function; a command gets secrets only by these.",
            "{TOKEN: '${env:TOKEN}'}",
            "[a]",
            "command: [bin/load]",
        ),
        BlockKey(
            "cwd",
            choice("work", "project"),
            "Current folder of the command or function: the attempt's own folder, or the project.",
            "project",
            "home",
            "command: [bin/load]",
        ),
    ),
    dict,
    short=_executes,
    later=dict.fromkeys(LATER_EXECUTABLES),
)
