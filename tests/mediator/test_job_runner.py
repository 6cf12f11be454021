"""JobRunner: what it takes from a real store, when, and what becomes of jobs that are not run."""

from __future__ import annotations

import queue
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import cast

import msgspec
import pytest

from scoopi.appenders.appender import JobResult
from scoopi.errors import StoreError
from scoopi.mediator import job_runner
from scoopi.mediator.budgets.page_budgets import NO_BUDGETS, BudgetRules, PageBudgets, ShareBudgets
from scoopi.mediator.budgets.page_limit import NO_LIMIT, PageLimit
from scoopi.mediator.held_jobs import HeldJobs, Pending
from scoopi.mediator.inboxes import JobInbox
from scoopi.mediator.job_runner import JobRunner
from scoopi.mediator.taken_job_rules import TakenJobRules
from scoopi.mediator.task_mediator import TaskMediator
from scoopi.model.job import Frame, JobPayload, JobState, seed_id
from scoopi.model.limits.budget import Budget
from scoopi.model.locator import Locator
from scoopi.politeness.robots.robots_cache import RobotsCache
from scoopi.politeness.shared_hosts import SharedHosts
from scoopi.store.jobs.job_records import NewJob, Postponed, TakenJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.runs.shared_counts import PAGES, SharedCounts
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.mediator.played_node import NODE, WAIT_S

ONE, TWO = "one.example:80", "two.example:80"
MAX_TAKES = 2


class Tasks:
    """Room for jobs as the test says, and what was taken."""

    def __init__(self, held: HeldJobs) -> None:
        self.room = 100
        self.taken: queue.Queue[Pending] = queue.Queue()
        self.may_send: Callable[[Sequence[TakenJob]], None] = lambda jobs: None
        self._held = held

    def wanted(self, host: str) -> int:
        return self.room

    def push(self, jobs: list[Pending]) -> None:
        assert {job.taken.id for job in jobs} <= self._held.ids(), "a taken job must count before it is given"
        self.room -= len(jobs)
        for job in jobs:
            self.taken.put(job)


class FailingJobs(JobStore):
    """A job store that does not answer the first call of each kind."""

    def __init__(self, store: SqliteStore) -> None:
        super().__init__(store, NODE)
        self.failed = {"take": False, "hand_back": False}

    def take_each(
        self, hosts: Sequence[str], limit: int, begin: Callable[[], None] = lambda: None
    ) -> list[TakenJob]:
        self._fail_once("take")
        return super().take_each(hosts, limit, begin)

    def hand_back(self, jobs: object) -> int:
        self._fail_once("hand_back")
        return super().hand_back(cast(list[TakenJob], jobs))

    def _fail_once(self, call: str) -> None:
        if not self.failed[call]:
            self.failed[call] = True
            raise StoreError("the store is away", hint="it is tried again")


class CountingJobs(JobStore):
    """A job store that notes which hosts it was asked for."""

    def __init__(self, store: SqliteStore) -> None:
        super().__init__(store, NODE)
        self.asked: list[str] = []
        self.together: list[int] = []
        self.listings = 0
        self.unpacked: list[str] = []

    def take_each(
        self, hosts: Sequence[str], limit: int, begin: Callable[[], None] = lambda: None
    ) -> list[TakenJob]:
        self.asked += hosts
        self.together.append(len(hosts))
        return super().take_each(hosts, limit, begin)

    def hosts(self) -> list[str]:
        self.listings += 1
        return super().hosts()

    def unpack(self, host: str, begin: Callable[[], None] = lambda: None) -> int:
        self.unpacked.append(host)
        return super().unpack(host, begin)


