"""Worker: whatever happens in its threads, the parent hears of it."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec
import pytest

from scoopi.model.grant import Grant
from scoopi.model.handover import Handover, ToGrant, ToTask
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.model.payload import Payload
from scoopi.steps.step import Step
from scoopi.worker.child_jobs import ChildJobs
from scoopi.worker.found_values import FoundValues
from scoopi.worker.messages import (
    Answered,
    Drain,
    Give,
    HandedBack,
    Ready,
    Results,
    Setup,
    ToParent,
    WorkItem,
)
from scoopi.worker.pipe import MessageBuffer, WorkerPipe, pack
from scoopi.worker.task_chain import GroupPlan
from scoopi.worker.worker import Worker
from scoopi.worker.worker_parts import WorkerParts

LIMIT_S = 10.0
CROSSING_S = 0.3
"""Long enough for the reader to carry out a drain, were it let."""
HOST = "there.example:80"


class Redirected(Step):
    """Wants a further request, once it is let."""

    def __init__(self, go: threading.Event) -> None:
        self._go = go

    def run(self, payload: Payload) -> Handover:
        assert self._go.wait(LIMIT_S)
        return ToGrant(HOST, payload)


class Loaded(Step):
    """Has the page at once."""

    def run(self, payload: Payload) -> Handover:
        return ToTask(payload.advance("page"))


class Waiting(Step):
    """Has the first page at once, and each further one once it is let."""

    def __init__(self, go: threading.Event) -> None:
        self._go = go
        self._runs = 0

    def run(self, payload: Payload) -> Handover:
        self._runs += 1
        assert self._runs == 1 or self._go.wait(LIMIT_S)
        return ToTask(payload.advance("page"))


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
def start() -> Iterator[Callable[[Callable[[], Step]], Parent]]:
    """Starts a worker in a thread, with this maker of loaders."""
    opened: list[Parent] = []
    threads: list[threading.Thread] = []

    def start_worker(new_loader: Callable[[], Step]) -> Parent:
        incoming, to_worker = os.pipe()
        from_worker, outgoing = os.pipe()
        pipe = WorkerPipe(incoming, outgoing)
        parts = WorkerParts(
            new_loader,
            lambda _: GroupPlan((), "loader", "here"),
            ChildJobs(lambda _: HOST, 9),
            1,
            FoundValues({}, frozenset()),
        )
        worker = Worker(pipe, None, lambda plan, report: parts, orphaned=lambda: None)

        def serve() -> None:
            worker.run()
            pipe.close()

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
    """Jobs with leave for their first requests, `job` without any named."""
    payload = JobPayload(Locator("name", "group", "http://here.example/"), "seed")
    grant = Grant("here.example:80", 1e12)
    parent.send(Give(tuple(WorkItem(job, 1, payload, grant) for job in jobs or ("job",))))


def test_results_are_told_together_and_at_once_when_no_more_are_to_come(
    start: Callable[[Callable[[], Step]], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.worker.worker.BATCH_SECONDS", 10 * LIMIT_S)
    parent = start(Loaded)
    give(parent, "a", "b", "c")
    told = [parent.hear() for _ in range(4)]
    (results,) = (message for message in told if isinstance(message, Results))
    assert {result.job for result in results.results} == {"a", "b", "c"}


def test_a_result_does_not_wait_long_for_others(
    start: Callable[[Callable[[], Step]], Parent],
) -> None:
    go = threading.Event()
    loaders = iter([Loaded(), Waiting(go)])
    parent = start(lambda: next(loaders))
    give(parent, "first", "second")
    told: list[ToParent | None] = []
    while not isinstance(told[-1] if told else None, Results):
        told.append(parent.hear())
    go.set()
    assert isinstance(told[-1], Results)
    assert [result.job for result in told[-1].results] == ["first"]


def test_a_fetcher_that_cannot_begin_ends_its_worker(
    start: Callable[[Callable[[], Step]], Parent],
) -> None:
    loaders = iter([Redirected(threading.Event())])  # the one of the steps' thread; then there is none

    def new_loader() -> Step:
        loader = next(loaders, None)
        if loader is None:
            raise MemoryError
        return loader

    parent = start(new_loader)
    give(parent)
    said = parent.hear()
    while said is not None:
        said = parent.hear()


class CrossedDrain(threading.Event):
    """The parent's Drain comes just when the fetcher has seen that none is there yet."""

    def __init__(self, parent: Parent, handled: threading.Event) -> None:
        super().__init__()
        self._parent = parent
        self._handled = handled
        self._asked = 0

    def is_set(self) -> bool:
        answer = super().is_set()
        if threading.current_thread().name == "fetcher":
            self._asked += 1
            if self._asked == 2:  # the first time it asked before its request
                self._parent.send(Drain())
                self.wait(LIMIT_S)
                self._handled.wait(CROSSING_S)
        return answer


def test_a_redirect_that_crosses_the_drain_is_handed_back(
    start: Callable[[Callable[[], Step]], Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    go, handled = threading.Event(), threading.Event()
    parent = start(lambda: Redirected(go))
    real = Worker._flush

    def flush(worker: Worker) -> None:
        real(worker)
        handled.set()

    monkeypatch.setattr(Worker, "_flush", flush)
    parent.worker._draining = CrossedDrain(parent, handled)
    give(parent)
    go.set()
    heard: list[ToParent | None] = []
    while HandedBack(("job",)) not in heard:
        heard.append(parent.hear())
        assert heard[-1] is not None
    assert Answered("job", "here.example:80") in heard
