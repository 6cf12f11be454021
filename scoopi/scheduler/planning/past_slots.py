"""past_slots: the slots of a process in a range, whose ends are slots or days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from scoopi.errors import PeriodError
from scoopi.model.schedule.process import Process, Trigger
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.periods.fires import Fires, IntervalFires
from scoopi.periods.iterations import CronIterations, day_and_ordinal
from scoopi.periods.period import Period, Qualifier, parse_period, parse_qualifier
from scoopi.periods.slot import Instant, Iteration, Slot, parse_instant, parse_slot
from scoopi.scheduler.triggers import local_fires

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_FIRST_YEAR, _LAST_YEAR = 1000, 8999
"""Years that are so far from the ends of the calendar that every interval before or after them is in it."""


def past_slots(
    process: Process, record: ProcessRecord, first: str, last: str, now: datetime
) -> Iterator[tuple[Slot, datetime]]:
    """Yield the slots of a process in an inclusive range, up to now, each with its due time.

    They may lie before the process's `since`, because a backfill may go further back than the schedule.

    Args:
        first, last: slots (the digits of a period are enough, and an instant may omit the `@`), or days
            (`2026-11-01`): the range has all slots from the first day to the last. Days are
            those of UTC for periods, and of the trigger's zone for other slots.
    Raises:
        PeriodError: a bound is neither a slot nor a day, or the process has no slots of its own.
    """
    if process.qualifier is not None:
        qualifier = parse_qualifier(process.qualifier)
        begin, end = _period(first, qualifier), _period(last, qualifier, is_last=True)
        _check_ends(first, last, begin.bounds()[0], end.bounds()[0], now)
        periods = (begin.shift(step) for step in range(end.diff(begin) + 1))
        yield from (
            (each, each.bounds()[1]) for each in takewhile(lambda each: each.bounds()[0] <= now, periods)
        )
        return
    trigger = process.trigger
    if trigger is None or not _has_fires(trigger):
        raise PeriodError(f"{process.name} has no slots of its own", hint=_other_way(process))
    zone = ZoneInfo(trigger.timezone)
    numbers = _numbered(process, record, zone)
    at, until = _instant(first, zone, numbers), _instant(last, zone, numbers, is_last=True)
    _check_ends(first, last, at, until, now)
    until = min(until, now, trigger.until or now)
    for fire in takewhile(
        lambda fire: fire <= until, _fires(trigger, record, at).after(at - datetime.resolution)
    ):
        yield (numbers.number(fire) if numbers is not None else Instant(fire)), fire


def slot_of(process: Process, record: ProcessRecord, text: str) -> tuple[Slot, datetime | None]:
    """Return the slot of a process that a text names, and its due time, None if it has none.

    The digits of a period, or a date, are enough; an instant may omit the `@`. A period of another
    length than the process's is cast to it. A number `!n` is a slot of any process.

    Raises:
        PeriodError: the text is not a slot, or not one of this process.
    """
    if text.startswith("!"):
        return parse_slot(text), None
    if process.qualifier is not None:
        period = _period(text, parse_qualifier(process.qualifier))
        return period, period.bounds()[1]
    trigger = process.trigger
    own = trigger.slots if trigger is not None and not trigger.after else ""
    example = "#2603280002" if own == "iterations" else "2026-11-01T13:00:00Z"
    if _DATE.fullmatch(text):
        raise PeriodError(f"{text} is a day, not a slot of {process.name}", hint=f"write {example}")
    slot = Instant(parse_instant(text)) if text[4:5] == "-" else parse_slot(text)
    kinds: dict[str, type[Slot]] = {"iterations": Iteration, "instants": Instant}
    if own and not isinstance(slot, kinds[own]):
        raise PeriodError(f"{text} is not a slot of {process.name}, which has {own}", hint=f"write {example}")
    zone = ZoneInfo(trigger.timezone if trigger is not None else "UTC")
    numbers = _numbered(process, record, zone)
    if numbers is not None and isinstance(slot, Iteration):
        return slot, _fire_of(slot, numbers, zone)
    return slot, slot.at if isinstance(slot, Instant) else None


def _check_ends(first: str, last: str, begin: datetime, end: datetime, now: datetime) -> None:
    if begin > end:
        raise PeriodError(f"{first} is later than {last}", hint="write the earlier one first")
    if begin > now:
        raise PeriodError(f"{first} has not begun yet", hint="a backfill creates jobs of past slots only")


def _has_fires(trigger: Trigger) -> bool:
    """Whether a trigger has a schedule that gives fires before and after any time."""
    has_times = trigger.cron is not None or bool(trigger.at)
    return has_times or (trigger.every is not None and trigger.slots == "instants" and not trigger.after)


def _other_way(process: Process) -> str:
    trigger = process.trigger
    if trigger is not None and trigger.after:
        return f"fill those of {' or '.join(trigger.after)}, which it follows"
    if trigger is not None and trigger.slots == "iterations":
        return f"write scoopi launch {process.name} --slot '#42' for a single iteration"
    return f"scoopi launch {process.name} creates single jobs"


def _numbered(process: Process, record: ProcessRecord, zone: tzinfo) -> CronIterations | None:
    """The numbers of the fires of a cron expression; None if the slots are not numbered."""
    trigger = process.trigger
    if trigger is None or trigger.slots != "iterations" or trigger.cron is None:
        return None
    return CronIterations(local_fires(trigger), zone, record.since)


def _fires(trigger: Trigger, record: ProcessRecord, begin: datetime) -> Fires:
    """The fires from a time on, which may be before `since`; those of an interval include `since`."""
    if trigger.every is None or trigger.cron is not None or trigger.at:
        return local_fires(trigger)
    since = trigger.since or record.since
    steps = (since - begin) // trigger.every + 1 if begin <= since else 0
    return IntervalFires(since - steps * trigger.every, trigger.every)


def _period(text: str, qualifier: Qualifier, *, is_last: bool = False) -> Period:
    """The period that a text names; for a day, the one in which it begins, or with `is_last` ends."""
    if (day := _day(text)) is not None:
        return Period(qualifier, datetime.combine(day, time(23 if is_last else 0)))
    if text[4:5] == "-":
        return Period(qualifier, parse_instant(text).astimezone(UTC))
    try:
        return parse_period(text, qualifier).cast(qualifier)
    except PeriodError as error:
        hint = "write a day as 2026-11-01, or ten digits as 2026110100"
        raise PeriodError(error.what, hint=hint) from error


def _instant(text: str, zone: tzinfo, numbers: CronIterations | None, *, is_last: bool = False) -> datetime:
    """The time at which a slot or a day begins; for a day with `is_last`, its last microsecond."""
    if (day := _day(text)) is not None:
        if not is_last:
            return datetime.combine(day, time(), zone).astimezone(UTC)
        return datetime.combine(day + timedelta(days=1), time(), zone).astimezone(UTC) - datetime.resolution
    if numbers is not None and text.startswith("#"):
        slot = parse_slot(text)
        assert isinstance(slot, Iteration)
        return _fire_of(slot, numbers, zone)
    try:
        moment = parse_instant(text.removeprefix("@"))
    except PeriodError as error:
        hint = "write a day as 2026-11-01, or RFC 3339 as 2026-11-01T13:00:00Z"
        raise PeriodError(f"{text!r} is neither a day nor an instant", hint=hint) from error
    _ensure_near(text, moment.year)
    return moment


def _fire_of(slot: Iteration, numbers: CronIterations, zone: tzinfo) -> datetime:
    day, ordinal = day_and_ordinal(slot)
    midnight = datetime.combine(day, time(), zone).astimezone(UTC)
    fire = next(islice(numbers.fires_from(midnight), ordinal - 1, None), None) if ordinal else None
    if fire is None or numbers.number(fire) != slot:
        raise PeriodError(
            f"no fire has the number {slot}", hint="write yyMMdd and the ordinal of the fire in that day"
        )
    return fire


def _day(text: str) -> date | None:
    """The day of a plain date; None of other texts."""
    if not _DATE.fullmatch(text):
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise PeriodError(f"{text} is not a day: {error}", hint="write YEAR-MONTH-DAY") from error
    _ensure_near(text, day.year)
    return day


def _ensure_near(text: str, year: int) -> None:
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        what = f"{text} is outside the years {_FIRST_YEAR} to {_LAST_YEAR}"
        raise PeriodError(what, hint="write a day of the time that is meant, as 2026-11-01")
