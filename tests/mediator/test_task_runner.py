"""TaskRunner: what becomes of jobs when workers are quick, slow, full, stubborn or dead."""

from __future__ import annotations

import fcntl
import gc
import os
import resource
import threading
import time
from collections.abc import Callable
from itertools import count, pairwise
from pathlib import Path

import pytest

from scoopi.configs.groups import FetchLimits
from scoopi.errors import LoadFault
from scoopi.mediator import task_runner
from scoopi.mediator.held_jobs import Pending, robots_pending
from scoopi.mediator.task_runner import FEW_JOBS, TURN_S
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator, PageRequest
from scoopi.politeness.host_rate_limiter import FILE_HOST
from scoopi.store.jobs.job_records import NewJob, TakenJob
from scoopi.worker.messages import (
    Drain,
    FileSettled,
    Granted,
    GrantRequested,
    JobsHandedBack,
    Ready,
    Recall,
    RequestEnded,
    Results,
    Sent,
    SessionRequested,
    SessionTurn,
    Setup,
    StartFault,
    Stop,
    WorkItem,
)
from tests.mediator.played_node import NODE, WAIT_S, PlayedNode, PlayedWorker, result_of, running

SITE = "site.example:80"
FIRST_UNNAMED = 1024
"""Of the numbers of open files, the first that `select.select` cannot take."""


def test_a_worker_gets_jobs_when_it_is_ready_and_they_end_in_the_store(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        taken = node.push(3)
        worker = node.launched.get(timeout=WAIT_S)
        assert isinstance(worker.hears(), Setup)
        node.turn()
        assert worker.is_sent_nothing()
        worker.says(Ready())
        items = worker.is_given()
        assert [item.job for item in items] == [job.id for job in taken]
        worker.ends(*items)
        node.wait_ended(3)
        assert all(node.end_of(job) for job in taken)


def test_the_jobs_of_a_worker_that_died_on_none_of_them_run_again_one_at_a_time(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, max_crashes=1)) as node:
        first = node.worker()
        taken = node.push(3)
        lost = first.is_given()
        first.dies()
        replaced, alone = node.worker(), node.worker()
        for item in lost:
            assert alone.is_given() == [item], "a death in company counts against nobody"
            node.turn()
            assert alone.is_sent_nothing()
            alone.ends(item)
        node.wait_ended(3)
        assert replaced.is_sent_nothing()
        assert all(node.end_of(job) for job in taken)
        assert node.runner.crashes == 1


