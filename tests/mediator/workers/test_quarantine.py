"""Quarantine: which jobs run alone, and when a task, or a job, fails for its crashes."""

from __future__ import annotations

import msgspec
import pytest

from scoopi.appenders.appender import JobResult
from scoopi.mediator.held_jobs import Pending, robots_pending
from scoopi.mediator.workers.quarantine import Quarantine
from scoopi.mediator.workers.worker_pool import PoolWorker
from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import TakenJob
from scoopi.worker.crash_marker import RunningTask
from tests.mediator.played_node import PlayedWorker

HOW = "it was killed by SIGSEGV"


class Court:
    """The quarantine, and the jobs that it fails."""

    def __init__(self, max_crashes: int = 2) -> None:
        self.results: list[JobResult] = []
        self.quarantine = Quarantine(max_crashes, 60.0, self.results.append, "{}/{}".format)

    def first(self) -> Pending | None:
        return next(iter(self.quarantine), None)

    def pop(self) -> Pending:
        first = next(iter(self.quarantine))
        self.quarantine.pop(first)
        return first

    def die(
        self, *held: Pending, on: str = "", task: str = "", alone: bool = False, overran: bool = False
    ) -> list[Pending]:
        """A worker that holds these jobs dies on one of them; the jobs that may run beside others again."""
        link = PlayedWorker()
        worker = PoolWorker(link, 4, alone)
        worker.outstanding = {pending.taken.id: pending for pending in held}
        running = RunningTask(on, task, 5.0) if on else RunningTask()
        worker.overran = running if overran else None
        link.dies()
        link.reap()
        return self.quarantine.judge(worker, HOW, running)

    def die_alone(self, task: str) -> None:
        pending = self.pop()
        assert self.die(pending, on=pending.taken.id, task=task, alone=True) == []

    def die_on_none(self, *names: str) -> None:
        """These jobs are in a worker that dies on none of them."""
        assert self.die(*map(pending, names)) == []


def pending(name: str, host: str = "file") -> Pending:
    return Pending(TakenJob(name, 1, 0, host, JobPayload(Locator(name, "towns", f"/{name}.html"), name)))


def test_quarantined_jobs_wait_in_the_order_in_which_they_were_lost() -> None:
    court = Court()
    court.die(pending("a", "one.example:80"), pending("b"))
    court.die_on_none("c")
    assert court.quarantine.hosts() == {"one.example:80", "file"}
    assert [court.pop().taken.id for _ in range(len(court.quarantine))] == ["a", "b", "c"]
    assert court.first() is None


def test_after_a_crash_only_the_job_that_was_running_waits_to_run_alone() -> None:
    court = Court()
    back = court.die(pending("a"), pending("b"), pending("c"), on="b", task="rain")
    assert [job.taken.id for job in court.quarantine] == ["b"]
    assert [(job.taken.id, job.beside) for job in back] == [("a", 1), ("c", 1)]
    assert court.die(*back, on="a", task="rain") == []
    assert [job.taken.id for job in court.quarantine] == ["b", "a", "c"], "c has met its second crash"


def test_a_job_that_has_crashed_alone_is_tried_again_before_the_others() -> None:
    court = Court(max_crashes=3)
    court.die_on_none("a", "b")
    court.die_alone("rain")
    assert [job.taken.id for job in court.quarantine] == ["a", "b"]


def test_a_crash_on_a_job_that_the_worker_does_not_hold_quarantines_all_of_its_jobs() -> None:
    court = Court()
    assert court.die(pending("a"), pending("b"), on="ended", task="rain") == []
    assert [job.taken.id for job in court.quarantine] == ["a", "b"]


@pytest.mark.parametrize("alone", [False, True])
def test_a_task_that_ran_too_long_fails_without_another_try(alone: bool) -> None:
    court = Court()
    held = [pending("a")] if alone else [pending("a"), pending("b")]
    back = {job.taken.id: job for job in court.die(*held, on="a", task="rain", alone=alone, overran=True)}
    assert set(back) == {job.taken.id for job in held}
    assert back["a"].taken.payload.skip == ("rain",)
    (failure,) = back["a"].failures
    assert failure.cause == "the task ran longer than 60 s"
    assert (failure.task, failure.at) == ("rain", "towns/rain")
    assert "scoopi.task.timeout" in failure.message
    assert all(job.beside == 0 and not job.crashes for job in back.values())
    assert not len(court.quarantine)


