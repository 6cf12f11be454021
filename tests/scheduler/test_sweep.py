"""Lost workers, timeouts and cancels."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from scoopi.model.schedule.schedule_records import AttemptRecord, ProcessRecord, WorkerRecord
from scoopi.scheduler.decisions import canceled, changed
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]
ONE = 'processes: {p: {executes: "python:a:b"%s}}'


def running(world: World) -> AttemptRecord:
    world.launch("p", "!1")
    world.tick()
    (attempt,) = world.claim()
    return attempt


def test_an_attempt_of_a_lost_worker_goes_to_another_with_a_higher_fence(world_of: Make) -> None:
    world = world_of(ONE % "")
    world.worker("w1", beat=0)
    attempt = running(world)
    world.worker("w2", beat=4)
    world.beat = 4
    world.tick()
    (worker,) = [each for each in world.all(WorkerRecord) if each.worker == "w1"]
    assert worker.state == "lost"
    (again,) = world.claim("w2")
    assert (again.number, again.fence) == (1, 2)
    assert not world.end(attempt)
    assert world.end(again)
    world.tick()
    assert world.job("p/!1").state == "processed"
    assert world.job("p/!1").attempts == 1


def test_the_time_in_which_a_lost_attempt_ran_counts_for_no_limit_of_waiting(world_of: Make) -> None:
    world = world_of(ONE % ", timeout: {queue: 1h}, start_deadline: 10m")
    world.worker("w1", beat=0)
    running(world)
    world.beat = 4
    world.tick(START + timedelta(hours=5))
    assert [each.number for each in world.attempts("waiting") + world.attempts("pending")] == [1]
    world.tick(START + timedelta(hours=6, seconds=1))
    assert [each.explanation for each in world.attempts("error")] == ["timeout.queue: waited longer than 1h"]


def test_a_worker_within_the_gap_keeps_its_attempt(world_of: Make) -> None:
    world = world_of(ONE % "")
    world.worker("w1", beat=1)
    running(world)
    world.beat = 4
    assert world.tick() == []


@pytest.mark.parametrize(
    ("timeout", "what"), [("{run: 1h}", "timeout.run: ran longer"), ("{heartbeat: 1h}", "timeout.heartbeat")]
)
def test_a_running_attempt_that_exceeds_a_timeout_is_cancelled_and_ends_as_an_error(
    world_of: Make, timeout: str, what: str
) -> None:
    world = world_of(ONE % f", timeout: {timeout}")
    world.worker()
    running(world)
    world.tick(START + timedelta(hours=1))
    assert world.attempts("running")[0].wish is None
    world.tick(START + timedelta(hours=1, seconds=1))
    wished = world.attempts("running")[0]
    assert (wished.wish, wished.outcome) == ("cancel", "error")
    world.tick(START + timedelta(hours=1, minutes=3))
    (ended,) = world.attempts("error")
    assert what in ended.explanation
    assert world.job("p/!1").state == "failed"


def test_an_attempt_that_waits_longer_than_its_queue_timeout_is_an_error(world_of: Make) -> None:
    world = world_of(ONE % ", timeout: {queue: 1h}")
    world.launch("p", "!1")
    world.tick()
    assert world.why("p/!1")["gate"] == "worker"
    world.tick(START + timedelta(hours=1, seconds=1))
    assert world.job("p/!1").state == "failed"


def test_a_cancel_that_nobody_carries_out_ends_by_itself(world_of: Make) -> None:
    world = world_of(ONE % "")
    world.worker()
    attempt = running(world)
    world.put(changed(attempt, wish="cancel", wish_mode="kill", wished=world.now, explanation="by hand"))
    world.tick(START + timedelta(minutes=1))
    assert world.why("p/!1")["reason"] == (
        "attempt 1 is being cancelled (kill, requested at 2026-01-01T00:00:00Z) on worker w1, "
        "which has not seen it yet: by hand"
    )
    world.tick(START + timedelta(minutes=3))
    assert world.job("p/!1").state == "skipped"


def test_a_cancel_that_a_registered_worker_does_not_report_ends_after_kill_after(world_of: Make) -> None:
    world = world_of("processes: {p: {executes: external:x}}")
    world.worker(is_external=True)
    world.launch("p", "!1")
    world.tick()
    (attempt,) = world.attempts("waiting")
    running = changed(attempt, status="running", worker="w1", fence=1, started=world.now)
    world.put(canceled(running, world.now, "step", "by hand"))
    world.tick(START + timedelta(minutes=1))
    assert len(world.attempts("running")) == 1
    world.tick(START + timedelta(minutes=1, seconds=1))
    assert world.job("p/!1").state == "skipped"


@pytest.mark.parametrize("status", ["running", "canceling"])
def test_a_drained_attempt_is_left_to_its_end_for_as_long_as_its_timeout_allows(
    world_of: Make, status: str
) -> None:
    world = world_of(ONE % ", timeout: {run: 10m}, retry: {max: 3}")
    world.worker()
    attempt = running(world)
    world.put(changed(canceled(attempt, world.now, "drain", "by hand"), status=status))
    world.tick(START + timedelta(minutes=10))
    (drained,) = world.attempts(status)
    assert drained.wish_mode == "drain"
    world.tick(START + timedelta(minutes=10, seconds=1))
    (stopped,) = world.attempts(status)
    assert (stopped.wish_mode, stopped.wished) == ("step", world.now)
    world.tick(START + timedelta(minutes=13))
    (ended,) = world.attempts("canceled")
    assert "timeout.run: ran longer than 10m" in ended.explanation
    assert world.job("p/!1").state == "skipped"


@pytest.mark.parametrize("status", ["running", "canceling"])
def test_a_stale_attempt_that_is_cancelled_is_over_and_not_offered_again(world_of: Make, status: str) -> None:
    world = world_of("processes: {p: {executes: external:x, retry: {stale_after: 1h}}}")
    world.worker(is_external=True)
    world.launch("p", "!1")
    world.tick()
    (attempt,) = world.attempts("waiting")
    claimed = changed(attempt, status="running", worker="w1", fence=1, started=world.now)
    world.put(changed(canceled(claimed, world.now, "drain", "by hand"), status=status))
    world.tick(START + timedelta(hours=1))
    assert len(world.attempts(status)) == 1
    world.tick(START + timedelta(hours=1, seconds=1))
    assert (world.job("p/!1").state, len(world.attempts("canceled"))) == ("skipped", 1)


def test_a_stale_attempt_of_a_registered_worker_is_offered_again_without_a_failure(world_of: Make) -> None:
    world = world_of("processes: {p: {executes: external:x, retry: {stale_after: 1h, delay: 10m}}}")
    world.worker("e1", is_external=True)
    world.launch("p", "!1")
    world.tick()
    (waiting,) = world.attempts("waiting")
    assert waiting.worker == ""
    world.put(changed(waiting, worker="e1"))
    world.claim("e1")
    (found,) = world.tick(START + timedelta(hours=1, seconds=1))
    assert (found["decision"], found["from"], found["to"]) == ("attempt_placed", "running", "waiting")
    stale = "stale: no sign of life from worker e1 since 2026-01-01T00:00:00Z"
    assert found["reason"] == f"{stale}; offered again at 2026-01-01T01:10:01Z"
    row = world.why("p/!1")
    assert (row["gate"], row["answer"], row["until"]) == ("worker", "wait", "2026-01-01T01:10:01Z")
    assert row["reason"] == f"{stale}; attempt 1 is offered again at 2026-01-01T01:10:01Z"
    assert world.tick(START + timedelta(hours=1, minutes=10)) == []
    (offered,) = world.tick(START + timedelta(hours=1, minutes=10, seconds=1))
    assert (offered["decision"], offered["reason"]) == ("attempt_placed", "stale")
    (again,) = world.attempts("waiting")
    assert (again.number, again.worker, again.offer_at) == (1, "", None)
    assert world.job("p/!1").failures == 0


def test_an_attempt_that_its_worker_does_not_claim_goes_to_another_after_the_delay(world_of: Make) -> None:
    world = world_of(ONE % ", retry: {stale_after: 1h, delay: 10m}")
    world.worker("w1")
    world.launch("p", "!1")
    world.tick()
    world.worker("w2", capacity=5)
    world.tick(START + timedelta(hours=1))
    assert [each.worker for each in world.attempts("waiting")] == ["w1"]
    world.tick(START + timedelta(hours=1, seconds=1))
    assert world.claim("w1") == []
    rows = world.tick(START + timedelta(hours=1, minutes=10, seconds=1))
    assert [row["reason"] for row in rows] == ["stale", "on worker w2"]
    (claimed,) = world.claim("w2")
    assert (claimed.number, claimed.fence, world.job("p/!1").failures) == (1, 1, 0)


def test_a_stale_attempt_that_waits_for_its_offer_can_be_cancelled(world_of: Make) -> None:
    world = world_of(ONE % ", retry: {stale_after: 1h}")
    world.worker("w1")
    world.launch("p", "!1")
    world.tick()
    world.tick(START + timedelta(hours=2))
    (waiting,) = world.attempts("waiting")
    world.put(canceled(waiting, world.now, "step", "by hand"))
    world.tick(START + timedelta(hours=9))
    assert world.job("p/!1").state == "skipped"


def test_what_runs_on_a_live_serve_is_never_stale(world_of: Make) -> None:
    world = world_of(ONE % ", retry: {stale_after: 1h}")
    world.worker("w1")
    running(world)
    assert world.tick(START + timedelta(hours=9)) == []


def test_an_attempt_that_fires_remind_of_for_too_long_ends_as_an_error(
    world_of: Make,
) -> None:
    world = world_of(ONE % ", mode: freerun, trigger: {every: 1h}, overlap: remind, remind_limit: 150m")
    world.worker()
    world.tick(START + timedelta(hours=1))
    (attempt,) = world.claim()
    world.tick(START + timedelta(hours=3))
    assert world.attempts("running")[0].wish is None
    world.tick(START + timedelta(hours=3, minutes=31))
    (wished,) = world.attempts("running")
    assert (wished.wish, wished.outcome) == ("cancel", "error")
    world.tick(START + timedelta(hours=3, minutes=34))
    (ended,) = world.attempts("error")
    assert ended.explanation == "remind_limit: still running after 150m"
    assert not world.end(attempt)


def test_an_attempt_that_no_fire_has_reminded_of_has_no_limit(world_of: Make) -> None:
    world = world_of(ONE % ", mode: freerun, trigger: {every: 1d}, overlap: remind, remind_limit: 1h")
    world.worker()
    world.tick(START + timedelta(days=1))
    world.claim()
    world.tick(START + timedelta(days=1, hours=23))
    assert world.attempts("running")[0].wish is None


LATE = ONE % ", mode: manual, deadline: {after: created, within: 1h, then: fail}, retry: {max: 3, delay: 10m}"


def test_a_job_that_has_not_started_by_its_deadline_fails(world_of: Make) -> None:
    world = world_of(LATE)
    world.put(changed(world.records[ProcessRecord, "p"], paused=""))
    world.launch("p", "!1")
    world.tick(START + timedelta(hours=1))
    assert world.job("p/!1").state == "embryo"
    world.tick(START + timedelta(hours=1, seconds=1))
    assert world.job("p/!1").state == "failed"
    assert world.why("p/!1")["reason"] == (
        "failed at 2026-01-01T01:00:01Z: deadline: not finished by 2026-01-01T01:00:00Z"
    )


def test_a_job_that_runs_at_its_deadline_fails_and_its_attempt_is_cancelled(world_of: Make) -> None:
    world = world_of(LATE)
    world.worker()
    attempt = running(world)
    world.tick(START + timedelta(hours=1, seconds=1))
    (wished,) = world.attempts("running")
    assert (wished.wish, world.job("p/!1").state) == ("cancel", "failed")
    assert world.end(attempt, "canceled")
    world.tick()
    assert (world.job("p/!1").state, world.job("p/!1").attempts) == ("failed", 1)


def test_a_job_that_ended_before_its_deadline_keeps_its_state_if_the_pass_is_late(
    world_of: Make,
) -> None:
    world = world_of(LATE)
    world.worker()
    attempt = running(world)
    world.end(attempt)
    world.tick(START + timedelta(hours=2))
    assert world.job("p/!1").state == "processed"


@pytest.mark.parametrize(("after", "hours"), [("slot_start", 3), ("slot_end", 27)])
def test_a_deadline_of_a_period_is_counted_from_its_bounds(world_of: Make, after: str, hours: int) -> None:
    world = world_of(
        "processes: {p: {executes: 'python:a:b', qualifier: daily, "
        f"trigger: {{every: 1h}}, deadline: {{after: {after}, within: 3h, then: fail}}}}}}"
    )
    job = "p/D:2026010100"
    world.tick(START + timedelta(hours=hours))
    assert world.job(job).state != "failed"
    world.tick(START + timedelta(hours=hours, seconds=1))
    assert world.job(job).state == "failed"


def test_a_launch_of_an_old_slot_and_a_job_that_is_reprocessed_have_no_deadline(world_of: Make) -> None:
    world = world_of(LATE.replace("after: created", "after: slot_end"))
    world.launch("p", "!1", due=START - timedelta(days=9))
    world.tick()
    assert world.job("p/!1").state == "in_progress"
    world = world_of(LATE)
    world.launch("p", "!1", deadline_done=True)
    world.tick(START + timedelta(days=9))
    assert world.job("p/!1").state == "in_progress"


def test_a_job_is_given_up_so_long_after_its_first_attempt_even_if_nothing_runs(world_of: Make) -> None:
    world = world_of(
        "processes: {p: {executes: external:x, retry: {max: 9, give_up_after: 2h, on_exhausted: skip}}}"
    )
    world.launch("p", "!1")
    world.tick(START)
    world.tick(START + timedelta(hours=2))
    assert world.job("p/!1").state == "in_progress"
    world.tick(START + timedelta(hours=2, seconds=1))
    assert world.job("p/!1").state == "skipped"
    assert "give_up_after: not finished within 2h" in world.job("p/!1").reason


def test_an_attempt_that_runs_when_its_job_is_given_up_is_cancelled_first(world_of: Make) -> None:
    world = world_of(
        'processes: {p: {executes: "python:a:b", retry: {give_up_after: 2h, on_exhausted: hold}}}'
    )
    world.worker()
    world.launch("p", "!1")
    world.tick(START)
    (attempt,) = world.claim()
    world.tick(START + timedelta(hours=3))
    (wished,) = world.attempts("running")
    assert (wished.wish, wished.outcome) == ("cancel", "error")
    world.end(attempt, "error")
    world.tick()
    assert world.job("p/!1").held
