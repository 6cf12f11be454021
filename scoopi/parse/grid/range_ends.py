"""RangeEnds: warns about ranges that end at a missing value although later indexes have one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.model.failure import Failure
from scoopi.parse.grid.placeholder import AxisDef

_LOOK_AHEAD = 3
"""Number of indexes without a value after which the search stops; adverts rarely take more."""
_MOST_COUNTED = 100


class _End(NamedTuple):
    """The first end of a range, the first later index with a value, and the total number of such indexes."""

    missing_at: int
    later_from: int
    later: int


class RangeEnds:
    """Warns about ranges that end at a missing value although later indexes have one.

    An advert between cards, or a card without a title, ends the range, and the rows of later indexes are not
    read. An instance serves one template on one page.

    Args:
        axes: the axes of the template.
    """

    def __init__(self, axes: Sequence[AxisDef]) -> None:
        self._axes = axes
        self._ends: dict[int, _End] = {}

    def note(self, at: int, index: int, last: int, value: Callable[[int], str | None]) -> None:
        """Record that the value of an axis is missing, and search for values at later indexes of its range.

        Axes with a script are skipped, as an additional run could change the script's state.

        Args:
            at: index of the axis among those of the template.
            index: where its value is missing.
            last: the last index of its range.
            value: reads its value at another index, with the indexes of the other axes unchanged.
        """
        if self._axes[at].item.script is not None:
            return
        found = _later(index, last, value)
        if found:
            first = self._ends.get(at) or _End(index, found[0], 0)
            self._ends[at] = first._replace(later=first.later + len(found))

    def warnings(self) -> list[Failure]:
        """A warning for each axis whose range ended although later indexes have values."""
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
    """The first warning of each cause, with the name of the data definition added."""
    by_cause: dict[str, Failure] = {}
    for warning in warnings:
        by_cause.setdefault(warning.cause, warning)
    prefix = f"dataDef '{name}': "
    return [Failure(prefix + each.cause, prefix + each.message, at=each.at) for each in by_cause.values()]


def unmet_stop(axis: AxisDef, stops: Iterable[str]) -> Failure:
    """The warning about an axis whose stop values were never met."""
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
