"""RetryTally: the attempts of pages, counted from the frames that count."""

from __future__ import annotations

from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.model.report.run_report import Retried, Retries
from scoopi.publishing.retry_tally import MOST_NAMED, RetryTally


def frame(name: str, *tried: str) -> Frame:
    payload = JobPayload(Locator(name, "group", f"http://me:secret@x/{name}"), name) if tried else None
    return Frame(name, 1, JobState.DONE, 1, (), payload=payload, tried=tried)


def test_attempts_are_counted_by_reason_and_the_pages_with_most_are_named() -> None:
    tally = RetryTally()
    for each in (frame("a"), frame("b", "timeout"), frame("c", "status 503", "timeout", "timeout")):
        tally.add(each)
    assert tally.counted() == Retries(
        jobs=2,
        retries=4,
        reasons={"timeout": 3, "status 503": 1},
        most=(Retried("c:group", "http://me:***@x/c", 4), Retried("b:group", "http://me:***@x/b", 2)),
    )


def test_of_very_many_pages_those_with_the_most_attempts_are_named() -> None:
    tally = RetryTally()
    for number in range(3 * MOST_NAMED):
        tally.add(frame(f"p{number:03}", *["reset"] * (1 + number % 3)))
    counted = tally.counted()
    assert counted.jobs == 3 * MOST_NAMED
    assert len(counted.most) == MOST_NAMED
    assert {page.attempts for page in counted.most} == {4}


def test_a_run_without_retries_has_no_figures() -> None:
    assert RetryTally().counted() == Retries()
