"""What is due is looked at when it is due, not at the next sweep."""

from __future__ import annotations

from datetime import timedelta

from scoopi.serve.desks.job_desk import JobDesk
from scoopi.serve.desks.process_desk import ProcessDesk
from scoopi.serve.passes import DueTimes
from tests.serve.conftest import NOW, Deployed
from tests.serve.serving import Serving, until

TWO = """
processes:
  hourly: {executes: external:x, trigger: {cron: "0 * * * *"}, overlap: allow}
  manual: {executes: external:x}
"""


def test_the_next_fire_or_the_next_time_of_a_job_is_the_next_time(deployed: Deployed) -> None:
    state, due = deployed(TWO), DueTimes()
    hour = timedelta(hours=1)
    assert due.next(state.passes.snapshot(NOW)) == NOW + hour
    assert due.next(state.passes.snapshot(NOW + hour)) == NOW + 2 * hour
    ProcessDesk(state, NOW).launch("manual", {}, after=NOW + timedelta(minutes=5))
    assert due.next(state.passes.snapshot(NOW)) == NOW + timedelta(minutes=5)


def test_a_start_that_jitter_delays_has_its_own_time(deployed: Deployed) -> None:
    state = deployed("processes: {p: {executes: external:x, trigger: {cron: '0 * * * *', jitter: 10m}}}")
    fire = NOW + timedelta(hours=1)
    state.passes.run(fire)
    following = DueTimes().next(state.passes.snapshot(fire))
    assert following is not None
    assert fire < following < fire + timedelta(minutes=10)
    state.passes.run(following)
    assert [attempt.number for attempt in state.store.open_attempts()] == [1]


def test_without_anything_that_becomes_due_there_is_no_next_time(deployed: Deployed) -> None:
    state = deployed("processes: {p: {executes: external:x}}")
    assert DueTimes().next(state.passes.snapshot(NOW)) is None


def test_a_retry_begins_when_it_is_due_although_the_next_sweep_is_far(serving: Serving) -> None:
    serving.write(
        "jobs.yml",
        "settings: {every: 600s}\n"
        "processes: {p: {executes: {command: ['false']}, retry: {max: 1, delay: 1s}}}\n",
    )
    serving.run("deploy", "jobs")
    serving.run("launch", "p")
    with serving.served():
        until(lambda: serving.job("p/!1") == "failed")
    assert serving.attempt("p/!1/2")["status"] == "failed"


def test_the_next_iteration_has_no_time_before_the_current_one_is_over(deployed: Deployed) -> None:
    state = deployed(
        "processes: {p: {executes: external:x, "
        "trigger: {slots: iterations, source: after_completion, every: 1h}}}"
    )
    assert ProcessDesk(state, NOW).upcoming("p", 1)[0]["slot"] == "#0"
    state.passes.run(NOW)
    later = NOW + timedelta(hours=2)
    assert ProcessDesk(state, later).upcoming("p", 1) == []
    assert ProcessDesk(state, later).show_process("p")["next"] is None
    JobDesk(state, NOW, lambda name: name).skip("p/#0")
    state.passes.run(NOW + timedelta(seconds=1))
    (following,) = ProcessDesk(state, later).upcoming("p", 1)
    assert (following["slot"], following["at"]) == ("#1", "2026-01-01T02:00:00Z")
