"""PageBudgets: what a run, a group and a host may take, and what nodes know of each other."""

from __future__ import annotations

import itertools

import msgspec

from scoopi.mediator.budgets.page_budgets import BudgetRules, PageBudgets
from scoopi.model.job import JobPayload
from scoopi.model.limits.budget import NO_BUDGET, Budget
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import TakenJob
from scoopi.store.runs.shared_counts import NOTHING_COUNTED, PAGES, SharedCounts, forget_counts
from scoopi.store.settling_store import SettlingStore
from tests.clock import Clock

HERE, THERE = "here.example:80", "there.example:80"


_ids = itertools.count()


def job(host: str = HERE, group: str = "books", *, tried: tuple[str, ...] = (), lost: int = 0) -> TakenJob:
    payload = JobPayload(Locator("name", group, f"http://{host}/"), "seed")
    return TakenJob(f"{next(_ids):032x}"[::-1], 1, lost, host, payload, tried)


def of_run(**numbers: int) -> PageBudgets:
    return PageBudgets(BudgetRules(Budget.of(numbers)))


def test_a_run_loads_no_more_pages_than_its_budget() -> None:
    budgets = of_run(pages=2)
    answers = [budgets.refuse(job()) for _ in range(3)]
    assert answers == ["", "", "the run's budget of 2 pages is used up"]
    assert budgets.is_run_over()
    assert budgets.used_up() == ("the run's budget of 2 pages is used up",)


def test_jobs_that_are_handed_back_do_not_count() -> None:
    budgets, one = of_run(pages=1), job()
    budgets.refuse(one)
    assert budgets.is_run_over()
    budgets.uncount([one])
    assert not budgets.is_run_over()
    assert budgets.refuse(job()) == ""


def test_a_job_that_is_handed_back_twice_gives_one_page_back() -> None:
    budgets, one = of_run(pages=1), job()
    budgets.refuse(one)
    for _ in range(2):
        budgets.uncount([one])
    assert [bool(budgets.refuse(job())) for _ in range(2)] == [False, True]


def test_a_job_that_was_counted_before_is_not_counted_again() -> None:
    budgets, one = of_run(pages=1), job()
    assert budgets.refuse(one) == ""
    assert budgets.refuse(one._replace(tried=("timeout",))) == ""
    assert budgets.refuse(one._replace(lost=1)) == ""
    assert budgets.refuse(job())


def test_a_tried_job_that_is_handed_back_gives_nothing_back() -> None:
    budgets, one = of_run(pages=1), job()
    budgets.refuse(one)
    budgets.uncount([one._replace(tried=("timeout",)), job(lost=1)])
    assert budgets.is_run_over()


def test_jobs_of_a_killed_process_are_counted_unless_it_had_counted_them(store: SettlingStore) -> None:
    killed, counted, refused, unseen = of_run(pages=2), [job(), job()], job(), job()
    assert [bool(killed.refuse(each)) for each in (*counted, refused)] == [False, False, True]
    killed.share(SharedCounts(store, "ann", PAGES))
    resumed = of_run(pages=2)
    resumed.share(SharedCounts(store, "bob", PAGES))
    lost = [each._replace(lost=1) for each in (refused, unseen, *counted)]
    assert [bool(resumed.refuse(each)) for each in lost] == [True, True, False, False]


def test_jobs_that_two_processes_have_lost_are_counted_once(store: SettlingStore) -> None:
    one = job()
    for number, name in enumerate(("ann", "bob", "cid")):
        budgets = of_run(pages=2)
        budgets.share(SharedCounts(store, name, PAGES))
        assert budgets.refuse(one._replace(lost=number)) == ""
        assert not budgets.is_run_over()
        budgets.share(SharedCounts(store, name, PAGES), at_once=True)


def test_a_job_that_another_process_has_counted_is_not_given_back(store: SettlingStore) -> None:
    one, ann, bob = job(), of_run(pages=1), of_run(pages=1)
    ann.refuse(one)
    ann.share(SharedCounts(store, "ann", PAGES))
    bob.share(SharedCounts(store, "bob", PAGES))
    bob.refuse(one)
    bob.uncount([one])
    assert bob.is_run_over()
    assert bob.refuse(one) == ""


def test_the_store_keeps_the_ids_of_counted_jobs_that_are_held_only(store: SettlingStore) -> None:
    budgets, ended, held = of_run(pages=9), job(), job()
    for each in (ended, held):
        budgets.refuse(each)
    budgets.share(SharedCounts(store, "ann", PAGES), held=lambda: {held.id, job().id})
    kept = SharedCounts(store, "bob", PAGES).others()
    assert (kept.counts, kept.held) == ({"pages/": 2}, (held.id[:12],))


def test_time_that_ends_pages_under_way_is_the_reason_for_which_others_were_skipped() -> None:
    clock = Clock()
    groups = {"books": Budget(pages=2)}
    budgets = PageBudgets(BudgetRules(Budget(seconds=10), groups), clock)
    taken = [job(), job()]
    assert [budgets.refuse(each) for each in taken] == ["", ""]
    refused = budgets.refuse(job())
    assert refused == "the group books's budget of 2 pages is used up"
    assert budgets.reason(refused) == refused, "nothing else has ended yet"
    budgets.begin(taken[0])
    clock.pass_s(10)
    of_time = "the run's budget of 10 seconds is used up"
    assert budgets.late(taken[1]) == of_time
    assert (budgets.reason(refused), budgets.reason("robots.txt")) == (of_time, "robots.txt")
    assert budgets.used_up() == (of_time,)


