"""MessageRouter: what a worker reports reaches the rate limiter, the queues, the appender and the counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from scoopi.appenders.appender import JobResult
from scoopi.configs.groups import FetchLimits
from scoopi.errors import LoadFault, RunError
from scoopi.mediator.budgets.page_budgets import NO_BUDGETS, BudgetRules, PageBudgets
from scoopi.mediator.held_jobs import Pending, robots_pending
from scoopi.mediator.workers.message_router import NOTHING, Routed
from scoopi.mediator.workers.worker_pool import WINDOW_LEAST, WINDOW_SECONDS, PoolWorker
from scoopi.model.failure import Failure
from scoopi.model.job import JobState
from scoopi.model.limits.budget import Budget
from scoopi.model.report.counter_names import PREFIX
from scoopi.model.robots import RobotsAnswer, RobotsKind
from scoopi.store.jobs.job_records import NewJob, TakenJob
from scoopi.worker.messages import (
    NETWORK,
    Child,
    GrantRequested,
    JobsHandedBack,
    PageSeen,
    Ready,
    RequestEnded,
    Results,
    RobotsRead,
    Sent,
    StartFault,
)
from tests.mediator.played_node import PlayedNode, PlayedWorker, result_of

SITE = "one.example:80"


class Harness:
    """A worker that has two jobs of a host, beside a loop that does not turn."""

    def __init__(
        self, folder: Path, budgets: PageBudgets = NO_BUDGETS, limits: FetchLimits | None = None
    ) -> None:
        self.node = PlayedNode(folder, budgets=budgets, limits=limits)
        self.link = PlayedWorker()
        self.worker = PoolWorker(self.link, 4)
        self.route = self.node.router.route
        self.taken = self.node.push(2, SITE)
        for job in self.taken:
            self.worker.add(Pending(job), Pending(job).item())

    def ends(self, job: TakenJob, fault: LoadFault | None = None, state: JobState = JobState.DONE) -> Results:
        failures = (Failure(cause="loader: x", message="x"),) if fault else ()
        result = msgspec.structs.replace(
            result_of(Pending(job).item()), fault=fault, state=state, failures=failures
        )
        return Results((result,), {"parser": 0.5, "loader": 2.0}, {"finds.x": 3})

    def close(self) -> None:
        """End the worker, and close the node's inbox and store."""
        self.link.dies()
        self.link.reap()
        self.node.inbox.close()
        self.node.store.close()


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[Harness]:
    harness = Harness(tmp_path)
    yield harness
    harness.close()


def test_a_finished_job_goes_to_the_appender_and_leaves_the_worker(harness: Harness) -> None:
    assert harness.route(harness.worker, harness.ends(harness.taken[0])) == Routed(results=1)
    assert list(harness.worker.outstanding) == [harness.taken[1].id]
    assert harness.node.appender.waiting() == 1
    assert harness.route(harness.worker, harness.ends(harness.taken[0])) == NOTHING, (
        "it has another worker by now"
    )
    assert harness.node.appender.waiting() == 1


def test_a_job_that_fails_for_a_while_waits_and_is_not_ended(harness: Harness) -> None:
    passing = harness.ends(harness.taken[0], LoadFault("timeout", is_transient=True), JobState.FAILED)
    assert harness.route(harness.worker, passing) == Routed(results=1)
    assert harness.node.appender.waiting() == 0
    assert [job.id for job in harness.node.job_inbox.postponed] == [harness.taken[0].id]
    lasting = harness.ends(harness.taken[1], LoadFault("status 404"), JobState.FAILED)
    harness.route(harness.worker, lasting)
    assert harness.node.appender.waiting() == 1


def test_each_result_of_a_message_is_handled_whatever_becomes_of_those_before_it(harness: Harness) -> None:
    lost = harness.taken[0]._replace(id="of another worker")
    passing = harness.ends(harness.taken[0], LoadFault("timeout", is_transient=True), JobState.FAILED)
    three = (*harness.ends(lost).results, *passing.results, *harness.ends(harness.taken[1]).results)
    assert harness.route(harness.worker, Results(three, {})) == Routed(results=2)
    assert [job.id for job in harness.node.job_inbox.postponed] == [harness.taken[0].id]
    assert harness.node.appender.waiting() == 1


