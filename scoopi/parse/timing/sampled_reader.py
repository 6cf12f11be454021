"""SampledReader: reads pages and times each entry of the data definition on a sample of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, ParamSpec, TypeVar

from scoopi.model.report.counter_names import AxisKey
from scoopi.parse.timing.stopwatch import Stopwatch

_FIRST, _EVERY = 4, 16
"""The first 4 pages of a reader are timed, then 1 of 16: timing slows reading down."""

_Page = ParamSpec("_Page")
_Rows = TypeVar("_Rows")


class SampledReader(Generic[_Page, _Rows]):
    """Reads pages and times each entry of the data definition on a sample of them.

    Args:
        read: reads the rows of a page.
        timed: makes a function that reads the same rows and times the entries.
        note: called after each timed page with (entry -> seconds).
    """

    def __init__(
        self,
        read: Callable[_Page, _Rows],
        timed: Callable[[Stopwatch], Callable[_Page, _Rows]],
        note: Callable[[Mapping[AxisKey, float]], None],
    ) -> None:
        self._read = read
        self._make_timed = timed
        self._timed: Callable[_Page, _Rows] | None = None
        self._stopwatch = Stopwatch()
        self._note = note
        self._pages = 0

    def read(self, *page: _Page.args, **given: _Page.kwargs) -> _Rows:
        """The rows of a page; arguments and errors are those of the function that reads them."""
        self._pages += 1
        if self._pages > _FIRST and self._pages % _EVERY:
            return self._read(*page, **given)
        if self._timed is None:
            self._timed = self._make_timed(self._stopwatch)
        self._stopwatch.take()  # drop the times of a page that failed
        rows = self._timed(*page, **given)
        self._note(self._stopwatch.take())
        return rows
