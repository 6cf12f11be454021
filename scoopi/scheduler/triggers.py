"""triggers: calculates the fires of a process, and the slots that become due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import count as count_from
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from scoopi.model.schedule.process import Process, Trigger
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.periods.cron import CronExpression
from scoopi.periods.fires import BoundedFires, Fires, IntervalFires, LocalFires, times_of_day
from scoopi.periods.iterations import CronIterations
from scoopi.periods.period import Period, parse_qualifier
from scoopi.periods.slot import Instant, Iteration, Slot
from scoopi.scheduler.decisions import is_inside_group

ON_TIME = timedelta(seconds=60)
"""A fire that a pass finds later than this was missed."""
FOLLOWING = "after_completion"
"""The source of iterations that begin when the previous one is over."""
_MOST_KEPT = 10_000
"""The most triggers whose expressions are cached."""


def fires_of(trigger: Trigger, since: datetime) -> Fires | None:
    """Return the fires after the trigger's `since`; None if it has no schedule of its own.

    Args:
        since: when the process was first deployed.
    """
    begin = trigger.since or since
    if trigger.cron is not None or trigger.at:
        return BoundedFires(local_fires(trigger), begin, trigger.until)
    if trigger.every is not None and trigger.slots == "instants" and not trigger.after:
        return BoundedFires(IntervalFires(begin, trigger.every), begin, trigger.until)
    return None


def due_fires(process: Process, record: ProcessRecord, now: datetime, limit: int) -> list[datetime]:
    """Return the fires since the last planned one that get a slot, by the rules for catching up.

    Fires that a pass finds within a minute are on time, and all of them count. Older ones were missed: of
    these `catchup` selects all, the latest (if no fire on time followed), or none; those older than
    `catchup_window` are dropped.

    Args:
        limit: maximum number of fires; the rest is due in the next pass.
    """
    assert process.trigger is not None
    last = record.last_fire or record.since
    first = _first_fire(process.trigger, record.since, last)
    fires = fires_of(process.trigger, record.since)
    if fires is None or first is None or now < first:
        return []
    recent = max(last, now - ON_TIME)
    on_time = list(islice(takewhile(lambda at: at <= now, fires.after(recent)), limit))
    if process.catchup == "none" or (process.catchup == "latest" and on_time):
        return on_time
    oldest = max(last, now - max(process.catchup_window, ON_TIME))
    if process.catchup == "latest":
        latest = next(fires.before(recent + datetime.resolution), None)
        return [latest] if latest is not None and latest > oldest else []
    missed = takewhile(lambda at: at <= recent, fires.after(oldest))
    return [*islice(missed, limit), *on_time][:limit]


def window(process: Process, record: ProcessRecord, now: datetime) -> list[tuple[Slot, datetime]]:
    """Return the current iteration of a cron trigger and those within its `lookback`, each with its fire."""
    trigger = process.trigger
    assert trigger is not None
    source = CronIterations(local_fires(trigger), ZoneInfo(trigger.timezone), trigger.since or record.since)
    return [*source.window(_until(trigger, now), process.lookback)]


def periods_since(process: Process, record: ProcessRecord, now: datetime) -> list[Period]:
    """Return the periods after the last planned one (or from the first) up to the current one, in order.

    The first is the one in which the process is first deployed, or the later one of its trigger's `since`;
    none begins after `until`.
    """
    assert process.qualifier is not None
    assert process.trigger is not None
    qualifier = parse_qualifier(process.qualifier)
    first = first_period(process, record)
    if record.last_fire is not None:
        first = max(first, Period(qualifier, record.last_fire).shift(1), key=lambda each: each.bounds())
    last = Period(qualifier, _until(process.trigger, now))
    return [first.shift(count) for count in range(max(last.diff(first) + 1, 0))]


def upcoming(
    process: Process, record: ProcessRecord, now: datetime, count: int
) -> list[tuple[Slot, datetime]]:
    """Return the next slots of a process, each with the time at which it becomes due.

    Of periods in groups these are the last ones of their groups, whose jobs do the work of all. For
    iterations that follow each other it is only one, with the earliest time.
    """
    trigger = process.trigger
    if trigger is None:
        return []
    if trigger.slots == "periods":
        assert process.qualifier is not None
        current = Period(parse_qualifier(process.qualifier), now)
        current = max(current, first_period(process, record), key=lambda each: each.bounds())
        following = (current.shift(step) for step in count_from())
        begun = takewhile(lambda each: trigger.until is None or each.bounds()[0] <= trigger.until, following)
        worked_on = (period for period in begun if not is_inside_group(process, period))
        return [(period, period.bounds()[1] + process.lag) for period in islice(worked_on, count)]
    if trigger.slots == "iterations" and trigger.source == FOLLOWING:
        number = 0 if record.iteration is None else record.iteration + 1
        begin = max(now, next_begin(trigger, record))
        return [(Iteration(number), begin)] if trigger.until is None or begin <= trigger.until else []
    fires = fires_of(trigger, record.since)
    if fires is None:
        return []
    found = list(islice(fires.after(planned_ahead(process, record, now) or now), count))
    if trigger.slots == "iterations":
        source = CronIterations(local_fires(trigger), ZoneInfo(trigger.timezone), record.since)
        return [(source.number(fire), fire) for fire in found]
    return [(Instant(fire), fire) for fire in found]


def planned_ahead(process: Process, record: ProcessRecord, now: datetime) -> datetime | None:
    """Return until when a pass whose clock was ahead has planned fires, which get no slot now; else None."""
    trigger = process.trigger
    has_fires = trigger is not None and trigger.slots == "instants" and not trigger.after
    return record.last_fire if has_fires and record.last_fire is not None and now < record.last_fire else None


def last_fire_before(process: Process, record: ProcessRecord, now: datetime) -> datetime | None:
    """Return the last fire up to now that no pass has planned; None if there is none."""
    trigger = process.trigger
    if trigger is None or trigger.slots != "instants":
        return None
    fires = fires_of(trigger, record.since)
    last = None if fires is None else next(fires.before(now + datetime.resolution), None)
    return last if last is not None and last > (record.last_fire or record.since) else None


def next_begin(trigger: Trigger, record: ProcessRecord) -> datetime:
    """Return when the next iteration may begin, if the current one is over by then."""
    earliest = max(trigger.since or record.since, record.since)
    if record.iteration is None or record.last_fire is None:
        return earliest
    return max(earliest, record.last_fire + (trigger.every or timedelta(0)))


def first_period(process: Process, record: ProcessRecord) -> Period:
    """Return the first period of a process that has periods."""
    assert process.qualifier is not None
    since = None if process.trigger is None else process.trigger.since
    return Period(parse_qualifier(process.qualifier), max(record.since, since or record.since))


def _until(trigger: Trigger, now: datetime) -> datetime:
    """Now, or the end of a trigger if that was earlier."""
    return now if trigger.until is None else min(now, trigger.until)


@lru_cache(maxsize=_MOST_KEPT)
def _first_fire(trigger: Trigger, since: datetime, last: datetime) -> datetime | None:
    """The first fire after the last planned one; cached, so that it costs a pass nothing until it is due."""
    fires = fires_of(trigger, since)
    return None if fires is None else next(fires.after(last), None)


@lru_cache(maxsize=_MOST_KEPT)
def local_fires(trigger: Trigger) -> LocalFires:
    """Return the fires of a trigger with `cron` or `at`; cached, so that passes do not parse them again."""
    expressions = (
        times_of_day(trigger.at) if trigger.at else [CronExpression(trigger.cron or "", trigger.dialect)]
    )
    zone = UTC if trigger.timezone == "UTC" else ZoneInfo(trigger.timezone)
    return LocalFires(expressions, zone, fires_twice=trigger.dst == "every")