def test_a_worker_is_gone_when_its_process_is_although_its_pipe_is_held_open(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        first = node.worker()
        (job,) = node.push(1)
        first.is_given()
        first.ends_behind_an_open_pipe()
        node.clock.now += 1
        node.turn()
        node.worker()
        assert [item.job for item in node.worker().is_given()] == [job.id]


def test_only_the_job_that_was_running_is_run_alone_after_a_crash(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        first = node.worker()
        node.push(3)
        lost = first.is_given()
        first.dies(lost[1].job, "one")
        replaced, alone = node.worker(), node.worker()
        assert alone.is_given() == [lost[1]]
        assert replaced.is_given() == [lost[0], lost[2]]


def test_a_job_that_has_met_two_crashes_is_run_alone(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        first = node.worker()
        node.push(3)
        lost = first.is_given()
        first.dies(lost[0].job, "one")
        second, alone = node.worker(), node.worker()
        assert alone.is_given() == [lost[0]]
        assert second.is_given() == [lost[1], lost[2]]
        second.dies(lost[1].job, "one")
        third = node.worker()
        for item in lost:
            alone.ends(item)
            if item is not lost[2]:
                assert len(alone.is_given()) == 1
        node.wait_ended(3)
        node.turn()
        assert third.is_sent_nothing()


def test_a_quarantined_job_whose_host_must_wait_holds_up_no_other(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, limits=FetchLimits(1, 1000))) as node:
        first = node.worker()
        node.push(1, SITE)
        (asked,) = first.is_given()
        first.says(Sent(asked.job, SITE, node.clock.now))
        first.says(RequestEnded(asked.job, SITE))
        (archived,) = node.push(1, archived=True)
        first.is_given()
        node.turn()
        first.dies()
        node.worker()
        alone = node.worker()
        assert [item.job for item in alone.is_given()] == [archived.id]


def test_a_quarantined_job_runs_when_its_host_may_be_asked_though_no_event_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_runner, "LONGEST_WAIT_S", 2 * WAIT_S)
    with running(PlayedNode(tmp_path, limits=FetchLimits(1, 1000))) as node:
        first = node.worker()
        node.push(1, SITE)
        (asked,) = first.is_given()
        first.says(Sent(asked.job, SITE, node.clock.now))
        first.says(RequestEnded(asked.job, SITE))
        node.turn()
        first.dies()
        node.worker()
        alone = node.worker()
        node.turn()
        assert alone.is_sent_nothing()
        node.clock.now += 1
        assert [item.job for item in alone.is_given()] == [asked.job]


def after_a_death(node: PlayedNode, host: str = FILE_HOST) -> tuple[PlayedWorker, PlayedWorker]:
    """The worker in place of one that has died with a job, and the worker for single jobs."""
    first = node.worker()
    node.push(1, host)
    first.is_given()
    first.dies()
    return node.worker(), node.worker()


def test_the_worker_for_single_jobs_ends_when_none_is_left(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        _, alone = after_a_death(node)
        alone.ends(*alone.is_given())
        assert isinstance(alone.hears(), Stop)
        alone.dies()
        node.turn_until(lambda: len(list(node.pool)) == 1)
        assert node.runner.crashes == 1, "an end that was asked for is not a crash"
        assert node.launched.empty()


def test_the_shared_workers_go_on_while_jobs_in_quarantine_run(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        replaced, alone = after_a_death(node)
        (job,) = alone.is_given()
        others = node.push(2, SITE, archived=True)
        assert [item.job for item in replaced.is_given()] == [job.id for job in others]
        alone.ends(job)
        node.wait_ended(1)


def test_a_task_that_kills_its_worker_alone_is_left_out_and_the_job_runs_once_more(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, max_crashes=2)) as node:
        first = node.worker()
        node.push(1)
        (item,) = first.is_given()
        first.dies(item.job, "two")
        node.worker()
        for _ in range(2):
            alone = node.worker()
            (item,) = alone.is_given()
            assert item.payload.skip == ()
            alone.dies(item.job, "two")
        alone = node.worker()
        (item,) = alone.is_given()
        assert item.payload.skip == ("two",)
        assert [(failure.task, failure.at) for failure in item.failures] == [("two", "town.yml:group:two")]
        assert item.failures[0].cause == "the page kills its worker: it was killed by the test"
        assert "2 times" in item.failures[0].message
        alone.ends(item)
        node.wait_ended(1)


def test_a_page_that_kills_its_worker_while_it_is_loaded_fails_as_a_whole(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, max_crashes=1)) as node:
        _, alone = after_a_death(node)
        (item,) = alone.is_given()
        alone.dies()
        result = node.failed.get(timeout=WAIT_S)
        assert (result.job, result.state) == (item.job, JobState.FAILED)


def test_what_a_worker_said_before_its_death_counts_and_a_torn_message_does_not(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        first = node.worker()
        said, torn = node.push(2)
        items = {item.job: item for item in first.is_given()}
        first.ends(items[said.id])
        first.says(Results((result_of(items[torn.id]),), {}), torn=True)
        first.dies()
        node.worker()
        alone = node.worker()
        assert [item.job for item in alone.is_given()] == [torn.id]
        node.wait_ended(1)
        assert node.end_of(said) is not None
        assert node.end_of(torn) is None


def test_a_result_of_a_job_that_the_worker_does_not_hold_is_no_result(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        worker = node.worker()
        node.push(1)
        (item,) = worker.is_given()
        worker.ends(item, item)
        node.wait_ended(1)
        node.turn()
        assert node.appender.waiting() == 0
        assert not node.ended.acquire(blocking=False)


def test_what_a_worker_hands_back_is_given_again(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        worker = node.worker()
        node.push(1)
        (item,) = worker.is_given()
        worker.says(JobsHandedBack((item.job,)))
        assert worker.is_given() == [item]


def handed_back(
    node: PlayedNode, order: Callable[[], None], message: type[Drain | Recall]
) -> tuple[PlayedWorker, list[WorkItem], Pending]:
    """Of six jobs the node gives back those that wait, and the last one that a worker had.

    Returns:
        The worker, the jobs that it was given, and the last of these, which it has handed back.
    """
    worker = node.worker()
    taken = node.push(6)
    items = worker.is_given()
    node.inbox.post(order)
    waiting = node.back.get(timeout=WAIT_S)
    assert [pending.taken for pending in waiting] == taken[len(items) :]
    assert isinstance(worker.hears(), message)
    worker.says(JobsHandedBack((items[-1].job,)))
    (unbegun,) = node.back.get(timeout=WAIT_S)
    assert unbegun.taken.id == items[-1].job
    return worker, items, unbegun


def test_a_drain_gives_back_what_waits_and_what_workers_hand_back_and_lets_the_rest_end(
    tmp_path: Path,
) -> None:
    with running(PlayedNode(tmp_path)) as node:
        worker, items, _ = handed_back(node, node.runner.drain, Drain)
        worker.ends(items[0])
        node.wait_ended(1)
        worker.dies(items[1].job, "one")
        lost = node.back.get(timeout=WAIT_S)
        assert [pending.taken.id for pending in lost] == [item.job for item in items[1:-1]]
        node.turn()
        assert node.launched.empty(), "no worker is replaced while the node stops"


def test_a_drained_loop_does_not_turn_for_a_host_whose_jobs_were_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(PlayedNode(tmp_path, limits=FetchLimits(4, 500))) as node:
        worker = node.worker()
        node.push(2, SITE)
        worker.is_given()  # the other job waits until the host may be asked again
        node.inbox.post(node.runner.drain)
        assert isinstance(worker.hears(), Drain)
        node.clock.pass_s(10.0)
        turns, busy = count(), threading.Event()
        monkeypatch.setattr(node.pool, "give", lambda: busy.set() if next(turns) > 100 else None)
        node.turn()
        assert not busy.wait(0.3), "the loop turns without a pause"


def test_a_recall_gives_back_what_has_not_begun_and_the_node_goes_on(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        worker, items, unbegun = handed_back(node, node.runner.recall, Recall)
        worker.ends(*items[:-1])
        node.wait_ended(1)
        node.inbox.post(lambda: node.runner.push([unbegun]))
        (again,) = worker.is_given()
        assert again == items[-1]
        worker.says(JobsHandedBack((again.job,)))
        assert worker.is_given() == [again], "what a worker hands back by itself is run here"


def test_a_recalled_robots_txt_is_asked_for_here_again_as_it_is_no_job_of_the_store(tmp_path: Path) -> None:
    robots = robots_pending(SITE, f"http://{SITE}/robots.txt", public_only=False)
    with running(PlayedNode(tmp_path)) as node:
        worker = node.worker()
        node.inbox.post(lambda: node.runner.push([robots]))
        (given,) = worker.is_given()
        node.inbox.post(node.runner.recall)
        assert isinstance(worker.hears(), Recall)
        worker.says(RequestEnded(given.job, SITE))
        worker.says(JobsHandedBack((given.job,)))
        (again,) = worker.is_given()
        assert (again.job, again.is_robots) == (given.job, True)
        assert sum(map(len, node.back.queue)) == 0


def test_a_job_that_asked_for_a_request_and_was_handed_back_gets_no_grant(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, limits=FetchLimits(1, 0))) as node:
        worker = node.worker()
        node.push(2, SITE)
        (item,) = worker.is_given()
        worker.says(GrantRequested(item.job, SITE))
        worker.says(JobsHandedBack((item.job,)))
        worker.says(RequestEnded(item.job, SITE))
        heard = worker.is_given()
        assert {each.grant is not None for each in heard} == {True}
        assert node.pool.workers[0].requests.keys() == {each.job for each in heard}


def test_while_the_appender_is_full_no_worker_is_heard_and_nothing_is_lost(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, queue_size=1), commits=False) as node:
        worker = node.worker()
        taken = node.push(2)
        first, second = worker.is_given()
        worker.ends(first)
        node.turn_until(lambda: not node.appender.has_room())
        worker.ends(second)
        node.turn()
        assert worker.unread() > 0
        assert node.appender.waiting() == 1
        node.appender.start()
        node.wait_ended(2)
        assert all(node.end_of(job) for job in taken)


def test_a_host_of_one_permit_is_given_one_job_until_the_answer_has_come(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, limits=FetchLimits(1, 1000))) as node:
        worker = node.worker()
        node.push(2, SITE)
        (item,) = worker.is_given()
        assert item.grant is not None
        assert item.grant.not_after == node.clock.now + 2
        worker.says(Sent(item.job, SITE, node.clock.now))
        worker.says(RequestEnded(item.job, SITE))
        node.turn()
        assert worker.is_sent_nothing()
        node.clock.now += 1
        node.turn()
        assert [other.job != item.job for other in worker.is_given()] == [True]


def test_a_page_of_the_archive_needs_no_grant(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, limits=FetchLimits(1, 1000))) as node:
        worker = node.worker()
        node.push(3, SITE, archived=True)
        assert [item.grant for item in worker.is_given()] == [None, None, None]


def test_a_job_that_asks_for_a_further_request_gets_its_grant_before_new_jobs(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, limits=FetchLimits(1, 0))) as node:
        worker = node.worker()
        node.push(2, SITE)
        (item,) = worker.is_given()
        worker.says(GrantRequested(item.job, SITE))
        node.turn()
        assert worker.is_sent_nothing()
        worker.says(RequestEnded(item.job, SITE))
        granted = worker.hears()
        assert isinstance(granted, Granted)
        assert (granted.job, granted.grant.host) == (item.job, SITE)


