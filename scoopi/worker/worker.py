"""Worker: reads what the parent gives, fetches in a few threads, runs steps in one, answers in batches."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import msgspec

from scoopi.model.grant import Grant
from scoopi.model.handover import ToGrant, ToTask
from scoopi.model.payload import Payload
from scoopi.steps.load_order import LoadOrder
from scoopi.steps.step import Step
from scoopi.worker.job_run import JobRun
from scoopi.worker.messages import (
    Answered,
    Asking,
    Drain,
    Fault,
    Give,
    Granted,
    HandedBack,
    Ready,
    Result,
    Results,
    Sent,
    Setup,
    ToWorker,
    WorkItem,
)
from scoopi.worker.pipe import WorkerPipe
from scoopi.worker.slate import Slate
from scoopi.worker.worker_parts import WorkerParts

log = logging.getLogger(__name__)

BATCH_SECONDS = 0.02
BATCH_BYTES = 256 << 10
DECODER = msgspec.msgpack.Decoder(ToWorker)


class _Load(msgspec.Struct, frozen=True):
    """A page to be loaded, or to be gone on with after a redirect."""

    item: WorkItem
    payload: Payload


class _Loaded(msgspec.Struct, frozen=True):
    """A page, or the error instead of it."""

    item: WorkItem
    page: object
    error: Exception | None


class Worker:
    """The steps' thread is the one that calls `run`; it ends when the parent says so or is gone.

    Args:
        pipe: this worker's ends.
        slate: where the current task is noted; None where nothing is shielded (threads of the parent).
        wire: makes the parts from what `Setup` brings.
        orphaned: called when the parent is gone.
    """

    def __init__(
        self,
        pipe: WorkerPipe,
        slate: Slate | None,
        wire: Callable[[bytes, Callable[[str, str], None]], WorkerParts],
        orphaned: Callable[[], None],
    ) -> None:
        self._pipe = pipe
        self._slate = slate
        self._wire = wire
        self._orphaned = orphaned
        self._to_fetch: queue.SimpleQueue[_Load | None] = queue.SimpleQueue()
        self._to_run: queue.SimpleQueue[_Load | _Loaded | None] = queue.SimpleQueue()
        self._waiting: dict[str, _Load] = {}
        self._waiting_lock = threading.Lock()
        self._draining = threading.Event()
        self._fetchers: list[threading.Thread] = []
        self._batch: list[Result] = []
        self._batch_lock = threading.Lock()
        self._batch_bytes = 0
        self._batch_since = 0.0
        self._begun = 0  # jobs that came; counted by the reader's thread alone, and so
        self._ended = 0  # those whose result is told or in the batch, by the steps' thread

    def run(self) -> None:
        """Serve until stopped."""
        bodies = self._pipe.bodies()
        first = next(bodies, None)
        if first is None:
            return
        setup = DECODER.decode(first)
        assert isinstance(setup, Setup)
        try:
            self._parts = self._wire(setup.plan, self._report_sent)
        except Exception as error:
            self._pipe.send(Fault(f"{type(error).__name__}: {error}"))
            return
        self._runner = JobRun(self._parts.group_plan, self._parts.children, self._slate, self._parts.found)
        self._loader = self._parts.new_loader()
        self._pipe.send(Ready())
        threading.Thread(target=self._read, args=(bodies,), name="worker-reader", daemon=True).start()
        try:
            self._run_steps()
        except BrokenPipeError:
            self._orphaned()

    # The reader's thread

    def _read(self, bodies: Iterator[bytes]) -> None:
        try:
            for body in bodies:
                self._on_message(DECODER.decode(body))
        except BrokenPipeError:
            pass  # the steps' thread has ended, and nobody hears any more
        except Exception:
            log.exception("a worker's reader cannot go on")
        self._to_run.put(None)
        self._orphaned()

    def _on_message(self, message: ToWorker) -> None:
        if isinstance(message, Give):
            self._begun += len(message.items)
            for item in message.items:
                self._begin(item)
        elif isinstance(message, Granted):
            with self._waiting_lock:
                load = self._waiting.pop(message.job, None)
            if load is not None:
                self._fetch(_Load(load.item, _with_grant(load.payload, message.grant)))
        elif isinstance(message, Drain):
            self._draining.set()
            with self._waiting_lock:
                waiting, self._waiting = list(self._waiting), {}
            if waiting:
                self._pipe.send(HandedBack(tuple(waiting)))
            self._flush()  # what has ended must not wait for a step that perhaps never does
        else:
            for _ in self._fetchers:
                self._to_fetch.put(None)
            self._to_run.put(None)

    def _begin(self, item: WorkItem) -> None:
        order = LoadOrder(grant=item.grant, archived=item.archived)
        payload = Payload(item.job, item.payload.locator, item.payload.page, "", order)
        if item.grant is None:
            self._to_run.put(_Load(item, payload))
        else:
            self._fetch(_Load(item, payload))

    def _fetch(self, load: _Load) -> None:
        if len(self._fetchers) < self._parts.fetch_threads:
            thread = threading.Thread(target=self._fetch_pages, name="fetcher", daemon=True)
            self._fetchers.append(thread)
            thread.start()
        self._to_fetch.put(load)

    # The fetchers' threads

    def _fetch_pages(self) -> None:
        try:
            self._fetch_while_heard()
        except BrokenPipeError:
            pass  # as in the reader's thread
        except Exception:
            log.exception("a worker's fetcher cannot go on")
            self._to_run.put(None)  # of a worker's end the parent hears, of a thread's it does not

    def _fetch_while_heard(self) -> None:
        loader = self._parts.new_loader()
        while (load := self._to_fetch.get()) is not None:
            if self._draining.is_set():
                self._pipe.send(Answered(load.item.job, _granted_host(load.payload)))
                self._pipe.send(HandedBack((load.item.job,)))
            else:
                loaded = self._load(loader, load)
                # Before a further request is asked for, or the answer to the one would end the other.
                self._pipe.send(Answered(load.item.job, _granted_host(load.payload)))
                if isinstance(loaded, ToGrant):
                    self._ask(load.item, loaded)
                else:
                    self._to_run.put(loaded)

    def _load(self, loader: Step, load: _Load) -> _Loaded | ToGrant:
        """The loaded page, or the wish for the grant of a further request."""
        started = time.perf_counter()
        try:
            handover = loader.run(load.payload)
        except Exception as error:
            return _Loaded(load.item, None, error)
        finally:
            self._runner.add_time("loader", time.perf_counter() - started)
        if isinstance(handover, ToGrant):
            return handover
        assert isinstance(handover, ToTask)
        return _Loaded(load.item, handover.payload.input, None)

    def _ask(self, item: WorkItem, handover: ToGrant) -> None:
        with self._waiting_lock:  # the reader's as well: what is not in by the drain must not come later
            waits = not self._draining.is_set()
            if waits:
                self._waiting[item.job] = _Load(item, handover.payload)
        self._pipe.send(Asking(item.job, handover.host) if waits else HandedBack((item.job,)))

    def _report_sent(self, job: str, host: str) -> None:
        self._pipe.send(Sent(job, host, time.monotonic()))

    # The steps' thread

    def _run_steps(self) -> None:
        while True:
            work = self._next_work()
            if work is None:
                self._flush()
                return
            if isinstance(work, _Load):
                work = self._load_here(work)
                if work is None:
                    continue
            self._add(self._result(work))
            self._ended += 1

    def _next_work(self) -> _Load | _Loaded | None:
        """What is to be done next; results are told before this thread waits long, or for the parent."""
        if self._batch:
            rest_s = self._batch_since + BATCH_SECONDS - time.monotonic()
            if rest_s > 0 and self._ended < self._begun:
                with suppress(queue.Empty):
                    return self._to_run.get(timeout=rest_s)
            self._flush()
        return self._to_run.get()

    def _load_here(self, load: _Load) -> _Loaded | None:
        if self._draining.is_set():
            self._pipe.send(HandedBack((load.item.job,)))
            return None
        if self._slate is not None:
            self._slate.note(load.item.job, "")
        loaded = self._load(self._loader, load)
        if isinstance(loaded, ToGrant):
            self._ask(load.item, loaded)
            return None
        return loaded

    def _result(self, loaded: _Loaded) -> Result:
        if loaded.error is not None:
            return self._runner.failed_load(loaded.item, loaded.error)
        return self._runner.run(loaded.item, loaded.page)

    def _add(self, result: Result) -> None:
        now = time.monotonic()
        with self._batch_lock:
            if not self._batch:
                self._batch_since = now
            self._batch.append(result)
            self._batch_bytes += len(result.body)
        if self._batch_bytes >= BATCH_BYTES or now - self._batch_since >= BATCH_SECONDS:
            self._flush()

    def _flush(self) -> None:
        with self._batch_lock:
            batch, self._batch = self._batch, []
            self._batch_bytes = 0
        self._pipe.send(Results(tuple(batch), self._runner.take_times(), self._parts.found.take()))


def _with_grant(payload: Payload, grant: Grant) -> Payload:
    return payload.advance(payload.expect(LoadOrder).with_grant(grant))


def _granted_host(payload: Payload) -> str:
    grant = payload.expect(LoadOrder).grant
    return grant.host if grant is not None else ""
