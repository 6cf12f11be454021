"""resolve: turns calendar fields into a moment; of contradicting fields, the rightmost wins."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta, timezone

_EPOCH_YEAR = 1970
_SUNDAY = 1


def resolve(fields: Mapping[str, int], century_start: datetime) -> datetime:
    """The moment of calendar fields, in the zone given by `offset`, else in local time.

    Args:
        fields: as returned by `PatternReader.read`.
        century_start: the earliest moment that a year of two digits may stand for.
    Raises:
        ValueError, OverflowError: the moment is outside the years 1 to 9999.
    """
    moment = _moment(fields)
    if fields.get("ambiguous") and moment < century_start:
        return _moment({**fields, "year": fields["year"] + 100})
    return moment


def sunday_before(day: date) -> date:
    """The Sunday that starts the day's week: the day itself or one of the six days before it."""
    return day - timedelta(days=day.isoweekday() % 7)


def _moment(fields: Mapping[str, int]) -> datetime:
    day = _day(fields)
    wall = datetime.combine(day, time()) + timedelta(
        hours=_hour(fields),
        minutes=fields.get("minute", 0),
        seconds=fields.get("second", 0),
        milliseconds=fields.get("millisecond", 0),
    )
    if "offset" in fields:
        return wall.replace(tzinfo=timezone(timedelta(minutes=fields["offset"])))
    return wall.astimezone()


def _hour(fields: Mapping[str, int]) -> int:
    stamps = _stamps(fields)
    halved = _latest_of_both(stamps, "hour", "am_pm")
    if stamps.get("hour_of_day", 0) > halved or ("hour_of_day" in stamps and not halved):
        return fields["hour_of_day"]
    return fields.get("hour", 0) + 12 * fields.get("am_pm", 0)


def _day(fields: Mapping[str, int]) -> date:
    """The day, determined by the group of fields that was completed last."""
    year = fields.get("year", _EPOCH_YEAR)
    if fields.get("era") == 0:
        year = 1 - year
    match _last_group(_stamps(fields)):
        case "day_of_year":
            return date(year, 1, 1) + timedelta(days=fields["day_of_year"] - 1)
        case "week_of_year":
            return _in_week(date(year, 1, 1), fields, fields["week_of_year"])
    first = _first_of_month(year, fields.get("month", 0))
    match _last_group(_stamps(fields)):
        case "week_of_month":
            return _in_week(first, fields, fields["week_of_month"])
        case "day_of_week_in_month":
            return _weekday_in_month(first, fields)
    return first + timedelta(days=fields.get("day_of_month", 1) - 1)


def _last_group(stamps: Mapping[str, int]) -> str:
    weekly = ("week_of_month", "day_of_week_in_month", "week_of_year")
    groups = {name: stamps.get(name, 0) for name in ("day_of_month", "day_of_year")}
    groups |= {name: _latest_of_both(stamps, name, "day_of_week") for name in weekly}
    if not any(groups.values()):
        groups |= {name: stamps.get(name, 0) for name in weekly}
        groups["day_of_week_in_month"] = max(groups["day_of_week_in_month"], stamps.get("day_of_week", 0))
    order = ("day_of_month", "week_of_month", "day_of_week_in_month", "day_of_year", "week_of_year")
    return max(order, key=lambda name: (groups[name], stamps.get(name, 0)))


def _stamps(fields: Mapping[str, int]) -> dict[str, int]:
    return {name: place for place, name in enumerate(fields, 1)}


def _latest_of_both(stamps: Mapping[str, int], one: str, other: str) -> int:
    return max(stamps[one], stamps[other]) if one in stamps and other in stamps else 0


def _first_of_month(year: int, month: int) -> date:
    years, month = divmod(month, 12)
    return date(year + years, month + 1, 1)


def _in_week(first: date, fields: Mapping[str, int], week: int) -> date:
    days = 7 * (week - 1) + (fields.get("day_of_week", _SUNDAY) - _SUNDAY) % 7
    return first + timedelta(days=days - first.isoweekday() % 7)


def _weekday_in_month(first: date, fields: Mapping[str, int]) -> date:
    """The n-th given weekday of the month; a negative n counts from the end of the month."""
    number = fields.get("day_of_week_in_month", 1)
    days = 7 * number - 1
    if number < 0:
        days = monthrange(first.year, first.month)[1] + 7 * (number + 1) - 1
    latest = first + timedelta(days=days)
    back = (latest.isoweekday() % 7 - (fields.get("day_of_week", _SUNDAY) - _SUNDAY)) % 7
    return latest - timedelta(days=back)
