"""DriverScript: a JavaScript function that drives a browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from scoopi.configs.groups import ScriptLimits
from scoopi.script.entry_script import EntryScript
from scoopi.script.sandbox import Sandbox

_HOSTS = Path(__file__).with_name("driver.js").read_text(encoding="utf-8")
OnDriver = Callable[[str, str], str]
"""Takes the name of an operation and its arguments in JSON, and gives its result in JSON."""


class DriverScript:
    """A JavaScript function that drives a browser; it sees the classes of Java's WebDriver.

    Each call has a new sandbox, so that a page does not see what one before has left. The engine cannot limit
    the time of a script that calls its host: the caller ends its process.

    Args:
        sources: script texts in the order of their loading.
        entry_point: the name of the function; it gets the driver, and what it returns is ignored.
        limits: its memory.
    Source: defs/README.md, 4.7.
    """

    def __init__(self, sources: Sequence[str], entry_point: str, limits: ScriptLimits) -> None:
        self._script = EntryScript(sources, entry_point)
        self._limits = limits

    def __call__(self, ask: OnDriver) -> None:
        """Run it with the driver that `ask` reaches.

        Raises:
            ScriptError: it failed, or met a limit; with its line.
        """
        sandbox = self._script.load(Sandbox(self._limits, _HOSTS, ask))
        sandbox.call("run", entry=self._script.entry_point, own_line=self._script.own_line)
