"""JobDispatcher: jobs and further requests are given out as hosts, workers and robots.txt allow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.configs.groups import FetchLimits
from scoopi.errors import LoadFault
from scoopi.mediator.budgets.page_budgets import NO_BUDGETS, BudgetRules, PageBudgets
from scoopi.mediator.held_jobs import Pending, robots_pending
from scoopi.mediator.workers.worker_pool import PoolWorker
from scoopi.model.job import JobPayload, JobState
from scoopi.model.limits.budget import Budget
from scoopi.model.locator import Locator, PageRequest
from scoopi.model.robots import RobotsAnswer, RobotsKind, RobotsLine
from scoopi.politeness.host_rate_limiter import FILE_HOST
from scoopi.store.jobs.job_records import TakenJob
from scoopi.worker.crash_marker import RunningTask
from scoopi.worker.messages import (
    Denied,
    FileEnded,
    FileSettled,
    Granted,
    GrantRequested,
    JobsHandedBack,
    Ready,
    RequestEnded,
    RobotsRead,
    Sent,
    SessionRequested,
    SessionTurn,
    Setup,
    ToWorker,
)
from tests.clock import Clock
from tests.mediator.played_node import PlayedNode, PlayedWorker

SITE = "one.example:80"
FILE = f"http://{SITE}/x.jpg"


class Harness:
    """A worker that is ready, beside a loop that does not turn."""

    def __init__(
        self,
        folder: Path,
        delay_ms: int = 0,
        robots: bool = False,
        at_a_time: int = 1,
        budgets: PageBudgets = NO_BUDGETS,
    ) -> None:
        limits = FetchLimits(at_a_time, delay_ms)
        self.node = PlayedNode(folder, limits=limits, robots=robots, budgets=budgets)
        self.dispatcher = self.node.dispatcher
        self.node.pool.start()
        self.link: PlayedWorker = self.node.launched.get_nowait()
        (self.worker,) = self.node.pool
        self.node.router.route(self.worker, Ready())
        assert isinstance(self.link.hears(), Setup)

    def given(self) -> list[str]:
        """Ids of the jobs that the worker gets now."""
        self.dispatcher.dispatch()
        self.node.pool.give()
        return [] if self.link.is_sent_nothing() else [item.job for item in self.link.is_given()]

    def asks(self, job: str, url: str) -> ToWorker | None:
        """What a job of the worker gets that asks for a further request."""
        self.node.router.route(self.worker, RequestEnded(job, SITE))
        self.node.router.route(self.worker, GrantRequested(job, SITE, url))
        self.dispatcher.dispatch()
        return None if self.link.is_sent_nothing() else self.link.hears()


def job(name: str, host: str = SITE, request: PageRequest | None = None) -> Pending:
    payload = JobPayload(Locator(name, "towns", f"http://{host}/{name}", request=request), name)
    return Pending(TakenJob(name, 1, 0, host, payload))


def order(name: str) -> Pending:
    """A job whose request must not be sent twice."""
    return job(name, request=PageRequest("POST"))


@pytest.fixture
def harness_of(tmp_path: Path) -> Iterator[Callable[..., Harness]]:
    harnesses: list[Harness] = []

    def made(
        delay_ms: int = 0, robots: bool = False, at_a_time: int = 1, budgets: PageBudgets = NO_BUDGETS
    ) -> Harness:
        harnesses.append(Harness(tmp_path, delay_ms, robots, at_a_time, budgets))
        return harnesses[-1]

    yield made
    for harness in harnesses:
        harness.node.pool.kill()
        for worker in list(harness.node.pool):
            harness.node.pool.remove(worker)
        harness.node.inbox.close()
        harness.node.store.close()


def test_a_host_with_a_delay_gives_one_job_at_a_time_and_files_give_all(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(delay_ms=1000)
    harness.dispatcher.add([job("a"), job("b"), job("c", FILE_HOST), job("d", FILE_HOST)])
    assert sorted(harness.given()) == ["a", "c", "d"]
    assert not harness.dispatcher.is_empty()
    assert harness.dispatcher.needed_hosts() == {SITE}
    assert harness.given() == []


def test_a_host_that_is_served_or_has_to_wait_delays_no_other(harness_of: Callable[..., Harness]) -> None:
    harness = harness_of(delay_ms=1000)
    other, third = "two.example:80", "three.example:80"
    harness.dispatcher.add([order("x"), job("a", other), job("b", other), job("c", third), job("d", "e:80")])
    assert sorted(harness.given()) == ["a", "c", "d"]


def test_a_host_is_asked_again_once_its_delay_is_over(harness_of: Callable[..., Harness]) -> None:
    harness = harness_of(delay_ms=1000)
    harness.dispatcher.add([job("a"), job("b")])
    assert harness.given() == ["a"]
    harness.node.router.route(harness.worker, Sent("a", SITE, harness.node.clock.now))
    harness.node.router.route(harness.worker, RequestEnded("a", SITE))
    assert harness.given() == []
    harness.node.clock.pass_s(2)
    assert harness.given() == ["b"]


def test_a_further_request_is_granted_once_the_delay_of_its_host_is_over(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(delay_ms=1000)
    harness.dispatcher.add([job("a", FILE_HOST)])
    assert harness.given() == ["a"]
    assert isinstance(harness.asks("a", f"http://{SITE}/next"), Granted)
    harness.node.router.route(harness.worker, Sent("a", SITE, harness.node.clock.now))
    assert harness.asks("a", f"http://{SITE}/last") is None
    harness.node.clock.pass_s(2)
    harness.dispatcher.dispatch()
    assert isinstance(harness.link.hears(), Granted)


def test_the_host_of_a_request_of_a_dead_worker_is_asked_again(harness_of: Callable[..., Harness]) -> None:
    harness = harness_of(delay_ms=1000)
    harness.dispatcher.add([job("a"), job("b")])
    assert harness.given() == ["a"]
    harness.link.dies()
    harness.node.pool.remove(harness.worker)
    harness.dispatcher.forget(harness.worker)
    harness.node.pool.start()
    harness.link = harness.node.launched.get_nowait()
    (harness.worker,) = harness.node.pool
    harness.node.router.route(harness.worker, Ready())
    assert isinstance(harness.link.hears(), Setup)
    assert harness.given() == []
    harness.node.clock.pass_s(60)
    assert harness.given() == ["b"]


def test_when_the_worker_that_logs_in_dies_a_job_of_another_one_does(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of()
    harness.dispatcher.add([job("a", FILE_HOST)])
    assert harness.given() == ["a"]
    alone, link = single(harness)
    alone.outstanding["b"] = job("b")
    harness.dispatcher.handle(harness.worker, SessionRequested("a", "shop", 0))
    harness.dispatcher.handle(alone, SessionRequested("b", "shop", 0))
    assert harness.link.hears() == SessionTurn("a")
    assert link.is_sent_nothing()
    harness.dispatcher.forget(harness.worker)
    assert link.hears() == SessionTurn("b")


def test_only_while_jobs_wait_the_loop_turns_when_a_worker_may_have_room_for_them(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(at_a_time=2)
    harness.dispatcher.add([job("a")])
    assert harness.given() == ["a"]
    assert harness.dispatcher.next_turn_in() == math.inf
    harness.dispatcher.add([order("b")])
    assert harness.given() == []
    assert harness.dispatcher.next_turn_in() < math.inf


def test_a_robots_txt_that_has_to_be_read_is_given_out_by_the_next_dispatch(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(robots=True)
    harness.dispatcher.add([job("a")])
    assert harness.given() == []
    harness.node.robots_cache.round()
    assert harness.given() == [f"robots.txt of {SITE}"]


def test_a_further_request_comes_before_new_jobs(harness_of: Callable[..., Harness]) -> None:
    harness = harness_of(delay_ms=1000)
    harness.dispatcher.add([job("a", FILE_HOST)])
    assert harness.given() == ["a"]
    harness.dispatcher.add([job("b")])
    answer = harness.asks("a", f"http://{SITE}/next")
    assert isinstance(answer, Granted)
    assert answer.grant.host == SITE
    assert harness.worker.requests == {"a": SITE}
    assert harness.given() == []


def test_a_further_request_of_a_job_that_was_handed_back_gets_nothing(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of()
    assert harness.asks("gone", f"http://{SITE}/next") is None
    assert harness.dispatcher.needed_hosts() == set()


def test_while_robots_txt_is_not_known_no_page_is_asked_for(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(robots=True)
    harness.dispatcher.add([job("a", FILE_HOST), job("b")])
    assert harness.given() == ["a"]
    assert harness.asks("a", f"http://{SITE}/next") is None
    assert harness.asks("a", "") is None, "its first request waits"


def test_jobs_taken_in_advance_are_handed_back_once_the_budget_of_their_group_is_used_up(
    harness_of: Callable[..., Harness],
) -> None:
    budgets = PageBudgets(BudgetRules(groups={"towns": Budget(bytes=1000)}))
    harness = harness_of(budgets=budgets, at_a_time=2)
    of_others = job("d")
    others = of_others.taken._replace(payload=replace(of_others.taken.payload, locator=Locator("d", "", "")))
    harness.dispatcher.add([job("a"), job("b"), job("c"), replace(of_others, taken=others)])
    assert harness.given() == ["a", "b"]
    budgets.received(job("a").taken, 1000)
    harness.node.router.route(harness.worker, RequestEnded("a", SITE))
    harness.node.router.route(harness.worker, RequestEnded("b", SITE))
    assert harness.given() == ["d"], "only the group has used up its budget"
    assert [each.taken.id for each in harness.dispatcher.take_unfit()] == ["c"]
    assert harness.dispatcher.is_empty()


def test_jobs_taken_in_advance_are_handed_back_when_their_host_asks_for_a_rest(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of()
    harness.dispatcher.add([job("a"), job("b"), job("c", FILE_HOST)])
    assert sorted(harness.given()) == ["a", "c"]
    busy = LoadFault("status 429", is_transient=True, status=429, retry_after_s=60.0)
    harness.node.router.route(harness.worker, RequestEnded("a", SITE, heard=True, fault=busy))
    assert harness.given() == []
    assert [each.taken.id for each in harness.dispatcher.take_unfit()] == ["b"]


def test_the_time_of_a_budget_begins_when_the_first_page_is_given_out(
    harness_of: Callable[..., Harness],
) -> None:
    clock = Clock()
    budgets = PageBudgets(BudgetRules(groups={"towns": Budget(seconds=10)}), clock)
    harness = harness_of(budgets=budgets)
    for each in (first := job("a")), (second := job("b")):
        assert budgets.refuse(each.taken) == ""
    clock.pass_s(100)
    harness.dispatcher.add([first, second])
    assert harness.given() == ["a"], "that it has waited here does not count"
    clock.pass_s(10)
    harness.node.router.route(harness.worker, RequestEnded("a", SITE))
    assert harness.given() == []
    assert [each.taken.id for each in harness.dispatcher.take_unfit()] == ["b"]


def test_a_login_needs_no_robots_txt(harness_of: Callable[..., Harness]) -> None:
    harness = harness_of(robots=True)
    harness.dispatcher.add([job("a", FILE_HOST)])
    assert harness.given() == ["a"]
    assert isinstance(harness.asks("a", ""), Granted)


def test_the_request_of_robots_txt_needs_no_robots_txt(harness_of: Callable[..., Harness]) -> None:
    harness = harness_of(robots=True)
    reading = robots_pending(SITE, f"http://{SITE}/robots.txt", public_only=False)
    harness.dispatcher.add([reading])
    assert harness.given() == [reading.taken.id]
    assert isinstance(harness.asks(reading.taken.id, f"http://{SITE}/moved.txt"), Granted)


def test_a_robots_txt_is_asked_for_while_pages_have_all_slots_of_the_worker(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(at_a_time=100)
    harness.dispatcher.add([job(f"{number}") for number in range(20)])
    assert 0 < len(harness.given()) < 20
    reading = robots_pending("new.example:80", "http://new.example/robots.txt", public_only=False)
    harness.dispatcher.add([reading])
    assert harness.given() == [], "the turn of the first host has ended the round"
    assert harness.given() == [reading.taken.id]


def test_what_is_cleared_and_what_a_dead_worker_asked_for_is_gone(harness_of: Callable[..., Harness]) -> None:
    harness = harness_of(delay_ms=1000)
    harness.dispatcher.add([job("a"), job("b")])
    assert harness.given() == ["a"]
    assert [each.taken.id for each in harness.dispatcher.clear()] == ["b"]
    assert harness.dispatcher.is_empty()
    assert harness.dispatcher.take_unfit() == []
    harness.node.router.route(harness.worker, GrantRequested("a", SITE, f"http://{SITE}/next"))
    harness.dispatcher.forget(harness.worker)
    assert harness.dispatcher.needed_hosts() == set()


def test_a_request_that_must_not_be_sent_twice_waits_until_the_store_knows_of_it(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of()
    harness.dispatcher.add([order("a")])
    for _ in range(3):
        assert harness.given() == []
    (waiting,) = harness.dispatcher.notes.take_missing()
    assert waiting.id == "a"
    assert harness.given() == []
    assert harness.dispatcher.notes.take_missing() == [], "it is noted once"
    harness.dispatcher.notes.add([waiting])
    assert harness.given() == ["a"]


def test_what_the_store_knows_of_a_request_is_kept_here_only_until_its_job_is_given(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(at_a_time=2)
    harness.dispatcher.add([order("a")])
    harness.dispatcher.notes.add([order("a").taken])
    assert harness.given() == ["a"]
    harness.node.router.route(harness.worker, JobsHandedBack(("a",)))
    harness.dispatcher.add([order("a")])
    assert harness.given() == []
    assert [each.id for each in harness.dispatcher.notes.take_missing()] == ["a"]


def test_a_job_that_is_handed_back_before_it_sent_is_noted_again_and_then_given(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(at_a_time=2)
    for _ in range(2):
        harness.dispatcher.add([order("a")])
        assert harness.given() == []
        harness.dispatcher.notes.add(harness.dispatcher.notes.take_missing())
        assert harness.given() == ["a"]
        harness.node.router.route(harness.worker, JobsHandedBack(("a",)))


def test_after_a_further_request_that_nobody_waits_for_the_next_one_is_granted(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(at_a_time=2)
    harness.dispatcher.add([job("a"), job("b")])
    assert sorted(harness.given()) == ["a", "b"]
    for name in "ab":
        harness.node.router.route(harness.worker, RequestEnded(name, SITE))
        harness.node.router.route(harness.worker, GrantRequested(name, SITE, f"http://{SITE}/next-{name}"))
    harness.node.router.route(harness.worker, JobsHandedBack(("a",)))
    harness.dispatcher.dispatch()
    assert harness.worker.requests == {"b": SITE}


def test_a_request_that_a_crashed_worker_may_have_sent_fails_its_job(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(at_a_time=3)
    harness.dispatcher.add([order("a"), job("b")])
    harness.dispatcher.notes.add([order("a").taken])
    assert sorted(harness.given()) == ["a", "b"]
    harness.dispatcher.end_sent(harness.worker, "it was killed")
    failed = harness.node.failed.get_nowait()
    assert (failed.job, failed.state) == ("a", JobState.FAILED)
    assert [*harness.worker.outstanding] == ["b"]
    assert harness.dispatcher.denied.take_count() == 1


def single(harness: Harness) -> tuple[PoolWorker, PlayedWorker]:
    """The worker for quarantined jobs, once it is ready."""
    alone = harness.node.pool.start_alone()
    link = harness.node.launched.get_nowait()
    harness.node.router.route(alone, Ready())
    assert isinstance(link.hears(), Setup)
    return alone, link


def test_a_quarantined_job_that_is_handed_back_before_it_sent_is_noted_again(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(at_a_time=2)
    harness.worker.outstanding["a"] = order("a")
    harness.dispatcher.judge(harness.worker, "it was killed", RunningTask())
    del harness.worker.outstanding["a"]
    alone, link = single(harness)
    harness.dispatcher.notes.add([order("a").taken])
    assert harness.given() == []
    assert [item.job for item in link.is_given()] == ["a"]
    harness.node.router.route(alone, JobsHandedBack(("a",)))
    harness.dispatcher.add([order("a")])
    assert harness.given() == []
    assert [each.id for each in harness.dispatcher.notes.take_missing()] == ["a"]


def test_quarantined_jobs_of_a_host_keep_their_order_also_while_the_first_has_to_wait(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(at_a_time=3)
    held = (order("a"), job("b"), job("c", FILE_HOST))
    harness.worker.outstanding |= {pending.taken.id: pending for pending in held}
    harness.dispatcher.judge(harness.worker, "it was killed", RunningTask())
    alone, link = single(harness)

    def given_alone() -> list[str]:
        harness.dispatcher.dispatch()
        harness.node.pool.give()
        given = [] if link.is_sent_nothing() else [item.job for item in link.is_given()]
        for name in given:
            harness.node.router.route(alone, RequestEnded(name, SITE, heard=True))
        alone.outstanding.clear()
        return given

    assert [given_alone(), given_alone()] == [["c"], []]
    harness.dispatcher.notes.add(harness.dispatcher.notes.take_missing())
    assert [given_alone(), given_alone()] == [["a"], ["b"]]


def two_want_one_file(harness: Harness) -> None:
    """The worker has the jobs `a` and `b`, and each asks for a grant for the same file."""
    harness.dispatcher.add([job("a"), job("b")])
    assert harness.given() == ["a", "b"]
    for name in "ab":
        harness.node.router.route(harness.worker, RequestEnded(name, SITE))
        harness.node.router.route(harness.worker, GrantRequested(name, SITE, FILE, file=FILE))
    harness.dispatcher.dispatch()


def test_a_job_that_waits_for_a_file_delays_no_further_request_behind_it(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(at_a_time=4)
    harness.dispatcher.add([job(name) for name in "abc"])
    assert harness.given() == ["a", "b", "c"]
    for name in "abc":
        harness.node.router.route(harness.worker, RequestEnded(name, SITE))
    for name, file in (("a", FILE), ("b", FILE), ("c", "")):
        url = file or f"http://{SITE}/next"
        harness.node.router.route(harness.worker, GrantRequested(name, SITE, url, file=file))
    harness.dispatcher.dispatch()
    assert harness.worker.requests == {"a": SITE, "c": SITE}


def test_a_job_that_is_gone_when_it_asks_for_its_file_again_lets_others_have_it(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(at_a_time=4)
    two_want_one_file(harness)
    assert isinstance(harness.link.hears(), Granted)
    harness.node.router.route(harness.worker, RequestEnded("a", SITE))
    harness.node.router.route(harness.worker, GrantRequested("a", SITE, f"http://{SITE}/y.jpg", file=FILE))
    harness.node.router.route(harness.worker, JobsHandedBack(("a",)))
    harness.dispatcher.dispatch()
    assert harness.link.hears() == FileSettled("b")


def test_of_two_jobs_that_want_one_file_the_second_waits_for_the_first(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(at_a_time=4)
    two_want_one_file(harness)
    granted = harness.link.hears()
    assert isinstance(granted, Granted)
    assert (granted.job, harness.link.is_sent_nothing()) == ("a", True)
    for message in (RequestEnded("a", SITE), FileEnded("a")):
        harness.node.router.route(harness.worker, message)
        harness.dispatcher.handle(harness.worker, message)
    assert harness.link.hears() == FileSettled("b")


def test_what_is_cleared_while_it_waits_to_send_is_noted_when_it_comes_again(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of()
    for _ in range(2):
        harness.dispatcher.add([order("a")])
        assert harness.given() == []
        assert [each.id for each in harness.dispatcher.notes.take_missing()] == ["a"]
        assert [each.taken.id for each in harness.dispatcher.clear()] == ["a"]
    harness.dispatcher.notes.add([order("a").taken])
    harness.dispatcher.clear()
    harness.dispatcher.add([order("a")])
    assert harness.given() == [], "what the store knew of the take before does not count"


def test_a_robots_txt_that_is_cleared_with_its_jobs_is_read_when_they_come_again(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(robots=True)
    for _ in range(2):
        harness.dispatcher.add([job("a")])
        assert harness.given() == []
        harness.node.robots_cache.round()
        harness.node.robots.take_up()
        assert sorted(each.is_robots for each in harness.dispatcher.clear()) == [False, True]


def read(harness: Harness, line: str) -> None:
    """The robots.txt of the site is read, and has this line for Scoopi."""
    reading = robots_pending(SITE, f"http://{SITE}/robots.txt", public_only=False)
    harness.worker.add(reading, reading.item())
    harness.worker.take_items()
    answer = RobotsAnswer(RobotsKind.KNOWN, (RobotsLine(2, line),))
    harness.node.router.route(harness.worker, RobotsRead(reading.taken.id, answer))


def test_a_page_that_robots_txt_disallows_is_skipped_and_those_behind_it_are_given(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(robots=True, at_a_time=4)
    read(harness, "Disallow: /a")
    harness.dispatcher.add([job("a"), job("b")])
    assert harness.given() == ["b"]
    skipped = harness.node.failed.get_nowait()
    assert (skipped.job, skipped.state) == ("a", JobState.SKIPPED)
    assert [harness.dispatcher.denied.take_count() for _ in range(2)] == [1, 0]


def test_a_further_request_that_robots_txt_disallows_is_denied_with_its_address(
    harness_of: Callable[..., Harness],
) -> None:
    harness = harness_of(robots=True, at_a_time=4)
    read(harness, "Disallow: /next")
    harness.dispatcher.add([job("b")])
    assert harness.given() == ["b"]
    denied = harness.asks("b", f"http://{SITE}/next")
    assert isinstance(denied, Denied)
    assert (denied.job, denied.is_rule) == ("b", True)
    assert denied.message.startswith(f"http://{SITE}/next: ")


def test_a_quarantined_page_that_robots_txt_disallows_is_skipped(harness_of: Callable[..., Harness]) -> None:
    harness = harness_of(robots=True, at_a_time=4)
    read(harness, "Disallow: /a")
    harness.worker.outstanding |= {pending.taken.id: pending for pending in (job("a"), job("b"))}
    harness.dispatcher.judge(harness.worker, "it was killed", RunningTask())
    assert harness.dispatcher.has_quarantined()
    alone = harness.node.pool.start_alone()
    harness.node.router.route(alone, Ready())
    for _ in range(2):
        harness.dispatcher.dispatch()
    assert harness.node.failed.get_nowait().state is JobState.SKIPPED
    assert [*alone.outstanding] == ["b"]
    assert not harness.dispatcher.has_quarantined()


@pytest.mark.parametrize("keeps", [None, False, True])
def test_jobs_that_no_longer_wait_drop_the_requests_of_those_in_workers_unless_they_go_on(
    harness_of: Callable[..., Harness], keeps: bool | None
) -> None:
    harness = harness_of(delay_ms=60_000)
    harness.dispatcher.add([job("a"), job("b")])
    assert harness.given() == ["a"]
    harness.node.router.route(harness.worker, RequestEnded("a", SITE))
    harness.node.router.route(harness.worker, GrantRequested("a", SITE, f"http://{SITE}/next"))
    cleared = harness.dispatcher.clear() if keeps is None else harness.dispatcher.clear(keeps_grants=keeps)
    assert [each.taken.id for each in cleared] == ["b"]
    assert harness.dispatcher.needed_hosts() == ({SITE} if keeps else set())
