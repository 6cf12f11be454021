"""CronExpression: the local times of a cron expression, in the dialect of Unix or of Quartz."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterator
from datetime import date, datetime

from cronsim import CronSim, CronSimError

from scoopi.errors import PeriodError

MACROS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
}
"""Macro -> the Unix expression that it stands for; the same in both dialects."""
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_LAST_YEAR = 2199
_LONGEST_BREAK = 41
"""Years after which an expression that has not fired never will (29 February on a Sunday: 40)."""
_UNIX_FIELDS = ("minute", "hour", "day of month", "month", "day of week")
_QUARTZ_FIELDS = ("second", *_UNIX_FIELDS, "year")
_ALLOWED = {
    "minute": "write *, or numbers from 0 to 59, such as `5`, `0,30`, `10-20` or `*/15`",
    "hour": "write *, or numbers from 0 to 23, such as `6`, `6,18`, `8-17` or `*/2`",
    "day of month": "write *, or days from 1 to 31 that one of the months has, such as `1,15`, `1-7` or `L`",
    "month": "write *, or numbers from 1 to 12 or names, such as `3`, `1,7`, `MAR-OCT` or `*/3`",
    "day of week": "write *, or numbers from 0 (Sunday) to 7 (Sunday) or names, such as `MON-FRI` or `6,0`",
}
"""Field of a cron expression -> what it may contain, for hints."""

IsDay = Callable[[date], bool]


class CronExpression:
    """The local times at which an expression fires; zones and clock changes are up to the caller.

    Unix: five fields. As in Debian's cron, a day must match both the day of month and the day of week if
    one of the two fields begins with `*`, and otherwise one of them.
    Quartz: six or seven fields; exactly one of day of month and day of week is `?`, and 1 is Sunday.

    Args:
        text: the expression, or one of `MACROS`.
        dialect: `unix` or `quartz`.
    Raises:
        PeriodError: the expression is not valid, or never fires.
    """

    def __init__(self, text: str, dialect: str = "unix") -> None:
        self._text = text
        self._is_day: IsDay | None = None
        self._years: frozenset[int] | None = None
        words = MACROS.get(text.strip().lower(), text).upper().split()
        if text.strip().startswith("@") and text.strip().lower() not in MACROS:
            raise self._invalid("it is not a known short form", f"known are {', '.join(MACROS)}")
        is_quartz = dialect == "quartz" and not text.strip().startswith("@")
        self._expression = " ".join(self._quartz(words) if is_quartz else self._unix(words))
        try:
            CronSim(self._expression, datetime(2000, 1, 1))
        except CronSimError as error:
            reason = self._reason(str(error))
            shape = self._shape(_QUARTZ_FIELDS if is_quartz else _UNIX_FIELDS)
            raise self._invalid(reason, _ALLOWED.get(reason.rpartition(" bad ")[2], shape)) from error
        if next(self.after(datetime(1970, 1, 1)), None) is None:
            raise self._invalid("it never fires")

    def __str__(self) -> str:
        return self._text

    def after(self, moment: datetime) -> Iterator[datetime]:
        """The local times later than a moment, in order."""
        if self._years:
            moment = max(moment, datetime(self._first_year - 1, 12, 31, 23, 59, 59))
        return self._allowed(CronSim(self._expression, moment), lambda year: year > self._last_year)

    def before(self, moment: datetime) -> Iterator[datetime]:
        """The local times earlier than a moment, latest first."""
        if self._years:
            moment = min(moment, datetime(self._last_year + 1, 1, 1))
        times = CronSim(self._expression, moment, reverse=True)
        return self._allowed(times, lambda year: year < self._first_year)

    @property
    def _first_year(self) -> int:
        return min(self._years) if self._years else 1

    @property
    def _last_year(self) -> int:
        return max(self._years) if self._years else 9999

    def _allowed(self, times: CronSim, is_past_all: Callable[[int], bool]) -> Iterator[datetime]:
        last = times.dt.year
        try:
            for at in times:
                if is_past_all(at.year) or abs(at.year - last) > _LONGEST_BREAK:
                    return
                if self._years is not None and at.year not in self._years:
                    last = at.year  # the years that an expression leaves out are no break
                elif self._is_day is None or self._is_day(at.date()):
                    last = at.year
                    yield at
        except OverflowError:  # beyond the years of the calendar
            return

    def _unix(self, words: list[str]) -> list[str]:
        if len(words) != 5:
            hint = (
                "for a field of seconds use dialect: quartz"
                if len(words) in (6, 7)
                else self._shape(_UNIX_FIELDS)
            )
            raise self._invalid(f"it has {len(words)} field{'s' if len(words) != 1 else ''}, not 5", hint)
        if "?" in words:
            raise self._invalid("? belongs to Quartz", "write * or use dialect: quartz")
        return words

    def _quartz(self, words: list[str]) -> list[str]:
        if len(words) not in (6, 7):
            raise self._invalid(f"it has {len(words)} fields, not 6 or 7", self._shape(_QUARTZ_FIELDS))
        if len(words) == 7:
            self._years = self._year_set(words.pop())
        second, minute, hour, day, month, weekday = words
        if (day == "?") is (weekday == "?"):
            raise self._invalid(
                "exactly one is ? of day of month and day of week", "write ? for the one that does not matter"
            )
        return [
            _wrapped(second, 0, 59),
            _wrapped(minute, 0, 59),
            _wrapped(hour, 0, 23),
            "*" if day == "?" else self._day_of_month(day),
            _wrapped(_numbered(month, _MONTHS), 1, 12),
            "*" if weekday == "?" else self._day_of_week(weekday),
        ]

    def _day_of_month(self, field: str) -> str:
        """Convert a field to the dialect of cronsim; `15W` and `L-3` become a test of the day, `_is_day`."""
        if field.endswith("W") and field[:-1].isdigit() and 1 <= int(field[:-1]) <= 31:
            day = int(field[:-1])
            self._is_day = lambda at: at.day == _nearest_weekday(at, day)
            return "*"
        if field.startswith("L-") and field[2:].isdigit() and 1 <= int(field[2:]) <= 30:
            before = int(field[2:])
            self._is_day = lambda at: at.day == calendar.monthrange(at.year, at.month)[1] - before
            return "*"
        return _wrapped(field, 1, 31)

    def _day_of_week(self, field: str) -> str:
        """Convert a field to the dialect of cronsim, where 0 is Sunday."""
        terms = []
        for term in _numbered(field, _DAYS, first=1).split(","):
            if term == "L":
                terms.append("6")
            elif term[:1].isdigit() and (term[1:] == "L" or term[1:2] == "#"):
                terms.append(f"{self._weekday(term[0])}{term[1:]}")
            else:
                terms.append(self._weekday_list(_wrapped(term, 1, 7)))
        return ",".join(terms)

    def _weekday_list(self, term: str) -> str:
        if term == "*":
            return term
        plain, _, step = term.partition("/")
        days: list[int] = []
        for part in plain.split(","):
            first, dash, last = part.partition("-")
            low = self._weekday("1" if first == "*" else first)
            high = self._weekday(last) if dash else (6 if step else low)
            days.extend(range(low, high + 1))
        if step and not (step.isdigit() and int(step)):
            raise self._invalid(f"{term} is not a day of week")
        return ",".join(map(str, days[:: int(step or 1)]))

    def _weekday(self, digit: str) -> int:
        if not digit.isdigit() or not 1 <= int(digit) <= 7:
            raise self._invalid(
                f"{digit} is not a day of week", "Quartz counts from 1 (Sunday) to 7 (Saturday)"
            )
        return int(digit) - 1

    def _year_set(self, field: str) -> frozenset[int] | None:
        if field == "*":
            return None
        years: set[int] = set()
        for term in field.split(","):
            span, _, step = term.partition("/")
            first, dash, last = span.partition("-")
            numbers = ("1970" if first == "*" else first, last if dash else first, step or "1")
            if not all(number.isdigit() for number in numbers if number != "*") or numbers[2] == "0":
                raise self._invalid(f"{term} is not a year")
            high = int(last) if dash else (_LAST_YEAR if step or first == "*" else int(first))
            years.update(range(int(numbers[0]), high + 1, int(numbers[2])))
        if not years or not min(years) >= 1970 or not max(years) <= _LAST_YEAR:
            raise self._invalid(f"{field} is not a year of 1970 to {_LAST_YEAR}")
        return frozenset(years)

    def _reason(self, message: str) -> str:
        return message.replace("Bad ", "it has a bad ").replace("-", " ")

    def _shape(self, fields: tuple[str, ...]) -> str:
        return f"write {', '.join(fields)}" + (" (the year is optional)" if "year" in fields else "")

    def _invalid(self, reason: str, hint: str = "") -> PeriodError:
        return PeriodError(f"cron expression {self._text!r} is not valid: {reason}", hint=hint)


def _numbered(field: str, names: tuple[str, ...], first: int = 1) -> str:
    for number, name in enumerate(names, first):
        field = field.replace(name, str(number))
    return field


def _wrapped(field: str, low: int, high: int) -> str:
    """A field whose ranges do not wrap around: `22-2` becomes `22-23,0-2`; `/5` becomes `*/5`."""
    terms: list[str] = []
    for term in field.split(","):
        term = f"*{term}" if term.startswith("/") else term
        span, slash, step = term.partition("/")
        first, dash, last = span.partition("-")
        if dash and first.isdigit() and last.isdigit() and int(first) > int(last):
            numbers = [*range(int(first), high + 1), *range(low, int(last) + 1)]
            terms.extend(map(str, numbers[:: int(step) if slash and step.isdigit() and int(step) else 1]))
        else:
            terms.append(term)
    return ",".join(terms)


def _nearest_weekday(month_of: date, day: int) -> int:
    """The weekday (Monday to Friday) nearest to a day of the same month; 0 if the month is too short."""
    last = calendar.monthrange(month_of.year, month_of.month)[1]
    if day > last:
        return 0
    at = month_of.replace(day=day)
    if at.weekday() == 5:
        return day - 1 if day > 1 else day + 2
    if at.weekday() == 6:
        return day + 1 if day < last else day - 2
    return day
