"""Suspects: who waits to run alone, and when a task, or a job, is guilty."""

from __future__ import annotations

import msgspec

from scoopi.appenders.job_result import JobResult
from scoopi.mediator.pending import Pending
from scoopi.mediator.suspects import Suspects
from scoopi.model.frame import Frame
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.job_values import TakenJob

HOW = "it was killed by SIGSEGV"


class Court:
    """The suspects, and what they are sentenced to."""

    def __init__(self, max_crashes: int = 2) -> None:
        self.results: list[JobResult] = []
        self.suspects = Suspects(max_crashes, self.results.append, lambda group, task: f"{group}/{task}")

    def die_alone(self, task: str) -> None:
        self.suspects.blame(self.suspects.pop(), task, HOW)


def pending(name: str, host: str = "file") -> Pending:
    return Pending(TakenJob(name, 1, 0, host, JobPayload(Locator(name, "towns", f"/{name}.html"), name)))


def test_suspects_wait_in_the_order_in_which_they_were_lost() -> None:
    court = Court()
    court.suspects.add([pending("a", "one.example:80"), pending("b")])
    court.suspects.add([pending("c")])
    assert court.suspects.hosts() == {"one.example:80", "file"}
    assert [court.suspects.pop().taken.id for _ in range(len(court.suspects))] == ["a", "b", "c"]
    assert court.suspects.first() is None


def test_who_kills_its_worker_is_tried_again_before_all_others() -> None:
    court = Court()
    court.suspects.add([pending("a"), pending("b")])
    court.die_alone("rain")
    first = court.suspects.first()
    assert first is not None
    assert (first.taken.id, first.crashes) == ("a", ("rain",))
    assert first.taken.payload.skip == ()


def test_deaths_count_against_the_task_that_was_running_only() -> None:
    court = Court(max_crashes=2)
    court.suspects.add([pending("a")])
    for task in ("rain", "wind", "rain"):
        first = court.suspects.first()
        assert first is not None
        assert first.failures == ()
        court.die_alone(task)
    guilty = court.suspects.pop()
    assert guilty.taken.payload.skip == ("rain",)
    assert [(failure.task, failure.at) for failure in guilty.failures] == [("rain", "towns/rain")]
    assert not court.results


def test_a_job_runs_on_without_each_guilty_task_and_keeps_what_was_said_of_them() -> None:
    court = Court(max_crashes=1)
    court.suspects.add([pending("a")])
    court.die_alone("rain")
    court.die_alone("wind")
    left = court.suspects.pop()
    assert left.taken.payload.skip == ("rain", "wind")
    assert [failure.task for failure in left.failures] == ["rain", "wind"]
    assert left.item().failures == left.failures


def test_a_death_while_loading_fails_the_job_with_all_that_was_said_of_it() -> None:
    court = Court(max_crashes=1)
    court.suspects.add([pending("a")])
    court.die_alone("rain")
    court.die_alone("")
    (result,) = court.results
    frame = msgspec.msgpack.decode(result.body, type=Frame)
    assert frame.state is JobState.FAILED
    assert [failure.task for failure in frame.failures] == ["rain", ""]
    assert frame.failures[1].cause == f"the page kills its worker: {HOW}"
    assert frame.failures[1].url == "/a.html"
    assert len(court.suspects) == 0


def test_when_the_node_stops_all_suspects_are_given_up() -> None:
    court = Court()
    court.suspects.add([pending("a"), pending("b")])
    assert [job.taken.id for job in court.suspects.clear()] == ["a", "b"]
    assert len(court.suspects) == 0
