"""WorkerPool, PoolWorker: which worker is given a job, and how many a worker may hold."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scoopi.mediator.held_jobs import Pending, robots_pending
from scoopi.mediator.workers.worker_pool import (
    WINDOW_LEAST,
    WINDOW_MOST,
    PoolWorker,
    WorkerPool,
)
from scoopi.model.handover import Grant
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.politeness.standing import Standing
from scoopi.store.jobs.job_records import TakenJob
from scoopi.worker.crash_marker import RunningTask
from scoopi.worker.messages import Assign, Setup, Stop, WorkItem
from tests.mediator.played_node import PlayedWorker

HOST = "site.example:80"
MOST_REQUESTS = 2


def pending(name: str) -> Pending:
    return Pending(TakenJob(name, 1, 0, HOST, JobPayload(Locator(name, "towns", name), name)))


def item(name: str, grant: Grant | None = None) -> WorkItem:
    return WorkItem(name, 1, pending(name).taken.payload, grant)


@pytest.fixture
def played() -> list[PlayedWorker]:
    return []


@pytest.fixture
def pool(played: list[PlayedWorker]) -> Iterator[WorkerPool]:
    def launch() -> PlayedWorker:
        played.append(PlayedWorker())
        return played[-1]

    made = WorkerPool(launch, 2, b"plan", MOST_REQUESTS)
    made.start()
    yield made
    made.kill()
    for worker in list(made):
        made.remove(worker)


def ready(pool: WorkerPool) -> list[PoolWorker]:
    for worker in pool:
        worker.ready = True
    return pool.workers


def test_a_worker_is_set_up_first_and_given_nothing_before_it_is_ready(
    pool: WorkerPool, played: list[PlayedWorker]
) -> None:
    assert [worker.hears() for worker in played] == [Setup(b"plan")] * 2
    assert pool.choose(needs_request=False) is None
    ready(pool)
    assert pool.choose(needs_request=False) is not None


def test_the_least_laden_is_chosen_and_none_when_all_are_full(pool: WorkerPool) -> None:
    one, other = ready(pool)
    for number in range(one.window):
        one.add(pending(f"a{number}"), item(f"a{number}"))
    assert pool.choose(needs_request=False) is other
    for number in range(other.window):
        other.add(pending(f"b{number}"), item(f"b{number}"))
    assert pool.choose(needs_request=False) is None


def test_requests_are_bounded_and_take_no_room_from_files(pool: WorkerPool) -> None:
    for worker in ready(pool):
        for name in "ab":
            worker.add(pending(name), item(name, Grant(HOST, 1.0)))
        assert worker.requests == {"a": HOST, "b": HOST}
    assert pool.choose(needs_request=True) is None
    assert pool.choose(needs_request=False) is not None


def test_pages_that_wait_for_their_steps_hold_back_requests(pool: WorkerPool) -> None:
    one, _ = ready(pool)
    for number in range(one.window):
        assert one.has_room(needs_request=True)
        one.add(pending(f"{number}"), item(f"{number}", Grant(HOST, 1.0)))
        one.slots.end(f"{number}")  # it was answered
    assert not one.has_room(needs_request=True)


def test_a_request_for_robots_txt_has_slots_of_its_own_and_waits_for_no_steps(pool: WorkerPool) -> None:
    one, _ = ready(pool)
    for number in range(one.window):
        one.add(pending(f"{number}"), item(f"{number}"))
    assert not one.has_room(needs_request=True)
    reading = robots_pending(HOST, f"http://{HOST}/robots.txt", public_only=False)
    assert one.has_room(needs_request=True, is_robots=True)
    one.add(reading, reading.item(Grant(HOST, 1.0)), Standing.UNKNOWN)
    assert pool.choose(needs_request=True, is_robots=True) is not one, "it has the most jobs"
    assert pool.stalled_robots() == 0


def test_what_was_added_goes_out_in_one_message(pool: WorkerPool, played: list[PlayedWorker]) -> None:
    one, _ = ready(pool)
    for name in "ab":
        one.add(pending(name), item(name))
    pool.give()
    pool.give()
    assert isinstance(played[0].hears(), Setup)
    assert played[0].hears() == Assign((item("a"), item("b")))
    assert played[0].is_sent_nothing()
    assert isinstance(played[1].hears(), Setup)
    assert played[1].is_sent_nothing()


def test_a_worker_alone_is_started_once_and_holds_one_job(
    pool: WorkerPool, played: list[PlayedWorker]
) -> None:
    alone = pool.start_alone()
    assert pool.start_alone() is alone
    assert (alone.is_alone, alone.capacity(), len(played)) == (True, 1, 3)
    alone.ready = True
    assert alone.has_room(needs_request=True)
    alone.add(pending("a"), item("a"))
    assert not alone.has_room(needs_request=False)
    assert alone not in pool.workers
    assert alone in list(pool)


def test_a_worker_that_is_gone_is_replaced(pool: WorkerPool, played: list[PlayedWorker]) -> None:
    gone = pool.workers[0]
    played[0].dies("job", "rain")
    assert pool.remove(gone) == ("it was killed by the test", RunningTask("job", "rain", 1.0))
    pool.start()
    assert len(pool.workers) == 2
    assert gone not in pool.workers


def test_quick_jobs_widen_the_window_and_slow_ones_narrow_it(pool: WorkerPool) -> None:
    worker = pool.workers[0]
    assert worker.window == WINDOW_LEAST
    for _ in range(50):
        worker.record_timing(100, 0.2, 0.0)
    assert WINDOW_LEAST < worker.window <= WINDOW_MOST
    worker.record_timing(0, 5.0, 5.0)
    wide = worker.window
    for _ in range(50):
        worker.record_timing(1, 2.0, 0.0)
    assert worker.window == WINDOW_LEAST < wide
    assert pool.capacity() == 2 * (WINDOW_LEAST + MOST_REQUESTS)


@pytest.mark.parametrize(
    ("step_s", "window"), [(2.0, 4), (0.0374, 4), (0.009, 16), (0.0011, 128), (0.0, 128)]
)
def test_a_worker_holds_its_work_of_the_next_moments_but_at_least_four_jobs(
    step_s: float, window: int
) -> None:
    worker = PoolWorker(PlayedWorker(), 32)
    worker.record_timing(100, 100 * step_s, 0.0)
    assert worker.window == window
    worker.link.kill()
    worker.link.reap()


def test_the_first_batch_sets_the_pace_and_a_later_one_moves_it_by_a_part() -> None:
    quick, slow, both = (PoolWorker(PlayedWorker(), 32) for _ in range(3))
    quick.record_timing(100, 0.2, 0.0)
    slow.record_timing(100, 0.4, 0.0)
    both.record_timing(100, 0.2, 0.0)
    both.record_timing(100, 0.4, 0.0)
    assert WINDOW_LEAST < slow.window < both.window < quick.window
    for worker in (quick, slow, both):
        worker.link.kill()
        worker.link.reap()


def test_as_many_requests_are_wanted_as_the_steps_take_up_while_a_page_comes() -> None:
    worker = PoolWorker(PlayedWorker(), 32)
    for _ in range(200):
        worker.record_timing(1, 1.0, 0.02)
    heavy = worker.capacity()
    for _ in range(200):
        worker.record_timing(10, 10 * 0.01, 10 * 0.2)
    light = worker.capacity()
    for _ in range(200):
        worker.record_timing(10, 10 * 0.001, 10 * 2.0)
    assert heavy == WINDOW_LEAST + WINDOW_LEAST
    assert light == pytest.approx(15 + WINDOW_LEAST + 20, abs=2)
    assert worker.capacity() == WINDOW_MOST + 32
    worker.link.kill()
    worker.link.reap()


def test_the_worker_for_single_jobs_is_asked_to_end_once_it_has_none(
    pool: WorkerPool, played: list[PlayedWorker]
) -> None:
    alone, link = pool.start_alone(), played[-1]
    assert isinstance(link.hears(), Setup)
    alone.add(pending("a"), item("a"))
    pool.end_alone()
    assert link.is_sent_nothing()
    alone.end("a")
    pool.end_alone()
    assert link.hears() == Stop()
    assert alone in list(pool), "its end is still to be seen"
    assert pool.start_alone() is not alone
