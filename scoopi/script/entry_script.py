"""EntryScript: the sources of a script as one text that evaluates to its function."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from scoopi.errors import ScriptError
from scoopi.script.sandbox import Sandbox

_BREAK = "\n;\n"


class EntryScript:
    """The sources of a script as one text that evaluates to its function; maps its lines back to the sources.

    Args:
        sources: script texts, in loading order.
        entry_point: the name of the function.
    """

    def __init__(self, sources: Sequence[str], entry_point: str) -> None:
        # One text, so that all see each other's `const`; the first `;` keeps 'use strict' to functions.
        self._text = _BREAK.join(
            ["", *sources, f'typeof {entry_point} === "function" ? {entry_point} : null']
        )
        self._first_lines = list(accumulate((source.count("\n") + 2 for source in sources), initial=3))
        self.entry_point = entry_point

    def load(self, sandbox: Sandbox) -> Sandbox:
        """Load it into a sandbox, by the sandbox's operation `load`, and return the sandbox.

        Raises:
            ScriptError: it fails, or defines no such function.
        """
        if sandbox.call("load", self._text, own_line=self.own_line) is None:
            raise ScriptError(
                f"scripts define no function {self.entry_point}",
                hint="define it, or name another function as entryPoint",
            )
        return sandbox

    def own_line(self, line: int) -> int:
        """Map a line of the whole text to the line within its source; both count from 1."""
        return line - self._first_lines[max(0, bisect_right(self._first_lines, line) - 1)] + 1