class World:
    """A job runner over a real store."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.jobs = JobStore(store, NODE)
        self.held = HeldJobs()
        self.tasks = Tasks(self.held)
        self.failed: queue.Queue[JobResult] = queue.Queue()
        self.inbox = JobInbox()
        self.budgets, self.limit = NO_BUDGETS, NO_LIMIT
        self.runner = self.with_jobs(self.jobs)

    def with_jobs(
        self,
        jobs: JobStore,
        shared: SharedHosts | None = None,
        share_budgets: ShareBudgets = lambda *, at_once: None,
        robots: RobotsCache | None = None,
        has_room: Callable[[], bool] = lambda: True,
    ) -> JobRunner:
        rules = TakenJobRules(
            MAX_TAKES,
            self._is_archived,
            self.failed.put,
            robots=robots,
            budgets=self.budgets,
            limit=self.limit,
            has_room=has_room,
            share_budgets=share_budgets,
        )
        tasks = cast(TaskMediator, self.tasks)
        self.runner = JobRunner(jobs, tasks, self.held, self.inbox, rules, shared)
        return self.runner

    def put(self, host: str, *names: str) -> None:
        new = []
        for name in names:
            job = seed_id("towns", name, name)
            new.append(NewJob(job, host, JobPayload(Locator(name, "towns", name), job)))
        self.jobs.put(new)

    def taken(self, count: int) -> list[Pending]:
        return [self.tasks.taken.get(timeout=WAIT_S) for _ in range(count)]

    @staticmethod
    def _is_archived(payload: JobPayload) -> bool:
        return payload.locator.name == "kept"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    store = SqliteStore(tmp_path / "store.db")
    yield World(store)
    store.close()


@contextmanager
def running(world: World) -> Iterator[None]:
    """The runner's thread runs until the end of the `with`."""
    thread = threading.Thread(target=world.runner.run)
    thread.start()
    try:
        yield
    finally:
        world.inbox.stop()
        thread.join(WAIT_S)
        assert not thread.is_alive()


def names(jobs: list[Pending]) -> list[str]:
    return sorted(job.taken.payload.locator.name for job in jobs)


def test_it_takes_as_many_jobs_as_are_wanted_and_more_when_there_is_room_again(world: World) -> None:
    world.put(ONE, *"abcde")
    world.tasks.room = 3
    with running(world):
        world.inbox.wake()
        first = world.taken(3)
        assert world.jobs.ready(ONE) == 2
        assert world.tasks.taken.empty()
        world.tasks.room = 3
        world.inbox.wake()
        assert names(first + world.taken(2)) == list("abcde")


def test_jobs_of_every_host_are_taken(world: World) -> None:
    world.put(ONE, "a")
    world.put(TWO, "b")
    with running(world):
        world.inbox.wake()
        assert names(world.taken(2)) == ["a", "b"]


def test_hosts_are_asked_for_in_random_order_as_those_that_do_not_answer_may_be_neighbours(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random, "shuffle", list.reverse)
    counting = CountingJobs(world.store)
    world.with_jobs(counting)
    world.tasks.room = 1  # of each host, as the runner asks for several together
    hosts = [f"h{number}.example:80" for number in range(9)]
    for host in hosts:
        world.put(host, host)
    with running(world):
        world.inbox.wake()
        world.taken(9)
    assert counting.asked[:9] == sorted(hosts, reverse=True)
    assert counting.together[0] == 9, "calls of the store cost most"


def test_it_begins_with_the_first_wake_up_or_sweep_and_ends_jobs_unless_there_is_no_room(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: queue.Queue[float] = queue.Queue()
    wait = world.inbox.wait

    def noted(longest_s: float) -> bool:
        waits.put(longest_s)
        return wait(longest_s)

    monkeypatch.setattr(world.inbox, "wait", noted)
    with running(world):
        assert waits.get(timeout=WAIT_S) == job_runner.SWEEP_S
        world.inbox.wake()
    assert TakenJobRules(MAX_TAKES, bool, world.failed.put).has_room()


def test_jobs_that_are_put_later_are_taken_when_the_runner_is_notified(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "SWEEP_S", 3600.0)
    world.put(ONE, "a")
    with running(world):
        world.inbox.wake()
        world.taken(1)
        world.put(ONE, "b")
        world.put(TWO, "c")
        world.inbox.has_new([ONE, TWO])
        assert names(world.taken(2)) == ["b", "c"]


def test_a_host_that_had_no_more_jobs_is_not_asked_at_every_wake_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "SWEEP_S", 3600.0)
    counting = CountingJobs(world.store)
    world.with_jobs(counting)
    world.put(ONE, "a")
    with running(world):
        world.inbox.wake()
        world.taken(1)
        for name in "bcd":
            world.put(TWO, name)
            world.inbox.has_new([TWO])
            world.taken(1)
    assert counting.asked.count(ONE) == 1


