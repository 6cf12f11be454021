"""BasicScript: describes a JavaScript function for a script step."""

from __future__ import annotations

import re

from scoopi.errors import PluginError

_NAME = re.compile(r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*", re.ASCII)


class BasicScript:
    """Fields of the plugin: an inline script, addresses of script files, and the function to call.

    Source: language, B 4.5.
    """

    def __init__(
        self, script: str = "", scripts: list[str] | None = None, entry_point: str = "execute"
    ) -> None:
        if not script.strip() and not scripts:
            raise PluginError("BasicScript has nothing to run", hint="give it `script`, `scripts` or both")
        if not _NAME.fullmatch(entry_point):
            raise PluginError(f"entryPoint {entry_point!r} is no name of a function", hint="as in execute")
        self.script = script
        self.scripts = tuple(scripts or ())
        self.entry_point = entry_point
