"""WorkerLoop: a wired worker: it loads many pages at a time, runs their steps, sends results in batches."""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress

import msgspec

from scoopi.errors import NO_BROWSER, DisallowedError, FetchError, SilentHostError
from scoopi.fetch.robots_text import answer_of
from scoopi.model.handover import Handover, ToGrant, ToSession
from scoopi.model.report.run_report import LOADER
from scoopi.worker.crash_marker import CrashMarker
from scoopi.worker.downloads.page_files import PageFiles
from scoopi.worker.fetching import Fetching, LoadedPage, PageLoad, parted
from scoopi.worker.messages import (
    Assign,
    Denied,
    Drain,
    FileSettled,
    Granted,
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
    ToWorker,
    WorkItem,
)
from scoopi.worker.page_runner import PageRunner
from scoopi.worker.pipe import WorkerPipe
from scoopi.worker.request_reports import RequestReports
from scoopi.worker.waiting_loads import WaitingLoads
from scoopi.worker.worker_parts import WorkerParts

BATCH_SECONDS = 0.02
BATCH_BYTES = 256 << 10
LONGEST_WAIT_S = 1.0
Work = PageLoad | LoadedPage
"""A page to load in the steps' thread, or a loaded one."""


class WorkerLoop:
    """A wired worker: it loads many pages at a time, runs their steps, and sends results in batches.

    Args:
        pipe: this worker's ends of the pipes.
        marker: where the current task is recorded; None where no watchdog reads it.
        to_run: the queue of the steps' thread; None in it ends the loop.
        reports: reports of the requests that the loader sends.
    """

    def __init__(
        self,
        pipe: WorkerPipe,
        marker: CrashMarker | None,
        parts: WorkerParts,
        to_run: deque[Work | None],
        reports: RequestReports,
    ) -> None:
        self._pipe = pipe
        self._marker = marker
        self._parts = parts
        self._to_run = to_run
        self._loader = parts.loader
        self._runner = PageRunner(
            parts.group_plan, parts.children, marker, parts.found, parts.loader.fault_of
        )
        self._reports = reports
        self._fetching = Fetching(parts.loader, self._on_loaded, pipe.send, reports)
        self._draining = threading.Event()
        self._waiting = WaitingLoads(self._draining)
        self._files = PageFiles(self._runner, parts.files, parts.children.leads_to_public_only)
        self._batch: list[Result] = []
        self._batch_lock = threading.Lock()
        self._batch_bytes = 0
        self._batch_since = 0.0
        self._begun = 0  # jobs received and not handed back; changed by the reader's thread only
        self._ended = 0  # jobs whose result is sent or in the batch; by the steps' thread only
        self._received = 0  # bytes of pages; by the thread that has the turn only
        self._done_with = 0  # bytes of pages whose steps are over; by the steps' thread only

    # The reader's thread

    def handle(self, message: ToWorker) -> None:
        """Handle a message from the parent; in the reader's thread."""
        if isinstance(message, Assign):
            self._begun += sum(not item.is_robots for item in message.items)
            for item in message.items:
                self._begin(item)
        elif isinstance(message, Granted):
            if (load := self._waiting.take(message.job)) is not None:
                self._fetching.add(load.with_grant(message.grant))
        elif isinstance(message, SessionUpdate):
            self._loader.learn(message.session)
            for load in self._waiting.take_for(message.session):
                self._fetching.add(load.continued())
        elif isinstance(message, FileSettled | SessionTurn):
            if (load := self._waiting.take(message.job)) is not None:
                self._fetching.add(load if isinstance(message, FileSettled) else load.logging_in())
        elif isinstance(message, Denied):
            self._deny(message)
        elif isinstance(message, Drain):
            self._draining.set()
            self._hand_back()
        elif isinstance(message, Recall):
            self._hand_back()
        else:
            self.stop()

    def stop(self) -> None:
        """End `run` after the queued pages; in the reader's thread."""
        self._run_soon(None)

    def continue_requests(self) -> None:
        """Drive the requests while a page takes long; in the reader's thread."""
        if not self._is_full():
            self._fetching.turn_if_late()

    def wake(self) -> None:
        """Wake `run` if it waits; callable from any thread."""
        self._fetching.wake()

    def close(self) -> None:
        """Drop all requests in flight; may wait for a DNS lookup."""
        self._fetching.close()

    def _begin(self, item: WorkItem) -> None:
        load = PageLoad.first(item)
        if item.grant is None:
            self._run_soon(load)
        else:
            self._fetching.add(load)

    def _run_soon(self, work: Work | None) -> None:
        self._to_run.append(work)
        self._fetching.wake()

    def _hand_back(self) -> None:
        """Hand back the jobs that have not begun; loaded pages stay, so they are not requested again."""
        unbegun, staying = parted([*self._fetching.take_back(), *self._take_unbegun()])
        for load in staying:
            self._fetching.add(load)
        waiting, staying = parted(self._waiting.take_all())
        for load in staying:
            if not self._waiting.add(load):
                self._run_soon(load.stopped())
        for load in (*waiting, *unbegun):
            self._loader.abandon(load.payload)
            self._reports.end(load.item.job)
        answered = (RequestEnded(load.item.job, host) for load in unbegun if (host := load.granted_host()))
        if back := [load.item for load in (*waiting, *unbegun)]:
            self._begun -= sum(not item.is_robots for item in back)
            self._pipe.send(*answered, JobsHandedBack(tuple(item.job for item in back)))
        self._flush()  # finished jobs must not wait for a step that may never end

    def _take_unbegun(self) -> list[PageLoad]:
        """Remove and return the queued jobs whose page is not loaded; the others stay, in order."""
        queued: list[Work | None] = []
        with suppress(IndexError):  # the steps' thread takes from the queue, too
            while True:
                queued.append(self._to_run.popleft())
        self._to_run.extend(work for work in queued if not isinstance(work, PageLoad))
        self._fetching.wake()
        return [work for work in queued if isinstance(work, PageLoad)]

    # The thread that takes the turn

    def _on_loaded(
        self, load: PageLoad, outcome: Handover | Exception, seconds: float
    ) -> list[msgspec.Struct]:
        """Return the messages for the parent, `RequestEnded` first: it would end the job's next request."""
        self._runner.add_time(LOADER, seconds)
        fault = outcome.fault if isinstance(outcome, FetchError) else None
        is_unknown = isinstance(outcome, ToGrant | ToSession) or (fault and fault.reason == NO_BROWSER)
        heard = None if is_unknown else not isinstance(outcome, SilentHostError)
        host = load.granted_host()  # empty for a page that has waited for its session
        job, reports = load.item.job, list[msgspec.Struct]()
        if host:
            reports.append(RequestEnded(job, host, heard, fault, self._reports.end(job)))
        reports += map(SessionChanged, self._loader.take_changes())
        if isinstance(outcome, ToGrant | ToSession):
            reports += self._asking(load.item, outcome)
            return reports
        reports += load.file_over()
        if load.item.is_robots:
            reports.append(RobotsRead(job, answer_of(outcome)))
        else:
            loaded = LoadedPage.of(load.item, outcome, seconds, self._loader.size_of)
            self._received += loaded.size
            self._to_run.append(loaded)
        return reports

    def _asking(self, item: WorkItem, handover: ToGrant | ToSession) -> list[msgspec.Struct]:
        """The message that asks for a grant or session, or hands the job back; none if the load ends here."""
        session = handover.session if isinstance(handover, ToSession) else ""
        load = PageLoad(item, handover.payload, session)
        if not self._waiting.add(load):
            self._loader.abandon(handover.payload)
            if load.stays:
                self._run_soon(load.stopped())
                return []
            return [JobsHandedBack((item.job,))]
        if isinstance(handover, ToSession):
            return [SessionRequested(item.job, handover.session, handover.version)]
        return [load.asking(handover)]

    def _deny(self, denied: Denied) -> None:
        if (load := self._waiting.take(denied.job)) is not None:
            self._loader.abandon(load.payload)
            kind = DisallowedError if denied.is_rule else FetchError
            self._run_soon(LoadedPage(load.item, None, kind(denied.message, cause=denied.cause)))

    # The steps' thread

    def run(self) -> None:
        """Run the steps of pages until stopped; `handle` is called by the reader's thread meanwhile."""
        while (work := self._next_work()) is not None:
            if isinstance(work, PageLoad) and (work := self._load_here(work)) is None:
                continue
            result = self._result(work)
            self._done_with += work.size
            if result is not None:
                self._add(result)
                self._ended += 1
        self._flush()

    def _next_work(self) -> Work | None:
        """Wait for the next page; results are sent before a long wait."""
        while True:
            wait_s = LONGEST_WAIT_S
            if self._batch and not self._to_run:
                wait_s = self._batch_since + BATCH_SECONDS - time.monotonic()
                if wait_s <= 0 or self._ended == self._begun:
                    self._flush()
                    wait_s = LONGEST_WAIT_S
            if not self._to_run or (self._fetching.is_due() and not self._is_full()):
                self._fetching.turn(wait_s, unless=self._to_run)
            if self._to_run:
                return self._to_run.popleft()

    def _is_full(self) -> bool:
        """Whether loaded pages of `max_held_bytes` wait for their steps, so that no more are received."""
        return self._received - self._done_with >= self._parts.max_held_bytes

    def _load_here(self, load: PageLoad) -> LoadedPage | None:
        """Load the page of a job without a request; None if it needs one after all, or is handed back."""
        if self._draining.is_set():
            self._pipe.send(JobsHandedBack((load.item.job,)))
            return None
        if self._marker is not None:
            self._marker.note(load.item.job, "")
        outcomes: list[Handover | Exception] = []
        began = time.perf_counter()
        self._loader.begin(load.payload, outcomes.append)  # calls back at once, as there is no grant
        (outcome,) = outcomes
        seconds = time.perf_counter() - began
        self._runner.add_time(LOADER, seconds)
        if self._marker is not None:
            self._marker.clear()
        if isinstance(outcome, ToGrant | ToSession):
            self._pipe.send(*self._asking(load.item, outcome))
            return None
        return LoadedPage.of(load.item, outcome, seconds)

    def _result(self, loaded: LoadedPage) -> Result | None:
        """Run the steps of a page; None if it waits for a file, or its job is handed back."""
        seen = loaded.seen(self._loader.size_of) if self._parts.reports_pages else None
        made = self._files.result(loaded, seen)
        if isinstance(made, ToGrant):
            self._pipe.send(*self._asking(loaded.item, made))
            return None
        if made is None:
            self._ended += 1
            self._pipe.send(JobsHandedBack((loaded.item.job,)))
        return made

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