def test_pages_that_were_all_begun_are_the_reason_although_the_time_is_over_later() -> None:
    clock = Clock()
    budgets = PageBudgets(BudgetRules(Budget(pages=1, seconds=10)), clock)
    one = job()
    budgets.refuse(one)
    budgets.begin(one)
    refused = budgets.refuse(job())
    clock.pass_s(10)
    assert budgets.refuse(job()) == "the run's budget of 10 seconds is used up"
    assert budgets.reason(refused) == refused == "the run's budget of 1 page is used up"


def test_bytes_count_when_they_were_received() -> None:
    budgets = of_run(bytes=100)
    assert budgets.refuse(job()) == ""
    budgets.received(job(), 99)
    assert budgets.refuse(job()) == ""
    budgets.received(job(), 1)
    assert budgets.refuse(job()) == "the run's budget of 100 bytes is used up"
    assert budgets.late(job(tried=("timeout",))) == "the run's budget of 100 bytes is used up"


def test_a_page_that_failed_is_tried_again_although_no_further_one_is_begun() -> None:
    budgets = of_run(pages=1)
    budgets.refuse(job())
    assert budgets.late(job()) == ""


def test_the_time_of_a_run_begins_with_it_and_that_of_a_group_with_its_first_page() -> None:
    clock = Clock()
    groups = {"books": Budget(seconds=10)}
    budgets = PageBudgets(BudgetRules(Budget(seconds=100), groups), clock)
    assert budgets.refuse(job()) == ""
    clock.pass_s(50)
    assert not budgets.late(job()), "it was taken in advance, and has not begun"
    budgets.begin(job())
    clock.pass_s(10)
    assert budgets.late(job()) == "the group books's budget of 10 seconds is used up"
    assert budgets.refuse(job()) == "the group books's budget of 10 seconds is used up"
    assert budgets.refuse(job(group="news")) == ""
    clock.pass_s(40)
    assert budgets.refuse(job(group="news")) == "the run's budget of 100 seconds is used up"


def test_each_host_has_its_own_budget() -> None:
    rules = BudgetRules(of_host=lambda host: Budget(pages=1) if host == HERE else NO_BUDGET, has_hosts=True)
    budgets = PageBudgets(rules)
    assert [bool(budgets.refuse(job(host))) for host in (HERE, HERE, THERE, THERE)] == [
        False,
        True,
        False,
        False,
    ]
    assert budgets.is_host_over(HERE)
    assert not budgets.is_host_over(THERE)


def test_a_page_that_the_host_refuses_does_not_count_for_the_run() -> None:
    rules = BudgetRules(Budget(pages=2), of_host=lambda host: Budget(pages=1), has_hosts=True)
    budgets = PageBudgets(rules)
    answers = [bool(budgets.refuse(job(host))) for host in (HERE, HERE, HERE, THERE)]
    assert answers == [False, True, True, False]


def test_pages_that_are_too_many_links_away_are_refused_and_do_not_count() -> None:
    budgets = of_run(depth=2, pages=2)
    far, near = (
        job()._replace(payload=msgspec.structs.replace(job().payload, links=links)) for links in (3, 2)
    )
    assert budgets.refuse(far) == "the run's budget of 2 links in depth is used up"
    assert [budgets.refuse(near), budgets.refuse(near)] == ["", ""]
    assert not budgets.late(far)
    assert budgets.used_up() == ("the run's budget of 2 links in depth is used up",)


def test_without_a_budget_nothing_is_counted(store: SettlingStore) -> None:
    budgets = PageBudgets(BudgetRules())
    assert not budgets.are_set
    assert budgets.refuse(job()) == ""
    assert not budgets.is_host_over(HERE)
    budgets.share(SharedCounts(store, "ann", PAGES), at_once=True)
    assert SharedCounts(store, "bob", PAGES).others() == NOTHING_COUNTED


def test_nodes_and_later_processes_share_a_budget(store: SettlingStore) -> None:
    ann, bob = of_run(pages=3), of_run(pages=3)
    ann.refuse(job())
    ann.refuse(job())
    ann.share(SharedCounts(store, "ann", PAGES))
    bob.share(SharedCounts(store, "bob", PAGES))
    assert [bool(bob.refuse(job())) for _ in range(2)] == [False, True]


def test_what_other_nodes_and_earlier_processes_have_found_used_up_is_known(store: SettlingStore) -> None:
    ann, bob = of_run(pages=1), of_run(pages=1)
    assert [bool(ann.refuse(job())) for _ in range(2)] == [False, True]
    ann.share(SharedCounts(store, "ann", PAGES))
    assert bob.used_up() == ()
    bob.share(SharedCounts(store, "bob", PAGES))
    assert bob.used_up() == ann.used_up() == ("the run's budget of 1 page is used up",)


def test_a_run_that_is_opened_again_has_its_budget_again(store: SettlingStore) -> None:
    ann, bob = of_run(pages=1), of_run(pages=1)
    ann.refuse(job())
    ann.share(SharedCounts(store, "ann", PAGES))
    forget_counts(store)
    bob.share(SharedCounts(store, "bob", PAGES))
    assert not bob.is_run_over()


def test_what_was_counted_since_the_last_second_is_kept_at_the_end(store: SettlingStore) -> None:
    clock = Clock()
    budgets, counts = of_run(pages=9), SharedCounts(store, "ann", PAGES, clock)
    budgets.share(counts)
    budgets.refuse(job())
    budgets.share(counts)
    assert SharedCounts(store, "bob", PAGES).others() == NOTHING_COUNTED
    budgets.share(counts, at_once=True)
    assert SharedCounts(store, "bob", PAGES).others().counts["pages/"] == 1
