"""WorkerLoop: what bounds the pages that it holds and the results that it sends together; in one thread."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from scoopi.errors import NO_BROWSER, FetchError, LoadFault, SilentHostError
from scoopi.fetch.downloads.file_store import FileStore
from scoopi.fetch.file_client import FileFinder
from scoopi.model.downloads import Downloads, FileRequest
from scoopi.model.handover import Grant, Handover, Payload, ToAppender, ToFiles, ToGrant, ToSession
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator, PageRequest
from scoopi.model.report.run_report import LOADER
from scoopi.model.robots import RobotsAnswer, RobotsKind
from scoopi.model.scrape.task_def import TaskDef
from scoopi.model.site_session import Session, SessionChange
from scoopi.steps.loading.load_state import LoadState
from scoopi.steps.loading.loader import OnHandover
from scoopi.steps.step import Step
from scoopi.worker.crash_marker import CrashMarker, RunningTask
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.messages import (
    NETWORK,
    Assign,
    Denied,
    Drain,
    FileEnded,
    FileSettled,
    Granted,
    GrantRequested,
    JobsHandedBack,
    Recall,
    RequestEnded,
    Result,
    Results,
    RobotsRead,
    SessionChanged,
    SessionRequested,
    SessionTurn,
    SessionUpdate,
    Stop,
    ToParent,
    WorkItem,
)
from scoopi.worker.pipe import MessageBuffer, WorkerPipe
from scoopi.worker.request_reports import RequestReports
from scoopi.worker.worker_loop import WorkerLoop
from scoopi.worker.worker_parts import ChainStep, GroupPlan, TaskChain, WorkerParts
from tests.worker.played_loader import PlayedLoader

HOST = "here.example:80"
PAGE_BYTES = 10
FILE_URL = "http://files.example/a.jpg"
JOBS = ("job1", "job2", "job3", "job4", "job5")


class SizedLoader(PlayedLoader):
    """A loader whose pages come at once, and have one size."""

    def size_of(self, page: object) -> int:
        return PAGE_BYTES


class RedirectedLoader(SizedLoader):
    """A loader whose pages need a second request, after a redirect."""

    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        state = payload.expect(LoadState)
        if state.hops:
            super().begin(payload, on_handover)
        else:
            on_handover(ToGrant(HOST, payload.advance(structs.replace(state, hops=1, grant=None))))


class LocalLoader(SizedLoader):
    """A loader whose pages come at once if they need no request, and never otherwise."""

    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        self._at_once = 0 if payload.expect(LoadState).grant else 1
        super().begin(payload, on_handover)


class WantsFile(Step):
    """A step whose row names a file."""

    def run(self, payload: Payload) -> Handover:
        if isinstance(payload.input, Downloads):
            return ToAppender(())
        return ToFiles(payload, (FileRequest(FILE_URL),))


class Harness:
    """A loop, its loader, and what it has sent."""

    def __init__(
        self,
        outgoing: int,
        incoming: int,
        heard: int,
        max_held_bytes: int = 1 << 20,
        ends_at_once: int = len(JOBS),
        loader: type[SizedLoader] = SizedLoader,
        chains: tuple[TaskChain, ...] = (),
        **parts: Any,
    ) -> None:
        self.marker = CrashMarker(-1)
        self.loader = loader(ends_at_once)
        self.times: dict[str, float] = {}
        self.handed_back: list[str] = []
        self.robots: list[RobotsRead] = []
        self.sent: list[ToParent] = []
        self._heard = heard
        made = WorkerParts(
            self.loader,
            lambda _: GroupPlan(chains, "loader", "here"),
            ChildJobs(lambda _: HOST, 9),
            FoundValues({}, frozenset()),
            max_held_bytes=max_held_bytes,
            **parts,
        )
        self.loop = WorkerLoop(WorkerPipe(incoming, outgoing), self.marker, made, deque(), RequestReports())

    def give(self, *jobs: str, grant: Grant | None = None, request: PageRequest | None = None) -> None:
        payload = JobPayload(Locator("name", "group", "http://here.example/", request), "seed")
        self.loop.handle(Assign(tuple(WorkItem(job, 1, payload, grant) for job in jobs)))

    def run(self) -> list[tuple[Result, ...]]:
        """Run what was given; the results that were sent together, batch by batch."""
        self.loop.handle(Stop())
        self.loop.run()
        return self.hear()

    def hear(self) -> list[tuple[Result, ...]]:
        """The results that were sent together since the last call, batch by batch."""
        buffer = MessageBuffer()
        buffer.feed(os.read(self._heard, 1 << 16))
        sent = [msgspec.msgpack.decode(body, type=ToParent) for body in buffer.bodies()]
        self.sent += sent
        for message in sent:
            self.handed_back += message.jobs if isinstance(message, JobsHandedBack) else ()
            self.robots += [message] if isinstance(message, RobotsRead) else ()
        results = [message for message in sent if isinstance(message, Results)]
        for message in results:
            self.times |= message.times
        return [message.results for message in results if message.results]


@pytest.fixture
def harness_of() -> Iterator[Callable[..., Harness]]:
    descriptors: list[int] = []

    def made(**more: Any) -> Harness:
        incoming, to_worker = os.pipe()
        heard, outgoing = os.pipe()
        descriptors.extend((incoming, to_worker, heard, outgoing))
        return Harness(outgoing, incoming, heard, **more)

    yield made
    for descriptor in descriptors:
        os.close(descriptor)


@pytest.mark.parametrize(("max_held_bytes", "begun"), [(PAGE_BYTES, 1), (PAGE_BYTES + 1, 2)])
def test_no_page_is_asked_for_while_pages_of_the_bound_wait_for_their_steps(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch, max_held_bytes: int, begun: int
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(max_held_bytes=max_held_bytes)
    for job in JOBS[:2]:
        harness.give(job, grant=Grant(HOST, 1e12))
        harness.loop.continue_requests()
    assert harness.loader.begun.qsize() == begun
    harness.run()
    harness.loop.continue_requests()
    assert harness.loader.begun.qsize() == 2, "pages whose steps are over are held no longer"


@pytest.mark.parametrize(("bodies", "batches"), [(1, [1, 1, 1, 1, 1]), (2, [2, 2, 1]), (9, [5])])
def test_results_are_sent_when_their_bytes_reach_the_bound_and_none_is_lost_or_doubled(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch, bodies: int, batches: list[int]
) -> None:
    monkeypatch.setattr("scoopi.worker.worker_loop.BATCH_SECONDS", 1e9)
    first = harness_of()
    first.give(JOBS[0])
    ((result,),) = first.run()
    monkeypatch.setattr("scoopi.worker.worker_loop.BATCH_BYTES", bodies * len(result.body))
    harness = harness_of()
    harness.give(*JOBS)
    sent = harness.run()
    assert [len(batch) for batch in sent] == batches
    assert tuple(result.job for batch in sent for result in batch) == JOBS


def test_the_time_that_pages_take_to_load_is_reported_with_the_results(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of()
    harness.give(JOBS[0], grant=Grant(HOST, 1e12))
    harness.loop.continue_requests()
    harness.run()
    assert harness.times[LOADER] > 0


def test_requests_in_flight_are_dropped_when_it_is_closed(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(ends_at_once=0)
    harness.give(*JOBS, grant=Grant(HOST, 1e12))
    harness.loop.continue_requests()
    assert harness.loader.under_way() == len(JOBS)
    harness.loop.close()
    assert harness.loader.under_way() == 0


def test_the_crash_marker_names_a_job_while_its_page_is_read_and_none_afterwards(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = harness_of()
    noted: list[str] = []
    begin = harness.loader.begin

    def noting(payload: Payload, on_handover: OnHandover) -> None:
        noted.append(harness.marker.read().job)
        begin(payload, on_handover)

    monkeypatch.setattr(harness.loader, "begin", noting)
    harness.give(*JOBS[:2])
    harness.run()
    assert noted == [*JOBS[:2]]
    assert harness.marker.read() == RunningTask()


def test_pages_that_are_loaded_stay_at_a_recall_and_those_that_are_not_begun_are_handed_back(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of()
    for job in JOBS[:3]:
        harness.give(job, grant=Grant(HOST, 1e12))
        harness.loop.continue_requests()
    harness.give(*JOBS[3:])
    harness.loop.handle(Recall())
    assert [result.job for batch in harness.run() for result in batch] == [*JOBS[:3]]
    assert harness.handed_back == [*JOBS[3:]]
    assert [payload.job for payload in harness.loader.abandoned] == [*JOBS[3:]], "its loader lets go of them"


def test_a_request_that_must_not_be_sent_twice_continues_after_a_recall(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(loader=RedirectedLoader)
    harness.give(JOBS[0], grant=Grant(HOST, 1e12))
    harness.give(*JOBS[1:3], grant=Grant(HOST, 1e12), request=PageRequest("POST"))
    harness.loop.continue_requests()
    for job in JOBS[:2]:
        harness.loop.handle(Granted(job, Grant(HOST, 1e12)))
    harness.loop.handle(Recall())
    harness.loop.handle(Granted(JOBS[2], Grant(HOST, 1e12)))
    harness.loop.continue_requests()
    ended = {result.job: result.state for batch in harness.run() for result in batch}
    assert ended == dict.fromkeys(JOBS[1:3], JobState.DONE)
    assert harness.handed_back == [JOBS[0]]


@pytest.mark.parametrize(("message", "logs_in"), [(FileSettled, False), (SessionTurn, True)])
def test_a_load_that_waits_continues_when_its_file_is_settled_or_it_is_its_turn_to_log_in(
    harness_of: Callable[..., Harness],
    monkeypatch: pytest.MonkeyPatch,
    message: type[FileSettled | SessionTurn],
    logs_in: bool,
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(loader=RedirectedLoader)
    harness.give(JOBS[0], grant=Grant(HOST, 1e12))
    harness.loop.continue_requests()
    for job in (JOBS[1], JOBS[0], JOBS[0]):  # one of which waits, once
        harness.loop.handle(message(job))
    harness.loop.continue_requests()
    ((result,),) = harness.run()
    assert (result.job, result.state) == (JOBS[0], JobState.DONE)
    assert harness.loader.begun.get_nowait().expect(LoadState).logs_in is logs_in
    assert harness.loader.begun.empty()


def test_a_request_that_must_not_be_sent_twice_is_ended_by_a_stop_while_it_waits_for_its_grant(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(loader=RedirectedLoader)
    harness.give(JOBS[0], grant=Grant(HOST, 1e12), request=PageRequest("POST"))
    harness.loop.continue_requests()
    harness.loop.handle(Drain())
    ((result,),) = harness.run()
    assert (result.job, result.state) == (JOBS[0], JobState.FAILED)
    assert harness.handed_back == []


def test_a_job_that_comes_after_a_drain_is_handed_back(harness_of: Callable[..., Harness]) -> None:
    harness = harness_of()
    harness.loop.handle(Drain())
    harness.give(JOBS[0])
    assert harness.run() == []
    assert harness.handed_back == [JOBS[0]]
    assert harness.loader.begun.empty()


def test_the_crash_marker_names_no_job_while_its_page_waits_for_a_grant(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = harness_of()

    def asks(payload: Payload, on_handover: OnHandover) -> None:
        on_handover(ToGrant(HOST, payload))

    monkeypatch.setattr(harness.loader, "begin", asks)
    harness.give(JOBS[0])
    assert harness.run() == []
    assert harness.marker.read() == RunningTask()


def test_pages_that_were_read_without_a_request_leave_the_bound_for_received_ones_as_it_is(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(max_held_bytes=PAGE_BYTES)
    harness.give(*JOBS[:3])
    harness.run()
    for job in JOBS[3:]:
        harness.give(job, grant=Grant(HOST, 1e12))
        harness.loop.continue_requests()
    assert harness.loader.begun.qsize() == 4, "the last one waits until the steps of the one before are over"


def test_a_robots_txt_is_reported_as_its_rules_and_is_no_result(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(ends_at_once=0)
    payload = JobPayload(Locator("robots.txt", "", "http://here.example/robots.txt"), "seed")
    harness.loop.handle(Assign((WorkItem(JOBS[0], 1, payload, Grant(HOST, 1e12), is_robots=True),)))
    harness.loop.continue_requests()
    harness.loader.end(FetchError("status 404", fault=LoadFault("status 404", False, 404)))
    harness.loop.continue_requests()
    assert harness.run() == []
    assert harness.robots == [RobotsRead(JOBS[0], RobotsAnswer(RobotsKind.KNOWN, note="status 404"))]


@pytest.mark.parametrize(
    ("outcome", "heard"),
    [
        (FetchError("gone", fault=LoadFault("status 404", False, 404)), True),
        (FetchError("no browser", fault=LoadFault(NO_BROWSER, True)), None),
        (SilentHostError("no answer", fault=LoadFault("timeout", True)), False),
        (LookupError("odd"), True),
    ],
)
def test_a_host_was_heard_unless_it_was_silent_or_never_asked(
    harness_of: Callable[..., Harness],
    monkeypatch: pytest.MonkeyPatch,
    outcome: Exception,
    heard: bool | None,
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(ends_at_once=0)
    harness.give(JOBS[0], grant=Grant(HOST, 1e12))
    harness.loop.continue_requests()
    harness.loader.end(outcome)
    harness.loop.continue_requests()
    ((result,),) = harness.run()
    assert result.state is JobState.FAILED
    (answered,) = (message for message in harness.sent if isinstance(message, RequestEnded))
    fault = outcome.fault if isinstance(outcome, FetchError) else None
    assert answered == RequestEnded(JOBS[0], HOST, heard, fault)


class LoginLoader(SizedLoader):
    """A loader whose pages need a login of their site's session."""

    def __init__(self, ends_at_once: int = 0) -> None:
        super().__init__(ends_at_once)
        self.learned: list[Session] = []

    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        state = payload.expect(LoadState)
        if state.outdated:
            super().begin(payload, on_handover)
        else:
            waiting = structs.replace(state, outdated=1, grant=None)
            on_handover(ToSession("here", 1, payload.advance(waiting)))

    def learn(self, session: Session) -> None:
        self.learned.append(session)

    def take_changes(self) -> list[SessionChange]:
        return [SessionChange("here", "job", {"a": "b"})]


