"""Fires: the instants at which a trigger fires: at an interval, by cron expression, or at times of day."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import takewhile
from typing import Protocol

from scoopi.errors import PeriodError
from scoopi.periods.cron import CronExpression

_AT = re.compile(r"(?:([0-6*])-)?([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_SECOND = timedelta(seconds=1)
_LONGEST_SHIFT = timedelta(hours=25)
"""No clock change shifts local time by more."""


class Fires(Protocol):
    """The instants at which a trigger fires, in UTC."""

    def after(self, moment: datetime) -> Iterator[datetime]:
        """The fires later than a moment, in order; may be infinite."""

    def before(self, moment: datetime) -> Iterator[datetime]:
        """The fires earlier than a moment, latest first; may be infinite."""


class IntervalFires:
    """Fires at a fixed interval after an instant, but not at the instant itself.

    Args:
        since: the instant from which the intervals are counted.
        every: the interval, at least one second.
    Raises:
        PeriodError: the interval is shorter.
    """

    def __init__(self, since: datetime, every: timedelta) -> None:
        if every < _SECOND:
            raise PeriodError("an interval must be at least one second", hint="write every: 1s, or longer")
        self._since = since.astimezone(UTC)
        self._every = every

    def after(self, moment: datetime) -> Iterator[datetime]:
        """The fires later than a moment."""
        number = max((moment - self._since) // self._every + 1, 1)
        while True:
            yield self._since + number * self._every
            number += 1

    def before(self, moment: datetime) -> Iterator[datetime]:
        """The fires earlier than a moment, latest first."""
        number = -((self._since - moment) // self._every) - 1
        while number >= 1:
            yield self._since + number * self._every
            number -= 1


class LocalFires:
    """Fires at local times of a time zone, with its clock changes taken into account.

    A local time that does not exist fires at the first moment after the gap, once for all such times. A
    local time that occurs twice fires at the first occurrence, or at both if `fires_twice`.

    Args:
        times: the expressions whose local times fire; a time in several of them fires once.
        zone: the time zone of the local times.
        fires_twice: whether a repeated local time fires twice (`dst: every`).
    """

    def __init__(self, times: Sequence[CronExpression], zone: tzinfo, *, fires_twice: bool = False) -> None:
        self._times = times
        self._zone = zone
        self._fires_twice = fires_twice

    def after(self, moment: datetime) -> Iterator[datetime]:
        """The fires later than a moment."""
        start = self._local(moment)
        if self._changes_near(moment):
            start -= _LONGEST_SHIFT
        locals_ = heapq.merge(*(times.after(start) for times in self._times))
        return (at for at in self._merged(locals_, 1) if at > moment)

    def before(self, moment: datetime) -> Iterator[datetime]:
        """The fires earlier than a moment, latest first."""
        start = self._local(moment) + _SECOND
        if self._changes_near(moment):
            start += _LONGEST_SHIFT
        locals_ = heapq.merge(*(times.before(start) for times in self._times), reverse=True)
        return (at for at in self._merged(locals_, -1) if at < moment)

    def _merged(self, locals_: Iterator[datetime], direction: int) -> Iterator[datetime]:
        """Yield the instants of local times, in order and without repeats.

        The second occurrence of a local time may be later than the first occurrence of the local times that
        follow, so an instant is held until no earlier one can come.
        """
        waiting: list[float] = []
        last: float | None = None
        for local in locals_:
            instants = [at.timestamp() * direction for at in self._instants(local)]
            while waiting and waiting[0] <= min(instants):
                if (at := heapq.heappop(waiting)) != last:
                    last = at
                    yield datetime.fromtimestamp(at * direction, UTC)
            for at in instants:
                heapq.heappush(waiting, at)
        for at in sorted({*waiting} - {last}):
            if at is not None:
                yield datetime.fromtimestamp(at * direction, UTC)

    def _instants(self, local: datetime) -> Sequence[datetime]:
        first = local.replace(tzinfo=self._zone)
        early, late = _offset(first), _offset(first.replace(fold=1))
        at = first.replace(tzinfo=UTC)
        if early == late:
            return (at - early,)
        if early > late:
            return (at - early, at - late) if self._fires_twice else (at - early,)
        return (self._gap_end(at - late, at - early),)

    def _gap_end(self, before: datetime, after: datetime) -> datetime:
        """The instant of the clock change between two instants, to the second."""
        offset = _offset(before.astimezone(self._zone))
        while after - before > _SECOND:
            middle = before + (after - before) // 2
            middle -= timedelta(microseconds=middle.microsecond)
            if _offset(middle.astimezone(self._zone)) == offset:
                before = middle
            else:
                after = middle
        return after

    def _local(self, moment: datetime) -> datetime:
        return moment.astimezone(self._zone).replace(tzinfo=None, fold=0)

    def _changes_near(self, moment: datetime) -> bool:
        """Whether the clock changes near a moment, so that local times may fire in another order."""
        near = (moment - _LONGEST_SHIFT, moment, moment + _LONGEST_SHIFT)
        return len({_offset(at.astimezone(self._zone)) for at in near}) > 1


class BoundedFires:
    """The fires after `since` (not at it), up to and including `until`."""

    def __init__(self, fires: Fires, since: datetime, until: datetime | None = None) -> None:
        self._fires = fires
        self._since = since
        self._until = until

    def after(self, moment: datetime) -> Iterator[datetime]:
        """The fires later than a moment."""
        until = self._until
        return takewhile(lambda at: until is None or at <= until, self._fires.after(max(moment, self._since)))

    def before(self, moment: datetime) -> Iterator[datetime]:
        """The fires earlier than a moment, latest first."""
        if self._until is not None:
            moment = min(moment, self._until + datetime.resolution)
        return takewhile(lambda at: at > self._since, self._fires.before(moment))


def times_of_day(texts: Sequence[str]) -> list[CronExpression]:
    """Parse the times of `at`: `D-HH:MM`, `*-HH:MM` or `HH:MM`, where day 0 is Monday.

    >>> [str(times) for times in times_of_day(["4-15:45", "8:30"])]
    ['45 15 * * 5', '30 8 * * *']

    Raises:
        PeriodError: a text is not such a time.
    """
    return [_time_of_day(text) for text in texts]


def _time_of_day(text: str) -> CronExpression:
    match = _AT.fullmatch(text)
    if match is None:
        raise PeriodError(f"{text!r} is not a time", hint="write D-HH:MM with 0 for Monday, *-HH:MM or HH:MM")
    day, hour, minute = match.groups()
    weekday = "*" if day in (None, "*") else str((int(day) + 1) % 7)
    return CronExpression(f"{int(minute)} {int(hour)} * * {weekday}")


def _offset(moment: datetime) -> timedelta:
    return moment.utcoffset() or timedelta(0)
