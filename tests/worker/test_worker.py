"""Worker: whatever happens in its threads, the parent hears of it."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace

import msgspec
import pytest

from scoopi.errors import FetchError, LoadFault, SilentHostError
from scoopi.model.handover import Grant, Payload, ToGrant, ToTask
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.steps.loading.load_state import LoadState
from scoopi.steps.loading.loader import Loader, OnHandover
from scoopi.worker.fetching import Fetching
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.messages import (
    Assign,
    Denied,
    Drain,
    Granted,
    GrantRequested,
    JobsHandedBack,
    Ready,
    Recall,
    RequestEnded,
    Result,
    Results,
    Setup,
    StartFault,
    ToParent,
    WorkItem,
)
from scoopi.worker.page_runner import PageRunner
from scoopi.worker.pipe import MessageBuffer, WorkerPipe, pack
from scoopi.worker.worker import Worker
from scoopi.worker.worker_parts import GroupPlan, WorkerParts
from tests.worker.played_loader import PlayedLoader

LIMIT_S = 60.0
CROSSING_S = 0.3
"""Long enough for the reader to carry out a drain, were it let."""
HOST = "there.example:80"


@dataclass
class Parent:
    """The other ends of a worker's pipe."""

    to_worker: int
    from_worker: int
    worker: Worker
    _buffer: MessageBuffer = field(default_factory=MessageBuffer)
    _heard: list[ToParent] = field(default_factory=list)

    def send(self, message: msgspec.Struct) -> None:
        os.write(self.to_worker, pack(message))

    def hear(self) -> ToParent | None:
        """The next message; None when the worker has ended."""
        while not self._heard:
            assert select.select([self.from_worker], [], [], LIMIT_S)[0], "the worker says nothing"
            data = os.read(self.from_worker, 1 << 16)
            if not data:
                return None
            self._buffer.feed(data)
            self._heard += [msgspec.msgpack.decode(body, type=ToParent) for body in self._buffer.bodies()]
        return self._heard.pop(0)


@pytest.fixture
def start() -> Iterator[Callable[[Loader], Parent]]:
    """Starts a worker in a thread, with this loader."""
    opened: list[Parent] = []
    threads: list[threading.Thread] = []

    def start_worker(loader: Loader) -> Parent:
        incoming, to_worker = os.pipe()
        from_worker, outgoing = os.pipe()
        pipe = WorkerPipe(incoming, outgoing)
        parts = WorkerParts(
            loader,
            lambda _: GroupPlan((), "loader", "here"),
            ChildJobs(lambda _: HOST, 9),
            FoundValues({}, frozenset()),
        )
        worker = Worker(pipe, None, lambda plan, report: parts, orphaned=lambda: None)

        def serve() -> None:
            with suppress(MemoryError):  # which a test raises; its worker's process would end
                worker.run()
            pipe.close()
            worker.close()

        threads.append(threading.Thread(target=serve))
        threads[-1].start()
        opened.append(Parent(to_worker, from_worker, worker))
        opened[-1].send(Setup(b""))
        assert opened[-1].hear() == Ready()
        return opened[-1]

    yield start_worker
    for parent in opened:
        os.close(parent.to_worker)
    for thread in threads:
        thread.join(LIMIT_S)
        assert not thread.is_alive()
    for parent in opened:
        os.close(parent.from_worker)


def give(parent: Parent, *jobs: str) -> None:
    """Jobs with grants for their first requests, `job` without any named."""
    payload = JobPayload(Locator("name", "group", "http://here.example/"), "seed")
    grant = Grant("here.example:80", 1e12)
    parent.send(Assign(tuple(WorkItem(job, 1, payload, grant) for job in jobs or ("job",))))


