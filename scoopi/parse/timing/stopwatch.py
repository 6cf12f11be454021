"""Stopwatch: adds up how long each entry of a data definition takes; untimed: its no-op counterpart."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import ParamSpec, Protocol, TypeVar

from scoopi.model.report.counter_names import AxisKey

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class Timed(Protocol):
    """Wraps a call that is made for entries of a data definition, to time it or not."""

    def __call__(
        self, entries: Sequence[AxisKey], call: Callable[_Given, _Result], /
    ) -> Callable[_Given, _Result]:
        """The function to use in place of `call`: that itself, or one that also times it for the entries."""


def untimed(entries: Sequence[AxisKey], call: Callable[_Given, _Result], /) -> Callable[_Given, _Result]:
    """Return the call unchanged; the Timed that measures nothing."""
    return call


class Stopwatch:
    """Adds up how long each entry of a data definition takes. Not thread-safe.

    A timed call inside another one counts only for its own entries:

    >>> now = iter([0.0, 1.0, 4.0, 5.0])
    >>> watch = Stopwatch(lambda: next(now))
    >>> block = watch.timed([("block", "")], lambda: "<table>")
    >>> watch.timed([("item", "price"), ("dim", "year")], block)()
    '<table>'
    >>> watch.take()
    {('block', ''): 3.0, ('item', 'price'): 1.0, ('dim', 'year'): 1.0}

    Args:
        clock: returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._spent: dict[AxisKey, float] = {}
        self._counted = 0.0

    def timed(
        self, entries: Sequence[AxisKey], call: Callable[_Given, _Result], /
    ) -> Callable[_Given, _Result]:
        """A function that makes the call, and divides its time equally among the entries."""
        if not entries:
            return call
        clock, spent = self._clock, self._spent

        def run(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
            counted, began = self._counted, clock()
            try:
                return call(*args, **kwargs)
            finally:
                own = clock() - began - (self._counted - counted)
                self._counted += own
                for entry in entries:
                    spent[entry] = spent.get(entry, 0.0) + own / len(entries)

        return run

    def take(self) -> dict[AxisKey, float]:
        """Return the seconds of each entry since the last call, and start from zero again."""
        taken = dict(self._spent)
        self._spent.clear()
        return taken
