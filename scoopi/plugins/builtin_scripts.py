"""BasicScript: describes a JavaScript function for a script step."""

from __future__ import annotations

import re

from scoopi.errors import PluginError

_NAME = re.compile(r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*", re.ASCII)
_FILE = re.compile(r"\s*(?P<address>[^\s;(){}][^\n;(){}]*\.js)\s*")
"""A `script` that is the address of a file: as code such a text could do nothing."""


class BasicScript:
    """Describes a JavaScript function for a script step.

    Its fields: a script (text, or address of a file), more files, and the function to call.

    Attributes:
        script: the text that runs first; empty if all sources are files.
        scripts: addresses of script files, in the order of their loading.
        entry_point: name of the function.
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
