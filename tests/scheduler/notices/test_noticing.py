"""What happens to jobs is reported once, to those who asked for it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from scoopi.model.schedule.notice_record import NoticeRecord
from scoopi.model.schedule.schedule_records import AttemptRecord, ProcessRecord
from scoopi.scheduler.decisions import canceled, changed
from tests.scheduler.scenarios.world import START, CrashError, World

Make = Callable[[str], World]
FAILS = "processes: {p: {executes: 'python:a:b', retry: {max: 1, delay: 1m}, notify: [%s]}}"
MAIL = "{when: [%s], via: [bin/mail]}"


def events(world: World) -> list[tuple[str, str]]:
    """Event and job or attempt of each notice, in the order of writing."""
    return [(each.event, each.attempt or each.job) for each in world.all(NoticeRecord)]


def test_each_end_of_an_attempt_and_of_its_job_is_reported_once(world_of: Make) -> None:
    world = world_of(FAILS % MAIL % "failed, succeeded")
    world.worker()
    world.launch("p", "!1")
    world.work("failed", explanation="no bread")
    world.pass_time(minutes=1)
    world.work("failed")
    world.pass_time(minutes=5)
    assert events(world) == [("failed", "p/!1/1"), ("failed", "p/!1/2")]
    assert world.all(NoticeRecord)[0].reason == "no bread"


def test_a_pass_that_crashes_at_any_write_reports_the_same(world_of: Make) -> None:
    for crash_after in range(1, 12):
        world = world_of(FAILS % MAIL % "failed, processed")
        world.worker()
        world.launch("p", "!1")
        world.crash_after = crash_after
        for _ in range(2):
            try:
                world.work()
            except CrashError:
                world.crash_after = None
        assert events(world) == [("processed", "p/!1")]


def test_a_target_that_two_rules_name_gets_one_notice_and_each_other_target_its_own(world_of: Make) -> None:
    rules = f"{MAIL}, {MAIL}, {{when: [noop], via: 'python:m:f'}}"
    world = world_of(f"settings: {{notify: [{MAIL % 'noop'}]}}\n" + FAILS % (rules % (("noop",) * 2)))
    world.worker()
    world.launch("p", "!1")
    world.work("noop")
    found = sorted((each.attempt, each.via) for each in world.all(NoticeRecord))
    assert found == [("p/!1/1", ("bin/mail",)), ("p/!1/1", ("python:m:f",))]


def test_a_job_that_fails_by_an_error_is_reported_beside_its_attempt(world_of: Make) -> None:
    world = world_of(FAILS % MAIL % "failed, error")
    world.worker()
    world.launch("p", "!1")
    world.work("error")
    world.pass_time(minutes=1)
    world.work("error")
    assert sorted(events(world)) == [("error", "p/!1/1"), ("error", "p/!1/2"), ("failed", "p/!1")]


def test_a_deadline_is_reported_once_even_if_nothing_has_started(world_of: Make) -> None:
    rule = "{executes: 'python:a:b', deadline: {after: created, within: 1h}, notify: [%s]}"
    world = world_of("processes: {p: %s}" % (rule % MAIL % "deadline"))
    world.put(changed(world.records[ProcessRecord, "p"], paused=""))
    world.launch("p", "!1")
    world.tick(START + timedelta(hours=1))
    assert events(world) == []
    world.pass_time(timedelta(minutes=10), hours=3)
    assert events(world) == [("deadline", "p/!1")]
    assert world.all(NoticeRecord)[0].reason == "deadline: not finished by 2026-01-01T01:00:00Z"
    assert world.job("p/!1").state == "embryo"


@pytest.mark.parametrize("has_attempt", [False, True])
def test_a_start_that_is_missed_is_reported_once(world_of: Make, has_attempt: bool) -> None:
    rule = "{executes: 'python:a:b', start_deadline: 10m, notify: [%s]}"
    world = world_of("processes: {p: %s}" % (rule % MAIL % "missed"))
    world.put(changed(world.records[ProcessRecord, "p"], paused=None if has_attempt else ""))
    world.launch("p", "!1")
    world.tick()
    assert len(world.all(AttemptRecord)) == has_attempt, "without a worker it waits"
    world.put(changed(world.records[ProcessRecord, "p"], paused=None))
    world.tick(START + timedelta(minutes=11))
    world.pass_time(timedelta(minutes=10), hours=1)
    assert events(world) == [("missed", "p/!1")]
    assert world.job("p/!1").missed


def test_a_job_that_is_cancelled_is_not_missed_whatever_its_reason(world_of: Make) -> None:
    rule = "{executes: 'python:a:b', mode: manual, notify: [%s]}"
    world = world_of("processes: {p: %s}" % (rule % MAIL % "missed, skipped"))
    world.worker()
    world.launch("p", "!1")
    world.work("canceled", explanation="missed: the press conference")
    assert events(world) == [("skipped", "p/!1")]


@pytest.mark.parametrize(("setting", "expected"), [("24h", 1), ("never", 0)])
def test_a_job_that_waits_on_a_failed_one_for_too_long_is_reported(
    world_of: Make, setting: str, expected: int
) -> None:
    world = world_of(
        f"settings: {{stuck_after: {setting}, notify: [{MAIL % 'stuck'}]}}\n"
        "processes: {a: {executes: 'python:a:b', mode: manual},"
        " b: {executes: 'python:a:b', mode: manual, depends_on: [a]}}"
    )
    world.worker()
    world.launch("a", "!1")
    world.launch("b", "!1")
    world.work("failed")
    world.tick(START + timedelta(hours=24))
    assert events(world) == []
    world.pass_time(timedelta(hours=1), hours=5)
    assert events(world) == [("stuck", "b/!1")] * expected


def test_a_stuck_job_is_reported_also_if_its_missed_deadline_is_not(world_of: Make) -> None:
    world = world_of(
        f"settings: {{stuck_after: 24h, notify: [{MAIL % 'stuck'}]}}\n"
        "processes: {a: {executes: 'python:a:b', mode: manual}, b: {executes: 'python:a:b', mode: manual,"
        " depends_on: [a], deadline: {after: created, within: 1h, then: notify}}}"
    )
    world.worker()
    world.launch("a", "!1")
    world.launch("b", "!1")
    world.work("failed")
    world.tick(START + timedelta(hours=25))
    assert events(world) == [("stuck", "b/!1")]


def test_that_an_attempt_runs_is_reported_once_for_each_claim(world_of: Make) -> None:
    world = world_of(FAILS % MAIL % "running, waiting")
    world.worker()
    world.launch("p", "!1")
    world.tick()
    world.claim()
    world.pass_time(minutes=1)
    assert events(world) == [("waiting", "p/!1/1"), ("running", "p/!1/1")]
    assert world.all(NoticeRecord)[1].reason == "on worker w1"
    world.put(changed(world.attempts("running")[0], status="waiting", worker=""))  # handed back
    world.pass_time(minutes=1)
    world.claim()
    world.pass_time(minutes=1)
    assert [event for event, _ in events(world)] == ["waiting", "running", "waiting", "running"]


@pytest.mark.parametrize("passes", [0, 1], ids=["placed at once", "seen by a pass before"])
def test_that_a_worker_finds_an_attempt_not_ready_is_reported_once_each_time(
    world_of: Make, passes: int
) -> None:
    world = world_of(FAILS % MAIL % "pending, waiting")
    world.worker()
    world.launch("p", "!1")
    world.tick()
    assert [event for event, _ in events(world)] == ["pending", "waiting"]
    for _ in range(2):
        (attempt,) = world.claim()
        back = {"status": "pending", "worker": "", "ended": world.now, "explanation": "no file yet"}
        world.put(changed(attempt, **back))
        for _ in range(passes):
            world.tick()
        world.pass_time(minutes=1)
    assert [event for event, _ in events(world)] == ["pending", "waiting"] * 3
    assert [each.reason for each in world.all(NoticeRecord) if each.event == "pending"] == [
        *("", "no file yet", "no file yet")
    ]


@pytest.mark.parametrize("passes", [0, 1], ids=["ended before a pass", "seen by a pass"])
def test_a_worker_s_statuses_are_reported_before_the_end_whether_a_pass_saw_them_or_not(
    world_of: Make, passes: int
) -> None:
    world = world_of(FAILS % MAIL % "running, canceling, canceled")
    world.worker()
    world.launch("p", "!1")
    world.tick()
    (attempt,) = world.claim()
    wished = canceled(attempt, world.now, "drain", "by ann")
    world.put(changed(wished, status="canceling", wish_seen=world.now))
    for _ in range(passes):
        world.tick()
    (attempt,) = world.attempts("canceling")
    world.end(attempt, "canceled")
    world.pass_time(minutes=1)
    assert [event for event, _ in events(world)] == ["running", "canceling", "canceled"]
    assert world.all(NoticeRecord)[1].reason == "by ann"


def test_a_cancel_that_its_worker_has_not_seen_is_not_reported_as_canceling(world_of: Make) -> None:
    world = world_of(FAILS % MAIL % "canceling, canceled")
    world.worker()
    world.launch("p", "!1")
    world.tick()
    (attempt,) = world.claim()
    world.put(canceled(attempt, world.now, "step", "by ann"))
    world.pass_time(timedelta(minutes=1), minutes=5)
    assert [event for event, _ in events(world)] == ["canceled"]


def test_statuses_that_workers_give_are_marked_only_where_they_are_reported(world_of: Make) -> None:
    world = world_of(FAILS % MAIL % "failed")
    world.worker()
    world.launch("p", "!1")
    world.tick()
    world.claim()
    writes = world.writes
    world.tick()
    assert world.writes == writes


def test_nothing_is_written_for_processes_without_targets(world_of: Make) -> None:
    world = world_of("processes: {p: {executes: 'python:a:b', deadline: {after: created, within: 1h}}}")
    world.launch("p", "!1")
    world.tick()
    world.tick(START + timedelta(minutes=1))  # that it waits for a worker is logged
    writes = world.writes
    world.tick(START + timedelta(hours=2))
    assert world.writes == writes