def test_a_page_whose_reading_takes_too_long_fails_as_a_whole() -> None:
    court = Court()
    assert court.die(pending("a"), on="a", overran=True) == []
    (result,) = court.results
    assert result.state is JobState.FAILED


def test_nobody_is_blamed_when_the_task_ended_before_its_worker_was_killed() -> None:
    court = Court()
    worker = PoolWorker(link := PlayedWorker(), 4)
    worker.outstanding = {"a": pending("a"), "b": pending("b")}
    worker.overran = RunningTask("a", "rain", 5.0)
    link.dies()
    link.reap()
    back = court.quarantine.judge(worker, HOW, RunningTask("b", "rain", 9.0))
    assert [(job.taken.id, job.failures, job.beside) for job in back] == [("a", (), 0), ("b", (), 0)]
    assert not len(court.quarantine)


def test_a_job_that_kills_its_worker_is_tried_again_before_all_others() -> None:
    court = Court()
    court.die_on_none("a", "b")
    court.die_alone("rain")
    first = court.first()
    assert first is not None
    assert (first.taken.id, first.crashes) == ("a", ("rain",))
    assert first.taken.payload.skip == ()


def test_deaths_count_against_the_task_that_was_running_only() -> None:
    court = Court(max_crashes=2)
    court.die_on_none("a")
    for task in ("rain", "wind", "rain"):
        first = court.first()
        assert first is not None
        assert first.failures == ()
        court.die_alone(task)
    guilty = court.pop()
    assert guilty.taken.payload.skip == ("rain",)
    assert [(failure.task, failure.at) for failure in guilty.failures] == [("rain", "towns/rain")]
    assert not court.results


def test_a_job_runs_on_without_each_guilty_task_and_keeps_what_was_said_of_them() -> None:
    court = Court(max_crashes=1)
    court.die_on_none("a")
    court.die_alone("rain")
    court.die_alone("wind")
    left = court.pop()
    assert left.taken.payload.skip == ("rain", "wind")
    assert [failure.task for failure in left.failures] == ["rain", "wind"]
    assert left.item().failures == left.failures


def test_a_death_while_loading_fails_the_job_with_all_that_was_said_of_it() -> None:
    court = Court(max_crashes=1)
    court.die_on_none("a")
    court.die_alone("rain")
    court.die_alone("")
    (result,) = court.results
    frame = msgspec.msgpack.decode(result.body, type=Frame)
    assert frame.state is JobState.FAILED
    assert [failure.task for failure in frame.failures] == ["rain", ""]
    assert frame.failures[1].cause == f"the page kills its worker: {HOW}"
    assert frame.failures[1].url == "/a.html"
    assert len(court.quarantine) == 0


def test_when_the_node_stops_all_quarantined_jobs_are_given_up() -> None:
    court = Court()
    court.die_on_none("a", "b")
    assert [job.taken.id for job in court.quarantine.clear()] == ["a", "b"]
    assert len(court.quarantine) == 0


def test_a_robots_txt_that_kills_its_workers_is_reported_and_is_no_result() -> None:
    lost: list[tuple[Pending, str]] = []
    court = Court(max_crashes=1)
    quarantine = Quarantine(
        1, 60.0, court.results.append, "{}/{}".format, on_robots_lost=lambda *what: lost.append(what)
    )
    reading = robots_pending("one.example:80", "http://one.example/robots.txt", public_only=False)
    worker = PoolWorker(link := PlayedWorker(), 4, is_alone=True)
    worker.outstanding = {reading.taken.id: reading}
    link.dies()
    link.reap()
    assert quarantine.judge(worker, HOW, RunningTask(reading.taken.id, "", 5.0)) == []
    assert [(each.taken.host, HOW in cause) for each, cause in lost] == [("one.example:80", True)]
    assert (court.results, len(quarantine)) == ([], 0)