def test_what_no_wake_up_announced_is_swept_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_runner, "SWEEP_S", 0.05)
    world.put(ONE, "a")
    with running(world):
        assert names(world.taken(1)) == ["a"]
        world.put(ONE, "b")
        world.put(TWO, "c")
        assert names(world.taken(2)) == ["b", "c"]


class Shares:
    """One round is due, or more; jobs may be taken of hosts that were asked for in a round."""

    def __init__(self, *hosts: str) -> None:
        self._hosts = hosts
        self.due = 1
        self.is_sweep = False
        self.rounds: list[list[str]] = []

    def is_due(self) -> bool:
        self.due -= 1
        return self.due >= 0

    def is_sweep_due(self) -> bool:
        return self.is_sweep

    def round(self, awake: list[str]) -> set[str]:
        self.rounds.append(awake)
        return set()

    def hosts(self) -> tuple[str, ...]:
        return self._hosts

    def may_take(self, host: str) -> bool:
        return any(host in awake for awake in self.rounds)

    def part(self, host: str, wanted: int) -> int:
        return wanted


def test_hosts_that_a_node_meets_first_are_asked_for_without_waiting_for_the_next_round(world: World) -> None:
    world.put(ONE, "a")
    world.with_jobs(world.jobs, cast(SharedHosts, Shares(ONE)))
    with running(world):
        assert names(world.taken(1)) == ["a"]


def test_only_after_the_round_that_has_found_the_first_hosts_another_one_follows_at_once(
    world: World,
) -> None:
    shares = Shares(ONE)
    shares.due = 2
    world.with_jobs(world.jobs, cast(SharedHosts, shares))
    world.put(ONE, "a")
    with running(world):
        world.inbox.wake()
        assert names(world.taken(1)) == ["a"]
        world.put(ONE, "b")
        world.inbox.has_new([ONE])
        assert names(world.taken(1)) == ["b"]
    assert len(shares.rounds) == 3
    assert shares.rounds[:2] == [[], [ONE]]


def test_a_shared_host_without_jobs_is_asked_for_again_at_a_sweep(world: World) -> None:
    shares = Shares(ONE)
    world.with_jobs(world.jobs, cast(SharedHosts, shares))
    world.put(ONE, "a")
    with running(world):
        world.inbox.wake()
        assert names(world.taken(1)) == ["a"]
        world.put(ONE, "b")
        shares.is_sweep, shares.due = True, 1
        world.inbox.wake()
        assert names(world.taken(1)) == ["b"]
    assert shares.rounds == [[], [ONE], []], "its last job was taken before the round"


def test_a_node_that_shares_hosts_knows_them_by_its_rounds_only(world: World) -> None:
    counting = CountingJobs(world.store)
    world.put(ONE, "a")
    world.with_jobs(counting, cast(SharedHosts, Shares(ONE)))
    with running(world):
        world.taken(1)
    assert counting.listings == 0, "listing the hosts of a run is a scan of the cluster"


def test_packs_of_a_host_wait_until_it_has_fewer_jobs_than_are_wanted(world: World) -> None:
    counting = CountingJobs(world.store)
    world.with_jobs(counting)
    world.put(ONE, "a", "b", "c")
    world.tasks.room = 2
    with running(world):
        world.inbox.wake()
        world.taken(2)
        world.tasks.room = 2
        world.inbox.has_new([ONE])
        world.taken(1)
    assert counting.asked == [ONE, ONE]
    assert counting.unpacked == [ONE], "not when it had as many as were wanted"


