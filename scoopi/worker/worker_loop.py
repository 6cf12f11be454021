"""WorkerLoop: a wired worker, which fetches many pages at a time, runs steps, sends results in batches."""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress

import msgspec

from scoopi.errors import DisallowedError, FetchError, SilentHostError
from scoopi.fetch.robots_text import answer_of
from scoopi.model.handover import Handover, ToGrant, ToSession
from scoopi.model.report.run_report import LOADER
from scoopi.worker.crash_marker import CrashMarker
from scoopi.worker.downloads.page_files import PageFiles
from scoopi.worker.fetching import Fetching, LoadedPage, PageLoad, parted
from scoopi.worker.job_run import JobRun
from scoopi.worker.messages import (
    Answered,
    Denied,
    Drain,
    FileSettled,
    Give,
    Granted,
    JobsHandedBack,
    Recall,
    Result,
    Results,
    RobotsRead,
    SessionAsked,
    SessionChanged,
    SessionNews,
    SessionTurn,
    ToWorker,
    WorkItem,
)
from scoopi.worker.pipe import WorkerPipe
from scoopi.worker.request_reports import RequestReports
from scoopi.worker.waiting_loads import WaitingLoads
from scoopi.worker.worker_parts import WorkerParts

BATCH_SECONDS = 0.02
BATCH_BYTES = 256 << 10
LONGEST_WAIT_S = 1.0
Work = PageLoad | LoadedPage
"""A page to be loaded here, or one that is loaded."""


class WorkerLoop:
    """A wired worker: fetches many pages at a time, runs steps, sends results in batches.

    Args:
        pipe: this worker's ends.
        marker: where the current task is recorded; None where no watchdog reads it.
        to_run: what waits for its steps; None in it ends the loop.
        reports: of the requests that the loader sends.
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
        self._runner = JobRun(parts.group_plan, parts.children, marker, parts.found, parts.loader.fault_of)
        self._reports = reports
        self._fetching = Fetching(parts.loader, self._on_loaded, pipe.send, reports)
        self._draining = threading.Event()
        self._waiting = WaitingLoads(self._draining)
        self._files = PageFiles(self._runner, parts.files, parts.children.leads_to_public_only)
        self._batch: list[Result] = []
        self._batch_lock = threading.Lock()
        self._batch_bytes = 0
        self._batch_since = 0.0
        self._begun = 0  # jobs that came; counted by the reader's thread alone, and so
        self._ended = 0  # those whose result is sent or in the batch, by the steps' thread
        self._received = 0  # bytes of pages, by the thread that has the turn
        self._done_with = 0  # those whose steps are over, by the steps' thread

    # The reader's thread

    def handle(self, message: ToWorker) -> None:
        """Take a message of the parent; in the reader's thread."""
        if isinstance(message, Give):
            self._begun += sum(not item.is_robots for item in message.items)
            for item in message.items:
                self._begin(item)
        elif isinstance(message, Granted):
            if (load := self._waiting.take(message.job)) is not None:
                self._fetching.add(load.with_grant(message.grant))
        elif isinstance(message, SessionNews):
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
        """End `run` after the pages that are queued; in the reader's thread."""
        self._run_soon(None)

    def continue_requests(self) -> None:
        """Have the requests continue while a page takes long; in the reader's thread."""
        if not self._is_full():
            self._fetching.turn_if_late()

    def wake(self) -> None:
        """End the wait of `run`; callable from any thread."""
        self._fetching.wake()

    def close(self) -> None:
        """Drop all requests in flight; it may wait for a name's look-up."""
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
        """Hand back the jobs that have not begun. Loaded pages stay: their hosts need not be asked again."""
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
        answered = (Answered(load.item.job, host) for load in unbegun if (host := load.granted_host()))
        if back := [load.item for load in (*waiting, *unbegun)]:
            self._begun -= sum(not item.is_robots for item in back)
            self._pipe.send(*answered, JobsHandedBack(tuple(item.job for item in back)))
        self._flush()  # finished jobs must not wait for a step that may never end

    def _take_unbegun(self) -> list[PageLoad]:
        """Remove and return the queued jobs whose page is not loaded; the others keep their order."""
        queued: list[Work | None] = []
        with suppress(IndexError):  # the steps' thread takes from it too
            while True:
                queued.append(self._to_run.popleft())
        self._to_run.extend(work for work in queued if not isinstance(work, PageLoad))
        self._fetching.wake()
        return [work for work in queued if isinstance(work, PageLoad)]

    # The thread that takes the turn

    def _on_loaded(
        self, load: PageLoad, outcome: Handover | Exception, seconds: float
    ) -> list[msgspec.Struct]:
        """Messages for the parent: the answer first, or it would end a further request of the job."""
        self._runner.add_time(LOADER, seconds)
        heard = None if isinstance(outcome, ToGrant | ToSession) else not isinstance(outcome, SilentHostError)
        fault = outcome.fault if isinstance(outcome, FetchError) else None
        host = load.granted_host()  # none for a page that has waited for its session
        job, reports = load.item.job, list[msgspec.Struct]()
        if host:
            reports.append(Answered(job, host, heard, fault, self._reports.end(job)))
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
        """The message that asks for it, or hands the job back; none if its page is to be ended here."""
        session = handover.session if isinstance(handover, ToSession) else ""
        load = PageLoad(item, handover.payload, session)
        if not self._waiting.add(load):
            self._loader.abandon(handover.payload)
            if load.stays:
                self._run_soon(load.stopped())
                return []
            return [JobsHandedBack((item.job,))]
        if isinstance(handover, ToSession):
            return [SessionAsked(item.job, handover.session, handover.version)]
        return [load.asking(handover)]

    def _deny(self, denied: Denied) -> None:
        if (load := self._waiting.take(denied.job)) is not None:
            self._loader.abandon(load.payload)
            kind = DisallowedError if denied.is_rule else FetchError
            self._run_soon(LoadedPage(load.item, None, kind(denied.message, cause=denied.cause)))

    # The steps' thread

    def run(self) -> None:
        """Run steps until stopped; `handle` and `continue_requests` belong to the reader's thread."""
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
        """The next page; results are sent before this thread waits for long, or for the parent."""
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
        """Whether pages of `max_held_bytes` wait for their steps, so that the network has to wait."""
        return self._received - self._done_with >= self._parts.max_held_bytes

    def _load_here(self, load: PageLoad) -> LoadedPage | None:
        """The page of a job that needs no request; None when it has none, or is handed back."""
        if self._draining.is_set():
            self._pipe.send(JobsHandedBack((load.item.job,)))
            return None
        if self._marker is not None:
            self._marker.note(load.item.job, "")
        outcomes: list[Handover | Exception] = []
        began = time.perf_counter()
        self._loader.begin(load.payload, outcomes.append)  # ends at once: it has no grant for a request
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
        """None if its page waits for a file, or is handed back."""
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
