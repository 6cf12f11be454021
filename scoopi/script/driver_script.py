"""DriverScript: a JavaScript function that drives a browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from scoopi.configs.groups import ScriptLimits
from scoopi.script.entry_script import EntryScript
from scoopi.script.sandbox import Sandbox

_HOSTS = Path(__file__).with_name("driver.js").read_text(encoding="utf-8")
OnDriver = Callable[[str, str], str]
"""Takes the name of an operation and its arguments as JSON, and returns its result as JSON."""


class DriverScript:
    """A JavaScript function that drives a browser; it sees the classes of Java's WebDriver.

    Each call uses a new sandbox, so that a page does not see what an earlier one left behind. The engine
    cannot limit the time of a script that calls its host, so the caller must be able to end the process.

    Args:
        sources: script texts, in loading order.
        entry_point: the name of the function; it gets the driver, and its return value is ignored.
        limits: only the memory limit applies.
    Source: defs/README.md, 4.7.
    """

    def __init__(self, sources: Sequence[str], entry_point: str, limits: ScriptLimits) -> None:
        self._script = EntryScript(sources, entry_point)
        self._limits = limits

    def __call__(self, ask: OnDriver) -> None:
        """Run the script; `ask` performs each operation on the driver.

        Raises:
            ScriptError: it failed, or exceeded a limit; with its line.
        """
        sandbox = self._script.load(Sandbox(self._limits, _HOSTS, ask))
        sandbox.call("run", entry=self._script.entry_point, own_line=self._script.own_line)
