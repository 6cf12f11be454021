"""Sandbox: one JavaScript context without I/O, with a time and a memory limit."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

# Not the package `quickjs` around this module: it starts a thread on import.
from _quickjs import Context, JSException

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScriptError

_CORE = Path(__file__).with_name("core.js").read_text(encoding="utf-8")
_ZONED = Path(__file__).with_name("zoned.js").read_text(encoding="utf-8")
NO_HOSTS = "() => ({})"
SCRIPT_POSITION = re.compile(r"^ +at (?:<eval> \()?<input>:(?P<line>\d+):(?P<column>\d+)", re.MULTILINE)
"""Finds the position in the text itself in a stack trace of the engine, not in functions."""

_STACK_BYTES = 512 * 1024
# Put first to check only the syntax: a text is parsed as a whole before its first statement runs.
_STOP = "throw 0;"
_MEMORY_BYTES = 256 << 20
_HINT = "correct it there: it must be JavaScript as browsers read it"


class Sandbox:
    """One JavaScript context without I/O, with a time and a memory limit.

    Globals live as long as the sandbox, which belongs to the thread that created it. After a ScriptError it
    may be out of memory or in an inconsistent state: create a new one.

    The time limit counts the processor time of the whole process, the only clock that the engine offers:
    while other threads are busy, a script ends before the limit, never after it. It covers all code of a
    script, including the conversion of an exception or a result to text. The engine cannot interrupt the
    parsing of source texts of megabytes, and no guard of `core.js` covers it; the watchdog of workers does.

    Args:
        limits: limits of each call.
        hosts: JavaScript source of a function that defines further operations with the helpers of `core.js`.
        ask: a Python function that `hosts` finds as the global `askHost`, and removes. The engine cannot
            limit the time of a script that calls Python, so the caller must be able to end the process.
    Source: defs/README.md, 2.8.
    """

    def __init__(
        self, limits: ScriptLimits, hosts: str = NO_HOSTS, ask: Callable[[str, str], str] | None = None
    ) -> None:
        self._limits = limits
        context: Any = Context()
        context.set_max_stack_size(_STACK_BYTES)
        if ask is not None:
            context.add_callable("askHost", ask)
        self._call: Any = context.eval(f"(zoned) => ({_CORE})({hosts}, zoned)")(_ZONED)
        context.set_memory_limit(limits.memory_mb << 20)
        if ask is None:
            context.set_time_limit(limits.timeout_ms / 1000)

    def evaluate(self, text: str) -> str | datetime | None:
        """Evaluate a script; its `let` and `const` are local to it, `var` and functions are globals.

        Returns and raises like `call`.
        """
        return self.call("evaluate", text)

    def call(
        self, operation: str, *texts: str, entry: str = "", own_line: Callable[[int], int] = int
    ) -> str | datetime | None:
        """Call an operation and return its result: text, None for null and undefined, or a date to format.

        A zoned date-time of the host objects is returned as a naive local datetime, a JavaScript Date as an
        aware datetime in UTC.

        Args:
            operation: name of the operation.
            texts: its arguments, at most two.
            entry: name of the user's function that it calls; an error names the line in that function.
            own_line: maps a line of the evaluated text to the line that the user sees.
        Raises:
            ScriptError: a syntax error, an exception or an exceeded limit, with line and column.
        """
        if sum(map(len, texts)) * 2 > self._limits.memory_mb << 20:  # a character takes up to two bytes there
            raise self._memory_error()
        try:
            for text in texts:
                text.encode()  # raises for half of a surrogate pair, which the engine cannot handle
            answer = self._call(operation, *texts)
        except JSException as error:
            raise self._explained(str(error), entry, own_line) from None
        except (UnicodeError, TypeError, MemoryError) as error:
            raise ScriptError(f"script contains or returns a text that cannot be read: {error}") from None
        if not isinstance(answer, str):  # no memory was left for the text
            raise self._memory_error()
        if answer.startswith("!"):
            raise self._explained(answer[1:], entry, own_line)
        return _read(answer[:1], answer[1:])

    def _memory_error(self) -> ScriptError:
        return ScriptError(
            f"script needs more than {self._limits.memory_mb} MB of memory",
            hint="make it keep less, or raise scoopi.script.memory",
        )

    def _explained(self, report: str, entry: str, own_line: Callable[[int], int]) -> ScriptError:
        message, _, stack = report.partition("\n")
        if message.startswith("InternalError: interrupted"):
            return ScriptError(
                f"script ran longer than {self._limits.timeout_ms} ms",
                hint="look for an endless loop, or raise scoopi.script.timeout",
            )
        if message == "null" or "out of memory" in message:
            return self._memory_error()
        if "call stack size exceeded" in message:
            return ScriptError("script calls itself too deeply", hint="give its recursion an end")
        return ScriptError(f"script failed: {message}{_where(stack, entry, own_line)}")


def _where(stack: str, entry: str, own_line: Callable[[int], int]) -> str:
    place = SCRIPT_POSITION.search(stack)
    if place:
        return f" (line {own_line(int(place['line']))}, column {place['column']} of the script)"
    frame = re.search(rf"^ +at {re.escape(entry)} \(<input>:(\d+):(\d+)", stack, re.MULTILINE)
    return f" (in {entry}, line {own_line(int(frame[1]))}, column {frame[2]} of its script)" if frame else ""


def _read(kind: str, text: str) -> str | datetime | None:
    if kind == "=":
        return text
    if kind == "0":
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ScriptError("script returned a date that is out of range") from None
    return moment if kind == "w" else moment.replace(tzinfo=UTC)


def check_script(text: str) -> tuple[str, str] | None:
    """Return the syntax error of a script, with line and column, and a hint; None if there is none.

    Placeholders `%{…}` must already have been replaced by text that is valid anywhere in a script.
    """
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        return f"there is a NUL character (line {line} of the script)", "remove it"
    context = Context()
    context.set_memory_limit(_MEMORY_BYTES)
    try:
        context.eval(_STOP + text)
    except UnicodeEncodeError as error:
        return (
            f"there is half of a surrogate pair, {error.object[error.start]!a}, which is not a character",
            "write both halves",
        )
    except JSException as error:
        return _syntax_error(str(error))
    return None


def _syntax_error(report: str) -> tuple[str, str] | None:
    message, _, stack = report.partition("\n")
    if not message.startswith("SyntaxError: "):
        return None
    what = message.removeprefix("SyntaxError: ")
    place = SCRIPT_POSITION.search(stack)
    if not place:
        return what, _HINT
    line, column = int(place["line"]), int(place["column"])
    column -= len(_STOP) if line == 1 else 0
    return f"{what} (line {line}, column {column} of the script)", _HINT