def test_a_job_knows_whether_the_archive_has_its_page(world: World) -> None:
    world.put(ONE, "kept", "new")
    with running(world):
        world.inbox.wake()
        assert {job.taken.payload.locator.name: job.archived for job in world.taken(2)} == {
            "kept": True,
            "new": False,
        }


def test_what_is_given_back_is_ready_again_and_no_longer_held_even_at_the_stop(world: World) -> None:
    world.put(ONE, "a", "b")
    with running(world):
        world.inbox.wake()
        jobs = world.taken(2)
        assert not world.held.is_idle()
        world.inbox.cancel()
        world.inbox.hand_back(jobs)
    assert world.jobs.ready(ONE) == 2
    assert world.jobs.taken() == []
    assert world.held.is_idle()
    again = world.jobs.take(ONE, 2)
    assert {job.lost for job in again} == {0}, "a hand-back counts nothing"


def test_a_request_is_sent_once_the_store_knows_of_it(world: World) -> None:
    allowed: queue.Queue[list[str]] = queue.Queue()
    world.tasks.may_send = lambda jobs: allowed.put([job.id for job in jobs])
    world.put(ONE, "a")
    with running(world):
        world.inbox.wake()
        (pending,) = world.taken(1)
        world.inbox.note_sending([pending.taken])
        world.inbox.wake()
        assert allowed.get(timeout=WAIT_S) == [pending.taken.id]
    assert not world.inbox.sending, "it is noted once"
    world.jobs.take_back(NODE)
    assert [job.sent for job in world.jobs.take(ONE, 1)] == [True]


def test_a_job_that_is_given_back_uses_up_nothing_of_the_budget(world: World) -> None:
    world.budgets = PageBudgets(BudgetRules(run=Budget(pages=2)))
    world.with_jobs(world.jobs)
    world.put(ONE, "a", "b")
    with running(world):
        world.inbox.wake()
        jobs = world.taken(2)
        assert world.budgets.is_run_over()
        world.inbox.cancel()
        world.inbox.hand_back(jobs)
    assert not world.budgets.is_run_over()


def test_pages_of_a_group_without_budget_are_skipped_without_waiting_for_sweeps(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "SWEEP_S", 3600.0)
    world.budgets = PageBudgets(BudgetRules(groups={"towns": Budget(pages=1)}))
    world.with_jobs(world.jobs)
    world.tasks.room = 5
    world.put(ONE, *(f"town {number}" for number in range(40)))
    with running(world):
        world.inbox.has_new([ONE])
        skipped = [world.failed.get(timeout=WAIT_S) for _ in range(39)]
        world.taken(1)
    assert {each.state for each in skipped} == {JobState.SKIPPED}


def test_skipped_pages_wait_for_room_in_the_appender(world: World) -> None:
    world.budgets = PageBudgets(BudgetRules(groups={"towns": Budget(pages=1)}))
    room = threading.Event()
    world.with_jobs(world.jobs, has_room=room.is_set)
    world.tasks.room = 5
    world.put(ONE, *(f"town {number}" for number in range(40)))
    with running(world):
        world.inbox.has_new([ONE])
        for _ in range(4):
            world.failed.get(timeout=WAIT_S)
        world.taken(1)
        assert world.jobs.ready(ONE) == 35, "what was taken beside the first page is all"
        room.set()
        for _ in range(35):
            world.failed.get(timeout=WAIT_S)


def test_jobs_for_which_no_budget_is_left_stay_in_the_store_while_the_appender_is_full(
    world: World,
) -> None:
    world.budgets = PageBudgets(BudgetRules(run=Budget(pages=1)))
    asked = threading.Semaphore(0)

    def has_room() -> bool:
        asked.release()
        return False

    world.with_jobs(world.jobs, has_room=has_room)
    world.tasks.room = 1
    world.put(ONE, "a", "b", "c")
    with running(world):
        world.inbox.has_new([ONE])
        world.taken(1)
        for _ in range(2):
            world.inbox.has_new([ONE])
            assert asked.acquire(timeout=WAIT_S)
    assert world.failed.empty()
    assert world.jobs.ready(ONE) == 2


