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
from scoopi.steps.step import Loader, LoadOrder
from scoopi.worker.messages import ARCHIVE, FILE, NETWORK, Asking, FileOver, PageSeen, WorkItem
from scoopi.worker.request_reports import RequestReports

LEFT_ALONE_S = 0.1
"""Seconds without a turn after which the reader's thread takes one, and the longest that this one waits."""

FOUND = 200
"""The status of a page."""
STOPPED = "the run was stopped before the page had come to which its request was redirected"
RETRY = "the server has received the request; `scoopi retry` sends it again"
DUE_S = 0.001
"""Seconds for which pages may be run one after another without a turn between them."""


class PageLoad(msgspec.Struct, frozen=True):
    """A page to be loaded, or continued after a redirect; its payload's input is a LoadOrder.

    Attributes:
        session: name of the one that it waits for; empty if for none.
    """

    item: WorkItem
    payload: Payload
    session: str = ""

    @classmethod
    def first(cls, item: WorkItem) -> PageLoad:
        """The load of a job's page."""
        payload = item.payload
        order = LoadOrder(
            grant=item.grant,
            archived=item.archived,
            public_only=payload.public_only,
            is_robots=item.is_robots,
        )
        return cls(item, Payload(item.job, payload.locator, payload.page, "", order))

    @property
    def stays(self) -> bool:
        """Whether its job is not handed back, as that would ask for the page again.

        It waits for a file that the rows of its page want, or for the target of a redirect, and the request
        that has led there must not be sent twice (protocol rule 16).
        """
        order, request = self.payload.expect(LoadOrder), self.item.payload.locator.request
        is_under_way = bool(order.hops or order.call) and order.login is None
        is_sent_once = is_under_way and request is not None and not request.is_repeatable
        return order.file is not None or is_sent_once

    def stopped(self) -> LoadedPage:
        """What comes of one that stays when the run is stopped."""
        is_of_file = self.payload.expect(LoadOrder).file is not None
        return LoadedPage(self.item, None, StoppedError() if is_of_file else FetchError(STOPPED, hint=RETRY))

    def may_use(self, session: Session) -> bool:
        """Whether it waits for this session, which is ready now."""
        is_newer = self.payload.expect(LoadOrder).outdated < session.version
        return self.session == session.name and (is_newer or bool(session.failed))

    def continued(self) -> PageLoad:
        """The same load, once the session is there that it waited for."""
        return PageLoad(self.item, self.payload)

    def granted_host(self) -> str:
        """The host that its grant is for; empty without a grant."""
        grant = self.payload.expect(LoadOrder).grant
        return "" if grant is None else grant.host

    def asking(self, handover: ToGrant) -> Asking:
        """The message that asks for the grant; with the address, if robots.txt applies to it."""
        order = self.payload.expect(LoadOrder)
        asks_robots = not (order.login or handover.is_part)
        url = (handover.url or order.url or self.payload.locator.url) * asks_robots
        file = "" if order.file is None else order.file.url
        return Asking(self.item.job, handover.host, url, order.public_only, file)

    def file_over(self) -> tuple[FileOver, ...]:
        """The message that lets other jobs have its file, too; none for a page."""
        return () if self.payload.expect(LoadOrder).file is None else (FileOver(self.item.job),)

    def with_grant(self, grant: Grant) -> PageLoad:
        """The load, permitted to send its next request."""
        return PageLoad(self.item, self.payload.advance(self.payload.expect(LoadOrder).with_grant(grant)))

    def logging_in(self) -> PageLoad:
        """The same load, for the job that is to log in to its site."""
        order = msgspec.structs.replace(self.payload.expect(LoadOrder), logs_in=True)
        return PageLoad(self.item, self.payload.advance(order))


def parted(loads: Sequence[PageLoad]) -> tuple[list[PageLoad], list[PageLoad]]:
    """Loads whose jobs may be handed back, and those that stay."""
    return [each for each in loads if not each.stays], [each for each in loads if each.stays]


class LoadedPage(msgspec.Struct, frozen=True):
    """A page of `size` bytes from the network, or the error instead of it.

    Attributes:
        seconds: that its last request, or its reading, has taken.
        is_local: it was read, not requested.
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
        """What came of a load; without `size_of` the page was read here and does not count as received."""
        is_local = size_of is None
        if isinstance(outcome, Exception):
            return cls(item, None, outcome, 0, seconds, is_local)
        assert isinstance(outcome, ToTask)
        page = outcome.payload.input
        return cls(item, page, None, 0 if size_of is None else size_of(page), seconds, is_local)

    def seen(self, size_of: Callable[[object], int]) -> PageSeen:
        """How the page was loaded."""
        source = (ARCHIVE if self.item.archived else FILE) if self.is_local else NETWORK
        status = FOUND if self.error is None and not self.is_local else 0
        if isinstance(self.error, FetchError):
            status = self.error.fault.status
        return PageSeen(status, size_of(self.page), round(1000 * self.seconds, 1), source)


OnLoaded = Callable[[PageLoad, Handover | Exception, float], Sequence[msgspec.Struct]]
"""Takes the outcome of a load and its seconds; returns the messages that report it to the parent."""


class Fetching:
    """Drives a worker's requests in flight, in the thread that runs its steps.

    So a page passes from the network to its steps without a change of thread.

    The steps' thread takes a turn between two pages, and waits here when it has none. While a page
    takes long, the reader's thread takes turns instead, so that no other page is late for it.

    Args:
        loader: loads all pages concurrently.
        on_loaded: called in the thread that takes the turn.
        send: sends messages to the parent.
        reports: of the requests that the loader sends within a turn; sent at its end.
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
        self._requests, self._reports = reports, reports.messages
        self._turning = threading.Lock()
        self._waking = threading.Lock()
        self.is_waiting = False
        self.turned_at = time.monotonic()
        self._is_closed = False

    def add(self, load: PageLoad) -> None:
        """Queue a load, which begins at the next turn; callable from any thread."""
        if (grant := load.payload.expect(LoadOrder).grant) is not None:
            self._requests.begin(load.item.job, grant)
        self._to_begin.append(load)
        self.wake()

    def wake(self) -> None:
        """End the wait of the steps' thread, as there is something to do; callable from any thread.

        Nothing happens after `close`: the loader's descriptor may belong to another file by then.
        """
        if self.is_waiting:
            with self._waking:
                if not self._is_closed:
                    self._loader.wake()

    def take_back(self) -> list[PageLoad]:
        """Remove and return the loads that have not begun; callable from any thread."""
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
            unless: no wait while this collection holds anything.
        """
        if not self._turning.acquire(blocking=False):
            self._loader.wake()
            self._turning.acquire()
        try:
            self._turn(wait_s, unless)
        finally:
            self._turning.release()

    def turn_if_late(self) -> None:
        """Take a turn if the steps' thread has not taken one for long; for the reader's thread."""
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
        self.is_waiting = True  # set before the last look: what is added after it ends the wait
        try:
            self._loader.turn(0.0 if unless or self._to_begin or self._reports else wait_s)
        finally:
            self.is_waiting = False
        if self._reports:
            reports = tuple(self._reports)
            self._reports.clear()
            self._send(*reports)
        self.turned_at = time.monotonic()

    def _end(self, load: PageLoad, began: float, outcome: Handover | Exception) -> None:
        self._reports += self._on_loaded(load, outcome, time.perf_counter() - began)
