"""HandoverRouter: what a worker reports reaches the clocks, the queues, the appender and the counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from scoopi.appenders.appender import JobResult
from scoopi.errors import LoadFault, RunError
from scoopi.mediator.held_jobs import Pending, robots_pending
from scoopi.mediator.workers.handover_router import NOTHING, Routed
from scoopi.mediator.workers.worker_pool import WINDOW_LEAST, WINDOW_SECONDS, PoolWorker
from scoopi.model.failure import Failure
from scoopi.model.job import JobState
from scoopi.model.report.finds import PREFIX
from scoopi.model.robots import RobotsAnswer, RobotsKind
from scoopi.store.pages.job_records import NewJob, TakenJob
from scoopi.worker.messages import (
    Answered,
    Child,
    GrantAsked,
    JobsHandedBack,
    Ready,
    Results,
    RobotsRead,
    Sent,
    StartFault,
)
from tests.mediator.played_node import PlayedNode, PlayedWorker, result_of

SITE = "one.example:80"


class Desk:
    """A worker that has two jobs of a host, beside a loop that does not turn."""

    def __init__(self, folder: Path) -> None:
        self.node = PlayedNode(folder)
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


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.link.dies()
    desk.link.reap()
    desk.node.inbox.close()
    desk.node.store.close()


def test_a_finished_job_goes_to_the_appender_and_leaves_the_worker(desk: Desk) -> None:
    assert desk.route(desk.worker, desk.ends(desk.taken[0])) == Routed(results=1)
    assert list(desk.worker.outstanding) == [desk.taken[1].id]
    assert desk.node.appender.waiting() == 1
    assert desk.route(desk.worker, desk.ends(desk.taken[0])) == NOTHING, "it has another worker by now"
    assert desk.node.appender.waiting() == 1


def test_a_job_that_fails_for_a_while_waits_and_is_not_ended(desk: Desk) -> None:
    passing = desk.ends(desk.taken[0], LoadFault("timeout", is_transient=True), JobState.FAILED)
    assert desk.route(desk.worker, passing) == Routed(results=1)
    assert desk.node.appender.waiting() == 0
    assert [job.id for job in desk.node.job_inbox.postponed] == [desk.taken[0].id]
    lasting = desk.ends(desk.taken[1], LoadFault("status 404"), JobState.FAILED)
    desk.route(desk.worker, lasting)
    assert desk.node.appender.waiting() == 1


def test_what_was_found_counts_unless_the_job_is_tried_again(desk: Desk) -> None:
    for job, fault in zip(desk.taken, (LoadFault("timeout", is_transient=True), None), strict=True):
        ended = desk.ends(job, fault)
        (result,) = ended.results
        found = msgspec.structs.replace(result, finds={"rows": 5.0})
        desk.route(desk.worker, msgspec.structs.replace(ended, results=(found,)))
    assert desk.node.counts.value(f"{PREFIX}rows") == 5


def test_a_task_that_failed_for_good_is_logged(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        desk.route(desk.worker, desk.ends(desk.taken[0], LoadFault("status 404"), JobState.FAILED))
    fields = [vars(record)["fields"] for record in caplog.records if hasattr(record, "fields")]
    assert [(each["event"], each["cause"]) for each in fields if each["event"] == "failure"] == [
        ("failure", "loader: x")
    ]


def test_jobs_that_were_not_begun_are_handed_back(desk: Desk) -> None:
    jobs = (desk.taken[1].id, "unknown")
    back = desk.route(desk.worker, JobsHandedBack(jobs))
    assert back == Routed(handed_back=(Pending(desk.taken[1]),))
    assert list(desk.worker.outstanding) == [desk.taken[0].id]


def test_a_worker_is_ready_when_it_says_so(desk: Desk) -> None:
    assert not desk.worker.ready
    assert desk.route(desk.worker, Ready()) is NOTHING
    assert desk.worker.ready


def test_a_worker_that_cannot_be_wired_ends_the_run(desk: Desk) -> None:
    with pytest.raises(RunError, match="a worker cannot start: no module"):
        desk.route(desk.worker, StartFault("no module"))


def test_an_answered_request_is_no_longer_in_flight(desk: Desk) -> None:
    job = desk.taken[0].id
    desk.worker.slots.begin_next(job, SITE)
    desk.route(desk.worker, Sent(job, SITE, 1.0))
    assert desk.worker.requests == {job: SITE}
    desk.route(desk.worker, Answered(job, SITE, heard=True))
    assert desk.worker.requests == {}


def test_a_job_that_needs_a_further_request_waits_for_its_host(desk: Desk) -> None:
    desk.route(desk.worker, GrantAsked(desk.taken[0].id, SITE, f"http://{SITE}/next"))
    assert desk.node.giver.needed_hosts() == {SITE}


def test_a_robots_txt_that_was_read_opens_its_host_and_leaves_the_worker(desk: Desk) -> None:
    reading = robots_pending(SITE, f"http://{SITE}/robots.txt", public_only=False)
    desk.worker.add(reading, reading.item())
    answer = RobotsRead(reading.taken.id, RobotsAnswer(RobotsKind.KNOWN))
    assert desk.route(desk.worker, answer) == NOTHING
    assert desk.node.robots.lets_all(SITE)
    assert reading.taken.id not in desk.worker.outstanding
    assert desk.route(desk.worker, answer) == NOTHING, "it is read once"


def test_an_answer_wakes_its_host_so_that_its_next_request_is_granted(desk: Desk) -> None:
    first, second = (job.id for job in desk.taken)
    desk.route(desk.worker, GrantAsked(first, SITE, f"http://{SITE}/1"))
    desk.node.giver.give()
    assert desk.worker.requests == {first: SITE}
    desk.route(desk.worker, GrantAsked(second, SITE, f"http://{SITE}/2"))
    desk.node.giver.give()
    assert desk.worker.requests == {first: SITE}, "one request at a time"
    desk.route(desk.worker, Answered(first, SITE, heard=True))
    desk.node.giver.give()
    assert desk.worker.requests == {second: SITE}


def test_a_worker_holds_more_jobs_ahead_the_less_time_its_steps_take(desk: Desk) -> None:
    assert desk.worker.window == WINDOW_LEAST
    ended = msgspec.structs.replace(desk.ends(desk.taken[0]), times={"parser": 0.008, "loader": 60.0})
    desk.route(desk.worker, ended)
    assert desk.worker.window == int(WINDOW_SECONDS / 0.008) > WINDOW_LEAST, (
        "a wait for a page does not count"
    )


def test_a_batch_that_waited_for_no_page_is_all_time_in_steps(desk: Desk) -> None:
    ended = msgspec.structs.replace(desk.ends(desk.taken[0]), times={"parser": 0.01, "filter": 0.002})
    desk.route(desk.worker, ended)
    assert desk.worker.window == int(WINDOW_SECONDS / 0.012) > WINDOW_LEAST


def test_times_finds_and_pages_of_workers_are_counted(desk: Desk) -> None:
    for job in desk.taken:
        desk.route(desk.worker, desk.ends(job))
    counts = desk.node.counts
    assert {name: counts.value(f"time.{name}") for name in ("parser", "loader")} == {
        "parser": 1.0,
        "loader": 4.0,
    }
    assert counts.value(f"{PREFIX}finds.x") == 6
    assert counts.value("pages") == 2


def test_children_and_rows_go_to_the_appender_with_their_page(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    put: list[JobResult] = []
    monkeypatch.setattr(desk.node.appender, "put", put.append)
    child = Child("c", SITE, desk.taken[0].payload)
    ended = desk.ends(desk.taken[0])
    (result,) = ended.results
    result = msgspec.structs.replace(result, children=(child,), rows=3)
    desk.route(desk.worker, msgspec.structs.replace(ended, results=(result,)))
    (made,) = put
    assert made.children == (NewJob("c", SITE, desk.taken[0].payload),)
    assert (made.job, made.rows, made.state) == (desk.taken[0].id, 3, JobState.DONE)
