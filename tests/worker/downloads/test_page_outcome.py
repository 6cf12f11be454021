"""PageOutcome: what the tasks of a job make becomes one frame and one result."""

from __future__ import annotations

import msgspec
import pytest

from scoopi.model.downloads import FileRef
from scoopi.model.failure import Failure
from scoopi.model.handover import Part, ToAppender, ToJobs
from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.locator import Link, Locator
from scoopi.worker.downloads.page_outcome import PageOutcome
from scoopi.worker.messages import Result, WorkItem

PAYLOAD = JobPayload(Locator("page", "towns", "http://here.example/"), "seed")
FAILURE = Failure("parser: gone", "it is gone", "page:towns", "prices", "parser")
FILE = FileRef("files/ab", "ab", 5)


def outcome(*failures: Failure, tried: tuple[str, ...] = ()) -> PageOutcome:
    return PageOutcome(WorkItem("job", 3, PAYLOAD, failures=failures, tried=tried))


def frame_of(result: Result) -> Frame:
    return msgspec.msgpack.decode(result.body, type=Frame)


def test_parts_of_one_output_are_joined_in_the_order_of_their_tasks() -> None:
    made = outcome()
    made.take(ToAppender((Part("a.csv", 1, b"one\n"), Part("b.csv", 1, b"b\n"))))
    made.take(ToAppender((Part("a.csv", 2, b"two\nthree\n"),)), [FILE])
    result = made.result(1)
    frame = frame_of(result)
    assert frame.parts == (Part("a.csv", 3, b"one\ntwo\nthree\n"), Part("b.csv", 1, b"b\n"))
    assert frame.files == (FILE,)
    assert (result.rows, result.pages, result.state) == (4, 1, JobState.DONE)
    assert (frame.job, frame.fence) == (result.job, result.fence) == ("job", 3)


def test_links_are_gathered_and_are_no_rows() -> None:
    made = outcome()
    link = Link("http://here.example/next", "towns")
    made.take(ToJobs((link,)))
    assert made.links == [link]
    assert frame_of(made.result(1)).parts == ()


@pytest.mark.parametrize(
    ("failures", "tried", "is_kept"), [((), (), False), ((FAILURE,), (), True), ((), ("timeout",), True)]
)
def test_the_page_of_a_job_that_failed_or_was_tried_before_is_kept_for_a_retry(
    failures: tuple[Failure, ...], tried: tuple[str, ...], is_kept: bool
) -> None:
    result = outcome(*failures, tried=tried).result(1)
    frame = frame_of(result)
    assert frame.payload == (PAYLOAD if is_kept else None)
    assert frame.tried == tried
    assert frame.failures == result.failures == failures
    assert result.state is (JobState.FAILED if failures else JobState.DONE)


def test_a_page_that_is_skipped_is_neither_done_nor_failed() -> None:
    made = outcome()
    made.skipped = FAILURE
    result = made.result(0)
    assert result.state is frame_of(result).state is JobState.SKIPPED
    assert frame_of(result).skipped == FAILURE