def test_nothing_is_taken_after_a_cancel(world: World) -> None:
    world.put(ONE, "a")
    world.inbox.cancel()
    with running(world):
        world.inbox.has_new([ONE])
    assert world.jobs.ready(ONE) == 1
    assert world.held.load().takes == 0


def lose(world: World, name: str, times: int) -> None:
    """Nodes take the job and die, one after the other; they hand back the other jobs."""
    for number in range(times):
        dead = JobStore(world.store, f"dead {name} {number}")
        dead.hand_back([job for job in dead.take(ONE, 10) if job.payload.locator.name != name])
        dead.take_back(f"dead {name} {number}")


def test_a_job_that_was_lost_as_often_as_is_allowed_still_runs(world: World) -> None:
    world.put(ONE, "unlucky")
    lose(world, "unlucky", MAX_TAKES)
    with running(world):
        world.inbox.wake()
        (job,) = world.taken(1)
    assert job.taken.lost == MAX_TAKES
    assert world.failed.empty()


def test_a_job_that_was_lost_with_its_node_too_often_fails_unrun(world: World) -> None:
    world.put(ONE, "fatal", "fine")
    lose(world, "fatal", MAX_TAKES + 1)
    with running(world):
        world.inbox.wake()
        assert names(world.taken(1)) == ["fine"]
        result = world.failed.get(timeout=WAIT_S)
    frame = msgspec.msgpack.decode(result.body, type=Frame)
    assert (result.job, result.state) == (seed_id("towns", "fatal", "fatal"), JobState.FAILED)
    assert frame.failures[0].cause == "the job was lost with its node too often"
    assert f"{MAX_TAKES + 1} times" in frame.failures[0].message


