"""HeldJobs: the node is idle only when it holds no job and is about to hold none; Pending: its crashes."""

from __future__ import annotations

import threading

import msgspec
import pytest

from scoopi.mediator.held_jobs import (
    HeldJobs,
    Pending,
    failed_result,
    failure_of,
    robots_pending,
    skipped_result,
)
from scoopi.model.handover import Grant
from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.locator import Locator, PageRequest
from scoopi.store.jobs.job_records import TakenJob, WaitingJob
from scoopi.store.nodes.node_record import NodeLoad

WAIT_S = 60.0
TAKEN = TakenJob(
    "a", 3, 0, "one.example:80", JobPayload(Locator("page", "group", "http://one.example/"), "a")
)


def test_a_job_counts_from_before_its_take_to_its_end() -> None:
    held = HeldJobs()
    assert held.load() == NodeLoad(0, True)
    with held.taking() as begin:
        assert not held.is_idle()
        begin()
        held.add(["a", "b"])
    assert held.load() == NodeLoad(1, False)
    assert held.ids() == {"a", "b"}
    held.remove(["a"])
    assert not held.is_idle()
    held.remove(["b", "unknown"])
    assert held.is_idle()


def test_a_look_that_finds_nothing_is_no_take() -> None:
    held = HeldJobs()
    with held.taking():
        pass
    assert held.load() == NodeLoad(0, True)


def test_a_job_that_waits_for_a_retry_keeps_the_run_busy_and_the_node_idle() -> None:
    held = HeldJobs()
    held.waiting.add([WaitingJob("a", "one.example:80", 1000)])
    assert held.is_idle()
    assert not held.load().idle


def test_the_wait_for_an_idle_node_ends_with_its_last_job_or_when_it_is_given_up() -> None:
    held, gives_up = HeldJobs(), threading.Event()
    held.add(["a"])
    assert not held.wait_idle(0.0, gives_up.is_set)
    found: list[bool] = []

    def wait() -> None:
        found.append(held.wait_idle(WAIT_S, gives_up.is_set))

    waiting = threading.Thread(target=wait)
    waiting.start()
    held.remove(["a"])
    waiting.join(WAIT_S)
    held.add(["b"])
    waiting = threading.Thread(target=wait)
    waiting.start()
    gives_up.set()
    held.wake()
    waiting.join(WAIT_S)
    assert found == [True, False]


def test_what_a_worker_gets_has_the_grant_and_the_failures_so_far() -> None:
    failure = failure_of(TAKEN, "it crashed", "see the log", "prices", "town.yml:3")
    pending = Pending(TAKEN).crashed("prices").held_at_crash().without("prices", failure)
    assert (pending.crashes, pending.beside) == ((), 1)
    item = pending.item(grant := Grant("one.example:80", 1.0))
    assert (item.job, item.fence, item.grant, item.failures) == ("a", 3, grant, (failure,))
    assert item.payload.skip == ("prices",)
    assert (failure.cause, failure.message) == (
        "it crashed",
        "it crashed; see the log",
    )


def test_results_of_jobs_that_are_not_run_have_no_rows() -> None:
    failure = failure_of(TAKEN, "it crashed", "see the log")
    results = (skipped_result(TAKEN, failure), failed_result(TAKEN, (failure,)))
    for result, state in zip(results, (JobState.SKIPPED, JobState.FAILED), strict=True):
        frame = msgspec.msgpack.decode(result.body, type=Frame)
        assert (result.job, result.fence, result.state, result.rows) == ("a", 3, state, 0)
        assert (result.children, result.body) == ((), msgspec.msgpack.encode(frame))
        assert (frame.job, frame.fence, frame.state, frame.parts, frame.pages) == ("a", 3, state, (), 0)
        assert {*frame.failures, frame.skipped} - {None} == {failure}


def test_a_robots_txt_waits_as_no_job_of_the_run() -> None:
    pending = robots_pending("one.example:80", "http://one.example/robots.txt", public_only=True)
    assert pending.is_robots
    assert pending.item().is_robots
    assert pending.taken.payload.public_only
    assert (pending.taken.fence, pending.taken.lost) == (0, 0)
    job = Pending(TAKEN).item()
    assert (job.is_robots, job.archived) == (False, False)


@pytest.mark.parametrize(
    ("request_", "archived", "sends_once"),
    [
        (None, False, False),
        (PageRequest(), False, False),
        (PageRequest("POST", json="{}"), False, True),
        (PageRequest("POST", json="{}", idempotent=True), False, False),
        (PageRequest("POST", json="{}"), True, False),
    ],
)
def test_a_request_is_sent_once_unless_a_repetition_does_no_harm_or_none_is_sent(
    request_: PageRequest | None, archived: bool, sends_once: bool
) -> None:
    locator = msgspec.structs.replace(TAKEN.payload.locator, request=request_)
    payload = msgspec.structs.replace(TAKEN.payload, locator=locator)
    assert Pending(TAKEN._replace(payload=payload), archived).sends_once is sends_once


def begun_wait(held: HeldJobs) -> threading.Thread:
    """A thread that waits for the node to be idle, much longer than the test does."""
    checked = threading.Event()

    def given_up() -> bool:
        checked.set()
        return False

    waiting = threading.Thread(target=held.wait_idle, args=(10 * WAIT_S, given_up), daemon=True)
    waiting.start()
    assert checked.wait(WAIT_S)
    return waiting


def test_the_end_of_the_last_job_ends_a_wait_that_has_begun() -> None:
    held = HeldJobs()
    held.add(["a"])
    waiting = begun_wait(held)
    held.remove(["a"])  # only once the wait has released the lock
    waiting.join(WAIT_S)
    assert not waiting.is_alive()


def test_the_end_of_a_take_that_found_nothing_ends_a_wait_that_has_begun() -> None:
    held = HeldJobs()
    with held.taking():
        waiting = begun_wait(held)
    waiting.join(WAIT_S)
    assert not waiting.is_alive()
