"""Expressions: scripts that are expressions over the row, evaluated once for what they read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scoopi.errors import ScriptError
from scoopi.model.data import ScriptRow
from scoopi.model.text.pure_expression import Dependence, dependence, reads_of

if TYPE_CHECKING:
    from scoopi.script.sandbox import Sandbox  # loaded when the first script runs: most pages need none

_MOST_RESULTS, _MOST_TEXTS = 10_000, 500
_LONG = 500
"""A result, or a value that it depends on, of more characters is not kept."""
_Key = tuple[object, ...]


class NoExpressionError(Exception):
    """The script must be evaluated like any other: it is more, or its error is to name line and column."""


class Expressions:
    """Evaluates scripts that are expressions over the row, once for each combination of what they read.

    Their results depend on nothing else, so pages share one sandbox, in which nothing else runs, and their
    results. Belongs to one thread.

    Args:
        new_sandbox: makes a sandbox with the host objects of `page.js`.
    """

    def __init__(self, new_sandbox: Callable[[], Sandbox]) -> None:
        self._new_sandbox = new_sandbox
        self._sandbox: Sandbox | None = None
        self._compiled: set[str] = set()
        self._results: dict[_Key, str | None] = {}
        self._known: dict[_Key, Dependence | None] = {}

    def of_row(self, text: str, row: ScriptRow) -> str | None:
        """The result as text, None for null and undefined.

        Args:
            text: the script with its values written in.
        Raises:
            NoExpressionError: it must be evaluated like any other script.
            ScriptError: it met a limit.
        """
        place = text, row.own, row.axes
        if place not in self._known:
            if len(self._known) >= _MOST_TEXTS:
                self._known.clear()
                self._results.clear()
            reads = reads_of(text)
            names = [axis.axis_name for axis in row.axes]
            self._known[place] = None if reads is None else dependence(reads, names, row.own)
        parts = self._known[place]
        if parts is None:
            raise NoExpressionError
        key = (
            id(parts),
            *[row.indexes[at] for at in parts.indexes],
            *[row.values[at] for at in parts.values],
        )
        if key not in self._results:
            result = self.evaluate(text, row.as_json())
            if len(self._results) >= _MOST_RESULTS:
                self._results.clear()
            if any(isinstance(part, str) and len(part) > _LONG for part in (*key, result)):
                return result
            self._results[key] = result
        return self._results[key]

    def evaluate(self, text: str, row: str) -> str | None:
        """As `of_row`, for a row in JSON; its result is not kept."""
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
            if error.hint:  # a limit, which may have left anything
                self._sandbox = None
                raise
            raise NoExpressionError from None
        assert result is None or isinstance(result, str), "an expression over a row gives no date"
        return result