def test_a_page_waits_for_a_login_of_its_session_and_for_no_other_one(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(loader=LoginLoader)
    harness.give(*JOBS[:2], grant=Grant(HOST, 1e12))
    harness.loop.continue_requests()
    for session in (Session("there", 2), Session("here", 1)):
        harness.loop.handle(SessionUpdate(session))
        harness.loop.continue_requests()
        assert harness.loader.begun.empty()
    harness.loop.handle(SessionUpdate(Session("here", 2)))
    harness.loop.continue_requests()
    assert [result.job for batch in harness.run() for result in batch] == [*JOBS[:2]]
    asked = [message for message in harness.sent if isinstance(message, SessionRequested)]
    assert asked == [SessionRequested(job, "here", 1) for job in JOBS[:2]]
    assert isinstance(harness.loader, LoginLoader)
    assert harness.loader.learned == [Session("there", 2), Session("here", 1), Session("here", 2)]


def test_what_a_page_changes_in_its_session_is_reported_right_after_its_answer(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(loader=LoginLoader)
    harness.give(JOBS[0], grant=Grant(HOST, 1e12))
    harness.loop.continue_requests()
    harness.run()
    assert harness.sent[:3] == [
        RequestEnded(JOBS[0], HOST),
        SessionChanged(SessionChange("here", "job", {"a": "b"})),
        SessionRequested(JOBS[0], "here", 1),
    ]


@pytest.mark.parametrize(("request_", "state"), [(None, None), (PageRequest("POST"), JobState.FAILED)])
def test_after_a_drain_no_page_begins_to_wait_for_a_grant(
    harness_of: Callable[..., Harness],
    monkeypatch: pytest.MonkeyPatch,
    request_: PageRequest | None,
    state: JobState | None,
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(ends_at_once=0)
    harness.give(JOBS[0], grant=Grant(HOST, 1e12), request=request_)
    harness.loop.continue_requests()
    payload = harness.loader.begun.queue[0]
    harness.loop.handle(Drain())
    further = structs.replace(payload.expect(LoadState), hops=1, grant=None)
    harness.loader.end(ToGrant(HOST, payload.advance(further)))
    harness.loop.continue_requests()
    assert [result.state for batch in harness.run() for result in batch] == ([] if state is None else [state])
    assert harness.handed_back == ([JOBS[0]] if state is None else [])
    assert [each.job for each in harness.loader.abandoned] == [JOBS[0]]


@pytest.mark.parametrize(("is_rule", "state"), [(True, JobState.SKIPPED), (False, JobState.FAILED)])
def test_a_page_that_robots_txt_disallows_is_skipped_and_one_that_is_denied_otherwise_fails(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch, is_rule: bool, state: JobState
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(loader=RedirectedLoader)
    harness.give(JOBS[0], grant=Grant(HOST, 1e12))
    harness.loop.continue_requests()
    harness.loop.handle(Denied(JOBS[0], is_rule, "a rule", "a rule of line 2"))
    harness.loop.handle(Denied(JOBS[1], is_rule, "a rule", "it waits for nothing"))
    ((result,),) = harness.run()
    assert (result.job, result.state) == (JOBS[0], state)
    assert [each.job for each in harness.loader.abandoned] == [JOBS[0]]


@pytest.mark.parametrize("reports_pages", [False, True])
def test_how_pages_were_loaded_is_reported_if_it_is_wanted(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch, reports_pages: bool
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    harness = harness_of(**({"reports_pages": True} if reports_pages else {}))
    harness.give(JOBS[0], grant=Grant(HOST, 1e12))
    harness.loop.continue_requests()
    ((result,),) = harness.run()
    seen = None if result.seen is None else (result.seen.status, result.seen.size_bytes, result.seen.source)
    assert seen == ((200, PAGE_BYTES, NETWORK) if reports_pages else None)


@pytest.mark.parametrize("is_drained", [False, True])
def test_a_page_whose_rows_name_a_file_waits_for_its_grant_and_is_handed_back_at_a_drain(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_drained: bool
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    wants = ChainStep("download", WantsFile(), "a.yml:1:1")
    chain = TaskChain(TaskDef("group", "one", "def", ()), (wants,))
    files = FileStore(tmp_path, FileFinder(tmp_path, tmp_path))
    harness = harness_of(chains=(chain,), files=files)
    harness.give(JOBS[0], grant=Grant(HOST, 1e12))
    harness.loop.continue_requests()
    assert harness.run() == []
    assert GrantRequested(JOBS[0], "files.example:80", FILE_URL, False, FILE_URL) in harness.sent
    harness.loop.handle(Drain() if is_drained else Granted(JOBS[0], Grant("files.example:80", 1e12)))
    harness.loop.continue_requests()
    results = [result.job for batch in harness.run() for result in batch]
    assert (results, harness.handed_back) == (([], [JOBS[0]]) if is_drained else ([JOBS[0]], []))
    assert (FileEnded(JOBS[0]) in harness.sent) is not is_drained


def test_results_do_not_wait_for_a_robots_txt_or_for_jobs_that_were_handed_back(
    harness_of: Callable[..., Harness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.fetching.LEFT_ALONE_S", -1.0)
    monkeypatch.setattr("scoopi.worker.fetching.DUE_S", 1e9)  # or the network might have a turn in between
    monkeypatch.setattr("scoopi.worker.worker_loop.BATCH_SECONDS", 1e9)
    harness = harness_of(loader=LocalLoader)
    payload = JobPayload(Locator("robots.txt", "", "http://here.example/robots.txt"), "seed")
    harness.loop.handle(Assign((WorkItem(JOBS[0], 1, payload, Grant(HOST, 1e12), is_robots=True),)))
    harness.loop.continue_requests()
    harness.give(JOBS[1], grant=Grant(HOST, 1e12))
    harness.loop.handle(Recall())
    harness.give(*JOBS[2:4])
    sent: list[tuple[Result, ...]] = []

    def hear_and_stop(wait_s: float) -> None:
        sent.extend(harness.hear())
        harness.loop.handle(Stop())

    monkeypatch.setattr(harness.loader, "turn", hear_and_stop)
    harness.loop.run()
    assert [[each.job for each in batch] for batch in sent] == [[*JOBS[2:4]]], "before it waits"
    assert harness.loader.under_way() == 1, "the robots.txt has not come"
