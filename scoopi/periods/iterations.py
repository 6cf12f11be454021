"""Iterations: the numbered fires of a cron trigger."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, tzinfo
from itertools import islice, takewhile

from scoopi.errors import PeriodError
from scoopi.periods.cron import CronExpression
from scoopi.periods.fires import Fires
from scoopi.periods.slot import Iteration

_PER_DAY = 10_000
_BEFORE_ALL = datetime(1999, 12, 31, 23, 59, 59)


class CronIterations:
    """Numbers the fires of a cron trigger: `yyMMdd` and the ordinal of the fire within its day.

    Args:
        fires: all fires of the expression, also those before `since`.
        zone: the time zone in which days begin.
        since: only a fire after it can be the current iteration; `window` may include earlier ones.
    """

    def __init__(self, fires: Fires, zone: tzinfo, since: datetime) -> None:
        self._fires = fires
        self._zone = zone
        self._since = since

    def current(self, now: datetime) -> datetime | None:
        """The fire of the current iteration: the last one up to now, if it is after `since`; else None."""
        last = next(self._fires.before(now + datetime.resolution), None)
        return last if last is not None and last > self._since else None

    def window(self, now: datetime, lookback: int) -> list[tuple[Iteration, datetime]]:
        """The current iteration and up to `lookback` earlier ones, oldest first, each with its fire.

        Empty if there is no current iteration.
        """
        current = self.current(now)
        if current is None:
            return []
        fires = list(islice(self._fires.before(current + datetime.resolution), lookback + 1))
        return [(self.number(fire), fire) for fire in reversed(fires)]

    def fires_from(self, moment: datetime) -> Iterator[datetime]:
        """All fires from a moment on, also those before `since`; may be infinite."""
        return self._fires.after(moment - datetime.resolution)

    def number(self, fire: datetime) -> Iteration:
        """The number of a fire: its local day, and the ordinal of the fire within that day, from 1.

        Raises:
            PeriodError: the day has more than 9999 fires.
        """
        local = fire.astimezone(self._zone)
        midnight = datetime.combine(local.date(), time(), self._zone)
        fires = takewhile(lambda at: at >= midnight, self._fires.before(fire + datetime.resolution))
        ordinal = sum(1 for _ in fires)
        if ordinal >= _PER_DAY:
            raise PeriodError(f"more than {_PER_DAY - 1} iterations a day cannot be numbered")
        return Iteration(int(f"{local:%y%m%d}") * _PER_DAY + ordinal)


def day_and_ordinal(slot: Iteration) -> tuple[date, int]:
    """The day of an iteration's number, and the ordinal of the fire within it, from 1.

    >>> day_and_ordinal(Iteration(2603280002))
    (datetime.date(2026, 3, 28), 2)

    Raises:
        PeriodError: the number has no day.
    """
    digits, ordinal = divmod(slot.number, _PER_DAY)
    try:
        return date(2000 + digits // 10_000, digits // 100 % 100, digits % 100), ordinal
    except ValueError as error:
        raise PeriodError(
            f"{slot} has no day", hint="write yyMMdd and four digits, as in #2603280002"
        ) from error


def can_be_numbered(expression: CronExpression) -> bool:
    """Whether all fires of a day can be numbered, even on a day of 25 hours.

    >>> can_be_numbered(CronExpression("*/10 * * * * ?", "quartz"))
    True
    >>> can_be_numbered(CronExpression("*/5 * * * * ?", "quartz"))
    False
    """
    fires = expression.after(_BEFORE_ALL)
    day = next(fires).date()
    count = 1 + sum(1 for _ in takewhile(lambda at: at.date() == day, islice(fires, _PER_DAY)))
    return count * 25 // 24 < _PER_DAY
