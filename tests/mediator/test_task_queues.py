"""TaskQueues: hosts take turns, and one that must wait holds up nobody."""

from __future__ import annotations

import math

import pytest

from scoopi.configs.groups import FetchLimits
from scoopi.mediator.budgets.page_budgets import BudgetRules, PageBudgets
from scoopi.mediator.held_jobs import Pending, robots_pending
from scoopi.mediator.task_queues import GrantRequest, TaskQueues
from scoopi.mediator.workers.worker_pool import PoolWorker
from scoopi.model.job import JobPayload
from scoopi.model.limits.budget import Budget
from scoopi.model.locator import Locator
from scoopi.politeness.host_rate_limiter import FILE_HOST, HostRateLimiter
from scoopi.politeness.standing import Standing
from scoopi.store.jobs.job_records import TakenJob
from tests.clock import Clock
from tests.mediator.played_node import PlayedWorker

ONE, TWO = "one.example:80", "two.example:80"


@pytest.fixture
def limiter(clock: Clock) -> HostRateLimiter:
    return HostRateLimiter(FetchLimits(1, 1000), clock)


@pytest.fixture
def queues(limiter: HostRateLimiter, clock: Clock) -> TaskQueues:
    return TaskQueues(limiter, clock)


def pending(name: str, host: str, archived: bool = False) -> Pending:
    payload = JobPayload(Locator(name, "towns", f"/{name}.html"), name)
    return Pending(TakenJob(name, 1, 0, host, payload), archived)


def asked(worker: PoolWorker, job: str) -> GrantRequest:
    return GrantRequest(worker, job, url="", public_only=False, file="")


def served(queues: TaskQueues, waits_for_worker: bool = False) -> list[str]:
    """The hosts that a round serves, each giving out one job if a worker is there."""
    hosts: list[str] = []

    def serve(host: str) -> bool:
        hosts.append(host)
        if not waits_for_worker:
            queues.pop_job(host)
            queues.wake(host)
        return not waits_for_worker

    queues.serve(serve)
    return hosts


def put_to_sleep(queues: TaskQueues) -> None:
    """A round in which every host must wait for its clock."""

    def serve(host: str) -> bool:
        queues.sleep(host)
        return True

    queues.serve(serve)


def test_each_host_with_work_is_served_once_a_round(queues: TaskQueues) -> None:
    for name, host in (("a", ONE), ("b", ONE), ("c", ONE), ("d", TWO)):
        queues.add(pending(name, host))
    assert [served(queues) for _ in range(4)] == [[ONE, TWO], [ONE], [ONE], []]
    assert queues.total == 0


def test_a_host_that_waits_for_a_worker_keeps_its_turn(queues: TaskQueues) -> None:
    queues.add(pending("a", ONE))
    assert [served(queues, waits_for_worker=True) for _ in range(3)] == [[ONE]] * 3


def test_of_many_hosts_that_lack_a_worker_one_is_tried_and_the_next_one_in_the_next_round(
    queues: TaskQueues,
) -> None:
    for number in range(5):
        queues.add(pending(f"{number}", f"{number}.example:80"))
    tried = [served(queues, waits_for_worker=True) for _ in range(6)]
    assert tried == [[f"{number % 5}.example:80"] for number in range(6)]


def test_hosts_that_lack_a_worker_hold_up_no_host_that_answers_no_file_and_no_further_request(
    queues: TaskQueues, limiter: HostRateLimiter
) -> None:
    for host in ("dead.example:80", "new.example:80", ONE, FILE_HOST, TWO):
        queues.add(pending(host, host))
    limiter.ended("dead.example:80", "z", heard=False)
    limiter.ended(ONE, "z", heard=True)
    worker = PoolWorker(PlayedWorker(), 4)
    queues.request_grant(TWO, asked(worker, "asks"))
    for host in (ONE, "dead.example:80"):
        queues.wake(host)
    hosts: list[str] = []

    def serve(host: str) -> bool:
        hosts.append(host)
        return False

    queues.serve(serve)
    assert hosts[:2] == [TWO, FILE_HOST]
    assert sorted(hosts[2:]) == sorted(["dead.example:80", "new.example:80", ONE])
    worker.link.kill()
    worker.link.reap()


def test_a_sleeping_host_is_served_when_its_clock_allows_it_and_not_before(
    queues: TaskQueues, limiter: HostRateLimiter, clock: Clock
) -> None:
    queues.add(pending("a", ONE))
    assert limiter.grant(ONE, "z") is not None
    limiter.sent(ONE, "z", clock.now)
    limiter.ended(ONE, "z")
    assert queues.next_turn_in() == math.inf
    put_to_sleep(queues)
    assert queues.next_turn_in() == pytest.approx(1.0)
    clock.now += 0.9
    assert served(queues) == []
    clock.now += queues.next_turn_in()
    assert queues.next_turn_in() == 0
    assert served(queues) == [ONE]