def test_a_store_that_does_not_answer_is_asked_again_and_nothing_is_lost(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(job_runner, "SWEEP_S", 0.05)
    failing = FailingJobs(world.store)
    world.with_jobs(failing)
    world.put(ONE, "a")
    with running(world):
        jobs = world.taken(1)
        world.inbox.cancel()
        world.inbox.hand_back(jobs)
    assert failing.failed == {"take": True, "hand_back": True}
    assert world.jobs.ready(ONE) == 1
    assert world.held.is_idle()
    begins = "job runner: the store failed, retrying: the store is away"
    shown = [text.partition(" after ")[0] for text in caplog.messages if text.startswith("job runner:")]
    assert shown == [begins, "job runner: the store answers again"] * 2


def test_a_store_that_fails_at_once_is_not_asked_without_a_pause(world: World) -> None:
    calls, busy = count(), threading.Event()

    class Refusing(JobStore):
        def hand_back(self, jobs: object) -> int:
            if next(calls) > 100:
                busy.set()
            raise StoreError("the disk is full")

    world.put(ONE, "a")
    with running(world):
        world.inbox.wake()
        jobs = world.taken(1)
    world.inbox = JobInbox()
    world.with_jobs(Refusing(world.store, NODE))
    thread = threading.Thread(target=world.runner.run)
    thread.start()
    world.inbox.hand_back(jobs)
    is_busy = busy.wait(0.3)
    world.inbox.to_hand_back.clear()
    world.inbox.stop()
    thread.join(WAIT_S)
    assert not is_busy
    assert not thread.is_alive()


def test_wake_ups_for_jobs_that_wait_do_not_put_off_the_sweep(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "SWEEP_S", 0.05)
    monkeypatch.setattr(world.held.waiting, "next_in", lambda: 0.01)
    world.put(ONE, "a")
    with running(world):
        world.inbox.wake()
        world.taken(1)
        world.tasks.room = 0
        world.put(ONE, "b")
        world.inbox.wake()
        world.put(TWO, "c")
        world.tasks.room = 100
        assert names(world.taken(2)) == ["b", "c"]


def test_wake_ups_of_other_hosts_do_not_put_off_the_sweep(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "SWEEP_S", 0.05)
    wait = world.inbox.wait

    def woken(longest_s: float) -> bool:
        wait(min(longest_s, 0.01))
        return True

    monkeypatch.setattr(world.inbox, "wait", woken)
    world.put(ONE, "a")
    with running(world):
        world.taken(1)
        world.put(ONE, "b")
        world.put(TWO, "c")
        assert names(world.taken(2)) == ["b", "c"]


def test_pages_that_count_for_a_budget_are_counted_in_the_store_as_soon_as_they_are_taken(
    world: World,
) -> None:
    world.budgets = PageBudgets(BudgetRules(run=Budget(pages=2)))
    counts = SharedCounts(SettlingStore(world.store), "ann", PAGES)
    kept: queue.Queue[bool] = queue.Queue()

    def share(*, at_once: bool) -> None:
        world.budgets.share(counts, at_once=at_once)
        kept.put(at_once)

    world.with_jobs(world.jobs, share_budgets=share)
    world.put(ONE, "a", "b", "c")
    with running(world):
        world.inbox.has_new([ONE])
        world.taken(2)
        assert any(kept.get(timeout=WAIT_S) for _ in range(20)), "no round but the periodic ones"
        assert SharedCounts(SettlingStore(world.store), "bob", PAGES).others().counts["pages/"] == 2


def test_without_budgets_nothing_is_counted_for_the_pages_that_are_taken(world: World) -> None:
    shared: list[bool] = []

    def share(*, at_once: bool) -> None:
        shared.append(at_once)

    world.with_jobs(world.jobs, share_budgets=share)
    world.put(ONE, "a")
    with running(world):
        world.inbox.has_new([ONE])
        world.taken(1)
    assert shared.count(True) == 1, "at the end only"


def test_between_two_looks_at_very_many_hosts_retries_and_robots_txt_do_not_wait(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "PAUSE_A_HOST_S", 3600.0)
    monkeypatch.setattr(job_runner, "LONGEST_PAUSE_S", 3600.0)
    rounds: queue.Queue[bool] = queue.Queue()
    world.with_jobs(world.jobs, share_budgets=lambda *, at_once: rounds.put(at_once))
    world.put(ONE, "a")
    with running(world):
        world.inbox.wake()
        world.taken(1)
        world.put(ONE, "b")
        for _ in range(5):
            while not rounds.empty():
                rounds.get()
            world.inbox.has_new([ONE])
            assert rounds.get(timeout=WAIT_S) is False
        assert world.tasks.taken.empty(), "the hosts are not looked through yet"


class Robots:
    """Notes how many jobs have been taken whenever robots.txt files are looked up."""

    def __init__(self, tasks: Tasks) -> None:
        self.taken_before: list[int] = []
        self._tasks = tasks

    def round(self) -> None:
        self.taken_before.append(self._tasks.taken.qsize())


def test_during_a_look_at_very_many_hosts_robots_txt_does_not_wait(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "HOSTS_AT_ONCE", 1)
    monkeypatch.setattr(job_runner, "SWEEP_S", 3600.0)
    robots = Robots(world.tasks)
    world.with_jobs(world.jobs, robots=cast(RobotsCache, robots))
    for host in (ONE, TWO, "three.example:80"):
        world.put(host, f"page of {host}")
    with running(world):
        world.inbox.wake()
        while world.tasks.taken.qsize() < 3:
            assert world.inbox.stopped.wait(0.005) is False
    assert {0, 1, 2} <= set(robots.taken_before)


def test_a_wake_up_that_comes_between_two_looks_at_very_many_hosts_is_not_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "SWEEP_S", 3600.0)
    monkeypatch.setattr(job_runner, "PAUSE_A_HOST_S", 0.05)
    world.put(ONE, "a")
    with running(world):
        world.inbox.wake()
        world.taken(1)
        for name in "bcdef":
            world.put(ONE, name)
            world.inbox.has_new([ONE])
            world.taken(1)


def test_a_job_whose_attempt_failed_waits_and_is_taken_again_with_the_reason(world: World) -> None:
    world.put(ONE, "a")
    with running(world):
        world.inbox.wake()
        (first,) = world.taken(1)
        world.inbox.postpone(Postponed(first.taken.id, first.taken.fence, 10, "timeout"))
        (again,) = world.taken(1)
    assert again.taken.id == first.taken.id
    assert again.taken.tried == ("timeout",)


