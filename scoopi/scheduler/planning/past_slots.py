"""past_slots: the slots of a process between two ends, given as slots or as days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from scoopi.errors import PeriodError
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.periods.fires import Fires, IntervalFires
from scoopi.periods.iterations import CronIterations, day_and_ordinal
from scoopi.periods.period import Period, Qualifier, parse_period, parse_qualifier
from scoopi.periods.slot import Instant, Iteration, Slot, parse_instant, parse_slot
from scoopi.scheduler.triggers import local_fires

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def past_slots(
    process: Process, record: ProcessRecord, first: str, last: str, now: datetime
) -> Iterator[tuple[Slot, datetime]]:
    """The slots of a process from one end to another, inclusive and up to now, each with its due time.

    They may lie before the process's `since`: a backfill reaches where the schedule does not.

    Args:
        first, last: slots (of periods the digits suffice, of instants the `@` may be left out), or days
            (`2026-11-01`): the range has all slots from the first day to the last. A day is one
            of UTC for periods, as they are, else one of the trigger's zone.
    Raises:
        PeriodError: one of both is neither, or the process has no slots of its own.
    """
    if process.qualifier is not None:
        qualifier = parse_qualifier(process.qualifier)
        begin, end = _period(first, qualifier), _period(last, qualifier, is_last=True)
        periods = (begin.shift(step) for step in range(end.diff(begin) + 1))
        yield from (
            (each, each.bounds()[1]) for each in takewhile(lambda each: each.bounds()[0] <= now, periods)
        )
        return
    trigger = process.trigger
    zone = ZoneInfo(trigger.timezone if trigger is not None else "UTC")
    numbers = _numbered(process, record, zone)
    at, until = _instant(first, zone, numbers), _instant(last, zone, numbers, is_last=True)
    fires = _fires(process, record, at)
    if fires is None or trigger is None:
        raise PeriodError(f"{process.name} has no slots of its own", hint="scoopi launch creates single jobs")
    for fire in takewhile(lambda fire: fire <= min(until, now), fires.after(at - datetime.resolution)):
        yield (numbers.number(fire) if numbers is not None else Instant(fire)), fire


def slot_of(process: Process, text: str) -> Slot:
    """The slot of a process that a text names; of a period the digits suffice, of an instant the `@`.

    A period of another length than the process's is cast to it. A number `!n` is a slot of any process.

    Raises:
        PeriodError: it is not a slot, or not one of this process.
    """
    if text.startswith("!"):
        return parse_slot(text)
    if process.qualifier is not None:
        return _period(text, parse_qualifier(process.qualifier))
    slot = Instant(parse_instant(text)) if text[4:5] == "-" and _day(text) is None else parse_slot(text)
    kinds: dict[str, type[Slot]] = {"iterations": Iteration, "instants": Instant}
    trigger = process.trigger
    if trigger is not None and not trigger.after and not isinstance(slot, kinds[trigger.slots]):
        what = f"{text} is not a slot of {process.name}, which has {trigger.slots}"
        example = "#42" if trigger.slots == "iterations" else "@2026-11-01T13:00:00Z"
        raise PeriodError(what, hint=f"write {example}")
    return slot


def _numbered(process: Process, record: ProcessRecord, zone: tzinfo) -> CronIterations | None:
    """The numbers of the fires of a cron expression; None if the slots are not numbered."""
    trigger = process.trigger
    if trigger is None or trigger.slots != "iterations" or trigger.cron is None:
        return None
    return CronIterations(local_fires(trigger), zone, record.since)


def _fires(process: Process, record: ProcessRecord, begin: datetime) -> Fires | None:
    """The fires from a moment on, which may lie before `since`; None if the trigger has none of its own."""
    trigger = process.trigger
    if trigger is not None and (trigger.cron is not None or trigger.at):
        return local_fires(trigger)
    if trigger is not None and trigger.every is not None and trigger.slots == "instants":
        since = trigger.since or record.since
        steps = (since - begin) // trigger.every + 1 if begin < since else 0
        return IntervalFires(since - steps * trigger.every, trigger.every)
    return None


def _period(text: str, qualifier: Qualifier, *, is_last: bool = False) -> Period:
    """The period of its text, or that in which a day begins or, as the last one, ends."""
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
    """The moment at which a slot or a day begins; as the last one, just before the next day begins."""
    if (day := _day(text)) is not None:
        if not is_last:
            return datetime.combine(day, time(), zone).astimezone(UTC)
        return datetime.combine(day + timedelta(days=1), time(), zone).astimezone(UTC) - datetime.resolution
    if numbers is not None and text.startswith("#"):
        slot = parse_slot(text)
        assert isinstance(slot, Iteration)
        return _fire_of(slot, numbers, zone)
    try:
        return parse_instant(text.removeprefix("@"))
    except PeriodError as error:
        hint = "write a day as 2026-11-01, or RFC 3339 as 2026-11-01T13:00:00Z"
        raise PeriodError(f"{text!r} is neither a day nor an instant", hint=hint) from error


def _fire_of(slot: Iteration, numbers: CronIterations, zone: tzinfo) -> datetime:
    day, ordinal = day_and_ordinal(slot)
    midnight = datetime.combine(day, time(), zone).astimezone(UTC)
    fire = next(islice(numbers.fires_from(midnight), ordinal - 1, None), None) if ordinal else None
    if fire is None or numbers.number(fire) != slot:
        raise PeriodError(f"no fire has the number {slot}", hint="write a day as 2026-11-01 instead")
    return fire


def _day(text: str) -> date | None:
    """The day of a plain date; None of other texts."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise PeriodError(f"{text} is not a day: {error}", hint="write YEAR-MONTH-DAY") from error
