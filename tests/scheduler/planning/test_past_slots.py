"""The ends of a backfill: slots, and days in the zone in which the slots of the process are."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from scoopi.errors import PeriodError
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.periods.slot import Slot
from scoopi.scheduler.planning.past_slots import past_slots, slot_of
from tests.scheduler.scenarios.world import World

Make = Callable[[str], World]
NOW = "2026-12-01T00:00:00Z"
HOURLY_IN = "processes: {p: {executes: external:x, trigger: {cron: '0 * * * *', timezone: %s, dst: every}}}"
NUMBERED = """
processes:
  p: {executes: external:x, trigger: {slots: iterations, cron: '0 */8 * * *', timezone: Europe/Berlin}}
"""
PERIODS = """
processes:
  p:
    executes: external:x
    qualifier: %s
    trigger: {at: ['*-06:00'], timezone: Pacific/Auckland}
"""


def slots(world: World, first: str, last: str, now: str = NOW) -> list[str]:
    record = world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    found = past_slots(world.schedule.processes["p"], record, first, last, datetime.fromisoformat(now))
    return [str(slot) for slot, _ in found]


def named(world: World, given: str) -> tuple[Slot, datetime | None]:
    record = world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    return slot_of(world.schedule.processes["p"], record, given)


@pytest.mark.parametrize(
    ("zone", "day", "hours", "first"),
    [
        ("Europe/Berlin", "2026-11-01", 24, "@2026-10-31T23:00:00Z"),
        ("Europe/Berlin", "2026-10-25", 25, "@2026-10-24T22:00:00Z"),  # clocks go back
        ("Europe/Berlin", "2026-03-29", 23, "@2026-03-28T23:00:00Z"),  # and forward
        ("America/Havana", "2026-11-01", 25, "@2026-11-01T04:00:00Z"),  # midnight occurs twice
        ("America/Havana", "2026-03-08", 23, "@2026-03-08T05:00:00Z"),  # there is no midnight
        ("Pacific/Auckland", "2026-11-01", 24, "@2026-10-31T11:00:00Z"),
    ],
)
def test_a_day_has_all_fires_of_the_day_in_the_zone_of_the_trigger(
    world_of: Make, zone: str, day: str, hours: int, first: str
) -> None:
    world = world_of(HOURLY_IN % zone)
    found = slots(world, day, day)
    assert (len(found), found[0]) == (hours, first)
    begin = datetime.fromisoformat(first.removeprefix("@"))
    end = begin + timedelta(hours=hours - 1)
    assert found == slots(world, begin.isoformat(), end.isoformat())


@pytest.mark.parametrize(
    ("qualifier", "expected"),
    [
        ("hourly", ["H:2026110100", "H:2026110223", 48]),
        ("daily", ["D:2026110100", "D:2026110200", 2]),
        ("monthly", ["M:2026110000", "M:2026110000", 1]),
        ("yearly", ["Y:2026000000", "Y:2026000000", 1]),
    ],
)
def test_days_of_periods_are_those_of_the_periods(
    world_of: Make, qualifier: str, expected: list[str | int]
) -> None:
    found = slots(world_of(PERIODS % qualifier), "2026-11-01", "2026-11-02")
    assert [found[0], found[-1], len(found)] == expected


def test_an_instant_stands_for_the_period_that_contains_it(world_of: Make) -> None:
    world = world_of(PERIODS % "daily")
    assert slots(world, "2026-11-01T23:30:00-05:00", "2026-11-02T10:00:00Z") == ["D:2026110200"]


def test_the_current_day_ends_now(world_of: Make) -> None:
    world = world_of(HOURLY_IN % "UTC")
    assert len(slots(world, "2026-11-30", "2026-11-30", "2026-11-30T05:30:00Z")) == 6


def test_days_and_numbers_of_iterations_name_the_same_slots(world_of: Make) -> None:
    world = world_of(NUMBERED)
    numbers = [f"#260329000{number}" for number in (1, 2, 3)]
    assert slots(world, "2026-03-29", "2026-03-29") == numbers
    assert slots(world, numbers[1], "2026-03-29") == numbers[1:]
    assert slots(world, numbers[0], numbers[1]) == numbers[:2]


@pytest.mark.parametrize(
    ("text", "end", "said"),
    [
        (NUMBERED, "#2603290004", "no fire has the number #2603290004"),
        (NUMBERED, "#2603290000", "no fire has the number #2603290000"),
        (NUMBERED, "#42", "#42 has no day"),
        (NUMBERED, "2026-02-30", "2026-02-30 is not a day: day is out of range for month"),
        (NUMBERED, "tomorrow", "'tomorrow' is neither a day nor an instant"),
        (PERIODS % "daily", "2026-11-31", "2026-11-31 is not a day"),
        (PERIODS % "daily", "20261101", "'20261101' is not a period; write a day as 2026-11-01"),
        (HOURLY_IN % "UTC", "#1", "'#1' is neither a day nor an instant"),
        ("processes: {p: {executes: external:x}}", "2026-11-01", "p has no slots of its own"),
    ],
)
def test_what_is_neither_a_slot_nor_a_day_is_refused(world_of: Make, text: str, end: str, said: str) -> None:
    with pytest.raises(PeriodError) as caught:
        slots(world_of(text), end, end)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "given", "slot"),
    [
        (PERIODS % "daily", "2026110100", "D:2026110100"),
        (PERIODS % "daily", "H:2026110113", "D:2026110100"),
        (PERIODS % "daily", "2026-11-01", "D:2026110100"),
        (PERIODS % "daily", "!7", "!7"),
        (HOURLY_IN % "UTC", "2026-11-01T13:00:00+01:00", "@2026-11-01T12:00:00Z"),
        (HOURLY_IN % "UTC", "@2026-11-01T13:00:00Z", "@2026-11-01T13:00:00Z"),
        (NUMBERED, "#2603290001", "#2603290001"),
        ("processes: {p: {executes: external:x}}", "D:2026110100", "D:2026110100"),
    ],
)
def test_a_slot_is_written_as_briefly_as_its_process_allows(
    world_of: Make, text: str, given: str, slot: str
) -> None:
    assert str(named(world_of(text), given)[0]) == slot


@pytest.mark.parametrize(
    ("text", "given", "said"),
    [
        (HOURLY_IN % "UTC", "#1", "#1 is not a slot of p, which has instants; write 2026-"),
        (
            NUMBERED,
            "D:2026110100",
            "D:2026110100 is not a slot of p, which has iterations; write #2603280002",
        ),
        (PERIODS % "daily", "@2026-11-01T13:00:00Z", "'@2026-11-01T13:00:00Z' is not a period"),
        (HOURLY_IN % "UTC", "2026-11-01", "2026-11-01 is a day, not a slot of p; write 2026-11-01T13:00:00Z"),
        (NUMBERED, "2026-11-01", "2026-11-01 is a day, not a slot of p; write #2603280002"),
        (NUMBERED, "#2603290004", "no fire has the number #2603290004"),
        (NUMBERED, "#42", "#42 has no day"),
        (PERIODS % "daily", "", "'' is not a period"),
        (HOURLY_IN % "UTC", "", "'' is not a slot"),
    ],
)
def test_a_slot_of_another_kind_is_refused(world_of: Make, text: str, given: str, said: str) -> None:
    with pytest.raises(PeriodError) as caught:
        named(world_of(text), given)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "given", "due"),
    [
        (PERIODS % "daily", "2026110100", "2026-11-02T00:00:00Z"),
        (HOURLY_IN % "UTC", "2026-11-01T13:30:00Z", "2026-11-01T13:30:00Z"),
        (NUMBERED, "#2603290003", "2026-03-29T14:00:00Z"),
        (NUMBERED, "!7", None),
        ("processes: {p: {executes: external:x}}", "D:2026110100", None),
    ],
)
def test_a_named_slot_is_due_as_if_it_were_scheduled(
    world_of: Make, text: str, given: str, due: str | None
) -> None:
    assert named(world_of(text), given)[1] == (due and datetime.fromisoformat(due))


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ("2026-11-02", "2026-11-01", "2026-11-02 is later than 2026-11-01; write the earlier one first"),
        ("2026-12-02", "2026-12-03", "2026-12-02 has not begun yet"),
        ("2026-12-03", "2026-12-02", "2026-12-03 is later than 2026-12-02"),
    ],
)
@pytest.mark.parametrize("text", [HOURLY_IN % "UTC", PERIODS % "daily", NUMBERED])
def test_a_range_without_past_slots_says_why(
    world_of: Make, text: str, first: str, last: str, said: str
) -> None:
    with pytest.raises(PeriodError) as caught:
        slots(world_of(text), first, last)
    assert said in str(caught.value)


def test_what_is_to_come_of_a_range_is_left_out(world_of: Make) -> None:
    world = world_of(PERIODS % "daily")
    assert slots(world, "2026-11-30", "2027-01-05") == ["D:2026113000", "D:2026120100"]


def test_a_range_between_two_fires_is_empty(world_of: Make) -> None:
    world = world_of(HOURLY_IN % "UTC")
    assert slots(world, "2026-11-01T11:01:00Z", "2026-11-01T11:59:00Z") == []
    assert slots(world, "2026-11-01T11:00:00Z", "2026-11-01T11:00:00Z") == ["@2026-11-01T11:00:00Z"]


def test_nothing_fires_after_the_until_of_a_trigger(world_of: Make) -> None:
    world = world_of(
        "processes: {p: {executes: external:x, trigger: {cron: '0 6 * * *', until: '2026-03-10T12:00:00Z'}}}"
    )
    assert slots(world, "2026-03-09", "2026-03-12") == ["@2026-03-09T06:00:00Z", "@2026-03-10T06:00:00Z"]


@pytest.mark.parametrize("first", ["2025-12-31T23:00:00Z", "2026-01-01T00:00:00Z"])
def test_the_start_of_an_interval_is_part_of_each_range_that_has_it(world_of: Make, first: str) -> None:
    world = world_of("processes: {p: {executes: external:x, trigger: {every: 1h}}}")
    assert slots(world, first, "2026-01-01T01:00:00Z")[-2:] == [
        "@2026-01-01T00:00:00Z",
        "@2026-01-01T01:00:00Z",
    ]


@pytest.mark.parametrize(
    ("trigger", "hint"),
    [
        ("{slots: iterations, source: after_completion}", "scoopi launch p --slot '#42'"),
        ("{after: q}", "fill those of q, which it follows"),
    ],
)
def test_a_process_without_fires_says_what_to_do_instead(world_of: Make, trigger: str, hint: str) -> None:
    world = world_of(
        f"processes: {{p: {{executes: external:x, trigger: {trigger}}}, q: {{executes: external:x}}}}"
    )
    with pytest.raises(PeriodError) as caught:
        slots(world, "#1", "#2")
    assert hint in str(caught.value)


EVERY = "processes: {p: {executes: external:x, trigger: {every: 100000d}}}"


@pytest.mark.parametrize("text", [HOURLY_IN % "Asia/Tokyo", NUMBERED, PERIODS % "daily", EVERY])
@pytest.mark.parametrize(
    ("first", "last", "which"),
    [
        ("2026-11-01", "9999-12-31", "9999-12-31"),
        ("0001-01-01", "2026-11-01", "0001-01-01"),
        ("9999-12-31", "9999-12-31", "9999-12-31"),
    ],
)
def test_a_day_near_an_end_of_the_calendar_is_refused(
    world_of: Make, text: str, first: str, last: str, which: str
) -> None:
    with pytest.raises(PeriodError, match=f"{which} is outside the years 1000 to 8999"):
        slots(world_of(text), first, last)


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_an_instant_near_an_end_of_the_calendar_is_no_end_of_a_backfill(world_of: Make, at: str) -> None:
    with pytest.raises(PeriodError, match="outside the years 1000 to 8999"):
        slots(world_of(EVERY), *sorted((at, "2026-11-01")))
    assert slots(world_of(EVERY), "1000-01-01", "8999-12-31")