def test_a_host_whose_answer_is_awaited_sleeps_until_it_is_woken(
    queues: TaskQueues, limiter: HostRateLimiter, clock: Clock
) -> None:
    queues.add(pending("a", ONE))
    assert limiter.grant(ONE, "z") is not None
    limiter.sent(ONE, "z", clock.now)
    put_to_sleep(queues)
    clock.now = math.inf  # whatever time passes
    assert queues.next_turn_in() == math.inf
    assert served(queues) == []
    queues.wake(ONE)
    assert served(queues) == [ONE]


def test_a_host_without_work_is_not_woken(queues: TaskQueues) -> None:
    queues.wake(ONE)
    assert served(queues) == []


def test_a_page_of_the_archive_waits_with_the_files_and_counts_to_its_host(queues: TaskQueues) -> None:
    queues.add(pending("a", ONE, archived=True))
    assert queues.waiting_hosts() == (ONE,)
    assert queues.waiting[ONE] == 1
    assert served(queues) == [FILE_HOST]
    assert queues.waiting_hosts() == ()


def test_nothing_is_kept_of_a_host_whose_jobs_have_gone(queues: TaskQueues) -> None:
    for host in (ONE, TWO):
        queues.add(pending(f"a {host}", host))
        queues.add(pending(f"b {host}", host))
    queues.pop_job(ONE)
    assert set(queues.waiting) == {ONE, TWO}
    queues.pop_job(ONE)
    assert [each.taken.id for each in queues.take_jobs(TWO)] == [f"a {TWO}", f"b {TWO}"]
    assert set(queues.waiting) == set(), "all hosts of a run are looked through a few times a second"
    assert queues.total == 0


def test_jobs_of_a_host_keep_their_order(queues: TaskQueues) -> None:
    for name in "abc":
        queues.add(pending(name, ONE))
    first = queues.next_job(ONE)
    assert first is not None
    assert first.taken.id == "a"
    assert [queues.pop_job(ONE).taken.id for _ in range(3)] == list("abc")
    assert queues.next_job(ONE) is None


def test_pages_are_late_once_the_time_is_over_and_robots_txts_neither_are_nor_begin_it(
    limiter: HostRateLimiter, clock: Clock
) -> None:
    budgets = PageBudgets(BudgetRules(of_host=lambda host: Budget(seconds=10), has_hosts=True), clock)
    queues = TaskQueues(limiter, clock, budgets)
    robots = robots_pending(ONE, f"http://{ONE}/robots.txt", public_only=False)
    page, other = pending("a", ONE), pending("b", ONE)
    for each in (page, other, robots):
        queues.add(each)
    assert queues.begin_job(ONE) is robots
    clock.pass_s(10)
    assert not queues.is_late(page), "the time of a host begins with its first page"
    assert queues.begin_job(ONE) is page
    clock.pass_s(9)
    assert not queues.is_late(other)
    clock.pass_s(1)
    assert queues.is_late(other)
    assert not queues.is_late(robots)


def test_files_always_answer_and_a_host_as_its_last_requests_did(
    queues: TaskQueues, limiter: HostRateLimiter
) -> None:
    limiter.ended(ONE, "z", heard=False)
    assert [queues.standing(host) for host in (FILE_HOST, ONE, TWO)] == [
        Standing.ANSWERS,
        Standing.SILENT,
        Standing.UNKNOWN,
    ]


def test_what_a_dead_worker_asked_for_is_forgotten_and_others_keep_their_place(queues: TaskQueues) -> None:
    dead, living = (PoolWorker(PlayedWorker(), 4) for _ in range(2))
    queues.request_grant(ONE, asked(dead, "a"))
    queues.request_grant(ONE, asked(living, "b"))
    queues.request_grant(TWO, asked(dead, "c"))
    queues.forget_worker(dead)
    assert queues.next_grant_request(ONE) == asked(living, "b")
    assert queues.grant_hosts() == (ONE,)
    queues.pop_grant_request(ONE)
    assert queues.next_grant_request(ONE) is None
    for worker in (dead, living):
        worker.link.kill()
        worker.link.reap()


def test_clearing_gives_up_every_job_and_every_grant_request(queues: TaskQueues) -> None:
    worker = PoolWorker(PlayedWorker(), 4)
    queues.add(pending("a", ONE))
    queues.add(pending("b", TWO, archived=True))
    queues.request_grant(TWO, asked(worker, "c"))
    assert sorted(job.taken.id for job in queues.clear()) == ["a", "b"]
    assert (queues.total, queues.waiting_hosts(), queues.grant_hosts()) == (0, (), ())
    queues.request_grant(TWO, asked(worker, "c"))
    assert queues.clear(keeps_grants=True) == []
    assert queues.grant_hosts() == (TWO,)
    worker.link.kill()
    worker.link.reap()


def test_the_request_of_a_robots_txt_stays_when_jobs_of_its_host_are_taken_out(
    queues: TaskQueues,
) -> None:
    host = "one.example:80"
    reading = robots_pending(host, f"http://{host}/robots.txt", public_only=False)
    for each in (reading, pending("a", host), pending("b", host)):
        queues.add(each)
    assert [each.taken.payload.locator.name for each in queues.take_jobs(host)] == ["a", "b"]
    assert queues.total == 1
    assert queues.pop_job(host) is reading
    assert queues.take_jobs(host) == []
    assert queues.total == 0
