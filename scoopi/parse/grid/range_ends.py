"""RangeEnds: warns of ranges that end at a missing value although later indexes have one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.model.failure import Failure
from scoopi.parse.grid.placeholder import AxisDef

_LOOK_AHEAD = 3
"""Number of indexes without a value after which the search stops; an advert is rarely longer."""
_MOST_COUNTED = 100


class _End(NamedTuple):
    """Where a range ended first, the first later index with a value, and how many there are in all turns."""

    missing_at: int
    later_from: int
    later: int


class RangeEnds:
    """Warns of ranges that end at a missing value although later indexes have one.

    Belongs to the reading of one page by one template.

    The rows of later indexes are not read: an advert between cards, or a card without title, ends them.

    Args:
        axes: of the template.
    """

    def __init__(self, axes: Sequence[AxisDef]) -> None:
        self._axes = axes
        self._ends: dict[int, _End] = {}

    def note(self, at: int, index: int, last: int, value: Callable[[int], str | None]) -> None:
        """Note that the value of an axis is missing; looks for values at later indexes of its range.

        A script is not run for it, as it may remember how often it ran.

        Args:
            at: which axis.
            index: where its value is missing.
            last: the last index of its range.
            value: gives its value at another index of the same turn.
        """
        if self._axes[at].item.script is not None:
            return
        found = _later(index, last, value)
        if found:
            first = self._ends.get(at) or _End(index, found[0], 0)
            self._ends[at] = first._replace(later=first.later + len(found))

    def warnings(self) -> list[Failure]:
        """A warning for each axis that has such an end."""
        return [self._warning(self._axes[at], end) for at, end in sorted(self._ends.items())]

    @staticmethod
    def _warning(axis: AxisDef, end: _End) -> Failure:
        name = f"the range of {axis.axis_name} '{axis.item.name}'"
        more = "1 later index has one" if end.later == 1 else f"{end.later} later indexes have one"
        return Failure(
            cause=f"{name} ends at a missing value although later indexes have one",
            message=(
                f"{name} ends at index {end.missing_at}, which has no value, but {more}, from index "
                f"{end.later_from} on: their rows are not read; give the range an end, as in "
                "indexRange: 1-20, or let the selector pass over what has no value"
            ),
            at=str(axis.item.selector_place),
        )


def of_data_def(name: str, warnings: Iterable[Failure]) -> list[Failure]:
    """The warnings with the name of the data definition, of each cause the first."""
    by_cause: dict[str, Failure] = {}
    for warning in warnings:
        by_cause.setdefault(warning.cause, warning)
    prefix = f"dataDef '{name}': "
    return [Failure(prefix + each.cause, prefix + each.message, at=each.at) for each in by_cause.values()]


def unmet_stop(axis: AxisDef, stops: Iterable[str]) -> Failure:
    """The warning of an axis whose stop values were never met."""
    listed = ", ".join(f"'{stop}'" for stop in sorted(stops))
    what = f"breakAfter of {axis.axis_name} '{axis.item.name}' was never met: {listed}"
    return Failure(cause=what, message=what)


def _later(index: int, last: int, value: Callable[[int], str | None]) -> list[int]:
    found: list[int] = []
    end = index + _LOOK_AHEAD
    while index < min(end, last) and len(found) < _MOST_COUNTED:
        index += 1
        try:
            if value(index) is not None:
                found.append(index)
                end = index + _LOOK_AHEAD
        except ParseError:  # the row would not be read either
            break
    return found
