"""What a pass decides: slots, attempts, retries, edges, overlap, and the end of jobs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from scoopi.model.schedule.schedule_records import ACTIVE
from scoopi.periods.slot import parse_slot
from scoopi.scheduler.decisions import Decision, changed, made
from scoopi.scheduler.planning.plan_faults import PlanFaults
from scoopi.scheduler.reconcile import reconcile
from tests.scheduler.scenarios.world import START, World

Make = Callable[[str], World]

HOURLY = 'processes: {p: {executes: "python:a:b", trigger: {cron: "0 * * * *"}%s}}'
DAILY = 'processes: {p: {executes: "python:a:b", qualifier: daily, trigger: {}%s}}'


def test_a_fire_becomes_a_job_an_attempt_and_a_processed_job(world_of: Make) -> None:
    world = world_of(HOURLY % "")
    world.worker()
    assert world.tick("2026-01-01T00:59:59+00:00") == []
    rows = world.tick("2026-01-01T01:00:05+00:00")
    assert [row["decision"] for row in rows] == ["job_made", "attempt_made", "job_moved", "attempt_placed"]
    (attempt,) = world.claim()
    assert world.tick() == []
    world.end(attempt)
    (moved,) = world.tick()
    assert (moved["job"], moved["from"], moved["to"]) == (
        "p/@2026-01-01T01:00:00Z",
        "in_progress",
        "processed",
    )


def test_a_fire_never_yields_two_jobs_nor_one_before_since(world_of: Make) -> None:
    world = world_of(HOURLY % "")
    world.worker(capacity=9)
    world.pass_time(hours=3, minutes=1)
    assert list(world.states("p")) == ["@2026-01-01T01:00:00Z"]  # the others only remind of it
    world.work()
    world.pass_time(hours=1)
    world.tick(START + timedelta(hours=2))  # the clock goes back
    assert list(world.states("p")) == ["@2026-01-01T01:00:00Z", "@2026-01-01T04:00:00Z"]


@pytest.mark.parametrize(
    ("catchup", "slots"),
    [
        ("none", []),
        ("latest", ["@2026-01-01T05:00:00Z"]),
        ("all", ["@2026-01-01T03:00:00Z", "@2026-01-01T04:00:00Z", "@2026-01-01T05:00:00Z"]),
    ],
)
def test_fires_that_were_missed_are_caught_up_as_asked(
    world_of: Make, catchup: str, slots: list[str]
) -> None:
    world = world_of(HOURLY % f", catchup: {catchup}, catchup_window: 3h, overlap: allow")
    world.tick("2026-01-01T05:30:00+00:00")
    assert list(world.states("p")) == slots
    world.tick("2026-01-01T05:30:10+00:00")
    assert list(world.states("p")) == slots
    world.tick("2026-01-01T06:00:10+00:00")
    assert list(world.states("p")) == [*slots, "@2026-01-01T06:00:00Z"]


@pytest.mark.parametrize(
    ("late", "slots"), [(timedelta(seconds=59.9), ["@2026-01-01T01:00:00Z"]), (timedelta(seconds=60.1), [])]
)
def test_a_fire_that_a_pass_sees_within_a_minute_is_not_missed(
    world_of: Make, late: timedelta, slots: list[str]
) -> None:
    world = world_of(HOURLY % ", catchup: none")
    world.tick(START + timedelta(hours=1) + late)
    assert list(world.states("p")) == slots


def test_periods_are_created_in_full_and_run_when_they_are_over(world_of: Make) -> None:
    world = world_of(DAILY % ", lag: 10m")
    world.worker(capacity=9)
    world.tick("2026-01-04T00:09:59+00:00")
    assert world.states("p") == {
        "D:2026010100": "in_progress",
        "D:2026010200": "in_progress",
        "D:2026010300": "embryo",
        "D:2026010400": "embryo",
    }
    assert world.why("p/D:2026010300")["reason"].startswith("waits until 2026-01-04T00:10:00Z, 10m (lag) ")
    world.tick("2026-01-04T00:10:00+00:00")
    assert world.states("p")["D:2026010300"] == "in_progress"


def test_only_the_last_period_of_a_group_has_an_attempt(world_of: Make) -> None:
    world = world_of('processes: {p: {executes: "python:a:b", qualifier: hourly, trigger: {}, grouping: 3}}')
    world.worker(capacity=9)
    world.tick("2026-01-01T07:00:00+00:00")
    states = world.states("p")
    assert [states[f"H:20260101{hour:02}"] for hour in range(7)] == [
        *("noop", "noop", "noop", "in_progress", "noop", "noop", "embryo")
    ]


@pytest.mark.parametrize("launch_type", ["manual", "backfill", "dependent"])
def test_a_period_inside_of_a_group_is_a_noop_however_its_job_is_created(
    world_of: Make, launch_type: str
) -> None:
    world = world_of('processes: {p: {executes: "python:a:b", qualifier: hourly, trigger: {}, grouping: 3}}')
    process = world.schedule.processes["p"]
    for hour in (1, 3):
        slot = parse_slot(f"H:202512310{hour}")
        world.apply(made(process, slot, world.now, launch_type=launch_type))
    world.tick()
    states = world.states("p")
    assert (states["H:2025123101"], states["H:2025123103"]) == ("noop", "in_progress")
    assert world.job("p/H:2025123101").reason == "not the end of a group"


def test_a_job_inside_of_a_group_that_is_reprocessed_or_grouped_since_is_a_noop(world_of: Make) -> None:
    text = 'processes: {p: {executes: "python:a:b", qualifier: hourly, trigger: {}, grouping: %s}}'
    world = world_of(text % 1)
    world.launch("p", "H:2026010107")
    world.deploy(text % 3)
    world.tick()
    assert world.states("p")["H:2026010107"] == "noop"
    job = world.job("p/H:2026010107")
    world.put(changed(job, state="embryo", phase=ACTIVE, reason=""))
    world.tick()
    assert world.job(job.job).state == "noop"
    assert not world.attempts("waiting")


def test_the_first_period_is_the_one_in_which_the_process_is_first_deployed(world_of: Make) -> None:
    world = world_of(f'settings: {{history_start: "2020010100"}}\n{DAILY % ""}')
    world.tick(START + timedelta(hours=7))
    world.deploy(f'settings: {{history_start: "2019010100"}}\n{DAILY % ""}')
    world.tick(START + timedelta(days=1))
    assert [*world.states("p")] == ["D:2026010100", "D:2026010200"]


@pytest.mark.parametrize("machine", ["continuous", "recomputing"])
def test_a_period_is_worked_on_again_and_once_more_when_it_is_over(world_of: Make, machine: str) -> None:
    world = world_of(DAILY.replace("trigger: {}", "trigger: {every: 6h}") % f", machine: {machine}")
    world.worker()
    ran = []
    for hour in range(0, 30, 2):
        world.tick(START + timedelta(hours=hour))
        for attempt in world.claim():
            ran.append((hour, attempt.slot, world.job(attempt.job).state))
            day = attempt.slot.removeprefix("D:")
            assert attempt.inputs == {"start_id": day, "end_id": day}, "each covers the whole period"
            world.end(attempt)
        world.tick()
    assert ran == [
        (0, "D:2026010100", "in_progress"),
        (6, "D:2026010100", "in_progress"),
        (12, "D:2026010100", "in_progress"),
        (18, "D:2026010100", "in_progress"),
        (24, "D:2026010100", "final_run"),
        (24, "D:2026010200", "in_progress"),
    ]
    assert world.states("p")["D:2026010100"] == "processed"


def test_iterations_outside_of_the_window_are_skipped(world_of: Make) -> None:
    trigger = '{slots: iterations, cron: "@hourly"}'
    text = f'processes: {{p: {{executes: "python:a:b", trigger: {trigger}, lookback: 1%s}}}}'
    world = world_of(text % "")
    world.tick("2026-01-01T02:00:01+00:00")
    assert world.states("p") == {"#2601010002": "in_progress", "#2601010003": "in_progress"}
    world = world_of(text % ", enabled: false")
    world.tick("2026-01-01T02:00:01+00:00")
    world.tick("2026-01-01T03:00:01+00:00")
    assert world.states("p") == {"#2601010002": "skipped", "#2601010003": "embryo", "#2601010004": "embryo"}
    assert world.job("p/#2601010002").reason == "out of window"


def test_a_failed_attempt_is_retried_after_its_delay_and_then_the_job_fails(world_of: Make) -> None:
    world = world_of(HOURLY % ", retry: {max: 1, delay: 10m, backoff: 2}")
    world.worker()
    world.tick("2026-01-01T01:00:05+00:00")
    assert world.work("failed", explanation="503 from books.example (12 times)") == 1
    job = "p/@2026-01-01T01:00:00Z"
    assert world.why(job)["reason"] == (
        "waits for its retry at 2026-01-01T01:10:05Z; "
        "attempt 1 of 2 failed: 503 from books.example (12 times)"
    )
    world.tick("2026-01-01T01:10:04+00:00")
    assert world.work() == 0
    world.tick("2026-01-01T01:10:05+00:00")
    assert world.work("failed") == 1
    assert (world.job(job).state, world.job(job).failures) == ("failed", 2)


def test_a_managed_job_without_retries_is_on_hold(world_of: Make) -> None:
    world = world_of(DAILY % "")
    world.worker()
    world.tick("2026-01-02T00:05:00+00:00")
    assert world.work("error", explanation="no such table") == 1
    assert world.job("p/D:2026010100").state == "in_progress"
    assert world.why("p/D:2026010100")["reason"].startswith(
        "on hold since 2026-01-02T00:05:00Z: attempt 1 ended in an error: no such table"
    )


@pytest.mark.parametrize(
    ("status", "state"), [("noop", "noop"), ("canceled", "skipped"), ("succeeded", "processed")]
)
def test_the_end_of_an_attempt_moves_its_job(world_of: Make, status: str, state: str) -> None:
    world = world_of(HOURLY % "")
    world.worker()
    world.tick("2026-01-01T01:00:05+00:00")
    world.work(status)
    assert world.states("p") == {"@2026-01-01T01:00:00Z": state}


def test_a_processed_job_triggers_those_that_come_after_it_with_its_outputs(world_of: Make) -> None:
    world = world_of(
        """
        processes:
          books: {executes: "python:a:b", trigger: {cron: "0 * * * *"}}
          clean: {executes: "python:a:b", trigger: {after: books}}
          load: {executes: "python:a:b", trigger: {after: [clean, books]}}
        """
    )
    world.worker()
    world.tick("2026-01-01T01:00:05+00:00")
    (attempt,) = world.claim()
    world.end(attempt, outputs={"rows": 7})
    world.tick()
    job = world.job("clean/@2026-01-01T01:00:00Z")
    assert job.trigger == {
        "job": "books/@2026-01-01T01:00:00Z",
        "slot": "@2026-01-01T01:00:00Z",
        "outputs": {"rows": 7},
    }
    assert job.launch_type == "dependent"
    assert world.work() == 2
    assert world.states("load") == {"@2026-01-01T01:00:00Z": "processed"}


def test_a_job_that_is_not_processed_triggers_nothing(world_of: Make) -> None:
    world = world_of(
        """
        processes:
          books: {executes: "python:a:b", trigger: {cron: "0 * * * *"}}
          clean: {executes: "python:a:b", trigger: {after: books}}
        """
    )
    world.worker()
    world.tick("2026-01-01T01:00:05+00:00")
    world.work("noop")
    assert world.states("clean") == {}


@pytest.mark.parametrize(
    ("options", "status", "state"),
    [
        ("", "succeeded", "in_progress"),
        ("", "canceled", "skipped"),
        (", when_skipped: run", "canceled", "in_progress"),
        (", when_skipped: wait", "canceled", "embryo"),
        ("", "failed", "embryo"),
        (", when_failed: skip", "failed", "skipped"),
        (", when_failed: fail", "failed", "failed"),
        (", when_failed: run", "failed", "in_progress"),
    ],
)
def test_an_edge_waits_skips_fails_or_runs_by_the_end_of_what_comes_first(
    world_of: Make, options: str, status: str, state: str
) -> None:
    world = world_of(
        f"""
        processes:
          first: {{executes: "python:a:b", qualifier: daily, trigger: {{}}, retry: {{on_exhausted: fail}}}}
          next:
            executes: "python:a:b"
            qualifier: daily
            trigger: {{}}
            lag: 0s
            depends_on: [{{process: first{options}}}]
        """
    )
    world.worker()
    world.tick("2026-01-02T00:04:00+00:00")
    assert world.why("next/D:2026010100")["holders"] == ["first/D:2026010100"]
    world.tick("2026-01-02T00:06:00+00:00")
    (attempt,) = world.claim()
    world.end(attempt, status)
    world.tick()
    assert world.states("next")["D:2026010100"] == state


@pytest.mark.parametrize(
    ("status", "edge", "expected"),
    [
        ("canceled", "", "embryo"),
        ("canceled", ", when_skipped: run", "in_progress"),
        ("failed", "", "skipped"),
    ],
)
def test_with_no_cascade_those_that_depend_on_a_cancelled_job_wait_for_it(
    world_of: Make, status: str, edge: str, expected: str
) -> None:
    first = 'executes: "python:a:b", qualifier: daily, trigger: {}, retry: {on_exhausted: skip}'
    following = (
        f'executes: "python:a:b", qualifier: daily, trigger: {{}}, depends_on: [{{process: first{edge}}}]'
    )
    settings = "settings: {cancel: {cascade: {dependents: none}}}"
    world = world_of(f"{settings}\nprocesses:\n  first: {{{first}}}\n  next: {{{following}}}")
    world.worker("w1")
    world.tick(START + timedelta(days=1, minutes=6))
    for attempt in world.claim():
        world.end(attempt, status)
    world.tick()
    assert world.states("first")["D:2026010100"] == "skipped"
    assert world.states("next")["D:2026010100"] == expected
    if expected == "embryo":
        row = world.why("next/D:2026010100")
        assert (row["gate"], row["holders"]) == ("depends", ["first/D:2026010100"])


def test_a_job_waits_for_the_day_that_contains_its_hour_and_creates_it(world_of: Make) -> None:
    world = world_of(
        """
        processes:
          day: {executes: "python:a:b", qualifier: daily, trigger: {}, enabled: false}
          hour:
            executes: "python:a:b"
            qualifier: hourly
            trigger: {}
            depends_on: [{process: day, slot: previous}]
        """
    )
    world.tick("2026-01-01T01:10:00+00:00")
    assert world.why("hour/H:2026010100")["holders"] == ["day/D:2025123100"]


@pytest.mark.parametrize(
    ("overlap", "states"),
    [
        ("allow", ["in_progress", "in_progress", "in_progress"]),
        ("wait", ["in_progress", "embryo", "embryo"]),
        ("skip", ["in_progress", "skipped", "skipped"]),
        ("buffer_one", ["in_progress", "skipped", "embryo"]),
        ("remind", ["in_progress"]),
    ],
)
def test_overlap_says_what_happens_while_another_job_runs(
    world_of: Make, overlap: str, states: list[str]
) -> None:
    world = world_of(HOURLY % f", overlap: {overlap}")
    world.worker(capacity=9)
    world.tick("2026-01-01T01:00:05+00:00")
    world.claim()
    world.tick("2026-01-01T02:00:05+00:00")
    world.tick("2026-01-01T03:00:05+00:00")
    assert list(world.states("p").values()) == states


def test_overlap_cancel_running_cancels_the_one_that_runs(world_of: Make) -> None:
    world = world_of(HOURLY % ", overlap: cancel_running")
    world.worker()
    world.tick("2026-01-01T01:00:05+00:00")
    (attempt,) = world.claim()
    world.tick("2026-01-01T02:00:05+00:00")
    (running,) = world.attempts("running")
    assert running.wish == "cancel"
    world.end(attempt, "canceled")
    world.tick()
    assert world.states("p") == {"@2026-01-01T01:00:00Z": "skipped", "@2026-01-01T02:00:00Z": "in_progress"}


def test_a_job_that_has_not_started_by_its_deadline_is_skipped_as_missed(world_of: Make) -> None:
    world = world_of(HOURLY % ", start_deadline: 10m")
    world.tick("2026-01-01T01:00:05+00:00")
    assert world.why("p/@2026-01-01T01:00:00Z")["gate"] == "worker"
    world.pass_time(minutes=11)
    job = world.job("p/@2026-01-01T01:00:00Z")
    assert job.state == "skipped"
    assert job.reason == "missed: not started by 2026-01-01T01:10:05Z"


def test_a_disabled_process_waits_or_skips(world_of: Make) -> None:
    for rule, state in (("wait", "embryo"), ("skip", "skipped")):
        world = world_of(HOURLY % f", enabled: false, when_disabled: {rule}")
        world.tick("2026-01-01T01:00:05+00:00")
        assert list(world.states("p").values()) == [state]


def test_a_job_of_a_removed_process_waits_and_says_so(world_of: Make) -> None:
    world = world_of(HOURLY % ", enabled: false")
    world.tick("2026-01-01T01:00:05+00:00")
    world.deploy("processes: {q: {executes: external:x}}")
    world.tick()
    assert "not part of the current definitions" in world.why("p/@2026-01-01T01:00:00Z")["reason"]


def test_a_launch_by_hand_runs_not_before_its_time(world_of: Make) -> None:
    world = world_of('processes: {p: {executes: "python:a:b"}}')
    world.worker()
    job = world.launch("p", "!1", not_before=START + timedelta(minutes=5), inputs={"day": "x"})
    world.tick("2026-01-01T00:04:59+00:00")
    assert world.why(job)["until"] == "2026-01-01T00:05:00Z"
    world.tick("2026-01-01T00:05:00+00:00")
    (attempt,) = world.claim()
    assert attempt.inputs == {"day": "x"}


def test_two_passes_at_the_same_time_decide_nothing_more(world_of: Make) -> None:
    world = world_of(DAILY % "")
    world.worker()
    world.tick("2026-01-05T00:00:00+00:00")
    assert world.tick("2026-01-05T00:00:00+00:00") == []


def test_the_number_of_new_slots_per_pass_is_limited_and_the_rest_follows(world_of: Make) -> None:
    world = world_of(DAILY.replace("processes", "settings: {max_new_slots: 2}\nprocesses") % "")
    world.tick("2026-01-06T00:00:00+00:00")
    assert len(world.states("p")) == 6


class CountedSteps(PlanFaults):
    """Counts the steps of a pass."""

    def __init__(self) -> None:
        super().__init__(is_strict=True)
        self.steps = 0

    def decided(self, *args: Any, **options: Any) -> list[Decision]:
        self.steps += 1
        return super().decided(*args, **options)


def test_a_pass_takes_no_step_for_an_attempt_that_just_waits_for_a_worker(world_of: Make) -> None:
    limits = "timeout: {queue: 2d}, retry: {give_up_after: 2d}, start_deadline: 2d"
    world = world_of(f'processes: {{p: {{executes: "python:a:b", {limits}}}}}')
    world.worker()
    steps = []
    for length in (10, 100):
        for number in range(length):
            world.launch("p", f"!{length + number}")
        world.tick()
        counted = CountedSteps()
        assert reconcile(world.snapshot(), counted) == []
        steps.append(counted.steps)
    assert len(world.attempts("pending")) == 108
    assert steps[0] == steps[1]


def test_an_attempt_that_just_waits_ends_at_the_first_of_its_limits(world_of: Make) -> None:
    text = 'processes: {p: {executes: "python:a:b", timeout: {queue: 2h}, start_deadline: 3h}}'
    world = world_of(text)
    world.launch("p", "!1")
    world.tick(START)
    world.tick(START + timedelta(hours=1, minutes=59))
    assert len(world.attempts("pending")) == 1
    world.tick(START + timedelta(hours=2))
    assert len(world.attempts("pending")) == 1
    world.tick(START + timedelta(hours=2, microseconds=1))
    assert [each.explanation for each in world.attempts("error")] == ["timeout.queue: waited longer than 2h"]
