"""SendingNotes: a request that must not be sent twice is sent only once the store has noted it."""

from __future__ import annotations

import pytest

from scoopi.mediator.held_jobs import Pending
from scoopi.mediator.workers.sending_notes import SendingNotes
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator, PageRequest
from scoopi.store.jobs.job_records import TakenJob

SITE = "one.example:80"
POST = PageRequest("POST")


class Harness:
    """Notes, and the hosts that they have woken."""

    def __init__(self) -> None:
        self.woken: list[str] = []
        self.notes = SendingNotes(self.woken.append)

    def missing(self) -> list[tuple[str, int]]:
        """The jobs that the store is to note now, with their fences."""
        return [(job.id, job.fence) for job in self.notes.take_missing()]


def job(
    name: str = "a", fence: int = 1, request: PageRequest | None = POST, archived: bool = False
) -> Pending:
    locator = Locator(name, "towns", f"http://{SITE}/{name}", request=request)
    return Pending(TakenJob(name, fence, 0, SITE, JobPayload(locator, name)), archived)


@pytest.mark.parametrize(
    "pending",
    [job(request=None), job(request=PageRequest("POST", idempotent=True)), job(archived=True)],
    ids=["get", "idempotent", "archived"],
)
def test_a_request_that_may_be_repeated_needs_no_note(pending: Pending) -> None:
    harness = Harness()
    assert harness.notes.allow(pending)
    assert harness.missing() == []


def test_a_request_waits_for_its_note_which_is_asked_for_once() -> None:
    harness = Harness()
    assert not harness.notes.allow(job())
    assert not harness.notes.allow(job())
    assert [harness.missing() for _ in range(2)] == [[("a", 1)], []]
    assert not harness.notes.allow(job()), "the store has not answered yet"
    assert harness.missing() == []


def test_a_note_wakes_the_host_of_its_job_and_allows_the_request() -> None:
    harness = Harness()
    harness.notes.allow(job())
    harness.notes.add([job().taken])
    assert harness.woken == [SITE]
    assert harness.notes.allow(job())
    assert not harness.notes.allow(job("b")), "it has no note"


def test_a_note_is_of_one_take_of_its_job() -> None:
    harness = Harness()
    harness.notes.add([job(fence=1).taken])
    assert not harness.notes.allow(job(fence=2))
    assert harness.missing() == [("a", 2)]


@pytest.mark.parametrize("is_cleared", [False, True])
def test_a_forgotten_note_is_asked_for_again(is_cleared: bool) -> None:
    harness = Harness()
    for _ in range(2):
        assert not harness.notes.allow(job())
        assert harness.missing() == [("a", 1)]
        harness.notes.add([job().taken])
        assert harness.notes.allow(job())
        if is_cleared:
            harness.notes.clear()
        else:
            harness.notes.forget(job())


def test_a_request_whose_note_was_asked_for_when_it_was_handed_back_is_asked_for_again() -> None:
    harness = Harness()
    harness.notes.allow(job())
    harness.missing()
    harness.notes.clear()
    assert not harness.notes.allow(job())
    assert harness.missing() == [("a", 1)]


def test_only_the_note_of_the_job_that_is_given_out_is_forgotten() -> None:
    harness = Harness()
    harness.notes.add([job("a").taken, job("b").taken])
    harness.notes.forget(job("a"))
    assert harness.notes.allow(job("b"))
    assert not harness.notes.allow(job("a"))