def test_no_more_jobs_are_taken_than_pages_are_left_of_the_run(world: World) -> None:
    world.limit = PageLimit(4)
    world.with_jobs(world.jobs)
    world.put(ONE, *"abc")
    world.put(TWO, *"def")
    world.tasks.room = 3
    with running(world):
        world.inbox.wake()
        world.taken(4)
    assert world.tasks.taken.empty()
    assert world.jobs.ready(ONE) + world.jobs.ready(TWO) == 2


def test_a_failed_attempt_for_which_no_budget_is_left_ends_with_its_reason(world: World) -> None:
    world.budgets = PageBudgets(BudgetRules(run=Budget(bytes=10)))
    world.with_jobs(world.jobs)
    world.put(ONE, "a", "b")
    first, second = world.jobs.take(ONE, 2)
    world.jobs.waiting.postpone([Postponed(first.id, first.fence, 0, "timeout")])
    world.jobs.waiting.make_ready([first.id])
    world.jobs.hand_back([second])
    world.budgets.received(first, 10)
    with running(world):
        world.inbox.has_new([ONE])
        ended = {result.job: result for result in (world.failed.get(timeout=WAIT_S) for _ in range(2))}
    assert {job: result.state for job, result in ended.items()} == {
        first.id: JobState.FAILED,
        second.id: JobState.SKIPPED,
    }
    (failure,) = msgspec.msgpack.decode(ended[first.id].body, type=Frame).failures
    assert failure.cause.startswith("loader: timeout; not tried again: the run's budget")


def test_seeded_jobs_are_unpacked_and_taken_when_no_others_of_their_host_are_left(
    world: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_runner, "SWEEP_S", 2 * WAIT_S)
    caplog.set_level("INFO")
    packed = []
    for name in ("b", "c"):
        job = seed_id("towns", name, name)
        packed.append(NewJob(job, ONE, JobPayload(Locator(name, "towns", name), job)))
    world.put(ONE, "a")
    world.jobs.put_packed(ONE, 0, packed)
    with running(world):
        world.inbox.has_new([ONE])
        assert names(world.taken(3)) == ["a", "b", "c"]
    assert f"2 more jobs of {ONE} are ready" in caplog.messages


def test_of_shared_hosts_only_those_are_asked_for_of_which_this_node_has_a_part(
    world: World,
) -> None:
    counting = CountingJobs(world.store)
    world.put(ONE, "a")
    world.put(TWO, "b")
    shares = Shares(TWO, ONE)
    shares.may_take = lambda host: host == ONE  # type: ignore[method-assign]
    world.with_jobs(counting, cast(SharedHosts, shares))
    with running(world):
        assert names(world.taken(1)) == ["a"]
    assert set(counting.asked) == {ONE}


@pytest.mark.parametrize("is_skipped", [False, True])
def test_only_while_pages_are_skipped_the_runner_does_not_wait_for_a_wake_up(
    world: World, monkeypatch: pytest.MonkeyPatch, is_skipped: bool
) -> None:
    monkeypatch.setattr(job_runner, "SWEEP_S", 3600.0)
    world.budgets = PageBudgets(BudgetRules(run=Budget(pages=1 if is_skipped else 5)))
    world.with_jobs(world.jobs)
    world.tasks.room = 2
    world.put(ONE, "a", "b")
    waits: queue.Queue[float] = queue.Queue()
    wait = world.inbox.wait

    def noted(longest_s: float) -> bool:
        waits.put(longest_s)
        return wait(longest_s)

    monkeypatch.setattr(world.inbox, "wait", noted)
    with running(world):
        world.inbox.has_new([ONE])
        world.taken(1 if is_skipped else 2)
        world.inbox.wake()
        found = [waits.get(timeout=WAIT_S) for _ in range(3)]  # the first of them before the jobs were taken
    assert (job_runner.ROUND_PAUSE_S in found) is is_skipped
