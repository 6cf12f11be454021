"""written: writes a moment by the parts of a ZonedPattern."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from scoopi.java.dates.date_names import FULL, NARROW, SHORT, DateNames
from scoopi.java.dates.zoned_pattern_parts import LITERAL, OPTIONAL, PADDED, ZonedPart

STYLES = MappingProxyType({3: SHORT, 4: FULL, 5: NARROW})


class Moment(NamedTuple):
    """A date-time in its zone.

    Attributes:
        wall: zone-aware, without fractions of a second.
        nano: the fraction of the second, in nanoseconds.
        region: name of the zone, such as Europe/Berlin; empty for an offset.
    """

    wall: datetime
    nano: int = 0
    region: str = ""


def written(parts: tuple[ZonedPart, ...], moment: Moment, names: DateNames) -> str:
    """The moment as text; an optional part that cannot be written is omitted.

    Raises:
        ValueError: the moment lacks a value that a field needs.
    """
    text = ""
    for part in parts:
        if part.letter == OPTIONAL:
            try:
                text += written(part.parts, moment, names)
            except ValueError:
                continue
        elif part.letter == PADDED:
            inner = written(part.parts, moment, names)
            if len(inner) > part.width:
                raise ValueError(f"{inner!r} is longer than its {part.width} places")
            text += inner.rjust(part.width)
        else:
            text += part.text if part.letter == LITERAL else _field(part, moment, names)
    return text


def weeks(day: date, names: DateNames) -> tuple[int, int, int]:
    """The week of a day: (week-based year, week of that year from 1, day of the week from 1).

    Raises:
        ValueError: the week's year is beyond those of Python's dates.
    """
    number = (day.weekday() - names.first_weekday) % 7 + 1
    for year in (day.year + 1, day.year, day.year - 1):
        first = first_week(year, names)
        if day >= first:
            return year, (day - first).days // 7 + 1, number
    raise ValueError(f"{day} has no week")


def first_week(year: int, names: DateNames) -> date:
    """The first day of the year's first week.

    Raises:
        ValueError: the day is outside the years 1 to 9999.
    """
    try:
        first = date(year, 1, 1)
        begin = first - timedelta(days=(first.weekday() - names.first_weekday) % 7)
        days_of_year = 7 - (first - begin).days
        return begin if days_of_year >= names.least_days else begin + timedelta(days=7)
    except OverflowError:
        raise ValueError(f"the weeks of {year} begin outside the years 1 to 9999") from None


def offset_text(seconds: int, *, colon: bool, minutes: str, seconds_too: bool) -> str:
    """The offset of a zone as text: `+01`, `+0130` or `+01:30`.

    Args:
        seconds: seconds east of UTC.
        minutes: `always` to write minutes, `needed` to leave out 00.
        seconds_too: write seconds, too, unless they are 00.
    """
    sign, rest = "-" if seconds < 0 else "+", abs(seconds)
    mark = ":" if colon else ""
    text = f"{sign}{rest // 3600:02d}"
    if minutes == "always" or rest // 60 % 60:
        text += f"{mark}{rest // 60 % 60:02d}"
    return text + (f"{mark}{rest % 60:02d}" if seconds_too and rest % 60 else "")


def _field(part: ZonedPart, moment: Moment, names: DateNames) -> str:
    letter, width = part.letter, part.width
    if letter in "VzOXxZ":
        return _zone(letter, width, moment)
    if not part.is_number:
        return _name(letter, width, moment, names)
    if letter == "S":
        return f"{moment.nano:09d}"[:width]
    value = _number(letter, moment, names)
    if letter in "uyY" and width == 2:
        return f"{value % 100:02d}"
    least, most = part.digits
    digits = f"{value:0{least}d}"
    if len(digits) > most:
        raise ValueError(f"{value} is longer than its {most} digits")
    return f"+{digits}" if letter in "uyY" and width >= 4 and len(digits) > width else digits


def _name(letter: str, width: int, moment: Moment, names: DateNames) -> str:
    wall, style = moment.wall, STYLES.get(width, SHORT)
    match letter:
        case "G":
            return names.eras[style][1]
        case "M":
            return names.months[style][wall.month - 1]
        case "L":
            return names.standalone_months[style][wall.month - 1]
        case "Q" | "q":
            return names.quarters[style][(wall.month - 1) // 3]
        case "E" | "e":
            return names.days[style][wall.weekday()]
        case "c":
            return names.standalone_days[style][wall.weekday()]
    return names.halves[SHORT][wall.hour // 12]


def _number(letter: str, moment: Moment, names: DateNames) -> int:
    if letter in "YwWec":
        return _of_week(letter, moment.wall.date(), names)
    return _NUMBERS[letter](moment)


def _of_week(letter: str, day: date, names: DateNames) -> int:
    if letter == "W":
        begin = (day.replace(day=1).weekday() - names.first_weekday) % 7
        week = (begin + day.day - 1) // 7 + 1
        return week if 7 - begin >= names.least_days else week - 1
    year, week, number = weeks(day, names)
    return {"Y": year, "w": week}.get(letter, number)


def _zone(letter: str, width: int, moment: Moment) -> str:
    wall = moment.wall
    seconds = round((wall.utcoffset() or timedelta()).total_seconds())
    if letter == "V":
        return moment.region or _offset_id(seconds)
    if letter == "z":
        return (wall.tzname() or "") if moment.region else _offset_id(seconds)
    if letter == "O" or (letter == "Z" and width == 4):
        full = width == 4
        text = offset_text(seconds, colon=True, minutes="always" if full else "needed", seconds_too=True)
        if not full:
            text = text.replace("+0", "+").replace("-0", "-", 1) if text[1] == "0" else text
        return "GMT" + (text if seconds else "")
    if seconds == 0 and (letter == "X" or (letter, width) == ("Z", 5)):
        return "Z"
    return offset_text(
        seconds,
        colon=width in (3, 5) and not (letter == "Z" and width == 3),
        minutes="needed" if width == 1 and letter != "Z" else "always",
        seconds_too=width >= 4,
    )


def _offset_id(seconds: int) -> str:
    return offset_text(seconds, colon=True, minutes="always", seconds_too=True) if seconds else "Z"


def _second_of_day(moment: Moment) -> int:
    return moment.wall.hour * 3600 + moment.wall.minute * 60 + moment.wall.second


_NUMBERS: Mapping[str, Callable[[Moment], int]] = MappingProxyType(
    {
        "u": lambda moment: moment.wall.year,
        "y": lambda moment: moment.wall.year,
        "D": lambda moment: moment.wall.timetuple().tm_yday,
        "M": lambda moment: moment.wall.month,
        "L": lambda moment: moment.wall.month,
        "d": lambda moment: moment.wall.day,
        "Q": lambda moment: (moment.wall.month - 1) // 3 + 1,
        "q": lambda moment: (moment.wall.month - 1) // 3 + 1,
        "F": lambda moment: (moment.wall.day - 1) % 7 + 1,
        "h": lambda moment: moment.wall.hour % 12 or 12,
        "K": lambda moment: moment.wall.hour % 12,
        "k": lambda moment: moment.wall.hour or 24,
        "H": lambda moment: moment.wall.hour,
        "m": lambda moment: moment.wall.minute,
        "s": lambda moment: moment.wall.second,
        "A": lambda moment: _second_of_day(moment) * 1000 + moment.nano // 1_000_000,
        "n": lambda moment: moment.nano,
        "N": lambda moment: _second_of_day(moment) * 1_000_000_000 + moment.nano,
    }
)
