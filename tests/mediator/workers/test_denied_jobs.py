"""DeniedJobs: a job whose page must not be requested ends, with the reason."""

from __future__ import annotations

import msgspec

from scoopi.appenders.appender import JobResult
from scoopi.mediator.held_jobs import Pending, failure_of
from scoopi.mediator.workers.denied_jobs import Denial, DeniedJobs
from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import TakenJob

TASKS = {"towns": "names,rivers"}
RULE = Denial(True, "robots.txt disallows it", "robots.txt, line 2")
NO_ANSWER = Denial(False, "no answer", "no answer in 10 s")


class Harness:
    """The jobs that were denied, and their results."""

    def __init__(self) -> None:
        self.results: list[JobResult] = []
        self.denied = DeniedJobs(self.results.append, "{}/{}".format, TASKS.__getitem__)

    def frame(self, pending: Pending, denial: Denial) -> Frame:
        """What is reported of a job that is denied for this reason."""
        self.denied.end(pending, denial)
        result = self.results[-1]
        frame = msgspec.msgpack.decode(result.body, type=Frame)
        assert (result.job, result.fence, result.state) == (frame.job, frame.fence, frame.state)
        return frame


def job(name: str) -> Pending:
    return Pending(TakenJob(name, 1, 0, "file", JobPayload(Locator(name, "towns", f"/{name}.html"), name)))


def test_a_job_whose_page_robots_txt_disallows_is_skipped() -> None:
    frame = Harness().frame(job("a"), RULE)
    assert (frame.job, frame.state, frame.failures) == ("a", JobState.SKIPPED, ())
    assert frame.skipped is not None
    assert (frame.skipped.cause, frame.skipped.message) == (RULE.cause, RULE.message)


def test_a_job_that_is_denied_otherwise_fails_and_keeps_the_failures_that_it_had() -> None:
    pending = job("b")
    crash = failure_of(pending.taken, "the page kills its worker", "leave it out", "names")
    frame = Harness().frame(pending.without("names", crash), NO_ANSWER)
    assert (frame.job, frame.state, frame.skipped) == ("b", JobState.FAILED, None)
    assert [each.cause for each in frame.failures] == [crash.cause, NO_ANSWER.cause]
    assert frame.failures[1].message == NO_ANSWER.message


def test_the_reason_stands_at_the_loader_of_all_tasks_of_the_group() -> None:
    (failure,) = Harness().frame(job("c"), NO_ANSWER).failures
    assert (failure.step, failure.task, failure.at) == ("loader", "names,rivers", "towns/")


def test_each_denied_job_is_counted_once() -> None:
    harness = Harness()
    for name in "ab":
        harness.denied.end(job(name), RULE)
    assert [harness.denied.take_count() for _ in range(2)] == [2, 0]