def test_what_was_found_counts_unless_the_job_is_tried_again(harness: Harness) -> None:
    for job, fault in zip(harness.taken, (LoadFault("timeout", is_transient=True), None), strict=True):
        ended = harness.ends(job, fault)
        (result,) = ended.results
        found = msgspec.structs.replace(result, finds={"rows": 5.0})
        harness.route(harness.worker, msgspec.structs.replace(ended, results=(found,)))
    assert harness.node.counts.value(f"{PREFIX}rows") == 5


def test_a_task_that_failed_for_good_is_logged(harness: Harness, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        harness.route(
            harness.worker, harness.ends(harness.taken[0], LoadFault("status 404"), JobState.FAILED)
        )
    fields = [vars(record)["fields"] for record in caplog.records if hasattr(record, "fields")]
    assert [(each["event"], each["cause"]) for each in fields if each["event"] == "failure"] == [
        ("failure", "loader: x")
    ]


def test_each_page_is_logged_also_if_it_is_tried_again(
    harness: Harness, caplog: pytest.LogCaptureFixture
) -> None:
    seen = PageSeen(200, 1000, 1.0, NETWORK)
    with caplog.at_level("INFO"):
        for job, fault in zip(harness.taken, (LoadFault("reset", True), None), strict=True):
            results = harness.ends(job, fault).results
            received = tuple(msgspec.structs.replace(each, seen=seen) for each in results)
            harness.route(harness.worker, Results(received, {}))
    fields = [vars(record)["fields"] for record in caplog.records if hasattr(record, "fields")]
    assert [
        (each["job"], each["status"], each["bytes"], each["failed"])
        for each in fields
        if each["event"] == "page"
    ] == [(harness.taken[0].id, 200, 1000, True), (harness.taken[1].id, 200, 1000, False)]


def test_jobs_that_were_not_begun_are_handed_back(harness: Harness) -> None:
    jobs = (harness.taken[1].id, "unknown")
    back = harness.route(harness.worker, JobsHandedBack(jobs))
    assert back == Routed(handed_back=(Pending(harness.taken[1]),))
    assert list(harness.worker.outstanding) == [harness.taken[0].id]


def test_a_worker_is_ready_when_it_says_so(harness: Harness) -> None:
    assert not harness.worker.ready
    assert harness.route(harness.worker, Ready()) is NOTHING
    assert harness.worker.ready


def test_a_worker_that_cannot_be_wired_ends_the_run(harness: Harness) -> None:
    with pytest.raises(RunError, match="a worker cannot start: no module"):
        harness.route(harness.worker, StartFault("no module"))


def test_an_answered_request_is_no_longer_in_flight(harness: Harness) -> None:
    job = harness.taken[0].id
    harness.worker.slots.begin_next(job, SITE)
    harness.route(harness.worker, Sent(job, SITE, 1.0))
    assert harness.worker.requests == {job: SITE}
    harness.route(harness.worker, RequestEnded(job, SITE, heard=True))
    assert harness.worker.requests == {}


def test_a_job_that_needs_a_further_request_waits_for_its_host(harness: Harness) -> None:
    harness.route(harness.worker, GrantRequested(harness.taken[0].id, SITE, f"http://{SITE}/next"))
    assert harness.node.dispatcher.needed_hosts() == {SITE}


def test_a_robots_txt_that_was_read_opens_its_host_and_leaves_the_worker(harness: Harness) -> None:
    reading = robots_pending(SITE, f"http://{SITE}/robots.txt", public_only=False)
    harness.worker.add(reading, reading.item())
    answer = RobotsRead(reading.taken.id, RobotsAnswer(RobotsKind.KNOWN))
    assert harness.route(harness.worker, answer) == NOTHING
    assert harness.node.robots.lets_all(SITE)
    assert reading.taken.id not in harness.worker.outstanding
    assert harness.route(harness.worker, answer) == NOTHING, "it is read once"


def test_an_answer_wakes_its_host_so_that_its_next_request_is_granted(harness: Harness) -> None:
    first, second = (job.id for job in harness.taken)
    harness.route(harness.worker, GrantRequested(first, SITE, f"http://{SITE}/1"))
    harness.node.dispatcher.dispatch()
    assert harness.worker.requests == {first: SITE}
    harness.route(harness.worker, GrantRequested(second, SITE, f"http://{SITE}/2"))
    harness.node.dispatcher.dispatch()
    assert harness.worker.requests == {first: SITE}, "one request at a time"
    harness.route(harness.worker, RequestEnded(first, SITE, heard=True))
    harness.node.dispatcher.dispatch()
    assert harness.worker.requests == {second: SITE}


def test_a_request_that_was_sent_wakes_its_host_so_that_the_next_one_follows_after_the_delay(
    tmp_path: Path,
) -> None:
    harness = Harness(tmp_path, limits=FetchLimits(2, 1000))
    first, second = (job.id for job in harness.taken)
    harness.route(harness.worker, GrantRequested(first, SITE, f"http://{SITE}/1"))
    harness.node.dispatcher.dispatch()
    harness.route(harness.worker, GrantRequested(second, SITE, f"http://{SITE}/2"))
    harness.node.dispatcher.dispatch()
    assert harness.worker.requests == {first: SITE}
    harness.route(harness.worker, Sent(first, SITE, harness.node.clock.now))
    harness.node.dispatcher.dispatch()
    harness.node.clock.pass_s(1.0)
    harness.node.dispatcher.dispatch()
    assert harness.worker.requests == {first: SITE, second: SITE}
    harness.close()


def test_a_worker_holds_more_jobs_ahead_the_less_time_its_steps_take(harness: Harness) -> None:
    assert harness.worker.window == WINDOW_LEAST
    ended = msgspec.structs.replace(harness.ends(harness.taken[0]), times={"parser": 0.008, "loader": 60.0})
    harness.route(harness.worker, ended)
    assert harness.worker.window == int(WINDOW_SECONDS / 0.008) > WINDOW_LEAST, (
        "a wait for a page does not count"
    )


def test_a_batch_that_waited_for_no_page_is_all_time_in_steps(harness: Harness) -> None:
    ended = msgspec.structs.replace(harness.ends(harness.taken[0]), times={"parser": 0.01, "filter": 0.002})
    harness.route(harness.worker, ended)
    assert harness.worker.window == int(WINDOW_SECONDS / 0.012) > WINDOW_LEAST


def test_times_finds_and_pages_of_workers_are_counted(harness: Harness) -> None:
    for job in harness.taken:
        harness.route(harness.worker, harness.ends(job))
    counts = harness.node.counts
    assert {name: counts.value(f"time.{name}") for name in ("parser", "loader")} == {
        "parser": 1.0,
        "loader": 4.0,
    }
    assert counts.value(f"{PREFIX}finds.x") == 6
    assert counts.value("pages") == 2


def test_children_and_rows_go_to_the_appender_with_their_page(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    put: list[JobResult] = []
    monkeypatch.setattr(harness.node.appender, "put_all", put.extend)
    child = Child("c", SITE, harness.taken[0].payload)
    ended = harness.ends(harness.taken[0])
    (result,) = ended.results
    result = msgspec.structs.replace(result, children=(child,), rows=3)
    harness.route(harness.worker, msgspec.structs.replace(ended, results=(result,)))
    (made,) = put
    assert made.children == (NewJob("c", SITE, harness.taken[0].payload),)
    assert (made.job, made.rows, made.state) == (harness.taken[0].id, 3, JobState.DONE)


def test_the_bytes_of_a_page_count_for_the_budgets_also_if_it_is_tried_again(tmp_path: Path) -> None:
    budgets = PageBudgets(BudgetRules(run=Budget(bytes=2000)))
    harness = Harness(tmp_path, budgets)
    for job, fault in zip(harness.taken, (LoadFault("reset", True), None), strict=True):
        assert not budgets.is_run_over()
        results = harness.ends(job, fault).results
        seen = PageSeen(200, 1000, 1.0, NETWORK)
        received = tuple(msgspec.structs.replace(each, seen=seen) for each in results)
        harness.route(harness.worker, Results(received, {}, {}))
    assert len(harness.node.job_inbox.postponed) == 1
    assert budgets.is_run_over()
    harness.close()