def test_a_dead_workers_grant_counts_as_sent_at_its_end(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, limits=FetchLimits(1, 1000))) as node:
        _, alone = after_a_death(node, SITE)
        node.clock.now += 2.9
        node.turn()
        assert alone.is_sent_nothing()
        node.clock.now += 0.2
        assert len(alone.is_given()) == 1


def test_a_worker_that_cannot_be_wired_ends_the_run(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        node.worker().says(StartFault("no such plugin"))
        assert "no such plugin" in str(node.faults.get(timeout=WAIT_S))
        node.thread.join(WAIT_S)
        assert not node.thread.is_alive()


def test_workers_that_die_at_their_start_end_the_run_instead_of_being_started_for_ever(
    tmp_path: Path,
) -> None:
    with running(PlayedNode(tmp_path)) as node:
        for _ in range(3):
            node.launched.get(timeout=WAIT_S).dies()
        assert "workers die at their start" in str(node.faults.get(timeout=WAIT_S))


def taken_order(node: PlayedNode) -> TakenJob:
    """A job whose request must not be sent twice."""
    order = JobPayload(Locator("order", "group", "o", request=PageRequest("POST")), "order")
    node.jobs.put([NewJob("order", FILE_HOST, order)])
    (job,) = node.jobs.take(FILE_HOST, 1)
    return job


def test_a_request_that_a_dead_worker_may_have_sent_is_not_sent_again(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        worker = node.worker()
        job = taken_order(node)
        node.inbox.post(lambda: node.dispatcher.notes.add([job]))
        node.inbox.post(lambda: node.runner.push([Pending(job)]))
        assert [item.job for item in worker.is_given()] == ["order"]
        worker.dies()
        replaced = node.worker()
        failed = node.failed.get(timeout=WAIT_S)
        assert (failed.job, failed.state) == ("order", JobState.FAILED)
        node.turn()
        assert replaced.is_sent_nothing()


def test_a_request_that_must_not_be_sent_twice_is_announced_before_its_job_is_given(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        worker = node.worker()
        job = taken_order(node)
        node.inbox.post(lambda: node.runner.push([Pending(job)]))
        assert node.sending.get(timeout=WAIT_S) == [job]
        assert worker.is_sent_nothing()
        node.inbox.post(lambda: node.dispatcher.notes.add([job]))
        assert [item.job for item in worker.is_given()] == ["order"]


def test_the_jobs_of_a_host_that_asks_for_a_pause_go_back_to_the_store(tmp_path: Path) -> None:
    fault = LoadFault("status 429", is_transient=True, retry_after_s=60.0)
    with running(PlayedNode(tmp_path)) as node:
        worker = node.worker()
        (asked, waiting) = node.push(2, SITE)
        (item,) = worker.is_given()
        assert item.job == asked.id
        worker.says(RequestEnded(asked.id, SITE, heard=True, fault=fault, sent_at=node.clock.now))
        assert [pending.taken for pending in node.back.get(timeout=WAIT_S)] == [waiting]


def test_what_is_left_in_the_pipe_of_a_worker_that_has_ended_counts(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        worker = node.worker()
        (job,) = node.push(1)
        (item,) = worker.is_given()

        def last_words() -> None:
            """In the loop's thread, so that the end is noticed before the pipe is read."""
            worker.ends(item)
            worker.ends_behind_an_open_pipe()
            node.clock.now += 1

        node.inbox.post(last_words)
        node.wait_ended(1)
        assert node.end_of(job) is not None
        assert node.worker().is_sent_nothing()


def test_the_loop_ends_with_the_last_worker_after_a_stop(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, workers=2)) as node:
        workers = [node.worker(), node.worker()]
        node.inbox.post(node.runner.stop)
        assert [type(worker.hears()) for worker in workers] == [Stop, Stop]
        workers[0].dies()
        node.turn()
        assert node.thread.is_alive()
        workers[1].dies()
        node.thread.join(WAIT_S)
        assert not node.thread.is_alive()
        assert node.runner.crashes == 0, "an end that was asked for is no crash"


def test_a_kill_ends_the_loop_at_once_and_leaves_the_jobs_taken(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        worker = node.worker()
        (job,) = node.push(1)
        worker.is_given()
        node.inbox.post(node.runner.kill)
        node.thread.join(WAIT_S)
        assert not node.thread.is_alive()
        assert [held.id for held in node.jobs.taken()] == [job.id]
        node.inbox.post(lambda: pytest.fail(f"{NODE}: a call after the end"))


def test_a_loop_that_has_ended_waits_for_no_pipe_any_more(tmp_path: Path) -> None:
    gc.collect()  # closes what other tests have left
    before = selectors_open()
    node = PlayedNode(tmp_path)
    with running(node):
        assert selectors_open() - before
    assert selectors_open() <= before


def selectors_open() -> set[str]:
    """The descriptors of this process that wait for others."""
    files = {file.name: file for file in Path("/proc/self/fd").iterdir()}
    return {name for name, file in files.items() if file.is_symlink() and "eventpoll" in os.readlink(file)}


def test_the_least_laden_worker_is_given_the_next_job(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, workers=2)) as node:
        workers = [node.worker(), node.worker()]
        node.turn()
        node.push(4)
        assert [len(worker.is_given()) for worker in workers] == [2, 2]


def test_messages_of_workers_in_a_short_while_are_read_in_one_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[float] = []
    with running(PlayedNode(tmp_path, workers=4)) as node:
        workers = [node.worker() for _ in range(4)]
        node.push(FEW_JOBS)
        assert sum(len(worker.is_given()) for worker in workers) == FEW_JOBS
        give = node.pool.give

        def noted() -> None:
            begun.append(node.runner.turned_at)
            give()

        monkeypatch.setattr(node.pool, "give", noted)
        end = time.monotonic() + WAIT_S
        while len(begun) < 8:
            assert time.monotonic() < end, "the loop stands still"
            workers[0].says(Sent("job", SITE, 0.0))
            time.sleep(TURN_S / 20)  # a loop without a pause leaves the other thread no time
    gaps = [after - before for before, after in pairwise(begun[:8])]
    assert min(gaps) >= 0.9 * TURN_S


def test_calls_of_other_threads_in_every_turn_keep_no_worker_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(PlayedNode(tmp_path)) as node:
        worker = node.worker()
        node.push(1)
        (item,) = worker.is_given()
        give = node.pool.give

        def woken() -> None:
            node.inbox.wake()
            give()

        monkeypatch.setattr(node.pool, "give", woken)
        node.turn()
        worker.ends(item)
        node.wait_ended(1)


def test_what_few_jobs_wait_for_is_not_put_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_runner, "TURN_S", 2 * WAIT_S)
    with running(PlayedNode(tmp_path)) as node:
        worker = node.worker()
        node.push(3)
        for item in worker.is_given():
            worker.ends(item)
            node.wait_ended(1)


def test_a_process_may_have_more_files_open_than_select_can_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    least = 2 * FIRST_UNNAMED
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, least), hard))
    real = os.eventfd

    def high_eventfd(*given: int) -> int:
        low = real(*given)
        try:
            return fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_UNNAMED)
        finally:
            os.close(low)

    monkeypatch.setattr(os, "eventfd", high_eventfd)
    try:
        with running(PlayedNode(tmp_path)) as node:
            worker = node.worker()
            taken = node.push(3)
            for item in worker.is_given():
                worker.ends(item)
            node.wait_ended(3)
            assert all(node.end_of(job) for job in taken)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_results_make_room_for_more_jobs_and_the_last_ones_are_committed_at_once(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path, commit_ms=3_600_000)) as node:
        worker = node.worker()
        node.push(2)
        items = worker.is_given()
        worker.ends(items[0])
        assert node.low.acquire(timeout=WAIT_S)
        assert not node.ended.acquire(timeout=0.05), "the interval is an hour, and another job runs"
        worker.ends(*items[1:])
        node.wait_ended(2)


