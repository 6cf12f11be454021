"""BasicScript: describes a JavaScript function for a script step."""

from __future__ import annotations

import re

from scoopi.errors import PluginError

_NAME = re.compile(r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*", re.ASCII)
_FILE = re.compile(r"\s*(?P<address>[^\s;(){}][^\n;(){}]*\.js)\s*")
"""A `script` that is the address of a file; a text of this form does nothing as code."""


class BasicScript:
    """Describes a JavaScript function for a script step.

    Args:
        script: the code that runs first, or the address of a `.js` file.
        scripts: addresses of further files.
        entry_point: name of the function to call.
    Attributes:
        script: the code that runs first; empty if all sources are files.
        scripts: addresses of script files, in loading order.
    Raises:
        PluginError: there is no script, or `entry_point` is not a function name.
    Source: defs/README.md, 4.5.
    """

    def __init__(
        self, script: str = "", scripts: list[str] | None = None, entry_point: str = "execute"
    ) -> None:
        if not script.strip() and not scripts:
            raise PluginError("BasicScript has nothing to run", hint="give it `script`, `scripts` or both")
        if not _NAME.fullmatch(entry_point):
            raise PluginError(
                f"entryPoint {entry_point!r} is not a valid function name",
                hint="write a name such as execute",
            )
        file = _FILE.fullmatch(script)
        self.script = "" if file else script
        self.scripts = (*([file["address"]] if file else []), *(scripts or ()))
        self.entry_point = entry_point
