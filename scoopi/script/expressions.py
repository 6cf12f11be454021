"""Expressions: evaluates scripts that only read the row, once for each combination of values they read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from scoopi.errors import ScriptError
from scoopi.model.data import Axis, ScriptRow
from scoopi.model.text.pure_expression import Dependence, dependence, reads_of

if TYPE_CHECKING:
    from scoopi.script.sandbox import Sandbox  # loaded when the first script runs: most pages need none

_MOST_RESULTS, _MOST_TEXTS = 10_000, 500
_LONG = 500
"""A result is not cached if it, or a value that it depends on, has more characters."""
_Parts = tuple[str | int | None, ...]


class NoExpressionError(Exception):
    """Raised for a script that must run in the sandbox of its page.

    It is not a pure expression, or it fails, and only that sandbox reports the place of its error.
    """


class _Known(NamedTuple):
    """What is known about a script for rows with these axes.

    Attributes:
        parts_of: returns the values of a row that the script depends on; None if it depends on more.
        results: the cached results by those values.
    """

    axes: Sequence[Axis]
    parts_of: Callable[[ScriptRow], _Parts] | None
    results: dict[_Parts, str | None]


class Expressions:
    """Evaluates scripts that are expressions over the row, once for each combination of values they read.

    Their results depend on nothing else, so all pages share the cached results, and one sandbox in which
    nothing else runs. Used by one thread.

    Args:
        new_sandbox: makes a sandbox with the host objects of `page.js`.
    """

    def __init__(self, new_sandbox: Callable[[], Sandbox]) -> None:
        self._new_sandbox = new_sandbox
        self._sandbox: Sandbox | None = None
        self._compiled: set[str] = set()
        self._known: dict[tuple[str, int, int], _Known] = {}
        self._kept = 0

    def of_row(self, text: str, row: ScriptRow) -> str | None:
        """Return the result as text; None for null and undefined.

        Args:
            text: the script with its values written in.
        Raises:
            NoExpressionError: the script must run in the sandbox of its page.
            ScriptError: the script exceeded a limit.
        """
        place = text, row.own, id(row.axes)
        known = self._known.get(place)
        if known is None or known.axes is not row.axes:
            known = self._known[place] = self._understood(text, row)
        if known.parts_of is None:
            raise NoExpressionError
        parts = known.parts_of(row)
        if parts in known.results:
            return known.results[parts]
        result = self.evaluate(text, row.as_json())
        if not any(isinstance(part, str) and len(part) > _LONG for part in (*parts, result)):
            known.results[parts] = result
            self._kept += 1
        return result

    def _understood(self, text: str, row: ScriptRow) -> _Known:
        if len(self._known) >= _MOST_TEXTS or self._kept >= _MOST_RESULTS:
            self._known.clear()
            self._kept = 0
        reads = reads_of(text)
        if reads is None:
            return _Known(row.axes, None, {})
        parts = dependence(reads, [axis.axis_name for axis in row.axes], row.own)
        return _Known(row.axes, partial(_parts_of, parts), {})

    def evaluate(self, text: str, row: str) -> str | None:
        """Like `of_row`, for a row as JSON; the result is not cached.

        Raises:
            NoExpressionError: the script must run in the sandbox of its page.
            ScriptError: the script exceeded a limit.
        """
        if reads_of(text) is None:
            raise NoExpressionError
        if len(self._compiled) >= _MOST_TEXTS:
            self._sandbox = None
        if self._sandbox is None:
            self._sandbox = self._new_sandbox()
            self._compiled.clear()
        self._compiled.add(text)
        try:
            result = self._sandbox.call("evaluateExpression", text, row)
        except ScriptError as error:
            if error.hint:  # a limit was exceeded, so the sandbox may be in any state
                self._sandbox = None
                raise
            raise NoExpressionError from None
        assert result is None or isinstance(result, str), "an expression over a row cannot return a date"
        return result


def _parts_of(parts: Dependence, row: ScriptRow) -> _Parts:
    values = tuple([row.values[at] for at in parts.values])
    return (*values, *[row.indexes[at] for at in parts.indexes]) if parts.indexes else values
