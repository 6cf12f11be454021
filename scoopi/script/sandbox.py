"""Sandbox: one JavaScript context without I/O, with a time and a memory limit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScriptError
from scoopi.script.javascript import Context, JSException

_CORE = Path(__file__).with_name("core.js").read_text(encoding="utf-8")
SCRIPT_POSITION = re.compile(r"^ +at (?:<eval> \()?<input>:(?P<line>\d+):(?P<column>\d+)", re.MULTILINE)
"""Finds, in the engine's stack, where a text itself stands: not its functions, which may be our own."""

_STACK_BYTES = 512 * 1024


class Sandbox:
    """Evaluates script texts; globals live as long as the sandbox.

    Belongs to the thread that made it. After a ScriptError it may be out of memory or half changed: make
    a new one. The time limit counts the processor time of the whole process, the only clock that the
    engine offers: beside busy threads a script ends earlier than the limit, never later.

    Source: language, A12 and B 2.8.
    """

    def __init__(self, limits: ScriptLimits) -> None:
        self._limits = limits
        self._context: Any = Context()
        self._context.set_max_stack_size(_STACK_BYTES)
        self._evaluate: Any = self._context.eval(_CORE)
        self._context.set_memory_limit(limits.memory_mb << 20)
        self._context.set_time_limit(limits.timeout_ms / 1000)

    def evaluate(self, text: str) -> str | datetime | None:
        """The result of a script: its text, None for null and undefined, or a date for the caller to format.

        A zoned date-time host object comes as a naive local datetime, a JavaScript Date as an aware one in
        UTC. `let` and `const` last for this text only, `var` and functions are globals.

        Raises:
            ScriptError: syntax error, exception, or a limit; says which, at which line and column.
        """
        result = self.guard(lambda: self._evaluate(text))
        return result if result is None or isinstance(result, str) else _date(json.loads(result.json()))

    def load(self, source: str) -> Any:
        """Run a source as a script of its own, its `let` and `const` global too; gives its raw result.

        Raises:
            ScriptError: as `evaluate`.
        """
        return self.guard(lambda: self._context.eval(source))

    def guard(self, call: Callable[[], Any], entry: str = "") -> Any:
        """Call into the context; whatever goes wrong in there becomes a ScriptError.

        Args:
            call: the call.
            entry: the user's function that is called; the error names the line it had come to.
        """
        try:
            return call()
        except JSException as error:
            raise self._explained(str(error), entry) from None
        except (UnicodeError, TypeError, MemoryError) as error:
            raise ScriptError(f"script gave a value that cannot be read: {error}") from None

    def _explained(self, report: str, entry: str) -> ScriptError:
        message, _, stack = report.partition("\n")
        if message.startswith("InternalError: interrupted"):
            return ScriptError(
                f"script ran longer than {self._limits.timeout_ms} ms",
                hint="look for an endless loop, or raise scoopi.script.timeout",
            )
        if message == "null" or "out of memory" in message:
            return ScriptError(
                f"script needs more than {self._limits.memory_mb} MB of memory",
                hint="let it hold less, or raise scoopi.script.memory",
            )
        if "call stack size exceeded" in message:
            return ScriptError("script calls itself too deeply", hint="give its recursion an end")
        return ScriptError(f"script failed: {message}{_where(stack, entry)}")


def _where(stack: str, entry: str) -> str:
    place = SCRIPT_POSITION.search(stack)
    if place:
        return f" (line {place['line']}, column {place['column']} of the script)"
    frame = re.search(rf"^ +at {re.escape(entry)} \(<input>:(\d+):(\d+)", stack, re.MULTILINE)
    return f" (in {entry}, line {frame[1]}, column {frame[2]} of its script)" if frame else ""


def _date(parts: dict[str, str]) -> datetime:
    if "wall" in parts:
        return datetime.fromisoformat(parts["wall"])
    return datetime.fromisoformat(parts["epoch"]).astimezone(UTC)
