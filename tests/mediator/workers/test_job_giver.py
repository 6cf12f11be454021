"""JobGiver: jobs and further requests are given out as hosts, workers and robots.txt allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.configs.groups import FetchLimits
from scoopi.errors import LoadFault
from scoopi.mediator.budgets.page_budgets import NO_BUDGETS, BudgetRules, PageBudgets
from scoopi.mediator.held_jobs import Pending, robots_pending
from scoopi.model.job import JobPayload, JobState
from scoopi.model.limits.budget import Budget
from scoopi.model.locator import Locator, PageRequest
from scoopi.model.robots import RobotsAnswer, RobotsKind, RobotsLine
from scoopi.politeness.host_clocks import FILE_HOST
from scoopi.store.pages.job_records import TakenJob
from scoopi.worker.crash_marker import Note
from scoopi.worker.messages import (
    Answered,
    Denied,
    FileEnded,
    FileSettled,
    GrantAsked,
    Granted,
    JobsHandedBack,
    Ready,
    RobotsRead,
    Setup,
    ToWorker,
)
from tests.clock import Clock
from tests.mediator.played_node import PlayedNode, PlayedWorker

SITE = "one.example:80"
FILE = f"http://{SITE}/x.jpg"


class Desk:
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
        self.giver = self.node.giver
        self.node.pool.start()
        self.link: PlayedWorker = self.node.launched.get_nowait()
        (self.worker,) = self.node.pool
        self.node.router.route(self.worker, Ready())
        assert isinstance(self.link.hears(), Setup)

    def given(self) -> list[str]:
        """Ids of the jobs that the worker gets now."""
        self.giver.give()
        self.node.pool.give()
        return [] if self.link.is_sent_nothing() else [item.job for item in self.link.is_given()]

    def asks(self, job: str, url: str) -> ToWorker | None:
        """What a job of the worker gets that asks for a further request."""
        self.node.router.route(self.worker, Answered(job, SITE))
        self.node.router.route(self.worker, GrantAsked(job, SITE, url))
        self.giver.give()
        return None if self.link.is_sent_nothing() else self.link.hears()


def job(name: str, host: str = SITE, request: PageRequest | None = None) -> Pending:
    payload = JobPayload(Locator(name, "towns", f"http://{host}/{name}", request=request), name)
    return Pending(TakenJob(name, 1, 0, host, payload))


def order(name: str) -> Pending:
    """A job whose request must not be sent twice."""
    return job(name, request=PageRequest("POST"))


@pytest.fixture
def desk_of(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    desks: list[Desk] = []

    def made(
        delay_ms: int = 0, robots: bool = False, at_a_time: int = 1, budgets: PageBudgets = NO_BUDGETS
    ) -> Desk:
        desks.append(Desk(tmp_path, delay_ms, robots, at_a_time, budgets))
        return desks[-1]

    yield made
    for desk in desks:
        desk.node.pool.kill()
        for worker in list(desk.node.pool):
            desk.node.pool.remove(worker)
        desk.node.inbox.close()
        desk.node.store.close()


def test_a_host_with_a_delay_gives_one_job_at_a_time_and_files_give_all(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of(delay_ms=1000)
    desk.giver.add([job("a"), job("b"), job("c", FILE_HOST), job("d", FILE_HOST)])
    assert sorted(desk.given()) == ["a", "c", "d"]
    assert not desk.giver.is_empty()
    assert desk.giver.needed_hosts() == {SITE}
    assert desk.given() == []


def test_a_further_request_comes_before_new_jobs(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of(delay_ms=1000)
    desk.giver.add([job("a", FILE_HOST)])
    assert desk.given() == ["a"]
    desk.giver.add([job("b")])
    answer = desk.asks("a", f"http://{SITE}/next")
    assert isinstance(answer, Granted)
    assert answer.grant.host == SITE
    assert desk.worker.requests == {"a": SITE}
    assert desk.given() == []


def test_a_further_request_of_a_job_that_was_handed_back_gets_nothing(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of()
    assert desk.asks("gone", f"http://{SITE}/next") is None
    assert desk.giver.needed_hosts() == set()


def test_while_robots_txt_is_not_known_no_page_is_asked_for(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of(robots=True)
    desk.giver.add([job("a", FILE_HOST), job("b")])
    assert desk.given() == ["a"]
    assert desk.asks("a", f"http://{SITE}/next") is None
    assert desk.asks("a", "") is None, "its first request waits"


def test_jobs_taken_in_advance_are_handed_back_once_the_budget_of_their_group_is_used_up(
    desk_of: Callable[..., Desk],
) -> None:
    budgets = PageBudgets(BudgetRules(groups={"towns": Budget(bytes=1000)}))
    desk = desk_of(budgets=budgets, at_a_time=2)
    of_others = job("d")
    others = of_others.taken._replace(payload=replace(of_others.taken.payload, locator=Locator("d", "", "")))
    desk.giver.add([job("a"), job("b"), job("c"), replace(of_others, taken=others)])
    assert desk.given() == ["a", "b"]
    budgets.received(job("a").taken, 1000)
    desk.node.router.route(desk.worker, Answered("a", SITE))
    desk.node.router.route(desk.worker, Answered("b", SITE))
    assert desk.given() == ["d"], "only the group has used up its budget"
    assert [each.taken.id for each in desk.giver.take_unfit()] == ["c"]
    assert desk.giver.is_empty()


def test_jobs_taken_in_advance_are_handed_back_when_their_host_asks_for_a_rest(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of()
    desk.giver.add([job("a"), job("b"), job("c", FILE_HOST)])
    assert sorted(desk.given()) == ["a", "c"]
    busy = LoadFault("status 429", is_transient=True, status=429, retry_after_s=60.0)
    desk.node.router.route(desk.worker, Answered("a", SITE, heard=True, fault=busy))
    assert desk.given() == []
    assert [each.taken.id for each in desk.giver.take_unfit()] == ["b"]


def test_the_time_of_a_budget_begins_when_the_first_page_is_given_out(desk_of: Callable[..., Desk]) -> None:
    clock = Clock()
    budgets = PageBudgets(BudgetRules(groups={"towns": Budget(seconds=10)}), clock)
    desk = desk_of(budgets=budgets)
    for each in (first := job("a")), (second := job("b")):
        assert budgets.refuse(each.taken) == ""
    clock.pass_s(100)
    desk.giver.add([first, second])
    assert desk.given() == ["a"], "that it has waited here does not count"
    clock.pass_s(10)
    desk.node.router.route(desk.worker, Answered("a", SITE))
    assert desk.given() == []
    assert [each.taken.id for each in desk.giver.take_unfit()] == ["b"]


def test_a_login_needs_no_robots_txt(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of(robots=True)
    desk.giver.add([job("a", FILE_HOST)])
    assert desk.given() == ["a"]
    assert isinstance(desk.asks("a", ""), Granted)


def test_the_request_of_robots_txt_needs_no_robots_txt(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of(robots=True)
    reading = robots_pending(SITE, f"http://{SITE}/robots.txt", public_only=False)
    desk.giver.add([reading])
    assert desk.given() == [reading.taken.id]
    assert isinstance(desk.asks(reading.taken.id, f"http://{SITE}/moved.txt"), Granted)


def test_a_robots_txt_is_asked_for_while_pages_have_all_slots_of_the_worker(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of(at_a_time=100)
    desk.giver.add([job(f"{number}") for number in range(20)])
    assert 0 < len(desk.given()) < 20
    reading = robots_pending("new.example:80", "http://new.example/robots.txt", public_only=False)
    desk.giver.add([reading])
    assert desk.given() == [], "the turn of the first host has ended the round"
    assert desk.given() == [reading.taken.id]


def test_what_is_cleared_and_what_a_dead_worker_asked_for_is_gone(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of(delay_ms=1000)
    desk.giver.add([job("a"), job("b")])
    assert desk.given() == ["a"]
    assert [each.taken.id for each in desk.giver.clear()] == ["b"]
    assert desk.giver.is_empty()
    assert desk.giver.take_unfit() == []
    desk.node.router.route(desk.worker, GrantAsked("a", SITE, f"http://{SITE}/next"))
    desk.giver.forget(desk.worker)
    assert desk.giver.needed_hosts() == set()


def test_a_request_that_must_not_be_sent_twice_waits_until_the_store_knows_of_it(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of()
    desk.giver.add([order("a")])
    for _ in range(3):
        assert desk.given() == []
    (waiting,) = desk.giver.take_sending()
    assert waiting.id == "a"
    assert desk.given() == []
    assert desk.giver.take_sending() == [], "it is noted once"
    desk.giver.may_send([waiting])
    assert desk.given() == ["a"]


def test_what_the_store_knows_of_a_request_is_kept_here_only_until_its_job_is_given(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of(at_a_time=2)
    desk.giver.add([order("a")])
    desk.giver.may_send([order("a").taken])
    assert desk.given() == ["a"]
    desk.node.router.route(desk.worker, JobsHandedBack(("a",)))
    desk.giver.add([order("a")])
    assert desk.given() == []
    assert [each.id for each in desk.giver.take_sending()] == ["a"]


def test_a_job_that_waits_to_send_is_noted_once_however_often_its_host_is_served(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of()
    desk.giver.add([order("a")])
    assert desk.given() == []
    desk.giver.add([job("b")])  # wakes the host
    assert desk.given() == []
    assert [each.id for each in desk.giver.take_sending()] == ["a"]


def test_after_a_further_request_that_nobody_waits_for_the_next_one_is_granted(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of(at_a_time=2)
    desk.giver.add([job("a"), job("b")])
    assert sorted(desk.given()) == ["a", "b"]
    for name in "ab":
        desk.node.router.route(desk.worker, Answered(name, SITE))
        desk.node.router.route(desk.worker, GrantAsked(name, SITE, f"http://{SITE}/next-{name}"))
    desk.node.router.route(desk.worker, JobsHandedBack(("a",)))
    desk.giver.give()
    assert desk.worker.requests == {"b": SITE}


def test_a_request_that_a_crashed_worker_may_have_sent_fails_its_job(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of(at_a_time=3)
    desk.giver.add([order("a"), job("b")])
    desk.giver.may_send([order("a").taken])
    assert sorted(desk.given()) == ["a", "b"]
    desk.giver.end_sent(desk.worker, "it was killed")
    failed = desk.node.failed.get_nowait()
    assert (failed.job, failed.state) == ("a", JobState.FAILED)
    assert [*desk.worker.outstanding] == ["b"]
    assert desk.giver.take_denied() == 1


def test_quarantined_jobs_of_a_host_keep_their_order_also_while_the_first_has_to_wait(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of(at_a_time=3)
    held = (order("a"), job("b"), job("c", FILE_HOST))
    desk.worker.outstanding |= {pending.taken.id: pending for pending in held}
    desk.giver.judge(desk.worker, "it was killed", Note())
    alone = desk.node.pool.start_alone()
    link = desk.node.launched.get_nowait()
    desk.node.router.route(alone, Ready())
    assert isinstance(link.hears(), Setup)

    def given_alone() -> list[str]:
        desk.giver.give()
        desk.node.pool.give()
        given = [] if link.is_sent_nothing() else [item.job for item in link.is_given()]
        for name in given:
            desk.node.router.route(alone, Answered(name, SITE, heard=True))
        alone.outstanding.clear()
        return given

    assert [given_alone(), given_alone()] == [["c"], []]
    desk.giver.may_send(desk.giver.take_sending())
    assert [given_alone(), given_alone()] == [["a"], ["b"]]


def two_want_one_file(desk: Desk) -> None:
    """The worker has the jobs `a` and `b`, and each asks for a grant for the same file."""
    desk.giver.add([job("a"), job("b")])
    assert desk.given() == ["a", "b"]
    for name in "ab":
        desk.node.router.route(desk.worker, Answered(name, SITE))
        desk.node.router.route(desk.worker, GrantAsked(name, SITE, FILE, file=FILE))
    desk.giver.give()


def test_a_job_that_is_gone_when_it_asks_for_its_file_again_lets_others_have_it(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of(at_a_time=4)
    two_want_one_file(desk)
    assert isinstance(desk.link.hears(), Granted)
    desk.node.router.route(desk.worker, Answered("a", SITE))
    desk.node.router.route(desk.worker, GrantAsked("a", SITE, f"http://{SITE}/y.jpg", file=FILE))
    desk.node.router.route(desk.worker, JobsHandedBack(("a",)))
    desk.giver.give()
    assert desk.link.hears() == FileSettled("b")


def test_of_two_jobs_that_want_one_file_the_second_waits_for_the_first(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of(at_a_time=4)
    two_want_one_file(desk)
    granted = desk.link.hears()
    assert isinstance(granted, Granted)
    assert (granted.job, desk.link.is_sent_nothing()) == ("a", True)
    for message in (Answered("a", SITE), FileEnded("a")):
        desk.node.router.route(desk.worker, message)
        desk.giver.handle(desk.worker, message)
    assert desk.link.hears() == FileSettled("b")


def test_what_is_cleared_while_it_waits_to_send_is_noted_when_it_comes_again(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of()
    for _ in range(2):
        desk.giver.add([order("a")])
        assert desk.given() == []
        assert [each.id for each in desk.giver.take_sending()] == ["a"]
        assert [each.taken.id for each in desk.giver.clear()] == ["a"]
    desk.giver.may_send([order("a").taken])
    desk.giver.clear()
    desk.giver.add([order("a")])
    assert desk.given() == [], "what the store knew of the take before does not count"


def read(desk: Desk, line: str) -> None:
    """The robots.txt of the site is read, and has this line for Scoopi."""
    reading = robots_pending(SITE, f"http://{SITE}/robots.txt", public_only=False)
    desk.worker.add(reading, reading.item())
    desk.worker.take_items()
    answer = RobotsAnswer(RobotsKind.KNOWN, (RobotsLine(2, line),))
    desk.node.router.route(desk.worker, RobotsRead(reading.taken.id, answer))


def test_a_page_that_robots_txt_disallows_is_skipped_and_those_behind_it_are_given(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of(robots=True, at_a_time=4)
    read(desk, "Disallow: /a")
    desk.giver.add([job("a"), job("b")])
    assert desk.given() == ["b"]
    skipped = desk.node.failed.get_nowait()
    assert (skipped.job, skipped.state) == ("a", JobState.SKIPPED)
    assert [desk.giver.take_denied() for _ in range(2)] == [1, 0]


def test_a_further_request_that_robots_txt_disallows_is_denied_with_its_address(
    desk_of: Callable[..., Desk],
) -> None:
    desk = desk_of(robots=True, at_a_time=4)
    read(desk, "Disallow: /next")
    desk.giver.add([job("b")])
    assert desk.given() == ["b"]
    denied = desk.asks("b", f"http://{SITE}/next")
    assert isinstance(denied, Denied)
    assert (denied.job, denied.is_rule) == ("b", True)
    assert denied.message.startswith(f"http://{SITE}/next: ")


def test_a_quarantined_page_that_robots_txt_disallows_is_skipped(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of(robots=True, at_a_time=4)
    read(desk, "Disallow: /a")
    desk.worker.outstanding |= {pending.taken.id: pending for pending in (job("a"), job("b"))}
    desk.giver.judge(desk.worker, "it was killed", Note())
    assert desk.giver.has_quarantined()
    alone = desk.node.pool.start_alone()
    desk.node.router.route(alone, Ready())
    for _ in range(2):
        desk.giver.give()
    assert desk.node.failed.get_nowait().state is JobState.SKIPPED
    assert [*alone.outstanding] == ["b"]
    assert not desk.giver.has_quarantined()
