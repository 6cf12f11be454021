"""Fetching: a worker's requests in flight, driven by the thread that runs its steps."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from functools import partial

import msgspec

from scoopi.errors import FetchError, StoppedError
from scoopi.model.handover import Grant, Handover, Payload, ToGrant, ToTask
from scoopi.model.site_session import Session
from scoopi.steps.loading.load_state import LoadState
from scoopi.steps.loading.loader import Loader
from scoopi.worker.messages import ARCHIVE, FILE, NETWORK, FileEnded, GrantRequested, PageSeen, WorkItem
from scoopi.worker.request_reports import RequestReports

LEFT_ALONE_S = 0.1
"""Seconds without a turn after which the reader's thread takes one; also the longest wait in such a turn."""

OK = 200
"""The HTTP status of a loaded page."""
STOPPED = "the run was stopped before the redirect of its request was followed"
RETRY_HINT = "the server has received the request; `scoopi retry` sends it again"
DUE_S = 0.001
"""For how many seconds the steps of pages may run without a turn in between."""


class PageLoad(msgspec.Struct, frozen=True):
    """A page to load, or to continue loading after a redirect.

    Attributes:
        payload: its input is a LoadState.
        session: name of the session that it waits for; empty if it waits for none.
    """

    item: WorkItem
    payload: Payload
    session: str = ""

    @classmethod
    def first(cls, item: WorkItem) -> PageLoad:
        """The first load of a job."""
        payload = item.payload
        state = LoadState(
            grant=item.grant,
            archived=item.archived,
            public_only=payload.public_only,
            is_robots=item.is_robots,
        )
        return cls(item, Payload(item.job, payload.locator, payload.page, "", state))

    @property
    def stays(self) -> bool:
        """Whether its job must not be handed back, because its page would be requested again.

        That is so if it loads a file for the rows of a page, or follows a redirect of a request that must not
        be sent twice (protocol rule 16).
        """
        state, request = self.payload.expect(LoadState), self.item.payload.locator.request
        is_under_way = bool(state.hops or state.call) and state.login is None
        is_sent_once = is_under_way and request is not None and not request.is_repeatable
        return state.file is not None or is_sent_once

    def stopped(self) -> LoadedPage:
        """The outcome of a load that stays when the run is stopped."""
        is_of_file = self.payload.expect(LoadState).file is not None
        return LoadedPage(
            self.item, None, StoppedError() if is_of_file else FetchError(STOPPED, hint=RETRY_HINT)
        )

    def may_use(self, session: Session) -> bool:
        """Whether it waits for this session, and the session is ready or cannot be had."""
        is_newer = self.payload.expect(LoadState).outdated < session.version
        return self.session == session.name and (is_newer or bool(session.failed))

    def continued(self) -> PageLoad:
        """The same load, no longer waiting for a session."""
        return PageLoad(self.item, self.payload)

    def granted_host(self) -> str:
        """The host of its grant; empty without a grant."""
        grant = self.payload.expect(LoadState).grant
        return "" if grant is None else grant.host

    def asking(self, handover: ToGrant) -> GrantRequested:
        """The message that asks for a grant; it has the URL only if robots.txt applies to it."""
        state = self.payload.expect(LoadState)
        asks_robots = not (state.login or handover.is_subresource)
        url = (handover.url or state.url or self.payload.locator.url) * asks_robots
        file = "" if state.file is None else state.file.url
        return GrantRequested(self.item.job, handover.host, url, state.public_only, file)

    def file_over(self) -> tuple[FileEnded, ...]:
        """The message that its file is settled, for jobs that wait for the same file; none for a page."""
        return () if self.payload.expect(LoadState).file is None else (FileEnded(self.item.job),)

    def with_grant(self, grant: Grant) -> PageLoad:
        """The same load, with a grant for its next request."""
        return PageLoad(self.item, self.payload.advance(self.payload.expect(LoadState).with_grant(grant)))

    def logging_in(self) -> PageLoad:
        """The same load, whose job logs in to the site first."""
        state = msgspec.structs.replace(self.payload.expect(LoadState), logs_in=True)
        return PageLoad(self.item, self.payload.advance(state))


def parted(loads: Sequence[PageLoad]) -> tuple[list[PageLoad], list[PageLoad]]:
    """Split loads into those whose jobs may be handed back, and those that stay."""
    return [each for each in loads if not each.stays], [each for each in loads if each.stays]