def test_results_are_reported_together_and_at_once_when_no_more_are_to_come(
    start: Callable[[Loader], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.worker_loop.BATCH_SECONDS", 10 * LIMIT_S)
    parent = start(PlayedLoader(ends_at_once=3))
    give(parent, "a", "b", "c")
    reported = [parent.hear() for _ in range(4)]
    (results,) = (message for message in reported if isinstance(message, Results))
    assert {result.job for result in results.results} == {"a", "b", "c"}


def test_a_result_does_not_wait_long_for_others(start: Callable[[Loader], Parent]) -> None:
    parent = start(PlayedLoader(ends_at_once=1))
    give(parent, "first", "second")
    assert parent.hear() == RequestEnded("first", "here.example:80", heard=True)
    results = parent.hear()
    assert isinstance(results, Results)
    assert [result.job for result in results.results] == ["first"]


def test_a_loader_that_breaks_ends_its_worker(
    start: Callable[[Loader], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    loader = PlayedLoader()
    parent = start(loader)
    monkeypatch.setattr(loader, "begin", broken)
    give(parent)
    assert parent.hear() is None


def test_a_loader_that_breaks_in_the_reader_ends_its_worker_too(
    start: Callable[[Loader], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    loader = PlayedLoader()
    parent = start(loader)
    monkeypatch.setattr(Fetching, "turn_if_late", broken)
    assert isinstance(parent.hear(), Results)
    assert parent.hear() is None


def test_pages_are_minded_however_often_the_parent_speaks(
    start: Callable[[Loader], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    turned = threading.Event()
    monkeypatch.setattr("scoopi.worker.worker.LEFT_ALONE_S", 10 * LIMIT_S)
    monkeypatch.setattr(Fetching, "turn_if_late", lambda _: turned.set())
    give(start(PlayedLoader()))
    assert turned.wait(LIMIT_S)


def test_the_parent_hears_that_a_host_is_silent(start: Callable[[Loader], Parent]) -> None:
    loader = PlayedLoader()
    parent = start(loader)
    give(parent)
    loader.end(SilentHostError("no connection within 10 ms", fault=LoadFault("timeout", True)))
    answered = RequestEnded("job", "here.example:80", heard=False, fault=LoadFault("timeout", True))
    assert parent.hear() == answered


def test_the_parent_hears_whether_a_failed_load_may_succeed_later(
    start: Callable[[Loader], Parent],
) -> None:
    loader, fault = PlayedLoader(), LoadFault("status 503", True, 503, 7.0)
    parent = start(loader)
    give(parent)
    loader.end(FetchError("the site answered with status 503", fault=fault))
    assert parent.hear() == RequestEnded("job", "here.example:80", heard=True, fault=fault)
    results = parent.hear()
    assert isinstance(results, Results)
    assert [result.fault for result in results.results] == [fault]


def test_a_page_that_is_asked_for_elsewhere_waits_for_a_grant(start: Callable[[Loader], Parent]) -> None:
    loader = PlayedLoader()
    parent = start(loader)
    give(parent)
    loader.end(ToGrant(HOST, payload_of(LoadState(url="http://there.example/"))))
    assert parent.hear() == RequestEnded("job", "here.example:80")
    assert parent.hear() == GrantRequested("job", HOST, "http://there.example/")
    parent.send(Granted("job", Grant(HOST, 1e12)))
    loader.end(LookupError("gone"))
    assert parent.hear() == RequestEnded("job", HOST, heard=True)
    results = parent.hear()
    assert isinstance(results, Results)
    assert [result.job for result in results.results] == ["job"]


def ask_for_grant(loader: PlayedLoader, parent: Parent) -> None:
    """Let the page of the job that is under way ask for a further request."""
    loader.end(ToGrant(HOST, payload_of(LoadState())))
    assert [parent.hear(), parent.hear()] == [
        RequestEnded("job", "here.example:80"),
        GrantRequested("job", HOST, "http://here.example/"),
    ]


def test_a_job_that_waits_for_a_grant_is_handed_back_at_the_drain(start: Callable[[Loader], Parent]) -> None:
    loader = PlayedLoader()
    parent = start(loader)
    give(parent)
    ask_for_grant(loader, parent)
    parent.send(Drain())
    assert parent.hear() == JobsHandedBack(("job",))


def test_what_has_not_begun_is_handed_back_at_the_drain(
    start: Callable[[Loader], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fetching, "turn_if_late", lambda _: None)  # or the reader might begin it
    loader = HeldLoader()
    parent = start(loader)
    give_files(parent, "slow")
    assert loader.is_held.wait(LIMIT_S)  # the steps' thread is busy
    give(parent, "job")
    parent.send(Drain())
    assert parent.hear() == RequestEnded("job", "here.example:80")
    assert parent.hear() == JobsHandedBack(("job",))
    assert loader.under_way() == 0
    loader.release.set()


def test_what_has_not_begun_is_handed_back_at_a_recall_and_more_is_done_afterwards(
    start: Callable[[Loader], Parent],
) -> None:
    loader = PlayedLoader()
    parent = start(loader)
    give(parent)
    ask_for_grant(loader, parent)
    parent.send(Recall())
    assert parent.hear() == JobsHandedBack(("job",))
    assert isinstance(parent.hear(), Results)
    give(parent)
    ask_for_grant(loader, parent)


def test_what_waits_behind_a_slow_page_is_taken_back_and_the_worker_keeps_working(
    start: Callable[[Loader], Parent],
) -> None:
    loader = HeldLoader()
    parent = start(loader)
    give_files(parent, "slow", "second", "third")
    assert loader.is_held.wait(LIMIT_S)
    parent.send(Recall())
    assert parent.hear() == JobsHandedBack(("second", "third"))
    loader.release.set()
    assert results_of(parent) == {"slow"}
    give_files(parent, "fourth")
    assert results_of(parent) == {"fourth"}


def test_results_that_wait_for_others_are_reported_when_jobs_are_taken_back(
    start: Callable[[Loader], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.worker_loop.BATCH_SECONDS", 10 * LIMIT_S)
    loader = HeldLoader(held="second")
    parent = start(loader)
    give_files(parent, "first", "second", "third")
    assert loader.is_held.wait(LIMIT_S)
    parent.send(Recall())
    assert parent.hear() == JobsHandedBack(("third",))
    assert results_of(parent) == {"first"}
    loader.release.set()
    assert results_of(parent) == {"second"}, "it is the last that came, so it waits for no other"


def test_a_request_that_was_not_sent_is_taken_back_too(
    start: Callable[[Loader], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fetching, "turn_if_late", lambda _: None)  # or the reader might send it
    loader = HeldLoader()
    parent = start(loader)
    give_files(parent, "slow")
    assert loader.is_held.wait(LIMIT_S)
    give(parent, "asked")
    parent.send(Recall())
    assert parent.hear() == RequestEnded("asked", "here.example:80")
    assert parent.hear() == JobsHandedBack(("asked",))
    loader.release.set()


class HeldLoader(PlayedLoader):
    """Reads each file at once, but one of them only when the test releases it."""

    def __init__(self, held: str = "slow") -> None:
        super().__init__()
        self._held = held
        self.is_held = threading.Event()
        self.release = threading.Event()

    def begin(self, payload: Payload, on_handover: OnHandover) -> None:
        if payload.job == self._held:
            self.is_held.set()
            assert self.release.wait(LIMIT_S)
        on_handover(ToTask(payload.advance("page")))


def results_of(parent: Parent) -> set[str]:
    """The jobs of the next results that have any."""
    while True:
        message = parent.hear()
        assert isinstance(message, Results), message
        if message.results:
            return {result.job for result in message.results}


def give_files(parent: Parent, *jobs: str) -> None:
    payload = JobPayload(Locator("name", "group", "page.html"), "seed")
    parent.send(Assign(tuple(WorkItem(job, 1, payload) for job in jobs)))


class CrossedDrain(threading.Event):
    """A worker's flag for draining; the Drain arrives just after the worker has seen that none has."""

    def __init__(self) -> None:
        super().__init__()
        self.parent: Parent | None = None
        self.handled = threading.Event()

    def is_set(self) -> bool:
        answer = super().is_set()
        if not answer and self.parent is not None:
            self.parent.send(Drain())
            self.wait(LIMIT_S)
            self.handled.wait(CROSSING_S)
        return answer


def test_a_redirect_that_crosses_the_drain_is_handed_back(
    start: Callable[[Loader], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    loader, drain, send = PlayedLoader(), CrossedDrain(), WorkerPipe.send

    def send_and_note(pipe: WorkerPipe, *messages: msgspec.Struct) -> None:
        send(pipe, *messages)
        if any(isinstance(message, Results) for message in messages):
            drain.handled.set()

    monkeypatch.setattr(WorkerPipe, "send", send_and_note)
    own = SimpleNamespace(Event=lambda: drain, Lock=threading.Lock, Thread=threading.Thread)
    monkeypatch.setattr("scoopi.worker.worker_loop.threading", own)
    parent = start(loader)
    drain.parent = parent
    give(parent)
    loader.end(ToGrant(HOST, payload_of(LoadState())))
    heard: list[ToParent | None] = []
    while JobsHandedBack(("job",)) not in heard:
        heard.append(parent.hear())
        assert heard[-1] is not None
    assert RequestEnded("job", "here.example:80") in heard


def test_a_worker_that_is_left_before_it_is_wired_ends_without_beginning_a_page() -> None:
    incoming, to_worker = os.pipe()
    from_worker, outgoing = os.pipe()
    loader = PlayedLoader()
    parts = WorkerParts(
        loader,
        lambda _: GroupPlan((), "loader", "here"),
        ChildJobs(lambda _: HOST, 9),
        FoundValues({}, frozenset()),
    )
    pipe = WorkerPipe(incoming, outgoing)
    worker = Worker(pipe, None, lambda plan, report: parts, orphaned=lambda: None)
    parent = Parent(to_worker, from_worker, worker)
    worker.leave()
    parent.send(Setup(b""))
    serving = threading.Thread(target=worker.run)
    serving.start()
    serving.join(LIMIT_S)
    assert not serving.is_alive()
    os.close(to_worker)
    pipe.close()
    worker.close()
    assert parent.hear() == Ready()
    assert isinstance(parent.hear(), Results)
    assert parent.hear() is None
    assert loader.begun.empty()
    os.close(from_worker)


@pytest.mark.parametrize("can_be_wired", [True, False])
def test_a_worker_whose_parent_ends_before_it_is_ready_ends_without_an_error(can_be_wired: bool) -> None:
    incoming, to_worker = os.pipe()
    from_worker, outgoing = os.pipe()
    pipe = WorkerPipe(incoming, outgoing)
    orphaned: list[str] = []

    def wire(plan: bytes, report: object) -> WorkerParts:
        os.close(from_worker)
        if not can_be_wired:
            raise ValueError("no such plugin")
        return WorkerParts(
            PlayedLoader(),
            lambda _: GroupPlan((), "loader", "here"),
            ChildJobs(lambda _: HOST, 9),
            FoundValues({}, frozenset()),
        )

    worker = Worker(pipe, None, wire, orphaned=lambda: orphaned.append("orphaned"))
    os.write(to_worker, pack(Setup(b"")))
    worker.run()
    assert orphaned == ["orphaned"]
    os.close(to_worker)
    pipe.close()
    worker.close()


def payload_of(state: LoadState) -> Payload:
    return Payload("job", Locator("name", "group", "http://here.example/"), 1, "", state)


def broken(*_: object) -> None:
    raise MemoryError


def test_a_worker_that_is_left_begins_no_page_and_does_not_wait_for_the_network(
    start: Callable[[Loader], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.worker_loop.LONGEST_WAIT_S", 10 * LIMIT_S)
    loader = PlayedLoader()
    parent = start(loader)
    assert loader.waits.wait(LIMIT_S)
    parent.worker.leave()
    assert select.select([parent.from_worker], [], [], LIMIT_S / 2)[0], "its wait was not ended"
    while parent.hear() is not None:
        pass
    assert loader.turns == 1, "the wait was ended"


def test_pages_that_wait_for_their_steps_are_dropped_by_a_worker_that_is_left(
    start: Callable[[Loader], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever replaces a thread that was given up runs these jobs again."""
    begun, left = threading.Event(), threading.Event()
    ran: list[str] = []

    def run(_: PageRunner, item: WorkItem, page: object) -> Result:
        ran.append(item.job)
        begun.set()
        assert left.wait(LIMIT_S)
        return Result(item.job, 1, JobState.DONE, 1, b"")

    monkeypatch.setattr(PageRunner, "run", run)
    parent = start(PlayedLoader(ends_at_once=3))
    give(parent, "a", "b", "c")
    assert begun.wait(LIMIT_S)
    parent.worker.leave()
    left.set()
    while parent.hear() is not None:
        pass
    assert ran == ["a"]


def test_a_page_whose_next_request_is_denied_fails_with_the_reason(start: Callable[[Loader], Parent]) -> None:
    loader = PlayedLoader()
    parent = start(loader)
    give(parent)
    loader.end(ToGrant(HOST, payload_of(LoadState(url="http://there.example/"))))
    assert [parent.hear(), parent.hear()] == [
        RequestEnded("job", "here.example:80"),
        GrantRequested("job", HOST, "http://there.example/"),
    ]
    for is_rule in (False, True):
        parent.send(Denied("job", is_rule, "robots.txt", "disallowed by line 2"))
    results = parent.hear()
    assert isinstance(results, Results)
    assert [(result.job, result.state) for result in results.results] == [("job", JobState.FAILED)]


def test_a_worker_whose_parent_ends_before_it_says_anything_ends() -> None:
    incoming, to_worker = os.pipe()
    from_worker, outgoing = os.pipe()
    pipe = WorkerPipe(incoming, outgoing)
    wired: list[bytes] = []

    def wire(plan: bytes, report: object) -> WorkerParts:
        wired.append(plan)
        raise AssertionError

    worker = Worker(pipe, None, wire, orphaned=lambda: wired.append(b"orphaned"))
    os.close(to_worker)
    worker.run()
    assert wired == []
    pipe.close()
    worker.close()
    os.close(from_worker)


def test_why_a_worker_cannot_be_wired_is_reported_with_the_kind_of_the_error() -> None:
    incoming, to_worker = os.pipe()
    from_worker, outgoing = os.pipe()
    pipe = WorkerPipe(incoming, outgoing)

    def wire(plan: bytes, report: object) -> WorkerParts:
        raise LookupError(f"no plugin of the plan {plan!r}")

    worker = Worker(pipe, None, wire, orphaned=lambda: None)
    parent = Parent(to_worker, from_worker, worker)
    parent.send(Setup(b"p"))
    worker.run()
    assert parent.hear() == StartFault("LookupError: no plugin of the plan b'p'")
    for end in (to_worker, from_worker):
        os.close(end)
    pipe.close()
    worker.close()