def test_while_many_jobs_run_their_results_are_reported_as_room_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_runner, "LOW_S", 2 * WAIT_S)
    with running(PlayedNode(tmp_path, workers=6)) as node:
        given = laden(node, FEW_JOBS + 4)
        for number, (worker, item) in enumerate(given[:4]):
            worker.ends(item)
            node.wait_ended(1)
            node.turn()
            assert node.low.acquire(blocking=False) == (not number), "the first only"
        worker, item = given[4]
        worker.ends(item)
        assert node.low.acquire(timeout=WAIT_S), "few jobs run now"


def test_room_is_reported_when_it_is_time_though_no_worker_says_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_runner, "LOW_S", 0.3)
    monkeypatch.setattr(task_runner, "POLL_S", 2 * WAIT_S)
    monkeypatch.setattr(task_runner, "LONGEST_WAIT_S", 2 * WAIT_S)
    with running(PlayedNode(tmp_path, workers=6)) as node:
        for worker, item in laden(node, FEW_JOBS + 4)[:2]:
            worker.ends(item)
            assert node.low.acquire(timeout=WAIT_S)


def laden(node: PlayedNode, jobs: int) -> list[tuple[PlayedWorker, WorkItem]]:
    """Give jobs to all workers of a node."""
    workers = [node.worker() for _ in range(6)]
    node.push(jobs)
    given = [(worker, item) for worker in workers for item in worker.is_given()]
    assert len(given) == jobs
    return given


def test_a_job_that_asks_for_a_session_is_the_one_to_log_in(tmp_path: Path) -> None:
    with running(PlayedNode(tmp_path)) as node:
        worker = node.worker()
        node.push(1)
        (item,) = worker.is_given()
        worker.says(SessionRequested(item.job, "shop", 0))
        assert worker.hears() == SessionTurn(item.job)


def test_a_job_that_waits_for_a_file_is_notified_if_the_worker_that_asks_for_it_dies(tmp_path: Path) -> None:
    file = f"http://{SITE}/a.jpg"
    with running(PlayedNode(tmp_path, workers=2, limits=FetchLimits(4, 0))) as node:
        asks, waits = node.worker(), node.worker()
        node.push(2)
        (one,), (other,) = asks.is_given(), waits.is_given()
        asks.says(GrantRequested(one.job, SITE, file, file=file))
        assert isinstance(asks.hears(), Granted)
        waits.says(GrantRequested(other.job, SITE, file, file=file))
        node.turn()
        assert waits.is_sent_nothing()
        asks.dies()
        assert waits.hears() == FileSettled(other.job)