class LoadedPage(msgspec.Struct, frozen=True):
    """A loaded page, or the error in place of it.

    Attributes:
        page: what the loader handed over: a Page, or a KeptFile.
        size: bytes received from the network.
        seconds: duration of its last request, or of reading it.
        is_local: whether it was read (from a file or the archive), not requested.
    """

    item: WorkItem
    page: object
    error: Exception | None = None
    size: int = 0
    seconds: float = 0.0
    is_local: bool = False

    @classmethod
    def of(
        cls,
        item: WorkItem,
        outcome: Handover | Exception,
        seconds: float,
        size_of: Callable[[object], int] | None = None,
    ) -> LoadedPage:
        """Make a loaded page from a load's outcome; without `size_of` it was read locally, of size 0."""
        is_local = size_of is None
        if isinstance(outcome, Exception):
            return cls(item, None, outcome, 0, seconds, is_local)
        assert isinstance(outcome, ToTask)
        page = outcome.payload.input
        return cls(item, page, None, 0 if size_of is None else size_of(page), seconds, is_local)

    def seen(self, size_of: Callable[[object], int]) -> PageSeen:
        """How the page was loaded."""
        source = (ARCHIVE if self.item.archived else FILE) if self.is_local else NETWORK
        status = OK if self.error is None and not self.is_local else 0
        if isinstance(self.error, FetchError):
            status = self.error.fault.status
        return PageSeen(status, size_of(self.page), round(1000 * self.seconds, 1), source)


OnLoaded = Callable[[PageLoad, Handover | Exception, float], Sequence[msgspec.Struct]]
"""Takes the outcome of a load and its duration in seconds; returns the messages that report it to the
parent."""


class Fetching:
    """Drives a worker's requests in flight, in the thread that runs its steps.

    A page therefore goes from the network to its steps without a change of thread. The steps' thread takes a
    turn between two pages, and waits here if it has no page. While a page takes long, the reader's thread
    takes turns instead, so that other requests are not delayed.

    Args:
        loader: loads all pages concurrently.
        on_loaded: called in the thread that takes the turn.
        send: sends messages to the parent.
        reports: reports of the requests that the loader sends within a turn; sent at its end.
    """

    def __init__(
        self,
        loader: Loader,
        on_loaded: OnLoaded,
        send: Callable[..., None],
        reports: RequestReports,
    ) -> None:
        self._loader = loader
        self._on_loaded = on_loaded
        self._send = send
        self._to_begin: deque[PageLoad] = deque()
        self._reports = reports
        self._turning = threading.Lock()
        self._waking = threading.Lock()
        self.is_waiting = False
        self.turned_at = time.monotonic()
        self._is_closed = False

    def add(self, load: PageLoad) -> None:
        """Queue a load, which begins in the next turn; callable from any thread."""
        if (grant := load.payload.expect(LoadState).grant) is not None:
            self._reports.begin(load.item.job, grant)
        self._to_begin.append(load)
        self.wake()

    def wake(self) -> None:
        """Wake the steps' thread, as there is something to do; callable from any thread.

        Nothing happens after `close`: the loader's descriptor may belong to another file by then.
        """
        if self.is_waiting:
            with self._waking:
                if self.is_waiting and not self._is_closed:
                    # Before the wake-up, which ends the wait in any case: of loads that are added together,
                    # only the first wakes.
                    self.is_waiting = False
                    self._loader.wake()

    def take_back(self) -> list[PageLoad]:
        """Remove the loads that have not begun, and return them; callable from any thread."""
        back: list[PageLoad] = []
        while self._to_begin:
            try:
                back.append(self._to_begin.popleft())
            except IndexError:  # the other thread was quicker
                break
        return back

    def is_due(self) -> bool:
        """Whether it is time for the next turn."""
        return time.monotonic() - self.turned_at > DUE_S

    def turn(self, wait_s: float, unless: Collection[object]) -> None:
        """Begin the added loads and continue all others; for the steps' thread.

        Args:
            wait_s: the longest wait for the network; `wake` ends it.
            unless: if this collection is not empty, there is no wait.
        """
        if not self._turning.acquire(blocking=False):
            self._loader.wake()
            self._turning.acquire()
        try:
            self._turn(wait_s, unless)
        finally:
            self._turning.release()

    def turn_if_late(self) -> None:
        """As `turn`, but only if the steps' thread has not called that for 0.1 s; for the reader's thread."""
        is_left_alone = time.monotonic() - self.turned_at > LEFT_ALONE_S
        if is_left_alone and self._turning.acquire(blocking=False):
            try:
                if not self._is_closed and (self._to_begin or self._loader.under_way()):
                    self._turn(LEFT_ALONE_S, ())
            finally:
                self._turning.release()

    def close(self) -> None:
        """Drop all requests in flight."""
        with self._turning, self._waking:
            self._is_closed = True
            self._loader.close()

    def _turn(self, wait_s: float, unless: Collection[object]) -> None:
        for load in self.take_back():
            self._loader.begin(load.payload, partial(self._end, load, time.perf_counter()))
        self.is_waiting = True  # set before the last check, so that whatever is added later ends the wait
        try:
            self._loader.turn(0.0 if unless or self._to_begin or self._reports.messages else wait_s)
        finally:
            self.is_waiting = False
        if self._reports.messages:
            reports = tuple(self._reports.messages)
            self._reports.messages.clear()
            self._send(*reports)
        self.turned_at = time.monotonic()

    def _end(self, load: PageLoad, began: float, outcome: Handover | Exception) -> None:
        self._reports.messages.extend(self._on_loaded(load, outcome, time.perf_counter() - began))
