"""A job that does not exist: its slot is none, is to come, was before the process, or was missed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from scoopi.model.schedule.job_changes import SlotState
from scoopi.model.schedule.schedule_records import JobRecord, ProcessRecord
from scoopi.periods.slot import parse_slot
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.explaining.absent_job import absent_job
from scoopi.scheduler.removed_slots import with_removed
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
FIRES = "trigger: {cron: '0 6 * * *', timezone: Europe/Berlin}"
DAILY = "qualifier: daily, trigger: {}"
NUMBERED = "trigger: {slots: iterations, cron: '0 */8 * * *'}"
SINCE, UNTIL = "2026-01-01T12:00:00Z", "2026-01-06T12:00:00Z"
BOUNDS = f"since: '{SINCE}', until: '{UNTIL}'"
BOUNDED_FIRES = f"trigger: {{cron: '0 6 * * *', {BOUNDS}}}"
BOUNDED_DAYS = f"qualifier: daily, trigger: {{{BOUNDS}}}"
FOLLOWING = "trigger: {slots: iterations, source: after_completion}"


@pytest.mark.parametrize(
    ("keys", "slot", "why_not", "hint"),
    [
        (FIRES, "@2026-01-09T05:00:00Z", "its slot begins at 2026-01-09T05:00:00Z", "process next p"),
        (
            FIRES,
            "@2026-01-01T05:00:00Z",
            "no pass has created it in time",
            "backfill p --from '@2026-01-01T05",
        ),
        (FIRES, "@2025-12-31T05:00:00Z", "was first deployed at 2026-01-01T00:00:00Z", "backfill p --from"),
        (FIRES, "@2026-01-01T05:30:00Z", "it is not a slot of p", "process next p"),
        (FIRES, "#3", "#3 is not a slot of p, which has instants", "process next p"),
        (FIRES, "!3", "none was launched with this number", "scoopi launch p creates the next"),
        (DAILY, "D:2026010900", "its slot begins at 2026-01-09T00:00:00Z", "process next p"),
        (DAILY, "D:2025123000", "was first deployed at 2026-01-01T00:00:00Z", "backfill p --from 'D:2025"),
        (DAILY, "H:2026010100", "it is not a slot of p", "process next p"),
        (BOUNDED_FIRES, "@2026-01-01T06:00:00Z", f"begins at {SINCE} (since), after this slot", "backfill"),
        (BOUNDED_FIRES, "@2026-01-07T06:00:00Z", f"gives no slot after {UNTIL} (until)", "launch p --slot"),
        (BOUNDED_DAYS, "D:2025123100", f"begins at {SINCE} (since), after this slot", "backfill p"),
        (BOUNDED_DAYS, "D:2026010700", f"gives no slot after {UNTIL} (until)", "launch p --slot"),
        (NUMBERED, "#2601090001", "its slot begins at 2026-01-09T00:00:00Z", "process next p"),
        (NUMBERED, "#2601090004", "no fire has the number #2601090004", "process next p"),
        (FOLLOWING, "#7", "no iteration of this number has begun", "process next p"),
        ("trigger: {after: q}", "!3", "none was launched", "scoopi launch p"),
        ("trigger: {after: q}", "@2026-01-01T05:00:00Z", "it follows the job of q", "scoopi launch p --slot"),
        ("mode: manual", "@2026-01-01T05:00:00Z", "p has no trigger", "scoopi launch p --slot"),
    ],
)
def test_a_slot_without_a_job_says_why(world_of: Make, keys: str, slot: str, why_not: str, hint: str) -> None:
    world = world_of(f"processes: {{p: {{executes: external:x, {keys}}}, q: {{executes: external:x}}}}")
    record = world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    now = START + timedelta(days=2)

    found = absent_job(world.schedule.processes["p"], record, parse_slot(slot), now)

    assert why_not in found[0]
    assert hint in found[1]


@pytest.mark.parametrize(
    ("keys", "slot", "why_not", "hint"),
    [
        (DAILY, "D:2026010200", "no pass has run since it began; the next one creates it", "scoopi tick"),
        (
            "qualifier: daily, trigger: {every: 5d}",
            "D:2026010200",
            "the next evaluation of p, at 2026-01-06T00:00:00Z",
            "process interval p",
        ),
        (
            FIRES + ", catchup: all, catchup_window: 2d",
            "@2026-01-02T05:00:00Z",
            "no pass has run since",
            "scoopi tick",
        ),
        (
            FIRES,
            "@2026-01-02T05:00:00Z",
            "(catchup: latest), another job ran then (overlap: remind), or",
            "backfill p",
        ),
        (
            FIRES + ", overlap: skip",
            "@2026-01-02T05:00:00Z",
            "in time (catchup: latest), or it was removed",
            "backfill p",
        ),
        (NUMBERED + ", lookback: 1", "#2601020003", "no pass has run since it began", "scoopi tick"),
        (NUMBERED + ", lookback: 1", "#2601010002", "in the window (lookback: 1)", "backfill p"),
    ],
)
def test_a_slot_that_has_begun_says_whether_a_pass_creates_it(
    world_of: Make, keys: str, slot: str, why_not: str, hint: str
) -> None:
    world = world_of(f"processes: {{p: {{executes: external:x, {keys}}}}}")
    process, record = world.schedule.processes["p"], world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    now = START + timedelta(days=2)

    found = absent_job(process, record, parse_slot(slot), now)

    assert why_not in found[0]
    assert hint in found[1]
    if "no pass has run since" in why_not:
        world.tick(now)
        assert slot in [job.slot for job in world.all(JobRecord)], "the next pass has created it"


@pytest.mark.parametrize(("state", "slot"), [("noop", "D:2026010100"), ("failed", "D:2026010100")])
def test_a_removed_job_of_a_period_says_how_it_ended(world_of: Make, state: SlotState, slot: str) -> None:
    world = world_of(f"processes: {{p: {{executes: external:x, {DAILY}}}}}")
    process, record = world.schedule.processes["p"], world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    job = JobRecord(process="p", slot=slot, state=state, phase="ended", created=START, changed=START)
    removed = changed(record, removed=with_removed({}, [job]), last_fire=START)

    found = absent_job(process, removed, parse_slot(slot), START + timedelta(days=2))

    ended = "processed" if state == "noop" else state
    assert found[0] == f"it ended as {ended}, and was removed (history, retention)"
    assert found[1] == f"scoopi launch p --slot '{slot}' runs it once more"


@pytest.mark.parametrize(
    ("slot", "hint"),
    [
        ("@2026-01-02T05:00:00Z", "scoopi process backfill p --from"),
        ("@2026-01-09T05:00:00Z", "scoopi launch p --slot '@2026-01-09"),
    ],
)
def test_a_slot_that_a_clock_ahead_has_passed_over_says_so(world_of: Make, slot: str, hint: str) -> None:
    world = world_of(f"processes: {{p: {{executes: external:x, {FIRES}}}}}")
    process, record = world.schedule.processes["p"], world.records[ProcessRecord, "p"]
    assert isinstance(record, ProcessRecord)
    ahead = changed(record, last_fire=START + timedelta(days=365, hours=5))
    now = START + timedelta(days=2)

    found = absent_job(process, ahead, parse_slot(slot), now)

    assert found[0].startswith("a pass whose clock was ahead has planned 2027-01-01T05:00:00Z")
    assert found[1].startswith(hint)
    before = absent_job(process, ahead, parse_slot("@2025-12-31T05:00:00Z"), now)
    assert "was first deployed" in before[0]
